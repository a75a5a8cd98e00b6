"""Frames of trials from a few values per row."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from harness.analysis.completeness import completeness, planned_trials
from harness.records.fields import DTYPES
from harness.records.folder.frames import frame

Trials = Callable[..., pd.DataFrame]
"""The type of the fixture `trials_of`."""

DEFAULTS: Mapping[str, Any] = {
    "dataset": "d",
    "puzzle": "." * 16,
    "shape": "4x4",
    "clues": 0,
    "task": "solve",
    "limit": 0,
    "start": "cold",
    "repetition": 1,
    "timeout_s": 10.0,
    "reason": "",
}


def trials_from(rows: Sequence[Mapping[str, Any]], **defaults: Any) -> pd.DataFrame:
    """One trial per row, with these defaults and `DEFAULTS`; a column per field of any row."""
    full = [{**DEFAULTS, **defaults, **row} for row in rows]
    columns = [name for name in DTYPES if any(name in row for row in full)]
    return frame(columns, [[row.get(name) for name in columns] for row in full])


def planned_twice(trials: pd.DataFrame) -> pd.DataFrame:
    """A plan of twice as many trials for each comparison group and backend."""
    done = completeness(planned_trials([], trials), trials)
    return done.assign(planned=2 * done["done"]).drop(columns=["done", "missing"])
