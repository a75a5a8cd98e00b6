"""The start and the end of the workbench: nothing that it started is left, and it ends quietly."""

import asyncio
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.engine.system.processes import descendants
from harness.extensions.workbench.processes import end_process, send_signal, start_process
from tests.conftest import PROJECT
from tests.extensions.workbench.server import Workbench, a_sweep, board, endless, wait_for


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files of the servers of a test, and of what they start."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def server(tmp_path: Path, temporary: Path) -> Iterator[Workbench]:
    with Workbench(tmp_path) as server:
        yield server


def start_everything(server: Workbench) -> list[int]:
    """Start work of each kind that takes longer than the test; returns its processes."""
    proof = {"puzzle": board("." * 81), "limit": 10**6, "timeout_s": 3600}
    server.got("/api/generate", {"shape": "9x9", "count": 1000, "clues": "17"})
    server.got("/api/certificates", {**proof, "configurations": ["native"]})
    server.got("/api/questions", {**endless("native"), "configurations": ["native", "cnf"]})
    server.got("/api/sweeps", a_sweep("run", 10**6))
    wait_for(lambda: server.done("run") > 0)
    kinds = ("jobs:generated", "jobs:certify", "questions:answer", "sweep.toml")
    wait_for(lambda: all(server.processes(part) for part in kinds), 20)
    return descendants(server.process.pid)


@pytest.mark.long
def test_nothing_is_left_of_a_workbench_that_was_killed(
    server: Workbench, has_ended: Callable[[int], bool]
) -> None:
    processes = start_everything(server)
    server.stop(signal.SIGKILL)
    wait_for(lambda: all(map(has_ended, processes)), 10)


@pytest.mark.long
def test_nothing_is_left_of_a_workbench_that_was_ended_twice(
    temporary: Path, server: Workbench, has_ended: Callable[[int], bool]
) -> None:
    with server.events():
        processes = start_everything(server)
        server.process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        server.stop(signal.SIGINT)
    assert all(map(has_ended, processes))
    assert list(temporary.iterdir()) == []
    assert_quiet(server)


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_end_with_open_pages_is_quiet_and_quick(
    server: Workbench, number: signal.Signals
) -> None:
    with server.events(), server.events():
        began = time.monotonic()
        server.stop(number)
        assert time.monotonic() - began < 2
    assert_quiet(server)


def assert_quiet(server: Workbench) -> None:
    """Assert that the terminal of a server shows nothing but how to end it."""
    lines = server.log.read_text().splitlines()
    assert [line for line in lines if "Ctrl-C ends the workbench" not in line] == []


def test_signals_do_not_take_the_end_of_a_process_from_the_event_loop(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def end_them() -> list[int | None]:
        codes = []
        for _ in range(5):
            process = await start_process("platform")
            for _ in range(3000):
                send_signal(process, signal.SIGKILL)
            await end_process(process)
            codes.append(process.returncode)
        return codes

    with caplog.at_level(logging.WARNING):
        codes = asyncio.run(end_them())
    assert [record.getMessage() for record in caplog.records] == []
    assert codes == [-signal.SIGKILL] * 5


def test_a_signal_to_a_process_that_has_ended_reaches_no_other() -> None:
    async def end_twice() -> int | None:
        process = await start_process("platform")
        os.kill(process.pid, signal.SIGKILL)
        await end_process(process)
        send_signal(process, signal.SIGTERM)
        return process.returncode

    assert asyncio.run(end_twice()) == -signal.SIGKILL


@pytest.mark.long
def test_the_command_of_the_page_opens_the_browser(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="the extra [workbench] is not installed")
    text = (PROJECT / "docs/workbench.md").read_text()
    block = re.search(r"^```text\n\$ (harness workbench.*?)\n```$", text, re.MULTILINE)
    assert block
    marker = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$1" > {marker}\n')
    browser.chmod(0o755)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"BROWSER": f"{browser} %s", "PATH": path}
    with subprocess.Popen(
        block[1].split(), cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        wait_for(lambda: marker.exists() and marker.read_text(), 20)
        process.send_signal(2)
        assert process.wait(20) == 130
    assert marker.read_text() == address


@pytest.mark.long
def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    with socket.socket() as other_socket:
        other_socket.bind(("127.0.0.1", 0))
        other_socket.listen()
        port = str(other_socket.getsockname()[1])
        command = [sys.executable, "-m", "harness", "workbench", "--port", port]
        result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 2
    expected = f"harness: --port: port {port}: Address already in use; expected a free port, or 0"
    assert result.stderr.strip() == expected
