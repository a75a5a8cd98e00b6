"""Unavoidable sets: cells of a grid whose values another solution exchanges.

Two values a and b of a complete grid make a graph: its nodes are the cells that hold a or b,
and its edges join two cells of a house. Every house has one a and one b, so an exchange of a
and b in a connected component leaves every house complete. The component is an unavoidable
set (McGuire, Tugemann and Civario, "There is no 16-clue Sudoku", Experimental Mathematics
23(2), 2014): without its cells, the grid has exactly two completions, because each of its
cells can hold a or b only, and one cell decides its neighbours. This holds for all houses:
boxes, diagonals and regions.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import Shape


@dataclass(frozen=True, slots=True)
class UnavoidableSet:
    """Cells of a complete grid that hold two values, which can be exchanged."""

    shape: Shape
    grid: Grid = field(repr=False)
    cells: tuple[int, ...]
    values: tuple[int, int]

    def other(self, cell: int) -> int:
        """The value of `cell`, which is in the set, in the other solution."""
        one, another = self.values
        return another if self.grid[cell] == one else one

    @property
    def excluded(self) -> int:
        """A value that no cell of the set can hold."""
        return next(v for v in range(1, self.shape.size + 1) if v not in self.values)

    def puzzle(self, values: Mapping[int, int] | None = None) -> Puzzle:
        """The grid without the set, and with these `values` of cells instead of its own.

        Without `values` it has two solutions. With the value of one cell of the set, its own
        or the other, it has one.
        """
        givens = list(self.grid)
        for cell in self.cells:
            givens[cell] = 0
        for cell, value in (values or {}).items():
            givens[cell] = value
        return Puzzle(self.shape, tuple(givens))

    def farthest(self) -> tuple[int, int]:
        """Two cells of the set with the most steps from house to house between them."""
        distances = {cell: self._distances(cell) for cell in self.cells}
        pairs = combinations(self.cells, 2)
        return max(pairs, key=lambda pair: distances[pair[0]][pair[1]])

    def _distances(self, start: int) -> dict[int, int]:
        found, border, cells = {start: 0}, [start], {*self.cells}
        for cell in border:
            for peer in self.shape.peers[cell]:
                if peer not in found and peer in cells:
                    found[peer] = found[cell] + 1
                    border.append(peer)
        return found


def set_with(shape: Shape, grid: Grid, cell: int, value: int) -> UnavoidableSet:
    """The set that holds `cell` and exchanges its value and another `value`."""
    pair = (grid[cell], value)
    found, border = {cell}, [cell]
    for node in border:
        for peer in shape.peers[node]:
            if grid[peer] in pair and peer not in found:
                found.add(peer)
                border.append(peer)
    return UnavoidableSet(shape, grid, tuple(sorted(found)), pair)


def sets_with(shape: Shape, grid: Grid, cell: int) -> list[UnavoidableSet]:
    """The sets that hold `cell`, one for each other value, those with the fewest cells first.

    Sets with as many cells are in another order for each cell, so that all values occur.
    """
    values = (value for value in range(1, shape.size + 1) if value != grid[cell])
    found = [set_with(shape, grid, cell, value) for value in values]
    return sorted(found, key=lambda s: (len(s.cells), (s.values[1] - cell) % shape.size))


def sets_of_pair(shape: Shape, grid: Grid, one: int, other: int) -> Iterator[UnavoidableSet]:
    """The sets of a pair of values. Without k of them the grid has 2^k solutions."""
    done: set[int] = set()
    for cell, value in enumerate(grid):
        if value == one and cell not in done:
            found = set_with(shape, grid, cell, other)
            done.update(found.cells)
            yield found
