"""Phase chart: share of build, encode, search and decode in the time of an answer."""

from typing import Any, Final

import altair as alt
import numpy as np
import pandas as pd

from harness.analysis.measure import rows_frame
from harness.analysis.results import COMPARISON_GROUP, GROUP_DTYPES
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.theme import Drawing
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
    columns = ["backend", "phase", "position", "mean_s", "share", "total"]
    base = alt.Chart(theme.inline_data(frame[columns]))
    widest = max(1.0, float(frame.groupby("backend", observed=True)["share"].sum().max()))
    bars = (
        base.transform_calculate(**theme.durations("mean_s"))
        .mark_bar()
        .encode(
            x=alt.X(
                "share:Q",
                title="share of the mean wall time",
                axis=alt.Axis(format="%", values=[0.25 * n for n in range(int(4 * widest) + 1)]),
                scale=alt.Scale(domain=[0, 0.2 + widest]),
            ),
            y=alt.Y("backend:N", title=None, axis=theme.name_axis()),
            color=alt.Color(
                "phase:N",
                title=None,
                scale=alt.Scale(domain=list(theme.PHASES), range=list(theme.PHASES.values())),
            ),
            order=alt.Order("position:Q"),
            tooltip=[
                alt.Tooltip("backend:N"),
                alt.Tooltip("phase:N"),
                theme.duration_tooltip("mean_s", "mean"),
                alt.Tooltip("share:Q", format=".1%"),
            ],
        )
    )
    totals = (
        base.transform_filter("datum.position == 0")
        .mark_text(align="left", dx=4, fontSize=11)
        .encode(
            x=alt.XDatum(widest, type="quantitative"),
            y=alt.Y("backend:N"),
            text=alt.Text("total:N"),
        )
    )
    return alt.layer(bars, totals, width=theme.WIDTH, height=alt.Step(34))


def has_content(frame: pd.DataFrame) -> bool:
    """Whether any backend reports its phases."""
    return bool(np.any(frame["share"] > 0))
