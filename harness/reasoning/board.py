"""The board: the candidates of all cells, and the values placed so far."""

from typing import Final

from harness.puzzles.puzzle import Grid, Puzzle
from harness.reasoning.conclusion import Conclusion, Elimination, Placement


class Board:
    """A puzzle in the middle of reasoning, of any shape.

    Candidates are bits: bit 0 stands for value 1. A cell that has one candidate left is not
    yet placed; a placed cell has its value as the only candidate, and its peers do not have it.
    """

    __slots__ = ("blanks", "candidates", "shape", "values")

    def __init__(self, puzzle: Puzzle) -> None:
        """The board of `puzzle`: its givens are placed, which restricts their peers."""
        self.shape: Final = puzzle.shape
        self.candidates: Final = list(puzzle.allowed)
        """The candidates of each cell as bits."""
        self.values: Final = [0] * len(puzzle.givens)
        """The value placed in each cell, 0 for none."""
        self.blanks = len(puzzle.givens)
        """The number of cells without a value."""
        for cell, value in enumerate(puzzle.givens):
            if value:
                self.place(cell, value)

    def place(self, cell: int, value: int) -> None:
        """Put `value` into a cell without a value, and remove it from the peers.

        A peer that has no other candidate, placed or not, is left without a candidate.
        """
        bit = 1 << value - 1
        candidates = self.candidates
        self.values[cell] = value
        self.blanks -= 1
        candidates[cell] &= bit
        for peer in self.shape.peers[cell]:
            candidates[peer] &= ~bit

    def remove(self, cell: int, value: int) -> None:
        """Remove a candidate from a cell, which may be left without one."""
        self.candidates[cell] &= ~(1 << value - 1)

    def apply(self, conclusion: Conclusion) -> Conclusion | None:
        """Follow a conclusion, and return the part of it that changed the board.

        A placement that contradicts the board leaves its cell without a candidate. None if
        the board had all of the conclusion before.
        """
        new = self._new_in(conclusion)
        if isinstance(new, Placement):
            if self.values[new.cell] or not self.candidates[new.cell] >> new.value - 1 & 1:
                self.candidates[new.cell] = 0
            else:
                self.place(new.cell, new.value)
        elif new is not None:
            for cell, value in new.candidates:
                self.remove(cell, value)
        return new

    def _new_in(self, conclusion: Conclusion) -> Conclusion | None:
        """The part of a conclusion that the board does not have yet, None for no part."""
        if isinstance(conclusion, Placement):
            return None if self.values[conclusion.cell] == conclusion.value else conclusion
        pairs = conclusion.candidates
        left = tuple(pair for pair in pairs if self.candidates[pair[0]] >> pair[1] - 1 & 1)
        if len(left) == len(pairs):
            return conclusion
        return Elimination(left, conclusion.reason) if left else None

    def copy(self) -> "Board":
        """A board of its own with the same candidates and values."""
        board = object.__new__(Board)
        board.shape = self.shape  # type: ignore[misc]
        board.candidates = self.candidates.copy()  # type: ignore[misc]
        board.values = self.values.copy()  # type: ignore[misc]
        board.blanks = self.blanks
        return board

    @property
    def refuted(self) -> bool:
        """Whether a cell has no candidate, or a house no cell for a value: no solution."""
        if not all(self.candidates):
            return True
        every = (1 << self.shape.size) - 1
        for house in self.shape.houses:
            found = 0
            for cell in house.cells:
                found |= self.candidates[cell]
            if found != every:
                return True
        return False

    @property
    def finished(self) -> bool:
        """Whether all cells have a value, all different in houses and pairs: a solution."""
        return not self.blanks and all(self.candidates)

    @property
    def grid(self) -> Grid:
        """The values placed so far, 0 for none."""
        return tuple(self.values)
