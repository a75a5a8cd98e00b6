"""Verdicts: what an answer is worth, found out without any backend."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.puzzles import ExpectedCount, Instance, Puzzle, Shape, parse_puzzle
from harness.puzzles.generate import pattern_grid, pattern_puzzle
from harness.puzzles.puzzle import line_of_values
from harness.records.judge import are_solutions, fault_of_grid, judge
from harness.records.outcome import Ending, Outcome
from harness.records.question import Question, Start, Task
from harness.records.trial import Trial, TrialRecord
from harness.records.verdict import Verdict

PUZZLE = parse_puzzle("1234341221434..1")
SOLUTION = (1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1)


def judged(
    outcome: Outcome, expected_count: ExpectedCount | None = None, limit: int = 0
) -> TrialRecord:
    task = Task.COUNT if limit else Task.SOLVE
    question = Question(task, limit, Start.COLD, 10.0)
    (result,) = judge(
        [(Trial("made", "tests", Instance("p", PUZZLE, expected_count), question, 1), outcome)]
    )
    return result


def answered(grid: Any = None, wall: float = 0.1, **fields: Any) -> Outcome:
    """An answer as a worker tells it: a grid of values as a line, any other as it is."""
    line = line_of_values(grid, PUZZLE.shape)
    shown = None if line else grid
    return Outcome(ending=Ending.ANSWERED, solution=line, raw_grid=shown, wall_s=wall, **fields)


def test_a_right_grid_is_solved_and_told_as_a_line() -> None:
    result = judged(answered(status="solved", raw_grid=list(SOLUTION)))
    assert (result.verdict, result.reason) == (Verdict.SOLVED, "")
    assert result.solution == "1234341221434321"


@pytest.mark.parametrize(
    ("raw_grid", "reason"),
    [
        (None, "the grid is a NoneType"),
        ("1234341221434321", "the grid is a str"),
        (SOLUTION[:-1], "the grid has 15 cells, not 16"),
        ((*SOLUTION[:-1], 5), "5 in R4C4 is no value of 4x4"),
        ((*SOLUTION[:-1], 0), "0 in R4C4 is no value of 4x4"),
        ((*SOLUTION[:-1], True), "True in R4C4 is no value of 4x4"),
        ((*SOLUTION[:-1], "1"), "'1' in R4C4 is no value of 4x4"),
        ((2, *SOLUTION[1:]), "R1C1 is 2 where 1 is given"),
        ((*SOLUTION[:13], 2, 2, 1), "row 4 does not hold every value"),
    ],
)
def test_a_grid_that_is_no_solution_is_wrong(grid: Any, reason: str) -> None:
    result = judged(answered(status="solved", raw_grid=grid))
    assert (result.verdict, result.reason) == (Verdict.WRONG, reason)


@given(st.lists(st.integers(0, 5), min_size=16, max_size=16))
def test_a_grid_has_a_fault_unless_it_is_the_solution(grid: list[int]) -> None:
    assert (fault_of_grid(PUZZLE, grid) is None) == (tuple(grid) == SOLUTION)


@given(st.integers(0, 15), st.integers(1, 4))
def test_one_changed_cell_is_a_fault(cell: int, value: int) -> None:
    grid = [*SOLUTION[:cell], value, *SOLUTION[cell + 1 :]]
    assert (fault_of_grid(PUZZLE, grid) is None) == (value == SOLUTION[cell])


@pytest.mark.parametrize("spec", ["4x4", "6x6", "box3x2", "9x9", "25x25", "36x36", "latin7"])
def test_solutions_of_every_shape_pass_and_rotated_ones_do_not(spec: str) -> None:
    shape = Shape.parse(spec)
    grid = pattern_grid(shape)
    line = Puzzle(shape, grid).line
    assert are_solutions(shape, [pattern_puzzle(shape, 3).line], [line]) == [True]
    assert fault_of_grid(pattern_puzzle(shape, 3), (*grid[1:], grid[0])) is not None


def test_a_claim_of_none_is_wrong_where_a_solution_is_known() -> None:
    claim = answered(status="unsatisfiable")
    assert judged(claim).verdict is Verdict.UNSATISFIABLE
    assert judged(claim, ExpectedCount(0)).verdict is Verdict.UNSATISFIABLE
    result = judged(claim, ExpectedCount(1))
    assert result.verdict is Verdict.WRONG
    assert result.reason == "claims that there is no solution, but it has 1 solution"
    assert judged(claim, ExpectedCount(2_000_000, exact=False)).verdict is Verdict.WRONG


def test_a_solution_that_the_truth_does_not_know_is_wrong() -> None:
    claim = answered(status="solved", raw_grid=list(SOLUTION))
    assert judged(claim, ExpectedCount(0)).verdict is Verdict.WRONG
    assert judged(claim, ExpectedCount(1, True, "1" * 16)).verdict is Verdict.WRONG
    assert judged(claim, ExpectedCount(1, True, "1234341221434321")).verdict is Verdict.SOLVED


def test_giving_up_is_unknown() -> None:
    assert judged(answered(status="unknown")).verdict is Verdict.UNKNOWN


def test_a_claim_from_outside_the_contract_is_wrong() -> None:
    assert judged(answered(status="timeout")).verdict is Verdict.WRONG


@pytest.mark.parametrize(
    ("count", "exact", "expected_count", "verdict"),
    [
        (3, True, None, Verdict.COUNTED),
        (0, True, None, Verdict.COUNTED),
        (10, False, None, Verdict.COUNTED),
        (10, True, None, Verdict.COUNTED),
        (3, False, None, Verdict.UNKNOWN),
        (11, False, None, Verdict.WRONG),
        (-1, True, None, Verdict.WRONG),
        ("3", True, None, Verdict.WRONG),
        (None, True, None, Verdict.WRONG),
        (True, True, None, Verdict.WRONG),
        (3, True, ExpectedCount(3), Verdict.COUNTED),
        (3, True, ExpectedCount(4), Verdict.WRONG),
        (4, True, ExpectedCount(3), Verdict.WRONG),
        (10, False, ExpectedCount(10), Verdict.COUNTED),
        (10, False, ExpectedCount(38122), Verdict.COUNTED),
        (10, False, ExpectedCount(9), Verdict.WRONG),
        (9, True, ExpectedCount(2000, exact=False), Verdict.WRONG),
        (10, False, ExpectedCount(2000, exact=False), Verdict.COUNTED),
    ],
)
def test_a_count_is_held_against_limit_and_truth(
    number: Any, exact: bool, expected_count: ExpectedCount | None, verdict: Verdict
) -> None:
    assert judged(answered(count=number, exact=exact), expected_count, limit=10).verdict is verdict


def test_a_count_that_reaches_the_limit_is_not_exact() -> None:
    assert judged(answered(count=10, exact=True), limit=10).exact is False
    assert judged(answered(count=9, exact=True), limit=10).exact is True
    assert judged(answered(status="solved", raw_grid=list(SOLUTION))).exact is None


def test_the_witness_of_a_count_is_checked() -> None:
    good = answered(count=1, exact=True, raw_grid=list(SOLUTION))
    assert judged(good, limit=2).verdict is Verdict.COUNTED
    bad = answered(count=1, exact=True, raw_grid=[1] * 16)
    assert judged(bad, limit=2).reason == "shows a solution, but R1C2 is 1 where 2 is given"
    none = answered(count=0, exact=True, raw_grid=list(SOLUTION))
    assert judged(none, limit=2).reason == "shows a solution, but counts none"


def test_a_late_answer_is_a_timeout_unless_it_is_wrong() -> None:
    late = answered(list(SOLUTION), 10.01, status="solved")
    assert judged(late).verdict is Verdict.TIMEOUT
    late_and_wrong = answered([1] * 16, 10.01, status="solved")
    assert judged(late_and_wrong).verdict is Verdict.WRONG


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        (Outcome(ending=Ending.TIME_LIMIT), Verdict.TIMEOUT),
        (Outcome(ending=Ending.EXITED, exit_code=-11), Verdict.CRASHED),
        (Outcome(ending=Ending.RAISED, status="ValueError"), Verdict.CRASHED),
        (Outcome(ending=Ending.RAISED, status="MemoryError"), Verdict.OUT_OF_MEMORY),
        (Outcome(ending=Ending.UNSUPPORTED), Verdict.UNSUPPORTED),
        (Outcome(ending=Ending.INVALID), Verdict.WRONG),
    ],
)
def test_a_call_that_gave_no_answer_has_its_verdict(outcome: Outcome, verdict: Verdict) -> None:
    assert judged(outcome).verdict is verdict
