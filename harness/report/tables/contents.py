"""The sections of a report: the tables of each comparison group, then those of the run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pandas as pd

from harness.analysis.calls import with_instances
from harness.analysis.measure import Measure, Scope
from harness.analysis.measures import MEASURES, measures_of
from harness.analysis.pairwise import PAIRWISE
from harness.analysis.results import TRIAL_GROUP, numbered, with_trial_group
from harness.analysis.run import Run
from harness.analysis.times import TIME, TIME_S
from harness.analysis.times import limits as limits_of
from harness.records.question import Start
from harness.records.time_kind import TimeKind
from harness.report.formatting import number_of, shortened, shown_backend
from harness.report.table import Section, Table, is_missing
from harness.report.tables.columns import columns_of, table_notes
from harness.report.tables.sentences import sentences

BRIEF: Final = ("summary",)
"""The tables that a run shows when it ends."""
ALL: Final = tuple(MEASURES)
"""The names of all tables, in their order."""


def sections(run: Run, names: Sequence[str] = ALL) -> list[Section]:
    """Make a section for each comparison group, then one for the run as a whole.

    Raises:
        InputError: a name is not that of a table.
    """
    measures = measures_of(names)
    by_group: dict[tuple[Any, ...], list[Table]] = {key: [] for key, _ in split(run.summary())}
    for measure in measures:
        if measure.scope is Scope.GROUP:
            for key, frame in split(run.measure(measure)):
                by_group[key] += _tables(measure, measure.title, frame)
    several = len(run.hosts) > 1
    sizes = dict(_sizes(run.trials))
    verdicts = _verdicts(run) if PAIRWISE in measures else {}
    found = []
    for key, tables in by_group.items():
        if tables:
            group = group_of(key, run)
            title = group_title(group, sizes[key], several)
            of = {name: str(group[name]) for name in ("dataset", "task", "start", TIME)}
            found.append(Section(title, (*tables,), verdicts.get(key, ()), of))
    whole = [table for measure in measures for table in _of_run(run, measure)]
    if whole:
        title = f"The run as a whole, {run.time.noun}"
        found.append(Section(title, (*whole,), (), {TIME: str(run.time)}))
    return found


def frame_of(run: Run, name: str) -> pd.DataFrame:
    """The frame behind the tables of a measure, values unrounded.

    Raises:
        InputError: `name` is not that of a table.
    """
    (measure,) = measures_of([name])
    return run.measure(measure)


def check_names(names: Sequence[str]) -> None:
    """Check that these are names of tables.

    Raises:
        InputError: a name is not that of a table.
    """
    measures_of(names)


def group_title(key: Mapping[str, Any], size: str | None, with_host: bool) -> str:
    """A comparison group in words: dataset, question, limits, time, size, machine."""
    limit = "" if is_missing(key["limit"]) else f" to {key['limit']}"
    words = [f"{shortened(str(key['dataset']))}: {key['task']}{limit}", f"{key['start']} start"]
    if key["scramble"]:
        words.append(f"scramble {shortened(str(key['scramble']))}")
    wall, cpu = f"{key['timeout_s']:g} s", f"{key['cpu_limit_s']:g} s"
    if key[TIME] == TimeKind.WALL:
        words.append(f"wall time, limit {wall}")
        words += [f"CPU time limit {cpu}"] if key["cpu_limit_s"] else []
    elif key[TIME] == TimeKind.CPU:
        words.append(f"CPU time, limit {cpu if key['cpu_limit_s'] else wall}")
        words += [f"wall time limit {wall}"] if key["cpu_limit_s"] else []
    else:
        words.append(f"time limit {wall}")
        words += [f"CPU time limit {cpu}"] if key["cpu_limit_s"] else []
    if key["memory_limit_mib"]:
        words.append(f"memory limit {key['memory_limit_mib']} MiB")
    if size is not None:
        words.append(size)
    if with_host:
        words.append(f"on {shortened(str(key['host'])) or 'an unknown machine'}")
    return ", ".join(words)


def notes_of(run: Run) -> Iterator[str]:
    """Notes that a reader needs before any value."""
    if run.joined and run.shards:
        machines = number_of(len(run.joined), "machine")
        yield f"{machines}: each puzzle has all its times from one of them"
    elif run.joined:
        names = ", ".join(shortened(host) or "an unknown machine" for host in run.joined)
        yield f"{run.time.noun}s of different machines are compared: {names}"
    elif len(run.hosts) > 1:
        yield (
            f"trials of {len(run.hosts)} machines; times are compared within one machine only "
            "(--across-machines compares all)"
        )
    for dataset, repeats in run.repeats.items():
        yield f"{shortened(dataset)}: {number_of(repeats, 'duplicate puzzle')} left out"
    for dataset, excluded in run.excluded.items():
        yield f"{shortened(dataset)}: {number_of(excluded, 'puzzle')} left out by --where"
    if run.time is TimeKind.CPU:
        yield from _cpu_notes(run)


def _cpu_notes(run: Run) -> Iterator[str]:
    """What failures count as under CPU time, and whether right answers exceed it."""
    limits = run.summary()["cpu_limit_s"]
    if (limits > 0).all():
        yield "CPU time: a failure counts as the limit of CPU time"
    elif (limits == 0).all():
        yield "CPU time: a failure counts as the limit of wall time, as CPU time had no limit"
    else:
        yield (
            "CPU time: a failure counts as the limit of CPU time, and where there was none as the "
            "limit of wall time"
        )
    beyond = run.results[run.results["answered"] & (run.results[TIME_S] > limits_of(run.results))]
    if len(beyond):
        names = ", ".join(map(shown_backend, sorted(beyond["backend"].astype(str).unique())))
        yield (
            f"{number_of(len(beyond), 'answered result')} used more CPU time than a failure counts "
            f"as ({names}): averages favour failures; use wall time, or set a limit with --cpu"
        )


def split(frame: pd.DataFrame) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    """The rows of each comparison group with its key, missing values of the key as None.

    The key has no kind of time: the run has one, and phases are always those of wall time.
    """
    for key, rows in frame.groupby(TRIAL_GROUP, sort=False, dropna=False):
        yield tuple(None if is_missing(value) else value for value in key), rows


def group_of(key: tuple[Any, ...], run: Run) -> dict[str, Any]:
    """The comparison group of a key of `split`, with the run's kind of time."""
    return dict(zip(TRIAL_GROUP, key, strict=True)) | {TIME: str(run.time)}


def _sizes(trials: pd.DataFrame) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The numbers of instances, backends and trials of each comparison group, with its key."""
    trials = with_trial_group(trials)
    number, first = numbered(trials, TRIAL_GROUP)
    rows = trials.iloc[first]
    keys = rows[TRIAL_GROUP].itertuples(index=False, name=None)
    unit = with_instances(trials)["puzzle_id"].to_numpy(dtype=object)
    counted = trials[["puzzle_id", "backend"]].astype("object").assign(unit=unit)
    by = counted.reset_index(drop=True).groupby(number)
    counts = by.agg({"puzzle_id": "nunique", "unit": "nunique", "backend": "nunique"})
    counts = counts.assign(trials=by.size())
    for key, start, (instances, units, backends, number_of_trials) in zip(
        keys, rows["start"], counts.itertuples(index=False, name=None), strict=True
    ):
        calls = f" in {number_of(units, 'call')}" if start == Start.BATCH else ""
        size = f"{number_of(instances, 'instance')}{calls}, {number_of(backends, 'backend')}, "
        values = tuple(None if is_missing(value) else value for value in key)
        yield values, size + number_of(number_of_trials, "trial")


def _verdicts(run: Run) -> dict[tuple[Any, ...], tuple[str, ...]]:
    """For each comparison group with several backends a sentence on each of them."""
    ranks, pairs = run.ranks(), run.pairwise()
    pairs_of = dict(split(pairs))
    return {
        key: tuple(sentences(rows, pairs_of.get(key, pairs.iloc[:0])))
        for key, rows in split(ranks)
        if len(rows) > 1
    }


def _of_run(run: Run, measure: Measure) -> list[Table]:
    if measure.scope is Scope.RUN:
        return _tables(measure, measure.title, run.measure(measure))
    if measure.scope is Scope.GROUP or run.trials["dataset"].nunique() < 2:
        return []
    several = len(run.hosts) > 1
    tables = []
    for key, rows in split(run.measure(measure)):
        group = group_title(group_of(key, run), None, several)
        tables += _tables(measure, f"{measure.title} over {group}", rows)
    return tables


def _tables(measure: Measure, title: str, frame: pd.DataFrame) -> list[Table]:
    """The table of these rows, or none if it is not worth showing."""
    if frame.empty or not measure.applies(frame):
        return []
    return [
        Table(measure.name, title, columns_of(measure, frame), frame, table_notes(measure, frame))
    ]
