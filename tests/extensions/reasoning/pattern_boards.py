"""Boards of many shapes in which patterns are frequent."""

from hypothesis import strategies as st

from harness.extensions.generate import random_grid
from harness.extensions.reasoning.board import Board
from harness.extensions.reasoning.rules.singles import NakedSingle
from harness.extensions.reasoning.solving import propagate
from harness.puzzles import Puzzle, Shape
from harness.puzzles.search.kernel import Prng

SHAPES = (
    *("4x4", "6x6", "latin5", "latin7", "6x6+diagonal", "9x9", "9x9+windoku", "9x9+antiknight"),
    *("6x6+antiking", "box2x4", "jigsaw:1112122233343444", "jigsaw:1111222233334444"),
    "houses4:11121314.21222324.31323334.41424344.11213141.12223242.13233343/1122.1423",
)
"""The jigsaws include one whose regions are its rows; the last shape lacks a column and boxes."""


def bits(values: set[int]) -> int:
    return sum(1 << value - 1 for value in values)


def solvable_board(shape: Shape, random: Prng) -> Board:
    """A board with pencilmarks, and at least one solution; perhaps after naked singles."""
    grid = random_grid(shape, random)
    share, most = random.below(60), 2 + random.below(4)
    givens = tuple(value if random.below(100) < share else 0 for value in grid)
    marks = tuple(
        bits({value, *(1 + random.below(shape.size) for _ in range(0 if clue else most))})
        for value, clue in zip(grid, givens, strict=True)
    )
    board = Board(Puzzle(shape, givens, marks))
    if random.below(2):
        propagate(board, [NakedSingle()])
    return board


def any_board(shape: Shape, random: Prng) -> Board:
    """A board with random candidates, probably without a solution."""
    most = 2 + random.below(4)
    marks = tuple(
        bits({1 + random.below(shape.size) for _ in range(most)}) for _ in range(shape.size**2)
    )
    return Board(Puzzle(shape, (0,) * shape.size**2, marks))


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """A board of any shape, with no solution, one or several."""
    shape = Shape.parse(draw(st.sampled_from(SHAPES)))
    random = Prng(draw(st.integers(0, 2**32)))
    return draw(st.sampled_from((solvable_board, any_board)))(shape, random)
