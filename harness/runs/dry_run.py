"""What a sweep would run, and how long the rest takes.

Nothing is run and nothing is written; backends are loaded, because their options and the
versions of their libraries identify a trial.
"""

import json
import platform
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from harness.base.errors import InputError, NoBackendError
from harness.puzzles import name_by_kinds
from harness.records import Configuration, Start, Trial
from harness.records.folder import RunFile, read_rows
from harness.runs.execution import Observer
from harness.runs.plan import SweepPlan, datasets_of
from harness.runs.run import identity, supervisor_of
from harness.runs.selection import expand_specs, select_configurations
from harness.runs.sweep import Sweep

# Expected times of trials, from the times of earlier ones on this machine.


_MOST_RUNS: Final = 20
"""Earlier runs that are read."""
_LEVELS: Final = ("puzzle_id", "dataset", "shape")
"""What a trial has in common with earlier ones, the closest first."""


class ExpectedTimes:
    """Mean times of earlier trials.

    The expected time of a trial is the mean wall time of earlier trials of the same backend,
    puzzle and question; without them of the same backend, dataset and question; without them of
    the same backend, shape and question; shapes with constraints of the same kinds count as one.
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
                values = row["puzzle_id"], row["dataset"], name_by_kinds(row["shape"])
                self._note(seconds, row["backend"], values, question)

    def add_runs(self, folders: Iterable[Path]) -> None:
        """Add the runs in these folders that were written last and can be read."""
        runs = [folder for folder in folders if (folder / RunFile.STORE).is_file()]
        runs.sort(key=lambda run: (run / RunFile.STORE).stat().st_mtime, reverse=True)
        for run in runs[:_MOST_RUNS]:
            with suppress(InputError):  # it serves an estimate only
                self.add(rows_of(run))

    def _note(
        self, seconds: float, backend: str, values: Iterable[str], question: tuple[object, ...]
    ) -> None:
        for level, value in zip(_LEVELS, values, strict=True):
            entry = self._sums.setdefault((level, backend, value, *question), [0.0, 0])
            entry[0] += seconds
            entry[1] += 1

    def seconds_of(self, trial: Trial) -> float | None:
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
    values = (puzzle.id, trial.dataset, name_by_kinds(puzzle.shape.definition))
    return trial.backend, values, (str(question.task), question.limit, str(question.start))


# What a sweep would run: its trials, those that a folder has, and the time for the rest.


_Row = dict[str, Any]
"""A stored trial: values by the names of `harness.records.fields.FIELDS`."""


@dataclass(frozen=True, slots=True)
class PlannedTrials:
    """The trials of one configuration on one dataset."""

    backend: str
    """Label of the configuration."""
    dataset: str
    """Name of the dataset."""
    trials: int
    """Planned trials."""
    stored: int
    """Trials among them that the folder has."""
    expected_s: float | None
    """Expected time of the rest in seconds; None without earlier trials to infer it from."""
    longest_s: float
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
    """Number of trials that would run at a time; the least of several sweeps."""

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
        times = [row.expected_s for row in self.plan]
        known_times = [time for time in times if time is not None]
        return sum(known_times) / self.jobs if len(known_times) == len(times) else None

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

    Expected times are those of `harness.runs.dry_run`.

    Args:
        sweeps: the sweeps. A trial of several of them counts in the first.
        folder: the folder of the run; None for a check.
        fresh: whether the trials in the folder would be run again.
        skip_unavailable: whether unavailable backends would be left out.
        earlier: folders of runs to infer times from, besides `folder`. Those that cannot
            be read are left out.
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
    tallies: dict[tuple[str, str], _Tally] = defaultdict(_Tally)
    unavailable: dict[str, str] = {}
    seen_keys: set[tuple[object, ...]] = set()
    without = 0  # sweeps
    for sweep in sweeps:
        datasets = datasets_of(sweep)
        with supervisor_of(expand_specs(sweep.backends), sweep.jobs, observer) as supervisor:
            try:
                configurations, left_out = select_configurations(
                    supervisor.open(), sweep.backends, observer, skip_unavailable=skip_unavailable
                )
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
                tally = tallies[place]
                tally.trials += 1
                if key in stored_keys:
                    tally.stored_trials += 1
                    continue
                time = times.seconds_of(trial)
                tally.has_times = tally.has_times and time is not None
                tally.expected_s += time or 0.0
                # The trials of a batch share one call with one limit.
                if batch.question.start is not Start.BATCH or place not in places:
                    tally.longest_s += batch.question.timeout_s
                places.add(place)
    rows = [
        PlannedTrials(
            *(*place, tally.trials, tally.stored_trials),
            expected_s=tally.expected_s if tally.has_times else None,
            longest_s=tally.longest_s,
        )
        for place, tally in sorted(tallies.items())
    ]
    return Preview(folder, tuple(rows), unavailable, min((s.jobs for s in sweeps), default=1))


@dataclass
class _Tally:
    trials: int = 0
    stored_trials: int = 0
    has_times: bool = True
    """Whether the time of every trial could be inferred."""
    expected_s: float = 0.0
    longest_s: float = 0.0


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


def _key_of_row(row: _Row) -> tuple[object, ...]:
    return (
        *(row["backend"], row["options"], row["versions"]),
        *(row["host"], row["dataset"], row["scramble"], row["puzzle_id"]),
        *(row["task"], row["limit"] or 0, row["start"], row["timeout_s"]),
        *(row["cpu_limit_s"] or 0, row["memory_limit_mib"] or 0, row["repetition"]),
    )
