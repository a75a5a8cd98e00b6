"""Slots: what a request leaves behind does not reach the next one."""

from collections.abc import Sequence
from typing import Any

import pytest

from harness.engine.slot import Slot
from harness.puzzles import parse_puzzle
from harness.puzzles.puzzle import Instance
from harness.records.question import Question, Start, Task
from harness.records.trial import Batch, Ending, Outcome, Trial

QUESTION = Question(Task.SOLVE, 0, Start.COLD, 10.0)


def a_slot(serials: Sequence[int]) -> Slot:
    """A slot whose trials have these serial numbers, and are named by them."""
    puzzle = parse_puzzle("1...............")
    trials = [Trial("a", "d", Instance(str(n), puzzle, None), QUESTION, 1) for n in serials]
    slot = Slot(None)
    slot.assign(Batch("a", QUESTION, trials), iter(serials))
    return slot


def begin(slot: Slot) -> None:
    slot.begin_request(Any, 0.0)  # type: ignore[arg-type]


def names(trials: Sequence[Trial]) -> list[str]:
    return [trial.instance.name for trial in trials]


def test_a_forced_outcome_belongs_to_its_request() -> None:
    """A worker may end its request in the moment in which its damage is found."""
    slot = a_slot([1])
    begin(slot)
    slot.forced_outcome = Outcome(ending=Ending.INVALID, detail="wrote to the worker's channels")
    begin(slot)
    assert slot.forced_outcome is None


@pytest.mark.parametrize("serial", [None, 1, 2])
def test_a_trial_that_was_not_requested_does_not_fail(serial: int | None) -> None:
    """A worker that runs one trial, and is found out after its outcome, costs no other trial."""
    slot = a_slot([1, 2])
    slot.one_by_one = True
    begin(slot)
    slot.pending.popleft()  # the outcome of the requested trial
    assert not slot.is_pending(2)
    assert slot.take_failed(serial) == []
    begin(slot)
    assert names(slot.take_failed(serial if serial == 2 else None)) == ["2"]


def test_the_first_requested_trial_fails_where_none_is_named() -> None:
    slot = a_slot([1, 2, 3])
    begin(slot)
    assert names(slot.take_failed(3)) == ["3"]
    assert names(slot.take_failed(None)) == ["1"]
