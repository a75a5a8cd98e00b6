"""Primitives, their normal form and the smallest automata."""

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.contract.registry import load_backend
from harness.puzzles import Puzzle, Shape
from harness.puzzles.constraints.primitives import (
    MOST_STATES,
    Automaton,
    Distinct,
    Primitive,
    Relation,
    automaton_of,
    minimal,
    normal_form,
    pairs_of,
    relation_of,
    sum_of,
)
from tests.puzzles.primitives import (
    SIZE,
    accepts,
    allows,
    every_choice,
    groups,
    primitives,
    relations,
    small_tables,
    tables,
)


@given(st.lists(primitives | groups, max_size=5))
def test_the_normal_form_has_the_same_solutions(given_ones: list[Primitive]) -> None:
    normal = normal_form(SIZE, given_ones)
    for values in every_choice:
        assert all(allows(primitive, values) for primitive in normal) == all(
            allows(primitive, values) for primitive in given_ones
        )
    assert normal_form(SIZE, normal) == normal


@given(st.lists(relations | groups, max_size=6))
def test_the_normal_form_has_one_relation_of_two_cells_and_no_group_within_another(
    given_ones: list[Primitive],
) -> None:
    normal = normal_form(SIZE, given_ones)
    pairs = [
        (relation.first, relation.second) for relation in normal if isinstance(relation, Relation)
    ]
    assert len(pairs) == len(set(pairs))
    assert all(first < second for first, second in pairs)
    sets = [set(group.cells) for group in normal if isinstance(group, Distinct)]
    assert not any(first <= second or second <= first for first, second in combinations(sets, 2))
    assert pairs_of(normal) == {pair for cells in sets for pair in combinations(sorted(cells), 2)}


def test_two_cells_that_only_differ_are_a_group() -> None:
    differ = relation_of(SIZE, lambda a, b: a != b)
    every = relation_of(SIZE, lambda a, b: True)
    assert normal_form(SIZE, [Relation(1, 0, differ)]) == (Distinct((0, 1)),)
    assert normal_form(SIZE, [Relation(0, 1, every), Distinct((2,))]) == ()


def test_coefficients_of_the_same_cell_add_up() -> None:
    total = sum_of([(1, 3), (2, 0), (1, 3), (1, 1), (-1, 1)], [5, 3, 5])
    assert (total.cells, total.coefficients, total.totals) == ((0, 3), (2, 2), (3, 5))


# Automata.


LINES = [line for length in range(5) for line in product(range(1, SIZE + 1), repeat=length)]


@given(tables)
def test_the_smallest_automaton_accepts_the_same_lines(
    made: tuple[list[list[int]], list[bool]],
) -> None:
    given_one = Automaton(tuple(map(tuple, made[0])), tuple(made[1]))
    smallest = minimal(*made)
    assert all(accepts(smallest, line) == accepts(given_one, line) for line in LINES)


@given(small_tables)
def test_the_smallest_automaton_has_a_state_for_each_way_to_go_on(
    made: tuple[list[list[int]], list[bool]],
) -> None:
    """By the theorem of Myhill and Nerode: beginnings with other ends need other states."""
    given_one = Automaton(tuple(map(tuple, made[0])), tuple(made[1]))
    # Two values reach each of three states, and ends of three values distinguish them.
    ends = [line for line in LINES if len(line) <= 3]
    starts = [line for line in LINES if len(line) <= 2]
    ways = {tuple(accepts(given_one, (*start, *end)) for end in ends) for start in starts}
    useful = [way for way in ways if any(way)]
    assert len(minimal(*made).transitions) == max(len(useful), 1)


def test_an_automaton_from_a_step_has_the_behaviour_of_the_step() -> None:
    """Lines whose sum is 6 and whose values never fall."""
    start = (0, 0)
    automaton = automaton_of(SIZE, start, _rising_to_six, lambda state: sum(state[:1]) == 6)
    for line in LINES:
        assert accepts(automaton, line) == (sum(line) == 6 and list(line) == sorted(line))


def _rising_to_six(state: tuple[int, int], value: int) -> tuple[int, int] | None:
    total, last = state
    return (total + value, value) if value >= last and total + value <= 6 else None


def test_an_automaton_without_end_is_refused() -> None:
    with pytest.raises(PuzzleError, match=f"too large; expected at most {MOST_STATES} states"):
        automaton_of(SIZE, 0, lambda state, value: state + value, lambda state: True)


def test_a_constraint_whose_automaton_is_too_large_is_named() -> None:
    text = "count-distinct: R1C1 / R1C2 R2C2 R3C2"
    with pytest.raises(PuzzleError, match=f"^{text}: the automaton is too large") as error:
        Shape.parse(f"12x12; {text}")
    assert error.value.where == text


def test_an_automaton_that_accepts_no_line_has_one_state() -> None:
    refusing = minimal([[1] * SIZE, [0] * SIZE], [False, False])
    assert refusing == Automaton(((-1,) * SIZE,), (False,))


@pytest.mark.parametrize(
    "text", ["sum 3*0,0: R1C1 R1C2", "sum-line 5000: R1C1", "sum 1*1,-1: R1C1 R1C1"]
)
def test_a_sum_without_terms_or_beyond_its_cells_has_no_solution(text: str) -> None:
    puzzle = Puzzle(Shape.parse(f"4x4; {text}"), (0,) * 16)
    for name in ("native", "cnf", "milp"):
        backend, options = load_backend(name)
        assert backend(puzzle.shape, options).count(puzzle, 2).number == 0


def test_a_sum_without_terms_that_is_right_demands_nothing() -> None:
    assert Shape.parse("4x4; sum 0*1,-1: R1C1 R1C1") == Shape.parse("4x4")


def test_a_large_automaton_is_made_minimal_in_a_moment() -> None:
    chain = [[state + 1, state + 1] for state in range(19_999)] + [[-1, -1]]
    assert len(minimal(chain, [False] * 19_999 + [True]).transitions) == 20_000
