"""Single questions about a shape, its pencilmarks and pairs.

Two values a and b of a complete grid make a graph: its nodes are the cells that hold a or b,
and its edges join two cells of a house. Every house has one a and one b, so an exchange of a
and b in a connected component leaves every house complete. The component is an unavoidable
set (McGuire, Tugemann and Civario, "There is no 16-clue Sudoku", Experimental Mathematics
23(2), 2014): without its cells, the grid has exactly two completions, because each of its
cells can hold a or b only, and the value of one cell decides its neighbours. This holds for all
houses: boxes, diagonals and regions.

The expected answers follow from construction or were counted by hand, not by a solver.

The answers for puzzles with pencilmarks follow from those without: a cell of an unavoidable set
that loses one of its two values decides the set, and a given v has the same effect as the
pencilmarks v and w in a cell that has a given w among its peers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import combinations, permutations
from math import factorial
from random import Random
from typing import Final

from harness.extensions.conformance.clauses import FEW, Case
from harness.extensions.conformance.shapes import JIGSAW, known_grid, transcribed
from harness.puzzles import Grid, House, Puzzle, Shape

# Questions, and the cells, clues, houses and pairs that they are about.


Group = tuple[Case, ...]
"""Questions that follow each other directly."""

MEDIUM: Final = 9
"""The largest size with questions about all cells and all numbers of clues."""
SAMPLE: Final = 24
"""The number of cells, clues, houses or pairs of a larger shape that are sampled."""
BRIEF: Final = 2
"""The number of groups of a series in a brief examination."""


class Depth(Enum):
    """How many questions an examination puts about a shape."""

    BRIEF = "brief"
    """A few of each series."""
    USUAL = "usual"
    THOROUGH = "thorough"
    """All cells, numbers of clues and houses of large shapes too, and more calls."""


def sample_of(number: int, shape: Shape, depth: Depth) -> Iterable[int]:
    """The indices below `number`, or a sample of them for a large shape or a brief examination."""
    most = BRIEF if depth is Depth.BRIEF else SAMPLE
    is_whole = depth is Depth.THOROUGH or (depth is Depth.USUAL and shape.size <= MEDIUM)
    if is_whole or number <= most:
        return range(number)
    random = Random(number)  # noqa: S311  a sample, not a secret
    return sorted(random.sample(range(number), most))


def solved_and_counted(
    title: str, puzzle: Puzzle, solutions: int, limit: int, *, at_least: bool = False
) -> Group:
    """The same question for `solve` and, with this limit, for `count`."""
    return (
        Case(title, puzzle, solutions, at_least=at_least),
        Case(f"{title}, counted", puzzle, solutions, limit, at_least=at_least),
    )


def with_values(puzzle: Puzzle, values: Mapping[int, int]) -> Puzzle:
    """The puzzle with these values in these cells; 0 for a blank."""
    givens = list(puzzle.givens)
    for cell, value in values.items():
        givens[cell] = value
    return Puzzle(puzzle.shape, tuple(givens))


# Unavoidable sets: cells of a grid whose values another solution exchanges.


@dataclass(frozen=True, slots=True)
class UnavoidableSet:
    """Cells of a complete grid that hold two values, which can be exchanged."""

    shape: Shape
    grid: Grid = field(repr=False)
    cells: tuple[int, ...]
    values: tuple[int, int]

    def other(self, cell: int) -> int:
        """The value of `cell`, which is in the set, in the other solution."""
        first, second = self.values
        return second if self.grid[cell] == first else first

    @property
    def foreign_value(self) -> int:
        """A value that no cell of the set can hold."""
        return next(v for v in range(1, self.shape.size + 1) if v not in self.values)

    def puzzle(self, values: Mapping[int, int] | None = None) -> Puzzle:
        """The grid without the set, with these `values` in their cells instead.

        Without `values` it has two solutions. With the value of one cell of the set, its own
        or the other, it has one.
        """
        blanks = dict.fromkeys(self.cells, 0)
        return with_values(Puzzle(self.shape, self.grid), {**blanks, **(values or {})})

    def farthest(self) -> tuple[int, int]:
        """Two cells of the set with the most steps from house to house between them."""
        steps = {cell: _steps(self.shape, {*self.cells}, cell) for cell in self.cells}
        return max(combinations(self.cells, 2), key=lambda pair: steps[pair[0]][pair[1]])


def _steps(shape: Shape, cells: set[int], start: int) -> dict[int, int]:
    """The number of steps between peers from `start` to each of the `cells` that it reaches."""
    steps, border = {start: 0}, [start]
    for cell in border:
        for peer in shape.peers[cell]:
            if peer not in steps and peer in cells:
                steps[peer] = steps[cell] + 1
                border.append(peer)
    return steps


def set_with(shape: Shape, grid: Grid, cell: int, value: int) -> UnavoidableSet:
    """The set that holds `cell` and exchanges its value with another `value`."""
    pair = (grid[cell], value)
    holders = {holder for holder, held_value in enumerate(grid) if held_value in pair}
    return UnavoidableSet(shape, grid, tuple(sorted(_steps(shape, holders, cell))), pair)


def sets_with(shape: Shape, grid: Grid, cell: int) -> list[UnavoidableSet]:
    """The sets that hold `cell`, one for each other value, those with the fewest cells first.

    The order of sets of equal size depends on the cell, so that all values occur.
    """
    values = (value for value in range(1, shape.size + 1) if value != grid[cell])
    sets = [set_with(shape, grid, cell, value) for value in values]
    return sorted(sets, key=lambda s: (len(s.cells), (s.values[1] - cell) % shape.size))


def sets_of_pair(shape: Shape, grid: Grid, first: int, second: int) -> Iterator[UnavoidableSet]:
    """The sets of a pair of values. Without k of them the grid has 2^k solutions."""
    done: set[int] = set()
    for cell, value in enumerate(grid):
        if value == first and cell not in done:
            unavoidable = set_with(shape, grid, cell, second)
            done.update(unavoidable.cells)
            yield unavoidable


def most_disjoint_sets(shape: Shape, grid: Grid) -> list[UnavoidableSet]:
    """The sets of 1 and another value, chosen such that there are most."""
    others = range(2, shape.size + 1)
    return max((list(sets_of_pair(shape, grid, 1, value)) for value in others), key=len)


# Single questions about a shape.


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

Every first row has the same number, since values can be exchanged: an empty grid has N! times as
many solutions. For larger shapes: the sequences A002860 and A107739 of the OEIS; Felgenhauer and
Jarvis, "Mathematics of Sudoku I", 2006, for 9x9.
"""
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
    if size > LARGEST_EMPTY:  # the empty grid takes many solvers too long
        puzzle = _with_blanks(shape, full, size + 2)
        yield Case("a solution", puzzle, 1)
        yield from _full_grids(shape, full)
        yield Case("a count of one", puzzle, 1, limit=2)
        yield from _counts_of_two(shape, full)
        return
    sparse = _with_blanks(shape, full, 2)
    empty = Puzzle(shape, (0,) * size**2)
    first_row = Puzzle(shape, (*range(1, size + 1), *empty.givens[size:]))
    another = _with_blanks(shape, tuple(value % size + 1 for value in full), 2)
    # The last cell of the first row has no candidate: the row leaves it the largest value only,
    # which is already in its column.
    row = {cell: cell + 1 for cell in range(size - 1)}
    unsatisfiable = with_values(empty, row | {size**2 - 1: size})
    yield Case("a solution", sparse, 1, at_least=True)
    yield Case("another solution with as many givens", another, 1, at_least=True)
    yield Case("no solution", unsatisfiable, 0)
    yield Case("a solution after no solution", sparse, 1, at_least=True)
    first_houses: dict[str, House] = {}
    for house in shape.houses:
        first_houses.setdefault(house.kind, house)
    for kind, house in first_houses.items():
        first, second = next(pairs_in_few_houses(shape, house))
        contradiction = with_values(empty, {first: 1, second: 1})
        yield from solved_and_counted(f"two equal values in a {kind}", contradiction, 0, 2)
    yield from _full_grids(shape, full)
    completions = _FIRST_ROWS.get(shape.definition)
    all_grids = factorial(size) * (completions or 1)
    unknown = completions is None
    yield Case("an empty grid", empty, all_grids, at_least=unknown)
    yield Case("a first row", first_row, completions or 1, at_least=unknown)
    yield Case("a count of one", _with_blanks(shape, full, size + 2), 1, limit=2)
    yield from _counts_of_two(shape, full)
    yield Case("a count of zero", unsatisfiable, 0, limit=3)
    yield Case("a count that stops at 3", empty, all_grids, limit=3, at_least=unknown)
    yield Case("a count that stops at 1", empty, all_grids, limit=1, at_least=unknown)
    if completions and 1 < completions < 100:  # these were counted by hand
        title = f"{completions} completions of a first row"
        yield Case(title, first_row, completions, limit=100)
        yield Case(f"{title}, again", first_row, completions, limit=100)
        yield Case(f"{title}, limit one lower", first_row, completions, limit=completions - 1)
    yield Case("a solution within 1 ms", empty, all_grids, time_limit=HURRY, at_least=unknown)
    yield Case("no solution, within 1 ms", unsatisfiable, 0, time_limit=HURRY)
    yield Case("a count within 1 ms", empty, all_grids, 9, time_limit=HURRY, at_least=unknown)


def essential(shape: Shape) -> Iterator[Case]:
    """The essential questions about `shape`, for parts that create many backends."""
    titles = ("a solution", "no solution", "a count of one", "a count of two")
    is_large = shape.size > LARGEST_EMPTY
    return (case for case in cases(shape) if is_large or case.title in titles)


def _full_grids(shape: Shape, full: Grid) -> Iterator[Case]:
    puzzle, exchanged = Puzzle(shape, full), (full[1], full[0], *full[2:])
    yield from solved_and_counted("a full grid", puzzle, 1, 2)
    yield Case("a count to 1 of a full grid", puzzle, 1, limit=1)
    yield Case("a full grid with two cells exchanged", Puzzle(shape, exchanged), 0)


def _counts_of_two(shape: Shape, full: Grid) -> Iterator[Case]:
    two = sets_with(shape, full, 0)[0].puzzle()
    yield Case("a count of two", two, 2, limit=9)
    yield Case("a count of two, at the limit", two, 2, limit=2)
    yield Case("one of two solutions", two, 2)
    blanks = len(two.givens) - two.clues
    if blanks <= shape.size:  # a row has one completion if all other cells are given
        one_row = Puzzle(shape, (*(0,) * blanks, *full[blanks:]))
        yield Case("a count of one with as many givens as a count of two", one_row, 1, limit=9)


def _with_blanks(shape: Shape, full: Grid, every: int) -> Puzzle:
    """`full` with blanks at cells 0, `every`, 2 * `every` and so on."""
    return Puzzle(shape, tuple(0 if cell % every == 0 else v for cell, v in enumerate(full)))


def pairs_in_few_houses(shape: Shape, house: House) -> Iterator[tuple[int, int]]:
    """The pairs of cells of a house that share the fewest houses."""
    pairs = list(permutations(house.cells, 2))
    numbers = [len({*shape.houses_of[a]} & {*shape.houses_of[b]}) for a, b in pairs]
    fewest = min(numbers)
    return (pair for pair, number in zip(pairs, numbers, strict=True) if number == fewest)


# Questions about pencilmarks and about pairs of cells that differ.


Builder = Callable[[Shape, Grid, Depth], Iterator[Group]]
"""Makes the questions of a series from a shape and a complete grid of it."""

_MOST: Final = 4
"""The number of transcribed puzzles of a kind that get pencilmarks."""


def _cells(shape: Shape, full: Grid, depth: Depth) -> Iterator[Group]:
    """For each cell the same givens with different pencilmarks there, which decide the puzzle.

    Small shapes have a question for every value of every cell.
    """
    for cell in sample_of(shape.size**2, shape, depth):
        sets = sets_with(shape, full, cell)
        for unavoidable in sets if shape.size <= 5 else sets[:1]:
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
    title = f"pencilmarks of {name}"
    return (
        Case(f"{title} exclude {other}", first, 1),
        Case(f"{title} exclude {own}", second, 1),
        Case(f"{title} exclude {other}, counted", first, 1, limit=2),
        Case(f"{title} exclude {own}, counted", second, 1, limit=2),
        Case("the same givens without pencilmarks", two, 2, limit=9),
        Case(f"{title} exclude {own} and {other}", none, 0),
        Case("the same givens without pencilmarks, solved", two, 2),
        Case(f"{title} exclude {own} and {other}, counted", none, 0, limit=2),
        Case("pencilmarks exclude only what givens exclude", both, 2, limit=9),
    )


def _last_cells(shape: Shape, full: Grid, depth: Depth) -> Iterator[Group]:
    """For each cell a grid with only this cell blank, which cannot have one value or any value."""
    for cell in sample_of(shape.size**2, shape, depth):
        name = shape.cell_name(cell)
        puzzle = with_values(Puzzle(shape, full), {cell: 0})
        missing = without(puzzle, {cell: [full[cell]]})
        empty = without(puzzle, {cell: range(1, shape.size + 1)})
        other = next(value for value in range(1, shape.size + 1) if value != full[cell])
        solvable = without(puzzle, {cell: [other]})
        yield (
            Case(f"the last cell, {name}, cannot have {full[cell]}", missing, 0),
            Case(f"the last cell, {name}, cannot have {other}", solvable, 1),
            Case(f"the last cell, {name}, has no pencilmark", empty, 0),
            Case("the same givens without pencilmarks", puzzle, 1, limit=2),
            Case(f"the last cell, {name}, cannot have {full[cell]}, counted", missing, 0, limit=2),
            Case(f"the last cell, {name}, has no pencilmark, counted", empty, 0, limit=2),
            Case(f"the last cell, {name}, cannot have {other}, counted", solvable, 1, limit=2),
        )


def _empty_cells(shape: Shape, full: Grid, depth: Depth) -> Iterator[Group]:
    """For each cell a puzzle with solutions, and without any pencilmark of that cell."""
    values = range(1, shape.size + 1)
    for cell in sample_of(shape.size**2, shape, depth):
        sparse = tuple(v if n % 2 else 0 for n, v in enumerate(full))
        puzzle = with_values(Puzzle(shape, sparse), {cell: 0})
        name, none = shape.cell_name(cell), without(puzzle, {cell: values})
        yield (
            Case(f"{name} has no pencilmark", none, 0),
            Case("the same givens without pencilmarks", puzzle, 1, at_least=True),
            Case(f"{name} has no pencilmark, counted", none, 0, limit=3),
        )


def _for_givens(shape: Shape, _full: Grid, _depth: Depth) -> Iterator[Group]:
    """Transcribed puzzles, with pencilmarks that have the effect of some givens."""
    for puzzle, _ in transcribed("hidden", shape)[:_MOST]:
        title = "pencilmarks that only a search refutes"
        yield solved_and_counted(title, _marked(puzzle), 0, 3)
    for puzzle, _ in transcribed("minimal", shape)[:_MOST]:
        yield solved_and_counted("one solution with pencilmarks", _marked(puzzle), 1, 2)
    for puzzle, number in transcribed("counted", shape):
        marked = _marked(puzzle)
        if marked.pencilmarks and number <= FEW:
            yield _counts_around(marked, number)


def _numbers(shape: Shape, full: Grid, _depth: Depth) -> Iterator[Group]:
    """Several unavoidable sets; pencilmarks decide none, some or all of them."""
    sets = most_disjoint_sets(shape, full)[:4]
    blanks = {cell: 0 for unavoidable in sets for cell in unavoidable.cells}
    puzzle = with_values(Puzzle(shape, full), blanks)
    for number in range(len(sets) + 1):
        marks = {s.cells[0]: [s.other(s.cells[0])] for s in sets[:number]}
        yield _counts_around(without(puzzle, marks), 2 ** (len(sets) - number))


def pairs_kept(shape: Shape, full: Grid, depth: Depth) -> Iterator[Group]:
    """For each pair a value in one cell that the other cell would need too."""
    for number in sample_of(len(shape.pairs), shape, depth):
        yield from _pair_kept(shape, full, shape.pairs[number])


def peers_kept(shape: Shape, full: Grid, depth: Depth) -> Iterator[Group]:
    """For any two peers half of the questions of `pairs_kept`."""
    peers = [(a, b) for a, others in enumerate(shape.peers) for b in others if a < b]
    for number in sample_of(len(peers), shape, depth):
        cases = [case for group in _pair_kept(shape, full, peers[number]) for case in group]
        yield tuple(cases[number % 2 :: 2])


def _pair_kept(shape: Shape, full: Grid, pair: tuple[int, int]) -> Iterator[Group]:
    (first, second), size = pair, shape.size
    names = f"{shape.cell_name(first)} and {shape.cell_name(second)}"
    value, empty = full[first], Puzzle(shape, (0,) * size**2)
    twice = with_values(empty, {first: value, second: value})
    yield solved_and_counted(f"two equal givens in {names}", twice, 0, 3)
    values = [v for v in range(1, size + 1) if v != value]
    for house in shape.houses_of[second]:
        cells = [cell for cell in shape.houses[house].cells if cell != second]
        puzzle = with_values(empty, {first: value, **dict(zip(cells, values, strict=True))})
        has_equal_peers = any(
            given and puzzle.givens[peer] == given
            for cell, given in enumerate(puzzle.givens)
            for peer in shape.peers[cell]
        )
        if first not in cells and not has_equal_peers:
            title = f"the last value of a house, equal in {names}"
            yield Case(f"{title}, counted", puzzle, 0, limit=3), Case(title, puzzle, 0)
            break


def _counts_around(puzzle: Puzzle, number: int) -> Group:
    title = f"{number} solution{'' if number == 1 else 's'} with pencilmarks"
    limits = [limit for limit in (number, number + 1, number - 1) if limit]
    return tuple(Case(f"{title}, limit {limit}", puzzle, number, limit=limit) for limit in limits)


def without(puzzle: Puzzle, values_of: Mapping[int, Iterable[int]]) -> Puzzle:
    """`puzzle` with pencilmarks that exclude values of some blank cells."""
    marks = list(puzzle.allowed)
    for cell, values in values_of.items():
        for value in values:
            marks[cell] &= ~(1 << value - 1)
    return Puzzle(puzzle.shape, puzzle.givens, tuple(marks))


def _marked(puzzle: Puzzle) -> Puzzle:
    """The puzzle with pencilmarks in place of givens, with the help of a peer's given."""
    shape, givens, marks = puzzle.shape, list(puzzle.givens), list(puzzle.allowed)
    witnesses: set[int] = set()
    for cell, value in enumerate(givens):
        peers = (p for p in shape.peers[cell] if givens[p] not in (0, value))
        if value and cell not in witnesses and (peer := next(peers, None)) is not None:
            witnesses.add(peer)
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
