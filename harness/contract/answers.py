"""What a backend returns: statuses, answers, counts, proofs, statistics and phase times."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from time import perf_counter
from typing import TYPE_CHECKING

from harness.puzzles import Grid

if TYPE_CHECKING:  # a command or a worker for single puzzles starts without numpy
    import numpy as np
    from numpy.typing import NDArray

# The statuses that a backend reports for `solve`.


class Status(StrEnum):
    """The status of an answer to `solve`.

    The harness checks the answer and derives a `harness.records.question.Verdict`.
    """

    SOLVED = "solved"
    """The answer holds a solution."""
    UNSATISFIABLE = "unsatisfiable"
    """The backend has proved that no solution exists."""
    UNKNOWN = "unknown"
    """The search ended without a solution and without a proof."""


# What a backend returns: answers, counts, proofs, statistics and phase times.


Stats = Mapping[str, int | float]
"""Statistics of the solver under the field's names: nodes, conflicts, decisions,
propagations, restarts, variables, clauses, constraints."""


@dataclass(frozen=True, slots=True)
class Phases:
    """Seconds spent in each phase of a call."""

    encode: float = 0.0
    """Building the solver's input."""
    search: float = 0.0
    """Solving."""
    decode: float = 0.0
    """Reading the solver's output."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to `solve`: a solution, a proof that none exists, or "unknown".

    Create it with `solved`, `unsatisfiable` or `unknown`.
    """

    status: Status
    """Solved, unsatisfiable or unknown."""
    grid: Grid | None = None
    """The value of every cell, row by row; None without a solution."""
    stats: Stats = field(default_factory=dict)
    """Statistics of the solver."""
    phases: Phases = Phases()
    """Seconds of each phase."""
    reason: str = ""
    """Why it is unknown, if the backend can say."""

    @staticmethod
    def solved(grid: Grid, stats: Stats | None = None, phases: Phases = Phases()) -> "Answer":
        """A solution: `grid` has the value of every cell, row by row.

        `stats` and `phases` are those of the solver.
        """
        return Answer(Status.SOLVED, grid, stats or {}, phases)

    @staticmethod
    def unsatisfiable(stats: Stats | None = None, phases: Phases = Phases()) -> "Answer":
        """The proof that no solution exists, with the `stats` and `phases` of the solver."""
        return Answer(Status.UNSATISFIABLE, None, stats or {}, phases)

    @staticmethod
    def unknown(
        stats: Stats | None = None, phases: Phases = Phases(), reason: str = ""
    ) -> "Answer":
        """No solution and no proof: the `stats` and `phases` of the solver, and the `reason`."""
        return Answer(Status.UNKNOWN, None, stats or {}, phases, reason)


@dataclass(frozen=True, slots=True)
class Count:
    """The answer to `count`: the number of solutions found, and whether it is exact.

    A backend stops as soon as it has found `limit` solutions, so a number equal
    to the limit is never exact. A smaller number that is not exact is a lower
    bound: the backend gave up.
    """

    number: int
    """The solutions found, at most the limit."""
    exact: bool
    """Whether `number` is the total number of solutions."""
    witness: Grid | None = None
    """One of the solutions, if the backend has one at hand."""
    stats: Stats = field(default_factory=dict)
    """Statistics of the solver."""
    phases: Phases = Phases()
    """Seconds of each phase."""
    reason: str = ""
    """Why it is not exact, if the backend can say."""

    @property
    def answer(self) -> Answer:
        """The answer to `solve`: the witness, no solution, or unknown."""
        if self.witness is not None:
            return Answer.solved(self.witness, self.stats, self.phases)
        if self.exact and not self.number:
            return Answer.unsatisfiable(self.stats, self.phases)
        return Answer.unknown(self.stats, self.phases, self.reason)


@dataclass(frozen=True, slots=True)
class Proof:
    """The answer to `prove`: solutions, and a proof that no others exist.

    The proof is in DRUP, one step per line: a lemma such as ``12 -7 0``, the deletion of a
    clause such as ``d 12 -7 0``, and at the end ``0``, the empty clause. Variable
    ``cell * size + value`` means that the cell, from 0, has the value, from 1. Each lemma must
    follow by unit propagation from the lemmas before it and from the clauses that state the rules
    of the shape, the givens and the pencilmarks, and that forbid each of the `solutions`.
    For a shape with constraints the harness passes these clauses (`Backend.prove_clauses`).
    """

    solutions: tuple[Grid, ...]
    """Different solutions."""
    complete: bool
    """Whether `steps` prove that no other solutions exist; if false, there may be more."""
    steps: str = ""
    """The text of the proof; empty if `complete` is false."""


@dataclass(frozen=True, slots=True)
class ManyAnswers:
    """The answers to `solve` of n puzzles."""

    statuses: "NDArray[np.object_]"
    """object[n]: the `Status` of each puzzle."""
    grids: "NDArray[np.uint8]"
    """An array ``uint8[n, cells]``: the solution where the status is SOLVED, zeros elsewhere."""
    stats: Stats = field(default_factory=dict)
    """Statistics of the solver, summed over all puzzles."""

    @staticmethod
    def from_flags(
        solved: "NDArray[np.bool_]",
        proven: "NDArray[np.bool_]",
        grids: "NDArray[np.uint8]",
        stats: Stats | None = None,
    ) -> "ManyAnswers":
        """Answers from two flags per puzzle: solved, and proven unsatisfiable.

        Args:
            solved: bool[n].
            proven: bool[n]; ignored where `solved` is true.
            grids: uint8[n, cells], zeros for a puzzle without a solution.
            stats: statistics of the solver, summed over all puzzles.
        """
        import numpy as np

        statuses = np.empty(len(solved), np.object_)
        statuses[:] = Status.UNKNOWN  # np.full would make it a plain str
        statuses[proven.astype(np.bool_)] = Status.UNSATISFIABLE
        statuses[solved] = Status.SOLVED
        return ManyAnswers(statuses, grids, stats or {})


@dataclass(frozen=True, slots=True)
class ManyCounts:
    """The answers to `count` of n puzzles; see `Count`."""

    numbers: "NDArray[np.int64] | NDArray[np.object_]"
    """int64[n], or object[n] of integers beyond 64 bits: solutions found, at most the limit."""
    exact: "NDArray[np.bool_]"
    """bool[n]: whether the number is the total."""
    witnesses: "NDArray[np.uint8]"
    """An array ``uint8[n, cells]``: one of the solutions, zeros if none is at hand."""
    stats: Stats = field(default_factory=dict)
    """Statistics of the solver, summed over all puzzles."""


class PhaseTimer:
    """Times the phases of one call, beginning with *encode*.

    >>> timer = PhaseTimer()
    >>> timer.search()
    >>> timer.decode()
    >>> phases = timer.stop()

    A phase that is entered again adds to its time.
    """

    def __init__(self) -> None:
        self._seconds = {"encode": 0.0, "search": 0.0, "decode": 0.0}
        self._phase = "encode"
        self._since = perf_counter()

    def _enter(self, phase: str) -> None:
        now = perf_counter()
        self._seconds[self._phase] += now - self._since
        self._phase, self._since = phase, now

    def encode(self) -> None:
        """Enter the phase that builds the solver's input."""
        self._enter("encode")

    def search(self) -> None:
        """Enter the phase in which the solver works."""
        self._enter("search")

    def decode(self) -> None:
        """Enter the phase that reads the solver's output."""
        self._enter("decode")

    def stop(self) -> Phases:
        """The seconds of each phase so far."""
        self._enter(self._phase)
        return Phases(**self._seconds)
