"""The end of a worker: its monitor reports it once every process of it is gone."""

import faulthandler
import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.engine import monitor as monitor_module
from harness.engine.monitor import Monitored, run_monitored
from harness.engine.system import processes
from harness.engine.system.processes import fork_to_run
from harness.engine.wire.channel import Connection
from harness.engine.wire.messages import EndReason, EndWorker, MonitorMessage, MonitorReport


@pytest.fixture
def monitor_of_a_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[socket.socket, Path]]:
    """A monitor whose worker has a child, and the file with the id of that child.

    The monitor looks for living processes 20 ms late, so a child that dies meanwhile has ended
    and is not yet reaped.
    """
    note = tmp_path / "pid"
    look = processes.living_descendants

    def look_late(pid: int) -> list[int]:
        time.sleep(0.02)
        return look(pid)

    monkeypatch.setattr(processes, "living_descendants", look_late)
    ours, theirs = socket.socketpair()

    def work(_: object) -> None:
        if not os.fork():
            os.setsid()  # it outlives the worker's process group
            note.write_text(str(os.getpid()))
        time.sleep(60)

    def monitor() -> None:
        ours.close()
        run_monitored(theirs, Monitored(tmp_path / "worker" / "folder", work, ()))
        time.sleep(60)  # what is not reaped stays in the table of processes

    (tmp_path / "worker").mkdir()
    pid = fork_to_run(monitor)
    theirs.close()
    while not (note.exists() and note.read_text()):
        time.sleep(0.01)
    with ours:
        yield ours, note
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_no_process_of_a_worker_is_left_at_the_report(
    monitor_of_a_parent: tuple[socket.socket, Path],
) -> None:
    control, note = monitor_of_a_parent
    control.shutdown(socket.SHUT_WR)
    connection: Connection[MonitorMessage] = Connection(control, MonitorMessage)
    assert any(isinstance(message, MonitorReport) for message in connection.receive_all())
    assert not Path("/proc", note.read_text()).exists()


@pytest.mark.skipif(not processes.visible, reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGKILL])
def test_an_end_that_comes_before_the_request_is_no_requested_end(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker takes milliseconds between the end of its connection and its own end.

    The kernel closes its files first and frees the memory behind them.
    """
    monkeypatch.setattr(monitor_module, "_EXIT_GRACE_S", 0.0)
    control, monitor_control = socket.socketpair()
    ours, theirs = socket.socketpair()

    def work(_: object) -> None:
        with open(os.memfd_create("large"), "wb") as large:  # noqa: PTH123  of a descriptor
            large.write(bytes(2**27))
            faulthandler.disable()
            os.kill(os.getpid(), number)

    def monitor() -> None:
        control.close()
        ours.close()
        worker = Monitored(tmp_path / "worker" / "folder", work, (theirs.fileno(),))
        run_monitored(monitor_control, worker)

    (tmp_path / "worker").mkdir()
    pid = fork_to_run(monitor)
    monitor_control.close()
    theirs.close()
    with control, ours:
        connection: Connection[MonitorMessage] = Connection(control, MonitorMessage)
        assert ours.recv(1) == b""
        connection.send(EndWorker())
        (report,) = (m for m in connection.receive_all() if isinstance(m, MonitorReport))
    os.waitpid(pid, 0)
    assert (report.reason, report.exit_code) == (EndReason.EXITED, -number)
