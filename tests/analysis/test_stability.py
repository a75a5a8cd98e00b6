"""Stability: the spread over repetitions, by hand."""

from pathlib import Path
from typing import Any

import pandas as pd

from harness.analysis.run import Run
from harness.analysis.timing import STABILITY
from harness.records.fields import DTYPES
from harness.records.frame import frame


def stability(*results: tuple[str, str, list[float]], verdict: str = "solved") -> pd.DataFrame:
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
    return Run(
        Path(), frame(columns, [[row[name] for name in columns] for row in rows])
    ).stability()


def test_a_result_is_unstable_from_a_spread_of_10_percent() -> None:
    (row,) = stability(
        ("a", "p", [1.0, 1.0, 1.0]),
        ("a", "q", [0.95, 1.0, 1.05]),
        ("a", "r", [0.96, 1.0, 1.04]),
    ).to_dict("records")
    assert (row["results"], row["unstable"], row["left_out"]) == (3, 1, 0)
    assert round(row["largest_spread"], 9) == 0.1
    assert round(row["median_spread"], 9) == 0.08


def test_backends_are_compared_on_the_instances_of_all() -> None:
    found = stability(
        ("a", "p", [1.0, 1.1]),
        ("b", "p", [1.0, 1.1]),
        ("b", "q", [1.0, 3.0]),
        ("b", "r", [1.0, 3.0]),
    )
    assert list(found["results"]) == [1, 1]
    assert list(found["left_out"]) == [2, 2]
    a, b = found["largest_spread"]
    assert a == b < 0.1
    notes = [note.text for note in STABILITY.notes(found)]
    assert notes == ["over the instances that all backends were run on; left out: {left}"]


def test_a_single_or_failed_trial_has_no_spread() -> None:
    assert stability(("a", "p", [1.0])).empty
    assert stability(("a", "p", [1.0, 2.0]), verdict="timeout").empty
