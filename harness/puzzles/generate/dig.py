"""Digging: clues are removed from a grid as long as the puzzle has few enough solutions."""

from collections.abc import Sequence
from typing import Final

from harness.puzzles.generate.options import StopRule
from harness.puzzles.puzzle import Grid
from harness.puzzles.search.solver import solver_of
from harness.puzzles.shape import Shape

NODES: Final = 20_000
"""Node limit of the search for each clue; a clue about which it does not decide stays."""


class Digger:
    """Removes clues from grids of a shape."""

    def __init__(self, shape: Shape, solutions: int = 1, nodes: int = NODES) -> None:
        """Dig in grids of `shape`, up to this number of `solutions`, with this node limit."""
        self._solver = solver_of(shape)
        self._solutions = solutions
        self._nodes = nodes
        self.undecided = False
        """Whether a search of the last call of `dig` reached its node limit."""

    def dig(
        self,
        givens: Sequence[int],
        orbits: Sequence[Sequence[int]],
        fewest: int = 0,
        stop: StopRule | None = None,
    ) -> Grid:
        """The givens that are left of `givens`, a puzzle with at most as many solutions.

        Args:
            givens: the puzzle, or a complete grid.
            orbits: groups of cells, each removed at once, in this order; blanks are ignored.
            fewest: clues that stay at least.
            stop: ends the digging; checked after each removal.
        """
        solver = self._solver
        left = list(givens)
        clues = sum(1 for value in left if value)
        start = solver.start([1 << value - 1 if value else solver.every for value in left])
        self.undecided = False
        for orbit in orbits:
            cells = [cell for cell in orbit if left[cell]]
            if not cells or clues - len(cells) < fewest:
                continue
            for cell in cells:
                start[cell] = solver.every
            if self._is_enough(start, cells, left):
                for cell in cells:
                    left[cell] = 0
                clues -= len(cells)
                if stop is not None and stop.holds(tuple(left)):
                    break
            else:
                for cell in cells:
                    start[cell] = 1 << left[cell] - 1
        return tuple(left)

    def count(self, givens: Sequence[int], limit: int) -> int | None:
        """The number of solutions of `givens` up to `limit`; None at the node limit."""
        solver = self._solver
        start = solver.start([1 << value - 1 if value else solver.every for value in givens])
        return solver.count(start, limit, self._nodes * max(1, limit))

    def _is_enough(self, start: list[int], cells: list[int], left: list[int]) -> bool:
        """Whether the puzzle without these cells has at most as many solutions as it may have."""
        solver, most = self._solver, self._solutions
        if most <= 1 and len(cells) == 1:
            # Before, the only solutions had this value: there are others exactly if one has not.
            value = 1 << left[cells[0]] - 1
            start[cells[0]] ^= value
            number = solver.count(start, 1, self._nodes)
            start[cells[0]] ^= value
            self.undecided = self.undecided or number is None
            return number == 0
        number = solver.count(start, most + 1, self._nodes * max(1, most))
        self.undecided = self.undecided or number is None
        return number is not None and number <= most
