"""Configuration of Sphinx for the documentation site: ``make docs``.

The source folder is the project, so that the pages are the files that a forge shows, and
links between them work in both places. The site needs no network: style, scripts, search
index and images are its own files.
"""

import shutil
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from docs import declared, navigation, signatures  # noqa: E402

_GROUPS = navigation.groups((PROJECT / f"{navigation.INDEX}.md").read_text(encoding="utf-8"))

project = "sudoku-harness"
copyright = "the authors of sudoku-harness"  # noqa: A001  the name that Sphinx reads
release = version = metadata.version("sudoku-harness")
language = "en"

root_doc = navigation.HOME
include_patterns = [f"{page}.*" for page in (navigation.HOME, *navigation.pages(_GROUPS))]
exclude_patterns = [".*", "build", "dist", "**/*.py"]

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
default_role = "py:obj"
highlight_language = "text"

# Markdown
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 6

# The notebooks run again in each build, so that their output is that of this version.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
nb_ipywidgets_js: dict[str, Any] = {}

# The reference
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
maximum_signature_line_length = 88
napoleon_numpy_docstring = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"{project} {release}"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["site"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]


def setup(app: "Sphinx") -> None:
    """Fill in what follows from declarations, add the navigation, and copy the first page."""
    app.connect("autodoc-process-signature", _readable_signature)
    app.connect("autodoc-process-docstring", _with_options, priority=600)  # after napoleon
    app.connect("html-collect-pages", _without_modules_without_a_page, priority=400)
    app.connect("source-read", _with_measured_tables)
    app.connect("source-read", _with_navigation)
    app.connect("build-finished", _with_index)


def _readable_signature(
    _app: "Sphinx",
    _kind: str,
    _name: str,
    thing: object,
    _options: object,
    signature: str | None,
    returns: str | None,
) -> tuple[str | None, str | None]:
    return signatures.readable(thing, signature), returns


def _with_options(
    _app: "Sphinx", _kind: str, _name: str, thing: object, _options: object, lines: list[str]
) -> None:
    signatures.describe_options(thing, lines)


def _without_modules_without_a_page(app: "Sphinx") -> list[Any]:
    """Keep modules without source, such as builtins, out of the index of the source code."""
    modules = getattr(app.env, "_viewcode_modules", {})
    for name in [name for name, entry in modules.items() if not entry]:
        del modules[name]
    return []


def _with_measured_tables(_app: "Sphinx", _page: str, source: list[str]) -> None:
    source[0] = declared.filled(source[0])


def _with_navigation(_: "Sphinx", page: str, source: list[str]) -> None:
    if page == navigation.HOME:
        source[0] += "\n" + navigation.toctrees(_GROUPS)


def _with_index(app: "Sphinx", error: Exception | None) -> None:
    home = app.outdir / f"{navigation.HOME}.html"
    if error is None and home.is_file():
        shutil.copyfile(home, app.outdir / "index.html")
