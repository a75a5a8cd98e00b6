"""The levels of difficulty, checked by an independent program and by a SAT backend."""

import pytest

from harness.contract import registry
from harness.errors import OptionError, PuzzleError
from harness.puzzles import Puzzle, Shape
from harness.puzzles.generate import Clues, GenerationRequest, Model, generate
from harness.puzzles.symmetry import Symmetry, symmetries_of
from harness.reasoning.ladder import Level, with_level
from tests.reasoning import oracle

NINE = Shape.parse("9x9")
RUNG = {Level.EASY: oracle.NAKED, Level.NORMAL: oracle.EXCLUSION, Level.HARD: oracle.CYCLE}


def made(level: Level, spec: str = "9x9", number: int = 4, seed: int = 1) -> list[Puzzle]:
    request = with_level(GenerationRequest(Shape.parse(spec), number, seed), level)
    return [generated.puzzle for generated in generate(request)]


def solutions(puzzle: Puzzle) -> list[tuple[int, ...] | None]:
    """The only solution of `puzzle`."""
    kind, options = registry.load_backend("cnf")
    backend = kind(puzzle.shape, options)
    count = backend.count(puzzle, 2)
    return [backend.solve(puzzle).grid] * count.number


def with_value(puzzle: Puzzle, cell: int, value: int) -> Puzzle:
    return Puzzle(puzzle.shape, (*puzzle.givens[:cell], value, *puzzle.givens[cell + 1 :]))


@pytest.mark.long
@pytest.mark.parametrize("spec", ["9x9", "6x6", "9x9+windoku", "box2x4"])
@pytest.mark.parametrize("level", RUNG)
def test_a_puzzle_is_the_first_that_the_rules_do_not_finish(level: Level, spec: str) -> None:
    for puzzle in made(level, spec):
        (grid,) = solutions(puzzle)
        assert grid is not None
        assert not oracle.finishes(puzzle, RUNG[level])
        assert any(
            oracle.finishes(with_value(puzzle, cell, grid[cell]), RUNG[level])
            for cell, value in enumerate(puzzle.givens)
            if not value
        )


@pytest.mark.parametrize(
    ("spec", "fewest", "most"),
    [("9x9", 35, 40), ("4x4", 7, 8), ("6x6", 16, 18), ("latin7", 21, 24)],
)
def test_naive_puzzles_have_their_share_of_blanks(spec: str, fewest: int, most: int) -> None:
    for puzzle in made(Level.NAIVE, spec, 8):
        assert fewest <= puzzle.givens.count(0) <= most
        assert len(solutions(puzzle)) == 1


def test_puzzles_of_the_level_minimal_need_each_clue() -> None:
    for puzzle in made(Level.MINIMAL):
        assert len(solutions(puzzle)) == 1
        for cell, value in enumerate(puzzle.givens):
            assert not value or len(solutions(with_value(puzzle, cell, 0))) == 2


def test_a_level_can_be_symmetric() -> None:
    request = GenerationRequest(NINE, 2, symmetry=Symmetry.ROTATION_180)
    for generated in generate(with_level(request, Level.NORMAL)):
        assert Symmetry.ROTATION_180 in symmetries_of(generated.puzzle)
        assert not oracle.finishes(generated.puzzle, oracle.EXCLUSION)
        assert len(solutions(generated.puzzle)) == 1


def test_a_seed_makes_the_same_puzzles() -> None:
    assert made(Level.HARD, number=2) == made(Level.HARD, number=3)[:2]
    assert made(Level.HARD, number=1) != made(Level.HARD, number=1, seed=2)


def test_a_level_that_no_puzzle_of_a_shape_has_is_an_error() -> None:
    with pytest.raises(PuzzleError, match="these rules finish each: naked single, hidden single;"):
        made(Level.NORMAL, "4x4", 1)


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize(
    ("where", "request_"),
    [
        ("clues", GenerationRequest(NINE, clues=Clues(30, 30))),
        ("minimal", GenerationRequest(NINE, minimal=True)),
        ("solutions", GenerationRequest(NINE, solutions=2)),
        ("model", GenerationRequest(NINE, clues=Clues(30, 30), model=Model.QCP)),
        ("hard", GenerationRequest(NINE, hard=5)),
    ],
)
def test_a_level_excludes_other_conditions(
    level: Level, where: str, request_: GenerationRequest
) -> None:
    with pytest.raises(OptionError, match=f"cannot be combined with level {level}") as caught:
        with_level(request_, level)
    assert caught.value.where in (where, "clues")


def test_a_stop_rule_excludes_other_conditions() -> None:
    stop = with_level(GenerationRequest(NINE), Level.EASY).stop
    assert stop is not None
    for options in ({"minimal": True}, {"clues": Clues(30, 30)}, {"solutions": 2}, {"hard": 1}):
        with pytest.raises(OptionError, match="cannot be combined with stop"):
            GenerationRequest(NINE, stop=stop, **options)
    with pytest.raises(OptionError, match="stop: cannot be combined with model holes"):
        GenerationRequest(NINE, stop=stop, model=Model.HOLES, clues=Clues(30, 30))
