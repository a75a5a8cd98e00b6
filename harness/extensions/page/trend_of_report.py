"""A trend over runs as tables (trends, steps, runs and values), and as the document of `--json`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log
from typing import Final

from harness.analysis.measures import columns as col
from harness.base.text import number_of
from harness.extensions.page.trend_of_runs import VERSION, Trend
from harness.extensions.page.trend_tables import SERIES_KEY, in_words, series_key
from harness.report import Document, ReportTable, RowData, Section, is_missing, rows, tables_of
from harness.report.render import text as terminal

TABLES: Final = ("trends", "steps", "runs", "values")
"""The names of the tables, in the order in which they are shown."""
BRIEF: Final = ("trends", "steps", "runs")
"""The tables that are shown by default."""

_BARS: Final = "▁▂▃▄▅▆▇"
"""An odd number, so that values about a middle have one height."""
_MOST_BARS: Final = 24
_LEAST_RATIO: Final = 1.5
"""The smallest ratio of values that fills the height of the bars, so that noise looks small."""


def sections(
    trend: Trend, names: Sequence[str] = BRIEF, *, with_bars: bool = True
) -> list[Section]:
    """Make the sections for any format: unfinished runs first, then trends, steps and runs.

    Args:
        trend: the trend.
        names: the tables to show.
        with_bars: whether each trend has a line of bars, which are not ASCII.
    """
    tables = tuple(_tables(trend, names, with_bars))
    first = [Section("", (), trend.unfinished_runs)] if trend.unfinished_runs else []
    remaining = tuple(line for line in remarks(trend) if line not in trend.unfinished_runs)
    return [*first, Section("", tables, remaining)]


def answer(trend: Trend, *, with_bars: bool = True) -> list[Section]:
    """The trend in one screen: the verdict, then the trends, those with steps first."""
    all_tables = [*_tables(trend, ("trends",), with_bars)]
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


def bars(values: Sequence[float | None], *, logarithmic: bool) -> str:
    """A line of bars, one for each of the last values; a dot for a missing one."""
    numbers = [None if is_missing(value) else float(value or 0) for value in values][-_MOST_BARS:]
    present = [value for value in numbers if value is not None]
    if not present:
        return ""
    scale_values = [log(value) if logarithmic else value for value in present]
    least, most = min(scale_values), max(scale_values)
    height = max(most - least, log(_LEAST_RATIO) if logarithmic else 1.0)
    bottom = least - (height - (most - least)) / 2
    levels = iter(
        min(int((v - bottom) / height * len(_BARS)), len(_BARS) - 1) for v in scale_values
    )
    line = "".join("·" if value is None else _BARS[next(levels)] for value in numbers)
    return f"{'…' if len(values) > _MOST_BARS else ''}{line}"


def _tables(trend: Trend, names: Sequence[str], with_bars: bool) -> Iterator[ReportTable]:
    for layout in trend.layouts:
        for table in tables_of(layout, trend.frame(layout.name)) if layout.name in names else ():
            yield _with_bars(trend, table) if with_bars and table.name == "trends" else table


_BARS_COLUMN: Final = col.text("trend", "Its values as a line of bars.", "trend", sorted_by="last")


def _with_bars(trend: Trend, table: ReportTable) -> ReportTable:
    """The table with a line of bars before its last column."""
    runs = range(1, len(trend.runs) + 1)
    lines: dict[tuple[str, ...], str] = {}
    for _, part in trend.values.groupby(SERIES_KEY, dropna=False, sort=False):
        values = part.set_index("run")[trend.measure.column]
        values = values if trend.by == VERSION else values.reindex(runs)
        is_time = trend.measure.kind is not col.ValueKind.COUNT
        lines[series_key(part.to_dict("records")[0])] = bars(list(values), logarithmic=is_time)
    texts = [lines[series_key(row)] for row in table.frame.to_dict("records")]
    columns = (*table.columns[:-1], _BARS_COLUMN, table.columns[-1])
    return replace(table, columns=columns, frame=table.frame.assign(trend=texts))


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
    """The rows of `trends`, `steps`, `runs` and `values`."""


def trend_document(trend: Trend, names: Sequence[str]) -> Trended:
    """The trend with these tables."""
    return Trended(
        folders=[*dict.fromkeys(str(run.folder) for run in trend.sources)],
        slowed=trend.slowed,
        notes=[*trend.notes],
        tables={name: rows(trend.frame(name)) for name in names},
    )
