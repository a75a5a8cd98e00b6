"""The interface of a backend: capabilities, and defaults for batches.

Row i of a batch is puzzle i, and row i of the result its answer.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from enum import Flag, StrEnum, auto
from functools import reduce
from importlib import import_module
from operator import or_
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Self, get_args, get_origin

from harness.base.errors import PuzzleError
from harness.base.text import fits_64_bits, short_repr
from harness.contract.answers import (
    Answer,
    Count,
    ManyAnswers,
    ManyCounts,
    PhaseTimer,
    Proof,
    Stats,
    Status,
)
from harness.contract.options import Options
from harness.puzzles import LETTERED, Grid, Puzzle, Shape
from harness.puzzles.constraints import Line, Relation, Sum, ValueCount

if TYPE_CHECKING:  # a command or a worker for single puzzles starts without numpy
    import numpy as np
    from numpy.typing import NDArray

# What a backend takes and can do, for the harness, and in words for the user.


class Restriction(StrEnum):
    """What a puzzle may have besides givens and houses; the value is its name in a sentence.

    A backend that takes a restriction heeds it in every puzzle.
    """

    PENCILMARKS = "pencilmarks (restricted candidates)"
    """`Puzzle.pencilmarks`; batches have none."""
    PAIRS = "pairs of cells that must differ"
    """`Shape.pairs`."""
    RELATIONS = "relations of two cells"
    """Each `Relation` in `Shape.primitives`; the next members are for the other primitives."""
    SUMS = "sums"
    VALUE_COUNTS = "numbers of values"
    AUTOMATA = "automata along cells"

    @property
    def word(self) -> str:
        """Its name in a list: ``value counts``."""
        return self.name.lower().replace("_", " ")

    @staticmethod
    def of_shape(shape: Shape) -> "set[Restriction]":
        """What a backend for `shape` must take."""
        kinds = {type(primitive) for primitive in shape.primitives}
        restrictions = {word for kind, word in _OF_PRIMITIVES.items() if kind in kinds}
        return restrictions | ({Restriction.PAIRS} if shape.pairs else set())


EVERYTHING: Final = frozenset(Restriction)
_OF_PRIMITIVES: Final = {
    Relation: Restriction.RELATIONS,
    Sum: Restriction.SUMS,
    ValueCount: Restriction.VALUE_COUNTS,
    Line: Restriction.AUTOMATA,
}


class Capability(Flag):
    """The Boolean attributes of a backend's class, under their names in upper case."""

    SOLVES = auto()
    COUNTS_NATIVELY = auto()
    HEEDS_LIMIT = auto()
    BATCHES_NATIVELY = auto()
    COMPLETE = auto()
    NAMED_ONLY = auto()
    PROVES = auto()

    def in_words(self, takes: Set[Restriction]) -> list[str]:
        """Short phrases: ``["count", "solve", "native count", "pencilmarks"]``.

        Args:
            takes: what puzzles may have besides givens and houses.
        """
        phrases = [phrase for flag, phrase in _PRESENT.items() if flag in self]
        restrictions = [restriction.word for restriction in Restriction if restriction in takes]
        return ["count", *phrases, *restrictions, *self.limitations]

    @property
    def limitations(self) -> list[str]:
        """The limitations that matter in a comparison: ``["may give up"]``."""
        absent = [phrase for flag, phrase in _ABSENT.items() if flag not in self]
        return [*absent, *([_NAMED_ONLY] if Capability.NAMED_ONLY in self else [])]


_PRESENT: Final = {  # every backend counts
    Capability.SOLVES: "solve",
    Capability.COUNTS_NATIVELY: "native count",
    Capability.BATCHES_NATIVELY: "native batch",
    Capability.PROVES: "prove",
}
_ABSENT: Final = {
    Capability.HEEDS_LIMIT: "ignores the count limit",
    Capability.COMPLETE: "may give up",
}
_NAMED_ONLY: Final = "compared only if named"


# One time limit over several calls into a backend.


@contextmanager
def time_budget(backend: "Backend[Any]") -> Iterator[Callable[[], bool]]:
    """Split the time limit of a backend over a loop of calls; its own limit is restored at the end.

    Yields:
        A function that sets the limit of the next call to the seconds that the earlier calls left;
        it returns False if no time is left.
    """
    limit_s, began = backend.time_limit, perf_counter()

    def allows_call() -> bool:
        if limit_s is None:
            return True
        backend.time_limit = limit_s - (perf_counter() - began)
        return backend.time_limit > 0

    try:
        yield allows_call
    finally:
        backend.time_limit = limit_s


# Batches of puzzles.


def batch_of(puzzles: "NDArray[np.uint8]", shape: Shape) -> "NDArray[np.uint8]":
    """`puzzles` as a C-contiguous batch of `shape`: uint8[n, cells].

    Raises:
        PuzzleError: the type, dtype or dimensions differ, or a value is out of range.
    """
    import numpy as np

    cells = shape.size**2
    expected = f"uint8[n, {cells}] for {shape}"
    if not isinstance(puzzles, np.ndarray):
        raise PuzzleError(f"the batch is a {type(puzzles).__name__}", expected=expected)
    if puzzles.dtype != np.uint8 or puzzles.ndim != 2 or puzzles.shape[1] != cells:
        lengths = ", ".join(map(str, puzzles.shape))
        raise PuzzleError(f"the batch is {puzzles.dtype}[{lengths}]", expected=expected)
    if puzzles.size and puzzles.max() > shape.size:
        number, cell = np.argwhere(puzzles > shape.size)[0].tolist()
        raise PuzzleError(
            f"{puzzles[number, cell]} is not a value of {shape}",
            where=f"puzzle {number}, {shape.cell_name(cell)}",
            expected=f"0 to {shape.size}",
        )
    return np.ascontiguousarray(puzzles)


def _add(totals: dict[str, int | float], stats: Stats) -> None:
    for name, value in stats.items():
        totals[name] = totals.get(name, 0) + value


# The interface of a backend.


if TYPE_CHECKING:
    from typing_extensions import TypeVar

    # Python has defaults of type variables since 3.13; type checkers know them in any version.
    O = TypeVar("O", bound=Options, default=Options)  # noqa: E741
else:
    from typing import TypeVar

    O = TypeVar("O", bound=Options)  # noqa: E741


class Unavailable(Exception):
    """A backend cannot run on this machine.

    Attributes:
        reason: why the backend cannot run.
        remedy: how to make it available, for example a command; may be empty.
    """

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy


class Unsupported(Exception):
    """A backend does not handle this shape or this task; the message gives the reason."""


def require_symbols(shape: Shape, name: str) -> None:
    """Check that each value of `shape` has a symbol, for the backend `name`.

    Raises:
        Unsupported: the shape has more values than there are symbols.
    """
    if shape.size > LETTERED:
        raise Unsupported(f"{name} supports sizes up to {LETTERED}, with one symbol per value")


def require_solutions(backend: "Backend[Any]") -> None:
    """Check that a backend returns solutions.

    Raises:
        Unsupported: it only counts.
    """
    if not backend.solves:
        raise Unsupported(f"{backend.name} counts solutions but does not return them")


class Backend(ABC, Generic[O]):
    """A way of solving, created for one shape with its options.

    A backend without options derives from `Backend`, a backend with options from
    `Backend[ITS_OPTIONS]`. `__init__` does the work that depends on the shape alone.
    `solve` and `count` then get one puzzle after another and keep nothing from one
    puzzle for the next, unless an option allows it. A backend prints nothing and
    leaves time limits to its caller.

    Raises:
        Unsupported: from `__init__`, `solve`, `count` or `prove`, if the backend does not
            handle the shape or the task.
    """

    name: ClassVar[str]
    """The short name: ``cpsat``."""
    paradigm: ClassVar[str]
    """The method in a few words: ``constraint programming``."""
    distributions: ClassVar[tuple[str, ...]] = ()
    """The PyPI names of the required packages: ``("ortools",)``."""
    modules: ClassVar[tuple[str, ...]] = ()
    """The modules that `load` imports: ``("ortools.sat.python.cp_model",)``."""
    options_type: ClassVar[type[Options]] = Options
    """The dataclass of the options; follows from ``Backend[ITS_OPTIONS]``."""
    solves: ClassVar[bool] = True
    """Whether the backend returns solutions; False if it only counts and `solve` raises
    `Unsupported`."""
    counts_natively: ClassVar[bool] = False
    """Whether `count` is the backend's own rather than the default built on `solve`."""
    heeds_limit: ClassVar[bool] = True
    """Whether `count` stops at its limit; False if it counts all solutions first, as model
    counters do, which never ends on grids with very many solutions."""
    batches_natively: ClassVar[bool] = False
    """Whether `solve_many` and `count_many` are the backend's own rather than loops."""
    proves: ClassVar[bool] = False
    """Whether `prove` writes proofs, at least with some options."""
    complete: bool = True
    """Whether the backend decides every puzzle, given enough time; False if it may return
    unknown without a time limit, as local search does on puzzles without a solution. The class
    declares it for the default options; `__init__` may set it for others."""
    named_only: ClassVar[bool] = False
    """Whether `harness check` and the spec ``*`` leave the backend out unless a spec names it,
    for a backend that is worth measuring but too slow for checking others."""

    takes: ClassVar[frozenset[Restriction]] = frozenset()
    """What the backend heeds besides givens and houses. Puzzles with anything else are
    unsupported."""

    shape: Shape
    """The backend's shape; set before `__init__` runs."""
    time_limit: float | None = None
    """Seconds for the next call, None for no limit. A backend may pass it to its solver;
    the harness kills a backend that exceeds it."""

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Check `takes`, and take `options_type` from the type parameter if the class sets none.

        Raises:
            TypeError: `takes` is not a set of `Restriction`, or the type parameter is not a class
                of options. A string is not enough: the class must be defined first.
        """
        super().__init_subclass__(**arguments)
        takes: object = cls.takes
        if not isinstance(takes, (set, frozenset)) or not takes <= EVERYTHING:
            members = ", ".join(Restriction.__members__)
            expected = f"expected takes = a set of harness.contract.Restriction: {members}"
            raise TypeError(f"{cls.__qualname__}: takes is {short_repr(takes)}; {expected}")
        cls.takes = frozenset(takes)
        if "options_type" in vars(cls):
            return
        for base in vars(cls).get("__orig_bases__", ()):
            origin = get_origin(base)
            if not (isinstance(origin, type) and issubclass(origin, Backend)):
                continue
            for parameter in get_args(base):
                if isinstance(parameter, type) and issubclass(parameter, Options):
                    cls.options_type = parameter
                elif not isinstance(parameter, TypeVar):
                    raise TypeError(f"{cls.__qualname__}: {parameter!r} is not a class of options")

    @classmethod
    def load(cls, options: O) -> None:  # noqa: ARG003  for those that need it
        """Import the solver that these `options` need; called once, before any trial.

        This default imports `modules`. Any exception makes the backend unavailable, with its
        message as the reason; raise `Unavailable` to add a remedy.
        """
        for module in cls.modules:
            import_module(module)

    @classmethod
    def preparation(cls, options: O) -> str:  # noqa: ARG003  for those that need it
        """One line about slow work in `load` with these `options`, or an empty string.

        The caller shows the line before it calls `load`.
        """
        return ""

    def __new__(cls, shape: Shape, options: O) -> Self:  # noqa: ARG004  as `__init__`
        """Set `shape`, so that the default methods do not depend on the subclass's `__init__`.

        Raises:
            Unsupported: the shape has pairs or primitives that the backend does not take.
        """
        if violations := Restriction.of_shape(shape) - cls.takes:
            first = next(restriction for restriction in Restriction if restriction in violations)
            raise Unsupported(f"{cls.name} does not take {first}, as in {shape}")
        backend = super().__new__(cls)
        backend.shape = shape
        return backend

    @abstractmethod
    def __init__(self, shape: Shape, options: O) -> None:
        """Build everything that depends on the shape alone."""

    @abstractmethod
    def solve(self, puzzle: Puzzle) -> Answer:
        """A solution of `puzzle`, or the proof that none exists."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number of solutions of `puzzle`, up to `limit` (at least 1).

        This default needs only `solve`: every other solution first differs from a
        known one at some blank cell. Each such cell gives puzzles that agree with the
        known solution before it and differ there, and these puzzles have the other
        solutions (Lawler's partition, Management Science 18(7), 1972).
        """
        timer = PhaseTimer()
        timer.search()
        number, calls, witness = 0, 0, None
        open_puzzles = [puzzle]
        with time_budget(self) as allows_call:
            while open_puzzles and number < limit and allows_call():
                calls += 1
                answer = self.solve(open_puzzles[-1])
                if answer.status is Status.UNKNOWN:
                    break
                part = open_puzzles.pop()
                if answer.grid is not None:
                    number += 1
                    witness = witness or answer.grid
                    open_puzzles.extend(_parts_without(part, answer.grid))
        exact = not open_puzzles and number < limit
        return Count(number, exact, witness, {"solve_calls": calls}, timer.stop())

    def prove(self, puzzle: Puzzle, limit: int) -> Proof:  # noqa: ARG002  for those that prove
        """The solutions of `puzzle`, up to `limit` (at least 1), and a proof that no others exist.

        With `limit` solutions found, or if the backend gives up, the proof is not complete. The
        harness checks each proof (docs/certificates.md).

        Raises:
            Unsupported: the backend writes no proofs, at least not with these options.
        """
        raise Unsupported(f"{self.name} writes no proofs; harness backends shows which backends do")

    def prove_clauses(
        self,
        puzzle: Puzzle,  # noqa: ARG002  for those that prove
        limit: int,  # noqa: ARG002
        clauses: Iterable[Sequence[int]],  # noqa: ARG002
    ) -> Proof:
        """Like `prove`, but for a puzzle of a shape with constraints.

        Args:
            puzzle: the puzzle.
            limit: the number of solutions at which the backend stops.
            clauses: the clauses of the puzzle, from which the proof must follow. Constraints
                need further variables, which only these clauses define.

        Raises:
            Unsupported: the backend writes no proofs for such puzzles.
        """
        raise Unsupported(f"{self.name} writes no proofs for puzzles with constraints")

    def solve_many(self, puzzles: "NDArray[np.uint8]") -> ManyAnswers:
        """A solution of each of n puzzles, or the proof that none exists.

        The time limit covers all puzzles together; puzzles that it does not reach are
        unknown. This default calls `solve` for each puzzle.

        Args:
            puzzles: uint8[n, cells], one puzzle of the backend's shape per row, 0 for a
                blank; never modified.

        Raises:
            PuzzleError: `puzzles` has another form, or a value is out of range.
        """
        import numpy as np

        batch = batch_of(puzzles, self.shape)
        statuses = np.full(len(batch), Status.UNKNOWN, np.object_)
        grids = np.zeros_like(batch)
        stats: dict[str, int | float] = {}
        with time_budget(self) as allows_call:
            for number, givens in enumerate(batch.tolist()):
                if not allows_call():
                    break
                answer = self.solve(Puzzle(self.shape, tuple(givens)))
                statuses[number] = answer.status
                if answer.grid is not None:
                    grids[number] = answer.grid
                _add(stats, answer.stats)
        return ManyAnswers(statuses, grids, stats)

    def count_many(self, puzzles: "NDArray[np.uint8]", limit: int) -> ManyCounts:
        """The number of solutions of each of n `puzzles`, up to `limit` (at least 1) each.

        Arguments, time limit and errors are as in `solve_many`; puzzles that the limit does not
        reach count 0, not exact. This default calls `count` for each puzzle.
        """
        import numpy as np

        batch = batch_of(puzzles, self.shape)
        numbers = [0] * len(batch)
        exact = np.zeros(len(batch), np.bool_)
        witnesses = np.zeros_like(batch)
        stats: dict[str, int | float] = {}
        with time_budget(self) as allows_call:
            for number, givens in enumerate(batch.tolist()):
                if not allows_call():
                    break
                count = self.count(Puzzle(self.shape, tuple(givens)), limit)
                numbers[number], exact[number] = count.number, count.exact
                if count.witness is not None:
                    witnesses[number] = count.witness
                _add(stats, count.stats)
        fits = all(map(fits_64_bits, numbers))
        array = np.array(numbers, np.int64) if fits else np.array(numbers, np.object_)
        return ManyCounts(array, exact, witnesses, stats)


def capabilities_of(backend: type[Backend[Any]]) -> Capability:
    """The capabilities that a backend's class declares."""
    declared = (c for c in Capability if getattr(backend, str(c.name).lower()))
    return reduce(or_, declared, Capability(0))


def _parts_without(puzzle: Puzzle, solution: Grid) -> Iterator[Puzzle]:
    """Puzzles that partition the solutions of `puzzle` other than `solution`."""
    shape = puzzle.shape
    givens_so_far = list(puzzle.givens)
    for cell, value in enumerate(solution):
        if puzzle.givens[cell]:
            continue
        peer_values = {givens_so_far[peer] for peer in shape.peers[cell]}
        for other in range(1, shape.size + 1):
            if (
                other != value
                and other not in peer_values
                and puzzle.allowed[cell] >> other - 1 & 1
            ):
                givens = (*givens_so_far[:cell], other, *givens_so_far[cell + 1 :])
                yield Puzzle(shape, givens, puzzle.pencilmarks)
        givens_so_far[cell] = value
