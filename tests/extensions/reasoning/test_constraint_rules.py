"""Rules for constraints: sound, complete where they claim to be, and explained."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.extensions.reasoning.board import Board, sentence
from harness.extensions.reasoning.ladder import LADDER, rule_named
from harness.extensions.reasoning.rules.constraints import named
from harness.extensions.reasoning.search import Search, Strategy
from harness.extensions.reasoning.solving import propagate, steps
from harness.puzzles import Puzzle, Shape
from harness.puzzles.constraints.kinds import KINDS
from harness.puzzles.constraints.primitives import Line, Sum, ValueCount
from harness.puzzles.puzzle import Grid, values_in
from harness.puzzles.search.kernel import Prng
from harness.records.judging import fault_of_grid
from tests.examples import examples
from tests.extensions.reasoning.boards import agrees
from tests.plain_search import solutions
from tests.puzzles.variants import givens, variant
from tests.tables import cases

RULES = [rule for rule in LADDER if rule.sees]
KILLER = (
    "9x9; killer 3: R1C1 R1C2; killer 15: R1C3 R1C4 R1C5; killer 22: R1C6 R2C5 R2C6 R3C5; "
    "killer 4: R1C7 R2C7; killer 16: R1C8 R2C8; killer 15: R1C9 R2C9 R3C9 R4C9; "
    "killer 25: R2C1 R2C2 R3C1 R3C2; killer 17: R2C3 R2C4; killer 9: R3C3 R3C4 R4C4; "
    "killer 8: R3C6 R4C6 R5C6; killer 20: R3C7 R3C8 R4C7; killer 6: R4C1 R5C1; "
    "killer 14: R4C2 R4C3; killer 17: R4C5 R5C5 R6C5; killer 17: R4C8 R5C7 R5C8; "
    "killer 13: R5C2 R5C3 R6C2; killer 20: R5C4 R6C4 R7C4; killer 12: R5C9 R6C9; "
    "killer 27: R6C1 R7C1 R8C1 R9C1; killer 6: R6C3 R7C2 R7C3; killer 20: R6C6 R7C6 R7C7; "
    "killer 6: R6C7 R6C8; killer 10: R7C5 R8C4 R8C5 R9C4; killer 14: R7C8 R7C9 R8C8 R8C9; "
    "killer 8: R8C2 R9C2; killer 16: R8C3 R9C3; killer 15: R8C6 R8C7; "
    "killer 13: R9C5 R9C6 R9C7; killer 17: R9C8 R9C9"
)
"""The killer of CSPLib 057, without givens."""


@st.composite
def boards(draw: st.DrawFn, shapes: tuple[str, ...] = ("4x4", "6x6", "9x9")) -> tuple[Board, Grid]:
    """A board with constraints and one of its solutions."""
    seed = draw(st.integers(0, 2**32))
    kinds = draw(st.lists(st.sampled_from([*KINDS]), min_size=1, max_size=5))
    return board_of(Shape.parse(draw(st.sampled_from(shapes))), kinds, seed)


def board_of(plain: Shape, kinds: list[str], seed: int) -> tuple[Board, Grid]:
    shape, grid = variant(plain, kinds, seed)
    random = Prng(seed)
    every, share = (1 << shape.size) - 1, random.below(6)
    marks = tuple(
        1 << value - 1 | (every & random.below(1 << shape.size) if random.below(6) >= share else 0)
        for value in grid
    )
    return Board(Puzzle(shape, (0,) * len(grid), marks)), grid


@given(boards())
@examples(40, 150)
def test_conclusions_hold_in_the_solution(case: tuple[Board, Grid]) -> None:
    board, grid = case
    for rule in LADDER:
        for conclusion in rule.conclusions(board):
            assert agrees(conclusion, grid), sentence(conclusion, board.shape)
    for step in steps(board, LADDER):
        assert agrees(step.conclusion, grid), sentence(step.conclusion, board.shape)
    assert all(bits >> value - 1 & 1 for bits, value in zip(board.candidates, grid, strict=True))


@given(st.lists(st.sampled_from([*KINDS]), min_size=1, max_size=3), st.integers(0, 2**32))
@examples(10, 60)
def test_a_search_finds_the_grids_that_keep_the_constraints(kinds: list[str], seed: int) -> None:
    shape, grid = variant(Shape.parse("4x4"), kinds, seed)
    puzzle = Puzzle(shape, givens(grid, seed % 4, seed))
    solutions = {grid for grid in GRIDS if fault_of_grid(puzzle, grid) is None}
    for rules in (LADDER, LADDER[:2], ()):
        assert set(Search(puzzle, Strategy(rules)).solutions()) == solutions


GRIDS = solutions(Puzzle(Shape.parse("4x4"), (0,) * 16), 10**6)


@given(boards(("4x4",)))
@settings(max_examples=50, deadline=None)
def test_support_is_complete_for_each_constraint(case: tuple[Board, Grid]) -> None:
    """Values that differ only because other constraints or houses demand it may remain.

    An automaton may leave a cell that stands twice on its line different values in both places.
    """
    board, _ = case
    propagate(board, [rule_named("value count"), rule_named("constraint support")])
    for primitive in board.shape.primitives:
        if (
            isinstance(primitive, Sum | Line | ValueCount)
            and len({*primitive.cells}) == len(primitive.cells) <= 5
        ):
            cells = primitive.cells
            values_seen = [set[int]() for _ in cells]
            for values in product(*(values_in(board.candidates[cell]) for cell in cells)):
                if holds(primitive, dict(zip(cells, values, strict=True)), board.shape):
                    for own, value in zip(values_seen, values, strict=True):
                        own.add(value)
            remaining = [set(values_in(board.candidates[cell])) for cell in cells]
            assert all(not board.values[c] or own for c, own in zip(cells, remaining, strict=True))
            for cell, own, support in zip(cells, remaining, values_seen, strict=True):
                assert board.values[cell] or own == support, primitive


def holds(primitive: Sum | Line | ValueCount, values: dict[int, int], shape: Shape) -> bool:
    """Whether a primitive holds, by its definition; the cells of a cage differ."""
    if isinstance(primitive, ValueCount):
        return (
            primitive.least
            <= sum(primitive.values >> values[c] - 1 & 1 for c in primitive.cells)
            <= primitive.most
        )
    if isinstance(primitive, Sum):
        together = {*primitive.coefficients} == {1} and all(
            cell == other or other in shape.peers[cell]
            for cell in primitive.cells
            for other in primitive.cells
        )
        if together and len({*values.values()}) < len(values):
            return False
        terms = zip(primitive.coefficients, primitive.cells, strict=True)
        return sum(k * values[cell] for k, cell in terms) in primitive.totals
    state = 0
    for cell in primitive.cells:
        state = primitive.automaton.transitions[state][values[cell] - 1]
        if state < 0:
            return False
    return primitive.automaton.accepting[state]


@pytest.mark.parametrize(("rule", "constraints", "marks", "words"), cases(__file__, "sentences"))
def test_sentences(rule: str, constraints: str, marks: dict[str, str], words: str) -> None:
    shape = Shape.parse(f"4x4; {constraints}")
    masks = [sum(1 << int(value) - 1 for value in marks.get(f"{c}", "1234")) for c in range(16)]
    board = Board(Puzzle(shape, (0,) * 16, tuple(masks)))
    assert sentence(next(rule_named(rule).conclusions(board)), shape) == words


def test_the_killer_of_csplib_is_solved_by_rules() -> None:
    puzzle = Puzzle(Shape.parse(KILLER), (0,) * 81)
    board = Board(puzzle)
    rules = {step.rule.name for step in steps(board, LADDER)}
    assert board.finished
    assert "".join(map(str, board.grid)).startswith("215647398368952174794381652")
    assert "cage combination" in rules


def test_rules_for_constraints_apply_to_shapes_with_them() -> None:
    assert not any(rule.applies_to(Shape.parse("9x9")) for rule in RULES)
    seeing = [rule.name for rule in RULES if rule.applies_to(Shape.parse("9x9; odd: R1C1"))]
    assert seeing == ["value count"]


def test_a_placed_value_that_breaks_a_constraint_refutes_the_board() -> None:
    shape = Shape.parse("4x4; sum 5: R1C1 R4C4")
    board = Board(Puzzle(shape, (2, *(0,) * 15)))
    assert not board.refuted
    board.place(15, 1)
    assert board.refuted


def test_a_value_that_no_circle_can_have_leaves_the_others() -> None:
    shape = Shape.parse("4x4; counting-circles: R2C4 R4C1")
    board = Board(Puzzle(shape, (0,) * 16))
    propagate(board, [rule_named("value count")])
    assert board.candidates[7] == board.candidates[12] == 0b0010


def test_tables_and_long_values_are_not_in_names() -> None:
    shape = Shape.parse("4x4; pair 1,2,4,8: R1C2 R1C3")
    assert named(shape.constraints[0], shape) == "pair 1,2,4,8 at R1C2"
    long = Shape.parse("9x9; pair 1,2,4,8,10,20,40,80,100: R1C2 R1C3")
    assert named(long.constraints[0], long) == "pair at R1C2"
    assert named(Shape.parse("4x4; all-xv").constraints[0], shape) == "all xv"
