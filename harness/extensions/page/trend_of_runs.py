"""Trends: the values of each configuration over three or more runs, with their steps."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis import (
    Change,
    Difference,
    Run,
    disturbances,
    facts_of,
    load,
    machine_differences,
    usages,
)
from harness.analysis.measures import (
    DEFAULT,
    PENALTY,
    Bools,
    Criterion,
    Floats,
    FrameLayout,
    check_tables,
    quantile,
)
from harness.base.errors import (
    InputError,
    OptionError,
    flag_of,
    invalid,
    items_of,
    not_among,
    one_of,
    require,
)
from harness.base.text import number_of
from harness.contract import BackendSpec, environments, parse_specs
from harness.extensions.page.trend_tables import (
    LEAST_INSTANCES,
    LEAST_RUNS,
    MACHINE_CHANGED,
    RUNS,
    SERIES_KEY,
    STEPS,
    TREND_MEASURES,
    UNEQUAL,
    VALUES,
    LevelChange,
    RunSeries,
    TrendMeasure,
    series_of,
    steps_of,
    trends_layout,
    trends_table,
)
from harness.records import TimeKind, spec_of
from harness.records.folder import different_runs

# What is known about each of several runs: its start, its machine, its software.


Facts = Mapping[str, str]
"""Known facts by their names."""
Names = Callable[..., str]
"""Names runs by their numbers: ``runs 1 and 2``."""


def _recorded_start(run: Run) -> datetime:
    if (start := start_of(run)) is None:
        expected = "--as-given, and the runs in time order"
        raise InputError("no time is recorded", where=str(run.folder), expected=expected)
    return start


def start_of(run: Run) -> datetime | None:
    """The start of the first invocation, or else the end of the first trial; None without both."""
    times = [invocation.started_at for invocation in run.invocations if invocation.started_at]
    times = times or [str(time) for time in run.trials["ended_at"].dropna().unique()]
    return min((_time(text, run) for text in times), default=None)


def machine_of(run: Run) -> Facts:
    """What is known about the machine of a run; several machines count as one."""
    facts = facts_of(run.environment)
    hosts = " + ".join(host for host in run.hosts if host)
    details = {name: facts[name] for name in ("processor", "usable cores") if name in facts}
    return ({"machine": hosts} if hosts else {}) | details


def software_of(run: Run, backend: str) -> Facts:
    """The checkout, the versions and the options behind a configuration in a run."""
    facts = facts_of(run.environment)
    software: dict[str, str] = {
        name: facts[name] for name in ("harness", "Python") if name in facts
    }
    if checkout := run.environment.checkout:
        changes = " with changes" if checkout.dirty else ""
        software["checkout"] = f"{checkout.commit[:10]}{changes}"
    rows = run.trials[run.trials["backend"] == backend]
    for column in ("versions", "options"):
        texts = rows[column].dropna()
        if len(texts):
            values = json.loads(str(texts.iloc[-1]))
            software |= {str(name): str(value) for name, value in values.items()}
    return software


def differences(before: Facts, after: Facts) -> str:
    """The facts that are known about both and differ: ``machine a -> b, usable cores 4 -> 8``."""
    return ", ".join(
        f"{name} {before[name]} -> {after[name]}"
        for name in before
        if name in after and before[name] != after[name]
    )


def unequal_conditions(before: Run, after: Run) -> list[Difference]:
    """How the conditions of two runs differ, by the rules of a comparison of the two."""
    old, new = usages(before.trials), usages(after.trials)
    pairs = [(name, old[name], new[name]) for name in old if name in new]
    return machine_differences(before.invocations, after.invocations, pairs, after.time)


def _time(text: str, run: Run) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"invalid time {text!r:.80}", where=str(run.folder), expected="--as-given"
        ) from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


# Notes on a trend: sentences that a reader needs in order to judge it.


def run_notes(runs: Sequence[Run], machines: Sequence[Facts]) -> Iterator[str]:
    """Lines on disturbed runs, changes of the machine, and runs of several machines."""
    causes = {
        place: causes
        for place, run in enumerate(runs, 1)
        if (causes := disturbances(run.invocations))
    }
    if causes:
        subjects = ", ".join(dict.fromkeys(chain.from_iterable(causes.values())))
        places = f"{'runs' if len(causes) > 1 else 'run'} {', '.join(map(str, causes))}"
        hint = "; follow CPU times: --time cpu" if runs[0].time is TimeKind.WALL else ""
        yield f"times may be unreliable in {places}: {subjects}{hint}"
    for place in range(1, len(runs)):
        if changes := differences(machines[place - 1], machines[place]):
            yield f"the machine changed before run {place + 1}: {changes}"
    for place, run in enumerate(runs):
        if len(run.hosts) > 1:
            yield f"run {place + 1} has trials of {len(run.hosts)} machines, which count as one"


def series_notes(
    all_series: Sequence[RunSeries], usable: Sequence[RunSeries], names: Names
) -> Iterator[str]:
    """Lines on what the values leave out: instances, wrong answers, configurations.

    Args:
        all_series: all series of the runs.
        usable: those with values.
        names: names runs by their numbers, or what takes their place.
    """
    groups: dict[tuple[Any, ...], list[RunSeries]] = {}
    for series in usable:
        groups.setdefault(series.group, []).append(series)
    for group in groups.values():
        series = group[0]
        sizes = [
            (int(number), place)
            for member in group
            for number, place in zip(member.has, member.runs, strict=True)
        ]
        most, (least, place) = max(sizes)[0], min(sizes)
        if series.instances < most:
            yield (
                f"{series.title}: {series.instances} of {most} instances are common to all; "
                f"{names(place + 1)} has {least}"
            )
    for series in usable:
        for place, wrong in zip(series.runs, series.wrong, strict=True):
            if wrong:
                answers = number_of(int(wrong), "wrong answer")
                subject = f"{series.backend} in {names(place + 1)}, {series.title}"
                yield f"no value of {subject}: {answers}"
    if remaining := len(all_series) - len(usable):
        yield (
            f"left out: {number_of(remaining, 'backend')} of a comparison group in fewer "
            f"than {LEAST_RUNS} runs or without a common instance"
        )
    if any(series.instances < LEAST_INSTANCES for series in usable):
        yield f"steps are tested with {LEAST_INSTANCES} common instances or more"


def step_notes(steps: pd.DataFrame, names: Names) -> Iterator[str]:
    """What changed at the steps that are not changes of the machine."""
    own_steps = steps[steps["changed"].notna() & (steps["change"] != MACHINE_CHANGED)]
    for (previous, run), rows in own_steps.groupby(["previous", "run"]):
        changes = dict.fromkeys(part for text in rows["changed"] for part in text.split(", "))
        unequal = ", on an unequal machine" if rows["change"].isin(UNEQUAL).any() else ""
        yield f"changed between {names(previous, run)}{unequal}: {', '.join(changes)}"


# Trends: the values of each configuration over three or more runs, with their steps.


RUN: Final = "run"
VERSION: Final = "version"
"""What takes the place of runs: the versions of each backend, within a run or several."""


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
    """Sentences that a reader needs in order to judge the trend, `unfinished_runs` first."""
    sources: tuple[Run, ...]
    """The runs, in order."""
    unfinished_runs: tuple[str, ...] = ()
    """A sentence about each unfinished run, to be read before any value."""
    criterion: Criterion = DEFAULT
    """What makes a difference of times count."""
    by: str = RUN
    """What the values are of: runs, or the versions of each backend."""

    @property
    def trends(self) -> pd.DataFrame:
        """One row for each configuration: see `trend_tables.trends_layout`."""
        titles = zip(self.runs["run"], self.runs["folder"], strict=True)
        names = {run: str(run) if self.by == RUN else str(title) for run, title in titles}
        return trends_table(self.values, self.steps, self.measure, names)

    @property
    def layouts(self) -> tuple[FrameLayout, ...]:
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
        return int((last["change"] == Change.SLOWER).sum())

    @property
    def wrong(self) -> int:
        """The number of configurations that have a wrong answer in the last run."""
        newest = self.values[self.values["run"] == len(self.runs)]
        return int((newest["wrong"] > 0).sum())

    def frame(self, name: str) -> pd.DataFrame:
        """The frame of the table `name`, values unrounded.

        Raises:
            InputError: no table of `layouts` has this name.
        """
        check_tables([name], [layout.name for layout in self.layouts])
        frame: pd.DataFrame = getattr(self, name)
        return frame

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
    by: str = RUN,
) -> Trend:
    """Follow each configuration over several runs, and mark the steps of its times.

    All values of a comparison group cover the instances that its runs have in common; see
    `trend_tables.series_of`. A step is a place where the geometric mean of a configuration's times,
    failures at the limit, changes by at least the smallest factor that counts, with p < 0.01 in
    the test of `trend_tables.level_changes`, with Holm's correction for all steps. A step between
    runs of different machines or under unequal conditions, see `conditions.machine_differences`,
    says nothing about the configuration and is marked as such.

    Args:
        runs: three or more runs, or their folders.
        measure: the value that tables and charts show: ``par2``, ``median``, ``solved`` or
            ``throughput``. Steps are those of times, whatever the value.
        as_given: keep the order of `runs`, instead of that of their starts.
        time: the time of all runs, ``wall`` or ``cpu``; by default that of each run.
        least_factor: the smallest factor that counts as a step, at least 1; by default that of
            the last run.
        by: ``run``, or ``version``: each version of a backend takes the place of a run, in the
            order of versions, and one run is enough.

    Raises:
        OptionError: there is no such measure or kind of time, or the factor is not a number
            from 1 to 1,000.
        RunError: a folder holds no run, or one that this version cannot read.
        InputError: there are fewer than three runs, one is named twice, a run has no trials or
            no record of its start, or no configuration has a common instance in three runs.
    """
    require(measure, str, "measure", "the name of a measure")
    if measure not in TREND_MEASURES:
        problem = f"unknown measure {measure!r:.80}"
        raise not_among(OptionError, problem, measure, TREND_MEASURES, where="measure")
    as_given = flag_of(as_given, "as_given")
    kind = None if time is None else TimeKind.parse(time)
    criterion = None if least_factor is None else Criterion.parse(least_factor)
    require(by, str, "by", one_of([RUN, VERSION]))
    if by not in (RUN, VERSION):
        raise invalid("by", by, one_of([RUN, VERSION]))
    sources = _load_all(runs, LEAST_RUNS if by == RUN else 1)
    if kind is not None:
        sources = [run.timed(kind) for run in sources]
    if not as_given:
        sources.sort(key=_recorded_start)
    return _trend_of(sources, TREND_MEASURES[measure], criterion, by)


def _load_all(runs: Sequence[Run | Path | str], least: int) -> list[Run]:
    """The runs, loaded: at least this number of different ones, each with trials."""
    items = None if isinstance(runs, str | Path) else items_of(runs)
    if items is None or not all(isinstance(run, Run | str) for run in items):
        raise invalid("runs", runs, "a list of runs or folders")
    if len(items) < least:
        raise InputError(
            f"a trend of {number_of(len(items), 'run')}",
            expected="three or more runs; harness compare compares two",
        )
    loaded_runs = [run if isinstance(run, Run) else load(str(run)) for run in items]
    different_runs([run.folder for run in loaded_runs])
    for run in loaded_runs:
        if run.trials.empty:
            raise InputError("the run has no trials", where=str(run.folder), expected="results")
    return loaded_runs


def _trend_of(
    sources: Sequence[Run], measure: TrendMeasure, criterion: Criterion | None, by: str
) -> Trend:
    """The trend over runs in their order; see `trend`."""
    runs, titles = [*sources], [str(run.folder) for run in sources]
    if by == VERSION:
        runs, titles = _by_version(sources)
    all_series = list(series_of(runs))
    usable = [s for s in all_series if s.instances and len(s.runs) >= LEAST_RUNS]
    if not usable and by == VERSION:
        raise InputError(
            "no backend has three versions with an instance in common",
            expected="a run of --backend 'cpsat@[9.12,9.13,9.14]'; harness report compares two",
        )
    if not usable:
        raise InputError(
            "no backend has an instance in common in three runs",
            expected="runs with the same backends, instances, tasks and limits",
        )

    def names(*numbers: int) -> str:
        if by == VERSION:
            return " and ".join(titles[number - 1] for number in numbers)
        return f"run{'s' if len(numbers) > 1 else ''} {' and '.join(map(str, numbers))}"

    machines = [machine_of(run) for run in runs]
    criterion = criterion or runs[-1].criterion
    steps = _steps(usable, runs, machines, criterion)
    unfinished_runs = tuple(
        f"run {number} is unfinished: {run.progress}"
        for number, run in enumerate(sources, 1)
        if run.progress.finished is False
    )
    return Trend(
        measure=measure,
        runs=RUNS.frame([_run_row(place, runs, machines, titles) for place in range(len(runs))]),
        values=VALUES.frame([row for series in usable for row in _value_rows(series)]),
        steps=steps,
        notes=(
            *unfinished_runs,
            *run_notes(sources, [machine_of(run) for run in sources]),
            *series_notes(all_series, usable, names),
            *step_notes(steps, names),
        ),
        sources=tuple(runs),
        unfinished_runs=unfinished_runs,
        criterion=criterion,
        by=by,
    )


def _by_version(runs: Sequence[Run]) -> tuple[list[Run], list[str]]:
    """The trials of each version of each backend as a run, and the titles of these runs.

    The configurations lose their versions, so that they are the same in all of these runs.
    """
    versions: list[tuple[Any, str, Run]] = []
    for run in runs:
        parts: dict[Any, dict[str, BackendSpec]] = {}
        for label in run.backends:
            with suppress(InputError):  # the name of a file need not be a spec
                text = spec_of(label)
                (spec,) = parse_specs(text)
                exact = label[len(text) + 1 :]
                if spec.version and "." in exact:
                    spec = replace(spec, version=exact)
                key = spec.locator, environments.version_key(spec.version), spec.python
                parts.setdefault(key, {})[label] = spec
        for key, specs in parts.items():
            spec = next(iter(specs.values())).without_settings
            names = {label: replace(spec, version="").label for label, spec in specs.items()}
            if spec.version:
                tables = (_with_names(run.trials, names), _with_names(run.planned, names))
                part = replace(run, trials=tables[0], planned=tables[1])
                versions.append((key, spec.label, part))
    versions.sort(key=lambda version: version[0])
    return [run for _, _, run in versions], [title for _, title, _ in versions]


def _with_names(table: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """The rows of these backends, with other names."""
    rows = table[table["backend"].isin(list(names))]
    return rows.assign(backend=rows["backend"].map(names).astype(table["backend"].dtype))


def _steps(
    all_series: Sequence[RunSeries],
    runs: Sequence[Run],
    machines: Sequence[Facts],
    criterion: Criterion,
) -> pd.DataFrame:
    """The steps of all series, with one correction for the tests of all."""
    testable = [
        series
        for series in all_series
        if len(series.right) >= LEAST_RUNS and series.instances >= LEAST_INSTANCES
    ]
    logs = [np.log(series.time[:, series.right]) for series in testable]
    return STEPS.frame(
        [
            _step_row(series, change, log.mean(axis=0), runs, machines)
            | {"least_factor": criterion.least_factor}
            for series, log, changes in zip(testable, logs, steps_of(logs, criterion), strict=True)
            for change in changes
        ]
    )


def _step_row(
    series: RunSeries,
    change: LevelChange,
    means: Floats,
    runs: Sequence[Run],
    machines: Sequence[Facts],
) -> dict[str, Any]:
    places = [series.runs[n] for n in series.right]
    before, after = places[change.at - 1], places[change.at]
    machine = differences(machines[before], machines[after])
    software = differences(*(software_of(runs[place], series.backend) for place in (before, after)))
    level = {runs[place].folder for place in places[change.begin : change.at]}
    is_same = level == {runs[place].folder for place in places[change.at : change.end]}
    # Versions of the same runs took turns: conditions of the machine were equal.
    unequal = [] if machine or is_same else unequal_conditions(runs[before], runs[after])
    conditions = ", ".join(f"{d.subject} {d.before} -> {d.after}" for d in unequal)
    words = (
        (Change.SLOWER_UNEQUAL, Change.FASTER_UNEQUAL)
        if unequal
        else (Change.SLOWER, Change.FASTER)
    )
    return {
        **series.key,
        "backend": series.backend,
        "change": MACHINE_CHANGED if machine else words[change.difference <= 0],
        "run": after + 1,
        "previous": before + 1,
        "instances": series.instances,
        "before_s": float(np.exp(means[change.begin : change.at].mean())),
        "after_s": float(np.exp(means[change.at : change.end].mean())),
        "factor": float(np.exp(change.difference)),
        "factor_low": float(np.exp(change.low)),
        "factor_high": float(np.exp(change.high)),
        "p": change.p,
        "p_holm": change.p_holm,
        "changed": ", ".join(filter(None, [machine, conditions, software])) or None,
    }


def _run_row(
    place: int, runs: Sequence[Run], machines: Sequence[Facts], titles: Sequence[str]
) -> dict[str, Any]:
    run, machine = runs[place], machines[place]
    facts = facts_of(run.environment)
    start = start_of(run)
    return {
        "run": place + 1,
        "folder": titles[place],
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
    "par2_s": lambda time, is_answered: float(np.where(is_answered, time, PENALTY * time).mean()),
    "median_s": lambda time, is_answered: quantile(time, is_answered)[0],
    "geometric_mean_s": lambda time, _: float(np.exp(np.log(time).mean())),
    "puzzles_per_s": lambda time, _: float(1 / time.mean()),
}


def _value_rows(series: RunSeries) -> Iterator[dict[str, Any]]:
    for column, place in enumerate(series.runs):
        time, is_answered = series.time[:, column], series.answered[:, column]
        wrong = int(series.wrong[column])
        yield {
            **series.key,
            "backend": series.backend,
            "run": place + 1,
            "instances": series.instances,
            "answered": None if wrong else int(is_answered.sum()),
            "wrong": wrong,
        } | {
            name: float("nan") if wrong else statistic(time, is_answered)
            for name, statistic in _STATISTICS.items()
        }
