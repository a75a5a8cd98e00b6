"""The backend `reasoning` agrees with a plain search, and says when it gives up."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import OptionError
from harness.contract import Status
from harness.extensions.reasoning.backend import Reasoning, ReasoningOptions
from harness.extensions.reasoning.trace import Event
from harness.puzzles import Puzzle, Shape, parse_puzzle
from tests.backends.article_puzzles import NEAR
from tests.backends.oracle import any_puzzle, backend_of, counted, is_solution
from tests.plain_search import solutions

SHAPES = ("4x4", "latin4", "4x4+diagonal", "jigsaw:1112122233343444", "4x4+antiking", "6x6")
RULES = (
    *("none", "forward-checking", "arc-consistency", "naked-single"),
    *("naked-single+hidden-single", "up-to-xyz-wing"),
)
SEARCHES = ("depth-first", "breadth-first")
ORDERS = ("fewest", "fewest-by-name", "first")
CONFIGURATIONS = tuple(product(RULES, SEARCHES, ORDERS))
MOST = 25
"""The limit of counts."""


def reasoning(
    shape: Shape,
    rules: str = "none",
    search: str = "depth-first",
    order: str = "fewest",
    most: int = 100_000,
) -> Reasoning:
    return Reasoning(shape, ReasoningOptions(rules, search, order, most))


@settings(max_examples=30, deadline=None)
@given(any_puzzle(SHAPES), st.sampled_from(CONFIGURATIONS), st.integers(1, 5))
def test_rules_search_and_order_agree_with_a_plain_search(
    puzzle: Puzzle, configuration: tuple[str, str, str], limit: int
) -> None:
    backend = reasoning(puzzle.shape, *configuration)
    expected = solutions(puzzle, MOST)
    answer = backend.solve(puzzle)
    assert answer.status is (Status.SOLVED if expected else Status.UNSATISFIABLE)
    assert answer.grid is None or is_solution(answer.grid, puzzle)
    for most in (limit, MOST):
        count = backend.count(puzzle, most)
        assert (count.number, count.exact) == (min(len(expected), most), len(expected) < most)
        assert count.witness == answer.grid
    if len(expected) < MOST:
        grids = list(backend.search_of(puzzle).solutions())
        assert sorted(grids) == sorted(expected)


@pytest.mark.parametrize("has_events", [False, True])
@pytest.mark.parametrize(
    ("rules", "nodes"), [("none", 7396), ("naked-single", 972), ("naked-single+hidden-single", 122)]
)
def test_n3_nodes_on_the_puzzle_of_the_project_at_tsinghua(
    rules: str, nodes: int, has_events: bool
) -> None:
    puzzle = parse_puzzle(NEAR)
    events: list[Event] = []
    search = reasoning(puzzle.shape, rules).search_of(puzzle, events.append if has_events else None)
    grid = next(search.solutions())
    assert is_solution(grid, puzzle)
    assert search.nodes == nodes
    assert bool(events) is has_events
    if not has_events:
        answer = reasoning(puzzle.shape, rules).solve(puzzle)
        assert (answer.stats["nodes"], answer.grid) == (nodes, grid)


def test_stats_have_the_conclusions_of_each_rule() -> None:
    answer = backend_of("reasoning").solve(parse_puzzle(NEAR))
    assert set(answer.stats) == {
        *("nodes", "guesses", "dead_ends", "peak_boards", "naked_single", "hidden_single")
    }
    assert answer.stats["naked_single"] + answer.stats["hidden_single"] == 1188


def test_breadth_first_gives_up_above_the_bound_only() -> None:
    """The bound is the number of boards that may wait: one less is too few."""
    puzzle = parse_puzzle("12..............")
    without_bound = reasoning(puzzle.shape, search="breadth-first").count(puzzle, 1000)
    number = len(solutions(puzzle, 1000))
    peak = int(without_bound.stats["peak_boards"])
    assert (without_bound.number, without_bound.exact) == (number, True)
    enough = reasoning(puzzle.shape, search="breadth-first", most=peak)
    assert enough.count(puzzle, 1000).number == number
    assert enough.count(puzzle, 1000).exact
    few = reasoning(puzzle.shape, search="breadth-first", most=peak - 1)
    count = few.count(puzzle, 1000)
    assert not count.exact
    assert count.number < number
    assert few.solve(puzzle).status is Status.UNKNOWN
    assert few.solve(puzzle).grid is None


def test_a_count_that_gives_up_is_a_lower_bound() -> None:
    """Some solutions lie above the level at which the boards are too many."""
    puzzle = parse_puzzle("1....2..........")
    number = len(solutions(puzzle, 1000))
    counts = [
        reasoning(puzzle.shape, "naked-single", "breadth-first", most=most).count(puzzle, 1000)
        for most in range(1, 30)
    ]
    assert all(count.number <= number for count in counts)
    assert all((count.number == number) is count.exact for count in counts)
    assert any(0 < count.number < number for count in counts)
    assert counted(reasoning(puzzle.shape, "naked-single", "breadth-first"), puzzle, 3) == (
        3,
        False,
    )


def test_only_a_breadth_first_search_may_give_up() -> None:
    """The class declares the default, so that `harness check` includes the backend."""
    shape = Shape.parse("4x4")
    assert Reasoning.complete
    assert reasoning(shape).complete
    assert not reasoning(shape, search="breadth-first").complete
    assert Reasoning.complete, "an instance changes no other"


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("nope", "unknown rule 'nope'"),
        ("naked-singel", "did you mean 'naked-single'?"),
        ("naked-single+", "unknown rule ''"),
        ("up-to-nope", "unknown rule 'nope'"),
        ("none+naked-single", "'none' cannot be combined with rules"),
        ("forward-checking+naked-single", "unknown rule 'forward-checking'"),
    ],
)
def test_an_unknown_rule_is_an_error(rules: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        backend_of(f"reasoning[rules={rules}]", "4x4")
    assert message in str(caught.value)
    assert caught.value.where == "reasoning option rules"
    assert "up-to-NAME, forward-checking or none" in str(caught.value)
