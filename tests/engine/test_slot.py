"""Slots: what a request leaves behind does not reach the next one."""

from typing import Any

from harness.engine.slot import Slot
from harness.puzzles import parse_puzzle
from harness.puzzles.catalogue import Instance
from harness.records.outcome import Ending, Outcome
from harness.records.question import Question, Start, Task
from harness.records.trial import Batch, Trial


def test_a_forced_outcome_belongs_to_its_request() -> None:
    """A worker may end its request in the moment in which its damage is found."""
    puzzle = parse_puzzle("1...............")
    question = Question(Task.SOLVE, 0, Start.COLD, 10.0)
    trial = Trial("a", "d", Instance("p", puzzle, None), question, 1)
    slot, worker = Slot(None), Any
    slot.assign(Batch("a", question, [trial]), [1])
    slot.begin_request(worker, 0.0)  # type: ignore[arg-type]
    slot.forced_outcome = Outcome(ending=Ending.INVALID, detail="wrote to the worker's channels")
    slot.begin_request(worker, 1.0)  # type: ignore[arg-type]
    assert slot.forced_outcome is None
