"""Pencilmark puzzles: one solution, minimal, and nothing but pencilmarks."""

import pytest

from harness.base.errors import OptionError, PuzzleError
from harness.contract import Backend
from harness.extensions.generate import Clues, GenerationRequest, Model, generate
from harness.extensions.generate.options import StopRule
from harness.puzzles import Puzzle, Shape
from harness.puzzles.datasets.facts import is_minimal
from harness.puzzles.symmetry import Symmetry
from tests.backends.oracle import backend_of

NINE = Shape.parse("9x9")


def make(spec: str, number: int = 2, *, minimal: bool = False, seed: int = 1) -> list[Puzzle]:
    request = GenerationRequest(Shape.parse(spec), number, seed, minimal=minimal, pencilmarks=True)
    return [entry.puzzle for entry in generate(request)]


def with_candidate(puzzle: Puzzle, cell: int, value: int) -> Puzzle:
    marks = list(puzzle.allowed)
    marks[cell] |= 1 << value
    return Puzzle(puzzle.shape, (0,) * len(marks), tuple(marks))


def assert_minimal(puzzle: Puzzle, solver: Backend) -> None:
    """Each candidate that a cell does not have would add a solution."""
    for cell, marks in enumerate(puzzle.allowed):
        for value in range(puzzle.shape.size):
            if not marks >> value & 1:
                assert solver.count(with_candidate(puzzle, cell, value), 2).number == 2


@pytest.mark.parametrize("spec", ["9x9", "4x4", "6x6", "latin5", "box2x4", "6x6+antiking"])
def test_the_solution_is_the_only_one(spec: str) -> None:
    for puzzle in make(spec):
        for name in ("cnf", "native-jit"):
            assert backend_of(name, puzzle.shape).count(puzzle, 2).number == 1
        assert puzzle.pencilmarks is not None
        assert puzzle.clues <= 3


def test_minimal_puzzles_need_each_pencilmark() -> None:
    for spec in ("4x4", "6x6+diagonal", "latin5"):
        for puzzle in make(spec, minimal=True):
            assert_minimal(puzzle, backend_of("cnf", puzzle.shape))
            assert is_minimal(puzzle)


def test_another_candidate_less_is_not_minimal() -> None:
    (puzzle,) = make("6x6", 1, minimal=True)
    cell = next(c for c, marks in enumerate(puzzle.allowed) if marks.bit_count() > 2)
    (solution,) = {backend_of("cnf", puzzle.shape).solve(puzzle).grid}
    assert solution is not None
    needless = next(
        v for v in range(6) if puzzle.allowed[cell] >> v & 1 and v + 1 != solution[cell]
    )
    marks = list(puzzle.allowed)
    marks[cell] ^= 1 << needless
    assert is_minimal(Puzzle(puzzle.shape, (0,) * 36, tuple(marks))) is False


@pytest.mark.long
def test_a_candidate_that_search_cannot_decide_stays_out() -> None:
    (puzzle,) = make("12x12", 1)
    assert sum(marks.bit_count() for marks in puzzle.allowed) > 700
    assert backend_of("cnf", puzzle.shape).count(puzzle, 2).number == 1


@pytest.mark.long
def test_a_shape_whose_searches_take_too_long_has_no_minimal_puzzle() -> None:
    with pytest.raises(PuzzleError, match="no minimal pencilmark puzzle of 16x16 in 3 attempts"):
        make("16x16", 1, minimal=True)


def test_a_seed_makes_the_same_puzzles() -> None:
    assert make("6x6", 2) == make("6x6", 3)[:2]
    assert make("6x6", 1) != make("6x6", 1, seed=2)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("clues", Clues(5, 5)),
        ("solutions", 2),
        ("symmetry", Symmetry.DIAGONAL),
        ("model", Model.QCP),
        ("hard", 3),
        ("stop", StopRule(lambda givens: True, "")),
    ],
)
def test_pencilmarks_exclude_other_conditions(where: str, value: object) -> None:
    with pytest.raises(OptionError, match=f"{where}: cannot be combined with pencilmarks"):
        GenerationRequest(NINE, pencilmarks=True, **{where: value})  # type: ignore[arg-type]
