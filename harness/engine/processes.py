"""The harness's handles of guards, servers and workers."""

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any, Final

from harness.base.child import SINGLE_THREADED, absolute, describe_exit, signals_held, start_module
from harness.base.errors import OptionError
from harness.base.interruption import interruptible
from harness.base.text import last_line
from harness.contract import BackendSpec, Description, Environment, Unavailable, environments
from harness.engine import wire
from harness.engine.guard import EndLeftovers, GuardedEnded, LeftoversEnded
from harness.engine.system import Cgroup, OutputFile, processes, remove_folder
from harness.records import Configuration, Ending, Outcome, Question, WorkerEvent

# The harness's handle of a guard, with the process below it and their folder.


EXIT_LIMIT_S: Final = 5.0
"""Seconds to wait for a guard to exit before it is killed. It kills within milliseconds and
removes a large folder within seconds; the harness removes what is left."""
REPORT_LIMIT_S: Final = 10.0
"""Seconds for a monitor to report after the request to end its worker. It takes up to 6
seconds if a process does not die or a folder is large, otherwise milliseconds."""
_LOOK_EVERY_S: Final = 0.5
"""Seconds between two checks of a guard that has not exited: far longer than an exit takes."""


class GuardedProcess:
    """A guard and the process that it guards, in a folder of their own.

    Args:
        module: the module that the guard runs; its `main` reads `GuardArguments` from the
            command line.
        words: what the process needs besides, as text.
        messages: for each connection to the process, the type of the messages that arrive here.
        hash_seed: the seed for its string hashes.
        environment: the environment whose Python runs both; by default the harness's Python does.

    Raises:
        Unavailable: the Python of the environment does not start.
    """

    def __init__(
        self,
        module: str,
        words: str,
        *messages: Any,
        hash_seed: int = 0,
        environment: Environment | None = None,
    ) -> None:
        self.started_at = monotonic()
        self.folder = Path(tempfile.mkdtemp(prefix="harness-"))
        self._output = OutputFile(self.folder)
        self._group = Cgroup.create(self.folder.name)
        pairs = [wire.Connection.pair(kind) for kind in (LeftoversEnded | GuardedEnded, *messages)]
        self._control: wire.Connection[LeftoversEnded | GuardedEnded]
        self._control, *self.connections = (connection for connection, _ in pairs)
        descriptors = [end.fileno() for _, end in pairs]
        group = self._group.folder if self._group else ""
        guarding = (descriptors[0], self.folder, os.getpid(), group, words, *descriptors[1:])
        try:
            if environment:
                environment.note_use()
            self._process = start_module(
                module,
                [str(argument) for argument in guarding],
                dies_by=0,  # the guard cleans up first
                interpreter=environment.interpreter if environment else None,
                folder=self.folder,
                environment=_environment(self.folder, hash_seed),
                descriptors=descriptors,
                stdout=self._output.fileno(),
                stderr=self._output.fileno(),
            )
        except OSError as error:
            self._release()
            if environment is None:
                raise
            reason = f"the Python of its environment does not start: {error.strerror}"
            raise Unavailable(reason, environment.spec.install_command) from None
        finally:
            for _, end in pairs:
                end.close()

    @property
    def output(self) -> str:
        """The end of the output of the process, of its guard and of its monitors."""
        return self._output.tail()

    @property
    def is_stopped(self) -> bool:
        """Whether a signal has stopped the guard or the process that it guards."""
        pid = self._process.pid
        return any(map(processes.is_stopped, (pid, *processes.children(pid))))

    def end_leftovers(self, *, below: bool) -> list[str]:
        """Have the guard end processes that were left behind; return their names.

        Args:
            below: whether the descendants of the guarded process are among them.
        """
        with suppress(wire.ChannelClosed):
            self._control.send(EndLeftovers(below))
        for message in self._messages():
            if isinstance(message, LeftoversEnded):
                return message.names
        return []

    def wait(self) -> int:
        """Wait for a process that has closed its connection; return its exit code."""
        for message in self._messages():
            if isinstance(message, GuardedEnded):
                return message.exit_code
        with suppress(subprocess.TimeoutExpired):  # the guard itself has ended
            return self._process.wait(_LOOK_EVERY_S)
        return -signal.SIGKILL

    def _messages(self) -> Iterator[LeftoversEnded | GuardedEnded]:
        """Messages of the guard, as long as each arrives within its limit."""
        with suppress(wire.ChannelClosed, wire.ChannelBroken):
            while self._awaits(self._control.wait_readable):
                yield from self._control.receive(wait=False)

    def _awaits(self, happens: Callable[[float], bool]) -> bool:
        """Whether something happens within the limit of the guard; False once it is stopped.

        Args:
            happens: waits for it for the given number of seconds.
        """
        deadline = monotonic() + EXIT_LIMIT_S
        while monotonic() < deadline:
            if happens(_LOOK_EVERY_S):
                return True
            if processes.is_stopped(self._process.pid):
                return False
        return False

    def request_end(self) -> None:
        """Have the guard end everything; `end` waits for it."""
        self._control.shut_down()

    def end(self) -> None:
        """End the process and everything below its guard, and remove their folder."""
        self._control.shut_down()
        if not self._awaits(self._has_exited):
            self.kill()
        self._release()

    def kill(self) -> None:
        """Kill a guard that does not end, and everything below it."""
        if self._group:
            self._group.kill()
        processes.kill_descendants(self._process.pid)
        self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            # Only a process that waits for a disk or a network file system takes longer; it is left
            # to the system.
            self._process.wait(5.0)

    def _release(self) -> None:
        if self._group:  # the guard may have been killed before it ended the group
            self._group.kill()
            self._group.remove()
        for connection in (self._control, *self.connections):
            connection.close()
        self._output.close()
        remove_folder(self.folder)

    def _has_exited(self, seconds: float) -> bool:
        """Whether the guard exits within this time."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
            return True
        return False


_MOST_PADDING: Final = 4096
"""Bytes of a page of memory, beyond which the place of the stack in its page repeats."""


def _environment(folder: Path, hash_seed: int) -> dict[str, str]:
    """The environment variables of processes that import backends, with `folder` as ``TMPDIR``."""
    own = {"TMPDIR": str(folder), "PYTHONHASHSEED": str(hash_seed)}
    if hash_seed:
        # A longer environment moves the stack, which changes times (Mytkowicz et al., "Producing
        # wrong data without doing anything obviously wrong", 2009).
        own["HARNESS_PADDING"] = "x" * Random(hash_seed).randrange(_MOST_PADDING)  # noqa: S311
    environment = os.environ | SINGLE_THREADED | own
    if path := os.environ.get("PYTHONPATH"):
        environment["PYTHONPATH"] = os.pathsep.join(absolute(path.split(os.pathsep)))
    return environment


# The outcome of a trial whose worker has ended.


_OUT_OF_MEMORY_SIGNALS: Final = frozenset(
    {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGKILL}
)
"""Signals that end a process that was refused memory: a null pointer, an abort after
``bad_alloc``, a mapping without a page, the kernel's out-of-memory killer."""
_COMPLAINT: Final = re.compile(
    r"^.*(?:check failed|assert|fatal|terminate called|panicked at).*", re.IGNORECASE | re.MULTILINE
)
"""The line in which a crash gives its reason; a stack dump may follow it."""


def outcome_of(report: wire.MonitorReport, question: Question) -> Outcome:
    """The outcome of the trial that a worker was running when it ended."""
    wall_s = None if report.started_at is None else report.ended_at - report.started_at
    match report.reason:
        case wire.EndReason.WALL_TIME:
            ending, detail = Ending.TIME_LIMIT, f"killed after {wall_s or 0:.3f} s"
            if wall_s is None:
                detail = "killed after its limit, without a sign of its trial"
            elif report.is_reporting:
                detail += ": its call had ended, but its answer could not be read"
        case wire.EndReason.CPU_TIME:
            ending = Ending.TIME_LIMIT
            detail = f"killed after {report.cpu_s or 0:.3f} s of CPU time"
        case wire.EndReason.MEMORY:
            resident = (report.resident_bytes or 0) // wire.MIB
            ending, detail = Ending.MEMORY_LIMIT, f"killed with {resident} MiB of resident memory"
        case wire.EndReason.STANDSTILL:
            stood_still = f"{report.stood_still_s:.1f} s"
            ending, detail = Ending.EXITED, f"all processes stood still for {stood_still}"
        case wire.EndReason.REQUESTED:
            ending, detail = Ending.EXITED, "closed its connection to the harness"
        case wire.EndReason.EXITED:
            ending, detail = Ending.EXITED, f"the process {describe_exit(report.exit_code)}"
            if _ran_out_of_memory(report, question):
                ending = Ending.MEMORY_LIMIT
    if ending is not Ending.TIME_LIMIT and (output := report.output.strip()):
        complaint = _COMPLAINT.search(output)
        detail = f"{output}\n{detail}: {last_line(complaint[0] if complaint else output)}"
    return Outcome(
        ending=ending,
        detail=detail,
        wall_s=wall_s,
        cpu_s=report.cpu_s,
        cpu_source="" if report.cpu_s is None else "sampled",
        memory_bytes=report.resident_bytes,
        memory_source="" if report.resident_bytes is None else "sampled",
        exit_code=report.exit_code,
    )


def _ran_out_of_memory(report: wire.MonitorReport, question: Question) -> bool:
    """Whether a process under a memory limit was killed for lack of memory.

    Libraries that are refused memory crash or abort. Such an end counts as a lack of memory
    if the output mentions memory or half of the limit was in use.
    """
    if not question.memory_limit_mib or -report.exit_code not in _OUT_OF_MEMORY_SIGNALS:
        return False
    output = report.output.lower()
    if any(text in output for text in ("bad_alloc", "memory")):
        return True
    return (report.resident_bytes or 0) > question.memory_limit_mib * wire.MIB // 2


# The harness's handles of servers and workers.


class ServerHandle:
    """A server: a process that has imported one backend and forks its workers.

    Args:
        spec: the configuration.
        hash_seed: the seed for string hashes in its workers.
        prepares: whether it compiles what its backend needs; otherwise it forks no workers.

    Raises:
        Unavailable: its environment is not installed, or its Python does not start.
    """

    def __init__(self, spec: BackendSpec, hash_seed: int = 0, *, prepares: bool = True) -> None:
        self._environment = environment = environments.find(spec)
        self.spec = spec
        self.has_loaded = False
        """Whether it is known to have loaded its backend."""
        self.limit_s = START_UP_LIMIT_S
        """Seconds that it may take to load its backend."""
        self._workers = 0
        self.process = GuardedProcess(
            "harness.engine.server",
            "",
            wire.ServerMessage,
            hash_seed=hash_seed,
            environment=environment,
        )
        self.connection: wire.Connection[wire.ServerMessage] = self.process.connections[0]
        with suppress(wire.ChannelClosed):  # the end of the server is noticed at the next receive
            self.connection.send(wire.LoadBackend.from_spec(spec, environment, prepares=prepares))

    def fork(
        self,
        core: int | None,
        memory_limit_mib: int,
        control: wire.Connection[wire.MonitorMessage] | None = None,
    ) -> "WorkerHandle":
        """Fork a worker.

        Args:
            core: the core to run on; None for any.
            memory_limit_mib: limit of its address space above the baseline; 0 for no limit.
            control: the connection to a monitor that waits for its next worker. Without it, or
                if that monitor was killed, the server forks a new monitor.

        Raises:
            ChannelClosed: the server has ended, or does not read.
        """
        self._workers += 1
        address_space_bytes = memory_limit_mib * wire.MIB or None
        request = wire.ForkWorker(f"worker-{self._workers}", core, address_space_bytes)
        connection, worker_end = wire.Connection.pair(wire.WorkerMessage)
        memory = wire.Journal.new_memory()
        journal = wire.Journal(memory)
        try:
            descriptors = (worker_end.fileno(), memory)
            if control is not None:
                try:
                    control.send(request, descriptors)
                except wire.ChannelClosed:  # the monitor was killed
                    control.close()
                    control = None
            if control is None:
                control = self._fork_monitor(request, descriptors)
        except wire.ChannelClosed:
            connection.close()
            journal.close()
            raise
        finally:
            worker_end.close()
            os.close(memory)
        return WorkerHandle(self.spec.label, memory_limit_mib, connection, control, journal)

    def _fork_monitor(
        self, request: wire.ForkWorker, descriptors: Sequence[int]
    ) -> wire.Connection[wire.MonitorMessage]:
        """Have the server fork a monitor that forks the worker; return the connection to it."""
        control, monitor_end = wire.Connection.pair(wire.MonitorMessage)
        with monitor_end:
            try:
                self.connection.send(request, (*descriptors, monitor_end.fileno()))
            except wire.ChannelClosed:
                control.close()
                raise
        return control

    def differs(self, description: Description) -> str:
        """How the package in its environment differs from the record; empty if it does not.

        Args:
            description: the backend, as the server describes it.
        """
        if self._environment is None:
            return ""
        package, version = self._environment.package, self._environment.version
        has = description.distributions.get(package, version)
        if has == version:
            return ""
        return f"its environment is damaged: it has {package} {has}, not {version}"

    def end(self) -> None:
        """End the server with all its workers and remove its folder."""
        self.connection.close()
        if not self.has_loaded:  # there may be no guard yet that reads a request
            self.process.kill()
        self.process.end()


_REST_ALLOWANCE_S: Final = 0.001
"""CPU time in seconds that a worker may use in a rest: more than it takes to end a request and to
start waiting for the next one."""
_REST_SHARE: Final = 0.05
"""The share of a rest that it may use in addition, for threads of a library that poll for work."""
_REST_LIMIT_S: Final = 0.05
"""CPU time in seconds beyond these allowances, summed over all rests, above which a worker counts
as computing while it has no request."""


@dataclass(eq=False)
class WorkerHandle:
    """A worker with its monitor and its journal."""

    backend: str
    """The label of its backend."""
    memory_limit_mib: int
    """Limit of its address space above the baseline; 0 for no limit."""
    connection: wire.Connection[wire.WorkerMessage]
    """The connection to the worker."""
    control: wire.Connection[wire.MonitorMessage]
    """The connection to its monitor."""
    journal: wire.Journal
    """The memory into which it writes ordinary outcomes."""
    observed: wire.CallObserved | None = None
    """The last observation of a running call in the present request."""
    _watched: wire.Limits | None = None
    """The limits that the monitor enforces; None while the worker rests."""
    _monitor: int | None = None
    _worker: int | None = None
    _rest: tuple[float, float] | None = None
    _used_in_rests_s: float = 0.0

    def send(self, request: wire.TrialsRequest, limits: wire.Limits) -> None:
        """Send a request; a worker that has ended or does not read is noticed later."""
        self.observed = self._rest = None
        with suppress(wire.ChannelClosed):
            if limits != self._watched:  # each message wakes the monitor
                self._watched = limits
                self.control.send(wire.WatchTrials(limits))
            self.connection.send(request)

    def request_end(self, *, is_dying: bool = False) -> None:
        """Have the monitor end the worker; its report follows.

        Args:
            is_dying: whether the worker has closed its connection, as a dying process does.
        """
        with suppress(wire.ChannelClosed):  # the monitor was killed, which the next poll shows
            self.control.send(wire.EndWorker(is_dying))

    def receive_report(self) -> wire.MonitorReport | None:
        """The monitor's report, None until it arrives; call this when `control` is readable.

        Raises:
            ChannelClosed: the monitor was killed.
            ChannelBroken: the bytes are not messages of a monitor.
        """
        for message in self.control.receive(wait=False):
            match message:
                case wire.MonitorStarted():
                    self._monitor, self._worker = message.monitor, message.worker
                case wire.CallObserved():
                    self.observed = message
                case wire.MonitorReport():
                    return message
        return None

    @property
    def is_started(self) -> bool:
        """Whether its monitor has reported that it has forked the worker."""
        return self._monitor is not None

    @property
    def is_monitor_stopped(self) -> bool:
        """Whether a signal has stopped its monitor."""
        return self._monitor is not None and processes.is_stopped(self._monitor)

    def kill(self) -> None:
        """Kill the monitor, the worker and all its descendants; their folder stays."""
        if self._monitor is not None:
            processes.kill_descendants(self._monitor)
            processes.kill(self._monitor)

    def left_running(self) -> list[str]:
        """The names of the programs that the worker has started and that are still running."""
        if self._monitor is None or self._worker is None:
            return []
        below = processes.children(self._monitor) + processes.children(self._worker)
        return [
            processes.name(pid) for pid in below if pid != self._worker and processes.is_alive(pid)
        ]

    def rest(self) -> None:
        """Record that the worker is idle, and how much CPU time it has used until now."""
        if self._watched is None:
            return
        self._watched = None
        with suppress(wire.ChannelClosed):  # the monitor's end is noticed at the next poll
            self.control.send(wire.Rest())
        self._rest = (monotonic(), self._cpu_s())

    def computes_in_rests(self) -> bool:
        """Whether the worker has used more CPU time without a request than it may."""
        if self._rest is None:
            return False
        (since, before), self._rest = self._rest, (monotonic(), self._cpu_s())
        allowance = _REST_ALLOWANCE_S + _REST_SHARE * (self._rest[0] - since)
        self._used_in_rests_s += max(0.0, self._rest[1] - before - allowance)
        return self._used_in_rests_s > _REST_LIMIT_S

    def _cpu_s(self) -> float:
        if self._worker is None:
            return 0.0
        return processes.cpu_clock(self._worker) or 0.0

    def close(self, *, keep_monitor: bool = False) -> None:
        """Close all connections; the monitor ends a worker that is still alive, and itself.

        Args:
            keep_monitor: whether the connection to the monitor stays open.
        """
        if not keep_monitor:
            self.control.close()
        self.journal.close()
        self.connection.close()


# The servers of all configurations of a run.


START_UP_LIMIT_S: Final = 120.0
"""Seconds that a process may take to load its backend. The slowest known import takes a few
seconds; two minutes allow for a machine under load."""
_PREPARATION_LIMIT_S: Final = 900.0
"""The same for a process that has reported work before that, such as compiling, which takes a
minute or two on one core."""

SERVER_ENDED: Final = "its server ended"
_KILLS: Final = (signal.SIGKILL, signal.SIGTERM)
"""The signals that other programs or a kernel out of memory send; a crash has other signals."""


def programs(names: Sequence[str]) -> str:
    """``2 processes running (cbc, sleep)``."""
    number = f"{len(names)} process{'' if len(names) == 1 else 'es'}"
    # Five names are enough to find the cause, and few enough for a line.
    return f"{number} running ({', '.join(sorted(set(names))[:5])})"


class ServerPool:
    """One server for each configuration; closing the pool ends all of them.

    Args:
        specs: the configurations, with locators as `registry.resolve` returns them.
        notice: called with a line before a backend prepares for seconds.
        report: called with each event.
        hash_seed: the seed for string hashes in all workers.
    """

    def __init__(
        self,
        specs: Sequence[BackendSpec],
        notice: Callable[[str], None],
        report: Callable[[WorkerEvent], None],
        hash_seed: int = 0,
    ) -> None:
        self._hash_seed, self._process = hash_seed, 1
        self._specs = {spec.label: spec for spec in specs}
        self._notice = notice
        self._report = report
        self._servers: dict[str, ServerHandle] = {}
        self._replaced: set[str] = set()

    def load(self, *, refusals: bool = False, prepares: bool = True) -> list[Configuration]:
        """Start all servers side by side and wait until each has loaded its backend.

        Args:
            refusals: whether options that a backend does not accept make it unavailable.
            prepares: whether backends compile what they need; otherwise they are only described.

        Raises:
            InputError: a backend does not exist or does not accept its options.
        """
        configurations: dict[str, Configuration] = {}
        # A Python that hangs at its start would not notice the end of this process.
        with interruptible():
            for label, spec in self._specs.items():
                try:
                    self._start(label, prepares=prepares)
                except Unavailable as error:
                    configurations[label] = Configuration(
                        spec, None, {}, error.reason, error.remedy
                    )
            while loading := [label for label in self._specs if label not in configurations]:
                servers = [self._servers[label] for label in loading]  # one may have been replaced
                connections = [server.connection for server in servers]
                readable = wire.Connection.readable(connections, 1.0)
                for label, server in zip(loading, servers, strict=True):
                    try:
                        configuration = self._poll(
                            server, is_readable=server.connection in readable
                        )
                    except OptionError as error:
                        if not refusals:
                            raise
                        configuration = Configuration(server.spec, None, {}, str(error))
                    if configuration:
                        configurations[label] = configuration
                        if configuration.unavailable:
                            self._servers.pop(label).end()
        return [configurations[label] for label in self._specs]

    def renew(self, process: int) -> list[Configuration]:
        """End all servers and load their backends in new ones; those that failed before stay away.

        String hashes and the sizes of the environment and so of the stack differ from process to
        process, and are the same for each process with this number.
        """
        self._specs = {label: self._specs[label] for label in self._servers}
        self.close()
        self._process = process
        return self.load(refusals=True)

    def fork(
        self,
        label: str,
        core: int | None,
        memory_limit_mib: int,
        control: wire.Connection[wire.MonitorMessage] | None = None,
    ) -> WorkerHandle:
        """Fork a worker as `ServerHandle.fork`; a server that was killed is replaced first.

        Raises:
            Unavailable: its environment was removed.
        """
        started_at = monotonic()
        try:
            worker = self._servers[label].fork(core, memory_limit_mib, control)
        except wire.ChannelClosed:
            self.replace(label, SERVER_ENDED)
            worker = self._servers[label].fork(core, memory_limit_mib)
        self._report(WorkerEvent(label, "forked", "", monotonic() - started_at))
        return worker

    def server(self, label: str) -> ServerHandle:
        """The server of a configuration."""
        return self._servers[label]

    def replace(self, label: str, why: str) -> None:
        """End a server with all its workers, and start another one.

        Raises:
            Unavailable: its environment was removed.
        """
        self._report(WorkerEvent(label, "replaced", f"{why}; another one took over"))
        self._replaced.add(label)
        self._servers.pop(label).end()
        self._start(label)

    def _start(self, label: str, *, prepares: bool = True) -> None:
        with signals_held():
            hash_seed = (self._hash_seed + self._process - 1) % 2**32
            server = ServerHandle(self._specs[label], hash_seed, prepares=prepares)
            self._servers[label] = server

    def close(self) -> None:
        """End all servers with all their workers."""
        for server in self._servers.values():
            server.process.request_end()
        while self._servers:
            self._servers.popitem()[1].end()

    def _poll(self, server: ServerHandle, *, is_readable: bool) -> Configuration | None:
        """The configuration if the server has loaded or failed; None while it is loading."""
        try:
            for message in server.connection.receive() if is_readable else ():
                if not isinstance(message, wire.Preparing):
                    return self._configuration(server.spec, message)
                self._notice(message.work)
                server.limit_s = _PREPARATION_LIMIT_S
        except wire.ChannelClosed:
            code = server.process.wait()
            if -code in _KILLS and server.spec.label not in self._replaced:
                self.replace(server.spec.label, SERVER_ENDED)
                return None
            last = last_line(server.process.output)
            reason = f"its process {describe_exit(code)}{f': {last}' if last else ''}"
        except wire.ChannelBroken as error:
            reason = f"it wrote to the server's connection: {error}"
        else:
            if monotonic() - server.process.started_at <= server.limit_s:
                return None
            reason = f"not loaded after {server.limit_s:.0f} s"
        self._report(WorkerEvent(server.spec.label, "died", reason))
        return Configuration(server.spec, None, {}, reason, environments.remedy_of(server.spec))

    def _configuration(
        self, spec: BackendSpec, message: wire.Ready | wire.Refused
    ) -> Configuration:
        if isinstance(message, wire.Ready):
            server = self._servers[spec.label]
            if differs := server.differs(message.description):
                remedy = environments.remedy_of(spec)
                return Configuration(spec, message.description, {}, differs, remedy)
            server.has_loaded = True
            self._report(WorkerEvent(spec.label, "imported", "", message.seconds))
            if leftovers := server.process.end_leftovers(below=True):
                detail = f"its import left {programs(leftovers)}, ended by the harness"
                self._report(WorkerEvent(spec.label, "left running", detail))
            return Configuration(spec, message.description, message.options)
        if message.kind is not wire.Refusal.UNAVAILABLE:
            raise message.error()
        remedy = environments.remedy_of(spec, message.remedy)
        return Configuration(spec, message.description, {}, message.reason, remedy)
