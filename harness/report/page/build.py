"""Putting the page together."""

import base64
import hashlib
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.analysis.instances import CONTEST
from harness.analysis.pairwise import pairwise
from harness.analysis.ranking import ranks
from harness.analysis.run import Run
from harness.report import contents
from harness.report.charts import look
from harness.report.charts.files import VEGA_LITE
from harness.report.figures import backend_name, number_of, printable, shortened
from harness.report.measures import ALL
from harness.report.page.alarms import alarms
from harness.report.page.data import data, embedded
from harness.report.page.trials import chosen
from harness.report.render.html import fragments
from harness.report.sentences import sentences
from harness.report.table import is_missing

SCRIPTS: Final = ("core.js", "tables.js", "charts.js", "trials.js", "start.js")
"""The page's own scripts, in the order in which they are read."""

_ROWS: Final = 200
"""Rows of a table on the page; trials are reached one by one besides."""
_CALLS: Final = 50
_FACTS: Final = {
    "host": "machine",
    "processor": "processor",
    "usable_cores": "usable cores",
    "memory_bytes": "memory",
    "system": "system",
    "python": "Python",
    "harness": "harness",
    "checkout": "checkout",
    "started_at": "started",
    "ended_at": "ended",
}


def html(run: Run) -> str:
    """The report of `run` as the text of an HTML file.

    It has every table, the charts and the trials, all of these where they are
    20,000 or fewer; its size is bounded whatever the size of the run. What
    others wrote is text in it and can be nothing else: it is escaped, and the
    page forbids itself every script but its own and every connection.
    """
    shown, found = chosen(run.trials, run.answers), alarms(run)
    script = "".join(_resource(name) for name in SCRIPTS)
    libraries = _vega()
    text: str = _template().render(
        about=_about(run),
        alarms=found,
        name_of=look.names_of(run.backends),
        notes=[printable(note) for note in contents.notes_of(run)],
        verdicts=list(_verdicts(run)),
        tables=Markup(fragments(contents.sections(run, ALL), _ROWS)),  # noqa: S704  escaped there
        trials_note=shown.note,
        backends=_backends(run),
        facts=_facts(run.calls),
        environment=[*_told_once(run.calls)],
        calls_left_out=max(0, len(run.calls) - _CALLS),
        sweeps=list(_sweeps((run.folder, *run.others))),
        again=f"harness report {shlex.join([str(run.folder), *map(str, run.others)])}",
        data=Markup(embedded(data(run, shown))),  # noqa: S704  no character of it acts
        style=Markup(_resource("page.css")),  # noqa: S704  our own
        libraries=Markup(libraries),  # noqa: S704  as they were installed
        script=Markup(script),  # noqa: S704  our own
        policy=_policy(libraries, script),
    )
    return text


@cache
def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("harness.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["seen"] = printable
    return environment.get_template("page.html.j2")


@cache
def _resource(name: str) -> str:
    return (files("harness.report.page") / name).read_text(encoding="utf-8")


@cache
def _vega() -> str:
    """The libraries that draw charts, as one script."""
    import vl_convert

    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", VEGA_LITE)


def _policy(*scripts: str) -> str:
    """What the page allows itself: these scripts, its own style, no connection."""
    digests = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts
    )
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    # The library compiles the expressions of charts, which come from this program alone.
    return (
        f"default-src 'none'; script-src {allowed} 'unsafe-eval'; "
        "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _about(run: Run) -> dict[str, str]:
    """What was run, in numbers."""
    summary = run.summary()
    datasets = summary["dataset"].unique()
    ended = run.trials["ended_at"].dropna()
    hosts = [shortened(host) or "an unknown machine" for host in run.hosts]
    found = {
        "trials": f"{len(run.trials):,}",
        "backends": number_of(len(run.backends), "backend"),
        "puzzles": number_of(run.instances["puzzle_id"].nunique(), "puzzle"),
        "datasets": _some([shortened(str(name), 40) for name in datasets]),
        "tasks": ", ".join(sorted(map(str, summary["task"].unique()))),
        "starts": ", ".join(sorted(map(str, summary["start"].unique()))),
        "where": _some(hosts),
        "when": f"{str(ended.min())[:16].replace('T', ' ')} UTC" if len(ended) else "",
    }
    return {name: printable(text) for name, text in found.items()}


def _some(names: Sequence[str], most: int = 8) -> str:
    left = len(names) - most
    return ", ".join(names[:most]) + (f" and {left} more" if left > 0 else "")


def _verdicts(run: Run) -> Iterator[tuple[str, list[str]]]:
    """A sentence on each backend, over all datasets as one, for each task, start and limit."""
    several = run.summary()["dataset"].nunique() > 1
    instances = run.together() if several else run.instances
    ranked = ranks(instances) if several else run.ranks()
    paired = pairwise(instances) if several else run.pairwise()
    of_pairs = dict(_by_contest(paired))
    for key, rows in sorted(_by_contest(ranked), key=lambda part: str(part[0])):
        contest = dict(zip(CONTEST, key, strict=True))
        title = contents.contest_title(contest, None, len(run.hosts) > 1)
        told = sentences(rows, of_pairs.get(key, paired.iloc[:0]))
        yield printable(title), [printable(sentence) for sentence in told]


def _by_contest(frame: pd.DataFrame) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    for key, rows in frame.groupby(CONTEST, sort=False, dropna=False):
        yield tuple(None if is_missing(value) else value for value in key), rows


def _backends(run: Run) -> list[dict[str, str]]:
    """The backends with their options and versions."""
    columns = ["backend", "paradigm", "options", "versions"]
    known = run.trials[columns].drop_duplicates().sort_values("backend")
    return [
        {
            "name": printable(shortened(backend_name(str(row["backend"])))),
            "paradigm": "" if is_missing(row["paradigm"]) else printable(str(row["paradigm"])),
            "options": _pairs(row["options"]),
            "versions": _pairs(row["versions"]),
        }
        for row in known.to_dict("records")
    ]


def _pairs(text: Any) -> str:
    """A JSON object as ``name = value`` pairs."""
    if is_missing(text):
        return ""
    found = json.loads(text)
    return printable(", ".join(f"{name} = {value}" for name, value in found.items()))


def _facts(calls: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """What is told of the machine of the last call in the first place."""
    if not calls:
        return []
    call = calls[-1]
    found: dict[str, Any] = {
        told: call[name] for name, told in _FACTS.items() if call.get(name) is not None
    }
    if "memory" in found:
        found["memory"] = f"{found['memory'] / 2**30:.1f} GiB"
    if "usable cores" in found:
        found["usable cores"] = len(found["usable cores"])
    if "checkout" in found:
        dirty = " with changes" if found["checkout"].get("dirty") else ""
        found["checkout"] = f"{found['checkout'].get('commit')}{dirty}"
    return [(name, printable(str(value))) for name, value in found.items()]


def _told_once(calls: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Each call as JSON; of later ones only what is not as in the one before."""
    before: Mapping[str, Any] = {}
    for call in calls[:_CALLS]:
        new = {name: value for name, value in call.items() if before.get(name, ...) != value}
        yield printable_lines(json.dumps(new, indent=1, ensure_ascii=False))
        before = call


def _sweeps(folders: Sequence[Path]) -> Iterator[str]:
    """What was asked, as the file of each run has it."""
    for folder in folders:
        path = folder / "sweep.toml"
        if path.is_file():
            yield printable_lines(path.read_text(encoding="utf-8", errors="replace"))


def printable_lines(text: str) -> str:
    """`text` with nothing in it that acts, its lines kept."""
    return "\n".join(printable(line) for line in text.splitlines())
