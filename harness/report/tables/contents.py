"""What a report consists of: the tables of each comparison group, then those of the run as a whole."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.run import Run
from harness.errors import InputError, one_of
from harness.report.formatting import number_of, shortened
from harness.report.tables.measures import ALL, MEASURES, OF_GROUP, OF_RUN
from harness.report.tables.sentences import sentences
from harness.report.tables.table import Section, Table, is_missing


def sections(run: Run, names: Sequence[str] = ALL) -> list[Section]:
    """What of a run is shown: a section for each comparison group, then one for the run as a whole.

    Raises:
        InputError: there is no table of such a name.
    """
    check_names(names)
    by_group: dict[tuple[Any, ...], list[Table]] = {}
    for key, _ in _split(run.summary()):
        by_group[key] = []
    for name in OF_GROUP:
        if name in names:
            for key, frame in _split(MEASURES[name].frame(run)):
                by_group[key] += _table(name, frame)
    several = len(run.hosts) > 1
    trials = {key: int(frame["trials"].max()) for key, frame in _split(run.summary())}
    told = _told(run) if "pairwise" in names else {}
    found = []
    for key, tables in by_group.items():
        if tables:
            group = dict(zip(COMPARISON_GROUP, key, strict=True))
            title = group_title(group, trials[key], several)
            of = {name: str(group[name]) for name in ("dataset", "task", "start")}
            found.append(Section(title, (*tables,), told.get(key, ()), of))
    whole = [table for name in OF_RUN if name in names for table in _of_run(run, name)]
    if whole:
        found.append(Section("The run as a whole", (*whole,)))
    return found


def frame_of(run: Run, name: str) -> pd.DataFrame:
    """The frame behind the tables of a measure, figures unrounded.

    Raises:
        InputError: there is no table of this name.
    """
    check_names([name])
    return MEASURES[name].frame(run)


def check_names(names: Sequence[str]) -> None:
    """See whether there are tables of these names.

    Raises:
        InputError: there is one that is none.
    """
    for name in names:
        if name not in MEASURES:
            raise InputError(f"no table {name!r}", expected=one_of(ALL))


def group_title(key: Mapping[str, Any], trials: int | None, with_host: bool) -> str:
    """A comparison group in words: what was asked, under which limits, how often and where."""
    limit = "" if is_missing(key["limit"]) else f" to {key['limit']}"
    words = [f"{shortened(str(key['dataset']))}: {key['task']}{limit}", f"{key['start']} start"]
    words.append(f"{key['timeout_s']:g} s a trial")
    if key["cpu_limit_s"]:
        words.append(f"{key['cpu_limit_s']:g} s of CPU time")
    if key["memory_limit_mib"]:
        words.append(f"{key['memory_limit_mib']} MiB")
    if trials is not None:
        words.append(number_of(trials, "trial"))
    if with_host:
        words.append(f"on {shortened(str(key['host'])) or 'an unknown machine'}")
    return ", ".join(words)


def notes_of(run: Run) -> Iterator[str]:
    """What the reader must know before any figure."""
    if run.joined:
        told = ", ".join(shortened(host) or "an unknown machine" for host in run.joined)
        yield f"wall times of different machines are compared, as was asked: {told}"
    elif len(run.hosts) > 1:
        yield (
            f"trials of {len(run.hosts)} machines; wall times of one are not compared with those "
            "of another (--across-machines does)"
        )


def _told(run: Run) -> dict[tuple[Any, ...], tuple[str, ...]]:
    """For each comparison group with several backends a sentence on each of them."""
    ranks, pairs = run.ranks(), run.pairwise()
    of_pairs = dict(_split(pairs))
    return {
        key: tuple(sentences(rows, of_pairs.get(key, pairs.iloc[:0])))
        for key, rows in _split(ranks)
        if len(rows) > 1
    }


def _of_run(run: Run, name: str) -> list[Table]:
    if name == "pooled" and run.trials["dataset"].nunique() < 2:
        return []
    if name == "machine-factors" and len(run.hosts) < 2:
        return []
    frame = MEASURES[name].frame(run)
    if name != "pooled":
        return _table(name, frame) if len(frame) else []
    tables = []
    for key, part in _split(frame):
        title = group_title(dict(zip(COMPARISON_GROUP, key, strict=True)), None, len(run.hosts) > 1)
        tables += [replace(table, title=f"Ranks over {title}") for table in _table(name, part)]
    return tables


def _table(name: str, frame: pd.DataFrame) -> list[Table]:
    measure = MEASURES[name]
    if frame.empty or not measure.worth(frame):
        return []
    return [Table(name, measure.title, measure.columns(frame), frame, tuple(measure.notes(frame)))]


def _split(frame: pd.DataFrame) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    """The rows of each comparison group, with the values of `COMPARISON_GROUP`, missing ones as None."""
    for key, rows in frame.groupby(COMPARISON_GROUP, sort=False, dropna=False):
        yield tuple(None if is_missing(value) else value for value in key), rows
