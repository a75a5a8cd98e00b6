"""Boards for tests of rules, of all kinds of shapes, and all solutions of small ones."""

from hypothesis import strategies as st

from harness.extensions.generate import random_grid
from harness.extensions.reasoning.board import Board
from harness.extensions.reasoning.rules.singles import HiddenSingle, NakedSingle
from harness.extensions.reasoning.solving import propagate
from harness.puzzles import Puzzle, Shape
from harness.puzzles.search.kernel import Prng

SHAPES = (
    *("4x4", "latin4", "latin5", "6x6", "6x6+diagonal", "4x4+antiknight", "6x6+antiking"),
    *("jigsaw:1112122233343444", "9x9", "9x9+windoku", "9x9+antiknight"),
)


@st.composite
def boards(draw: st.DrawFn, shapes: tuple[str, ...] = SHAPES) -> Board:
    """A board in the middle of solving; it may have no, one or several solutions."""
    shape = Shape.parse(draw(st.sampled_from(shapes)))
    random = Prng(draw(st.integers(0, 2**32)))
    share, dense = draw(st.integers(20, 90)), draw(st.integers(1, 5))
    loss_rate = draw(st.sampled_from((0, 0, 0, 2)))
    marks = []
    for value in random_grid(shape, random):
        mask = 0 if random.below(100) < loss_rate else 1 << value - 1
        if random.below(100) >= share:
            mask |= sum(1 << v for v in range(shape.size) if random.below(6) < dense)
        marks.append(mask or 1 << value - 1)
    puzzle = Puzzle(shape, (0,) * shape.size**2, tuple(marks))
    board = Board(puzzle)
    if draw(st.booleans()):
        propagate(board, (NakedSingle(), HiddenSingle()))
    return board
