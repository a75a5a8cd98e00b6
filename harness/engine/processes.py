"""The harness's handles of servers and workers."""

import os
import shutil
import socket
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final

from harness.contract.spec import BackendSpec
from harness.engine.limits import MIB, Limits
from harness.engine.system.child_environment import start_module
from harness.engine.wire.channel import SEND_LIMIT_S, ChannelClosed, Connection
from harness.engine.wire.journal import Journal, shared_memory
from harness.engine.wire.messages import (
    ForkWorker,
    LoadBackend,
    MonitorReport,
    ServerMessage,
    TrialsRequest,
    WorkerMessage,
)

_EXIT_LIMIT_S: Final = 5.0
"""Seconds to wait for a server to exit before it is killed. It waits for its monitors, which
kill and remove within milliseconds; seconds allow for a machine under load."""


_OUTPUT_BYTES: Final = 10_000
"""Bytes of a server's output that are read, from its end: the last line of a traceback."""


class ServerHandle:
    """A server: a process that has imported one backend and forks its workers."""

    def __init__(self, spec: BackendSpec) -> None:
        self.spec = spec
        self.started_at = monotonic()
        self._folder = Path(tempfile.mkdtemp(prefix="harness-"))
        self._output = self._folder / "output"
        self._workers = 0
        end, server_end = socket.socketpair()
        self.connection: Connection[ServerMessage] = Connection(end, ServerMessage)
        with server_end, self._output.open("wb") as output:
            self._process = start_module(
                "harness.engine.server",
                (str(server_end.fileno()), str(self._folder), str(os.getpid())),
                self._folder,
                descriptors=(server_end.fileno(),),
                stdout=output,
                stderr=output,
            )
        with suppress(ChannelClosed):  # the end of the server is noticed at the next receive
            self.connection.send(LoadBackend.of(spec))

    def fork(self, core: int | None, memory_limit_mib: int) -> "WorkerHandle":
        """Fork a worker.

        Args:
            core: the core to run on; None for any.
            memory_limit_mib: limit of its address space above the baseline; 0 for no limit.

        Raises:
            ChannelClosed: the server has ended.
        """
        self._workers += 1
        address_space_bytes = memory_limit_mib * MIB or None
        request = ForkWorker(f"worker-{self._workers}", core, address_space_bytes)
        end, worker_end = socket.socketpair()
        control, monitor_end = socket.socketpair()
        memory = shared_memory()
        journal = Journal(memory)
        try:
            descriptors = (worker_end.fileno(), memory, monitor_end.fileno())
            self.connection.send(request, descriptors)
        except ChannelClosed:
            end.close()
            control.close()
            journal.close()
            raise
        finally:
            worker_end.close()
            monitor_end.close()
            os.close(memory)
        return WorkerHandle(
            self.spec.label,
            memory_limit_mib,
            Connection(end, WorkerMessage, send_limit_s=SEND_LIMIT_S),
            Connection(control, MonitorReport),
            journal,
        )

    def wait(self) -> tuple[int, str]:
        """Wait for a server that has closed its connection; its exit code and last output."""
        code = self._wait_or_kill()
        with suppress(OSError), self._output.open("rb") as output:
            output.seek(max(0, self._output.stat().st_size - _OUTPUT_BYTES))
            return code, output.read(_OUTPUT_BYTES).decode(errors="replace").strip()
        return code, ""

    def request_end(self) -> None:
        """Have the server end with all its workers; `end` waits for it."""
        self.connection.shut_down()

    def end(self) -> None:
        """End the server with all its workers and remove its folder."""
        self.connection.close()
        self._wait_or_kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _wait_or_kill(self) -> int:
        try:
            return self._process.wait(_EXIT_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


class WorkerHandle:
    """A worker with its monitor and its journal."""

    def __init__(
        self,
        backend: str,
        memory_limit_mib: int,
        connection: Connection[WorkerMessage],
        control: Connection[MonitorReport],
        journal: Journal,
    ) -> None:
        self.backend = backend
        self.memory_limit_mib = memory_limit_mib
        """Limit of its address space above the baseline; 0 for no limit."""
        self.connection = connection
        """The connection to the worker."""
        self.control = control
        """The connection to its monitor."""
        self.journal = journal
        """The memory into which it writes ordinary outcomes."""
        self._limits = Limits()

    def set_limits(self, limits: Limits) -> None:
        """Have the monitor enforce these limits from now on."""
        if limits != self._limits:
            self._limits = limits
            with suppress(ChannelClosed):  # the monitor's end is noticed at the next poll
                self.control.send(limits)

    def send(self, request: TrialsRequest) -> None:
        """Send a request; a worker that has ended or does not read is noticed later."""
        with suppress(ChannelClosed):
            self.connection.send(request)

    def request_end(self) -> None:
        """Have the monitor end the worker; its report follows."""
        self.control.finish_sending()

    def wait_for_report(self) -> MonitorReport:
        """The monitor's report; call it when `control` is readable.

        Raises:
            ChannelClosed: the monitor was killed.
            ChannelBroken: it sent something else.
        """
        while True:
            for report in self.control.receive():
                return report

    def close(self) -> None:
        """Close all connections; the monitor ends a worker that is still alive."""
        self.control.close()
        self.journal.close()
        self.connection.close()
