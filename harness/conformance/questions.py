"""Single questions about a shape.

The expected answers follow from construction or were counted by hand, not by a solver.
"""

from collections.abc import Iterator
from math import factorial
from typing import Final

from harness.conformance.clauses import Case
from harness.conformance.shapes import JIGSAW, known_grid
from harness.conformance.unavoidable import sets_with
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import Shape

HURRY: Final = 1e-3
"""A time limit in seconds that is too short for many puzzles."""

_FIRST_ROWS: Final = {
    "4x4": 12,
    "4x4+diagonal": 2,
    JIGSAW: 6,
    "latin2": 1,
    "latin3": 2,
    "latin4": 24,  # counted by hand
    "latin5": 1_344,
    "6x6+antiking": 103,
    "6x6": 39_168,
    "box3x2": 39_168,
    "9x9": 18_383_222_420_692_992,
}
"""The number of completions of a first row that holds every value.

Every first row has as many, as values can be exchanged: an empty grid has N! times as many
solutions. For larger shapes: the sequences A002860 and A107739 of the OEIS; Felgenhauer and
Jarvis, "Mathematics of Sudoku I", 2006, for 9x9.
"""
_FEW: Final = 100
"""A limit of `count` above the numbers that the suite has counted by hand."""
LARGEST_EMPTY: Final = 16
"""The largest size whose empty grid is a question."""


def number_of_grids(shape: Shape) -> int | None:
    """The number of complete grids of a shape, None if it is not known here."""
    completions = _FIRST_ROWS.get(shape.definition)
    return completions and factorial(shape.size) * completions


def cases(shape: Shape) -> Iterator[Case]:
    """The questions about `shape`, in an order that exposes state kept between puzzles.

    Raises:
        PuzzleError: no complete grid of the shape is known.
    """
    size = shape.size
    full = known_grid(shape)
    if size > LARGEST_EMPTY:
        yield from _nearly_full(shape, full)
        return
    sparse = _blanked(shape, full, 2)
    empty = Puzzle(shape, (0,) * size**2)
    first_row = Puzzle(shape, (*range(1, size + 1), *empty.givens[size:]))
    another = _blanked(shape, tuple(value % size + 1 for value in full), 2)
    starved = _starved(shape)
    yield Case("a solution", sparse, 1, at_least=True)
    yield Case("another solution with as many givens", another, 1, at_least=True)
    yield Case("no solution", starved, 0)
    yield Case("a solution after no solution", sparse, 1, at_least=True)
    for kind, contradiction in _contradictions(empty).items():
        yield Case(f"two equal values in a {kind}", contradiction, 0)
        yield Case(f"two equal values in a {kind}, counted", contradiction, 0, limit=2)
    yield from _full_grids(shape, full)
    completions = _FIRST_ROWS.get(shape.definition)
    all_grids = factorial(size) * (completions or 1)
    unknown = completions is None
    yield Case("an empty grid", empty, all_grids, at_least=unknown)
    yield Case("a first row", first_row, completions or 1, at_least=unknown)
    yield Case("a count of one", _blanked(shape, full, size + 2), 1, limit=2)
    yield from _counts_of_two(shape, full)
    yield Case("a count of zero", starved, 0, limit=3)
    yield Case("a count that stops at 3", empty, all_grids, limit=3, at_least=unknown)
    yield Case("a count that stops at 1", empty, all_grids, limit=1, at_least=unknown)
    if completions and 1 < completions < _FEW:
        title = f"{completions} completions of a first row"
        yield Case(title, first_row, completions, limit=_FEW)
        yield Case(f"{title}, again", first_row, completions, limit=_FEW)
        yield Case(f"{title}, limit one lower", first_row, completions, limit=completions - 1)
    yield Case("a solution within 1 ms", empty, all_grids, time_limit=HURRY, at_least=unknown)
    yield Case("no solution, within 1 ms", starved, 0, time_limit=HURRY)
    yield Case("a count within 1 ms", empty, all_grids, 9, time_limit=HURRY, at_least=unknown)


def essential(shape: Shape) -> Iterator[Case]:
    """The essential questions about `shape`, for parts that create many backends."""
    size = shape.size
    full = known_grid(shape)
    if size > LARGEST_EMPTY:
        yield from _nearly_full(shape, full)
        return
    sparse = _blanked(shape, full, 2)
    yield Case("a solution", sparse, 1, at_least=True)
    yield Case("no solution", _starved(shape), 0)
    yield Case("a count of one", _blanked(shape, full, size + 2), 1, limit=2)
    yield from list(_counts_of_two(shape, full))[:1]


def _full_grids(shape: Shape, full: Grid) -> Iterator[Case]:
    yield Case("a full grid", Puzzle(shape, full), 1)
    yield Case("a full grid, counted", Puzzle(shape, full), 1, limit=2)
    yield Case("a full grid with two cells exchanged", Puzzle(shape, _exchanged(full)), 0)


def _nearly_full(shape: Shape, full: Grid) -> Iterator[Case]:
    """The questions about a shape whose empty grid takes many solvers too long."""
    one = _blanked(shape, full, shape.size + 2)
    yield Case("a solution", one, 1)
    yield from _full_grids(shape, full)
    yield Case("a count of one", one, 1, limit=2)
    yield from _counts_of_two(shape, full)


def _counts_of_two(shape: Shape, full: Grid) -> Iterator[Case]:
    two = sets_with(shape, full, 0)[0].puzzle()
    yield Case("a count of two", two, 2, limit=9)
    yield Case("a count of two, at the limit", two, 2, limit=2)
    yield Case("one of two solutions", two, 2)
    blanks = len(two.givens) - two.clues
    if blanks <= shape.size:  # a row has one completion if all other cells are given
        one_row = Puzzle(shape, (*(0,) * blanks, *full[blanks:]))
        yield Case("a count of one with as many givens as a count of two", one_row, 1, limit=9)


def _blanked(shape: Shape, full: Grid, every: int) -> Puzzle:
    """`full` with blanks at cells 0, `every`, 2 * `every` and so on."""
    return Puzzle(shape, tuple(0 if cell % every == 0 else v for cell, v in enumerate(full)))


def _with(puzzle: Puzzle, values: dict[int, int]) -> Puzzle:
    givens = list(puzzle.givens)
    for cell, value in values.items():
        givens[cell] = value
    return Puzzle(puzzle.shape, tuple(givens))


def _contradictions(empty: Puzzle) -> dict[str, Puzzle]:
    """For each kind of house a puzzle with two equal values in it, and if possible in no other."""
    shape = empty.shape
    found: dict[str, Puzzle] = {}
    for house in shape.houses:
        if house.kind in found:
            continue
        pairs = [(a, b) for a in house.cells for b in house.cells if a < b]
        one, other = min(
            pairs,
            key=lambda pair: sum(pair[0] in h.cells and pair[1] in h.cells for h in shape.houses),
        )
        found[house.kind] = _with(empty, {one: 1, other: 1})
    return found


def _starved(shape: Shape) -> Puzzle:
    """A puzzle without duplicates whose last cell of the first row has no candidate.

    The row leaves it the largest value only, which is already in its column.
    """
    size = shape.size
    row = {cell: cell + 1 for cell in range(size - 1)}
    return _with(Puzzle(shape, (0,) * size**2), row | {size * size - 1: size})


def _exchanged(full: Grid) -> Grid:
    return (full[1], full[0], *full[2:])
