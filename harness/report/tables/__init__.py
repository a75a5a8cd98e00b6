"""The tables of a run: for the terminal, Markdown, LaTeX and CSV.

The tables of each comparison group come first, then those of the run.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis import CONFIGURATIONS, UNSTABLE, Run, disturbances
from harness.analysis.measures import (
    MEASURES,
    Measure,
    Scope,
    measures_of,
    number_rows,
    with_instances,
    with_trial_group,
)
from harness.analysis.measures import columns as col
from harness.analysis.measures import limits as limits_of
from harness.base.text import number_of, shortened
from harness.records import Start, TimeKind
from harness.report.formatting import multiple, shown_backend
from harness.report.render import data
from harness.report.table import ReportTable, Section, is_missing, tables_of
from harness.report.tables.agreement_tables import agreement_lines

# The verdict on each backend of a comparison group in one sentence.


def sentences(ranks: pd.DataFrame, pairs: pd.DataFrame) -> Iterator[str]:
    """A sentence about each backend of one comparison group, in the order of their ranks.

    Every other backend is compared with the first: ``cpsat answered all 1,465; takes 3.10 times
    as long as cnf, interval 2.90 to 3.40``. Backends with a wrong answer come last.

    Args:
        ranks: the rows of `harness.analysis.ranking` for the comparison group.
        pairs: its rows of `harness.analysis.pairs`.
    """
    rows = ranks.to_dict("records")
    first = rows[0]["backend"]
    with_first = {row["other"]: row for row in pairs.to_dict("records") if row["backend"] == first}
    quicker = any(pair["factor"] < 1 and pair["different"] for pair in with_first.values())
    for row in rows:
        name = shown_backend(row["backend"])
        if row["wrong"]:
            yield f"{name} was WRONG on {number_of(row['wrong'], 'instance')}: not ranked"
        elif pd.isna(row["rank"]):
            yield f"{name} has no instance in common with all others: not ranked"
        elif not row["answered"]:
            yield f"{name} {_answers(row)}"
        elif row["backend"] == first:
            yield f"{name} {_answers(row)}; {'first: most answers' if quicker else 'fastest'}"
        else:
            pair = with_first[row["backend"]]
            yield f"{name} {_answers(row)}; {_comparison(pair, first)}"


def _answers(row: Mapping[Any, Any]) -> str:
    unit = " calls" if row["start"] == Start.BATCH else ""
    if not row["answered"]:
        return f"answered none of {row['instances']:,}{unit}"
    if row["answered"] == row["instances"]:
        return f"answered all {row['instances']:,}{unit}"
    return f"answered {row['answered']:,} of {row['instances']:,}{unit}"


def _comparison(pair: Mapping[Any, Any], first: str) -> str:
    """The comparison of a backend with the first one."""
    if pair["instances"] == pair["neither"]:
        return f"no time to compare with {shown_backend(first)}"
    factor, low, high = (multiple(pair[f"factor{end}"]) for end in ("", "_low", "_high"))
    between = "" if low == "-" else f", interval {low} to {high}"
    size = f"{factor} times as long"
    if pair["different"]:
        return f"takes {size} as {shown_backend(first)}{between}"
    return f"no significant difference from {shown_backend(first)} ({size}{between})"


# What an unfinished run lacks, for the beginning of a report in any format.


def progress_sections(run: Run) -> list[Section]:
    """The trials of each configuration of an unfinished run; empty for a finished one."""
    headline = run.progress.headline
    if not headline:
        return []
    if run.progress.finished is None:
        return [Section(headline)]
    frame = run.progress.table
    table = ReportTable(CONFIGURATIONS.name, "", CONFIGURATIONS.columns_of(frame), frame)
    absent = [shown_backend(str(b)) for b in frame.loc[frame["done"] == 0, "backend"]]
    first = [f"without a trial, and in no table: {', '.join(absent)}"] if absent else []
    scope = (
        "All values below are over the trials that are done; values of several backends are over "
        "the instances that all of them were run on."
    )
    return [Section(headline, (table,), (*first, scope))]


def left_out_notes(run: Run) -> Iterator[str]:
    """A line about each backend that the run was given and left out."""
    for name, reason in run.progress.left_out.items():
        yield f"left out: {shown_backend(name)} is not available: {shortened(reason)}"


# The sections of a report: the tables of each comparison group, then those of the run.


BRIEF: Final = ("summary",)
"""The tables that a run shows when it ends."""
ON_REQUEST: Final = frozenset({"contributions", "scaling"})
"""Measures that a report shows only if their names are given."""
ALL: Final = tuple(name for name in MEASURES if name not in ON_REQUEST)
"""The names of the tables of ``--all`` and of a page, in their order."""


def sections_of_measures(run: Run, names: Sequence[str] = ALL) -> list[Section]:
    """Make a section for each comparison group, then one for the run as a whole.

    Raises:
        InputError: a name is not that of a table.
    """
    measures = measures_of(names)
    by_group: dict[tuple[Any, ...], list[ReportTable]] = {
        key: [] for key, _ in split(run.summary())
    }
    for measure in measures:
        if measure.scope is Scope.GROUP:
            for key, frame in split(run.measure(measure)):
                by_group[key] += tables_of(measure, frame, measure.title)
    several = len(run.hosts) > 1
    sizes = dict(_sizes(run.coded_trials))
    verdicts = _verdicts(run) if "pairwise" in names else {}
    parts = []
    for key, tables in by_group.items():
        if tables:
            group = group_of(key, run)
            title = group_title(group, sizes[key], several)
            data = {name: str(group[name]) for name in ("dataset", "task", "start", col.TIME)}
            parts.append(Section(title, (*tables,), verdicts.get(key, ()), data))
    whole = [table for measure in measures for table in _of_run(run, measure)]
    if whole:
        title = f"The run as a whole, {run.time.noun}"
        parts.append(Section(title, (*whole,), (), {col.TIME: str(run.time)}))
    return parts


def group_title(key: Mapping[str, Any], size: str | None, with_host: bool) -> str:
    """A comparison group in words: dataset, question, limits, time, size, machine."""
    limit = "" if is_missing(key["limit"]) else f" to {key['limit']}"
    words = [f"{shortened(str(key['dataset']))}: {key['task']}{limit}", f"{key['start']} start"]
    if key["scramble"]:
        words.append(f"scramble {shortened(str(key['scramble']))}")
    wall, cpu = f"{key['timeout_s']:g} s", f"{key['cpu_limit_s']:g} s"
    if key[col.TIME] == TimeKind.CPU and key["cpu_limit_s"]:
        words += [f"CPU time, limit {cpu}", f"wall time limit {wall}"]
    else:
        time = f"{TimeKind(key[col.TIME]).noun}, " if key[col.TIME] in [*TimeKind] else "time "
        words.append(f"{time}limit {wall}")
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
    if run.joint_hosts and run.shards:
        machines = number_of(len(run.joint_hosts), "machine")
        yield f"{machines}: each instance has all its times from one of them"
    elif run.joint_hosts:
        names = ", ".join(shortened(host) or "an unknown machine" for host in run.joint_hosts)
        yield f"{run.time.noun}s of different machines are compared: {names}"
    elif len(run.hosts) > 1:
        yield (
            f"trials of {len(run.hosts)} machines; times are compared within one machine only "
            "(--across-machines compares all)"
        )
    for subject, puzzles in (
        ("duplicate puzzles left out", run.repeats),
        ("puzzles left out by --where or --sample", run.excluded),
    ):
        if puzzles:
            numbers = ", ".join(f"{shortened(name)} {n:,}" for name, n in puzzles.items())
            yield f"{subject}: {numbers}"
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
    beyond = run.results[run.results["answered"] & (run.results["time_s"] > limits_of(run.results))]
    if len(beyond):
        names = ", ".join(map(shown_backend, sorted(beyond["backend"].astype(str).unique())))
        yield (
            f"{number_of(len(beyond), 'answered result')} used more CPU time than a failure counts "
            f"as ({names}): averages favour failures; use wall time, or set a limit with --cpu"
        )


def split(
    frame: pd.DataFrame, by: Sequence[str] = tuple(col.TRIAL_GROUP)
) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    """The rows of each comparison group with its key, missing values of the key as None.

    By default the key has no kind of time, because phases have wall time whatever kind the run has.
    """
    for key, rows in frame.groupby(list(by), sort=False, dropna=False):
        yield tuple(None if is_missing(value) else value for value in key), rows


def group_of(key: tuple[Any, ...], run: Run) -> dict[str, Any]:
    """The comparison group of a key of `split`, with the run's kind of time."""
    return dict(zip(col.TRIAL_GROUP, key, strict=True)) | {col.TIME: str(run.time)}


def _sizes(trials: pd.DataFrame) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The numbers of instances, backends and trials of each comparison group, with its key."""
    trials = with_trial_group(trials)
    number, first = number_rows(trials, col.TRIAL_GROUP)
    rows = trials.iloc[first]
    keys = rows[col.TRIAL_GROUP].itertuples(index=False, name=None)
    units = trials if not (trials["start"] == Start.BATCH).any() else with_instances(trials)
    columns = [
        np.bincount(number[number_rows(frame, [name], within=number)[1]])
        for frame, name in ((trials, "puzzle_id"), (units, "puzzle_id"), (trials, "backend"))
    ]
    counts = zip(*(column.tolist() for column in (*columns, np.bincount(number))), strict=True)
    for key, start, (instances, units, backends, number_of_trials) in zip(
        keys, rows["start"], counts, strict=True
    ):
        calls = f" in {number_of(units, 'call')}" if start == Start.BATCH else ""
        size = f"{number_of(instances, 'instance')}{calls}, {number_of(backends, 'backend')}, "
        values = tuple(None if is_missing(value) else value for value in key)
        yield values, size + number_of(number_of_trials, "trial")


def _verdicts(run: Run) -> dict[tuple[Any, ...], tuple[str, ...]]:
    """For each comparison group with several backends a sentence about each of them."""
    ranks, pairs = run.ranks(), run.pairwise()
    pairs_of = dict(split(pairs))
    return {
        key: tuple(sentences(rows, pairs_of.get(key, pairs.iloc[:0])))
        for key, rows in split(ranks)
        if len(rows) > 1
    }


def _of_run(run: Run, measure: Measure) -> list[ReportTable]:
    if measure.scope is Scope.RUN:
        return tables_of(measure, run.measure(measure), measure.title)
    if measure.scope is Scope.GROUP or run.trials["dataset"].nunique() < 2:
        return []
    several = len(run.hosts) > 1
    tables = []
    for key, rows in split(run.measure(measure)):
        group = group_title(group_of(key, run), None, several)
        tables += tables_of(measure, rows, f"{measure.title} over {group}")
    return tables


# A report in each format: tables, then notes and disagreements.


_SHOWN: Final = 5
"""Disagreements that the terminal shows; the other formats have all."""


def csv(run: Run, name: str = "summary") -> str:
    """The frame of one measure, values unrounded; see `harness.report.render.data.csv`.

    Raises:
        InputError: no measure has this name.
    """
    return data.csv(run.measure(name))


def remarks(run: Run) -> Iterator[str]:
    """What a reader must know about the values, for a format that has only tables."""
    yield from notes_of(run)
    yield from disturbance_lines(run)


def sections(run: Run, names: Sequence[str] = ALL, *, is_terminal: bool = False) -> list[Section]:
    """The sections of a report in any format: tables, then notes and disagreements.

    What an unfinished run lacks, and what disturbed a run, comes before all others.

    Args:
        run: the run to show.
        names: names of tables, from `ALL`.
        is_terminal: whether to explain the marks of narrow tables, and to list few disagreements.
    """
    notes = [
        *(_marks(run.summary()) if is_terminal and "summary" in names else ()),
        *notes_of(run),
        *left_out_notes(run),
        *stability_lines(run.stability()),
        *agreement_lines(run.agreement(), _SHOWN if is_terminal else None),
    ]
    first = (*disturbance_lines(run), *empty_lines(run, names))
    return [
        *progress_sections(run),
        *([Section("", (), first)] if first else []),
        *sections_of_measures(run, names),
        Section("", (), tuple(notes)),
    ]


def empty_lines(run: Run, names: Sequence[str]) -> Iterator[str]:
    """A line about each table that was chosen and has nothing to show; none if all were chosen."""
    if set(names) >= set(ALL):
        return
    names_of_tables = {
        table.name for part in sections_of_measures(run, names) for table in part.tables
    }
    for name in names:
        if name not in names_of_tables:
            hint = "; --format csv has its rows" if len(run.measure(name)) else ""
            yield f"table {name}: nothing to show for this run{hint}"


def disturbance_lines(run: Run) -> Iterator[str]:
    """A line about what disturbed the times of the run, if anything did."""
    findings = disturbances(run.invocations)
    if findings:
        causes = "; ".join(f"{subject}: {value}" for subject, value in findings.items())
        hint = "; compare CPU times: --time cpu" if run.time is TimeKind.WALL else ""
        yield f"times may be unreliable: {causes}{hint}"


def stability_lines(stability: pd.DataFrame) -> Iterator[str]:
    """A line about the unstable results of each backend that has any."""
    for backend, times, unstable, results in unstable_backends(stability):
        part = f"{times} of {unstable:,} of {results:,} results"
        most = f"{100 * UNSTABLE:g} % or more between repetitions"
        yield f"unstable: {shown_backend(backend)}: {part} differ by {most}"


def unstable_backends(stability: pd.DataFrame) -> Iterator[tuple[str, str, int, int]]:
    """Each backend with unstable results: its label, times, and numbers of these and of all."""
    for backend, rows in stability.groupby("backend"):
        unstable, results = int(rows["unstable"].sum()), int(rows["results"].sum())
        if unstable:
            yield str(backend), f"{TimeKind(rows[col.TIME].iloc[0]).noun}s", unstable, results


def _marks(summary: pd.DataFrame) -> Iterator[str]:
    """The meaning of the marks in a narrow table of the summary."""
    bounds = summary[[f"{name}_is_bound" for name in ("median", "gmean", "p95", "total")]]
    if bounds.to_numpy().any():
        yield (
            "> marks a lower bound: a trial without a right answer counts as the time limit, "
            "or as twice the limit in PAR-2"
        )
    if (summary["ratio"].isna() & (summary["wrong"] > 0)).any():
        yield "ratio: PAR-2 over the best; missing for a backend with a wrong answer"
