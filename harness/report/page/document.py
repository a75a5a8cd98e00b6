"""HTML documents from a template, the style, the scripts and a content security policy."""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.report.formatting import printable
from harness.report.page import libraries
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
    own = "".join(map(_resource, SCRIPTS))
    charts = libraries.script()
    text: str = (
        _templates()
        .get_template(template)
        .render(
            context,
            data=Markup(embedded(data)),  # noqa: S704  markup characters are escaped
            style=Markup(_resource("page.css")),  # noqa: S704  our own file
            libraries=Markup(charts),  # noqa: S704  the installed libraries
            script=Markup(own),  # noqa: S704  our own file
            policy=_policy(charts, own),
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
