"""A workbench for the tests of a module, and a browser that opens its pages."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.extensions.drawings.svg import svg
from harness.puzzles import Puzzle, Shape
from tests.extensions.workbench.server import PUZZLE, Workbench, wait_for
from tests.extensions.workbench.tab import Tab

OpenPage = Callable[..., Tab]
CopyRun = Callable[[Path], Path]


@pytest.fixture(scope="session")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """The workbench of all tests that only need its answers; no test starts a sweep in it."""
    yield from quiet(tmp_path_factory.mktemp("workbench"))


@pytest.fixture(scope="session")
def free(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """Another one, for tests of sweeps and of backends in files."""
    yield from quiet(tmp_path_factory.mktemp("free"), "--allow-files")


def quiet(folder: Path, *options: str) -> Iterator[Workbench]:
    """A workbench that must not fail, and that ends what it started."""
    pytest.importorskip("uvicorn", reason="the extra [workbench] is not installed")
    with Workbench(folder, *options) as workbench:
        yield workbench
        below = workbench.processes()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below), 10)
    log = workbench.log.read_text()
    assert "Traceback" not in log, log


@pytest.fixture
def open_page(browser: Any, workbench: Workbench) -> Iterator[OpenPage]:
    """Opens a page of the workbench in a context of its own; no page may report an error."""
    yield from opening(browser, workbench)


@pytest.fixture
def open_free(browser: Any, free: Workbench) -> Iterator[OpenPage]:
    """The same of the workbench that runs sweeps."""
    yield from opening(browser, free)


def opening(browser: Any, workbench: Workbench) -> Iterator[OpenPage]:
    tabs: list[Tab] = []

    def open_tab(
        path: str = "/",
        kind: type[Tab] = Tab,
        *,
        width: int = 1280,
        height: int = 860,
        dark: bool = False,
        **options: str,
    ) -> Tab:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            permissions=["clipboard-read", "clipboard-write"],
            **options,
        )
        tabs.append(kind(context, workbench))
        tabs[-1].goto(path)
        return tabs[-1]

    yield open_tab
    for tab in tabs:
        messages = list(tab.messages)
        tab.context.close()
        assert messages == []


@pytest.fixture(scope="session")
def image() -> bytes:
    """A screenshot of `PUZZLE`."""
    from vl_convert import svg_to_png

    return bytes(svg_to_png(svg(Puzzle.of_line(PUZZLE, Shape.parse("9x9"))), scale=1.5))


@pytest.fixture
def copy_run(run_once: Callable[..., Path]) -> CopyRun:
    """Copy a run of two trials to a folder."""
    run = run_once("workbench_runs", [PUZZLE], ["native"], repeat=2) / "run"
    return lambda folder: Path(shutil.copytree(run, folder))
