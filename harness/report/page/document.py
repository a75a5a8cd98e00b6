"""What every page is made with: templates, style, scripts, and what it allows itself."""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.report.charts.files import VEGA_LITE
from harness.report.formatting import printable
from harness.report.page.data import embedded

SCRIPTS: Final = ("core.js", "tables.js", "charts.js", "trials.js", "start.js")
"""The page's own scripts, in the order in which they are read."""


def document(template: str, data: Mapping[str, Any], told: Mapping[str, Any]) -> str:
    """A page as the text of an HTML file that needs nothing else.

    What others wrote is text in it and can be nothing else: it is escaped, and
    the page forbids itself every script but its own and every connection.

    Args:
        template: the name of the template, one of those beside this module.
        data: what the scripts read.
        told: what the template shows.
    """
    script = "".join(map(_resource, SCRIPTS))
    libraries = _vega()
    text: str = (
        _templates()
        .get_template(template)
        .render(
            told,
            data=Markup(embedded(data)),  # noqa: S704  no character of it acts
            style=Markup(_resource("page.css")),  # noqa: S704  our own
            libraries=Markup(libraries),  # noqa: S704  as they were installed
            script=Markup(script),  # noqa: S704  our own
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
    environment.filters["seen"] = printable
    return environment


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
