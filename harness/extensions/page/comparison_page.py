"""The pages of a comparison of two runs and of a trend."""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace

from harness.analysis import Change, Comparison, Run, TimeChoice
from harness.analysis.measures import backends_without
from harness.base.text import number_of, printable, shortened
from harness.extensions.page import trend_of_report as trend_tables
from harness.extensions.page.charts import theme
from harness.extensions.page.charts.scatter import CHANGES
from harness.extensions.page.charts.trends import kind_of
from harness.extensions.page.data import TimeView, page_data
from harness.extensions.page.document import document, run_environment, tables
from harness.extensions.page.run_page import (
    DETAILS,
    RunWarning,
    WarningKind,
    about,
    unreliable_timings,
)
from harness.extensions.page.trend_of_runs import RUN, Trend
from harness.records import RELIABLE, TimeKind
from harness.report import answer, is_missing, shown_backend
from harness.report.tables import comparison_tables

# The page of a comparison of two runs.


def comparison_html(
    comparison: Comparison, before: Run, after: Run, *, across_machines: bool = False
) -> str:
    """Render the comparison of two runs as the text of an HTML file; see `document`.

    Regressions come first, then what makes the times of either run unreliable,
    the change of each backend, charts, tables and both environments.

    Args:
        comparison: ``before.compare(after)``.
        before: the first run.
        after: the second run.
        across_machines: whether times of different machines were compared; part of the
            command that the page shows.
    """
    names = theme.display_names(sorted(map(str, comparison.pairs["backend"].unique())))
    several_hosts = comparison.pairs["host"].nunique() > 1
    views, missing_time = _views(comparison, before, after, across_machines)
    command = ["harness", "compare", str(before.folder), str(after.folder), "--format", "html"]
    command += ["--factor", comparison.factor.spec] if comparison.factor else []
    is_requested = all(
        choice.reason == TimeChoice.REQUESTED for choice in comparison.choices.values()
    )
    options = answer.command_options(
        str(comparison.time) if is_requested else RELIABLE,
        comparison.criterion,
        across_machines=across_machines,
    )
    context = {
        "about": [
            {"side": side, "folder": printable(shortened(run.folder.name)), **about(run)}
            for side, run in (("before", before), ("after", after))
        ],
        "regressed": comparison.regressed or comparison.suspected or bool(comparison.partial),
        "verdict": printable(comparison_tables.verdict(comparison)),
        "warnings": [
            *_partial(comparison),
            *_failures(comparison),
            *_slower(comparison),
        ],
        "doubts": [*_doubts("before", before), *_doubts("after", after)],
        "display_names": names,
        "criterion": comparison.criterion,
        "missing_time": missing_time,
        "key_results": [
            (
                view.value,
                [*map(printable, comparison_tables.notes(view.source))],
                [*map(printable, comparison_tables.sentences(view.source))],
            )
            for view in views
        ],
        "tables": tables(views, comparison_tables.sections),
        "environments": [("before", run_environment(before)), ("after", run_environment(after))],
        "command": shlex.join([*command, *options]),
    }
    filters = {"change": _changes([view.source for view in views])}
    data = page_data(views, names, comparison.pairs, filters, CHANGES, several_hosts)
    return document("comparison.html.j2", data, context)


def _changes(comparisons: Iterable[Comparison]) -> list[str]:
    changes_of = (part["change"] for c in comparisons for part in (c.status, c.times))
    return list(dict.fromkeys(str(change) for column in changes_of for change in column))


def _views(
    comparison: Comparison, before: Run, after: Run, across_machines: bool
) -> tuple[list[TimeView[Comparison]], str]:
    """The comparison as it is, then by each other time that all right answers of both runs have.

    The text says which times are missing; it is empty if none is.
    """
    first = TimeView("reliable", "the more reliable one", comparison)
    if comparison.time:
        first = TimeView(str(comparison.time), comparison.time.noun, comparison)
    lacking = [
        kind
        for kind in TimeKind
        if backends_without(before.trials, kind) or backends_without(after.trials, kind)
    ]
    other_views = [
        TimeView(
            *(str(kind), kind.noun),
            before.compare(
                after,
                across_machines=across_machines,
                time=kind,
                least_factor=comparison.criterion.least_factor,
                factor=comparison.factor.spec if comparison.factor else None,
            ),
        )
        for kind in TimeKind
        if kind is not comparison.time and kind not in lacking
    ]
    note = "; ".join(f"{kind.noun} is not recorded for all right answers" for kind in lacking)
    return [first, *other_views], note


def _partial(comparison: Comparison) -> Iterator[RunWarning]:
    """What the comparison does not cover."""
    if comparison.partial:
        yield RunWarning(
            kind=WarningKind.PARTIAL,
            message=f"{comparison_tables.PARTIAL}: {'; '.join(comparison.partial)}",
        )


def _failures(comparison: Comparison) -> Iterator[RunWarning]:
    """New failures and wrong answers, by kind and backend, without those that chance explains."""
    status = comparison.status
    worse = status[~status["change"].isin([Change.FIXED, *Change.by_chance()])]
    for (change, backend), rows in worse.groupby(["change", "backend"], sort=False):
        words: dict[str, str] = {
            Change.NOW_WRONG: "new wrong result",
            Change.MORE: "failure at the limit",
        }
        failures = number_of(len(rows), words.get(str(change), "new failure result"))
        details = tuple(
            f"{shortened(row['dataset'])}/{shortened(row['name'])}, {row['task']}: "
            f"{row['before']} before, {row['after']} after | reproduce: {row['command']}"
            for row in rows.head(DETAILS).to_dict("records")
        )
        if len(rows) > DETAILS:
            details += (f"... and {len(rows) - DETAILS:,} more",)
        more = ", significantly more than before" if change == Change.MORE else ""
        doubt = ", but the conditions were not the same" if change == Change.TIMEOUT_UNEQUAL else ""
        yield RunWarning(
            kind=WarningKind.FAILURE,
            message=f"{shown_backend(str(backend))}: {failures}{more}{doubt}",
            is_wrong=change == Change.NOW_WRONG,
            details=details,
        )


def _slower(comparison: Comparison) -> Iterator[RunWarning]:
    """Backends that are significantly slower."""
    times = comparison.times
    slower = times[times["change"].isin([Change.SLOWER, Change.SLOWER_UNEQUAL])]
    for sentence in comparison_tables.sentences(replace(comparison, times=slower)):
        yield RunWarning(kind=WarningKind.SLOWER, message=sentence)


def _doubts(side: str, run: Run) -> Iterator[RunWarning]:
    """What makes the times of one run unreliable; the comparison covers its failures."""
    for doubt in unreliable_timings(run):
        yield replace(doubt, message=f"{side}, {doubt.message}")


# The page of a trend over several runs.


def trend_html(trend: Trend, *, as_given: bool = False) -> str:
    """Render a trend as the text of an HTML file; see `document`.

    Args:
        trend: the trend.
        as_given: whether the order of the runs was given; part of the command that the page
            shows.
    """
    folders = [str(folder) for folder in trend.runs["folder"]]
    names = theme.display_names(sorted(map(str, trend.values["backend"].unique())))
    starts = [str(start) for start in trend.runs["started"] if not is_missing(start)]
    paths = dict.fromkeys(str(run.folder) for run in trend.sources)
    command = ["harness", "trend", *paths, "--measure", trend.measure.name, "--format", "html"]
    command += ["--by", trend.by] if trend.by != RUN else []
    time = trend.sources[-1].time
    views = [TimeView(str(time), time.noun, trend)]
    command += answer.command_options(str(time), trend.criterion)
    context = {
        "count": len(folders),
        "first": printable(shortened(folders[0])),
        "last": printable(shortened(folders[-1])),
        "time": f"{starts[0]} to {starts[-1]} UTC" if starts else "",
        "slowed": trend.slowed,
        "verdict": printable(trend_tables.verdict(trend)),
        "notes": list(map(printable, trend.notes)),
        "criterion": trend.criterion,
        "display_names": names,
        "missing_time": "",
        "tables": tables(views, lambda source: trend_tables.sections(source, trend_tables.TABLES)),
        "environments": [
            ("first run", run_environment(trend.sources[0])),
            ("last run", run_environment(trend.sources[-1])),
        ],
        "command": shlex.join([*command, "--as-given"] if as_given else command),
    }
    filters = {"change": sorted(map(str, trend.steps["change"].unique()))}
    data = page_data(views, names, trend.values, filters, [kind_of(trend)], several_hosts=False)
    return document("trend.html.j2", data, context)
