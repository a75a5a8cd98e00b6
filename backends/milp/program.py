"""The 0-1 program of a puzzle, as rows and as a problem of PuLP."""

from copy import copy
from typing import Any, Final, NamedTuple

from harness.contract import Unsupported
from harness.puzzles import Grid, Puzzle
from harness.puzzles.search import Candidates

MOST_VARIABLES: Final = 300_000
"""Maximum number of variables: each takes a kilobyte, and more where the program is read."""


class Row(NamedTuple):
    """A sum of variables, numbered from 0, each times its factor, within bounds."""

    columns: list[int]
    total: int = 1
    """The upper bound."""
    is_equality: bool = True
    """Whether `total` is the lower bound, too."""
    factors: list[int] | None = None
    """The factor of each variable; None if all are 1."""
    least: int | None = None
    """The lower bound of a row that is not an equality; None without one."""


class Program:
    """The 0-1 program of a puzzle over the candidates of its blank cells."""

    def __init__(self, puzzle: Puzzle, *, combine: bool = True) -> None:
        """Build the program; its rows stay outside `problem`, where PuLP adds rows slowly.

        Raises:
            Unsupported: the program is too large.
        """
        import pulp

        candidates = Candidates(puzzle, linear=True, combine=combine)
        if len(candidates) > MOST_VARIABLES:
            raise Unsupported(
                f"the program has {len(candidates):,} variables; expected at most "
                f"{MOST_VARIABLES:,}, as with more givens"
            )
        self.infeasible = candidates.refuted
        """Whether the candidates alone rule out a solution; the solver is not called then."""
        self.meaning = candidates.meaning[: candidates.encoding.literals]
        """The cell and the value of each variable; value 0 for an auxiliary variable."""
        self.problem: Any = pulp.LpProblem("sudoku")
        # PuLP 4 has only the former, releases before 3.3 only the latter.
        new_variable = getattr(self.problem, "add_variable", pulp.LpVariable)
        self.variables: list[Any] = [
            new_variable(f"x_{cell}_{value}" if value else f"y_{at}", cat="Binary")
            for at, (cell, value) in enumerate(self.meaning)
        ]
        self.rows: list[Row] = []
        for group in candidates.groups:
            if group and group[-1] >= len(self.meaning):  # at most one, with its slack
                self.rows.append(Row(group[:-1], is_equality=False))
            else:
                self.rows.append(Row(group))
        for row in candidates.encoding.rows:
            columns = [literal - 1 for literal in row.literals]
            is_equality = row.least == row.most
            self.rows.append(Row(columns, row.most, is_equality, row.coefficients, row.least))

    def copy(self) -> "Program":
        """A program over the same variables whose cuts do not change this one."""
        twin = copy(self)
        twin.rows = self.rows.copy()
        return twin

    def cut_off(self, solution: Grid, puzzle: Puzzle) -> None:
        """Exclude this solution."""
        ones = [
            column
            for column, (cell, value) in enumerate(self.meaning)
            if value and solution[cell] == value and not puzzle.givens[cell]
        ]
        if ones:
            self.rows.append(Row(ones, len(ones) - 1, is_equality=False))
        else:
            self.infeasible = True

    def grid(self, puzzle: Puzzle) -> Grid:
        """The grid of the givens and of the values that the solver found."""
        grid = list(puzzle.givens)
        for (cell, value), variable in zip(self.meaning, self.variables, strict=True):
            # Solvers return integers only up to a tolerance.
            if value and variable.varValue > 0.5:
                grid[cell] = value
        return tuple(grid)
