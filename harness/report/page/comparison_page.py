"""The page of a comparison of two runs."""

import shlex
from collections.abc import Iterator
from dataclasses import replace

from harness.analysis.changes import FIXED, NOW_WRONG, SLOWER
from harness.analysis.comparison import Comparison
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.changes import CHANGES
from harness.report.formatting import number_of, printable, shortened, shown_backend
from harness.report.page.data import backend_filters, chart_data, filter_values
from harness.report.page.document import document
from harness.report.page.environment import run_environment
from harness.report.page.parts import first_trial_time, listing, tables
from harness.report.page.warnings import DETAILS, RunWarning, WarningKind, unreliable_timings
from harness.report.tables import comparison


def html(found: Comparison, before: Run, after: Run, *, across_machines: bool = False) -> str:
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
    names = theme.display_names(sorted(map(str, found.pairs["backend"].unique())))
    several_hosts = found.pairs["host"].nunique() > 1
    kinds = [(kind, kind.charts(found, names, len(found.times))) for kind in CHANGES]
    command = ["harness", "compare", str(before.folder), str(after.folder), "--format", "html"]
    context = {
        "about": [_about("before", before), _about("after", after)],
        "regressed": found.regressed or bool(found.partial),
        "verdict": printable(comparison.verdict(found)),
        "warnings": [
            *_partial(found),
            *_failures(found),
            *_slower(found),
            *_unreliable_timings("before", before),
            *_unreliable_timings("after", after),
        ],
        "display_names": names,
        "notes": list(map(printable, comparison.notes(found))),
        "sentences": list(map(printable, comparison.sentences(found))),
        "tables": tables(comparison.sections(found)),
        "environments": [("before", run_environment(before)), ("after", run_environment(after))],
        "command": shlex.join([*command, *["--across-machines"] * across_machines]),
    }
    data = {
        "filters": filter_values(found.pairs, ("dataset", "task", "start"))
        | {"change": list(dict.fromkeys([*found.status["change"], *found.times["change"]]))},
        "backends": backend_filters(names),
        **chart_data(kinds, several_hosts),
    }
    return document("comparison.html.j2", data, context)


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
    """New failures and wrong answers, by kind and backend."""
    worse = found.status[found.status["change"] != FIXED]
    for (change, backend), rows in worse.groupby(["change", "backend"], sort=False):
        is_wrong = change == NOW_WRONG
        details = tuple(
            f"{shortened(row['dataset'])}/{shortened(row['name'])}, {row['task']}: "
            f"{row['before']} before, {row['after']} after | reproduce: {row['command']}"
            for row in rows.head(DETAILS).to_dict("records")
        )
        if len(rows) > DETAILS:
            details += (f"... and {len(rows) - DETAILS:,} more",)
        name, what = shown_backend(str(backend)), "new wrong" if is_wrong else "new failure"
        yield RunWarning(
            kind=WarningKind.FAILURE,
            message=f"{name}: {number_of(len(rows), f'{what} result')}",
            is_wrong=is_wrong,
            details=details,
            backend=str(backend),
            count=len(rows),
        )


def _slower(found: Comparison) -> Iterator[RunWarning]:
    """Backends that are significantly slower."""
    slower = found.times[found.times["change"] == SLOWER]
    sentences = comparison.sentences(replace(found, times=slower))
    for sentence, (backend, count) in zip(
        sentences, slower[["backend", "instances"]].itertuples(index=False, name=None), strict=True
    ):
        yield RunWarning(
            kind=WarningKind.SLOWER, message=sentence, backend=str(backend), count=int(count)
        )


def _unreliable_timings(side: str, run: Run) -> Iterator[RunWarning]:
    """What makes the times of one run unreliable; the comparison covers its failures."""
    details = tuple(warning.message for warning in unreliable_timings(run))
    if details:
        yield RunWarning(
            kind=WarningKind.UNRELIABLE_TIMINGS,
            message=f"{side}: times may be unreliable ({number_of(len(details), 'reason')})",
            details=details,
            count=len(details),
        )
