"""Runs with data for every chart and every part of a page, and their pages."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.run import Run
from harness.extensions import page
from harness.extensions.page import comparison_page
from tests.full_runs import ACTING, HOSTILE, changed, full_trials

Trials = Callable[..., pd.DataFrame]
BuildOnce = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def full(trials_of: Trials) -> Run:
    """Two datasets, two sizes, densities with and without solutions, phases, nodes, failures."""
    return Run(Path("results/full"), full_trials(trials_of))


@pytest.fixture(scope="session")
def full_page(full: Run, build_once: BuildOnce) -> str:
    """The page of `full`."""
    return written_once(build_once, "full-page", lambda: page.html(full))


@pytest.fixture(scope="session")
def hostile_run(trials_of: Trials) -> Run:
    """A run with names and reasons that contain markup, control characters and long text."""
    parts = []
    for name in (HOSTILE["script"], HOSTILE["attribute"], ACTING, HOSTILE["long"]):
        trials = full_trials(trials_of, name)
        few = (trials["repetition"] < 3) & (trials["start"] == "cold")
        first = trials["dataset"] == trials["dataset"].iloc[0]
        trials = trials[few & (first | (name == HOSTILE["script"]))]
        names = {column: name + trials[column] for column in ("name", "puzzle_id")}
        texts = dict.fromkeys(("host", "paradigm", "reason"), name)
        parts.append(trials.assign(**names, **texts))
    return Run(Path("</title>"), pd.concat(parts, ignore_index=True))


@pytest.fixture(scope="session")
def hostile_page(hostile_run: Run, build_once: BuildOnce) -> str:
    """The page of `hostile_run`."""
    return written_once(build_once, "hostile-page", lambda: page.html(hostile_run))


@pytest.fixture(scope="session")
def compared_page(full: Run, build_once: BuildOnce) -> str:
    """The page of the comparison of `full` with a later run."""
    after = changed(full)
    return written_once(
        build_once,
        "compared-page",
        lambda: comparison_page.comparison_html(full.compare(after), full, after),
    )


@pytest.fixture(scope="session")
def hostile_compared_page(hostile_run: Run, build_once: BuildOnce) -> str:
    """The page of the comparison of `hostile_run` with a later run."""
    after = changed(hostile_run)
    return written_once(
        build_once,
        "hostile-compared-page",
        lambda: comparison_page.comparison_html(hostile_run.compare(after), hostile_run, after),
    )


def written_once(build_once: BuildOnce, name: str, html: Callable[[], str]) -> str:
    """A page that one worker makes and all workers read."""

    def write(folder: Path) -> None:
        (folder / "page.html").write_bytes(html().encode())

    return (build_once(name, write) / "page.html").read_bytes().decode()
