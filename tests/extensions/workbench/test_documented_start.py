"""The command of the documentation starts the workbench and opens it in the browser."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.extensions.workbench.server import wait_for


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
