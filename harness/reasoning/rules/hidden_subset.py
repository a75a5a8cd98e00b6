"""Hidden pairs, triples and quads: values that have as many places in a house."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from harness.puzzles.shape import Shape
from harness.reasoning.board import Board
from harness.reasoning.cells import house_sets, members, places, union
from harness.reasoning.conclusion import Elimination
from harness.reasoning.hall_sets import hall_sets
from harness.reasoning.rule import Rule
from harness.reasoning.subset import Subset
from harness.reasoning.wording import cell_names, symbols


@dataclass(frozen=True, slots=True)
class FewPlaces(Subset):
    """The values have no places in the house but these cells, as many as values."""

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        cells = cell_names(self.cells, shape)
        return f"in {self.house}, {symbols(self.values)} are only in {cells}"


class HiddenSubset(Rule):
    """If k values of a house have k places in total, these cells have no other value.

    The values are not placed and have at least two places each; a value with one is a hidden
    single. Pairs, triples and quads are separate rules, as for naked subsets, with the same
    bound of the work: N over 4 choices of values per house.
    """

    size: ClassVar[int]
    """The number of values."""

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """What the cells lose, by house, then by the values."""
        candidates, everywhere = board.candidates, places(board)
        for house, inside in zip(board.shape.houses, house_sets(board.shape), strict=True):
            here = [of & inside for of in everywhere]
            for subset in hall_sets(here, self.size):
                cells = tuple(members(union(here[index] for index in subset)))
                kept = union(1 << index for index in subset)
                removed = tuple(
                    (cell, index + 1)
                    for cell in cells
                    for index in members(candidates[cell] & ~kept)
                )
                if removed:
                    values = tuple(index + 1 for index in subset)
                    yield Elimination(removed, FewPlaces(house, cells, values))


class HiddenPair(HiddenSubset):
    """Two values with two places in a house."""

    name = "hidden pair"
    size = 2


class HiddenTriple(HiddenSubset):
    """Three values with three places in a house."""

    name = "hidden triple"
    size = 3


class HiddenQuad(HiddenSubset):
    """Four values with four places in a house."""

    name = "hidden quad"
    size = 4
