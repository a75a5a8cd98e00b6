"""The calls that workers have had, so that an answer that depends on them can be repeated."""

from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from harness.experiment.fuzzing.calls import Call, call_of
from harness.records.question import Start
from harness.records.trial import TrialRecord

_MOST_CALLS: Final = 3_000
"""Calls of a worker that are kept."""

_Worker = tuple[str, int | None]


class History:
    """The last calls of each worker, in the order in which they ended."""

    def __init__(self) -> None:
        self._calls: defaultdict[_Worker, deque[Call]] = defaultdict(
            lambda: deque(maxlen=_MOST_CALLS)
        )
        self._batch: dict[_Worker, str] = {}

    def add(self, records: Iterable[TrialRecord]) -> None:
        """Take note of finished trials."""
        for record in records:
            trial, worker = record.trial, _worker(record)
            calls = self._calls[worker]
            puzzle = trial.instance.puzzle
            if trial.call is not None and self._batch.get(worker) == trial.call:
                last = calls.pop()
                calls.append(replace(last, puzzles=(*last.puzzles, puzzle)))
                continue
            self._batch[worker] = trial.call or ""
            calls.append(call_of(record))

    def up_to(self, record: TrialRecord) -> tuple[Call, ...]:
        """The calls of the worker of a trial, up to that trial."""
        found = list(self._calls[_worker(record)])
        while found and not _is_of(found[-1], record):
            found.pop()
        return tuple(found)


def _worker(record: TrialRecord) -> _Worker:
    """What is known of the worker of a trial: its configuration and its core."""
    return record.trial.spec, record.outcome.core


def _is_of(call: Call, record: TrialRecord) -> bool:
    trial = record.trial
    if trial.question.start is Start.BATCH:
        return trial.instance.puzzle in call.puzzles and call.start is Start.BATCH
    question = trial.question
    put = (call.puzzles[0], call.task, call.limit, call.start)
    return put == (trial.instance.puzzle, question.task, question.limit, question.start)
