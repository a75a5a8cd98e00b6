"""HTML documents from a template, the style, the scripts and a content security policy."""

import base64
import hashlib
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.report.charts.files import VEGA_LITE
from harness.report.formatting import printable
from harness.report.page.data import embedded

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
    script = "".join(map(_resource, SCRIPTS))
    libraries = chart_libraries().result()
    text: str = (
        _templates()
        .get_template(template)
        .render(
            context,
            data=Markup(embedded(data)),  # noqa: S704  markup characters are escaped
            style=Markup(_resource("page.css")),  # noqa: S704  our own file
            libraries=Markup(libraries),  # noqa: S704  the installed libraries
            script=Markup(script),  # noqa: S704  our own file
            policy=_policy(libraries, script),
        )
    )
    return text


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("harness.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["printable"] = printable
    return environment


@cache
def _resource(name: str) -> str:
    return (files("harness.report.page") / name).read_text(encoding="utf-8")


@cache
def chart_libraries() -> Future[str]:
    """The chart libraries as one script, which takes a second to bundle.

    Each page begins with a call: a process of its own bundles them, on another core, while
    the tables and charts are computed. vl-convert does not release Python's lock.
    """
    waiting = ThreadPoolExecutor(1)
    script = waiting.submit(_bundle)
    waiting.shutdown(wait=False)
    return script


def _bundle() -> str:
    command = [sys.executable, "-c", _BUNDLING, VEGA_LITE]
    return subprocess.run(command, check=True, capture_output=True).stdout.decode()


_BUNDLING: Final = """
import sys, vl_convert
script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", sys.argv[1])
sys.stdout.buffer.write(script.encode())
"""


def _policy(*scripts: str) -> str:
    """A content security policy for these scripts, inline style and no connection."""
    digests = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts
    )
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    # Vega compiles the expressions of chart descriptions, which only this program writes.
    return (
        f"default-src 'none'; script-src {allowed} 'unsafe-eval'; "
        "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
