"""A puzzle as constraints over Booleans, one for each cell and value.

    variable     "cell c holds value v"; its number is c * size + v, from 1
    exactly one  variables of a cell, or of a value in a house
    at most one  variables of a value in two cells that differ (`Shape.pairs`)
    fixed        variables that givens and pencilmarks decide

This is the model of all candidates, for every shape, as solvers read it from files. Givens of
other cells remove no candidate: they follow from the constraints.
"""

from collections.abc import Iterator

from harness.puzzles.puzzle import Puzzle
from harness.puzzles.symbols import symbol_of


class Constraints:
    """The variables of a puzzle, in sets: exactly one of a set holds, or at most one."""

    def __init__(self, puzzle: Puzzle) -> None:
        shape = puzzle.shape
        size = shape.size
        self.puzzle = puzzle
        self.size = size
        self.variables = size**3
        """The number of variables."""
        values = range(1, size + 1)
        self.cells = [[self.number(cell, value) for value in values] for cell in range(size**2)]
        """The variables of each cell."""
        self.houses = [
            [self.number(cell, value) for cell in house.cells]
            for house in shape.houses
            for value in values
        ]
        """The variables of each value in each house, house by house."""
        self.pairs = [
            (self.number(one, value), self.number(other, value))
            for one, other in shape.pairs
            for value in values
        ]
        """The variables of each value in two cells that differ."""

    def number(self, cell: int, value: int) -> int:
        """The number of a variable, from 1. `cell` is from 0, `value` from 1."""
        return cell * self.size + value

    def meaning(self, variable: int) -> tuple[int, int]:
        """The cell and the value of a variable."""
        cell, before = divmod(variable - 1, self.size)
        return cell, before + 1

    def label(self, variable: int) -> str:
        """A variable in words: ``R1C2=5``."""
        cell, value = self.meaning(variable)
        return f"{self.puzzle.shape.cell_name(cell)}={symbol_of(value)}"

    def identifier(self, variable: int) -> str:
        """A name that every format of linear programs allows: ``x_1_2_5``, row, column, value."""
        cell, value = self.meaning(variable)
        row, column = divmod(cell, self.size)
        return f"x_{row + 1}_{column + 1}_{value}"

    def fixed(self) -> Iterator[tuple[int, bool]]:
        """The variables that are decided: a given holds, a value without a pencilmark does not."""
        for cell, allowed in enumerate(self.puzzle.allowed):
            if value := self.puzzle.givens[cell]:
                yield self.number(cell, value), True
                continue
            for value in range(1, self.size + 1):
                if not allowed >> value - 1 & 1:
                    yield self.number(cell, value), False

    def title(self) -> str:
        """The puzzle in one line, for the comment at the head of a file."""
        shape = self.puzzle.shape
        return f"Sudoku {shape}, {self.puzzle.clues} givens, puzzle {self.puzzle.id}"
