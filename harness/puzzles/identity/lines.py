"""The symmetries of any shape that permute rows and columns, perhaps transposed.

A symmetry keeps the houses and the pairs of the shape. A search assigns to each row and
column in turn an original one. Colours prune it: two cells may be moved to each other only
if they have the same colour, and colours are refined by those of related cells until
nothing changes, as in isomorphism tests of graphs (Weisfeiler and Leman, "The reduction of a
graph to canonical form", 1968).
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from harness.puzzles.search.prng import Prng
from harness.puzzles.shape import Shape

_FEW: Final = 64
"""Up to this number, symmetries are listed once; otherwise a search finds each one."""


class Lines(NamedTuple):
    """A symmetry, by the original rows and columns."""

    rows: tuple[int, ...]
    """For each row the original row, or the original column if `turned`."""
    columns: tuple[int, ...]
    """For each column the original column, or the original row if `turned`."""
    turned: bool
    """Whether the original is transposed."""

    @property
    def cells(self) -> tuple[int, ...]:
        """For each cell the cell of the original that moves there."""
        size = len(self.rows)
        if self.turned:
            return tuple(c * size + r for r in self.rows for c in self.columns)
        return tuple(r * size + c for r in self.rows for c in self.columns)


@lru_cache(maxsize=16)
def symmetries_of_lines(shape: Shape) -> "LineSymmetries":
    """The symmetries of `shape`, prepared once."""
    return LineSymmetries(shape)


class LineSymmetries:
    """The symmetries of one shape that permute rows and columns."""

    def __init__(self, shape: Shape) -> None:
        size = shape.size
        self._size = size
        self._relations = _relations(shape)
        self._colours = _colours(shape, self._relations)
        self._rows = [_line_colours(self._colours[r * size : (r + 1) * size]) for r in range(size)]
        self._columns = [_line_colours(self._colours[c::size]) for c in range(size)]
        self._houses = {frozenset(house.cells) for house in shape.houses}
        self._pairs = {frozenset(pair) for pair in shape.pairs}
        found = list(islice(self._found(None), _FEW + 1))
        self._all = found if len(found) <= _FEW else None

    def random(self, random: Prng) -> Lines:
        """A random symmetry; each has the same probability.

        Each partial assignment that can be completed can be completed in equally many ways,
        since symmetries are a group, so a search in random order is fair.
        """
        if self._all is not None:
            return random.choice(self._all)
        return next(self._found(random))

    def _found(self, random: Prng | None) -> Iterator[Lines]:
        """All symmetries, in random order if there is a source of random integers."""
        for turned in _order(2, random):
            yield from self._completed([], [], bool(turned), random)

    def _completed(
        self, rows: list[int], columns: list[int], turned: bool, random: Prng | None
    ) -> Iterator[Lines]:
        if len(columns) == self._size:
            found = Lines(tuple(rows), tuple(columns), turned)
            if self._is_symmetry(found.cells):
                yield found
            return
        is_column = len(columns) < len(rows)
        lines = columns if is_column else rows
        wanted = (self._columns if is_column else self._rows)[len(lines)]
        originals = self._columns if is_column is not turned else self._rows
        for line in _order(self._size, random):
            if line in lines or originals[line] != wanted:
                continue
            lines.append(line)
            if self._is_consistent(rows, columns, turned, is_column):
                yield from self._completed(rows, columns, turned, random)
            lines.pop()

    def _is_consistent(
        self, rows: list[int], columns: list[int], turned: bool, is_column: bool
    ) -> bool:
        """Whether the cells of the latest line stand to all others as their originals do."""
        size, height, width = self._size, len(rows), len(columns)
        if not width:
            return True
        places = [r * size + c for r in range(height) for c in range(width)]
        moved = [c * size + r if turned else r * size + c for r in rows for c in columns]
        latest = range(width - 1, height * width, width) if is_column else range(-width, 0)
        for at in latest:
            cell, original = places[at], moved[at]
            if self._colours[cell] != self._colours[original]:
                return False
            to, its = self._relations[cell], self._relations[original]
            if [to[place] for place in places] != [its[place] for place in moved]:
                return False
        return True

    def _is_symmetry(self, cells: Sequence[int]) -> bool:
        houses = {frozenset([cells[cell] for cell in house]) for house in self._houses}
        pairs = {frozenset([cells[cell] for cell in pair]) for pair in self._pairs}
        return houses == self._houses and pairs == self._pairs


def _order(number: int, random: Prng | None) -> Sequence[int]:
    return range(number) if random is None else random.order(number)


def _line_colours(colours: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(colours))


def _relations(shape: Shape) -> list[list[int]]:
    """For each two cells the number of houses that they share, odd if they are a pair."""
    every = range(shape.size**2)
    relations = [[0] * len(every) for _ in every]
    for house in {frozenset(house.cells) for house in shape.houses}:
        for cell in house:
            row = relations[cell]
            for other in house:
                row[other] += 2
    for one, other in shape.pairs:
        relations[one][other] += 1
        relations[other][one] += 1
    return relations


def _colours(shape: Shape, relations: Sequence[Sequence[int]]) -> list[int]:
    """The colour of each cell: different for cells that no symmetry moves to each other."""
    colours = [0] * len(relations)
    number = 0
    while len(set(colours)) > number:
        number = len(set(colours))
        kinds = [
            (row[cell], colours[cell], tuple(sorted((row[p], colours[p]) for p in peers)))
            for cell, (row, peers) in enumerate(zip(relations, shape.peers, strict=True))
        ]
        numbers = {kind: at for at, kind in enumerate(sorted(set(kinds)))}
        colours = [numbers[kind] for kind in kinds]
    return colours
