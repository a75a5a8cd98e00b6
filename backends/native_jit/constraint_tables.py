"""The constraints of a shape in the form that the any-shape kernel uses; see `constraints`."""

from collections import Counter
from collections.abc import Container, Sequence
from functools import lru_cache
from itertools import chain, combinations
from math import comb
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from harness.puzzles import Shape
from harness.puzzles.constraints import (
    Distinct,
    Line,
    Primitive,
    Relation,
    Sum,
    ValueCount,
    bits_of,
    relation_of,
    transpose,
)
from harness.puzzles.search import Sets, layers_of_line, sets_of

from .board import Word
from .constraints import BITS, BLOCK, CAGE, COUNT, GROUP, LINE, SUM, TABULATED, WEIGHT

Other = ValueCount | Sets | Sum | Line
"""A constraint that is not a relation."""
IMPOSSIBLE: Final = ValueCount((0,), 0, 1, 1)
"""A constraint that never holds."""
MOST_SETS: Final = 600
"""Maximum number of sets of values of a group in a sum; a group with more is divided."""


class _Tables:
    """The arrays `lists` and `sets` while they are filled."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.houses = [house.cells for house in shape.houses]
        self.place_of = [{cell: n for n, cell in enumerate(house)} for house in self.houses]
        self.bits_of_houses = [*map(bits_of, self.houses)]
        self.runs: list[list[int]] = []
        """Runs of consecutive houses without common cells, by the numbers of the houses."""
        run_cells: set[int] = set()
        for number, house in enumerate(self.houses):
            if not self.runs or not run_cells.isdisjoint(house):
                self.runs.append([])
                run_cells = set()
            self.runs[-1].append(number)
            run_cells.update(house)
        self.lists: list[int] = []
        self.sets: list[int] = []
        self.room = 0
        """The room that one rule needs in the memory, at most, in numbers."""
        self._known: dict[tuple[int, ...], int] = {}
        self._tables: dict[tuple[int, ...], int] = {}

    def values(self, sets: Sequence[int]) -> int:
        """Where these sets begin."""
        key = tuple(sets)
        if key not in self._known:
            self._known[key] = len(self.sets)
            self.sets += key
        return self._known[key]

    def table(self, rows: Sequence[int]) -> int:
        """Where the table of a relation begins."""
        if self.shape.size > TABULATED:
            return self.values(rows)
        if tuple(rows) in self._tables:
            return self._tables[tuple(rows)]
        unions = [0]
        for row in rows:
            unions += [before | row for before in unions]
        self._tables[tuple(rows)] = self.values(unions)
        return self._tables[tuple(rows)]

    def constraint(self, constraint: Other) -> int:
        """Where this constraint begins in `lists`."""
        start = len(self.lists)
        if isinstance(constraint, ValueCount):
            self._count(constraint)
        elif isinstance(constraint, Line):
            self._line(constraint)
        elif isinstance(constraint, Sets):
            self._cage(constraint.cells, constraint.sets)
        else:
            self._sum(constraint)
        return start

    def _count(self, count: ValueCount, numbers: int = 0) -> None:
        """Add a count; `numbers`, if not 0, has the allowed numbers as bits, in place of bounds."""
        cells, values = count.cells, self.values([count.values])
        self.lists += [COUNT, count.least, count.most, numbers, values, len(cells), *cells]
        covers = self._covers(cells) if count.values.bit_count() == 1 < len(cells) else []
        self.lists += [len(covers), *chain.from_iterable(covers)]

    def _covers(self, cells: Sequence[int]) -> list[list[int]]:
        """The ways to cover cells with consecutive houses that have no cell in common."""
        covers = []
        for houses in self.runs:
            inside = [(house, self._places(house, cells)) for house in houses]
            if sum(places.bit_count() for _, places in inside) == len(cells):
                places_by_house = [
                    (house, self.values([places])) for house, places in inside if places
                ]
                covers.append([len(places_by_house), *chain.from_iterable(places_by_house)])
        return covers

    def _places(self, house: int, cells: Sequence[int]) -> int:
        """The places of cells in a house, as bits."""
        place_of = self.place_of[house]
        return sum(1 << place_of[cell] for cell in cells if cell in place_of)

    def _sum(self, sum_: Sum) -> None:
        size = self.shape.size
        sets = sets_of(sum_, size, self.shape.peers)
        if sets is not None:
            self._cage(sum_.cells, sets)
            return
        groups = _groups_of(sum_, self.shape.peers, self.houses, _group_sizes(size))
        self.lists += [SUM, len(groups), len(sum_.totals), *sum_.totals]
        room = GROUP * len(groups)
        for coefficient, cells in groups:
            all_sets, sums = _all_sets(size, len(cells)) if len(cells) > 1 else ([], [])
            self._group(coefficient, cells, all_sets, sums)
            room += len(all_sets) // BLOCK + 1
        self.room = max(self.room, room)

    def _cage(self, cells: Sequence[int], sets: Sequence[int]) -> None:
        if sets:
            self.lists.append(CAGE)
            self._group(1, cells, sets, [])
        else:
            self._count(IMPOSSIBLE)

    def _group(
        self, coefficient: int, cells: Sequence[int], sets: Sequence[int], sums: Sequence[int]
    ) -> None:
        padding = [0] * (-len(sets) % BLOCK)
        first = self.values([*sets, *padding])
        at_sums = self.values([*sums, *padding]) if sums else 0
        houses = []
        if len(cells) > 1:
            own = bits_of(cells)
            for number, house in enumerate(self.bits_of_houses):
                if not own & ~house:
                    houses += [number, self.values([self._places(number, cells)])]
        blocks = -(-len(sets) // BLOCK)
        self.lists += [coefficient, first, blocks, at_sums, len(houses) // 2, len(cells)]
        self.lists += [*cells, *houses]

    def _line(self, line: Line) -> None:
        size = self.shape.size
        if count := _as_count(line):
            self._count(ValueCount(line.cells, count[0], 0, 0), count[1])
            return
        layers = layers_of_line(line, [(1 << size) - 1] * size**2)
        if not layers:
            self._count(IMPOSSIBLE)
            return
        start = len(self.lists)
        self.lists += [LINE, len(line.cells)]
        self.lists += [0] * (3 * len(line.cells) + 2)
        numbers = {0: 0}
        room = 1
        for place, (cell, moves) in enumerate(zip(line.cells, layers, strict=True)):
            after_numbers: dict[int, int] = {}
            rows = [-1] * (size * len(numbers))
            for before, value, after in moves:
                to = after_numbers.setdefault(after, len(after_numbers))
                rows[size * numbers[before] + value - 1] = to
            head = start + 2 + 3 * place
            self.lists[head : head + 3] = [cell, len(numbers), len(self.lists)]
            self.lists += rows
            numbers = after_numbers
            room += len(numbers) // BITS + 1
        self.lists[start + 2 + 3 * len(line.cells) + 1] = len(numbers)
        self.room = max(self.room, room)


def _as_count(line: Line) -> tuple[int, int] | None:
    """The values that an automaton counts and the numbers that it accepts, as bits; else None."""
    moves, accepting = line.automaton.transitions, line.automaton.accepting
    last = len(moves) - 1
    if last > BITS or len(line.cells) > BITS or len(set(line.cells)) < len(line.cells):
        return None
    is_counted_value = [after != 0 for after in moves[0]]
    for state, row in enumerate(moves):
        following = state + 1 if state < last else -1
        if row != tuple(following if is_counted else state for is_counted in is_counted_value):
            return None
    values = sum(1 << value for value, is_counted in enumerate(is_counted_value) if is_counted)
    return values, sum(1 << state for state, accepts in enumerate(accepting) if accepts)


def constraint_tables(
    shape: Shape, constraints: Sequence[Primitive | Sets], word: Word
) -> tuple[NDArray[Any], ...]:
    """The sizes and the numbers of `Constraints`, its sets, and memory for a search."""
    relations, others = _divide(constraints, shape.size)
    tables = _Tables(shape)
    cells = shape.size**2
    tables.lists += [0] * (cells + 1)
    relations_of: list[list[int]] = [[] for _ in range(cells)]
    for relation in relations:
        relations_of[relation.first] += [relation.second, tables.table(relation.table)]
        relations_of[relation.second] += [relation.first, tables.table(_transpose(relation.table))]
    for cell, numbers in enumerate(relations_of):
        tables.lists[cell] = len(tables.lists)
        tables.lists += numbers
    tables.lists[cells] = len(tables.lists)
    starts = [tables.constraint(other) for other in others]
    words = -(-len(others) // BITS)
    of_cell = [0] * (cells * words)
    for number, constraint in enumerate(others):
        for cell in constraint.cells:
            of_cell[cell * words + number // BITS] |= 1 << number % BITS
    at_of_cell = len(tables.lists)
    tables.lists += [*of_cell, *starts]
    at_weights = len(tables.lists)
    tables.lists += _weights(shape, [*relations, *others])
    at_peers = len(tables.lists)
    tables.lists += _peers(shape)
    starts_of = [words, at_weights, at_of_cell, at_of_cell + len(of_cell), at_peers]
    return (
        np.array(starts_of, np.int64),
        np.array(tables.lists, np.int64),
        np.array(tables.sets, word),
        np.zeros(cells + BLOCK, word),
        np.zeros(words + tables.room + 2, np.int64),
    )


def _peers(shape: Shape) -> list[int]:
    """The peers of each cell as bits, `BITS` to a number."""
    starts = range(0, shape.size**2, BITS)
    every = (1 << BITS) - 1
    return [bits >> start & every for bits in map(bits_of, shape.peers) for start in starts]


def _weights(shape: Shape, constraints: Sequence[Relation | Other]) -> list[int]:
    """The first weight of each word, times `WEIGHT`: cells of many constraints are guessed first.

    Places get a fourth of the mean of their cells, because they are in no constraint.
    """
    number = Counter(cell for constraint in constraints for cell in constraint.cells)
    of_cell = [WEIGHT * max(1, 2 * number[cell]) for cell in range(shape.size**2)]
    of_house = (sum(of_cell[c] for c in house.cells) for house in shape.houses)
    places = (weight // (4 * shape.size) for weight in of_house)
    return of_cell + [weight for weight in places for _ in range(shape.size)]


def _divide(
    constraints: Sequence[Primitive | Sets], size: int
) -> tuple[list[Relation], list[Other]]:
    """The relations, including sums of two cells, and the other constraints, cheap ones first."""
    relations: list[Relation] = []
    others: list[Other] = []
    for constraint in constraints:
        if isinstance(constraint, Relation):
            relations.append(constraint)
        elif isinstance(constraint, Sum) and len(constraint.cells) == 2:
            table = _table(size, constraint.coefficients, constraint.totals)
            relations.append(Relation(constraint.cells[0], constraint.cells[1], table))
        elif isinstance(constraint, Sum) and not constraint.cells:
            if 0 not in constraint.totals:
                others.append(IMPOSSIBLE)
        elif not isinstance(constraint, Distinct):
            others.append(constraint)
    order = (ValueCount, Sets, Sum, Line)
    others.sort(key=lambda constraint: (order.index(type(constraint)), len(constraint.cells)))
    return relations, others


@lru_cache(maxsize=1000)
def _table(size: int, coefficients: tuple[int, ...], totals: tuple[int, ...]) -> tuple[int, ...]:
    """The pairs of values that two cells of a sum may have, as a table."""
    first, second = coefficients
    return relation_of(size, lambda a, b: first * a + second * b in totals)


_transpose = lru_cache(transpose)


def _groups_of(
    sum_: Sum,
    peers: Sequence[Sequence[int]],
    houses: Sequence[Sequence[int]],
    sizes: Container[int],
) -> list[tuple[int, list[int]]]:
    """The cells of a sum as groups of different cells with a coefficient.

    Houses with many of the cells come first: large groups bound a sum best.

    Args:
        sum_: the sum.
        peers: for each cell the cells that differ from it.
        houses: the cells of each house.
        sizes: the numbers of cells that a group may have, 1 among them.
    """
    groups: list[tuple[int, list[int]]] = []
    for coefficient in sorted(set(sum_.coefficients)):
        terms = zip(sum_.cells, sum_.coefficients, strict=True)
        rest = {cell for cell, own in terms if own == coefficient}
        while rest:
            common = max((rest.intersection(house) for house in houses), key=len, default=rest)
            cells = sorted(common if len(common) > 1 else rest)
            group = cells[:1]
            beside = set(peers[cells[0]])
            for cell in (*cells[1:], *sorted(rest.difference(cells))):
                if cell in beside:
                    group.append(cell)
                    beside.intersection_update(peers[cell])
            while len(group) not in sizes:
                group.pop()
            groups.append((coefficient, group))
            rest.difference_update(group)
    return groups


@lru_cache
def _group_sizes(size: int) -> frozenset[int]:
    """How many cells a group may have: few enough sets, and sums that are bits of a number."""
    return frozenset(
        number
        for number in range(1, size + 1)
        if number == 1 or (comb(size, number) <= MOST_SETS and number * (size - number) < BITS)
    )


@lru_cache(maxsize=1000)
def _all_sets(size: int, number: int) -> tuple[list[int], list[int]]:
    """The sets of this many values, and the sum of each as a bit above the smallest one."""
    sets = list(combinations(range(1, size + 1), number))
    least = number * (number + 1) // 2
    return [sum(1 << value - 1 for value in values) for values in sets], [
        1 << sum(values) - least for values in sets
    ]
