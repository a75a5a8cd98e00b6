"""Questions about pencilmarks and about pairs of cells that differ.

Their answers follow from those of puzzles without pencilmarks: a cell of an unavoidable set
that loses one of its two values decides the set, and a given v has the same effect as the
pencilmarks v and w in a cell that has a given w among its peers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from harness.conformance.clauses import FEW, Case
from harness.conformance.sampling import sampled
from harness.conformance.transcribed import COUNTED, HIDDEN, MINIMAL
from harness.conformance.unavoidable import UnavoidableSet, sets_of_pair, sets_with
from harness.puzzles.puzzle import Grid, Puzzle, values_of_line
from harness.puzzles.shape import Shape

Group = tuple[Case, ...]
"""Questions that follow each other directly."""
Builder = Callable[[Shape, Grid, bool], Iterator[Group]]
"""Makes the questions of a series from a shape, a complete grid of it, and whether to be
thorough."""

_FASTEST: Final = 5
"""The largest size with a question for every value of every cell."""
_SETS: Final = 4
"""The number of unavoidable sets whose numbers of solutions are multiplied."""
_MOST: Final = 4
"""The number of transcribed puzzles of a kind that get pencilmarks."""


def _cells(shape: Shape, full: Grid, thorough: bool) -> Iterator[Group]:
    """For each cell the same givens with other pencilmarks of it, which decide the puzzle."""
    for cell in sampled(shape.size**2, shape, thorough):
        sets = sets_with(shape, full, cell)
        for unavoidable in sets if shape.size <= _FASTEST else sets[:1]:
            yield _decided_by_marks(unavoidable, cell)


def _decided_by_marks(unavoidable: UnavoidableSet, cell: int) -> Group:
    own, other = unavoidable.grid[cell], unavoidable.other(cell)
    two, name = unavoidable.puzzle(), unavoidable.shape.cell_name(cell)
    first = without(two, {cell: [other]})
    second = without(two, {cell: [own]})
    none = without(two, {cell: [own, other]})
    values = range(1, unavoidable.shape.size + 1)
    others = [value for value in values if value not in unavoidable.values]
    both = without(two, dict.fromkeys(unavoidable.cells, others))
    what = f"pencilmarks of {name}"
    return (
        Case(f"{what} exclude {other}", first, 1),
        Case(f"{what} exclude {own}", second, 1),
        Case(f"{what} exclude {other}, counted", first, 1, limit=2),
        Case(f"{what} exclude {own}, counted", second, 1, limit=2),
        Case("the same givens without pencilmarks", two, 2, limit=9),
        Case(f"{what} exclude {own} and {other}", none, 0),
        Case("the same givens without pencilmarks, solved", two, 2),
        Case(f"{what} exclude {own} and {other}, counted", none, 0, limit=2),
        Case("pencilmarks exclude only what givens exclude", both, 2, limit=9),
    )


def _last_cells(shape: Shape, full: Grid, thorough: bool) -> Iterator[Group]:
    """For each cell a grid with only this cell blank, and without one or all of its values."""
    for cell in sampled(shape.size**2, shape, thorough):
        name = shape.cell_name(cell)
        givens = tuple(0 if other == cell else value for other, value in enumerate(full))
        puzzle = Puzzle(shape, givens)
        missing = without(puzzle, {cell: [full[cell]]})
        empty = without(puzzle, {cell: range(1, shape.size + 1)})
        left = next(value for value in range(1, shape.size + 1) if value != full[cell])
        kept = without(puzzle, {cell: [left]})
        yield (
            Case(f"the last cell, {name}, cannot have {full[cell]}", missing, 0),
            Case(f"the last cell, {name}, cannot have {left}", kept, 1),
            Case(f"the last cell, {name}, has no pencilmark", empty, 0),
            Case("the same givens without pencilmarks", puzzle, 1, limit=2),
            Case(f"the last cell, {name}, cannot have {full[cell]}, counted", missing, 0, limit=2),
            Case(f"the last cell, {name}, has no pencilmark, counted", empty, 0, limit=2),
            Case(f"the last cell, {name}, cannot have {left}, counted", kept, 1, limit=2),
        )


def _empty_cells(shape: Shape, full: Grid, thorough: bool) -> Iterator[Group]:
    """For each cell a puzzle with solutions, and without any pencilmark of that cell."""
    values = range(1, shape.size + 1)
    for cell in sampled(shape.size**2, shape, thorough):
        sparse = tuple(v if n % 2 else 0 for n, v in enumerate(full))
        puzzle = Puzzle(shape, (*sparse[:cell], 0, *sparse[cell + 1 :]))
        name, none = shape.cell_name(cell), without(puzzle, {cell: values})
        yield (
            Case(f"{name} has no pencilmark", none, 0),
            Case("the same givens without pencilmarks", puzzle, 1, at_least=True),
            Case(f"{name} has no pencilmark, counted", none, 0, limit=3),
        )


def _for_givens(shape: Shape, _full: Grid, _thorough: bool) -> Iterator[Group]:
    """Transcribed puzzles, with pencilmarks that have the effect of some givens."""
    spec = shape.definition
    for line in HIDDEN.get(spec, ())[:_MOST]:
        what, puzzle = "pencilmarks that only a search refutes", _of_line(shape, line)
        yield Case(what, puzzle, 0), Case(f"{what}, counted", puzzle, 0, limit=3)
    for line in MINIMAL.get(spec, ())[:_MOST]:
        what, puzzle = "one solution with pencilmarks", _of_line(shape, line)
        yield Case(what, puzzle, 1), Case(f"{what}, counted", puzzle, 1, limit=2)
    for line, number in COUNTED.get(spec, ()):
        puzzle = _of_line(shape, line)
        if puzzle.pencilmarks and number <= FEW:
            yield _counts_around(puzzle, number)


def _numbers(shape: Shape, full: Grid, _thorough: bool) -> Iterator[Group]:
    """Several unavoidable sets; pencilmarks decide none, some or all of them."""
    pairs = ((1, value) for value in range(2, shape.size + 1))
    sets = max((list(sets_of_pair(shape, full, *pair)) for pair in pairs), key=len)[:_SETS]
    blank = {cell for found in sets for cell in found.cells}
    puzzle = Puzzle(shape, tuple(0 if c in blank else value for c, value in enumerate(full)))
    for decided in range(len(sets) + 1):
        marks = {found.cells[0]: [found.other(found.cells[0])] for found in sets[:decided]}
        yield _counts_around(without(puzzle, marks), 2 ** (len(sets) - decided))


def pairs_kept(shape: Shape, full: Grid, thorough: bool) -> Iterator[Group]:
    """For each pair a value in one cell that the other cell would need too."""
    size = shape.size
    for number in sampled(len(shape.pairs), shape, thorough):
        one, other = shape.pairs[number]
        what = f"{shape.cell_name(one)} and {shape.cell_name(other)}"
        value = full[one]
        empty = [0] * size**2
        equal = list(empty)
        equal[one] = equal[other] = value
        twice = Puzzle(shape, tuple(equal))
        yield (
            Case(f"two equal givens in {what}", twice, 0),
            Case(f"two equal givens in {what}, counted", twice, 0, limit=3),
        )
        for house in shape.houses_of[other]:
            cells = shape.houses[house].cells
            left = [v for v in range(1, size + 1) if v != value]
            forced = list(empty)
            forced[one] = value
            for cell, held in zip((c for c in cells if c != other), left, strict=True):
                forced[cell] = held
            if _has_no_equal_peers(shape, forced):
                puzzle = Puzzle(shape, tuple(forced))
                yield (
                    Case(f"the last value of a house, equal in {what}", puzzle, 0),
                    Case(f"the last value of a house, equal in {what}, counted", puzzle, 0, 3),
                )
                break


def _has_no_equal_peers(shape: Shape, grid: list[int]) -> bool:
    return not any(
        value and grid[peer] == value
        for cell, value in enumerate(grid)
        for peer in shape.peers[cell]
    )


def _counts_around(puzzle: Puzzle, number: int) -> Group:
    what = f"{number} solution{'' if number == 1 else 's'} with pencilmarks"
    limits = [limit for limit in (number, number + 1, number - 1) if limit]
    return tuple(Case(f"{what}, limit {limit}", puzzle, number, limit=limit) for limit in limits)


def without(puzzle: Puzzle, excluded: Mapping[int, Iterable[int]]) -> Puzzle:
    """`puzzle` with pencilmarks: all but the `excluded` values of some blank cells."""
    marks = list(puzzle.allowed)
    for cell, values in excluded.items():
        for value in values:
            marks[cell] &= ~(1 << value - 1)
    return Puzzle(puzzle.shape, puzzle.givens, tuple(marks))


def _of_line(shape: Shape, line: str) -> Puzzle:
    """The puzzle on `line`, with pencilmarks for every given that needs the given of a peer."""
    givens = list(values_of_line(line))
    marks = list(Puzzle(shape, tuple(givens)).allowed)
    needed: set[int] = set()
    for cell, value in enumerate(givens):
        peers = (p for p in shape.peers[cell] if givens[p] not in (0, value))
        if value and cell not in needed and (peer := next(peers, None)) is not None:
            needed.add(peer)
            marks[cell] |= 1 << givens[peer] - 1
            givens[cell] = 0
    return Puzzle(shape, tuple(givens), tuple(marks))


WITH_PENCILMARKS: Final[dict[str, Builder]] = {
    "pencilmarks of every cell decide": _cells,
    "pencilmarks of the last cell": _last_cells,
    "cells without pencilmarks": _empty_cells,
    "pencilmarks for givens": _for_givens,
    "numbers of solutions with pencilmarks": _numbers,
}
"""The series of a backend that takes pencilmarks, by their titles."""
