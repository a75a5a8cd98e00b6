"""Puzzles and boards of many shapes with frequent patterns, and whether conclusions are right."""

from hypothesis import strategies as st

from harness.extensions.generate import random_grid
from harness.extensions.reasoning.board import Board, Conclusion, Elimination, Placement, Rule
from harness.extensions.reasoning.rules.singles import HiddenSingle, NakedSingle
from harness.extensions.reasoning.solving import propagate
from harness.puzzles import Puzzle, Shape
from harness.puzzles.puzzle import Grid
from harness.puzzles.search.kernel import Prng

SHAPES = (
    *("4x4", "6x6", "latin5", "latin7", "6x6+diagonal", "9x9", "9x9+windoku", "9x9+antiknight"),
    *("6x6+antiking", "box2x4", "jigsaw:1112122233343444", "jigsaw:1111222233334444"),
    "houses4:11121314.21222324.31323334.41424344.11213141.12223242.13233343/1122.1423",
)
"""The jigsaws include one whose regions are its rows; the last shape lacks a column and boxes."""


def bits(values: set[int]) -> int:
    return sum(1 << value - 1 for value in values)


def solvable_puzzle(shape: Shape, random: Prng) -> tuple[Puzzle, Grid]:
    """A puzzle with givens, pencilmarks or both, and one of its solutions."""
    grid = random_grid(shape, random)
    share, most = random.below(60), random.below(6)
    givens = tuple(value if random.below(100) < share else 0 for value in grid)
    if not most:
        return Puzzle(shape, givens), grid
    marks = tuple(
        bits({value, *(1 + random.below(shape.size) for _ in range(1 + random.below(most)))})
        if not given
        else bits({value})
        for value, given in zip(grid, givens, strict=True)
    )
    return Puzzle(shape, givens, marks), grid


def any_puzzle(shape: Shape, random: Prng) -> Puzzle:
    """A puzzle with random pencilmarks, probably without a solution."""
    most = 2 + random.below(4)
    marks = tuple(
        bits({1 + random.below(shape.size) for _ in range(most)}) for _ in range(shape.size**2)
    )
    return Puzzle(shape, (0,) * shape.size**2, marks)


def solvable_board(shape: Shape, random: Prng) -> Board:
    """A board with at least one solution; perhaps after singles."""
    board = Board(solvable_puzzle(shape, random)[0])
    propagate(board, [NakedSingle(), HiddenSingle()][: random.below(3)])
    return board


def any_board(shape: Shape, random: Prng) -> Board:
    return Board(any_puzzle(shape, random))


random_numbers = st.integers(0, 2**32).map(Prng)
shapes = st.sampled_from(SHAPES).map(Shape.parse)
solvable_puzzles = st.builds(solvable_puzzle, shapes, random_numbers)
any_puzzles = st.builds(any_puzzle, shapes, random_numbers)
boards = st.one_of(
    st.builds(solvable_board, shapes, random_numbers), st.builds(any_board, shapes, random_numbers)
)
"""Boards of any shape, with no solution, one or several."""


def eliminations(rule: Rule, board: Board) -> list[Elimination]:
    conclusions = list(rule.conclusions(board))
    assert all(isinstance(conclusion, Elimination) for conclusion in conclusions)
    return [conclusion for conclusion in conclusions if isinstance(conclusion, Elimination)]


def removals_of(rule: Rule, board: Board) -> set[tuple[int, int]]:
    return {pair for elimination in eliminations(rule, board) for pair in elimination.candidates}


def agrees(conclusion: Conclusion, grid: Grid) -> bool:
    """Whether a conclusion holds in the solution `grid`."""
    if isinstance(conclusion, Placement):
        return grid[conclusion.cell] == conclusion.value
    return bool(conclusion.candidates) and all(grid[c] != v for c, v in conclusion.candidates)
