"""Ratings of puzzles, against independent programs, and laws that hold for every puzzle."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.extensions.generate import GenerationRequest, generate
from harness.extensions.reasoning.ladder import LADDER, LEVELS, RULE_NAMES, ladder_of, slug
from harness.extensions.reasoning.rating import (
    HIDDEN,
    NAKED,
    backdoor_size,
    hardest_rule,
    level_of,
    nodes_of,
    only_solution,
    rung_of,
)
from harness.extensions.reasoning.solving import solve
from harness.puzzles import Puzzle, Shape, load_dataset, parse_puzzle
from harness.puzzles.search.solver import Solver
from harness.puzzles.symmetry import Scramble
from tests.backends.article_puzzles import NEAR, P2, P3B, P3C, P3D
from tests.extensions.reasoning import oracle
from tests.extensions.reasoning.oracle import smallest_backdoor, with_values

PROJECT = {P3D: "naive", P3B: "normal", P3C: "hard"}
"""Puzzles of the project with their levels; their own texts say that singles are not enough."""


@cache
def puzzles() -> tuple[Puzzle, ...]:
    """Minimal puzzles of small and of irregular shapes, with and without pencilmarks."""
    puzzles = [
        result.puzzle
        for spec in ("6x6", "6x6+diagonal", "latin5", "9x9", "9x9+windoku")
        for result in generate(GenerationRequest(Shape.parse(spec), 6, 3, minimal=True))
    ]
    request = GenerationRequest(Shape.parse("6x6"), 4, 5, minimal=True, pencilmarks=True)
    return (*puzzles, *(result.puzzle for result in generate(request)))


EACH = st.integers(0, 33).map(lambda number: puzzles()[number])


def small() -> list[Puzzle]:
    return [puzzle for puzzle in puzzles() if puzzle.shape.size < 9]


def test_the_backdoor_is_the_smallest_of_all_sets() -> None:
    sizes = []
    for puzzle in small():
        solution = only_solution(puzzle)
        assert solution is not None
        expected = smallest_backdoor(puzzle, solution, 2)
        assert backdoor_size(puzzle, 2) == expected
        sizes.append(expected)
    assert {0, 1} <= set(sizes)


@pytest.mark.parametrize(("cells", "tried"), [(1414, [0, 0, 1, 2]), (1415, [0, 0, 1])])
def test_a_million_sets_of_cells_are_tried_and_no_more(
    monkeypatch: pytest.MonkeyPatch, cells: int, tried: list[int]
) -> None:
    """1,414 open cells have 998,991 pairs, and 1,415 have 1,000,405."""
    numbers: list[int] = []

    def open_after(solver: Solver, start: object, solution: object, number: int) -> int:
        numbers.append(number)
        return cells

    monkeypatch.setattr(Solver, "open_after", open_after)
    assert backdoor_size(small()[0], 2) is None
    assert numbers == tried


def test_a_backdoor_beyond_the_largest_size_is_missing() -> None:
    (puzzle,) = load_dataset("hard/2").instances
    assert [backdoor_size(puzzle.puzzle, largest) for largest in range(4)] == [None, None, 2, 2]


@pytest.mark.long
@settings(max_examples=40)
@given(EACH, st.integers(0, 5))
def test_scrambles_have_the_same_backdoor_level_and_hardest_rule(puzzle: Puzzle, seed: int) -> None:
    equivalent = Scramble.from_seed(puzzle.shape, f"{seed}").puzzle(puzzle)
    for rating in (backdoor_size, level_of, hardest_rule):
        assert rating(equivalent) == rating(puzzle)


@pytest.mark.long
@settings(max_examples=60)
@given(EACH, st.integers(0, 80))
def test_a_clue_of_the_solution_never_raises_backdoor_level_or_rung(
    puzzle: Puzzle, cell: int
) -> None:
    solution = only_solution(puzzle)
    assert solution is not None
    more = with_values(puzzle, solution, (cell % len(solution),))
    assert (backdoor_size(more) or 0) <= (backdoor_size(puzzle) or 9)
    before, after = level_of(puzzle), level_of(more)
    assert before is not None
    assert after is not None
    assert LEVELS.index(after) <= LEVELS.index(before)
    assert (rung_of(more) or 0) <= (rung_of(puzzle) or 0)


def test_levels_are_those_of_an_independent_program() -> None:
    levels = set()
    for puzzle in puzzles():
        rung = next((n for n in range(3) if oracle.finishes(puzzle, n)), 3)
        assert level_of(puzzle) == LEVELS[rung]
        levels.add(LEVELS[rung])
    assert len(levels) > 2


@pytest.mark.parametrize("line", PROJECT)
def test_puzzles_of_the_project_have_their_levels(line: str) -> None:
    assert level_of(parse_puzzle(line)) == PROJECT[line]


@pytest.mark.long
def test_the_hardest_rule_is_the_last_without_which_the_rules_do_not_finish() -> None:
    for puzzle in puzzles():
        rung = rung_of(puzzle)
        assert rung is not None
        ladder = ladder_of(puzzle.shape)
        names = ["none", *map(slug, ladder), "search"]
        assert hardest_rule(puzzle) == names[rung]
        assert all(not solve(puzzle, ladder[:n]).finished for n in range(min(rung, len(ladder))))
        assert solve(puzzle, ladder[:rung]).finished is (rung <= len(ladder))


def test_names_of_rules_follow_the_ladder() -> None:
    assert ("none", *map(slug, LADDER), "search") == RULE_NAMES
    grid = only_solution(parse_puzzle(NEAR))
    assert grid is not None
    assert hardest_rule(Puzzle(Shape.parse("9x9"), grid)) == "none"
    assert level_of(Puzzle(Shape.parse("9x9"), grid)) == "naive"


def test_nodes_of_the_near_puzzle_of_the_project() -> None:
    puzzle = parse_puzzle(NEAR)
    assert [nodes_of(puzzle), nodes_of(puzzle, NAKED), nodes_of(puzzle, HIDDEN)] == NODES
    assert nodes_of(puzzle, HIDDEN, NODES[2]) == NODES[2]
    assert nodes_of(puzzle, HIDDEN, NODES[2] - 1) is None


NODES = [7396, 972, 122]
"""Those of an independent program for the same search."""


def test_without_a_unique_solution_only_nodes_are_known() -> None:
    several = parse_puzzle(P2)
    none = Puzzle(Shape.parse("4x4"), (1, 0, 0, 1, *(0,) * 12))
    for puzzle in (several, none):
        assert backdoor_size(puzzle) is None
        assert level_of(puzzle) is None
        assert hardest_rule(puzzle) is None
        assert nodes_of(puzzle) is not None
