"""The contract as a suite that any backend can be held to.

    from harness.contract.conformance import examine
    assert not examine(MyBackend)

Each case asks one question whose answer is known and lists the clauses of the
contract that the answer breaks. The grids that answers are checked against are
made by rule or small enough to count by hand; nothing here asks another solver.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from harness.contract.backend import Answer, Backend, Count, Unsupported
from harness.contract.options import Options
from harness.contract.verdict import Verdict
from harness.puzzles.generate import pattern_grid, pattern_puzzle
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import Shape

SHAPES: Final = ("4x4", "6x6", "box3x2", "9x9", "16x16", "latin5")
"""The shapes that a backend is examined on unless others are named."""

_UNSOLVED: Final = frozenset({Verdict.UNSATISFIABLE, Verdict.UNKNOWN})


@dataclass(frozen=True, slots=True)
class Case:
    """A question with a known answer."""

    clause: str
    """What is examined, for instance "a proof of none"."""
    puzzle: Puzzle
    solutions: int
    """How many there are, at least `limit` where there are more than that."""
    limit: int | None = None
    """Of `count`; None where `solve` is asked."""

    def __str__(self) -> str:
        return f"{self.clause} ({self.puzzle.shape})"


@dataclass(frozen=True, slots=True)
class Breach:
    """An answer that breaks the contract."""

    case: Case
    fault: str

    def __str__(self) -> str:
        return f"{self.case}: {self.fault}: {self.case.puzzle.line}"


def examine(
    backend: type[Backend], options: Options | None = None, shapes: Sequence[str] = SHAPES
) -> list[Breach]:
    """What `backend` breaks; an empty list where it keeps the whole contract.

    A shape that the backend calls unsupported is passed over.
    """
    breaches = []
    for spec in shapes:
        shape = Shape.parse(spec)
        try:
            made = backend(shape, backend.options_type() if options is None else options)
        except Unsupported:
            continue
        asked = list(cases(shape))
        for case in asked:
            breaches += [Breach(case, fault) for fault in faults(made, case)]
        breaches += [Breach(case, f"in a batch: {fault}") for case, fault in batched(made, asked)]
    return breaches


def cases(shape: Shape) -> Iterator[Case]:
    """The questions about `shape`, in an order in which what is kept would show.

    Raises:
        InputError: the shape is neither boxed nor a latin square.
    """
    size = shape.size
    full = pattern_grid(shape)
    sparse = pattern_puzzle(shape, blank_every=2)
    empty = Puzzle(shape, (0,) * size**2)
    first_row = Puzzle(shape, (*range(1, size + 1), *empty.givens[size:]))
    yield Case("a solution", sparse, 1)
    yield Case("a proof of none", _starved(shape), 0)
    yield Case("a solution after a proof of none", sparse, 1)
    yield Case("contradictory givens", _with(empty, {0: 1, 1: 1}), 0)
    yield Case("contradictory givens, counted", _with(empty, {0: 1, 1: 1}), 0, limit=2)
    yield Case("a full grid", Puzzle(shape, full), 1)
    yield Case("a full grid, counted", Puzzle(shape, full), 1, limit=2)
    yield Case("a full grid with two cells exchanged", Puzzle(shape, _exchanged(full)), 0)
    yield Case("an empty grid", empty, 1)
    yield Case("a first row alone", first_row, 1)
    yield Case("a count of one", pattern_puzzle(shape, blank_every=size + 2), 1, limit=2)
    yield Case("a count of two", _two_ways(shape, full), 2, limit=9)
    yield Case("a count of none", _starved(shape), 0, limit=3)
    yield Case("a count that stops at 3", empty, 3, limit=3)
    yield Case("a count that stops at 1", empty, 1, limit=1)
    if shape == Shape.parse("4x4"):
        yield Case("12 completions of a first row", first_row, 12, limit=100)
        yield Case("a count again", first_row, 12, limit=100)
    if shape == Shape.parse("latin4"):
        yield Case("24 completions of a first row", first_row, 24, limit=100)


def faults(backend: Backend, case: Case) -> Iterator[str]:
    """How the answer of `backend` to `case` breaks the contract."""
    before = case.puzzle.givens
    try:
        if case.limit is None:
            answer = backend.solve(case.puzzle)
            yield from _faults_of_answer(answer, case, complete=backend.complete)
        else:
            count = backend.count(case.puzzle, case.limit)
            yield from _faults_of_count(count, case, case.limit, complete=backend.complete)
    except Unsupported:
        return
    except Exception as error:  # noqa: BLE001  a backend may raise anything
        yield f"raises {type(error).__name__}: {error}"
    if case.puzzle.givens != before:
        yield "changes the puzzle"


def batched(backend: Backend, asked: Sequence[Case]) -> Iterator[tuple[Case, str]]:
    """How the answers of `backend` to these cases, all at a time, break the contract.

    The cases are of the backend's shape. Those with one limit are a batch. The loops that the
    contract itself has for a backend without batches are not examined again.
    """
    loops = (Backend.solve_many, Backend.count_many)
    if (type(backend).solve_many, type(backend).count_many) == loops:
        return
    limits = sorted({case.limit or 0 for case in asked})
    for limit in limits:
        batch = [case for case in asked if (case.limit or 0) == limit]
        try:
            yield from _faults_of_batch(backend, batch, limit)
        except Unsupported:
            continue
        except Exception as error:  # noqa: BLE001  a backend may raise anything
            yield batch[0], f"raises {type(error).__name__}: {error}"


def _faults_of_batch(
    backend: Backend, batch: Sequence[Case], limit: int
) -> Iterator[tuple[Case, str]]:
    """Each row of the answer as if it had been asked for alone; `limit` is 0 for `solve`."""
    import numpy as np

    givens = np.array([case.puzzle.givens for case in batch], np.uint8)
    before = givens.copy()
    alone: list[Answer] | list[Count]
    if limit:
        counts = backend.count_many(givens, limit)
        columns = (counts.numbers, counts.exact, counts.witnesses)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        stats = counts.stats
        alone = [Count(n, exact, _row(grid), stats) for n, exact, grid in rows]
    else:
        answers = backend.solve_many(givens)
        pairs = zip(answers.verdicts, answers.grids.tolist(), strict=True)
        stats = answers.stats
        alone = [Answer(verdict, _row(grid), stats) for verdict, grid in pairs]
    if not np.array_equal(givens, before):
        yield batch[0], "changes the puzzles"
    if len(alone) != len(batch):
        yield batch[0], f"gives {len(alone)} answers to {len(batch)} puzzles"
        return
    for case, answer in zip(batch, alone, strict=True):
        check = _faults_of_count(answer, case, limit) if limit else _faults_of_answer(answer, case)
        yield from ((case, fault) for fault in check)


def _row(values: list[int]) -> Grid | None:
    """A row of an array of grids, which has zeros where there is none."""
    return tuple(values) if any(values) else None


def _faults_of_answer(answer: Any, case: Case, *, complete: bool = True) -> Iterator[str]:
    if not isinstance(answer, Answer):
        yield f"solve returns a {type(answer).__name__}, not an Answer"
        return
    yield from _faults_of_record(answer)
    expected = Verdict.SOLVED if case.solutions else Verdict.UNSATISFIABLE
    if answer.verdict is Verdict.UNKNOWN and not complete:
        pass  # it may give up; a claim has to be right all the same
    elif answer.verdict is not expected:
        yield f"{answer.verdict}, not {expected}"
    elif answer.verdict is Verdict.SOLVED:
        yield from _faults_of_grid(answer.grid, case.puzzle)
    if answer.verdict in _UNSOLVED and answer.grid is not None:
        yield f"{answer.verdict}, but with a grid"


def _faults_of_count(count: Any, case: Case, limit: int, *, complete: bool = True) -> Iterator[str]:
    if not isinstance(count, Count):
        yield f"count returns a {type(count).__name__}, not a Count"
        return
    yield from _faults_of_record(count)
    expected = min(case.solutions, limit)
    if not complete and count.exact is False and count.number in range(expected + 1):
        pass  # a lower bound
    elif type(count.number) is not int or count.number != expected:
        yield f"counts {count.number!r}, not {expected}"
    elif count.exact is not (count.number < limit):
        yield f"says exact={count.exact} of {count.number} with limit {limit}"
    if count.witness is not None:
        yield from _faults_of_grid(count.witness, case.puzzle)


def _faults_of_record(record: Answer | Count) -> Iterator[str]:
    for name, value in record.stats.items():
        if not _is_statistic(name, value):
            yield f"statistic {name!r} is {value!r}, not a number"
    for name in ("encode", "search", "decode"):
        seconds = getattr(record.phases, name)
        if not isinstance(seconds, int | float) or not 0 <= seconds < float("inf"):
            yield f"phase {name} took {seconds!r} seconds"


def _is_statistic(name: Any, value: Any) -> bool:
    return isinstance(name, str) and isinstance(value, int | float)


def _faults_of_grid(grid: Any, puzzle: Puzzle) -> Iterator[str]:
    shape = puzzle.shape
    if not isinstance(grid, tuple) or len(grid) != shape.size**2:
        yield f"the grid is no tuple of {shape.size**2} values"
        return
    if not all(type(value) is int for value in grid):
        yield "the grid has values that are not int"
        return
    every = set(range(1, shape.size + 1))
    for house in shape.houses:
        if {grid[cell] for cell in house.cells} != every:
            yield f"{house} does not hold every value once"
    if any(given not in (0, value) for given, value in zip(puzzle.givens, grid, strict=True)):
        yield "the grid changes a given"


def _with(puzzle: Puzzle, values: dict[int, int]) -> Puzzle:
    givens = list(puzzle.givens)
    for cell, value in values.items():
        givens[cell] = value
    return Puzzle(puzzle.shape, tuple(givens))


def _starved(shape: Shape) -> Puzzle:
    """No given contradicts another, but the last cell of the first row has no value left.

    The row gives it the largest value only, and its column has that elsewhere.
    """
    size = shape.size
    row = {cell: cell + 1 for cell in range(size - 1)}
    return _with(Puzzle(shape, (0,) * size**2), row | {size * size - 1: size})


def _exchanged(full: Grid) -> Grid:
    return (full[1], full[0], *full[2:])


def _two_ways(shape: Shape, full: Grid) -> Puzzle:
    """A full grid without cells of the first two rows that can be filled in two ways.

    Exchanging the two rows in the first column doubles a value in each row; to
    mend that, the column where the value stands already is exchanged too, and
    so on until nothing is doubled. The rows share a band, so that boxes never
    notice. The cells of these columns hold either the old values or the new.
    """
    size = shape.size
    first, second = full[:size], full[size : 2 * size]
    givens, column = list(full), 0
    while givens[column]:
        givens[column] = givens[size + column] = 0
        column = first.index(second[column])
    return Puzzle(shape, tuple(givens))
