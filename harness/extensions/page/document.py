"""HTML documents: template, style, scripts, and the parts that pages share.

vl-convert bundles Vega, Vega-Lite and Vega-Embed, which takes a second. The script stays in the
user's cache for the next page; it can be deleted at any time.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from itertools import chain
from typing import Any, Final

import msgspec
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.analysis import Run, facts_of
from harness.analysis.measures import columns as col
from harness.base.errors import HarnessError
from harness.base.files import replace_file, user_cache
from harness.base.text import printable, shortened
from harness.extensions.page.charts import theme
from harness.extensions.page.charts.chart import Source
from harness.extensions.page.data import TimeView, script_json
from harness.extensions.page.fragments import html_fragments
from harness.records.folder import Invocation
from harness.report import Section, backend_name, is_missing

# The libraries that draw the charts of a page, as one script.


_BUNDLE: Final = ("window.vegaEmbed = vegaEmbed;", theme.VERSION)


@cache
def script() -> str:
    """The libraries as one script, which the user's cache keeps for this version of vl-convert."""
    folder = user_cache()
    made_of = json.dumps([version("vl-convert-python"), *_BUNDLE]).encode()
    file = folder and folder / f"chart-libraries-{hashlib.sha256(made_of).hexdigest()[:16]}.js"
    with suppress(OSError, UnicodeDecodeError):
        digest, _, content = (file.read_bytes() if file else b"").partition(b"\n")
        if hashlib.sha256(content).hexdigest().encode() == digest:
            return content.decode()
    import vl_convert

    text: str = vl_convert.javascript_bundle(*_BUNDLE)
    if file:
        content = text.encode()
        with suppress(OSError, HarnessError):
            file.parent.mkdir(parents=True, exist_ok=True)
            replace_file(file, hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
    return text


# The environment of a run for a page: machine, backends, sweep files and invocations.


_INVOCATIONS: Final = 50
"""Maximum number of invocations that a page lists."""


def run_environment(run: Run) -> dict[str, Any]:
    """The environment of a run for a template; every text is printable.

    The facts are those of the last invocation. Each folder has a sweep file. An invocation is JSON,
    with only what changed since the one before.
    """
    columns = ["backend", "paradigm", "options", "versions"]
    backends = run.trials[columns].drop_duplicates().sort_values("backend")
    paths = [folder / "sweep.toml" for folder in (run.folder, *run.others)]
    texts = [p.read_text(encoding="utf-8", errors="replace") for p in paths if p.is_file()]
    return {
        "facts": [(name, printable(value)) for name, value in facts_of(run.environment).items()],
        "backends": [
            {
                "name": printable(shortened(backend_name(str(row["backend"])))),
                "paradigm": "" if is_missing(row["paradigm"]) else printable(str(row["paradigm"])),
                "options": pairs_text(row["options"]),
                "versions": pairs_text(row["versions"]),
            }
            for row in backends.to_dict("records")
        ],
        "sweeps": list(map(_printable_lines, texts)),
        "invocations": list(_changes(run.invocations)),
        "invocations_omitted": max(0, len(run.invocations) - _INVOCATIONS),
    }


def pairs_text(text: Any) -> str:
    """A JSON object as ``name = value`` pairs."""
    if is_missing(text):
        return ""
    values = json.loads(text)
    return printable(", ".join(f"{name} = {value}" for name, value in values.items()))


def _changes(invocations: Sequence[Invocation]) -> Iterator[str]:
    """The first invocation as JSON, then what each later one changed."""
    previous: Mapping[str, Any] = {}
    for invocation in invocations[:_INVOCATIONS]:
        current = msgspec.to_builtins(invocation)
        entries = _new_entries(previous, current)
        yield _printable_lines(json.dumps(entries, indent=1, ensure_ascii=False))
        previous = current


def _new_entries(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of `new` that `old` does not have, objects entry by entry."""
    return {
        name: _new_entries(old[name], value)
        if isinstance(value, dict) and isinstance(old.get(name), dict)
        else value
        for name, value in new.items()
        if old.get(name) != value
    }


def _printable_lines(text: str) -> str:
    """`text` in printable characters, with its line breaks."""
    return "\n".join(printable(line) for line in text.splitlines())


# HTML documents from a template, the style, the scripts and a content security policy.


SCRIPTS: Final = ("core.js", "tables.js", "charts.js", "print.js", "trials.js", "start.js")
"""The scripts of the page, in execution order."""


def document(template: str, data: Mapping[str, Any], context: Mapping[str, Any]) -> str:
    """Render a self-contained HTML file.

    Names and messages from outside are escaped, and the content security policy
    of the page allows only its own scripts and no connection.

    Args:
        template: the file name of a template beside this module.
        data: the data of the scripts.
        context: the variables of the template.
    """
    own = "".join(map(resource, SCRIPTS))
    charts = script()
    text: str = (
        templates()
        .get_template(template)
        .render(
            context,
            data=Markup(script_json(data)),  # noqa: S704  markup characters are escaped
            style=Markup(resource("page.css")),  # noqa: S704  our own file
            libraries=Markup(charts),  # noqa: S704  the installed libraries
            script=Markup(own),  # noqa: S704  our own file
            policy=_policy(charts, own),
        )
    )
    return text


@cache
def templates(*packages: str) -> Environment:
    """The templates of pages and of other packages, with all texts escaped."""
    places = ("harness.extensions.page", *packages)
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(place, "") for place in places]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["printable"] = printable
    return environment


@cache
def resource(name: str) -> str:
    """The text of a file beside this module."""
    return (files("harness.extensions.page") / name).read_text(encoding="utf-8")


def _policy(*scripts: str) -> str:
    """A content security policy for these scripts, inline style and no connection."""
    digests = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts
    )
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    # Vega compiles the expressions of chart descriptions, which only this program writes.
    return (
        f"default-src 'none'; script-src {hashes} 'unsafe-eval'; "
        "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


# Parts that the page of a run and the page of a comparison share.


_ROWS: Final = 1_500
"""Approximate maximum number of rows of all tables of a time together; CSV has all of them."""
_MOST_ROWS_EACH: Final = 200
_FEWEST_ROWS_EACH: Final = 20


def tables(
    views: Sequence[TimeView[Source]], sections_of: Callable[[Source], Sequence[Section]]
) -> Markup:
    """The tables of a page as HTML, for each kind of time; long tables are shortened.

    Only those of the first kind, which is selected when the page opens, are visible.
    """
    sections, *others = [
        [
            replace(section, group={**section.group, col.TIME: view.value})
            for section in sections_of(view.source)
        ]
        for view in views
    ]
    lengths = [len(table.frame) for section in sections for table in section.tables]
    most = next(
        (
            n
            for n in range(_MOST_ROWS_EACH, _FEWEST_ROWS_EACH, -10)
            if sum(min(n, m) for m in lengths) <= _ROWS
        ),
        _FEWEST_ROWS_EACH,
    )
    text = html_fragments(sections, most) + html_fragments(
        list(chain(*others)), most, is_hidden=True
    )
    return Markup(text)  # noqa: S704  fragments are escaped
