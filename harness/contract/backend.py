"""The interface of a backend: made for one shape, then asked about many puzzles."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar, Self

from harness.contract.options import Options
from harness.contract.status import Status
from harness.contract.time_budget import SharedTime
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import Shape

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.contract.batch import ManyAnswers, ManyCounts

Stats = Mapping[str, int | float]
"""What the solver tells of its work, under the field's names: nodes, conflicts,
decisions, propagations, restarts, variables, clauses, constraints."""


class Unavailable(Exception):
    """A backend cannot be used here; the message says why, `remedy` what to do."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy


class Unsupported(Exception):
    """A backend does not handle this shape or this task; the message says why."""


@dataclass(frozen=True, slots=True)
class Phases:
    """Seconds spent on writing the puzzle down for the solver, solving, reading back."""

    encode: float = 0.0
    search: float = 0.0
    decode: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to `solve`: a grid, a proof that there is none, or "I don't know".

    Made by `solved`, `unsatisfiable` and `unknown`, so that none of them can be
    taken for another.
    """

    status: Status
    grid: Grid | None = None
    stats: Stats = field(default_factory=dict)
    phases: Phases = Phases()

    @staticmethod
    def solved(grid: Grid, stats: Stats | None = None, phases: Phases = Phases()) -> "Answer":
        """A solution: the value of every cell, row by row."""
        return Answer(Status.SOLVED, grid, stats or {}, phases)

    @staticmethod
    def unsatisfiable(stats: Stats | None = None, phases: Phases = Phases()) -> "Answer":
        """The proof that no solution exists."""
        return Answer(Status.UNSATISFIABLE, None, stats or {}, phases)

    @staticmethod
    def unknown(stats: Stats | None = None, phases: Phases = Phases()) -> "Answer":
        """The search ended without a solution and without a proof."""
        return Answer(Status.UNKNOWN, None, stats or {}, phases)


@dataclass(frozen=True, slots=True)
class Count:
    """The answer to `count`: how many solutions were found, and whether that is all.

    With `exact` the number is all there are. Without, the search stopped: at
    the limit when `number` equals it, otherwise because the backend gave up,
    and the number is a lower bound. A backend stops as soon as it has found
    `limit` solutions, so a number that equals the limit is never exact.
    """

    number: int
    exact: bool
    witness: Grid | None = None
    """One of the solutions, where the backend has one at hand."""
    stats: Stats = field(default_factory=dict)
    phases: Phases = Phases()


class Backend(ABC):
    """One way of solving, made for one shape with its options.

    `__init__` does all that depends on the shape alone; `solve` and `count` are
    then asked about one puzzle after another and keep nothing from one for the
    next, unless an option says so. A backend never prints and leaves time
    limits to its caller.

    Raises:
        Unsupported: from `__init__`, `solve` or `count`, where the shape or the
            task is not handled.
    """

    name: ClassVar[str]
    """The short name: ``cpsat``."""
    paradigm: ClassVar[str]
    """How it solves, in a few words: ``constraint programming``."""
    distributions: ClassVar[tuple[str, ...]] = ()
    """The PyPI names of what must be installed: ``("ortools",)``."""
    options_type: ClassVar[type[Options]] = Options
    """The dataclass of its options."""
    solves: ClassVar[bool] = True
    """Whether it shows solutions; False where it only counts, and `solve` raises `Unsupported`."""
    counts_natively: ClassVar[bool] = False
    """Whether `count` is the backend's own rather than the default built on `solve`."""
    heeds_limit: ClassVar[bool] = True
    """Whether `count` stops at its limit; False where it always goes on to the end, as a model
    counter does, which grids with very many solutions have none of in sight."""
    batches_natively: ClassVar[bool] = False
    """Whether `solve_many` and `count_many` are the backend's own rather than loops."""
    complete: ClassVar[bool] = True
    """Whether it answers every question, given time; False where it may say unknown though
    nothing hurries it, as a local search does that cannot prove that there is no solution."""

    shape: Shape
    """The shape that it was made for; set before `__init__` runs."""
    time_limit: float | None = None
    """Seconds that the next call may take, for a solver that can stop by itself.
    An offer only: the caller ends whatever does not keep to it."""

    @classmethod  # noqa: B027  not abstract: most have nothing to load
    def load(cls, options: Options) -> None:
        """Import the library that these options need; called once, before any trial.

        Whatever it raises makes the backend unavailable, with that reason, and
        `Unavailable` also with what to do about it.
        """

    @classmethod
    def preparation(cls, options: Options) -> str:  # noqa: ARG003  for those that need it
        """What `load` is about to spend seconds on, in a line for whoever waits; mostly nothing.

        A backend prints nothing itself: who calls `load` may show this line before.
        """
        return ""

    def __new__(cls, shape: Shape, options: Options) -> Self:  # noqa: ARG004  as `__init__`
        """Note the shape, so that the defaults know it whatever `__init__` keeps."""
        made = super().__new__(cls)
        made.shape = shape
        return made

    @abstractmethod
    def __init__(self, shape: Shape, options: Options) -> None:
        """Build what depends on the shape alone."""

    @abstractmethod
    def solve(self, puzzle: Puzzle) -> Answer:
        """A solution of `puzzle`, or the proof that there is none."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number of solutions, up to `limit` (at least 1).

        This default needs nothing but `solve`: whatever differs from a solution
        does so first at some blank cell, so the other solutions are those of
        the puzzles that agree with it before that cell and differ there
        (Lawler's partition, Management Science 18(7), 1972).
        """
        timer = PhaseTimer()
        timer.search()
        found, calls, witness = 0, 0, None
        open_puzzles = [puzzle]
        with SharedTime(self) as time:
            while open_puzzles and found < limit and time.is_left():
                calls += 1
                answer = self.solve(open_puzzles[-1])
                if answer.status is Status.UNKNOWN:
                    break
                part = open_puzzles.pop()
                if answer.grid is not None:
                    found += 1
                    witness = witness or answer.grid
                    open_puzzles.extend(_parts_without(part, answer.grid))
        exact = not open_puzzles and found < limit
        return Count(found, exact, witness, {"solve_calls": calls}, timer.stop())

    def solve_many(self, puzzles: "NDArray[np.uint8]") -> "ManyAnswers":
        """A solution of each of n puzzles, or the proof that there is none.

        Args:
            puzzles: uint8[n, cells], a puzzle of the backend's shape in each row, 0 for
                a blank. It is not changed.

        `time_limit` is for all of them together; what it leaves no time for is unknown.
        This default asks `solve` about one after another.

        Raises:
            InputError: `puzzles` is no such array, or a value is out of range.
        """
        from harness.contract.batch import solve_one_by_one

        return solve_one_by_one(self, puzzles)

    def count_many(self, puzzles: "NDArray[np.uint8]", limit: int) -> "ManyCounts":
        """The number of solutions of each of n puzzles, up to `limit` (at least 1) each.

        Arguments, time limit and errors are those of `solve_many`; this default asks
        `count` about one after another.
        """
        from harness.contract.batch import count_one_by_one

        return count_one_by_one(self, puzzles, limit)


class PhaseTimer:
    """Times the phases of one call: it starts in *encode*.

    >>> timer = PhaseTimer()
    >>> timer.search()
    >>> timer.decode()
    >>> phases = timer.stop()

    A phase may be entered again; its times add up.
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
        """From now on the puzzle is written down for the solver."""
        self._enter("encode")

    def search(self) -> None:
        """From now on the solver works."""
        self._enter("search")

    def decode(self) -> None:
        """From now on the solver's result is read back."""
        self._enter("decode")

    def stop(self) -> Phases:
        """The seconds of each phase up to now."""
        self._enter(self._phase)
        return Phases(**self._seconds)


def _parts_without(puzzle: Puzzle, solution: Grid) -> Iterator[Puzzle]:
    """Puzzles that together have the solutions of `puzzle` but `solution`, each once."""
    shape = puzzle.shape
    fixed = list(puzzle.givens)
    for cell, value in enumerate(solution):
        if puzzle.givens[cell]:
            continue
        taken = {fixed[peer] for peer in shape.peers[cell]}
        for other in range(1, shape.size + 1):
            if other != value and other not in taken:
                yield Puzzle(shape, (*fixed[:cell], other, *fixed[cell + 1 :]))
        fixed[cell] = value
