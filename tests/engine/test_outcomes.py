"""What a backend returned, as an outcome that every channel can carry."""

from typing import Any

import msgspec
import numpy as np
import pytest

from harness.contract import Answer, Count, ManyAnswers, Phases
from harness.engine.outcomes import outcome_of_answer, outcome_of_error, outcomes_of_batch
from harness.puzzles import Shape
from harness.records.question import Task
from harness.records.trial import Ending, Measurements, Outcome

SHAPE = Shape.parse("4x4")
SOLUTION = (1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1)
MEASURED = Measurements(wall_s=1.0, ended_at=2.0)


def over_channel(outcome: Outcome) -> Outcome:
    """The outcome after a journey through a channel."""
    return msgspec.json.decode(msgspec.json.encode(outcome), type=Outcome)


def outcome_of(answer: Any, task: Task = Task.SOLVE) -> Outcome:
    return over_channel(outcome_of_answer(answer, task, SHAPE, MEASURED))


def test_a_solution_is_a_line_with_its_measurements() -> None:
    answer = Answer.solved(SOLUTION, {"guesses": 3}, Phases(0.1, 0.2, 0.3))
    outcome = outcome_of(answer)
    assert (outcome.ending, outcome.status) == (Ending.ANSWERED, "solved")
    assert (outcome.solution, outcome.raw_grid) == ("1234341221434321", None)
    assert (outcome.encode_s, outcome.search_s, outcome.decode_s) == (0.1, 0.2, 0.3)
    assert (outcome.wall_s, outcome.ended_at, outcome.stats) == (1.0, 2.0, {"guesses": 3})


@pytest.mark.parametrize(
    ("stats", "expected"),
    [
        ({"nodes": 10**30}, {"nodes": 10**30}),
        ({"nodes": np.int64(3), "rate": np.float64(0.5)}, {"rate": 0.5}),
        ({"nodes": float("nan"), "more": float("inf")}, {}),
        ({"nodes": "many", 3: 4}, {"3": 4}),
        ({"\udcff": 1}, {"\\udcff": 1}),
        ({"proved": True}, {"proved": 1}),
    ],
)
def test_statistics_are_finite_numbers(stats: Any, expected: dict[str, int | float]) -> None:
    answer = Answer.unsatisfiable(stats)
    assert outcome_of(answer).stats == expected


@pytest.mark.parametrize(
    ("number", "expected"), [(3, 3), (10**30, 10**30), (3.0, "3.0"), ("3", "'3'"), (True, "True")]
)
def test_a_count_that_is_not_an_integer_is_kept_as_text(number: Any, expected: int | str) -> None:
    assert outcome_of(Count(number, True), Task.COUNT).count == expected


@pytest.mark.parametrize("grid", ["1234", [1, "x", None], [[1, 2], [3]], (1,) * 15, object()])
def test_a_grid_without_values_of_the_shape_is_kept_as_it_is(grid: Any) -> None:
    outcome = outcome_of(Answer.solved(grid))
    assert outcome.solution is None
    assert outcome.raw_grid is not None


class Changing(list[int]):
    """A list whose first length is another one."""

    lengths = 0

    def __len__(self) -> int:
        self.lengths += 1
        return 5 if self.lengths == 1 else super().__len__()


def test_a_list_is_read_once() -> None:
    grid: Any = Changing(SOLUTION)
    outcome = outcome_of(Answer.solved(grid))
    assert (outcome.solution, outcome.raw_grid) == ("1234341221434321", None)


def test_the_message_of_an_exception_may_be_no_text() -> None:
    outcome = over_channel(outcome_of_error(ValueError("\udcff"), MEASURED))
    assert (outcome.ending, outcome.status) == (Ending.RAISED, "ValueError")
    assert "\\udcff" in outcome.detail


@pytest.mark.parametrize("message", ["x" * 10_000, "first\nsecond", "", "plain"])
def test_the_last_line_about_an_exception_names_its_type(message: str) -> None:
    outcome = over_channel(outcome_of_error(KeyboardInterrupt(message), MEASURED))
    line = outcome.detail.splitlines()[-1]
    assert line.startswith(f"KeyboardInterrupt{': ' if message else ''}{message[:5]}")
    assert len(line) <= 500


class Hostile(dict[str, int]):
    def items(self) -> Any:
        raise RuntimeError("not for you")


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        *((answer, "solve returned") for answer in (None, "solved", Count(1, True), SOLUTION)),
        (Answer.solved(SOLUTION, Hostile(a=1)), "an invalid answer: RuntimeError: not for you"),
        (Answer.solved(SOLUTION, {}, Phases(-1.0)), "an invalid answer"),
        (Answer.solved(SOLUTION, {}, Phases(search=float("nan"))), "an invalid answer"),
        (Answer.solved(SOLUTION, {}, Phases(decode=float("inf"))), "an invalid answer"),
        (Answer.solved(SOLUTION, {}, Phases("x")), "an invalid answer"),  # type: ignore[arg-type]
        (Answer.solved(SOLUTION, {}, None), "an invalid answer"),  # type: ignore[arg-type]
    ],
    ids=str,
)
def test_anything_but_an_answer_with_possible_times_is_invalid(answer: Any, detail: str) -> None:
    outcome = outcome_of(answer)
    assert (outcome.ending, outcome.ended_at) == (Ending.INVALID, 2.0)
    assert detail in outcome.detail


@pytest.mark.parametrize(
    "many",
    [
        ManyAnswers(["solved"], np.zeros((1, 16))),  # type: ignore[arg-type]
        ManyAnswers(np.array(["solved"]), None),  # type: ignore[arg-type]
    ],
    ids=["a list for an array", "no array"],
)
def test_a_batch_that_is_not_of_arrays_is_invalid(many: ManyAnswers) -> None:
    for outcome in outcomes_of_batch(many, Task.SOLVE, SHAPE, 1, MEASURED):
        assert over_channel(outcome).ending is Ending.INVALID
        assert "an invalid answer" in outcome.detail


def test_a_batch_counts_every_event_and_every_second_once() -> None:
    call = Measurements(
        wall_s=3.0,
        cpu_s=1.5,
        build_s=0.3,
        memory_bytes=99,
        voluntary_switches=4,
        involuntary_switches=5,
        minor_faults=6,
        major_faults=7,
    )
    many = ManyAnswers(np.array(["solved"] * 3), np.array([SOLUTION] * 3), {"guesses": 9})
    outcomes = [over_channel(o) for o in outcomes_of_batch(many, Task.SOLVE, SHAPE, 3, call)]
    for name in ("wall_s", "cpu_s", "build_s"):
        assert [getattr(o, name) for o in outcomes] == [pytest.approx(getattr(call, name) / 3)] * 3
    for name in ("voluntary_switches", "involuntary_switches", "minor_faults", "major_faults"):
        assert [getattr(o, name) for o in outcomes] == [getattr(call, name), 0, 0]
    assert [(o.memory_bytes, o.stats) for o in outcomes] == [(99, {"guesses": 3.0})] * 3


@pytest.mark.parametrize("decides", [True, False])
def test_unknown_answers_in_a_batch_say_whether_the_backend_may_give_up(decides: bool) -> None:
    many = ManyAnswers(np.array(["unknown", "unsatisfiable"]), np.zeros((2, 16), np.uint8))
    outcomes = outcomes_of_batch(many, Task.SOLVE, SHAPE, 2, MEASURED, decides=decides)
    assert [bool(o.detail) for o in outcomes] == [not decides, False]
