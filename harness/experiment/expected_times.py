"""Expected times of trials, from the times of earlier ones on this machine."""

import platform
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from harness.errors import InputError
from harness.records.store import FILE, read_rows
from harness.records.trial import Trial, TrialRecord

_MOST_RUNS: Final = 20
"""Earlier runs that are read."""
_LEVELS: Final = ("puzzle_id", "dataset", "shape")
"""What a trial has in common with earlier ones, the closest first."""


class ExpectedTimes:
    """Mean times of earlier trials.

    The expected time of a trial is the mean wall time of earlier trials of the same backend,
    puzzle and question; without them of the same backend, dataset and question; without them of
    the same backend, shape and question.
    """

    def __init__(self) -> None:
        self._sums: dict[tuple[object, ...], list[float]] = {}

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add stored trials of this machine; those of others are left out.

        Args:
            rows: values by the names of `harness.records.fields.FIELDS`.
        """
        for row in rows:
            if row["host"] == platform.node():
                seconds = row["wall_s"] if row["wall_s"] is not None else row["timeout_s"]
                question = (row["task"], row["limit"] or 0, row["start"])
                self._note(seconds, row["backend"], [row[of] for of in _LEVELS], question)

    def add_runs(self, folders: Iterable[Path]) -> None:
        """Add those of these folders that were written last, except runs that cannot be read."""
        runs = [folder for folder in folders if (folder / FILE).is_file()]
        runs.sort(key=lambda run: (run / FILE).stat().st_mtime, reverse=True)
        for run in runs[:_MOST_RUNS]:
            with suppress(InputError):  # it serves an estimate only
                self.add(rows_of(run))

    def add_records(self, records: Iterable[TrialRecord]) -> None:
        """Add trials that have ended on this machine."""
        for record in records:
            seconds = record.outcome.wall_s
            if seconds is None:
                seconds = record.trial.question.timeout_s
            self._note(seconds, *_places(record.trial))

    def _note(
        self, seconds: float, backend: str, values: Iterable[str], question: tuple[object, ...]
    ) -> None:
        for level, value in zip(_LEVELS, values, strict=True):
            entry = self._sums.setdefault((level, backend, value, *question), [0.0, 0])
            entry[0] += seconds
            entry[1] += 1

    def of(self, trial: Trial) -> float | None:
        """The expected time of a trial in seconds, at most its limit; None if unknown."""
        backend, values, question = _places(trial)
        for level, value in zip(_LEVELS, values, strict=True):
            if entry := self._sums.get((level, backend, value, *question)):
                return min(entry[0] / entry[1], trial.question.timeout_s)
        return None


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """The stored trials of a run, values by the names of `harness.records.fields.FIELDS`.

    Raises:
        RunError: the folder has no run, or a damaged one.
    """
    columns, rows = read_rows(folder)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _places(trial: Trial) -> tuple[str, tuple[str, str, str], tuple[object, ...]]:
    puzzle, question = trial.instance.puzzle, trial.question
    values = (puzzle.id, trial.dataset, puzzle.shape.definition)
    return trial.backend, values, (str(question.task), question.limit, str(question.start))
