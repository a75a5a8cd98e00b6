"""Provers: backends in processes of their own, which write proofs; nothing is verified here."""

import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from harness.base.child import signals_held
from harness.base.errors import BackendUnavailableError
from harness.base.text import described, encodable, last_line, short_repr
from harness.contract import (
    Backend,
    BackendSpec,
    Options,
    Proof,
    Restriction,
    Unavailable,
    Unsupported,
    registry,
)
from harness.engine import Conversation, outcome_of
from harness.engine.wire import (
    MIB,
    Connection,
    CurrentTrial,
    EndReason,
    Message,
    Preparing,
    Refused,
)
from harness.extensions.certificates.certificate import LARGEST_BYTES
from harness.extensions.certificates.formula import formula_of
from harness.puzzles import Grid, Puzzle, Shape, line_of_values, values_of_line
from harness.records import Question, Start, Task

# Messages between the harness and the process of a prover.


_PIECE: Final = 2**20
"""Maximum number of characters of solutions or of a proof in one message."""


class ProofRequest(Message):
    """Harness to worker: prove the number of solutions of a puzzle."""

    shape: str
    puzzle: str
    limit: int


class ProverLoaded(Message):
    """Worker to harness: the backend is loaded."""

    versions: str
    """The installed versions of its packages."""


class ProofPiece(Message):
    """Worker to harness: some of the solutions, as lines, and a piece of the text of the proof."""

    lines: tuple[str, ...] = ()
    steps: str = ""


class ProofEnded(Message):
    """Worker to harness: all solutions and the whole proof were sent, or there is no proof."""

    complete: bool
    failure: str = ""
    """Why there is no proof; empty if there is one."""
    unsupported: bool = False
    """Whether the backend writes no proofs for this puzzle or with these options."""


ProverMessage = Preparing | Refused | ProverLoaded | ProofPiece | ProofEnded


# The harness's side of a prover: starts its process, and receives proofs.


class NoProofError(Exception):
    """The prover has written no proof; the message says why."""


class Prover:
    """A backend in a process of its own, which proves one puzzle after another.

    The process starts at the first puzzle, and again if it has ended; `close` ends it.

    Args:
        spec: the backend.
        timeout_s: limit on the wall time of each proof in seconds.
        memory_mib: limit on memory in MiB; 0 for no limit.
        notice: receives a line before the backend spends seconds on preparation.

    Raises:
        InputError: the backend does not exist.
    """

    def __init__(
        self, spec: BackendSpec, *, timeout_s: float, memory_mib: int, notice: Callable[[str], None]
    ) -> None:
        self.spec = replace(spec, locator=registry.resolve(spec.locator))
        self._timeout_s = timeout_s
        self._memory_mib = memory_mib
        self._notice = notice
        self._conversation: Conversation[ProverMessage] | None = None
        self.versions = ""
        """The versions of the backend's packages; empty until its process has started."""

    def close(self) -> None:
        """End the process."""
        if self._conversation is not None:
            self._conversation.close()
            self._conversation = None

    def prove(self, puzzle: Puzzle, limit: int) -> Proof:
        """The proof that the backend writes for `puzzle`; none of it is verified.

        Args:
            puzzle: the puzzle.
            limit: the number of solutions at which the backend stops.

        Raises:
            InputError: the backend does not take its options, or is not available.
            NoProofError: the backend has written no proof.
            Unsupported: with its options, the backend cannot write proofs for such a puzzle.
        """
        most = min(limit, 2**62)  # more than any proof can list
        request = ProofRequest(puzzle.shape.definition, puzzle.line, most)
        try:
            conversation = self._conversation or self._load()
            conversation.limit(self._timeout_s)
            conversation.send(request)
            ending, proof = self._collect(conversation, puzzle)
            conversation.limit(None)
        except BaseException:
            self.close()
            raise
        if ending.failure:
            raise (Unsupported if ending.unsupported else NoProofError)(ending.failure)
        return proof

    def _load(self) -> Conversation[ProverMessage]:
        """A process that has loaded the backend.

        Raises:
            InputError: the backend does not take its options, or is not available.
            NoProofError: the process has ended.
        """
        try:
            with signals_held():
                conversation = self._conversation = Conversation[ProverMessage](
                    prove_requests,
                    self.spec,
                    ProverMessage,
                    memory_limit_mib=self._memory_mib,
                    notice=self._notice,
                )
            for message in conversation.messages():
                if isinstance(message, ProverLoaded):
                    self.versions = message.versions
                    return conversation
        except Unavailable as error:
            remedy = f"; {error.remedy}" if error.remedy else ""
            raise BackendUnavailableError(
                f"backend {self.spec.label} is not available: {error.reason}{remedy}"
            ) from None
        raise NoProofError(self._why(conversation))

    def _collect(
        self, conversation: Conversation[ProverMessage], puzzle: Puzzle
    ) -> tuple[ProofEnded, Proof]:
        """The last message of the process, and the proof that it sends.

        Raises:
            NoProofError: the proof is too large or malformed, or the process has ended.
        """
        solutions: list[Grid] = []
        pieces: list[str] = []
        size = 0
        for message in conversation.messages():
            match message:
                case ProofPiece(lines=lines, steps=steps):
                    pieces.append(steps)
                    size += len(steps)
                    for line in lines:
                        grid = values_of_line(line) if line.isascii() else ()
                        if line_of_values(grid, puzzle.shape) != line:
                            fault = f"one of its solutions is not a grid of {puzzle.shape}"
                            raise NoProofError(fault)
                        solutions.append(grid)
                        size += len(line)
                case ProofEnded():
                    return message, Proof(tuple(solutions), message.complete, "".join(pieces))
            if size > LARGEST_BYTES:
                raise NoProofError(f"its proof has more than {LARGEST_BYTES // MIB:,} MiB")
        raise NoProofError(self._why(conversation))

    def _why(self, conversation: Conversation[ProverMessage]) -> str:
        """Why the process has ended."""
        report = conversation.end()
        if conversation.channel_error:
            return f"it {conversation.channel_error}"
        if report.reason is EndReason.WALL_TIME:
            return f"no proof within {self._timeout_s:g} s"
        if report.reason is EndReason.MEMORY:
            return f"more than {self._memory_mib} MiB of memory"
        question = Question(
            Task.SOLVE, 0, Start.WARM, self._timeout_s, memory_limit_mib=self._memory_mib
        )
        return last_line(outcome_of(report, question).detail)


# The worker.


def prove_requests(
    kind: type[Backend[Any]], options: Options, channel: socket.socket, current_trial: CurrentTrial
) -> None:
    """Prove what the harness requests."""
    import resource  # Unix has it

    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_BYTES, LARGEST_BYTES))  # programs' proofs
    connection: Connection[ProofRequest] = Connection(channel, ProofRequest)
    distributions = registry.describe(kind).distributions.items()
    versions = ", ".join(f"{name} {version}" for name, version in distributions)
    connection.send(ProverLoaded(versions))
    worker = _Worker(kind, options, connection)
    for serial, request in enumerate(connection.receive_all()):
        current_trial.start(serial)
        worker.prove(request)
        current_trial.stop()


class _Worker:
    """A backend, kept from one puzzle to the next of the same shape."""

    def __init__(
        self, kind: type[Backend[Any]], options: Options, connection: Connection[ProofRequest]
    ) -> None:
        self._kind = kind
        self._options = options
        self._connection = connection
        self._backend: Backend[Any] | None = None

    def prove(self, request: ProofRequest) -> None:
        """Send the solutions and the proof, or why there is none."""
        shape = Shape.parse(request.shape)
        puzzle = Puzzle.of_line(request.puzzle, shape)
        try:
            if self._backend is None or self._backend.shape != shape:
                self._backend = self._kind(shape, self._options)
            if puzzle.pencilmarks is not None and Restriction.PENCILMARKS not in self._kind.takes:
                raise Unsupported(f"{self._kind.name} does not take pencilmarks")
            if shape.primitives:
                clauses = formula_of(puzzle).clauses()
                proof = self._backend.prove_clauses(puzzle, request.limit, clauses)
            else:
                proof = self._backend.prove(puzzle, request.limit)
            fault = _fault(proof)
            ending = ProofEnded(False, fault) if fault else self._send(proof, shape)
        except Unsupported as error:
            reason = " ".join(str(error).split())
            ending = ProofEnded(False, encodable(reason)[:500], unsupported=True)
        except Exception as error:  # noqa: BLE001  whatever a backend raises
            ending = ProofEnded(False, encodable(described(error)))
        self._connection.send(ending)

    def _send(self, proof: Proof, shape: Shape) -> ProofEnded:
        lines = tuple(line_of_values(grid, shape) or "" for grid in proof.solutions)
        a_message = max(1, _PIECE // shape.size**2)
        for at in range(0, len(lines), a_message):
            self._connection.send(ProofPiece(lines[at : at + a_message]))
        for at in range(0, len(proof.steps), _PIECE):
            self._connection.send(ProofPiece(steps=encodable(proof.steps[at : at + _PIECE])))
        return ProofEnded(proof.complete)


def _fault(proof: Any) -> str:
    """Why the result of `prove` is not a proof; empty if it is."""
    expected = "expected a harness.contract.Proof"
    if not isinstance(proof, Proof):
        return f"prove returns {short_repr(proof)}; {expected}"
    for name, kinds in (("solutions", (list, tuple)), ("complete", bool), ("steps", str)):
        value = getattr(proof, name)
        if not isinstance(value, kinds):
            return f"prove returns a Proof with {name} = {short_repr(value)}; {expected}"
    return ""
