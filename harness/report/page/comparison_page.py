"""The page of two runs compared."""

import shlex
from collections.abc import Iterator
from dataclasses import replace

from harness.analysis.changes import FIXED, NOW_WRONG, SLOWER
from harness.analysis.comparison import Comparison
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.changes import CHANGES
from harness.report.formatting import number_of, printable, shortened, shown_backend
from harness.report.page.alarms import TOLD, Alarm, spoilers
from harness.report.page.data import backends, charts, choices
from harness.report.page.document import document
from harness.report.page.environment import setting
from harness.report.page.parts import moment, some, tables
from harness.report.tables import comparison


def html(found: Comparison, before: Run, after: Run, *, across_machines: bool = False) -> str:
    """What is different in `after` as the text of an HTML file; see `document`.

    A regression comes first and in red, then what makes either run unreliable;
    then the times of each backend, charts of every puzzle before and after,
    the tables, and where both runs took place.

    Args:
        found: ``before.compare(after)``.
        before: the first run.
        after: the second run.
        across_machines: whether times of different machines were compared, for the command
            that makes the page again.
    """
    names = theme.names_of(sorted(map(str, found.pairs["backend"].unique())))
    several = found.pairs["host"].nunique() > 1
    kinds = [(kind, kind.pictures(found, names, len(found.times))) for kind in CHANGES]
    command = ["harness", "compare", str(before.folder), str(after.folder), "--format", "html"]
    told = {
        "about": [_about("before", before), _about("after", after)],
        "regressed": found.regressed,
        "verdict": printable(comparison.verdict(found)),
        "alarms": [
            *_failures(found),
            *_slower(found),
            *_spoilers("before", before),
            *_spoilers("after", after),
        ],
        "name_of": names,
        "notes": list(map(printable, comparison.notes(found))),
        "sentences": list(map(printable, comparison.sentences(found))),
        "tables": tables(comparison.sections(found)),
        "settings": [("before", setting(before)), ("after", setting(after))],
        "again": shlex.join([*command, *["--across-machines"] * across_machines]),
    }
    data = {
        "choices": choices(found.pairs, ("dataset", "task", "start"))
        | {"change": list(dict.fromkeys([*found.status["change"], *found.times["change"]]))},
        "backends": backends(names),
        **charts(kinds, several),
    }
    return document("comparison.html.j2", data, told)


def _about(side: str, run: Run) -> dict[str, str]:
    """A run in words."""
    hosts = [shortened(host) or "an unknown machine" for host in run.hosts]
    found = {
        "side": side,
        "folder": shortened(run.folder.name),
        "trials": number_of(len(run.trials), "trial"),
        "where": some(hosts),
        "when": moment(run),
    }
    return {name: printable(text) for name, text in found.items()}


def _failures(found: Comparison) -> Iterator[Alarm]:
    """What fails now and did not, by backend and kind."""
    worse = found.status[found.status["change"] != FIXED]
    for (change, backend), rows in worse.groupby(["change", "backend"], sort=False):
        wrong = change == NOW_WRONG
        details = tuple(
            f"{shortened(row['dataset'])}/{shortened(row['name'])}, {row['task']}: "
            f"{row['before']} before, {row['after']} after | again: {row['command']}"
            for row in rows.head(TOLD).to_dict("records")
        )
        if len(rows) > TOLD:
            details += (f"... and {len(rows) - TOLD:,} more",)
        what = "wrong now" if wrong else "new failures"
        name = shown_backend(str(backend))
        yield Alarm(f"{name}: {what} on {number_of(len(rows), 'instance')}", wrong, details)


def _slower(found: Comparison) -> Iterator[Alarm]:
    slower = found.times["change"] == SLOWER
    for sentence in comparison.sentences(replace(found, times=found.times[slower])):
        yield Alarm(sentence)


def _spoilers(side: str, run: Run) -> Iterator[Alarm]:
    """What makes the times of a run unreliable; its failures are compared anyway."""
    lines = tuple(alarm.line for alarm in spoilers(run))
    if lines:
        told = number_of(len(lines), "reason")
        yield Alarm(f"{side}: {told} not to rely on its times", details=lines)
