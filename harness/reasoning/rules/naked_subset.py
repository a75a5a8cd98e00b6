"""Naked pairs, triples and quads: cells of a house that share as many values."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from harness.puzzles.shape import Shape
from harness.reasoning.board import Board
from harness.reasoning.cells import members, union
from harness.reasoning.conclusion import Elimination
from harness.reasoning.hall_sets import hall_sets
from harness.reasoning.rule import Rule
from harness.reasoning.subset import Subset
from harness.reasoning.wording import cell_names, symbols


@dataclass(frozen=True, slots=True)
class FewValues(Subset):
    """The cells have no candidates but these values, as many as cells."""

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        cells = cell_names(self.cells, shape)
        return f"in {self.house}, {cells} have only the candidates {symbols(self.values)}"


class NakedSubset(Rule):
    """If k cells of a house have k candidates in total, no other cell of the house has these.

    The cells are blank and have at least two candidates each; a cell with one is a naked
    single. Pairs, triples and quads are separate rules. They are the sizes with a name, and in
    a 9x9 grid they are all that is needed: a larger naked subset leaves at most four cells,
    which are a hidden subset. In larger shapes the limit of four bounds the work: a house
    of N cells has at most N over 4 quads to try, and `hall_sets` visits few of them.
    """

    size: ClassVar[int]
    """The number of cells."""

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """What the other cells of the house lose, by house, then by the cells."""
        candidates, values = board.candidates, board.values
        for house in board.shape.houses:
            blanks = [cell for cell in house.cells if not values[cell]]
            for subset in hall_sets([candidates[cell] for cell in blanks], self.size):
                cells = tuple(blanks[index] for index in subset)
                shared = union(candidates[cell] for cell in cells)
                removed = tuple(
                    (cell, index + 1)
                    for cell in blanks
                    if cell not in cells
                    for index in members(candidates[cell] & shared)
                )
                if removed:
                    subset_values = tuple(index + 1 for index in members(shared))
                    yield Elimination(removed, FewValues(house, cells, subset_values))


class NakedPair(NakedSubset):
    """Two cells of a house with two candidates in total."""

    name = "naked pair"
    size = 2


class NakedTriple(NakedSubset):
    """Three cells of a house with three candidates in total."""

    name = "naked triple"
    size = 3


class NakedQuad(NakedSubset):
    """Four cells of a house with four candidates in total."""

    name = "naked quad"
    size = 4
