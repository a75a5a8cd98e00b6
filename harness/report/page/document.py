"""HTML documents from a template, the style, the scripts and a content security policy."""

import base64
import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.report.charts import vega
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
    libraries = _libraries()
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
    script = waiting.submit(_bundled_elsewhere)
    waiting.shutdown(wait=False)
    return script


def _libraries() -> str:
    """The chart libraries, bundled in this process if the other one could not do it."""
    script = chart_libraries().result()
    if "vegaEmbed" in script:
        return script
    import vl_convert

    return vl_convert.javascript_bundle(*_BUNDLE)


def _bundled_elsewhere() -> str:
    """What the process has bundled; empty if it failed."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "libraries.js"
        # Without the environment and the startup files of Python, but with the modules of this
        # process: nothing but vl-convert runs or writes.
        arguments = json.dumps([sys.path, str(file), *_BUNDLE])
        command = [sys.executable, "-I", "-S", "-c", _BUNDLING, arguments]
        try:
            subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)
            return file.read_text(encoding="utf-8")
        except (OSError, TypeError, ValueError, subprocess.SubprocessError):
            return ""


_BUNDLE: Final = ("window.vegaEmbed = vegaEmbed;", vega.VERSION)
_BUNDLING: Final = """
import json, sys
sys.path, file, *bundle = json.loads(sys.argv[1])
import vl_convert
with open(file, "w", encoding="utf-8", newline="") as out:
    out.write(vl_convert.javascript_bundle(*bundle))
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
