"""The end of a worker: its monitor reports it once every process of it is gone."""

import faulthandler
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.engine import monitor as monitor_module
from harness.engine.monitor import Monitored, run_monitored
from harness.engine.system import processes
from harness.engine.system.processes import fork_to_run
from harness.engine.wire.channel import Connection
from harness.engine.wire.messages import EndReason, EndWorker, MonitorMessage, MonitorReport


@contextmanager
def monitored(
    folder: Path, work: Callable[[object], None], *descriptors: int
) -> Iterator[Connection[MonitorMessage]]:
    """The connection to the monitor of a worker."""
    ours, theirs = socket.socketpair()

    def monitor() -> None:
        ours.close()
        run_monitored(theirs, Monitored(folder / "worker" / "folder", work, descriptors))
        time.sleep(60)  # what is not reaped stays in the table of processes

    (folder / "worker").mkdir()
    pid = fork_to_run(monitor)
    theirs.close()
    with ours:
        yield Connection(ours, MonitorMessage)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def report_from(connection: Connection[MonitorMessage]) -> MonitorReport:
    return next(m for m in connection.receive_all() if isinstance(m, MonitorReport))


def test_no_process_of_a_worker_is_left_at_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The monitor looks for living processes 20 ms late.

    So a child that dies meanwhile has ended and is not yet reaped.
    """
    note = tmp_path / "pid"
    look = processes.living_descendants

    def look_late(pid: int) -> list[int]:
        time.sleep(0.02)
        return look(pid)

    def work(_: object) -> None:
        if not os.fork():
            os.setsid()  # it outlives the worker's process group
            note.write_text(str(os.getpid()))
        time.sleep(60)

    monkeypatch.setattr(processes, "living_descendants", look_late)
    with monitored(tmp_path, work) as connection:
        while not (note.exists() and note.read_text()):
            time.sleep(0.01)
        connection._socket.shutdown(socket.SHUT_WR)
        report_from(connection)
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
    ours, theirs = socket.socketpair()

    def work(_: object) -> None:
        with open(os.memfd_create("large"), "wb") as large:  # noqa: PTH123  of a descriptor
            large.write(bytes(2**27))
            faulthandler.disable()
            os.kill(os.getpid(), number)

    with ours, monitored(tmp_path, work, theirs.fileno()) as connection:
        theirs.close()
        assert ours.recv(1) == b""
        connection.send(EndWorker())
        report = report_from(connection)
    assert (report.reason, report.exit_code) == (EndReason.EXITED, -number)
