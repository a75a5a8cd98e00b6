"""Curves over instances: performance profile and cactus plot."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.comparison_group import ComparisonGroup, comparison_groups
from harness.analysis.measure import Layout, MeasureColumn
from harness.analysis.results import (
    BACKEND,
    GROUP_COLUMNS,
    Floats,
)

POINTS: Final = 500
"""Maximum number of steps of a curve; the kept ones are exact."""


def performance_profile(
    results: pd.DataFrame,
    backends: Sequence[str] | None = None,
    points: int = POINTS,
) -> pd.DataFrame:
    """The share of instances that a backend answers within tau times the least time.

    Dolan and Moré, "Benchmarking optimization software with performance profiles",
    Mathematical Programming 91, 2002. A third backend can change the order of two (Gould and
    Scott, "A note on performance profiles for benchmarking software", ACM TOMS 43, 2016): to
    compare only two, name them in `backends`. Backends with a wrong answer are left out, and
    instances that not all backends were run on. An instance that no backend answered
    counts in the share and is credited to none.

    A share is reached at ``tau`` and holds until the next row of the backend; the first row
    of each backend is at tau = 1.

    Args:
        results: the frame of `results_of`.
        backends: the labels of the backends; None for all.
        points: maximum number of rows of a backend and comparison group.
    """
    rows: list[dict[str, Any]] = []
    for group, field in _fields(results, backends):
        count = len(field.puzzles)
        time = np.where(field.answered, field.time, np.inf)
        best = time.min(axis=1) if field.backends else np.empty(0)
        for n, backend in enumerate(field.backends):
            ratios = time[field.answered[:, n], n] / best[field.answered[:, n]]
            steps, reached = _steps(ratios)
            if not len(steps) or steps[0] > 1:
                steps = np.concatenate([[1.0], steps])
                reached = np.concatenate([[0], reached])
            for k in _kept(len(steps), points):
                row = {"backend": backend, "tau": float(steps[k])}
                rows.append({**group.key, **row, "share": int(reached[k]) / count})
    return PROFILE.frame(rows)


def cactus(
    results: pd.DataFrame,
    backends: Sequence[str] | None = None,
    points: int = POINTS,
) -> pd.DataFrame:
    """The number of instances that a backend answers within a time each, over that time.

    The cactus plot of the SAT competitions with its axes exchanged: the empirical
    distribution function of times. Backends and instances are those of
    `performance_profile`.

    Args:
        results: the frame of `results_of`.
        backends: the labels of the backends; None for all.
        points: maximum number of rows of a backend and comparison group.
    """
    rows: list[dict[str, Any]] = []
    for group, field in _fields(results, backends):
        for n, backend in enumerate(field.backends):
            steps, reached = _steps(field.time[field.answered[:, n], n])
            for k in _kept(len(steps), points):
                number = int(reached[k])
                row = {"backend": backend, "answered": number, "time_s": float(steps[k])}
                count = len(field.puzzles)
                rows.append({**group.key, **row, "instances": count, "share": number / count})
    return CACTUS.frame(rows)


def _fields(
    results: pd.DataFrame, backends: Sequence[str] | None
) -> Iterator[tuple[ComparisonGroup, ComparisonGroup]]:
    """Each comparison group, whole and reduced to its eligible chosen backends."""
    if backends is not None:
        results = results[results["backend"].isin(list(backends))]
    for group in comparison_groups(results):
        field = group.eligible()
        if len(field.puzzles):
            yield group, field


def _steps(values: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The different values in order, and how many values are at most each."""
    steps, counts = np.unique(values, return_counts=True)
    return steps, np.cumsum(counts)


def _kept(count: int, points: int) -> npt.NDArray[np.int64]:
    """At most `points` of `count` positions, evenly spread, with the first and the last."""
    if count <= points:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, points).round().astype(np.int64))


PROFILE: Final = Layout(
    name="performance-profile",
    title="Performance profile",
    columns=(
        *GROUP_COLUMNS,
        BACKEND,
        MeasureColumn("tau", "float64", "Time over the least time of any backend."),
        MeasureColumn("share", "float64", "Share of the instances answered within tau."),
    ),
)

CACTUS: Final = Layout(
    name="cactus",
    title="Cactus plot",
    columns=(
        *GROUP_COLUMNS,
        BACKEND,
        MeasureColumn("answered", "int64", "Instances answered within `time_s` each."),
        MeasureColumn("instances", "int64", "All instances of the curve, answered or not."),
        MeasureColumn("share", "float64", "Their share of all instances."),
        MeasureColumn("time_s", "float64", "Time.", "s"),
    ),
)
