"""Locked candidates, naked and hidden pairs, triples and quads, and fish.

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
    CellSet,
    Elimination,
    Rule,
    cell_names,
    house_sets,
    lines,
    losses,
    places,
    removals,
    symbols,
)
from harness.puzzles import House, Shape
from harness.puzzles.constraints import bits_of, members, union

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
                others = ((cell, ~subset_mask) for cell in blanks if cell not in cells)
                if removals := losses(board, others):
                    values_of_subset = tuple(index + 1 for index in members(subset_mask))
                    yield Elimination(removals, FewValues(house, cells, values_of_subset))


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
        everywhere = places(board)
        for house, inside in zip(board.shape.houses, house_sets(board.shape), strict=True):
            here = [cells_of_value & inside for cells_of_value in everywhere]
            for subset in hall_sets(here, self.size):
                cells = tuple(members(union(here[index] for index in subset)))
                subset_mask = union(1 << index for index in subset)
                if removals := losses(board, ((cell, subset_mask) for cell in cells)):
                    values = tuple(index + 1 for index in subset)
                    yield Elimination(removals, FewPlaces(house, cells, values))


# A value in as many houses as it covers: the reason of fish and of locked candidates.


@dataclass(frozen=True, slots=True)
class FewHouses:
    """In the base houses the value is only in the cover houses, and there are as many of each."""

    value: int
    base: tuple[House, ...]
    """Rows or columns of a fish, or any house."""
    cover: tuple[House, ...]
    """Columns if the base is rows, rows if it is columns; or any other house."""
    cells: tuple[int, ...]
    """The cells of the base with this candidate, ascending."""

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The candidates of the base."""
        return (tuple((cell, self.value) for cell in self.cells),)

    @property
    def houses(self) -> tuple[tuple[House, ...], ...]:
        """The base, then the cover."""
        return (self.base, self.cover)

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        return f"in {lines(self.base)}, {shape.symbol(self.value)} is only in {lines(self.cover)}"


# X-wing, swordfish and jellyfish: a value in as many columns as rows.


_Lines = Sequence[tuple[House, CellSet]]


class Fish(SizedRule):
    """If k rows have a value in k columns only, no other row has the value in these columns.

    The same holds with rows and columns exchanged. Boxes and other houses play no part. A base
    line does not have the value yet, and has at least two places for it; one place is a hidden
    single. The sizes end with four, as those of naked subsets do: a shape of size N has at
    most N choose 4 choices of lines for each value and direction.
    """

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The cells to clear, by value, rows before columns, then by the base lines."""
        rows, columns = _rows_and_columns(board.shape)
        for value, everywhere in enumerate(places(board), 1):
            yield from self._with_base(rows, columns, value, everywhere)
            yield from self._with_base(columns, rows, value, everywhere)

    def _with_base(
        self, bases: _Lines, covers: _Lines, value: int, everywhere: CellSet
    ) -> Iterator[Elimination]:
        """The fish of a value whose base lines are among `bases`."""
        in_covers = union(cells for _, cells in covers)
        # A base with a cell in no cover is part of no fish.
        crossings = [
            0
            if everywhere & cells & ~in_covers
            else bits_of(n for n, (_, cover) in enumerate(covers) if everywhere & cells & cover)
            for _, cells in bases
        ]
        for fish in hall_sets(crossings, self.size):
            base = [bases[index] for index in fish]
            cover = [covers[index] for index in members(union(crossings[i] for i in fish))]
            inside = everywhere & union(cells for _, cells in base)
            rest = everywhere & union(cells for _, cells in cover) & ~inside
            if rest:
                base_houses, cover_houses = (tuple(h for h, _ in lines) for lines in (base, cover))
                reason = FewHouses(value, base_houses, cover_houses, tuple(members(inside)))
                yield Elimination(removals(rest, value), reason)


def _rows_and_columns(shape: Shape) -> tuple[_Lines, _Lines]:
    """The houses that are rows and those that are columns, by their cells."""
    size = shape.size
    houses = {house.cells: house for house in reversed(shape.houses)}
    rows = [tuple(range(first, first + size)) for first in range(0, size**2, size)]
    columns = [tuple(range(first, size**2, size)) for first in range(size)]

    def among_houses(lines: Sequence[tuple[int, ...]]) -> _Lines:
        return [(houses[cells], bits_of(cells)) for cells in lines if cells in houses]

    return among_houses(rows), among_houses(columns)


# Locked candidates: all places of a value in a house are in another house too.


class LockedCandidates(Rule):
    """If a house has a value only in cells of another house, no other cell there has it.

    A box and a line give the techniques pointing and claiming. This rule takes any two houses,
    such as a window and a row, or two regions of different layouts.
    """

    name = "locked candidates"

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The cells to clear, by value, house and other house.

        A value has at least two places in the house; with one it is a hidden single.
        """
        houses, inside = board.shape.houses, house_sets(board.shape)
        for value, everywhere in enumerate(places(board), 1):
            for house, cells in zip(houses, inside, strict=True):
                here = everywhere & cells
                if here.bit_count() < 2:
                    continue
                line = tuple(members(here))
                for index in board.shape.houses_of[line[0]]:
                    rest = everywhere & inside[index] & ~here
                    if rest and not here & ~inside[index]:
                        reason = FewHouses(value, (house,), (houses[index],), line)
                        yield Elimination(removals(rest, value), reason)
