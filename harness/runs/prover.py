"""The harness's side of a prover: starts its process, and receives proofs."""

import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from time import monotonic
from typing import Any, Final

import msgspec
from msgspec import Struct

from harness.contract import registry
from harness.contract.options import BackendSpec
from harness.engine.processes import START_UP_LIMIT_S, GuardedProcess, outcome_of
from harness.engine.wire.channel import SEND_LIMIT_S, ChannelBroken, ChannelClosed, Connection
from harness.engine.wire.messages import (
    MIB,
    Done,
    EndReason,
    Limits,
    LoadBackend,
    MonitorMessage,
    MonitorReport,
    Preparing,
    Refusal,
    Refused,
    Watch,
)
from harness.errors import BackendUnavailableError
from harness.proofs.certificate import LARGEST_BYTES
from harness.puzzles.puzzle import Grid, Puzzle, values_of_line
from harness.puzzles.shape import VALUES
from harness.records.question import Question, Start, Task

# Messages between the harness and the process of a prover.


PIECE: Final = 2**20
"""Characters of a text in one message."""


class ProverArguments(Struct, frozen=True, forbid_unknown_fields=True):
    """The argument of the process."""

    backend: LoadBackend
    memory_limit_mib: int
    """0 for no limit."""
    control: int
    """The descriptor of the monitor's connection to the harness."""
    connection: int
    """The descriptor of the worker's connection to the harness."""


class ProofRequest(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Harness to worker: prove the number of solutions of a puzzle."""

    shape: str
    puzzle: str
    limit: int


class ProverLoaded(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Worker to harness: the backend is loaded."""

    versions: str
    """The installed versions of its packages."""


class SolutionsFound(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Worker to harness: some of the solutions, as lines without anything between."""

    lines: str


class StepsWritten(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Worker to harness: a piece of the text of the proof."""

    text: str


class ProofEnded(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Worker to harness: solutions and proof are complete, or there are none."""

    complete: bool
    failure: str = ""
    """Why there is no proof; empty if there is one."""
    unsupported: bool = False
    """Whether the backend writes no proofs for this puzzle or with these options."""


ProverMessage = Preparing | Refused | ProverLoaded | SolutionsFound | StepsWritten | ProofEnded
ProverRequest = ProofRequest | Done


# The harness's side of a prover: starts its process, and receives proofs.


_LOOK_EVERY_S: Final = 1.0
"""Seconds between two looks whether a signal has stopped the monitor."""
_REPORT_LIMIT_S: Final = 10.0
"""Seconds for a monitor to report, after it was requested to end its worker."""
_MOST_PROVABLE: Final = 2**62
"""More solutions than any proof can list."""


@dataclass(frozen=True, slots=True)
class Proven:
    """What a prover has written; nothing of it is verified."""

    solutions: tuple[Grid, ...] = ()
    """Complete grids with values of the shape."""
    steps: str = ""
    complete: bool = False
    """Whether the prover states that there are no other solutions."""
    failure: str = ""
    """Why there is nothing; empty if there is something."""
    unsupported: bool = False
    """Whether the prover writes no proofs for the puzzle or with its options."""


class Prover:
    """A backend in a process of its own, which proves one puzzle after another.

    The process starts at the first puzzle, and again after its end. Use it as a context manager.

    Args:
        spec: the backend.
        timeout_s: limit of wall time for each puzzle, in seconds.
        memory_mib: limit of memory in MiB; 0 for no limit.
        notice: receives a line before the backend prepares for seconds.

    Raises:
        InputError: the backend does not exist.
    """

    def __init__(
        self,
        spec: BackendSpec,
        *,
        timeout_s: float,
        memory_mib: int = 0,
        notice: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.spec = replace(spec, locator=registry.resolve(spec.locator))
        self._timeout_s = timeout_s
        self._memory_mib = memory_mib
        self._notice = notice
        self._process: _Process | None = None
        self.versions = ""
        """The versions of its packages, after the first proof."""

    def __enter__(self) -> "Prover":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def prove(self, puzzle: Puzzle, limit: int) -> Proven:
        """What the backend proves of `puzzle`, with up to `limit` solutions.

        Raises:
            InputError: the backend does not take its options, or is not available.
        """
        if self._process is None:
            self._process = _Process(self.spec, self._memory_mib)
        request = ProofRequest(puzzle.shape.definition, puzzle.line, min(limit, _MOST_PROVABLE))
        try:
            if not self._process.is_loaded:
                self.versions = self._process.load(self._notice, self._timeout_s)
            found = _collected(self._process.proof(request), puzzle)
        except _Died as death:
            self.close()
            return Proven(failure=self._why(death))
        except BaseException:
            self.close()
            raise
        if found is None:
            self.close()
            return Proven(failure=f"its proof has more than {LARGEST_BYTES // MIB:,} MiB")
        return found

    def _why(self, death: "_Died") -> str:
        """Why the process has ended."""
        if death.reason:
            return death.reason
        report = death.report
        if report.reason is EndReason.WALL_TIME:
            return f"no proof within {self._timeout_s:g} s"
        question = Question(
            Task.SOLVE, 0, Start.WARM, self._timeout_s, memory_limit_mib=self._memory_mib
        )
        detail = outcome_of(report, question).detail.splitlines()
        last = report.output.splitlines()[-1:]
        if report.reason is EndReason.MEMORY:
            return f"more than {self._memory_mib} MiB of memory"
        return ": ".join([*detail[:1], *last])


def _collected(messages: "Iterator[ProverMessage]", puzzle: Puzzle) -> Proven | None:
    """The proof in these messages; None if it is too large."""
    cells = puzzle.shape.size**2
    symbols = frozenset(VALUES[: puzzle.shape.size])
    solutions: list[Grid] = []
    pieces: list[str] = []
    size = 0
    for message in messages:
        match message:
            case SolutionsFound(lines=text):
                if len(text) % cells or not symbols.issuperset(text):
                    return Proven(failure="one of its solutions is no grid")
                ends = range(0, len(text), cells)
                solutions += [values_of_line(text[at : at + cells]) for at in ends]
                size += len(text)
            case StepsWritten(text=text):
                pieces.append(text)
                size += len(text)
            case ProofEnded(failure=""):
                return Proven(tuple(solutions), "".join(pieces), message.complete)
            case ProofEnded():
                return Proven(failure=message.failure, unsupported=message.unsupported)
        if size > LARGEST_BYTES:
            return None
    raise AssertionError("a process without an end")


class _Died(Exception):
    """The process has ended."""

    def __init__(self, report: MonitorReport, reason: str = "") -> None:
        super().__init__(reason)
        self.report = report
        self.reason = reason


class _Process:
    """One process of the backend, from its start to its end."""

    def __init__(self, spec: BackendSpec, memory_mib: int) -> None:
        self._spec = spec
        self._memory_mib = memory_mib
        self.is_loaded = False
        control, monitor_end = socket.socketpair()
        end, worker_end = socket.socketpair()
        self._control: Connection[MonitorMessage] = Connection(
            control, MonitorMessage, send_limit_s=SEND_LIMIT_S
        )
        self._connection: Connection[ProverMessage] = Connection(
            end, ProverMessage, send_limit_s=SEND_LIMIT_S
        )
        self._set_wall_limit(START_UP_LIMIT_S)
        arguments = ProverArguments(
            backend=LoadBackend.of(spec),
            memory_limit_mib=memory_mib,
            control=monitor_end.fileno(),
            connection=worker_end.fileno(),
        )
        with monitor_end, worker_end:
            self._process = GuardedProcess(
                "harness.runs.prover_process",
                (msgspec.json.encode(arguments).decode(),),
                (monitor_end.fileno(), worker_end.fileno()),
            )

    def close(self) -> None:
        """End the process and everything below it."""
        self._control.close()
        self._connection.close()
        self._process.end()

    def _set_wall_limit(self, wall_s: float) -> None:
        memory = self._memory_mib * MIB or None
        with suppress(ChannelClosed):  # the monitor's end is noticed at the next receive
            self._control.send(Watch(Limits(wall_s=wall_s, memory_bytes=memory)))

    def load(self, notice: Callable[[str], None], timeout_s: float) -> str:
        """Wait until the backend is loaded; the versions of its packages.

        Raises:
            InputError: the backend does not take its options, or is not available.
        """
        for message in self._messages():
            match message:
                case Preparing():
                    notice(message.what)
                case Refused(kind=Refusal.UNAVAILABLE):
                    remedy = f"; {message.remedy}" if message.remedy else ""
                    raise BackendUnavailableError(
                        f"backend {self._spec.label} is not available: {message.reason}{remedy}"
                    )
                case Refused():
                    raise message.error()
                case ProverLoaded():
                    self.is_loaded = True
                    self._set_wall_limit(timeout_s)
                    return message.versions
        raise AssertionError("a process without an end")

    def proof(self, request: ProofRequest) -> Iterator[ProverMessage]:
        """The messages that answer a request.

        Raises:
            _Died: the process has ended.
        """
        with suppress(ChannelClosed):
            self._connection.send(request)
        for message in self._messages():
            yield message
            if isinstance(message, ProofEnded):
                return

    def _messages(self) -> Iterator[ProverMessage]:
        """The messages of the process, as long as it runs.

        Raises:
            _Died: it has ended.
        """
        reason = ""
        try:
            while self._wait(self._connection):
                yield from self._connection.receive(wait=False)
        except ChannelClosed:
            reason = ""
        except ChannelBroken as error:
            reason = f"it writes to a descriptor that is not its own: {error}"
        raise _Died(self._report(), reason)

    def _wait(self, connection: Connection[Any], limit_s: float = inf) -> bool:
        """Wait for a message; False after the limit, or if the monitor was stopped.

        The monitor enforces the limits of each proof, so it is enough that it runs.
        """
        deadline, looks = monotonic() + limit_s, 0
        while monotonic() < deadline and looks < 2:
            if connection.wait_readable(_LOOK_EVERY_S):
                return True
            looks = looks + 1 if self._process.is_stopped else 0
        return False

    def _report(self) -> MonitorReport:
        """The monitor's report on the end of the process, which is requested if necessary."""
        self._control.finish_sending()
        with suppress(ChannelClosed, ChannelBroken):
            while self._wait(self._control, _REPORT_LIMIT_S):
                for message in self._control.receive(wait=False):
                    if isinstance(message, MonitorReport):
                        return message
        return MonitorReport(EndReason.REQUESTED, exit_code=self._process.wait())
