"""The ladder: the names of its rules, and the puzzles that its rungs finish."""

from collections import Counter
from pathlib import Path

import pytest

from harness.errors import InputError
from harness.puzzles import load_dataset, parse_puzzle
from harness.puzzles.puzzle import Grid, values_of_line
from harness.puzzles.solver import solver_of
from harness.reasoning.board import Board, Conclusion, Rule
from harness.reasoning.ladder import ALTERNATIVES, LADDER, rule_named, rung, slug
from harness.reasoning.rules.singles import NakedSingle
from harness.reasoning.solving import propagate, steps
from tests.reasoning.soundness import agrees

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


def test_names_are_unique() -> None:
    names = [slug(rule) for rule in (*LADDER, *ALTERNATIVES)]
    assert len(set(names)) == len(names)


def test_a_rung_has_all_simpler_rules() -> None:
    assert [type(rule) for rule in rung("naked single")] == [NakedSingle]
    for number, rule in enumerate(LADDER, 1):
        assert rung(rule.name) == LADDER[:number]


def test_an_unknown_rule_is_an_error_that_lists_all() -> None:
    with pytest.raises(InputError, match=r"unknown rule 'x-wink'.*'x-wing'") as caught:
        rule_named("x-wink")
    assert "simple-colouring" in caught.value.expected
    assert "arc-consistency" in caught.value.expected


def finished_by_rung(lines: list[str]) -> Counter[str]:
    """The puzzles that need each rung, after a check of each step against the solution."""
    finished = Counter[str]()
    for line in lines:
        puzzle = parse_puzzle(line)
        grid = solver_of(puzzle.shape).of(puzzle, 2).solution
        assert grid is not None
        board, hardest = Board(puzzle), 0
        for step in steps(board, LADDER):
            assert agrees(step.conclusion, grid), (line, step.rule.name)
            hardest = max(hardest, LADDER.index(step.rule))
        finished[LADDER[hardest].name if board.finished else ""] += 1
    return finished


def lines_of(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("name", COLLECTIONS)
def test_steps_on_a_sample_agree_with_the_solutions(shared_puzzles: Path, name: str) -> None:
    assert len(finished_by_rung(lines_of(shared_puzzles / name)[::75])) >= 3


@pytest.mark.long
@pytest.mark.parametrize("name", COLLECTIONS)
def test_steps_on_collections_agree_with_the_solutions(shared_puzzles: Path, name: str) -> None:
    finished = finished_by_rung(lines_of(shared_puzzles / name))
    expected = {rule: numbers[COLLECTIONS.index(name)] for rule, numbers in FINISHED.items()}
    assert {rule: finished[rule] for rule in FINISHED} == expected


@pytest.mark.parametrize("name", ["16x16", "25x25", "jigsaw", "sukaku"])
def test_conclusions_on_other_shapes_agree_with_the_solutions(name: str) -> None:
    used = Counter[str]()
    for instance in load_dataset(name).instances[:2]:
        assert instance.expected_count is not None
        assert instance.expected_count.solution is not None
        grid = values_of_line(instance.expected_count.solution)

        def follow(rule: Rule, conclusion: Conclusion, grid: Grid = grid) -> None:
            assert agrees(conclusion, grid), rule.name
            used[rule.name] += 1

        propagate(Board(instance.puzzle), LADDER, follow)
    assert used
