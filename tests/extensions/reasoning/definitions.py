"""The patterns of rules, written from their definitions with sets, without code of the harness.

Each function takes a position and returns what its rule removes, as pairs of a cell and a value.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, permutations, product

from harness.puzzles import Shape

Removed = set[tuple[int, int]]
Houses = list[set[int]]


class Position:
    """The blank cells of a board with their candidates."""

    def __init__(self, shape: Shape, candidates: Iterable[int], values: Iterable[int]) -> None:
        self.size = shape.size
        self.houses: Houses = [set(house.cells) for house in shape.houses]
        self.blank = {
            cell: {value for value in range(1, shape.size + 1) if bits >> value - 1 & 1}
            for cell, (bits, value) in enumerate(zip(candidates, values, strict=True))
            if not value
        }
        apart = [*self.houses, *map(set, shape.pairs)]
        self.different = {(a, b) for cells in apart for a in cells for b in cells if a != b}
        self.values = range(1, shape.size + 1)

    def see(self, cell: int, *others: int) -> bool:
        return all((cell, other) in self.different for other in others)

    def with_value(self, cells: Iterable[int], value: int) -> set[int]:
        return {cell for cell in cells if value in self.blank.get(cell, ())}

    def removable(self, cells: Iterable[int], value: int) -> Removed:
        return {(cell, value) for cell in self.with_value(cells, value)}


def locked_candidates(at: Position) -> Removed:
    removals: Removed = set()
    for house, other, value in product(at.houses, at.houses, at.values):
        places = at.with_value(house, value)
        if len(places) >= 2 and places <= other:
            removals |= at.removable(other - places, value)
    return removals


def naked_subset(at: Position, size: int) -> Removed:
    removals: Removed = set()
    for house in at.houses:
        usable = [c for c in house if c in at.blank and len(at.blank[c]) >= 2]
        for cells in combinations(usable, size):
            values = set().union(*(at.blank[cell] for cell in cells))
            if len(values) == size:
                for value in values:
                    removals |= at.removable(house - set(cells), value)
    return removals


def hidden_subset(at: Position, size: int) -> Removed:
    removals: Removed = set()
    for house in at.houses:
        usable = [v for v in at.values if len(at.with_value(house, v)) >= 2]
        for values in combinations(usable, size):
            cells = set().union(*(at.with_value(house, value) for value in values))
            if len(cells) == size:
                removals |= {(cell, v) for cell in cells for v in at.blank[cell] - set(values)}
    return removals


def fish(at: Position, size: int) -> Removed:
    removals: Removed = set()
    cells = range(at.size**2)
    rows: Houses = [{c for c in cells if c // at.size == r} for r in range(at.size)]
    columns: Houses = [{c for c in cells if c % at.size == r} for r in range(at.size)]
    rows, columns = ([line for line in lines if line in at.houses] for lines in (rows, columns))
    for value, (bases, covers) in product(at.values, ((rows, columns), (columns, rows))):
        usable = [line for line in bases if len(at.with_value(line, value)) >= 2]
        for base in combinations(usable, size):
            inside = at.with_value(set().union(*base), value)
            for cover in cover_of(inside, covers, size):
                removals |= at.removable(cover - inside, value)
    return removals


def cover_of(cells: set[int], lines: Houses, size: int) -> Iterator[set[int]]:
    """The lines with `cells`, if they are `size` lines and have all of them."""
    crossings = [line for line in lines if line & cells]
    union = set().union(*crossings)
    if len(crossings) == size and cells <= union:
        yield union


def xy_wing(at: Position) -> Removed:
    removals: Removed = set()
    for pivot, first, other in permutations([c for c in at.blank if len(at.blank[c]) == 2], 3):
        if not at.see(pivot, first, other):
            continue
        x, y, z = (
            at.blank[pivot] & at.blank[first],
            at.blank[pivot] & at.blank[other],
            at.blank[first] & at.blank[other],
        )
        if len(x) == len(y) == len(z) == 1 and len(x | y | z) == 3:
            common = {cell for cell in at.blank if at.see(cell, first, other)}
            removals |= at.removable(common, z.pop())
    return removals


def xyz_wing(at: Position) -> Removed:
    removals: Removed = set()
    two = [cell for cell in at.blank if len(at.blank[cell]) == 2]
    three = [cell for cell in at.blank if len(at.blank[cell]) == 3]
    for pivot in three:
        for first, other in combinations([c for c in two if at.see(pivot, c)], 2):
            if len(common_values := at.blank[first] & at.blank[other]) == 1 and (
                at.blank[first] | at.blank[other] == at.blank[pivot]
            ):
                common = {cell for cell in at.blank if at.see(cell, pivot, first, other)}
                removals |= at.removable(common, common_values.pop())
    return removals


def simple_colouring(at: Position) -> Removed:
    removals: Removed = set()
    for value in at.values:
        alike, opposite = colours(at, value)
        for cell in at.with_value(at.blank, value):
            same, other = alike.get(cell, set()), opposite.get(cell, set())
            peers_alike = [c for c in alike if at.see(cell, c) and c not in same | other]
            wraps = any(at.see(a, b) for a, b in combinations(same, 2))
            if wraps or any(b in opposite[a] for a, b in product(peers_alike, peers_alike)):
                removals.add((cell, value))
    return removals


def colours(at: Position, value: int) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    """For each cell of a conjugate pair, the cells that are alike and those that are opposite."""
    opposite: dict[int, set[int]] = {}
    for house in at.houses:
        if len(places := at.with_value(house, value)) == 2:
            for cell in places:
                opposite.setdefault(cell, set()).update(places - {cell})
    alike = {cell: {cell} for cell in opposite}
    size = -1
    while size != (size := sum(map(len, (*alike.values(), *opposite.values())))):
        for cell, others in opposite.items():
            for other in set(others):
                alike[cell] |= opposite[other]
                others |= alike[other]
    return alike, opposite


DEFINITIONS: dict[str, Callable[[Position], Removed]] = {
    "locked candidates": locked_candidates,
    "naked pair": lambda at: naked_subset(at, 2),
    "naked triple": lambda at: naked_subset(at, 3),
    "naked quad": lambda at: naked_subset(at, 4),
    "hidden pair": lambda at: hidden_subset(at, 2),
    "hidden triple": lambda at: hidden_subset(at, 3),
    "hidden quad": lambda at: hidden_subset(at, 4),
    "X-wing": lambda at: fish(at, 2),
    "swordfish": lambda at: fish(at, 3),
    "jellyfish": lambda at: fish(at, 4),
    "XY-wing": xy_wing,
    "XYZ-wing": xyz_wing,
    "simple colouring": simple_colouring,
}
"""The definition of each rule, by its name."""
