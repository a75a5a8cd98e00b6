"""Trends: the values of each configuration over three or more runs, with their steps."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.changes import FASTER, FASTER_UNEQUAL, SLOWER, SLOWER_UNEQUAL
from harness.analysis.conditions import disturbances
from harness.analysis.environment import facts_of
from harness.analysis.inference import DEFAULT, Criterion
from harness.analysis.measure import Layout
from harness.analysis.results import Bools, Floats
from harness.analysis.run import Run, load
from harness.analysis.run_history import (
    Facts,
    differences,
    in_time_order,
    machine_of,
    software_of,
    started,
    unequal_conditions,
)
from harness.analysis.series import LEAST_RUNS, SERIES_KEY, Series, series_of
from harness.analysis.steps import LEAST_INSTANCES, LevelChange, steps_of
from harness.analysis.time_statistics import PENALTY, median
from harness.analysis.trend_notes import (
    joint_notes,
    run_notes,
    series_notes,
    step_notes,
    unfinished_notes,
)
from harness.analysis.trend_tables import (
    MACHINE_CHANGED,
    RUNS,
    STEPS,
    TREND_MEASURES,
    UNEQUAL,
    VALUES,
    TrendMeasure,
    trends_layout,
    trends_table,
)
from harness.arguments import flag_of, invalid, items_of, require
from harness.errors import InputError, OptionError, meant, one_of
from harness.records.merge import different_runs
from harness.records.time_kind import TimeKind


@dataclass(frozen=True)
class Trend:
    """The values of each configuration over several runs, and their steps."""

    measure: TrendMeasure
    """The value that tables and charts show."""
    runs: pd.DataFrame
    """One row for each run, in order: see `trend_tables.RUNS`."""
    values: pd.DataFrame
    """One row for each configuration and run: see `trend_tables.VALUES`."""
    steps: pd.DataFrame
    """One row for each step: see `trend_tables.STEPS`."""
    notes: tuple[str, ...]
    """Sentences that a reader needs in order to judge the trend, those of `unfinished` first."""
    sources: tuple[Run, ...]
    """The runs, in order."""
    unfinished: tuple[str, ...] = ()
    """A sentence on each unfinished run, to be read before any value."""
    criterion: Criterion = DEFAULT
    """What makes a difference of times count."""

    @property
    def trends(self) -> pd.DataFrame:
        """One row for each configuration: see `trend_tables.trends_layout`."""
        return trends_table(self.values, self.steps, self.measure)

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The tables, in the order in which a report shows them."""
        return (trends_layout(self.measure), STEPS, RUNS, VALUES)

    @property
    def slowed(self) -> bool:
        """Whether a configuration is slower or wrong now.

        That is: its last step on an equal machine is a slowdown, or it has a wrong answer in
        the last run.
        """
        return self.slower > 0 or self.wrong > 0

    @property
    def slower(self) -> int:
        """The number of configurations whose last step on an equal machine is a slowdown."""
        steps = self.steps[~self.steps["change"].isin([MACHINE_CHANGED, *UNEQUAL])]
        last = steps.groupby(SERIES_KEY, dropna=False, sort=False).tail(1)
        return int((last["change"] == SLOWER).sum())

    @property
    def wrong(self) -> int:
        """The number of configurations that have a wrong answer in the last run."""
        newest = self.values[self.values["run"] == len(self.runs)]
        return int((newest["wrong"] > 0).sum())

    def frame(self, layout: Layout) -> pd.DataFrame:
        """The frame of a `layout` of `layouts`."""
        match layout.name:
            case RUNS.name:
                return self.runs
            case STEPS.name:
                return self.steps
            case VALUES.name:
                return self.values
            case _:
                return self.trends

    def _repr_html_(self) -> str:
        """Trends and steps for a notebook; pandas escapes their texts."""
        return "".join(
            frame.dropna(axis=1, how="all").to_html(escape=True, index=False, max_rows=50)
            for frame in (self.trends, self.steps)
        )


def trend(
    runs: Sequence[Run | Path | str],
    *,
    measure: str = "par2",
    as_given: bool = False,
    time: TimeKind | str | None = None,
    least_factor: float | None = None,
) -> Trend:
    """Follow each configuration over several runs, and mark the steps of its times.

    All values of a comparison group are about the instances that its runs have in common; see
    `series.series_of`. A step is a place where the geometric mean of a configuration's times,
    failures at the limit, changes by the least factor that counts or more, with p < 0.01 in
    the test of `steps.level_changes`, corrected for all steps (Holm). A step between runs of
    different machines or under unequal conditions, see `conditions.machine_differences`, says
    nothing about the configuration and is marked as such.

    Args:
        runs: three or more runs, or their folders.
        measure: the value that tables and charts show: ``par2``, ``median``, ``solved`` or
            ``throughput``. Steps are those of times, whatever the value.
        as_given: keep the order of `runs`, instead of that of their starts.
        time: the time of all runs, ``wall`` or ``cpu``; by default that of each run.
        least_factor: the least factor of a step, from 1; by default that of the last run.

    Raises:
        OptionError: there is no such measure or kind of time, or the factor is not a number
            from 1 to 1,000.
        RunError: a folder holds no run, or one that this version cannot read.
        InputError: there are fewer than three runs, one is named twice, a run has no trials or
            no record of its start, or no configuration has a common instance in three runs.
    """
    given = None if isinstance(runs, str | Path) else items_of(runs)
    if given is None or not all(isinstance(run, Run | str) for run in given):
        raise invalid("runs", runs, "a list of runs or folders")
    require(measure, str, "measure", "the name of a measure")
    if measure not in TREND_MEASURES:
        raise OptionError(
            f"unknown measure {measure!r:.80}{meant(measure, TREND_MEASURES)}",
            where="measure",
            expected=one_of(list(TREND_MEASURES)),
        )
    as_given = flag_of(as_given, "as_given")
    kind = None if time is None else TimeKind.parse(time)
    given_criterion = None if least_factor is None else Criterion.of(least_factor)
    if len(given) < LEAST_RUNS:
        raise InputError(
            f"a trend of {len(given)} run{'' if len(given) == 1 else 's'}",
            expected="three or more runs; harness compare compares two",
        )
    loaded = [run if isinstance(run, Run) else load(str(run)) for run in given]
    different_runs([run.folder for run in loaded])
    for run in loaded:
        if run.trials.empty:
            raise InputError("the run has no trials", where=str(run.folder), expected="results")
    if kind is not None:
        loaded = [run.timed(kind) for run in loaded]
    ordered = loaded if as_given else in_time_order(loaded)
    every = list(series_of(ordered))
    kept = [one for one in every if one.instances and len(one.runs) >= LEAST_RUNS]
    if not kept:
        raise InputError(
            "no backend has an instance in common in three runs",
            expected="runs with the same backends, puzzles, tasks and limits",
        )
    machines = [machine_of(run) for run in ordered]
    criterion = given_criterion or ordered[-1].criterion
    steps = _steps(kept, ordered, machines, criterion)
    unfinished = tuple(unfinished_notes(ordered))
    notes = (
        *unfinished,
        *run_notes(ordered, machines),
        *series_notes(every, kept),
        *step_notes(steps),
        *joint_notes(kept, steps),
    )
    return Trend(
        TREND_MEASURES[measure],
        RUNS.frame([_run_row(place, ordered, machines) for place in range(len(ordered))]),
        VALUES.frame([row for one in kept for row in _value_rows(one)]),
        steps,
        notes,
        tuple(ordered),
        unfinished,
        criterion,
    )


def _steps(
    series: Sequence[Series],
    runs: Sequence[Run],
    machines: Sequence[Facts],
    criterion: Criterion,
) -> pd.DataFrame:
    """The steps of all series, whose tests are corrected together."""
    tested = [
        one for one in series if len(one.right) >= LEAST_RUNS and one.instances >= LEAST_INSTANCES
    ]
    logs = [np.log(one.time[:, one.right]) for one in tested]
    return STEPS.frame(
        [
            _step_row(one, change, log.mean(axis=0), runs, machines)
            | {"least_factor": criterion.least_factor}
            for one, log, changes in zip(tested, logs, steps_of(logs, criterion), strict=True)
            for change in changes
        ]
    )


def _step_row(
    one: Series,
    change: LevelChange,
    means: Floats,
    runs: Sequence[Run],
    machines: Sequence[Facts],
) -> dict[str, Any]:
    places = [one.runs[n] for n in one.right]
    before, after = places[change.at - 1], places[change.at]
    machine = differences(machines[before], machines[after])
    software = differences(*(software_of(runs[place], one.backend) for place in (before, after)))
    unequal = [] if machine else unequal_conditions(runs[before], runs[after])
    conditions = ", ".join(f"{d.subject} {d.before} -> {d.after}" for d in unequal)
    words = (SLOWER_UNEQUAL, FASTER_UNEQUAL) if unequal else (SLOWER, FASTER)
    return {
        **one.key,
        "backend": one.backend,
        "change": MACHINE_CHANGED if machine else words[change.difference <= 0],
        "run": after + 1,
        "previous": before + 1,
        "instances": one.instances,
        "before_s": float(np.exp(means[change.begin : change.at].mean())),
        "after_s": float(np.exp(means[change.at : change.end].mean())),
        "factor": float(np.exp(change.difference)),
        "factor_low": float(np.exp(change.low)),
        "factor_high": float(np.exp(change.high)),
        "p": change.p,
        "p_holm": change.p_holm,
        "changed": ", ".join(filter(None, [machine, conditions, software])) or None,
    }


def _run_row(place: int, runs: Sequence[Run], machines: Sequence[Facts]) -> dict[str, Any]:
    run, machine = runs[place], machines[place]
    facts = facts_of(run.environment)
    start = started(run)
    return {
        "run": place + 1,
        "folder": str(run.folder),
        "started": start and f"{start.astimezone(UTC):%Y-%m-%d %H:%M}",
        "trials": len(run.trials),
        "planned": run.progress.planned,
        "state": str(run.progress.state),
        "host": machine.get("machine"),
        "machine_changed": bool(place and differences(machines[place - 1], machine)),
        "disturbed": "; ".join(map(": ".join, disturbances(run.invocations).items())) or None,
        "harness": facts.get("harness"),
        "checkout": facts.get("checkout"),
    }


# The time of a failure is the limit.
_STATISTICS: Final[Mapping[str, Callable[[Floats, Bools], float]]] = {
    "par2_s": lambda time, answered: float(np.where(answered, time, PENALTY * time).mean()),
    "median_s": lambda time, answered: median(time, answered)[0],
    "geometric_mean_s": lambda time, _: float(np.exp(np.log(time).mean())),
    "puzzles_per_s": lambda time, _: float(1 / time.mean()),
}


def _value_rows(one: Series) -> Iterator[dict[str, Any]]:
    for column, place in enumerate(one.runs):
        time, answered = one.time[:, column], one.answered[:, column]
        wrong = int(one.wrong[column])
        yield {
            **one.key,
            "backend": one.backend,
            "run": place + 1,
            "instances": one.instances,
            "answered": None if wrong else int(answered.sum()),
            "wrong": wrong,
        } | {
            name: float("nan") if wrong else statistic(time, answered)
            for name, statistic in _STATISTICS.items()
        }
