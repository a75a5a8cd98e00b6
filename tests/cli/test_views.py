"""Views of packages: formats of `harness report` and `compare` that the core finds by name."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.base import plugins
from harness.base.plugins import Plugin
from harness.cli import views
from tests.conftest import Ended

VIEWS = """
def titles(run):
    return f"{len(run.trials)} trials"

def worse(comparison, before, after, *, across_machines):
    return f"{before.folder.name} {after.folder.name} {across_machines} {comparison.regressed}"
"""
GONE = Plugin("report.gone", "harness.extensions.gone.page:html", "sudoku-harness")
BROKEN = Plugin("report.broken", "own_views:missing", "own-package")


def replace_plugins(monkeypatch: pytest.MonkeyPatch, *installed: Plugin) -> None:
    for module in (plugins, views):
        monkeypatch.setattr(module, "plugins", lambda group: installed)


@pytest.fixture
def a_run(run_once: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run, beside a package with views."""
    (tmp_path / "own_views.py").write_text(VIEWS)
    monkeypatch.syspath_prepend(tmp_path)
    names = {"report.titles": "titles", "compare.worse": "worse"}
    own = [Plugin(name, f"own_views:{function}", "own-package") for name, function in names.items()]
    replace_plugins(monkeypatch, *own, GONE, BROKEN)
    return run_once("for-views", ["1234............"], ["native"]) / "run"


def test_a_view_writes_its_text_to_a_file(
    harness: Callable[..., Ended], a_run: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    result = harness("report", a_run, "--format", "titles")
    assert result == (0, f"report: {a_run}/report.titles\n", "")
    assert (a_run / "report.titles").read_text() == "1 trials"
    command = ["compare", a_run, a_run, "--format", "worse", "--across-machines", "--out", out]
    code, output, _ = harness(*command)
    assert (code, output.splitlines()[0]) == (0, f"comparison: {out}")
    assert out.read_text() == "run run True False"


def test_the_formats_of_a_command_are_offered(
    offered: Callable[[str], set[str]], a_run: Path
) -> None:
    tables = {"text", "markdown", "csv", "latex"}
    assert offered("harness report --format ") == tables | {"titles", "gone", "broken"}
    assert offered("harness compare --format ") == tables | {"worse"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--format docx", "unknown format 'docx'; expected one of text, markdown, csv"),
        ("--format title", "unknown format 'title' (did you mean 'titles'?)"),
        ("--format worse", "unknown format 'worse'"),
        ("--format gone", "gone belongs to harness.extensions.gone, which is not installed"),
        ("--format broken", "'report.broken' cannot be loaded from the package own-package"),
        ("--out page.titles", "the suffix of another format; expected --format titles"),
    ],
)
def test_a_view_that_cannot_be_used_is_one_line(
    harness: Callable[..., Ended], a_run: Path, words: str, message: str
) -> None:
    code, output, error = harness("report", a_run, *words.split())
    assert (code, output, error.count("\n")) == (2, "", 1)
    assert message in error


def test_the_next_steps_name_the_page_only_if_it_is_installed(
    harness: Callable[..., Ended], a_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "--format html" not in harness("report", a_run).out
    page = Plugin("report.html", "own_views:titles", "own-package")
    replace_plugins(monkeypatch, page)
    assert "--format html" in harness("report", a_run).out
