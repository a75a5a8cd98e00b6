"""Runs with data for every chart and every part of a page, and hostile names."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.run import Run
from harness.records.folder.environment import Invocation, write_invocations

Trials = Callable[..., pd.DataFrame]

HOSTILE: Final = {
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
ACTING: Final = HOSTILE["right to left"] + HOSTILE["terminal"]
TIMES: Final = [0.001 * 1.3**n for n in range(24)]


def full_trials(trials_of: Trials, suffix: str = "") -> pd.DataFrame:
    """The trials of `full` with this suffix in the names of backends and datasets."""
    times = [(t, 1.05 * t, 1.2 * t) for t in TIMES]
    two = [(2 * t, 2 * t, 2 * t) if n % 6 else "timeout" for n, t in enumerate(TIMES)]
    six = [(t / 3, t / 3, t / 3) if n % 9 else "out_of_memory" for n, t in enumerate(TIMES)]
    results = {f"one{suffix}": times, f"two{suffix}": two, f"six{suffix}": six}

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
    solutions = trials["puzzle"].str.replace(".", "2", regex=False)
    trials["solution"] = solutions.where(right & ~none)
    for phase, share in (("build", 0.1), ("encode", 0.2), ("search", 0.5), ("decode", 0.1)):
        trials[f"{phase}_s"] = np.where(right, share * trials["wall_s"], np.nan)
    trials["cpu_s"] = 0.95 * trials["wall_s"]
    trials["cpu_source"] = "rusage"
    trials["options"], trials["versions"] = '{"x": 1}', '{"made": "1.0"}'
    trials["ended_at"] = "2026-01-01T00:00:00.000+00:00"
    return trials


def repeated_unequally(trials_of: Trials) -> Run:
    """30 instances x 4 backends x 1; the same puzzles in a second dataset, repeated unequally."""
    four: dict[str, list[Any]] = {
        "a": [0.1] * 30,
        "b": ["crashed"] * 3 + [0.2] * 27,
        "c": [0.3] * 29 + ["wrong"],
        "d": [0.4] * 30,
    }
    two: dict[str, list[Any]] = {"a": [(0.1, 0.1, 0.3)] * 10, "b": [(0.2, 0.2)] * 8 + [None] * 2}
    parts = [
        trials_of(four),
        trials_of(two, dataset="e"),
        trials_of({"a": ["unknown"] * 5}, task="count", limit=2),
    ]
    trials = pd.concat(parts, ignore_index=True)
    return Run(Path(), trials.assign(cpu_s=trials["wall_s"] / 2, cpu_source="rusage"))


def changed(run: Run) -> Run:
    """A later run: the last backend is three times slower, with one crash and one fixed timeout."""
    trials = run.trials.copy()
    second = trials["backend"] == run.backends[-1]
    trials["wall_s"] = trials["wall_s"].where(~second, 3 * trials["wall_s"])
    for is_failure, verdict in ((False, "crashed"), (True, "solved")):
        rows = trials.index[second & ((trials["verdict"] == "timeout") == is_failure)]
        trials.loc[rows[:1], "verdict"] = verdict
    return Run(run.folder, trials)


def run_with_invocations(
    folder: Path, trials: pd.DataFrame, invocations: Sequence[Invocation]
) -> Run:
    """A run whose folder has a record of these invocations."""
    write_invocations(folder, invocations)
    return Run(folder, trials)
