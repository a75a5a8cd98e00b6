"""The page of a run."""

import shlex
from collections.abc import Iterator
from typing import Any

import pandas as pd

from harness.analysis.pairwise import pairwise
from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.formatting import number_of, printable, shortened
from harness.report.page.alarms import alarms
from harness.report.page.data import data
from harness.report.page.document import document
from harness.report.page.environment import setting
from harness.report.page.parts import moment, some, tables
from harness.report.page.trials import chosen
from harness.report.tables import contents
from harness.report.tables.sentences import sentences
from harness.report.tables.table import is_missing


def html(run: Run) -> str:
    """The report of `run` as the text of an HTML file; see `document`.

    It has every table, the charts and the trials, all of these where they are
    20,000 or fewer; its size is bounded whatever the size of the run.
    """
    shown = chosen(run.trials, run.answers)
    command = ["harness", "report", *map(str, (run.folder, *run.others)), "--format", "html"]
    told = {
        "about": _about(run),
        "alarms": alarms(run),
        "name_of": theme.names_of(run.backends),
        "notes": [printable(note) for note in contents.notes_of(run)],
        "verdicts": list(_verdicts(run)),
        "tables": tables(contents.sections(run)),
        "trials_note": shown.note,
        "setting": setting(run),
        "again": shlex.join([*command, *["--across-machines"] * bool(run.joined)]),
    }
    return document("run.html.j2", data(run, shown), told)


def _about(run: Run) -> dict[str, str]:
    """What was run, in numbers."""
    summary = run.summary()
    datasets = summary["dataset"].unique()
    hosts = [shortened(host) or "an unknown machine" for host in run.hosts]
    found = {
        "trials": f"{len(run.trials):,}",
        "backends": number_of(len(run.backends), "backend"),
        "puzzles": number_of(run.results["puzzle_id"].nunique(), "puzzle"),
        "datasets": some([shortened(str(name), 40) for name in datasets]),
        "tasks": ", ".join(sorted(map(str, summary["task"].unique()))),
        "starts": ", ".join(sorted(map(str, summary["start"].unique()))),
        "where": some(hosts),
        "when": moment(run),
    }
    return {name: printable(text) for name, text in found.items()}


def _verdicts(run: Run) -> Iterator[tuple[str, list[str]]]:
    """A sentence on each backend, over all datasets as one, for each task, start and limit."""
    several = run.summary()["dataset"].nunique() > 1
    ranked = run.pooled() if several else run.ranks()
    paired = pairwise(run.pooled_results) if several else run.pairwise()
    of_pairs = dict(_by_group(paired))
    for key, rows in sorted(_by_group(ranked), key=lambda part: str(part[0])):
        group = dict(zip(COMPARISON_GROUP, key, strict=True))
        title = contents.group_title(group, None, len(run.hosts) > 1)
        told = sentences(rows, of_pairs.get(key, paired.iloc[:0]))
        yield printable(title), [printable(sentence) for sentence in told]


def _by_group(frame: pd.DataFrame) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    for key, rows in frame.groupby(COMPARISON_GROUP, sort=False, dropna=False):
        yield tuple(None if is_missing(value) else value for value in key), rows
