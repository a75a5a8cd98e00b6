"""Curves over instances: performance profile and cactus, as frames to draw."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.results import (
    GROUP_DTYPES,
    ComparisonGroup,
    Floats,
    comparison_groups,
    rows_frame,
)

POINTS: Final = 500
"""Steps that a curve keeps; each is exact, and none more than 1/500 of the height apart."""

PROFILE_DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "tau": "float64",
    "share": "float64",
}

CACTUS_DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "answered": "int64",
    "share": "float64",
    "time_s": "float64",
}


def performance_profile(
    results: pd.DataFrame,
    backends: Sequence[str] | None = None,
    points: int = POINTS,
) -> pd.DataFrame:
    """The share of instances that a backend answers within tau times the least time.

    Dolan and More, "Benchmarking optimization software with performance
    profiles", Mathematical Programming 91, 2002. A third backend can change
    the order of two (Gould and Scott, ACM TOMS 43, 2016): for two alone name
    them in `backends`. Those with a wrong answer are left out, and so are
    puzzles that not all were asked about. Nobody is credited with an instance
    that nobody answered, but it counts in the share.

    Columns `PROFILE_DTYPES`: ``share`` is reached at ``tau`` and holds until
    the next row of the backend; the first row of each is at tau = 1.
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
    return rows_frame(rows, PROFILE_DTYPES)


def cactus(
    results: pd.DataFrame,
    backends: Sequence[str] | None = None,
    points: int = POINTS,
) -> pd.DataFrame:
    """How many instances a backend answers within a time each, over that time.

    The cactus plot of the SAT competitions with its axes exchanged: the
    empirical distribution function of times. Who takes part is as in
    `performance_profile`.

    Columns `CACTUS_DTYPES`: ``answered`` instances, and their ``share`` of all,
    took at most ``time_s`` seconds each.
    """
    rows: list[dict[str, Any]] = []
    for group, field in _fields(results, backends):
        for n, backend in enumerate(field.backends):
            steps, reached = _steps(field.time[field.answered[:, n], n])
            for k in _kept(len(steps), points):
                number = int(reached[k])
                row = {"backend": backend, "answered": number, "time_s": float(steps[k])}
                rows.append({**group.key, **row, "share": number / len(field.puzzles)})
    return rows_frame(rows, CACTUS_DTYPES)


def _fields(
    results: pd.DataFrame, backends: Sequence[str] | None
) -> Iterator[tuple[ComparisonGroup, ComparisonGroup]]:
    """Each comparison group, and what of it may be drawn."""
    for group in comparison_groups(results):
        chosen = [
            n
            for n, wrong in enumerate(group.wrong)
            if wrong == 0 and (backends is None or group.backends[n] in backends)
        ]
        field = group.of(chosen)
        if len(field.puzzles):
            yield group, field


def _steps(values: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The different values in order, and how many are not above each."""
    steps, counts = np.unique(values, return_counts=True)
    return steps, np.cumsum(counts)


def _kept(count: int, points: int) -> npt.NDArray[np.int64]:
    """At most `points` of `count` places, evenly spread, the first and the last among them."""
    if count <= points:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, points).round().astype(np.int64))
