"""The pages of a comparison of two runs and of a trend."""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace

from harness.analysis import changes
from harness.analysis.comparison import Comparison
from harness.analysis.conditions import REQUESTED
from harness.analysis.inference import ALPHA
from harness.analysis.results import backends_without
from harness.analysis.run import Run
from harness.base.text import number_of, printable, shortened
from harness.extensions.page import trend_of_report as trend_tables
from harness.extensions.page.charts import theme
from harness.extensions.page.charts.scatter import CHANGES
from harness.extensions.page.charts.trends import kind_of
from harness.extensions.page.data import TimeView, TimeViews, page_data
from harness.extensions.page.document import (
    chart_libraries,
    document,
    first_trial_time,
    listing,
    run_environment,
    tables,
)
from harness.extensions.page.run_page import DETAILS, RunWarning, WarningKind, unreliable_timings
from harness.extensions.page.trend_of_runs import RUN, Trend
from harness.records.question import RELIABLE, TimeKind
from harness.report import answer
from harness.report.formatting import shown_backend
from harness.report.table import is_missing
from harness.report.tables import comparison

# The page of a comparison of two runs.


def comparison_html(
    found: Comparison, before: Run, after: Run, *, across_machines: bool = False
) -> str:
    """Render the comparison of two runs as the text of an HTML file; see `document`.

    Regressions come first, then what makes the times of either run unreliable,
    the change of each backend, charts, tables and both environments.

    Args:
        found: ``before.compare(after)``.
        before: the first run.
        after: the second run.
        across_machines: whether times of different machines were compared; part of the
            command that the page shows.
    """
    chart_libraries()
    names = theme.display_names(sorted(map(str, found.pairs["backend"].unique())))
    several_hosts = found.pairs["host"].nunique() > 1
    times = _times(found, before, after, across_machines)
    kinds = [
        (
            kind,
            [(v.value, kind.charts(v.shown, names, len(v.shown.times))) for v in times.views],
        )
        for kind in CHANGES
    ]
    command = ["harness", "compare", str(before.folder), str(after.folder), "--format", "html"]
    command += ["--factor", found.factor.spec] if found.factor else []
    requested = all(choice.reason == REQUESTED for choice in found.choices.values())
    options = answer.command_options(
        str(found.time) if requested else RELIABLE, found.criterion, across_machines=across_machines
    )
    context = {
        "about": [_about("before", before), _about("after", after)],
        "regressed": found.regressed or found.suspected or bool(found.partial),
        "verdict": printable(comparison.verdict(found)),
        "warnings": [
            *_partial(found),
            *_failures(found),
            *_slower(found),
        ],
        "doubts": [*_doubts("before", before), *_doubts("after", after)],
        "display_names": names,
        "meaningful": f"{found.criterion.least_factor:g}",
        "alpha": f"{found.criterion.alpha:g}",
        "times": times,
        "key_results": [
            (view.value, notes, sentences)
            for view in times.views
            for notes in [list(map(printable, comparison.notes(view.shown)))]
            for sentences in [list(map(printable, comparison.sentences(view.shown)))]
        ],
        "tables": tables(times, comparison.sections),
        "environments": [("before", run_environment(before)), ("after", run_environment(after))],
        "command": shlex.join([*command, *options]),
    }
    filters = {"change": _changes([view.shown for view in times.views])}
    data = page_data(times, names, found.pairs, filters, kinds, several_hosts)
    return document("comparison.html.j2", data, context)


def _changes(comparisons: Iterable[Comparison]) -> list[str]:
    frames = (frame for found in comparisons for frame in (found.status, found.times))
    return list(dict.fromkeys(str(change) for frame in frames for change in frame["change"]))


def _times(
    found: Comparison, before: Run, after: Run, across_machines: bool
) -> TimeViews[Comparison]:
    """The comparison as it is, then by each time that all right answers of both runs have."""
    first = TimeView("reliable", "the more reliable one", found)
    if found.time:
        first = TimeView(str(found.time), found.time.noun, found)
    lacking = [
        kind
        for kind in TimeKind
        if backends_without(before.trials, kind) or backends_without(after.trials, kind)
    ]
    others = [
        TimeView(
            *(str(kind), kind.noun),
            before.compare(
                after,
                across_machines=across_machines,
                time=kind,
                least_factor=found.criterion.least_factor,
                factor=found.factor.spec if found.factor else None,
            ),
        )
        for kind in TimeKind
        if kind is not found.time and kind not in lacking
    ]
    note = "; ".join(f"{kind.noun} is not recorded for all right answers" for kind in lacking)
    return TimeViews([first, *others], note)


def _about(side: str, run: Run) -> dict[str, str]:
    """The size, place and time of a run as text."""
    hosts = [shortened(host) or "an unknown machine" for host in run.hosts]
    texts = {
        "side": side,
        "folder": shortened(run.folder.name),
        "trials": number_of(len(run.trials), "trial"),
        "machines": listing(hosts),
        "time": first_trial_time(run),
    }
    return {name: printable(text) for name, text in texts.items()}


def _partial(found: Comparison) -> Iterator[RunWarning]:
    """What the comparison does not cover."""
    if found.partial:
        yield RunWarning(
            kind=WarningKind.PARTIAL,
            message=f"{comparison.PARTIAL}: {'; '.join(found.partial)}",
            count=found.only_before + found.only_after,
        )


def _failures(found: Comparison) -> Iterator[RunWarning]:
    """New failures and wrong answers, by kind and backend; none that chance explains."""
    worse = found.status[~found.status["change"].isin([changes.FIXED, *changes.BY_CHANCE])]
    for (change, backend), rows in worse.groupby(["change", "backend"], sort=False):
        words = {changes.NOW_WRONG: "new wrong result", changes.MORE: "failure at the limit"}
        what = number_of(len(rows), words.get(str(change), "new failure result"))
        details = tuple(
            f"{shortened(row['dataset'])}/{shortened(row['name'])}, {row['task']}: "
            f"{row['before']} before, {row['after']} after | reproduce: {row['command']}"
            for row in rows.head(DETAILS).to_dict("records")
        )
        if len(rows) > DETAILS:
            details += (f"... and {len(rows) - DETAILS:,} more",)
        more = ", significantly more than before" if change == changes.MORE else ""
        doubt = (
            ", but the conditions were not the same" if change == changes.TIMEOUT_UNEQUAL else ""
        )
        yield RunWarning(
            kind=WarningKind.FAILURE,
            message=f"{shown_backend(str(backend))}: {what}{more}{doubt}",
            is_wrong=change == changes.NOW_WRONG,
            details=details,
            backend=str(backend),
            count=len(rows),
        )


def _slower(found: Comparison) -> Iterator[RunWarning]:
    """Backends that are significantly slower."""
    slower = found.times[found.times["change"].isin([changes.SLOWER, changes.SLOWER_UNEQUAL])]
    sentences = comparison.sentences(replace(found, times=slower))
    for sentence, (backend, count) in zip(
        sentences, slower[["backend", "instances"]].itertuples(index=False, name=None), strict=True
    ):
        yield RunWarning(
            kind=WarningKind.SLOWER, message=sentence, backend=str(backend), count=int(count)
        )


def _doubts(side: str, run: Run) -> Iterator[RunWarning]:
    """What makes the times of one run unreliable; the comparison covers its failures."""
    for doubt in unreliable_timings(run):
        yield replace(doubt, message=f"{side}, {doubt.message}")


# The page of a trend over several runs.


def trend_html(found: Trend, *, as_given: bool = False) -> str:
    """Render a trend as the text of an HTML file; see `document`.

    Args:
        found: the trend.
        as_given: whether the order of the runs was given; part of the command that the page
            shows.
    """
    chart_libraries()
    folders = [str(folder) for folder in found.runs["folder"]]
    names = theme.display_names(sorted(map(str, found.values["backend"].unique())))
    starts = [str(start) for start in found.runs["started"] if not is_missing(start)]
    given = dict.fromkeys(str(run.folder) for run in found.sources)
    command = ["harness", "trend", *given, "--measure", found.measure.name, "--format", "html"]
    command += ["--by", found.by] if found.by != RUN else []
    time = found.sources[-1].time
    times = TimeViews([TimeView(str(time), time.noun, found)])
    command += answer.command_options(str(time), found.criterion)
    context = {
        "count": len(folders),
        "first": printable(shortened(folders[0])),
        "last": printable(shortened(folders[-1])),
        "time": f"{starts[0]} to {starts[-1]} UTC" if starts else "",
        "slowed": found.slowed,
        "verdict": printable(trend_tables.verdict(found)),
        "notes": list(map(printable, found.notes)),
        "meaningful": f"{found.criterion.least_factor:g}",
        "alpha": f"{ALPHA:g}",
        "display_names": names,
        "times": times,
        "tables": tables(times, lambda shown: trend_tables.sections(shown, trend_tables.TABLES)),
        "environments": [
            ("first run", run_environment(found.sources[0])),
            ("last run", run_environment(found.sources[-1])),
        ],
        "command": shlex.join([*command, "--as-given"] if as_given else command),
    }
    kind = kind_of(found)
    kinds = [(kind, [(str(time), kind.charts(found, names, len(names)))])]
    filters = {"change": sorted(map(str, found.steps["change"].unique()))}
    data = page_data(times, names, found.values, filters, kinds, several_hosts=False)
    return document("trend.html.j2", data, context)
