"""Drawings: their rows as JSON values, pairs of instances, and notes on what is left out."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from harness.analysis.run import Run
from harness.report.charts import scatter, theme
from harness.report.charts.catalogue import CHARTS, charts_of
from harness.report.charts.theme import ChartDrawing

Trials = Callable[..., pd.DataFrame]


def test_rows_are_json_values() -> None:
    rows = pd.DataFrame(
        {
            "backend": pd.Categorical(["a", None], categories=["a", "b"]),
            "name": ["x\u202ey", "n" * 5000],
            "time_s": [0.123456, np.nan],
            "other_s": [np.inf, -np.inf],
            "count": pd.array([3, None], dtype="Int64"),
            "mark": [True, False],
            "dataset": ["left", "out"],
        }
    )
    columns = ChartDrawing({}, rows).columns()
    names = columns.pop("name")
    assert columns == {
        "backend": ["a", None],
        "time_s": [0.1235, None],
        "other_s": [None, None],
        "count": [3, None],
        "mark": [True, False],
    }
    assert "\u202e" not in names[0]
    assert len(names[1]) < 1000


def test_a_missing_backend_is_not_the_last_one() -> None:
    rows = pd.DataFrame({"backend": pd.Categorical(["a", None], categories=["a", "b"])})
    assert theme.present(rows) == ["a"]


def test_a_pair_has_the_instances_of_both(trials_of: Trials) -> None:
    """The backend with the lower sum of times is that of the x axis."""
    trials = trials_of({"a": [0.1, 0.2, 0.3, 0.4], "b": [0.3, 0.2, 0.1, 0.05]})
    first, *_, last = trials["puzzle_id"].unique()
    lacking = (trials["backend"] == "b") & (trials["puzzle_id"] == first)
    lacking |= (trials["backend"] == "a") & (trials["puzzle_id"] == last)
    found = scatter.frame(Run(Path(), trials[~lacking].reset_index(drop=True)), 100)
    assert found[["x_s", "y_s"]].to_numpy().tolist() == [[0.2, 0.2], [0.1, 0.3]]


def test_charts_name_the_backends_that_they_leave_out(trials_of: Trials) -> None:
    run = Run(Path(), trials_of({"a": [0.1, 0.2], "b": [0.1, "wrong"], "c": ["timeout"] * 2}))
    (cactus,) = charts_of(run, CHARTS[0])
    assert any("wrong" in note and "b" in note for note in cactus.notes)
    assert any("No instance answered" in note and "c" in note for note in cactus.notes)
    fine = Run(Path(), trials_of({"a": [0.1, 0.2]}))
    (alone,) = charts_of(fine, CHARTS[0])
    assert alone.notes == ()
