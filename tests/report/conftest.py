"""Runs with data for every chart and every part of a page."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from harness.analysis.comparison import compare
from harness.analysis.run import Run
from harness.analysis.summary import incidents_frame
from harness.extensions import page
from harness.extensions.page import comparison_page
from harness.records.environment import Invocation, write_invocations
from harness.report import tables
from harness.report.table import Section
from harness.report.tables import comparison

Trials = Callable[..., pd.DataFrame]
BuildOnce = Callable[[str, Callable[[Path], object]], Path]
HOSTILE = {
    "script": "<script>alert('x')</script>",
    "attribute": '"><img src=x onerror=alert(1)>',
    "quotes": "'\"`\u00b4\u2019",
    "formula": "=cmd|' /C calc'!A0",
    "formula after blanks": "  @SUM(1+1)",
    "minus": "-2+3+cmd|' /C calc'!A0",
    "tab": "\t=1+1",
    "latex": r"\input{/etc/passwd} $x^2_3$ 50% & #1 ~ {\bf",
    "row": "[2cm] \\\\ * --",
    "markdown": "| a | b | [link](javascript:alert(1)) `code` *bold* https://example.org",
    "right to left": "\u202egnp.exe \u05d0\u05d1\u05d2",
    "terminal": "\x1b[31mred\x1b]0;title\x07\r\nline",
    "rich": "[red]not red[/red] :smile:",
    "long": "x" * 10_000,
    "wide": "数独🧩" * 5,
    "nothing": "",
}
ACTING = HOSTILE["right to left"] + HOSTILE["terminal"]
TIMES = [0.001 * 1.3**n for n in range(24)]


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
        made = full_trials(trials_of, name)
        few = (made["repetition"] < 3) & (made["start"] == "cold")
        first = made["dataset"] == made["dataset"].iloc[0]
        made = made[few & (first | (name == HOSTILE["script"]))]
        named = {column: name + made[column] for column in ("name", "puzzle_id")}
        texts = dict.fromkeys(("host", "paradigm", "reason"), name)
        parts.append(made.assign(**named, **texts))
    return Run(Path("</title>"), pd.concat(parts, ignore_index=True))


@pytest.fixture(scope="session")
def hostile_page(hostile_run: Run, build_once: BuildOnce) -> str:
    """The page of `hostile_run`."""
    return written_once(build_once, "hostile-page", lambda: page.html(hostile_run))


@pytest.fixture(scope="session")
def hostile_tables_run(trials_of: Trials) -> Run:
    """A run in which every name and every reason is hostile."""
    together = (("script", "attribute"), ("latex", "row"), ("right to left", "terminal"))
    names = ["".join(HOSTILE[key] for key in keys) for keys in together]
    names += [name for key, name in HOSTILE.items() if not any(key in keys for keys in together)]
    parts, events = [], []
    for name in names:
        results = {name: [1.0, 2.0, "crashed"], f"{name}+": [(2.0, 3.0), "timeout", "wrong"]}
        results |= {f"{name}.": [2.0, 2.0, 2.0]}
        made = trials_of(results, dataset=name, host=name, paradigm=name, reason=name)
        named = {column: name + made[column] for column in ("name", "puzzle_id")}
        parts.append(made.assign(**named))
        events.append(left_running(name))
    trials, incidents = (pd.concat(frames, ignore_index=True) for frames in (parts, events))
    return Run(Path(), trials, events=incidents)


@pytest.fixture(scope="session")
def hostile_reports(hostile_tables_run: Run) -> tuple[list[Section], list[Section]]:
    """The sections of `hostile_tables_run`, and of its comparison."""
    return tables.sections(hostile_tables_run), compared(hostile_tables_run)


def left_running(backend: str) -> pd.DataFrame:
    return incidents_frame([["2026-01-01T00:00:00", backend, "left running", f"of {backend}"]])


def compared(run: Run) -> list[Section]:
    """The comparison of a run with one that is slower and fails elsewhere."""
    before = run.trials
    verdicts = before["verdict"].replace({"solved": "timeout", "timeout": "solved"})
    later = before.assign(verdict=before["verdict"].where(before["repetition"] == 1, verdicts))
    return comparison.sections(compare(before, later.assign(wall_s=later["wall_s"] * 2)))


def written_once(build_once: BuildOnce, name: str, html: Callable[[], str]) -> str:
    """A page that one worker makes and all workers read."""

    def write(folder: Path) -> None:
        (folder / "page.html").write_bytes(html().encode())

    return (build_once(name, write) / "page.html").read_bytes().decode()


def changed(run: Run) -> Run:
    """A later run: the last backend is three times slower, with one crash and one fixed timeout."""
    trials = run.trials.copy()
    second = trials["backend"] == run.backends[-1]
    trials["wall_s"] = trials["wall_s"].where(~second, 3 * trials["wall_s"])
    for failed, verdict in ((False, "crashed"), (True, "solved")):
        rows = trials.index[second & ((trials["verdict"] == "timeout") == failed)]
        trials.loc[rows[:1], "verdict"] = verdict
    return Run(run.folder, trials)


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


def run_with_invocations(
    folder: Path, trials: pd.DataFrame, invocations: Sequence[Invocation]
) -> Run:
    """A run whose folder has a record of these invocations."""
    write_invocations(folder, invocations)
    return Run(folder, trials)


def full_trials(trials_of: Trials, suffix: str = "") -> pd.DataFrame:
    """The trials of `full` with this suffix in the names of backends and datasets."""
    one = [(t, 1.05 * t, 1.2 * t) for t in TIMES]
    two = [(2 * t, 2 * t, 2 * t) if n % 6 else "timeout" for n, t in enumerate(TIMES)]
    six = [(t / 3, t / 3, t / 3) if n % 9 else "out_of_memory" for n, t in enumerate(TIMES)]
    results = {f"one{suffix}": one, f"two{suffix}": two, f"six{suffix}": six}

    def stats(number: int) -> str:
        return f'{{"nodes": {number * 10}, "guesses": {number}}}'

    def clues(number: int) -> int:
        return 14 + 2 * (number // 3)

    puzzles = {"shape": "9x9", "puzzle": "1" + "." * 80, "clues": clues, "stats": stats}

    def small_id(number: int) -> str:
        return f"s{number:04d}"

    small: dict[str, Any] = {
        "puzzle_id": small_id,
        "shape": "4x4",
        "puzzle": "1" + "." * 15,
        "clues": lambda number: 1 + number // 4,
    }
    small["stats"] = stats
    parts = [
        trials_of(results, dataset=f"dense{suffix}", **puzzles),
        trials_of(results, dataset=f"small{suffix}", **small),
        trials_of(results, dataset=f"small{suffix}", start="warm", **small),
    ]
    trials = pd.concat(parts, ignore_index=True)
    right = trials["verdict"] == "solved"
    none = right & (trials["clues"] > 20)
    trials["verdict"] = trials["verdict"].mask(none, "unsatisfiable")
    filled = trials["puzzle"].str.replace(".", "2", regex=False)
    trials["solution"] = filled.where(right & ~none)
    for phase, share in (("build", 0.1), ("encode", 0.2), ("search", 0.5), ("decode", 0.1)):
        trials[f"{phase}_s"] = np.where(right, share * trials["wall_s"], np.nan)
    trials["cpu_s"] = 0.95 * trials["wall_s"]
    trials["cpu_source"] = "rusage"
    trials["options"], trials["versions"] = '{"x": 1}', '{"made": "1.0"}'
    trials["ended_at"] = "2026-01-01T00:00:00.000+00:00"
    return trials
