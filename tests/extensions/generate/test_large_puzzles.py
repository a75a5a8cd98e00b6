"""Generated puzzles above 36x36."""

from random import Random

import pytest

from harness.base.errors import OptionError, PuzzleError
from harness.extensions.generate import Clues, GenerationRequest, Model, generate
from harness.puzzles import Puzzle, Shape
from harness.puzzles.patterns import pattern_grid
from harness.puzzles.puzzle import line_of, values_of_line
from harness.puzzles.search.candidates import by_singles
from harness.puzzles.solution_count import SolutionCount
from harness.records.judging import fault_of_grid
from tests.backends.oracle import backend_of, counted
from tests.puzzles.test_large_sizes import jigsaw_of


@pytest.mark.parametrize(
    ("spec", "share"),
    [("49x49", "70%"), ("64x64", "75%"), ("latin50", "80%"), ("64x64+diagonal", "80%")],
)
def test_generated_puzzles_have_one_solution_that_singles_find(spec: str, share: str) -> None:
    shape = Shape.parse(spec)
    clues = Clues.parse(share, shape)
    first, second = generate(GenerationRequest(shape, 2, 5, clues=clues))
    assert first.puzzle != second.puzzle
    assert first.puzzle.clues == clues.fewest
    assert first.expected_count is not None
    line = first.expected_count.solution
    assert line == line_of(by_singles(first.puzzle)[0] or ())
    assert fault_of_grid(first.puzzle, values_of_line(line)) is None
    assert counted(backend_of("cnf", shape), first.puzzle, 2) == (1, True)


@pytest.mark.parametrize(
    "spec",
    [
        *("36x36+diagonal", "49x49+diagonal", "50x50+diagonal", "latin37+diagonal"),
        *("64x64+diagonal", "81x81+diagonal+disjoint", "100x100+diagonal", "latin67+diagonal"),
        *("latin64+antiking", "6x6+antiknight", "latin5+antiking", "9x9; killer 4: R1C1 R1C2"),
        *(jigsaw_of(37, Random(0))[0], jigsaw_of(49, Random(0))[0]),
    ],
    ids=lambda spec: spec[:20],
)
def test_variants_and_jigsaws_are_generated_and_right(spec: str) -> None:
    shape = Shape.parse(spec)
    clues = Clues.parse("90%", shape)
    puzzle = next(generate(GenerationRequest(shape, clues=clues, model=Model.HOLES))).puzzle
    assert fault_of_grid(puzzle, backend_of("cnf", shape).solve(puzzle).grid) is None


def test_a_shape_without_a_known_grid_says_which_have_one() -> None:
    entries = generate(GenerationRequest(Shape.parse("70x70+diagonal"), clues=Clues(4500, 4500)))
    with pytest.raises(PuzzleError) as error:
        next(entries)
    assert "70x70+diagonal is known" in error.value.what
    assert str(error.value.expected).startswith("at most 62 rows, or 64x64")


def test_hints_help_where_singles_end() -> None:
    shape, grid = Shape.parse("49x49"), pattern_grid(Shape.parse("49x49"))
    blank = Puzzle(shape, (0,) * 49**2)
    assert by_singles(blank) == (None, [])
    solution, hint_cells = by_singles(blank, enumerate(grid))
    assert solution == grid
    assert 0 < len(hint_cells) < len(grid)
    unique = Puzzle(shape, tuple(v if c in {*hint_cells} else 0 for c, v in enumerate(grid)))
    assert by_singles(unique) == (grid, [])


def test_large_shapes_need_a_number_of_clues_that_singles_can_do() -> None:
    shape = Shape.parse("49x49")
    with pytest.raises(OptionError, match="a share such as 70%, which 49x49 needs"):
        GenerationRequest(shape)
    with pytest.raises(OptionError, match="cannot be combined with the shape 49x49"):
        GenerationRequest(shape, clues=Clues(1500, 1500), minimal=True)
    with pytest.raises(PuzzleError, match="do not solve a random puzzle of 49x49 with 900 clues"):
        next(generate(GenerationRequest(shape, clues=Clues(900, 900))))


def test_grids_with_holes_have_a_lower_bound_unless_singles_solve_them() -> None:
    shape = Shape.parse("64x64")
    request = GenerationRequest(shape, clues=Clues(2000, 2000), model=Model.HOLES)
    assert next(generate(request)).expected_count == SolutionCount(1)
