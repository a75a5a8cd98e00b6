"""Phase chart: share of build, encode, search and decode in the time of an answer."""

from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.measure import rows_frame
from harness.analysis.results import COMPARISON_GROUP, GROUP_DTYPES
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.vega import Drawing, nominal, quantitative
from harness.report.formatting import duration

DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "phase": "string",
    "position": "int64",
    "mean_s": "float64",
    "share": "float64",
    "total": "string",
}

_REPORTED: Final = ("build", "encode", "search", "decode")
"""The phases that a backend can report."""


def frame(run: Run) -> pd.DataFrame:
    """Mean seconds and share of each phase over the correct answers of each backend.

    The phase ``other`` is wall time that belongs to no reported phase. Backends
    that report no phase are omitted.
    """
    right = run.eligible.common_answers
    columns = [f"{phase}_s" for phase in _REPORTED]
    means = (
        right.assign(**{name: right[name].fillna(0.0) for name in columns})
        .groupby([*COMPARISON_GROUP, "backend"], dropna=False, observed=True, sort=False)[
            ["wall_s", *columns]
        ]
        .mean()
        .reset_index()
    )
    rows: list[dict[str, Any]] = []
    for row in means.to_dict("records"):
        reported = [float(row[name]) for name in columns]
        if not sum(reported):
            continue
        means_s = dict(zip(_REPORTED, reported, strict=True))
        total_s = float(row["wall_s"])
        # Phases that overlap exceed the wall time; then nothing is left for others.
        means_s["other"] = total_s - sum(reported) if sum(reported) < total_s else 0.0
        base = {name: row[name] for name in (*COMPARISON_GROUP, "backend")}
        rows += [
            base
            | {"phase": phase, "position": position, "mean_s": mean_s, "share": mean_s / total_s}
            | {"total": duration(total_s)}
            for position, (phase, mean_s) in enumerate(means_s.items())
        ]
    return rows_frame(rows, DTYPES)


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw a bar per backend with the share of each phase, and the mean time beside it."""
    widest = max(1.0, float(frame.groupby("backend", observed=True)["share"].sum().max()))
    colours = {"domain": list(theme.PHASES), "range": list(theme.PHASES.values())}
    bars = {
        "transform": theme.durations("mean_s"),
        "mark": {"type": "bar"},
        "encoding": {
            "x": quantitative(
                "share",
                title="share of the mean wall time",
                axis={"format": "%", "values": [0.25 * n for n in range(int(4 * widest) + 1)]},
                scale={"domain": [0, 0.2 + widest]},
            ),
            "y": nominal("backend", title=None, axis=theme.name_axis()),
            "color": nominal("phase", title=None, scale=colours),
            "order": quantitative("position"),
            "tooltip": [
                nominal("backend"),
                nominal("phase"),
                theme.duration_tooltip("mean_s", "mean"),
                quantitative("share", format=".1%"),
            ],
        },
    }
    totals = {
        "transform": [{"filter": "datum.position == 0"}],
        "mark": {"type": "text", "align": "left", "dx": 4, "fontSize": 11},
        "encoding": {
            "x": {"datum": widest, "type": "quantitative"},
            "y": nominal("backend"),
            "text": nominal("total"),
        },
    }
    spec = {"layer": [bars, totals], "width": theme.WIDTH, "height": {"step": 34}}
    return Drawing(spec, frame[["backend", "phase", "position", "mean_s", "share", "total"]])


def has_content(frame: pd.DataFrame) -> bool:
    """Whether any backend reports its phases."""
    return bool(np.any(frame["share"] > 0))
