"""X-wing, swordfish and jellyfish: a value in as many columns as rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.extensions.reasoning.board import (
    Board,
    Candidate,
    CellSet,
    Elimination,
    lines,
    places,
    removals,
)
from harness.extensions.reasoning.rules.subsets import SizedRule, hall_sets
from harness.puzzles import House, Shape
from harness.puzzles.constraints import bits_of, members, union

_Lines = Sequence[tuple[House, CellSet]]


@dataclass(frozen=True, slots=True)
class FewLines:
    """In the base lines the value is only in the cover lines, and there are as many of each."""

    value: int
    base: tuple[House, ...]
    """Rows or columns."""
    cover: tuple[House, ...]
    """Columns if the base is rows, otherwise rows."""
    cells: tuple[int, ...]
    """The cells of the base with this candidate, ascending."""

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The candidates of the base lines."""
        return (tuple((cell, self.value) for cell in self.cells),)

    @property
    def houses(self) -> tuple[tuple[House, ...], ...]:
        """The base lines, then the cover lines."""
        return (self.base, self.cover)

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        return f"in {lines(self.base)}, {shape.symbol(self.value)} is only in {lines(self.cover)}"


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
        crossings = [_crossings(everywhere & cells, covers) for _, cells in bases]
        for fish in hall_sets(crossings, self.size):
            base = [bases[index] for index in fish]
            cover = [covers[index] for index in members(union(crossings[i] for i in fish))]
            inside = everywhere & union(cells for _, cells in base)
            rest = everywhere & union(cells for _, cells in cover) & ~inside
            if rest:
                base_houses, cover_houses = (tuple(h for h, _ in lines) for lines in (base, cover))
                reason = FewLines(value, base_houses, cover_houses, tuple(members(inside)))
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


def _crossings(cells: CellSet, covers: _Lines) -> int:
    """The indices of the covers with some of `cells`, as bits; 0 if a cell is in no cover."""
    if cells & ~union(cover for _, cover in covers):
        return 0
    return union(1 << at for at, (_, cover) in enumerate(covers) if cells & cover)
