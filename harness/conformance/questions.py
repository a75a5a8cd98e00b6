"""The questions that a backend is examined with, and the shapes that they are about.

The grids that answers are checked against are made by rule or small enough to
count by hand; nothing here asks a solver.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final

from harness.conformance.clauses import Case
from harness.puzzles.generate import pattern_grid
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import House, Shape

SHAPES: Final = (
    "4x4",
    "diagonal4",
    "jigsaw4",
    "6x6",
    "box3x2",
    "9x9",
    "16x16",
    "latin5",
)
"""The shapes that a backend is examined on unless others are named."""

HURRY: Final = 1e-3
"""Seconds that are too few for many a puzzle."""

_DIAGONAL: Final = "1234341243212143"
_JIGSAW: Final = "1234412334122341"
_REGIONS: Final = "AAABABBBCCCDCDDD"
_OF_OUR_OWN: Final = {"diagonal4": _DIAGONAL, "jigsaw4": _JIGSAW}
_FIRST_ROWS: Final = {"4x4": 12, "diagonal4": 2, "jigsaw4": 6, "latin4": 24}
"""How many completions the first row 1234 has, counted by hand."""


@cache
def shape_named(spec: str) -> Shape:
    """The shape called `spec`: one that `Shape.parse` knows, ``diagonal4`` or ``jigsaw4``.

    Those two have houses that no box tells of: both diagonals of a 4x4, and four
    crooked regions instead of boxes.

    Raises:
        InputError: there is no such shape.
    """
    square = Shape.parse("4x4")
    if spec == "diagonal4":
        diagonals = (
            House("diagonal", 1, (0, 5, 10, 15)),
            House("diagonal", 2, (3, 6, 9, 12)),
        )
        return Shape(spec, 4, (*square.houses, *diagonals), square.box)
    if spec == "jigsaw4":
        cells = [tuple(c for c in range(16) if _REGIONS[c] == region) for region in "ABCD"]
        regions = (House("region", number, part) for number, part in enumerate(cells, 1))
        return Shape(spec, 4, (*Shape.parse("latin4").houses, *regions))
    return Shape.parse(spec)


def known_grid(shape: Shape) -> Grid:
    """A complete grid of `shape`, always the same.

    Raises:
        InputError: none is known: it has houses that are neither boxes nor lines.
    """
    if line := _OF_OUR_OWN.get(shape.spec):
        return tuple(map(int, line))
    return pattern_grid(shape)


def cases(shape: Shape) -> Iterator[Case]:
    """The questions about `shape`, in an order in which what is kept would show.

    Raises:
        InputError: the shape is not one that the examination knows a grid of.
    """
    size = shape.size
    full = known_grid(shape)
    sparse = _blanked(shape, full, 2)
    empty = Puzzle(shape, (0,) * size**2)
    first_row = Puzzle(shape, (*range(1, size + 1), *empty.givens[size:]))
    another = _blanked(shape, tuple(value % size + 1 for value in full), 2)
    starved = _starved(shape)
    yield Case("a solution", sparse, 1)
    yield Case("another with as many givens", another, 1)
    yield Case("a proof of none", starved, 0)
    yield Case("a solution after a proof of none", sparse, 1)
    for kind, contradiction in _contradictions(empty).items():
        yield Case(f"two equal values in a {kind}", contradiction, 0)
        yield Case(f"two equal values in a {kind}, counted", contradiction, 0, limit=2)
    yield Case("a full grid", Puzzle(shape, full), 1)
    yield Case("a full grid, counted", Puzzle(shape, full), 1, limit=2)
    yield Case("a full grid with two cells exchanged", Puzzle(shape, _exchanged(full)), 0)
    yield Case("an empty grid", empty, 1)
    yield Case("a first row alone", first_row, 1)
    yield Case("a count of one", _blanked(shape, full, size + 2), 1, limit=2)
    yield from _counts_of_two(shape, full)
    yield Case("a count of none", starved, 0, limit=3)
    yield Case("a count that stops at 3", empty, 3, limit=3)
    yield Case("a count that stops at 1", empty, 1, limit=1)
    if number := _FIRST_ROWS.get(shape.spec):
        title = f"{number} completions of a first row"
        yield Case(title, first_row, number, limit=100)
        yield Case(f"{title}, again", first_row, number, limit=100)
        yield Case(f"{title}, one too many for the limit", first_row, number - 1, limit=number - 1)
    yield Case("a solution in a hurry", empty, 1, time_limit=HURRY)
    yield Case("a proof of none in a hurry", starved, 0, time_limit=HURRY)
    yield Case("a count in a hurry", empty, 9, limit=9, time_limit=HURRY)


def essential(shape: Shape) -> Iterator[Case]:
    """A few of the questions about `shape`, for when many backends are made."""
    size = shape.size
    full = known_grid(shape)
    sparse = _blanked(shape, full, 2)
    yield Case("a solution", sparse, 1)
    yield Case("a proof of none", _starved(shape), 0)
    yield Case("a count of one", _blanked(shape, full, size + 2), 1, limit=2)
    yield from list(_counts_of_two(shape, full))[:1]


def _counts_of_two(shape: Shape, full: Grid) -> Iterator[Case]:
    two = _two_ways(shape, full)
    if two is None:
        return
    yield Case("a count of two", two, 2, limit=9)
    yield Case("a count of two that stops there", two, 2, limit=2)
    yield Case("one of two solutions", two, 1)
    blanks = len(two.givens) - two.clues
    if blanks <= shape.size:  # a row has one completion where all else is given
        one_row = Puzzle(shape, (*(0,) * blanks, *full[blanks:]))
        yield Case("a count of one with as many givens as two had", one_row, 1, limit=9)


def _blanked(shape: Shape, full: Grid, every: int) -> Puzzle:
    """`full` with every so many cells, from the first on, blank."""
    return Puzzle(shape, tuple(0 if cell % every == 0 else v for cell, v in enumerate(full)))


def _with(puzzle: Puzzle, values: dict[int, int]) -> Puzzle:
    givens = list(puzzle.givens)
    for cell, value in values.items():
        givens[cell] = value
    return Puzzle(puzzle.shape, tuple(givens))


def _contradictions(empty: Puzzle) -> dict[str, Puzzle]:
    """For each kind of house two equal values in one, in no other house where that can be."""
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
    """No given contradicts another, but the last cell of the first row has no value left.

    The row gives it the largest value only, and its column has that elsewhere.
    """
    size = shape.size
    row = {cell: cell + 1 for cell in range(size - 1)}
    return _with(Puzzle(shape, (0,) * size**2), row | {size * size - 1: size})


def _exchanged(full: Grid) -> Grid:
    return (full[1], full[0], *full[2:])


def _two_ways(shape: Shape, full: Grid) -> Puzzle | None:
    """A full grid without cells of the first two rows that can be filled in two ways.

    Exchanging the two rows in the first column doubles a value in each row; to
    mend that, the column where the value stands already is exchanged too, and
    so on until nothing is doubled. The rows share a band, so that boxes never
    notice. The cells of these columns hold either the old values or the new.
    None where the shape has other houses, which would notice.
    """
    if not {house.kind for house in shape.houses} <= {"row", "column", "box"}:
        return None
    size = shape.size
    first, second = full[:size], full[size : 2 * size]
    givens, column = list(full), 0
    while givens[column]:
        givens[column] = givens[size + column] = 0
        column = first.index(second[column])
    return Puzzle(shape, tuple(givens))
