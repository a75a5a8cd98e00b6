"""Rules that remove candidates: sound, complete, with true reasons; AC-3 among them."""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.extensions.generate import random_grid
from harness.extensions.reasoning.board import Board, Conclusion, Elimination, Placement, Rule
from harness.extensions.reasoning.ladder import LADDER, rule_named, rung
from harness.extensions.reasoning.rules.cycles import RepetitiveCycleRule
from harness.extensions.reasoning.rules.singles import (
    ArcConsistency,
    HiddenSingle,
    NakedSingle,
    OneCandidate,
    OnePlace,
    OneValueLeft,
)
from harness.extensions.reasoning.solving import propagate, solve, steps
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.puzzle import Grid
from harness.puzzles.search.kernel import Prng
from harness.puzzles.search.solver import solver_of
from tests.extensions.reasoning import oracle, reasons
from tests.extensions.reasoning.definitions import DEFINITIONS, Position
from tests.extensions.reasoning.pattern_boards import SHAPES as PATTERN_SHAPES
from tests.extensions.reasoning.pattern_boards import any_board, boards, solvable_board
from tests.extensions.reasoning.soundness import agrees

# Rules of inference: they are sound, their reasons hold, and they are complete where proven.


RULES: tuple[Rule, ...] = (NakedSingle(), HiddenSingle(), RepetitiveCycleRule())
SHAPES = (
    *("4x4", "6x6", "latin5", "6x6+diagonal", "9x9", "9x9+windoku", "9x9+antiknight"),
    "jigsaw:1112122233343444",
)


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[Puzzle, Grid]:
    """A puzzle of any shape, perhaps with pencilmarks, and one of its solutions."""
    shape = Shape.parse(draw(st.sampled_from(SHAPES)))
    random = Prng(draw(st.integers(0, 2**32)))
    grid = random_grid(shape, random)
    share = draw(st.integers(0, 100))
    givens = tuple(value if random.below(100) < share else 0 for value in grid)
    if draw(st.booleans()):
        return Puzzle(shape, givens), grid
    dense = 1 + draw(st.integers(0, 9))
    marks = [
        1 << value - 1 | sum(1 << v for v in range(shape.size) if random.below(10) < dense)
        for value in grid
    ]
    marks = [
        1 << v - 1 if clue else bits for clue, v, bits in zip(givens, grid, marks, strict=True)
    ]
    return Puzzle(shape, givens, tuple(marks)), grid


def holds(conclusion: Conclusion, board: Board) -> bool:
    """Whether the reason of a conclusion is true of the candidates of `board`."""
    assert isinstance(conclusion, Placement)
    bit = 1 << conclusion.value - 1
    match conclusion.reason:
        case OneCandidate(cell, value):
            return (cell, value) == (conclusion.cell, conclusion.value) and (
                board.candidates[cell] == bit
            )
        case OnePlace(house, value):
            places = [cell for cell in house.cells if board.candidates[cell] & bit]
            return value == conclusion.value and places == [conclusion.cell]
    return False


@given(puzzles())
@settings(max_examples=40)
def test_a_conclusion_holds_in_the_solution_and_has_its_reason(case: tuple[Puzzle, Grid]) -> None:
    puzzle, grid = case
    board = Board(puzzle)
    for rule in RULES[:2]:
        for conclusion in rule.conclusions(board):
            assert agrees(conclusion, grid), rule.name
            assert isinstance(conclusion, Placement)
            assert holds(conclusion, board), rule.name
            assert not board.values[conclusion.cell]
            assert set(conclusion.reason.cells) <= set(range(len(grid)))


@given(puzzles())
@settings(max_examples=40)
def test_an_independent_program_finishes_the_same_puzzles(case: tuple[Puzzle, Grid]) -> None:
    puzzle, _ = case
    for level in (oracle.NAKED, oracle.EXCLUSION, oracle.CYCLE):
        assert solve(puzzle, RULES[: level + 1]).finished is oracle.finishes(puzzle, level)


@st.composite
def any_puzzles(draw: st.DrawFn) -> Puzzle:
    """A puzzle that may have no solution: random values and random pencilmarks."""
    shape = Shape.parse(draw(st.sampled_from(("4x4", "latin5", "6x6+diagonal", "4x4+antiking"))))
    random = Prng(draw(st.integers(0, 2**32)))
    share = draw(st.integers(0, 30))
    marks = [
        1 << random.below(shape.size)
        if random.below(100) < share
        else 1 + random.below(2**shape.size - 1)
        for _ in range(shape.size**2)
    ]
    return Puzzle(shape, (0,) * shape.size**2, tuple(marks))


@given(st.one_of(any_puzzles(), puzzles().map(lambda case: case[0])))
@settings(max_examples=40)
def test_naked_singles_are_arc_consistency(puzzle: Puzzle) -> None:
    board = solve(puzzle, [NakedSingle()])
    expected = oracle.arc_consistent(puzzle)
    assert (expected is None) is (not all(board.candidates))
    if expected is not None:
        assert board.candidates == [sum(1 << v - 1 for v in domain) for domain in expected]


@given(any_puzzles())
@settings(max_examples=60)
def test_a_finished_board_is_a_solution_and_a_refuted_one_has_none(puzzle: Puzzle) -> None:
    board = solve(puzzle, RULES)
    result = solver_of(puzzle.shape).search_puzzle(puzzle, 2)
    if board.finished:
        assert (result.number, result.solution) == (1, board.grid)
    if board.refuted:
        assert result.number == 0


def test_rules_have_no_conclusion_without_candidates_to_exclude() -> None:
    for rule in RULES:
        assert list(rule.conclusions(Board(Puzzle(Shape.parse("9x9"), (0,) * 81)))) == []


def test_a_contradiction_ends_the_steps() -> None:
    twice = Puzzle(Shape.parse("4x4"), (1, 0, 0, 1, *(0,) * 12))
    board = solve(twice, RULES)
    assert (board.refuted, board.finished) == (True, False)
    full = Puzzle(Shape.parse("4x4"), (1,) * 16)
    assert not solve(full, RULES).finished


def test_a_complete_grid_needs_no_rule() -> None:
    grid = random_grid(Shape.parse("6x6"), Prng(1))
    board = Board(Puzzle(Shape.parse("6x6"), grid))
    assert board.finished
    assert list(steps(board, RULES)) == []


# Rules that remove candidates, on boards of many shapes: sound, complete, with true reasons.


REMOVING = [rule_named(name) for name in DEFINITIONS]


def position(board: Board) -> Position:
    return Position(board.shape, board.candidates, board.values)


def eliminations(rule: Rule, board: Board) -> list[Elimination]:
    conclusions = list(rule.conclusions(board))
    assert all(isinstance(conclusion, Elimination) for conclusion in conclusions)
    return [conclusion for conclusion in conclusions if isinstance(conclusion, Elimination)]


def removals_of(rule: Rule, board: Board) -> set[tuple[int, int]]:
    return {pair for elimination in eliminations(rule, board) for pair in elimination.candidates}


@given(boards())
@settings(max_examples=25)
def test_rules_remove_what_their_definitions_do(board: Board) -> None:
    at = position(board)
    for rule in REMOVING:
        assert removals_of(rule, board) == DEFINITIONS[rule.name](at), rule.name


@given(boards())
@settings(max_examples=30)
def test_reasons_are_true_of_the_board(board: Board) -> None:
    at = position(board)
    for rule in REMOVING:
        for conclusion in eliminations(rule, board):
            assert reasons.in_order(conclusion), rule.name
            assert all(value in at.blank[cell] for cell, value in conclusion.candidates)
            assert reasons.holds(conclusion, at), rule.name
            assert set(conclusion.reason.cells) <= set(at.blank)


@pytest.mark.long
@pytest.mark.parametrize("make_board", [solvable_board, any_board])
def test_fixed_boards_have_patterns_of_each_rule(
    make_board: Callable[[Shape, Prng], Board],
) -> None:
    """Each rule removes what its definition does, in three shapes at least."""
    shapes = {rule.name: Counter[str]() for rule in REMOVING}
    for spec in PATTERN_SHAPES:
        for seed in range(6):
            board = make_board(Shape.parse(spec), Prng(seed))
            at = position(board)
            for rule in REMOVING:
                pairs = removals_of(rule, board)
                assert pairs == DEFINITIONS[rule.name](at), rule.name
                shapes[rule.name][spec] += bool(pairs)
    assert {name for name, uses in shapes.items() if len(+uses) < 3} == set()


# AC-3 as a rule: the candidates that remain are those of naked singles.


FIVE = Shape.parse("latin5")


def fixpoint(board: Board, rule: Rule) -> list[int] | None:
    """The candidates that `rule` leaves, None if a cell has none."""
    board = board.copy()
    return board.candidates if propagate(board, [rule]) else None


@given(boards())
@settings(max_examples=30)
def test_the_fixpoint_is_that_of_naked_singles(board: Board) -> None:
    assert fixpoint(board, ArcConsistency()) == fixpoint(board, NakedSingle())


@given(boards())
@settings(max_examples=50)
def test_one_pass_makes_all_arcs_consistent(board: Board) -> None:
    """Each removal is of a candidate without support at this moment; in the end none is left."""
    at = Position(board.shape, board.candidates, board.values)
    for conclusion in ArcConsistency().conclusions(board):
        assert all(at.blank.values())
        reason = conclusion.reason
        assert isinstance(reason, OneValueLeft)
        assert at.blank[reason.cell] == {reason.value}
        if isinstance(conclusion, Placement):
            assert (conclusion.cell, conclusion.value) == (reason.cell, reason.value)
        else:
            ((cell, value),) = conclusion.candidates
            assert value == reason.value
            assert at.see(cell, reason.cell)
            at.blank[cell].remove(value)
    is_refuted = not all(board.candidates) or not all(at.blank.values())
    assert is_refuted or all(
        len(values) > 1 or not at.with_value([c for c in at.blank if at.see(cell, c)], min(values))
        for cell, values in at.blank.items()
    )


def test_arcs_are_revised_in_the_order_of_the_queue() -> None:
    """R1C1 is 2, so R1C2 is 1, so R1C3 is 3, and all three restrict R1C4."""
    marks = [0b11111] * 25
    marks[:3] = 0b00011, 0b00011, 0b00111
    marks[20] = 0b00001
    conclusions = list(ArcConsistency().conclusions(Board(Puzzle(FIVE, (0,) * 25, tuple(marks)))))
    assert all(isinstance(conclusion, Elimination) for conclusion in conclusions)
    assert [
        (FIVE.cell_name(cell), value, conclusion.reason.words(FIVE))
        for conclusion in conclusions[:6]
        if isinstance(conclusion, Elimination)
        for cell, value in conclusion.candidates
    ] == [
        ("R1C2", 2, "R1C1 can only be 2"),
        ("R1C3", 2, "R1C1 can only be 2"),
        ("R1C3", 1, "R1C2 can only be 1"),
        ("R1C4", 2, "R1C1 can only be 2"),
        ("R1C4", 1, "R1C2 can only be 1"),
        ("R1C4", 3, "R1C3 can only be 3"),
    ]


def test_cells_with_one_candidate_are_placed_when_all_arcs_are_consistent() -> None:
    board = Board(parse_puzzle("12.434.22.434.21"))
    steps_of_rule = list(steps(board, [ArcConsistency()]))
    assert board.finished
    assert {step.rule.name for step in steps_of_rule} == {"arc consistency"}


def test_the_ladder_has_it_as_an_alternative_to_naked_singles() -> None:
    rule = rule_named("Arc-Consistency")
    assert isinstance(rule, ArcConsistency)
    assert rule not in LADDER
    assert rung("arc consistency") == (rule,)
