"""Random constraints that are true for a complete grid.

Cages grow at random until they cover the grid; lines are random walks that share no cells. Dots,
marked cells and clues outside of the grid are all that are true. Importing this module loads no
search.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, groupby, islice, pairwise, product
from typing import TYPE_CHECKING, Final

from harness.puzzles import Grid, Shape
from harness.puzzles.constraints import KINDS, Cells, Constraint, neighbours

if TYPE_CHECKING:
    from harness.puzzles.search import Prng

# Where constraints may stand.


class Drawing:
    """A complete grid on which constraints are drawn."""

    def __init__(self, shape: Shape, grid: Grid, random: "Prng", longest: int) -> None:
        """Begin without constraints; cages grow to `longest` cells, and lines to two more."""
        self.size = shape.size
        self.regions = shape.region_of
        self.grid = grid
        self.random = random
        self.longest = longest
        self._used: set[int] = set()
        """The cells of lines."""

    def values(self, cells: Iterable[int]) -> list[int]:
        """The values of cells."""
        return [self.grid[cell] for cell in cells]

    def touching(self, cell: int, corners: bool = False) -> list[int]:
        """The cells that share a side with `cell`, or also those that share a corner."""
        row, column = divmod(cell, self.size)
        return [
            (row + down) * self.size + column + right
            for down, right in product((-1, 0, 1), repeat=2)
            if (down or right)
            and (corners or not (down and right))
            and 0 <= row + down < self.size
            and 0 <= column + right < self.size
        ]

    def cages(self, differ: bool) -> list[Cells]:
        """Cages that cover the grid, except for single cells that fit into none."""
        cage_of: dict[int, list[int]] = {}

        def fits(cell: int, cage: Sequence[int]) -> bool:
            return not (differ and self.grid[cell] in self.values(cage))

        for start in self.random.order(self.size**2):
            if start in cage_of:
                continue
            cage = [start]
            for _ in range(1 + self.random.below(self.longest - 1)):
                near = sorted({near for cell in cage for near in self.touching(cell)})
                near = [c for c in near if c not in cage_of and c not in cage and fits(c, cage)]
                if not near:
                    break
                cage.append(self.random.choice(near))
            if len(cage) > 1:
                cage_of |= dict.fromkeys(cage, cage)
        for cell in self.random.order(self.size**2):
            cages = [cage_of[near] for near in self.touching(cell) if near in cage_of]
            cages = [cage for cage in cages if fits(cell, cage)]
            if cell not in cage_of and cages:
                cage_of[cell] = self.random.choice(cages)
                cage_of[cell].append(cell)
        return list(dict.fromkeys(tuple(sorted(cage)) for cage in cage_of.values()))

    def walks(self, line: "_Line") -> Iterator[Cells]:
        """Random lines over cells that no line has yet."""
        longest = max(line.shortest, min(self.longest + 2, line.longest))
        for _ in range(_WALKS):
            free = [cell for cell in range(self.size**2) if cell not in self._used]
            if not free:
                break
            walk = [self.random.choice(free)]
            length = line.shortest + self.random.below(longest - line.shortest + 1)
            while len(walk) < length:
                near = self.touching(walk[-1], corners=True)
                near = [cell for cell in near if cell not in self._used and cell not in walk]
                near = [cell for cell in near if line.begins(self, [*walk, cell])]
                if not near:
                    break
                walk.append(self.random.choice(near))
            if len(walk) == length and line.holds(self, walk):
                self._used.update(walk)
                yield tuple(walk)

    def lines(self) -> Iterator[Cells]:
        """All rows and columns, each in both directions."""
        size = self.size
        for at in range(size):
            for line in (range(at * size, (at + 1) * size), range(at, size * size, size)):
                yield tuple(line)
                yield tuple(reversed(line))

    def diagonals(self) -> Iterator[Cells]:
        """All diagonals of at least two cells, from the first row or from a side."""
        for row, column in product(range(self.size), repeat=2):
            for right, is_side in ((1, column == 0), (-1, column == self.size - 1)):
                length = self.size - max(row, column if right > 0 else self.size - 1 - column)
                if (row == 0 or is_side) and length > 1:
                    start = row * self.size + column
                    yield tuple(start + (self.size + right) * step for step in range(length))

    def squares(self) -> Iterator[Cells]:
        """All squares of four cells."""
        for row, column in product(range(self.size - 1), repeat=2):
            corner = row * self.size + column
            yield corner, corner + 1, corner + self.size, corner + self.size + 1


_WALKS: Final = 600
"""Walks to try for the lines of a kind."""
_Holds = Callable[[Drawing, Sequence[int]], bool]

# Lines.


@dataclass(frozen=True, slots=True)
class _Line:
    """A kind of line: whether cells are such a line, and whether they may begin one."""

    holds: _Holds
    begins: _Holds = lambda _, __: True
    shortest: int = 3
    longest: int = 6


def _of_values(holds: Callable[[list[int]], bool]) -> _Holds:
    return lambda drawing, cells: holds(drawing.values(cells))


def _steps(allows: Callable[[int, int], bool]) -> _Line:
    """Lines on which `allows` accepts each value with the next one."""
    holds = _of_values(lambda v: all(allows(a, b) for a, b in pairwise(v)))
    return _Line(holds, holds, longest=9)


def _classes(class_of: Callable[[int, int], int]) -> _Line:
    """Lines on which any three successive values are of different classes.

    `class_of` receives a value and the size of the grid.
    """

    def holds(drawing: Drawing, cells: Sequence[int]) -> bool:
        classes = [class_of(value, drawing.size) for value in drawing.values(cells)]
        parts = [classes[at : at + 3] for at in range(len(classes))]
        return all(len({*part}) == len(part) for part in parts)

    return _Line(holds, holds, longest=9)


def _is_whisper(drawing: Drawing, cells: Sequence[int]) -> bool:
    return all(abs(a - b) >= (drawing.size + 1) // 2 for a, b in pairwise(drawing.values(cells)))


def _have_equal_sums(drawing: Drawing, cells: Sequence[int]) -> bool:
    parts = [[*part] for _, part in groupby(cells, key=lambda cell: drawing.regions[cell])]
    return len(parts) > 1 and len({sum(drawing.values(part)) for part in parts}) == 1


def _is_zipper(values: Sequence[int]) -> bool:
    half, odd = divmod(len(values), 2)
    sums = {values[at] + values[-1 - at] for at in range(half)}
    return len(sums.union(values[half : half + odd])) == 1


def _are_between(values: Sequence[int]) -> bool:
    first, *inner, last = values
    return min(first, last) < min(inner) and max(inner) < max(first, last)


def _are_locked_out(values: Sequence[int]) -> bool:
    first, *inner, last = values
    low, high = min(first, last), max(first, last)
    return high - low >= 4 and not any(low <= value <= high for value in inner)


_LINES: Final = {
    "arrow": _Line(
        _of_values(lambda v: v[0] == sum(v[1:])), _of_values(lambda v: v[0] >= sum(v[1:]))
    ),
    "double-arrow": _Line(_of_values(lambda v: v[0] + v[-1] == sum(v[1:-1]))),
    "region-sum": _Line(_have_equal_sums),
    "zipper": _Line(_of_values(_is_zipper)),
    "thermometer": _steps(lambda a, b: a < b),
    "slow-thermometer": _steps(lambda a, b: a <= b),
    "whisper": _Line(_is_whisper, _is_whisper, longest=9),
    "renban": _Line(
        _of_values(lambda v: len({*v}) == len(v) == max(v) - min(v) + 1),
        _of_values(lambda v: len({*v}) == len(v) >= max(v) - min(v) - 1),
    ),
    "nabner": _Line(
        nabner := _of_values(lambda v: all(abs(a - b) >= 2 for a, b in combinations(v, 2))), nabner
    ),
    "palindrome": _Line(_of_values(lambda v: v == v[::-1])),
    "modular": _classes(lambda value, _: value % 3),
    "entropic": _classes(lambda value, size: (value - 1) * 3 // size),
    "between": _Line(_of_values(_are_between)),
    "lockout": _Line(_of_values(_are_locked_out)),
}

# Clues: the value of a constraint on some cells; None if it is not true.


_Clue = Callable[[list[int]], int | str | None]


def _sum_between_crusts(values: list[int]) -> int:
    first, last = sorted((values.index(1), values.index(len(values))))
    return sum(values[first + 1 : last])


def _lines(kind: str, drawing: Drawing) -> Iterator[Constraint]:
    for cells in drawing.walks(_LINES[kind]):
        yield Constraint(kind, "", (cells[:1], cells[1:]) if kind == "arrow" else (cells,))


def _greater(drawing: Drawing) -> Iterator[Constraint]:
    for first, second in neighbours(drawing.size):
        cells = (first, second) if drawing.grid[first] > drawing.grid[second] else (second, first)
        yield Constraint("greater", "", (cells,))


def _quadruples(drawing: Drawing) -> Iterator[Constraint]:
    for cells in drawing.squares():
        some = drawing.random.sample(1 + drawing.random.below(4), 4)
        values = sorted(drawing.grid[cells[place]] for place in some)
        yield Constraint("quadruple", ",".join(map(str, values)), (cells,))


def _neighbours(drawing: Drawing) -> Iterable[Cells]:
    return neighbours(drawing.size)


_CLUES: Final[dict[str, tuple[Callable[[Drawing], Iterable[Cells]], _Clue]]] = {
    "killer": (lambda drawing: drawing.cages(differ=True), sum),
    "sum": (lambda drawing: drawing.cages(differ=False), sum),
    "distinct": (lambda drawing: drawing.cages(differ=True), lambda _: ""),
    "little-killer": (Drawing.diagonals, sum),
    "difference": (_neighbours, lambda v: "" if abs(v[0] - v[1]) == 1 else None),
    "ratio": (_neighbours, lambda v: "" if max(v) == 2 * min(v) else None),
    "xv": (_neighbours, lambda v: {5: "v", 10: "x"}.get(sum(v))),
    "sandwich": (
        lambda drawing: (line for line in drawing.lines() if line[0] < line[1]),
        _sum_between_crusts,
    ),
    "x-sum": (Drawing.lines, lambda v: sum(v[: v[0]])),
    "skyscraper": (
        Drawing.lines,
        lambda v: sum(max(v[: at + 1]) == value for at, value in enumerate(v)),
    ),
    "numbered-room": (Drawing.lines, lambda v: v[v[0] - 1]),
}
"""The kinds with a clue for some cells: where they are, and their clue."""
_MARKS: Final[dict[str, Callable[[int, list[int]], bool]]] = {
    "odd": lambda value, _: value % 2 == 1,
    "even": lambda value, _: value % 2 == 0,
    "minimum": lambda value, near: value < min(near),
    "maximum": lambda value, near: value > max(near),
}
"""The kinds of marked cells: whether a value and those of its neighbours have the mark."""


def _clues(kind: str, drawing: Drawing) -> Iterator[Constraint]:
    places, clue = _CLUES[kind]
    for cells in places(drawing):
        value = clue(drawing.values(cells))
        if value is not None:
            yield Constraint(kind, str(value), (cells,))


def _marks(kind: str, drawing: Drawing) -> Iterator[Constraint]:
    for cell in range(drawing.size**2):
        if _MARKS[kind](drawing.grid[cell], drawing.values(drawing.touching(cell))):
            yield Constraint(kind, "", ((cell,),))


DRAWN: Final[dict[str, Callable[[Drawing], Iterable[Constraint]]]] = {
    **{kind: partial(_lines, kind) for kind in _LINES},
    **{kind: partial(_clues, kind) for kind in _CLUES},
    **{kind: partial(_marks, kind) for kind in _MARKS},
    "greater": _greater,
    "quadruple": _quadruples,
}
"""The kinds that can be drawn: all true constraints, or those of random cages or lines."""
RULES: Final = ("nonconsecutive", "self-taxicab")
"""The kinds for all cells; the grid is generated to satisfy them."""
UNMARKED: Final = {
    "all-differences": ("difference",),
    "all-ratios": ("ratio",),
    "all-dots": ("difference", "ratio"),
    "all-xv": ("xv",),
}
"""The kinds for neighbours without a mark, with the kinds of marks that are then all drawn."""
GENERATED: Final = tuple(kind for kind in KINDS if kind in {*DRAWN, *RULES, *UNMARKED})


def draw_constraints(kinds: Iterable[str], most: int | None, drawing: Drawing) -> list[Constraint]:
    """Random constraints of these kinds.

    Args:
        kinds: the kinds; those of `RULES` are left out.
        most: the maximum number of each kind in `DRAWN`; by default N lines or quadruples in
            a grid of size N, and all of the others.
        drawing: where to draw them.
    """
    constraints = [Constraint(kind) for kind in kinds if kind in UNMARKED]
    marks = [mark for kind in kinds for mark in UNMARKED.get(kind, ())]
    for kind in dict.fromkeys(kind for kind in (*kinds, *marks) if kind in DRAWN):
        number = drawing.size if most is None and kind in (*_LINES, "quadruple") else most
        some = list(islice(DRAWN[kind](drawing), number if kind in _LINES else None))
        drawing.random.shuffle(some)
        constraints += some[:number]
    dots = [
        constraint.lists for constraint in constraints if constraint.kind in ("difference", "ratio")
    ]
    twice = sorted(lists for lists, times in Counter(dots).items() if times > 1)
    for lists in twice:  # 1 beside 2 may have either dot
        constraints.remove(Constraint(drawing.random.choice(["difference", "ratio"]), "", lists))
    return constraints
