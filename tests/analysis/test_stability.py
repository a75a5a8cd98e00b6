"""Stability: the spread over repetitions, by hand."""

from typing import Any

import pandas as pd

from harness.analysis.stability import stability
from harness.records.fields import DTYPES
from harness.records.frame import frame


def trials(*results: tuple[str, str, list[float]], verdict: str = "solved") -> pd.DataFrame:
    rows: list[dict[str, Any]] = [
        {
            "dataset": "d",
            "backend": backend,
            "puzzle_id": puzzle,
            "clues": 0,
            "task": "solve",
            "limit": 0,
            "start": "cold",
            "timeout_s": 10.0,
            "repetition": number,
            "verdict": verdict,
            "wall_s": seconds,
        }
        for backend, puzzle, times in results
        for number, seconds in enumerate(times, 1)
    ]
    columns = [name for name in DTYPES if name in rows[0]]
    return frame(columns, [[row[name] for name in columns] for row in rows])


def test_a_result_is_unstable_from_a_spread_of_10_percent() -> None:
    found = stability(
        trials(
            ("a", "p", [1.0, 1.0, 1.0]),
            ("a", "q", [0.95, 1.0, 1.05]),
            ("a", "r", [0.96, 1.0, 1.04]),
            ("b", "p", [1.0, 3.0]),
        )
    )
    a, b = (row for _, row in found.iterrows())
    assert (a["results"], a["unstable"]) == (3, 1)
    assert round(a["largest_spread"], 9) == 0.1
    assert round(a["median_spread"], 9) == 0.08
    assert (b["results"], b["unstable"], b["largest_spread"]) == (1, 1, 1.0)


def test_a_single_or_failed_trial_has_no_spread() -> None:
    assert stability(trials(("a", "p", [1.0]))).empty
    assert stability(trials(("a", "p", [1.0, 2.0]), verdict="timeout")).empty
