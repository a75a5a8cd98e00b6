"""A trend over runs as tables (trends, steps, runs and values), and as the document of `--json`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from harness.base.text import number_of
from harness.extensions.page.trend_of_runs import Trend
from harness.extensions.page.trend_tables import in_words
from harness.report import Document, ReportTable, RowData, Section, rows, tables_of
from harness.report.render import text as terminal

TABLES: Final = ("trends", "steps", "runs", "values")
"""The names of the tables, in the order in which they are shown."""
BRIEF: Final = ("trends", "steps", "runs")
"""The tables that are shown by default."""


def sections(trend: Trend, names: Sequence[str] = BRIEF) -> list[Section]:
    """Make the sections for any format: unfinished runs first, then trends, steps and runs.

    Args:
        trend: the trend.
        names: the tables to show.
    """
    tables = tuple(_tables(trend, names))
    first = [Section("", (), trend.unfinished_runs)] if trend.unfinished_runs else []
    remaining = tuple(line for line in remarks(trend) if line not in trend.unfinished_runs)
    return [*first, Section("", tables, remaining)]


def answer(trend: Trend) -> list[Section]:
    """The trend in one screen: the verdict, then the trends, those with steps first."""
    all_tables = [*_tables(trend, ("trends",))]
    most = terminal.most_rows(map(str, trend.values["backend"].unique()))
    room, remaining, tables = max(1, most // max(1, len(all_tables))), 0, []
    for table in all_tables:
        frame = table.frame.sort_values("steps", key=lambda steps: steps == "none", kind="stable")
        tables.append(replace(table, frame=frame.head(room)))
        remaining += max(0, len(frame) - room)
    notes = [f"... and {number_of(remaining, 'more trend')}: --all"] if remaining else []
    notes += [*trend.unfinished_runs, *trend.notes]
    notes.append("steps, runs and values: --table steps, --table runs, --table values")
    return [Section("", (), (verdict(trend),)), Section("", tuple(tables), tuple(notes))]


def remarks(trend: Trend) -> tuple[str, ...]:
    """The notes on a trend as a whole, and its verdict."""
    return (*trend.notes, verdict(trend))


def verdict(trend: Trend) -> str:
    """The trend in one line."""
    counts = trend.steps["change"].value_counts()
    parts = [f"{number} {in_words(str(change))}" for change, number in counts.items()]
    runs = number_of(trend.runs["folder"].nunique(), trend.by)
    summary = f"steps: {', '.join(parts) or 'none'}; {runs}"
    if not trend.slowed and not parts:
        return f"no backend became slower or faster over {runs}"
    if not trend.slowed:
        return f"no slowdown now; {summary}"
    total = len(trend.trends)
    causes = []
    if trend.slower:
        causes.append(f"the last step is slower in {trend.slower} of {total} trends")
    if trend.wrong:
        causes.append(f"wrong answers in the last run in {trend.wrong} of {total}")
    return f"SLOWDOWN: {', '.join(causes)}; {summary}"


def _tables(trend: Trend, names: Sequence[str]) -> Iterator[ReportTable]:
    for layout in trend.layouts:
        if layout.name in names:
            yield from tables_of(layout, trend.frame(layout.name))


class Trended(Document):
    """The values of three or more runs over time."""

    folders: list[str]
    """Folders of the runs, in their order."""
    slowed: bool
    """Whether the last step of a backend on an equal machine is a slowdown, or the last run has a
    wrong answer."""
    notes: list[str]
    """What a reader needs to know before any value, unfinished runs first."""
    tables: dict[str, list[RowData]]
    """The rows of `trends`, `steps`, `runs` and `values`, or only those of `--table`."""


def trend_document(trend: Trend, names: Sequence[str]) -> Trended:
    """The trend with these tables."""
    return Trended(
        folders=[*dict.fromkeys(str(run.folder) for run in trend.sources)],
        slowed=trend.slowed,
        notes=[*trend.notes],
        tables={name: rows(trend.frame(name)) for name in names},
    )
