"""The documentation site: complete, with local assets and links that lead somewhere, searchable."""

import inspect
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_type_hints
from urllib.parse import unquote, urlsplit

import pytest

from docs import navigation
from harness import Sweep
from harness.runs.sweep import options_of
from tests.docs.test_docstrings import ALSO, MODULES

pytest.importorskip("myst_nb", reason="myst-nb is not installed")

PROJECT = Path(__file__).resolve().parents[2]
ASSETS = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")}

BuildOnce = Callable[[str, Callable[[Path], object]], Path]


def built_from(source: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """Build as `make docs` does, without running the notebook."""
    trees = site.parent / f"{site.name}-doctrees"
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going"]
    command += ["-c", str(source / "docs"), "-d", str(trees), "-D", "nb_execution_mode=off"]
    return subprocess.run([*command, source, site], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(build_once: BuildOnce) -> Path:
    """The site that `make docs` has built, or else one without the output of the notebook."""
    if built := os.environ.get("SITE"):
        return Path(built).resolve()

    def build(folder: Path) -> None:
        process = built_from(PROJECT, folder)
        assert process.returncode == 0, process.stderr

    return build_once("site", build)


class Page(HTMLParser):
    """The links, assets and anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.assets: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif (tag, name) in ASSETS and value:
                self.assets.append(value)
            elif (tag, name) == ("a", "href") and value:
                self.links.append(value)


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path.resolve(): Page(path) for path in site.rglob("*.html")}


def test_every_page_is_in_the_navigation(site: Path) -> None:
    groups = navigation.groups((PROJECT / "docs" / "README.md").read_text())
    assert " ".join(groups) == "Start Run Puzzles Backends Results Reference Project"
    sources = {*PROJECT.glob("docs/**/*.md"), *PROJECT.glob("docs/*.ipynb")}
    names = {path.relative_to(PROJECT).with_suffix("").as_posix() for path in sources}
    assert names <= set(navigation.pages(groups))
    index = (site / "index.html").read_text()
    for page in navigation.pages(groups):
        assert (site / f"{page}.html").is_file()
        assert f'href="{page}.html"' in index
    for caption in groups:
        assert f'<span class="caption-text">{caption}</span>' in index


@pytest.mark.parametrize(
    ("index", "problem"),
    [
        ("# x\n\ntext\n", "no groups"),
        ("| x | [a](a.md) |\n", "precedes"),
        ("| **A** | |\n| x | [a](a.md) |\n| y | [b](a.md) |\n", "twice"),
    ],
)
def test_a_table_without_groups_is_an_error(index: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        navigation.groups(index)


def test_all_assets_are_files_of_the_site(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        assert page.assets
        for asset in page.assets:
            parts = urlsplit(asset)
            assert not parts.scheme or parts.scheme == "data", f"{path}: {asset}"
            assert not parts.netloc, f"{path}: {asset}"
            if parts.path and not parts.scheme:
                assert (path.parent / unquote(parts.path)).is_file(), f"{path}: {asset}"
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"@import|url\([\"']?(?:https?:)?//", text), style


def test_all_links_and_anchors_within_the_site_exist(site: Path, pages: dict[Path, Page]) -> None:
    number = 0
    assert site.resolve() / "_modules" / "index.html" in pages
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.exists(), f"{path}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].ids, f"{path}: {link}"
                number += 1
    assert number > 100


def test_the_reference_has_every_public_name(pages: dict[Path, Page]) -> None:
    ids = set().union(*(page.ids for page in pages.values()))
    names = {id_.rpartition(".")[2] for id_ in ids if id_.startswith("harness.")}
    in_puzzles = import_module("harness.puzzles").__all__
    for module in MODULES:
        for name in import_module(module).__all__:
            thing = getattr(import_module(module), name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                home = "harness.puzzles" if name in in_puzzles else module
                assert f"{home}.{name}" in ids, f"{module}.{name}"
            assert name in names, f"{module}.{name}"
    assert ids >= ALSO
    assert {"harness.Run.pairwise", "harness.contract.Backend.solve", "harness.Reply.wall_s"} <= ids


def text_of(html: str) -> str:
    """The text of markup, without typographic quotes and dashes."""
    text = unescape(re.sub(r"<[^>]+>", "", html))
    return " ".join(text.replace("\u2019", "'").replace("\u2013", "-").split())


def test_signatures_have_readable_types_and_defaults(site: Path) -> None:
    for path in (site / "docs" / "reference").glob("*.html"):
        for signature in re.findall(r'<dt class="sig.*?</dt>', path.read_text(), re.DOTALL):
            assert not re.search(r"Meta\(|extra=|Annotated|\bSweep\.\w+[,)]", text_of(signature))


def test_the_reference_has_each_option_of_a_sweep(site: Path) -> None:
    page = (site / "docs" / "reference" / "harness.html").read_text()
    start, end = page.index('id="harness.Sweep"'), page.index('id="harness.Sweep.from_options"')
    text = text_of(page[start:end])
    types = get_type_hints(Sweep)
    for name, option in options_of(Sweep).items():
        may_be_none = type(None) in get_args(types[name])
        kind = f"{option.scalar.__name__} | None" if may_be_none else types[name].__name__
        kind = "tuple[" if option.is_list else kind
        assert re.search(rf" {name}: {re.escape(kind)}.*? {name} \({re.escape(kind)}", text), name
        assert f"- {option.help}" in text, name
    assert "tasks: tuple[Task, ...] = ('solve',)" in text
    run = text_of(page[page.index('id="harness.run"') :].partition("</dt>")[0])
    assert "max_solutions: int = 2," in run
    assert "timeout: float = 10.0," in run
    assert "shape: str | Shape | None = None," in run
    assert "tasks: str | Iterable[str] = 'solve'," in run


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A project of one page with the configuration of this one."""
    docs = tmp_path / "project" / "docs"
    docs.mkdir(parents=True)
    for path in PROJECT.glob("docs/*.py"):
        shutil.copy(path, docs)
    shutil.copytree(PROJECT / "docs" / "site", docs / "site")
    table = "| topic | page |\n|---|---|\n| **A** | |\n| x | [sweeps.md](sweeps.md) |\n"
    (docs.parent / "README.md").write_text("# Home\n\n## Documentation\n\nPages.\n")
    (docs / "README.md").write_text(f"# Pages\n\n{table}")
    (docs / "sweeps.md").write_text("# Page\n\nA [link](../README.md#documentation).\n")
    return docs.parent


@pytest.mark.long
def test_links_without_a_target_fail_the_build(small: Path, tmp_path: Path) -> None:
    assert built_from(small, tmp_path / "good").returncode == 0
    links = ("y.md", "../README.md#nothing", "#nowhere")
    text = " ".join(f"[link]({link})" for link in links)
    (small / "docs" / "sweeps.md").write_text(f"# Page\n\nA {text}.\n")
    process = built_from(small, tmp_path / "bad")
    assert process.returncode == 1
    for target in ("y.md", "nothing", "nowhere"):
        assert re.search(rf"WARNING.*{target}", process.stderr), target


def test_the_site_works_from_files_without_a_network(site: Path, browser: Any) -> None:
    tab = browser.new_page(offline=True)
    messages: list[str] = []
    requests: list[str] = []
    tab.on("console", lambda message: messages.append(message.text))
    tab.on("pageerror", lambda error: messages.append(str(error)))
    tab.on("request", lambda request: requests.append(request.url))
    tab.goto((site / "index.html").as_uri())
    assert tab.title().startswith("sudoku-harness")
    tab.fill("input[name=q]", "resume interrupted sweep")
    tab.press("input[name=q]", "Enter")
    tab.wait_for_selector("#search-results li a")
    titles = tab.eval_on_selector_all("#search-results li a", "all => all.map(a => a.textContent)")
    assert "Running a sweep" in titles
    tab.click("#search-results li a:has-text('Running a sweep')")
    tab.wait_for_selector("h1:has-text('Running a sweep')")
    for width in (390, 1280):
        tab.set_viewport_size({"width": width, "height": 800})
        for page in ("docs/reference/columns.html", "docs/reference/contract.html"):
            tab.goto((site / page).as_uri())
            assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), page
    assert messages == []
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
