"""Puzzles made from their shape."""

import pytest

from harness.base.errors import PuzzleError
from harness.puzzles import Shape
from harness.puzzles.patterns import pattern_grid, pattern_puzzle
from harness.puzzles.shape import House

SPECS = [f"{n}x{n}" for n in range(4, 37) if any(n % d == 0 for d in range(2, n))]
SPECS += ["box5x2", "box6x2", "box9x4", "box2x18", "box8x3"]
SPECS += [f"latin{n}" for n in range(2, 37)]


@pytest.mark.parametrize("spec", SPECS)
def test_the_pattern_grid_holds_every_value_once_in_each_house(spec: str) -> None:
    shape = Shape.parse(spec)
    grid = pattern_grid(shape)
    every_value = list(range(1, shape.size + 1))
    assert len(grid) == shape.size**2
    for house in shape.houses:
        assert sorted(grid[cell] for cell in house.cells) == every_value


def test_the_pattern_grid_is_the_first_row_rotated() -> None:
    assert pattern_grid(Shape.parse("4x4")) == (1, 2, 3, 4, 3, 4, 1, 2, 2, 3, 4, 1, 4, 1, 2, 3)


@pytest.mark.parametrize("every", [1, 2, 5, 100])
def test_the_pattern_puzzle_is_the_grid_with_every_nth_cell_blank(every: int) -> None:
    shape = Shape.parse("9x9")
    puzzle, grid = pattern_puzzle(shape, every), pattern_grid(shape)
    assert [cell for cell in range(81) if not puzzle.givens[cell]] == list(range(0, 81, every))
    assert all(clue in (0, value) for clue, value in zip(puzzle.givens, grid, strict=True))


def test_a_shape_with_other_houses_has_no_pattern_grid() -> None:
    nine = Shape.parse("9x9")
    diagonal = House("diagonal", 1, tuple(range(0, 81, 10)))
    shape = Shape("diagonal", 9, (*nine.houses, diagonal), nine.box)
    with pytest.raises(PuzzleError) as caught:
        pattern_grid(shape)
    assert "diagonal" in caught.value.what
