"""Symmetries: of the pattern of clues, of a shape, and scrambles made from them.

A symmetry keeps the houses and the pairs of the shape. A search assigns to each row and
column in turn an original one. Colours prune it: two cells may be moved to each other only
if they have the same colour, and colours are refined by those of related cells until
nothing changes, as in isomorphism tests of graphs (Weisfeiler and Leman, "The reduction of a
graph to canonical form", 1968).

A scramble uses only symmetries of the shape: houses stay houses, and pairs stay pairs. In
a shape of boxes it permutes bands, rows within a band, stacks and columns within a stack, and
transposes square boxes. In other shapes it uses those permutations of rows and of columns
that keep all houses; with diagonals these are few, in a jigsaw usually none. With constraints it
rotates and reflects the square if each constraint means the same on the moved cells.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from harness.base.errors import PuzzleError
from harness.puzzles.constraints import move, normal_form, relabel
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import Shape

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.puzzles.search import Prng

# Symmetries of the pattern of clues: rotations and reflections of the square.


class Symmetry(StrEnum):
    """Symmetries under which a pattern of clues may stay the same."""

    ROTATION_180 = "rotation180"
    ROTATION_90 = "rotation90"
    LEFT_RIGHT = "left-right"
    TOP_BOTTOM = "top-bottom"
    DIAGONAL = "diagonal"
    ANTIDIAGONAL = "antidiagonal"


_MOVES: Final[dict[Symmetry, Callable[[int, int, int], tuple[int, int]]]] = {
    Symmetry.ROTATION_180: lambda row, column, last: (last - row, last - column),
    Symmetry.ROTATION_90: lambda row, column, last: (column, last - row),
    Symmetry.LEFT_RIGHT: lambda row, column, last: (row, last - column),
    Symmetry.TOP_BOTTOM: lambda row, column, last: (last - row, column),
    Symmetry.DIAGONAL: lambda row, column, _: (column, row),
    Symmetry.ANTIDIAGONAL: lambda row, column, last: (last - column, last - row),
}
"""Where the cell at a row and a column goes; `last` is the last row."""


def image(cell: int, size: int, symmetry: Symmetry) -> int:
    """The cell to which `symmetry` moves `cell` in a square of `size` rows."""
    row, column = _MOVES[symmetry](*divmod(cell, size), size - 1)
    return row * size + column


def symmetries_of(puzzle: Puzzle) -> list[Symmetry]:
    """The symmetries of the pattern of clues of `puzzle`."""
    size, givens = puzzle.shape.size, puzzle.givens
    return [
        symmetry
        for symmetry in Symmetry
        if all(
            bool(value) == bool(givens[image(cell, size, symmetry)])
            for cell, value in enumerate(givens)
        )
    ]


# The symmetries of any shape that permute rows and columns, perhaps transposed.


_FEW: Final = 64
"""Up to this number, symmetries are listed once; otherwise a search finds each one."""


class _LineSymmetries:
    """The symmetries of one shape that permute rows and columns.

    A symmetry is for each cell the cell of the original that moves there. It follows from the
    original row of each row and the original column of each column or, if it transposes, from the
    original column of each row and the original row of each column.
    """

    def __init__(self, shape: Shape) -> None:
        size = shape.size
        self._size = size
        self._relations = _relations(shape)
        self._colours = _colours(shape, self._relations)
        rows = [self._colours[r * size : (r + 1) * size] for r in range(size)]
        self._rows = [tuple(sorted(row)) for row in rows]
        self._columns = [tuple(sorted(column)) for column in zip(*rows, strict=True)]
        self._sets = [
            {frozenset(house.cells) for house in shape.houses},
            {frozenset(pair) for pair in shape.pairs},
        ]
        symmetries = list(islice(self._symmetries(None), _FEW + 1))
        self._all = symmetries if len(symmetries) <= _FEW else None

    def random(self, random: "Prng") -> tuple[int, ...]:
        """A random symmetry; each has the same probability.

        Each partial assignment that can be completed can be completed in equally many ways,
        since symmetries are a group, so a search in random order is fair.
        """
        if self._all is not None:
            return random.choice(self._all)
        return next(self._symmetries(random))

    def _symmetries(self, random: "Prng | None") -> Iterator[tuple[int, ...]]:
        """All symmetries, in random order if there is a source of random integers."""
        for transposes in _order(2, random):
            yield from self._completions([], [], bool(transposes), random)

    def _completions(
        self, rows: list[int], columns: list[int], transposes: bool, random: "Prng | None"
    ) -> Iterator[tuple[int, ...]]:
        if len(columns) == self._size:
            down, across = (1, self._size) if transposes else (self._size, 1)
            cells = tuple(row * down + column * across for row in rows for column in columns)
            images = (
                {frozenset([cells[cell] for cell in members]) for members in sets}
                for sets in self._sets
            )
            if [*images] == self._sets:
                yield cells
            return
        is_column = len(columns) < len(rows)
        lines = columns if is_column else rows
        goal = (self._columns if is_column else self._rows)[len(lines)]
        originals = self._columns if is_column is not transposes else self._rows
        for line in _order(self._size, random):
            if line in lines or originals[line] != goal:
                continue
            lines.append(line)
            if self._is_consistent(rows, columns, transposes, is_column):
                yield from self._completions(rows, columns, transposes, random)
            lines.pop()

    def _is_consistent(
        self, rows: list[int], columns: list[int], transposes: bool, is_column: bool
    ) -> bool:
        """Whether the cells of the latest line relate to all placed ones as their originals do."""
        import numpy as np

        size, height, width = self._size, len(rows), len(columns)
        if not width:
            return True
        down, across = (1, size) if transposes else (size, 1)
        places = np.add.outer(np.arange(height) * size, np.arange(width)).ravel()
        targets = np.add.outer(np.array(rows) * down, np.array(columns) * across).ravel()
        latest = slice(width - 1, None, width) if is_column else slice(-width, None)
        for cell, original in zip(places[latest].tolist(), targets[latest].tolist(), strict=True):
            if self._colours[cell] != self._colours[original]:
                return False
            to, its = self._relations[cell], self._relations[original]
            if (to[places] != its[targets]).any():
                return False
        return True


_symmetries_of_lines: Final = lru_cache(maxsize=16)(_LineSymmetries)
"""The symmetries of a shape, prepared once."""


def _order(number: int, random: "Prng | None") -> Sequence[int]:
    return range(number) if random is None else random.order(number)


def _relations(shape: Shape) -> "NDArray[np.uint8]":
    """For each two cells twice the number of houses that they share, plus 1 if they are a pair."""
    import numpy as np

    relations = np.zeros((shape.size**2, shape.size**2), np.uint8)
    for house in {frozenset(house.cells) for house in shape.houses}:
        cells = [*house]
        relations[np.ix_(cells, cells)] += 2
    for first, second in shape.pairs:
        relations[first, second] += 1
        relations[second, first] += 1
    return relations


def _colours(shape: Shape, relations: "NDArray[np.uint8]") -> list[int]:
    """The colour of each cell: different only if no symmetry moves the cells to each other."""
    colours = [0] * len(relations)
    number = 0
    while len(set(colours)) > number:
        number = len(set(colours))
        kinds = []
        for cell, peers in enumerate(shape.peers):
            to = relations[cell, [cell, *peers]].tolist()
            others = zip(to[1:], [colours[peer] for peer in peers], strict=True)
            kinds.append((to[0], colours[cell], tuple(sorted(others))))
        numbers = {kind: at for at, kind in enumerate(sorted(set(kinds)))}
        colours = [numbers[kind] for kind in kinds]
    return colours


# Scrambles: equivalent puzzles by other values, rows and columns, perhaps transposed.


@dataclass(frozen=True)
class Scramble:
    """A symmetry of a shape, and new values."""

    shape: Shape
    """The shape of the puzzles."""
    cells: tuple[int, ...]
    """For each cell the cell of the original that moves there."""
    values: tuple[int, ...]
    """For each value, from 1, its new value; ``values[0]`` is 0."""
    moved_shape: Shape | None = None
    """The shape of scrambled puzzles if constraints are moved."""

    @staticmethod
    def from_seed(shape: Shape, seed: object) -> "Scramble":
        """The scramble of `shape` with this seed; each is as likely as any other.

        Args:
            shape: the shape.
            seed: a number or a text; equal seeds make equal scrambles on every machine.
        """
        from harness.puzzles.search import Prng

        return Scramble.random(shape, Prng("scramble", seed))

    @staticmethod
    def random(shape: Shape, random: "Prng") -> "Scramble":
        """A random scramble of `shape`, from the source `random`."""
        moved_shape = None
        if shape.constraints:
            cells, moved_shape = _turn(shape, random)
        elif is_plain(shape):
            cells = _of_boxes(shape, random)
        else:
            cells = _symmetries_of_lines(shape).random(random)
        return Scramble(shape, cells, new_values(shape, random), moved_shape)

    @cached_property
    def inverse(self) -> "Scramble":
        """The scramble that restores the original."""
        cells, values = [0] * len(self.cells), [0] * len(self.values)
        for to, cell in enumerate(self.cells):
            cells[cell] = to
        for value, new in enumerate(self.values):
            values[new] = value
        original = None if self.moved_shape is None else self.shape
        return Scramble(self.moved_shape or self.shape, tuple(cells), tuple(values), original)

    def puzzle(self, puzzle: Puzzle) -> Puzzle:
        """The scrambled `puzzle`, with its pencilmarks.

        Raises:
            PuzzleError: the puzzle has another shape.
        """
        if puzzle.shape != self.shape:
            raise PuzzleError(f"a puzzle of {puzzle.shape}", expected=f"{self.shape}")
        marks = puzzle.pencilmarks
        if marks is not None:
            marks = tuple(self._marks(marks[cell]) for cell in self.cells)
        return Puzzle(self.moved_shape or puzzle.shape, self.grid(puzzle.givens), marks)

    def grid(self, grid: Sequence[int]) -> Grid:
        """The scrambled `grid`; blanks stay blank."""
        return tuple(self.values[grid[cell]] for cell in self.cells)

    def _marks(self, marks: int) -> int:
        values = range(1, self.shape.size + 1)
        return sum(1 << self.values[v] - 1 for v in values if marks >> v - 1 & 1)


def is_plain(shape: Shape) -> bool:
    """Whether `shape` is a Latin square or a shape with boxes, without variants."""
    box = shape.box
    spec = f"latin{shape.size}" if box is None else f"box{box[0]}x{box[1]}"
    try:
        return shape == Shape.parse(spec)
    except PuzzleError:
        return False


def _of_boxes(shape: Shape, random: "Prng") -> tuple[int, ...]:
    """A random symmetry of a shape with boxes, or of a Latin square."""
    size = shape.size
    height, width = shape.box or (1, 1)
    rows = _lines_in_groups(size, height, random)
    columns = _lines_in_groups(size, width, random)
    transposes = height == width and random.below(2)
    return tuple(
        column * size + row if transposes else row * size + column
        for row in rows
        for column in columns
    )


def _lines_in_groups(size: int, group: int, random: "Prng") -> list[int]:
    """Rows in random order, those of a band side by side."""
    return [
        first * group + line
        for first in random.order(size // group)
        for line in random.order(group)
    ]


# Symmetries of shapes with constraints.


def new_values(shape: Shape, random: "Prng") -> tuple[int, ...]:
    """New values from `random`, after a 0, that keep what the constraints of `shape` demand.

    Any permutation, if every one does; otherwise the same values or those in reverse order.
    """
    # An exchange of two values and a rotation of all generate every permutation.
    first, second, *others = range(1, shape.size + 1)
    makers = (0, second, first, *others), (0, second, *others, first)
    if all(_keeps_meaning(shape, values) for values in makers):
        return (0, *(value + 1 for value in random.order(shape.size)))
    same = tuple(range(shape.size + 1))
    return random.choice(
        [values for values in (same, (0, *same[:0:-1])) if _keeps_meaning(shape, values)]
    )


def _keeps_meaning(shape: Shape, values: Sequence[int]) -> bool:
    """Whether these values in place of the others keep what constraints demand."""
    return {relabel(primitive, values) for primitive in shape.primitives} == set(shape.primitives)


def _turn(shape: Shape, random: "Prng") -> tuple[tuple[int, ...], Shape]:
    """A random rotation or reflection that keeps houses and constraints; and the moved shape.

    The first possible one in random order, so that each is equally likely.
    """
    size = shape.size
    square = _squares(size)
    for number in random.order(len(square)):
        moved_shape = _move(shape, square[number])
        if moved_shape is not None:
            return square[number], moved_shape
    raise AssertionError("the identity keeps everything")


@lru_cache(maxsize=16)
def _squares(size: int) -> tuple[tuple[int, ...], ...]:
    """The eight symmetries of a square, by the cell of the original that moves to each cell."""
    squares = [tuple(range(size**2))]
    for symmetry in (Symmetry.ROTATION_90, Symmetry.ROTATION_180, Symmetry.LEFT_RIGHT):
        moves = [image(cell, size, symmetry) for cell in range(size**2)]
        squares += [tuple(cells[cell] for cell in moves) for cells in squares]
    return tuple(dict.fromkeys(squares))


def _move(shape: Shape, cells: Sequence[int]) -> Shape | None:
    """The shape with its constraints on the moved cells; None if their meaning would change."""
    to = [0] * len(cells)
    for place, cell in enumerate(cells):
        to[cell] = place
    plain = shape.without_constraints
    for sets in ([house.cells for house in plain.houses], plain.pairs):
        moved_sets = {frozenset(to[cell] for cell in members) for members in sets}
        if moved_sets != set(map(frozenset, sets)):
            return None
    constraints = [
        replace(
            constraint, lists=tuple(tuple(to[cell] for cell in own) for own in constraint.lists)
        )
        for constraint in shape.constraints
    ]
    try:
        moved_shape = plain.with_constraints(constraints)
    except PuzzleError:
        return None  # the cells of a pill in another order
    demands = normal_form(shape.size, (move(primitive, to) for primitive in shape.primitives))
    return moved_shape if set(demands) == set(moved_shape.primitives) else None
