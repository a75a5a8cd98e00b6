"""What the givens of a puzzle leave open, as an exact cover.

    candidate     a blank cell and a value that no peer of it is given
    group         candidates of which exactly one holds: those of a blank cell,
                  or those of a value that a house is not given

A solution is a set of candidates, exactly one of each group. This is the view
of Sudoku that exact cover (Knuth, "Dancing Links", 2000), SAT (Lynce and
Ouaknine, "Sudoku as a SAT problem", 2006) and integer programming share.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations

from harness.puzzles.puzzle import Grid, Puzzle


class Candidates:
    """The candidates of a puzzle, numbered from 0, and their groups."""

    def __init__(self, puzzle: Puzzle) -> None:
        size, houses_of = puzzle.shape.size, puzzle.shape.houses_of
        self.puzzle = puzzle
        self.meaning: list[tuple[int, int]] = []
        """The cell and the value of each candidate."""
        self.cells: list[list[int]] = []
        """The candidates of each blank cell, values ascending."""

        # A set of values is a number in which bit v stands for v.
        given = [0] * len(puzzle.shape.houses)
        doubled = False
        for cell, value in enumerate(puzzle.givens):
            if value:
                for house in houses_of[cell]:
                    doubled = doubled or bool(given[house] >> value & 1)
                    given[house] |= 1 << value

        places: list[list[list[int]]] = [[[] for _ in range(size + 1)] for _ in given]
        for cell, held in enumerate(puzzle.givens):
            if held:
                continue
            taken = 0
            for house in houses_of[cell]:
                taken |= given[house]
            group = []
            for value in range(1, size + 1):
                if not taken >> value & 1:
                    group.append(len(self.meaning))
                    for house in houses_of[cell]:
                        places[house][value].append(len(self.meaning))
                    self.meaning.append((cell, value))
            self.cells.append(group)
        self.groups = self.cells + [
            places[house][value]
            for house, values in enumerate(given)
            for value in range(1, size + 1)
            if not values >> value & 1
        ]
        """All groups, those of the cells first."""
        self.refuted = doubled or not all(self.groups)
        """Whether a value is given twice in a house, or a group has no candidate."""

    def __len__(self) -> int:
        return len(self.meaning)

    def grid(self, chosen: Iterable[int]) -> Grid:
        """The givens and the candidates that hold."""
        grid = list(self.puzzle.givens)
        for candidate in chosen:
            cell, value = self.meaning[candidate]
            grid[cell] = value
        return tuple(grid)

    def chosen(self, values: Iterable[int]) -> list[int]:
        """The candidates that hold where these are the values of the blank cells, in order."""
        found = []
        for group, value in zip(self.cells, values, strict=True):
            found.append(next(c for c in group if self.meaning[c][1] == value))
        return found

    def domains(self) -> list[list[int]]:
        """The values that are left to each blank cell, ascending."""
        return [[self.meaning[candidate][1] for candidate in group] for group in self.cells]

    def different(self) -> list[list[int]]:
        """For each house its blank cells, by their places in `cells`, where there are several."""
        place = {self.meaning[group[0]][0]: number for number, group in enumerate(self.cells)}
        houses = ([place[c] for c in h.cells if c in place] for h in self.puzzle.shape.houses)
        return [blank for blank in houses if len(blank) > 1]

    def members(self) -> list[list[int]]:
        """The groups of each candidate, by their places in `groups`."""
        found: list[list[int]] = [[] for _ in self.meaning]
        for number, group in enumerate(self.groups):
            for candidate in group:
                found[candidate].append(number)
        return found

    def clauses(self) -> Iterator[list[int]]:
        """The same in clauses: candidate c is the variable c + 1.

        At least one of each group holds, and of any two at most one: the
        extended encoding of Lynce and Ouaknine.
        """
        for group in self.groups:
            yield [candidate + 1 for candidate in group]
            for one, other in combinations(group, 2):
                yield [-1 - one, -1 - other]
