"""Verdicts: right answers, wrong answers with the place of the fault, and everything else."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.puzzles import Instance, Puzzle, Shape, SolutionCount, parse_puzzle
from harness.puzzles.patterns import pattern_grid, pattern_puzzle
from harness.puzzles.puzzle import line_of_values
from harness.records.judging import are_solutions, fault_of_grid, judge
from harness.records.question import Question, Start, Task, Verdict
from harness.records.trial import Ending, Outcome, Trial, TrialRecord

PUZZLE = parse_puzzle("1234341221434..1")
LINE = "1234341221434321"
SOLUTION = tuple(map(int, LINE))


def verdict_on(
    outcome: Outcome, expected_count: SolutionCount | None = None, limit: int = 0
) -> TrialRecord:
    task = Task.COUNT if limit else Task.SOLVE
    question = Question(task, limit, Start.COLD, 10.0)
    instance = Instance("p", PUZZLE, expected_count)
    (record,) = judge([(Trial("made", "tests", instance, question, 1), outcome)])
    return record


def answer_of(grid: Any = None, wall_s: float = 0.1, **fields: Any) -> Outcome:
    """An answer as a worker sends it: a grid of values as a line, any other as it is."""
    line = line_of_values(grid, PUZZLE.shape)
    raw = None if line else grid
    return Outcome(ending=Ending.ANSWERED, solution=line, raw_grid=raw, wall_s=wall_s, **fields)


@pytest.mark.parametrize(
    ("grid", "facts"),
    [
        (None, ["not a tuple of integers: None"]),
        ("array([1, 2,\n 3])", ["not a tuple of integers: array([1, 2, 3])"]),
        (SOLUTION[:-1], ["15", "16"]),
        ((*SOLUTION[:-1], 5), ["5 in R4C4", "an integer from 1 to 4"]),
        ((*SOLUTION[:-1], 0), ["0 in R4C4", "an integer from 1 to 4"]),
        ((*SOLUTION[:-1], True), ["True", "R4C4"]),
        ((*SOLUTION[:-1], "1"), ["'1'", "R4C4"]),
        ((2, *SOLUTION[1:]), ["R1C1 is 2", "1"]),
        ((*SOLUTION[:13], 2, 2, 1), ["row 4"]),
    ],
)
def test_a_wrong_grid_is_wrong_with_the_place_of_the_fault(grid: Any, facts: list[str]) -> None:
    record = verdict_on(answer_of(grid, status="solved"))
    assert record.verdict is Verdict.WRONG
    assert [fact for fact in facts if fact not in record.reason] == []


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


RIGHT = list(SOLUTION)
MANY = SolutionCount.from_number(2_000_000, exact=False)
SOLVED = answer_of(RIGHT, status="solved")
NONE = answer_of(status="unsatisfiable")
EXPECTED_ANSWERS: list[tuple[Outcome, SolutionCount | None, int, str]] = [
    (NONE, None, 0, "unsatisfiable"),
    (NONE, SolutionCount.from_number(0), 0, "unsatisfiable"),
    (NONE, SolutionCount.from_number(1), 0, "wrong"),
    (NONE, MANY, 0, "wrong"),
    (SOLVED, SolutionCount.from_number(0), 0, "wrong"),
    (SOLVED, SolutionCount.from_number(1, True, "1" * 16), 0, "wrong"),
    (SOLVED, SolutionCount.from_number(1, True, LINE), 0, "solved"),
    (answer_of(status="unknown"), None, 0, "unknown"),
    (answer_of(status="timeout"), None, 0, "wrong"),  # no status of the contract
    (answer_of(RIGHT, count=1, exact=True), None, 2, "counted"),
    (answer_of([1] * 16, count=1, exact=True), None, 2, "wrong"),
    (answer_of(RIGHT, count=0, exact=True), None, 2, "wrong"),
    (answer_of(RIGHT, 10.0, status="solved"), None, 0, "solved"),
    (answer_of(RIGHT, 10.01, status="solved"), None, 0, "timeout"),
    (answer_of([1] * 16, 10.01, status="solved"), None, 0, "wrong"),
    (Outcome(ending=Ending.ANSWERED, solution=LINE, status="solved"), None, 0, "solved"),
    (Outcome(ending=Ending.TIME_LIMIT), None, 0, "timeout"),
    (Outcome(ending=Ending.MEMORY_LIMIT), None, 0, "out_of_memory"),
    (Outcome(ending=Ending.EXITED, exit_code=-11), None, 0, "crashed"),
    (Outcome(ending=Ending.RAISED, status="MemoryError"), None, 0, "crashed"),
    (Outcome(ending=Ending.UNSUPPORTED), None, 0, "unsupported"),
    (Outcome(ending=Ending.INVALID), None, 0, "wrong"),
]


@pytest.mark.parametrize(("outcome", "expected_count", "limit", "verdict"), EXPECTED_ANSWERS)
def test_an_outcome_has_the_verdict_of_its_answer_its_time_and_its_ending(
    outcome: Outcome, expected_count: SolutionCount | None, limit: int, verdict: str
) -> None:
    assert verdict_on(outcome, expected_count, limit).verdict == verdict


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
        (3, True, SolutionCount.from_number(3), Verdict.COUNTED),
        (3, True, SolutionCount.from_number(4), Verdict.WRONG),
        (4, True, SolutionCount.from_number(3), Verdict.WRONG),
        (10, False, SolutionCount.from_number(10), Verdict.COUNTED),
        (10, False, SolutionCount.from_number(38122), Verdict.COUNTED),
        (10, True, SolutionCount.from_number(38122), Verdict.COUNTED),
        (3, False, SolutionCount.from_number(4), Verdict.UNKNOWN),
        (10, False, SolutionCount.from_number(9), Verdict.WRONG),
        (9, True, SolutionCount.from_number(2000, exact=False), Verdict.WRONG),
        (10, False, SolutionCount.from_number(2000, exact=False), Verdict.COUNTED),
    ],
)
def test_a_count_is_compared_with_the_limit_and_the_expected_count(
    count: Any, exact: bool, expected_count: SolutionCount | None, verdict: Verdict
) -> None:
    assert (
        verdict_on(answer_of(count=count, exact=exact), expected_count, limit=10).verdict is verdict
    )


def test_a_count_that_reaches_the_limit_is_not_exact() -> None:
    assert verdict_on(answer_of(count=10, exact=True), limit=10).exact is False
    assert verdict_on(answer_of(count=9, exact=True), limit=10).exact is True
    solved = verdict_on(SOLVED)
    assert (solved.verdict, solved.reason, solved.exact) == (Verdict.SOLVED, "", None)
    assert solved.solution == LINE


def test_a_false_witness_is_named_before_a_false_count() -> None:
    answer = answer_of([1] * 16, count=2, exact=False)
    record = verdict_on(answer, SolutionCount.from_number(1), limit=2)
    assert record.verdict is Verdict.WRONG
    assert record.reason == "shows a solution, but R1C2 is 1 where 2 is given"


def test_a_long_grid_is_shown_up_to_60_characters() -> None:
    fault = fault_of_grid(PUZZLE, " ".join("x" * 60))
    assert fault == f"the grid is not a tuple of integers: {' '.join('x' * 28)} ..."


def test_a_value_outside_of_the_pencilmarks_is_the_fault() -> None:
    with_marks = Puzzle(PUZZLE.shape, PUZZLE.givens, ((15,) * 13 + (4 | 8, 15, 15)))
    assert fault_of_grid(with_marks, SOLUTION) is None
    other = Puzzle(PUZZLE.shape, PUZZLE.givens, ((15,) * 13 + (1 | 2, 15, 15)))
    assert fault_of_grid(other, SOLUTION) == "R4C2 is 3, which is not among its pencilmarks"


def test_two_equal_values_of_a_pair_are_the_fault() -> None:
    shape = Shape.parse("4x4+antiknight")
    empty = Puzzle(shape, (0,) * 16)
    assert fault_of_grid(empty, SOLUTION) == "R1C1 and R2C3 are both 1, but have to differ"


@given(
    st.sampled_from([list, tuple]),
    st.lists(
        st.tuples(
            st.integers(0, 15),
            st.sampled_from(
                [4, 1, 0, -1, 5, 127, 128, 2**70, True, 1.0, None, "", "1", b"", [], {}]
            )
            | st.builds(np.int64, st.integers(1, 4)),
        ),
        max_size=3,
    ),
)
def test_only_plain_integers_of_the_shape_make_a_line(
    kind: Callable[[list[Any]], object], changes: list[tuple[int, Any]]
) -> None:
    grid: list[Any] = [*SOLUTION]
    for cell, value in changes:
        grid[cell] = value
    line = line_of_values(kind(grid), PUZZLE.shape)
    is_plain = all(type(value) is int and 1 <= value <= 4 for value in grid)
    assert line == ("".join(map(str, grid)) if is_plain else None)
