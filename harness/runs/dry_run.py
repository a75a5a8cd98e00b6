"""What a sweep would run, and how long the remaining trials would take.

No trial is run and nothing is written; backends are loaded, because their options and the versions
of their libraries identify a trial.
"""

import json
import platform
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from harness.base.errors import InputError, NoBackendError
from harness.puzzles import name_by_kinds
from harness.records import Configuration, Start, Trial
from harness.records.folder import RunFile, read_rows
from harness.runs.execution import Observer
from harness.runs.plan import SweepPlan, datasets_of
from harness.runs.run import identity, ready_supervisor
from harness.runs.sweep import Sweep

# Expected times of trials, from the times of earlier ones on this machine.


class ExpectedTimes:
    """Mean times of earlier trials.

    The expected time of a trial is the mean wall time of earlier trials of the same backend, puzzle
    and question. If there are none, those of the same backend, dataset and question are used, or
    else those of the same backend, shape and question. Shapes with constraints of the same kinds
    count as one.
    """

    def __init__(self) -> None:
        self._sums: defaultdict[tuple[object, ...], list[float]] = defaultdict(lambda: [0.0, 0])

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add stored trials of this machine; trials of other machines are left out.

        Args:
            rows: values by the names of `harness.records.fields.FIELDS`.
        """
        for row in rows:
            if row["host"] == platform.node():
                seconds = row["wall_s"] if row["wall_s"] is not None else row["timeout_s"]
                question = (row["task"], row["limit"] or 0, row["start"])
                place = (row["puzzle_id"], row["dataset"], row["shape"])
                for key in _keys(row["backend"], *place, question):
                    entry = self._sums[key]
                    entry[:] = entry[0] + seconds, entry[1] + 1

    def add_runs(self, folders: Iterable[Path]) -> None:
        """Add the latest runs in these folders; runs that cannot be read are left out."""
        runs = [folder for folder in folders if (folder / RunFile.STORE).is_file()]
        runs.sort(key=lambda run: (run / RunFile.STORE).stat().st_mtime, reverse=True)
        for run in runs[:20]:
            with suppress(InputError):  # an estimate does without it
                self.add(rows_of(run))

    def seconds_of(self, trial: Trial) -> float | None:
        """The expected time of a trial in seconds, at most its limit; None if unknown."""
        puzzle, question = trial.instance.puzzle, trial.question
        place = (puzzle.id, trial.dataset, puzzle.shape.definition)
        answer = (str(question.task), question.limit, str(question.start))
        for key in _keys(trial.backend, *place, answer):
            if entry := self._sums.get(key):
                return min(entry[0] / entry[1], question.timeout_s)
        return None


def _keys(
    backend: str, puzzle_id: str, dataset: str, shape: str, question: tuple[object, ...]
) -> list[tuple[object, ...]]:
    """The keys by which a trial finds earlier ones, the closest match first."""
    values = {"puzzle_id": puzzle_id, "dataset": dataset, "shape": name_by_kinds(shape)}
    return [(backend, *place, *question) for place in values.items()]


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """The stored trials of a run, values by the names of `harness.records.fields.FIELDS`.

    Raises:
        RunError: the folder has no run, or a damaged one.
    """
    columns, rows = read_rows(folder)
    return [dict(zip(columns, row, strict=True)) for row in rows]


# What a sweep would run: its trials, those that a folder has, and the time for the rest.


@dataclass(slots=True)
class PlannedTrials:
    """The trials of one configuration on one dataset."""

    backend: str
    """Label of the configuration."""
    dataset: str
    """Name of the dataset."""
    trials: int = 0
    """Planned trials."""
    stored: int = 0
    """Planned trials that the folder has."""
    expected_s: float | None = 0.0
    """Expected time of the rest in seconds; None if that is unknown for one of them."""
    longest_s: float = 0.0
    """Time of the rest in seconds if every trial reaches its time limit."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What `harness run` or `check` would run."""

    json_keys: ClassVar = (
        *("folder", "trials", "stored", "jobs", "expected_s", "longest_s", "unavailable", "plan"),
    )

    folder: Path | None
    """The folder of the run; None for a check."""
    plan: tuple[PlannedTrials, ...]
    """Each configuration on each dataset."""
    unavailable: dict[str, str]
    """Backends that would be left out, with the reason."""
    jobs: int
    """Number of trials that would run at a time; for several sweeps, the smallest."""

    @property
    def trials(self) -> int:
        """Number of planned trials."""
        return sum(row.trials for row in self.plan)

    @property
    def stored(self) -> int:
        """Number of planned trials that the folder has."""
        return sum(row.stored for row in self.plan)

    @property
    def expected_s(self) -> float | None:
        """Expected time of the run in seconds; None if it is unknown for a configuration."""
        known_times = [row.expected_s for row in self.plan if row.expected_s is not None]
        return sum(known_times) / self.jobs if len(known_times) == len(self.plan) else None

    @property
    def longest_s(self) -> float:
        """Time of the run in seconds if every trial reaches its time limit."""
        return sum(row.longest_s for row in self.plan) / self.jobs


def preview(
    sweeps: Sequence[Sweep],
    folder: Path | None,
    *,
    fresh: bool = False,
    skip_unavailable: bool = False,
    earlier: Sequence[Path] = (),
    observer: Observer | None = None,
) -> Preview:
    """Return what a run of `sweeps` in `folder`, one after the other, would do.

    Expected times are those of `ExpectedTimes`.

    Args:
        sweeps: the sweeps. A trial that several sweeps have counts once.
        folder: the folder of the run; None for a check.
        fresh: whether the trials in the folder would be run again.
        skip_unavailable: whether unavailable backends would be left out.
        earlier: folders of runs to infer times from, besides `folder`. Runs that cannot be read are
            left out.
        observer: receives what is left out.

    Raises:
        InputError: a dataset, a backend or the folder cannot be used.
    """
    observer = observer or Observer()
    own = rows_of(folder) if folder and not fresh and (folder / RunFile.STORE).is_file() else []
    times = ExpectedTimes()
    times.add(own)
    times.add_runs([other for other in earlier if fresh or other != folder])
    stored_keys = {_key_of_row(row) for row in own}
    rows: dict[tuple[str, str], PlannedTrials] = {}
    unavailable: dict[str, str] = {}
    seen_keys: set[tuple[object, ...]] = set()
    without = 0  # sweeps
    for sweep in sweeps:
        datasets = datasets_of(sweep)
        try:
            with ready_supervisor(sweep, observer, skip_unavailable=skip_unavailable) as ready:
                _, configurations, left_out = ready
        except NoBackendError:
            without += 1
            if without == len(sweeps):
                raise
            continue
        unavailable |= left_out
        names = {c.label: _key_of_configuration(c) for c in configurations}
        for batch in SweepPlan(sweep, configurations, datasets).batches():
            places: set[tuple[str, str]] = set()
            for trial in batch.trials:
                key = (*names[trial.backend], *_key_of_trial(trial))
                if key in seen_keys:
                    continue
                if len(sweeps) > 1:
                    seen_keys.add(key)
                place = (trial.backend, trial.dataset)
                row = rows.setdefault(place, PlannedTrials(*place))
                row.trials += 1
                if key in stored_keys:
                    row.stored += 1
                    continue
                time = times.seconds_of(trial)
                if row.expected_s is not None:
                    row.expected_s = None if time is None else row.expected_s + time
                # The trials of a batch share one call with one limit.
                if batch.question.start is not Start.BATCH or place not in places:
                    row.longest_s += batch.question.timeout_s
                places.add(place)
    plan = tuple(row for _, row in sorted(rows.items()))
    return Preview(folder, plan, unavailable, min((s.jobs for s in sweeps), default=1))


def _key_of_configuration(configuration: Configuration) -> tuple[str, str, str]:
    versions = identity(configuration).versions
    options = json.dumps(configuration.options, sort_keys=True)
    return configuration.label, options, json.dumps(dict(versions), sort_keys=True)


def _key_of_trial(trial: Trial) -> tuple[object, ...]:
    question = trial.question
    return (
        *(platform.node(), trial.dataset, trial.instance.scramble, trial.instance.puzzle.id),
        *(str(question.task), question.limit, str(question.start), question.timeout_s),
        *(question.cpu_limit_s, question.memory_limit_mib, trial.repetition),
    )


def _key_of_row(row: Mapping[str, Any]) -> tuple[object, ...]:
    return (
        *(row["backend"], row["options"], row["versions"]),
        *(row["host"], row["dataset"], row["scramble"], row["puzzle_id"]),
        *(row["task"], row["limit"] or 0, row["start"], row["timeout_s"]),
        *(row["cpu_limit_s"] or 0, row["memory_limit_mib"] or 0, row["repetition"]),
    )
