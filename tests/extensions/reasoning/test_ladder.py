"""The ladder of rules by name, and the levels of difficulty."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from harness.base.errors import InputError, OptionError, PuzzleError
from harness.extensions.generate import Clues, GenerationRequest, Model, generate
from harness.extensions.generate.levels import with_level
from harness.extensions.reasoning.board import Board
from harness.extensions.reasoning.ladder import ALTERNATIVES, LADDER, Level, rule_named, rung, slug
from harness.extensions.reasoning.rules.singles import NakedSingle
from harness.extensions.reasoning.solving import steps
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.search.solver import solver_of
from harness.puzzles.symmetry import Symmetry, symmetries_of
from tests.backends.oracle import backend_of
from tests.extensions.reasoning import oracle
from tests.extensions.reasoning.boards import agrees

COLLECTIONS = ("17_clue_sample_3000.txt", "magictour_top1465.txt")
FINISHED = {
    "naked single": (0, 0),
    "hidden single": (1306, 0),
    "locked candidates": (985, 60),
    "naked pair": (143, 50),
    "hidden pair": (108, 164),
    "naked triple": (2, 17),
    "hidden triple": (2, 17),
    "naked quad": (0, 0),
    "hidden quad": (0, 0),
    "X-wing": (0, 2),
    "simple colouring": (183, 45),
    "XY-wing": (77, 9),
    "swordfish": (3, 0),
    "XYZ-wing": (5, 5),
    "jellyfish": (0, 0),
}
"""For each collection, the puzzles that a rung finishes and those before it do not."""


def test_a_rule_is_found_by_its_name_or_its_slug() -> None:
    for rule in (*LADDER, *ALTERNATIVES):
        assert rule_named(rule.name) is rule
        assert rule_named(slug(rule)) is rule
        assert rule_named(rule.name.upper()) is rule
    assert rule_named("xy-wing").name == "XY-wing"


def test_a_rung_has_all_simpler_rules() -> None:
    assert [type(rule) for rule in rung("naked single")] == [NakedSingle]
    for number, rule in enumerate(LADDER, 1):
        assert rung(rule.name) == LADDER[:number]


def test_an_unknown_rule_is_an_error_that_lists_all() -> None:
    with pytest.raises(InputError, match=r"unknown rule 'x-wink'.*'x-wing'") as caught:
        rule_named("x-wink")
    assert not caught.value.expected
    with pytest.raises(InputError, match="unknown rule 'nothing-like-it'") as caught:
        rule_named("nothing-like-it")
    assert "simple-colouring" in caught.value.expected
    assert "arc-consistency" in caught.value.expected


def finished_by_rung(lines: list[str]) -> Counter[str]:
    """The puzzles that need each rung, after a check of each step against the solution."""
    numbers = Counter[str]()
    for line in lines:
        puzzle = parse_puzzle(line)
        grid = solver_of(puzzle.shape).search_puzzle(puzzle, 2).solution
        assert grid is not None
        board, hardest = Board(puzzle), 0
        for step in steps(board, LADDER):
            assert agrees(step.conclusion, grid), (line, step.rule.name)
            hardest = max(hardest, LADDER.index(step.rule))
        numbers[LADDER[hardest].name if board.finished else ""] += 1
    return numbers


def lines_of(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("name", COLLECTIONS)
def test_steps_on_a_sample_agree_with_the_solutions(shared_puzzles: Path, name: str) -> None:
    assert len(finished_by_rung(lines_of(shared_puzzles / name)[::75])) >= 3


@pytest.mark.long
@pytest.mark.parametrize("name", COLLECTIONS)
def test_steps_on_collections_agree_with_the_solutions(shared_puzzles: Path, name: str) -> None:
    numbers = finished_by_rung(lines_of(shared_puzzles / name))
    expected = {rule: numbers[COLLECTIONS.index(name)] for rule, numbers in FINISHED.items()}
    assert {rule: numbers[rule] for rule in FINISHED} == expected


NINE = Shape.parse("9x9")
RUNG = {Level.EASY: oracle.NAKED, Level.NORMAL: oracle.EXCLUSION, Level.HARD: oracle.CYCLE}


def puzzles_of(level: Level, spec: str = "9x9", number: int = 4, seed: int = 1) -> list[Puzzle]:
    request = with_level(GenerationRequest(Shape.parse(spec), number, seed), level)
    return [result.puzzle for result in generate(request)]


def solutions(puzzle: Puzzle) -> list[tuple[int, ...] | None]:
    """The only solution of `puzzle`."""
    backend = backend_of("cnf", puzzle.shape)
    return [backend.solve(puzzle).grid] * backend.count(puzzle, 2).number


def with_value(puzzle: Puzzle, cell: int, value: int) -> Puzzle:
    return Puzzle(puzzle.shape, (*puzzle.givens[:cell], value, *puzzle.givens[cell + 1 :]))


@pytest.mark.long
@pytest.mark.parametrize("spec", ["9x9", "6x6", "9x9+windoku", "box2x4"])
@pytest.mark.parametrize("level", RUNG)
def test_a_puzzle_is_the_first_that_the_rules_do_not_finish(level: Level, spec: str) -> None:
    for puzzle in puzzles_of(level, spec):
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
    for puzzle in puzzles_of(Level.NAIVE, spec, 8):
        assert fewest <= puzzle.givens.count(0) <= most
        assert len(solutions(puzzle)) == 1


def test_puzzles_of_the_level_minimal_need_each_clue() -> None:
    for puzzle in puzzles_of(Level.MINIMAL, number=2):
        assert len(solutions(puzzle)) == 1
        for cell, value in enumerate(puzzle.givens):
            assert not value or len(solutions(with_value(puzzle, cell, 0))) == 2


def test_a_level_can_be_symmetric() -> None:
    request = GenerationRequest(NINE, 2, symmetry=Symmetry.ROTATION_180)
    for result in generate(with_level(request, Level.NORMAL)):
        assert Symmetry.ROTATION_180 in symmetries_of(result.puzzle)
        assert not oracle.finishes(result.puzzle, oracle.EXCLUSION)
        assert len(solutions(result.puzzle)) == 1


def test_a_level_that_no_puzzle_of_a_shape_has_is_an_error() -> None:
    with pytest.raises(PuzzleError, match="these rules finish each: naked single, hidden single;"):
        puzzles_of(Level.NORMAL, "4x4", 1)


OTHERS: dict[str, Any] = {"clues": Clues(30, 30), "minimal": True, "solutions": 2, "hard": 5}


@pytest.mark.parametrize("level", Level)
def test_a_level_excludes_other_conditions(level: Level) -> None:
    others = {where: GenerationRequest(NINE, **{where: value}) for where, value in OTHERS.items()}
    others["model"] = GenerationRequest(NINE, clues=Clues(30, 30), model=Model.QCP)
    for where, request in others.items():
        with pytest.raises(OptionError, match=f"cannot be combined with level {level}") as caught:
            with_level(request, level)
        assert caught.value.where in (where, "clues")


def test_a_stop_rule_excludes_other_conditions() -> None:
    stop = with_level(GenerationRequest(NINE), Level.EASY).stop
    assert stop is not None
    for where, value in OTHERS.items():
        with pytest.raises(OptionError, match="cannot be combined with stop"):
            GenerationRequest(NINE, stop=stop, **{where: value})
    with pytest.raises(OptionError, match="stop: cannot be combined with model holes"):
        GenerationRequest(NINE, stop=stop, model=Model.HOLES, clues=Clues(30, 30))
