"""The harness's handles of servers and workers."""

import os
import socket
from contextlib import suppress
from time import monotonic
from typing import Final

from harness.contract.spec import BackendSpec
from harness.engine.guarded_process import GuardedProcess
from harness.engine.limits import MIB, Limits
from harness.engine.system import process_tree
from harness.engine.system.killing import kill, kill_descendants
from harness.engine.wire.channel import SEND_LIMIT_S, ChannelClosed, Connection
from harness.engine.wire.journal import Journal, shared_memory
from harness.engine.wire.messages import (
    CallObserved,
    ForkWorker,
    LoadBackend,
    MonitorMessage,
    MonitorReport,
    MonitorStarted,
    Rest,
    ServerMessage,
    TrialsRequest,
    Watch,
    WorkerMessage,
)


class ServerHandle:
    """A server: a process that has imported one backend and forks its workers.

    Args:
        spec: the configuration.
        hash_seed: the seed of the hashes of texts in its workers.
    """

    def __init__(self, spec: BackendSpec, hash_seed: int = 0) -> None:
        self.spec = spec
        self._workers = 0
        end, server_end = socket.socketpair()
        self.connection: Connection[ServerMessage] = Connection(
            end, ServerMessage, send_limit_s=SEND_LIMIT_S
        )
        with server_end:
            descriptor = server_end.fileno()
            self.process = GuardedProcess(
                "harness.engine.server", (str(descriptor),), (descriptor,), hash_seed=hash_seed
            )
        with suppress(ChannelClosed):  # the end of the server is noticed at the next receive
            self.connection.send(LoadBackend.of(spec))

    def fork(self, core: int | None, memory_limit_mib: int) -> "WorkerHandle":
        """Fork a worker.

        Args:
            core: the core to run on; None for any.
            memory_limit_mib: limit of its address space above the baseline; 0 for no limit.

        Raises:
            ChannelClosed: the server has ended, or does not read.
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
            Connection(control, MonitorMessage, send_limit_s=SEND_LIMIT_S),
            journal,
        )

    def request_end(self) -> None:
        """Have the server end with all its workers; `end` waits for it."""
        self.process.request_end()

    def end(self) -> None:
        """End the server with all its workers and remove its folder."""
        self.connection.close()
        self.process.end()


_REST_ALLOWANCE_S: Final = 0.001
"""CPU time in seconds that a worker may use in a rest: more than it takes to end a request and to
wait for the next one."""
_REST_SHARE: Final = 0.05
"""The share of a rest that it may use besides, for threads of a library that look for work."""
_REST_LIMIT_S: Final = 0.05
"""CPU time in seconds beyond these allowances, in all rests together, that shows that a worker
computes while it has no request."""


class WorkerHandle:
    """A worker with its monitor and its journal."""

    def __init__(
        self,
        backend: str,
        memory_limit_mib: int,
        connection: Connection[WorkerMessage],
        control: Connection[MonitorMessage],
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
        self.observed: CallObserved | None = None
        """The last observation of a running call in the present request."""
        self._watched: Limits | None = None
        """The limits that the monitor enforces; None while the worker rests."""
        self._monitor: int | None = None
        self._worker: int | None = None
        self._rest: tuple[float, float] | None = None
        self._used_in_rests_s = 0.0

    def send(self, request: TrialsRequest, limits: Limits) -> None:
        """Send a request; a worker that has ended or does not read is noticed later."""
        self.observed = self._rest = None
        with suppress(ChannelClosed):
            if limits != self._watched:  # each message wakes the monitor
                self._watched = limits
                self.control.send(Watch(limits))
            self.connection.send(request)

    def request_end(self) -> None:
        """Have the monitor end the worker; its report follows."""
        self.control.finish_sending()

    def receive_report(self) -> MonitorReport | None:
        """The monitor's report, if it has come; call it when `control` is readable.

        Raises:
            ChannelClosed: the monitor was killed.
            ChannelBroken: it sent something else.
        """
        for message in self.control.receive(wait=False):
            match message:
                case MonitorStarted():
                    self._monitor, self._worker = message.monitor, message.worker
                case CallObserved():
                    self.observed = message
                case MonitorReport():
                    return message
        return None

    @property
    def is_started(self) -> bool:
        """Whether its monitor has reported that it has forked the worker."""
        return self._monitor is not None

    @property
    def is_monitor_stopped(self) -> bool:
        """Whether a signal has stopped its monitor."""
        return self._monitor is not None and process_tree.is_stopped(self._monitor)

    def kill(self) -> None:
        """Kill the monitor, the worker and all its descendants; their folder stays."""
        if self._monitor is not None:
            kill_descendants(self._monitor)
            kill(self._monitor)

    def left_running(self) -> list[str]:
        """The names of the programs that the worker has started and that are running."""
        if self._monitor is None or self._worker is None:
            return []
        below = process_tree.children(self._monitor) + process_tree.children(self._worker)
        return [
            process_tree.name(pid)
            for pid in below
            if pid != self._worker and process_tree.is_alive(pid)
        ]

    def rest(self) -> None:
        """The worker gets no request for a while: account for what it uses without one."""
        if self._watched is None:
            return
        self._watched = None
        with suppress(ChannelClosed):  # the monitor's end is noticed at the next poll
            self.control.send(Rest())
        self._rest = (monotonic(), self._cpu_s())

    def computes_in_rests(self) -> bool:
        """Whether the worker has used much CPU time while it had no request."""
        if self._rest is None:
            return False
        (since, before), self._rest = self._rest, (monotonic(), self._cpu_s())
        allowance = _REST_ALLOWANCE_S + _REST_SHARE * (self._rest[0] - since)
        self._used_in_rests_s += max(0.0, self._rest[1] - before - allowance)
        return self._used_in_rests_s > _REST_LIMIT_S

    def _cpu_s(self) -> float:
        if self._worker is None:
            return 0.0
        return process_tree.cpu_clock(self._worker) or 0.0

    def close(self) -> None:
        """Close all connections; the monitor ends a worker that is still alive."""
        self.control.close()
        self.journal.close()
        self.connection.close()
