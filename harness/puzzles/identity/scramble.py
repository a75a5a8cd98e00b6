"""Scrambles: equivalent puzzles by other values, rows and columns, perhaps transposed.

A scramble uses only symmetries of the shape: what was a house stays one, and so do pairs. In
a shape of boxes it permutes bands, rows within a band, stacks and columns within a stack, and
transposes square boxes. In other shapes it uses those permutations of rows and of columns
that keep all houses; with diagonals that are few, in a jigsaw usually none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from harness.errors import PuzzleError
from harness.puzzles.identity.lines import symmetries_of_lines
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.search.prng import Prng
from harness.puzzles.shape import Shape


@dataclass(frozen=True)
class Scramble:
    """A symmetry of a shape, and new values."""

    shape: Shape
    """The shape of the puzzles."""
    cells: tuple[int, ...]
    """For each cell the cell of the original that moves there."""
    values: tuple[int, ...]
    """For each value, from 1, its new value; ``values[0]`` is 0."""

    @staticmethod
    def of(shape: Shape, seed: object) -> "Scramble":
        """The scramble of `shape` with this seed; each is as likely as any other.

        Args:
            shape: the shape.
            seed: a number or a text; equal seeds make equal scrambles on every machine.
        """
        return Scramble.random(shape, Prng("scramble", seed))

    @staticmethod
    def random(shape: Shape, random: Prng) -> "Scramble":
        """A random scramble of `shape`, from the source `random`."""
        if _is_plain(shape):
            cells = _of_boxes(shape, random)
        else:
            cells = symmetries_of_lines(shape).random(random).cells
        values = [0, *(value + 1 for value in random.order(shape.size))]
        return Scramble(shape, cells, tuple(values))

    @cached_property
    def inverse(self) -> "Scramble":
        """The scramble that restores the original."""
        cells, values = [0] * len(self.cells), [0] * len(self.values)
        for to, cell in enumerate(self.cells):
            cells[cell] = to
        for value, new in enumerate(self.values):
            values[new] = value
        return Scramble(self.shape, tuple(cells), tuple(values))

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
        return Puzzle(puzzle.shape, self.grid(puzzle.givens), marks)

    def grid(self, grid: Sequence[int]) -> Grid:
        """The scrambled `grid`; blanks stay blank."""
        return tuple(self.values[grid[cell]] for cell in self.cells)

    def _marks(self, marks: int) -> int:
        values = range(1, self.shape.size + 1)
        return sum(1 << self.values[v] - 1 for v in values if marks >> v - 1 & 1)


def _is_plain(shape: Shape) -> bool:
    """Whether the shape has exactly rows, columns and perhaps boxes."""
    box = shape.box
    spec = f"latin{shape.size}" if box is None else f"box{box[0]}x{box[1]}"
    try:
        return shape == Shape.parse(spec)
    except PuzzleError:
        return False


def _of_boxes(shape: Shape, random: Prng) -> tuple[int, ...]:
    """A random symmetry of a shape with boxes, or of a Latin square."""
    size = shape.size
    height, width = shape.box or (1, 1)
    rows = _lines_in_groups(size, height, random)
    columns = _lines_in_groups(size, width, random)
    turned = height == width and random.below(2)
    return tuple(
        column * size + row if turned else row * size + column for row in rows for column in columns
    )


def _lines_in_groups(size: int, group: int, random: Prng) -> list[int]:
    """Rows in random order, those of a band side by side."""
    return [
        first * group + line
        for first in random.order(size // group)
        for line in random.order(group)
    ]
