"""Naked and hidden pairs, triples and quads.

Suppose that each set receives one of its elements, all different. Then k sets with k elements in
total use all of these, and no other set receives any of them (P. Hall, "On representatives of
subsets", Journal of the London Mathematical Society 10, 1935). Naked subsets, hidden subsets
and fish are Hall sets of three kinds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.extensions.reasoning.board import (
    Board,
    Candidate,
    Elimination,
    Rule,
    cell_names,
    house_sets,
    places,
    symbols,
)
from harness.puzzles import House, Shape
from harness.puzzles.constraints import members, union

# Hall sets: k sets that have k elements in total, so that each element is in one of them.


def hall_sets(sets: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """The indices of each choice of `size` sets with `size` elements in total.

    Each set has at least two elements: a set with one element needs no others. The work is
    bounded by the number of choices, n choose `size` for n sets. A choice is extended only by
    sets that keep it within `size` elements, so few choices are visited in practice.

    Args:
        sets: sets as bits.
        size: the number of sets in a choice.

    Yields:
        Ascending indices, in lexicographic order.
    """
    usable = [(index, bits) for index, bits in enumerate(sets) if 2 <= bits.bit_count() <= size]
    if len(usable) >= size:
        yield from _extend(usable, size, (), 0)


def _extend(
    usable: Sequence[tuple[int, int]], size: int, choice: tuple[int, ...], elements: int
) -> Iterator[tuple[int, ...]]:
    """The choices that begin with `choice`, whose sets have `elements`."""
    missing = size - len(choice)
    for at in range(len(usable) - missing + 1):
        index, bits = usable[at]
        wider = elements | bits
        if missing > 1:
            following = [
                entry for entry in usable[at + 1 :] if (wider | entry[1]).bit_count() <= size
            ]
            yield from _extend(following, size, (*choice, index), wider)
        elif wider.bit_count() == size:
            yield (*choice, index)


class SizedRule(Rule):
    """A rule about Hall sets of one size; each size has a name of its own."""

    def __init__(self, name: str, size: int) -> None:
        """The rule `name`, which is about choices of `size` sets."""
        self.name = name
        self.size = size


# What the reasons of naked and hidden subsets share.


@dataclass(frozen=True, slots=True)
class Subset:
    """Cells of a house and as many values, which fill these cells."""

    house: House
    cells: tuple[int, ...]
    """Ascending."""
    values: tuple[int, ...]
    """Ascending."""

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The values in the cells."""
        return (tuple((cell, value) for cell in self.cells for value in self.values),)

    @property
    def houses(self) -> tuple[tuple[House, ...], ...]:
        """The house."""
        return ((self.house,),)


# Naked pairs, triples and quads: cells of a house that share as many values.


@dataclass(frozen=True, slots=True)
class FewValues(Subset):
    """The cells have only these values as candidates, as many as cells."""

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        cells = cell_names(self.cells, shape)
        return f"in {self.house}, {cells} have only the candidates {symbols(self.values, shape)}"


class NakedSubset(SizedRule):
    """If k cells of a house have k candidates in total, no other cell there has any of these.

    The cells are blank and have at least two candidates each; a cell with one is a naked
    single. Pairs, triples and quads are separate rules. They are the sizes that have names, and in
    a 9x9 grid they are all that is needed: a larger naked subset leaves at most four cells,
    which are a hidden subset. In larger shapes the limit of four bounds the work: a house
    of N cells has at most N choose 4 quads to try, and `hall_sets` visits few of them.
    """

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """What the other cells of the house lose, by house, then by the cells."""
        candidates, values = board.candidates, board.values
        for house in board.shape.houses:
            blanks = [cell for cell in house.cells if not values[cell]]
            for subset in hall_sets([candidates[cell] for cell in blanks], self.size):
                cells = tuple(blanks[index] for index in subset)
                subset_mask = union(candidates[cell] for cell in cells)
                removals = tuple(
                    (cell, index + 1)
                    for cell in blanks
                    if cell not in cells
                    for index in members(candidates[cell] & subset_mask)
                )
                if removals:
                    subset_values = tuple(index + 1 for index in members(subset_mask))
                    yield Elimination(removals, FewValues(house, cells, subset_values))


# Hidden pairs, triples and quads: values that have as many places in a house.


@dataclass(frozen=True, slots=True)
class FewPlaces(Subset):
    """In the house, the values fit only into these cells, as many as values."""

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        cells = cell_names(self.cells, shape)
        return f"in {self.house}, {symbols(self.values, shape)} are only in {cells}"


class HiddenSubset(SizedRule):
    """If k values of a house have k places in total, these cells have no other value.

    The values are not placed and have at least two places each; a value with one is a hidden
    single. Pairs, triples and quads are separate rules, as for naked subsets, with the same
    bound on the work: N choose 4 choices of values per house.
    """

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """What the cells lose, by house, then by the values."""
        candidates, everywhere = board.candidates, places(board)
        for house, inside in zip(board.shape.houses, house_sets(board.shape), strict=True):
            here = [cells_of_value & inside for cells_of_value in everywhere]
            for subset in hall_sets(here, self.size):
                cells = tuple(members(union(here[index] for index in subset)))
                subset_mask = union(1 << index for index in subset)
                removals = tuple(
                    (cell, index + 1)
                    for cell in cells
                    for index in members(candidates[cell] & ~subset_mask)
                )
                if removals:
                    values = tuple(index + 1 for index in subset)
                    yield Elimination(removals, FewPlaces(house, cells, values))
