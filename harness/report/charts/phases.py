"""On what does each backend spend its time: building, encoding, searching, decoding?"""

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
    "place": "int64",
    "mean_s": "float64",
    "share": "float64",
    "total": "string",
}

_TOLD: Final = ("build", "encode", "search", "decode")


def frame(run: Run) -> pd.DataFrame:
    """For each comparison group, backend and phase its mean seconds over right answers, and its share.

    ``other`` is wall time that no phase accounts for. Backends that tell no
    phase are left out.
    """
    right = run.answers
    columns = [f"{phase}_s" for phase in _TOLD]
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
        told = [max(0.0, float(row[name])) for name in columns]
        if not sum(told):
            continue
        spent = {**dict(zip(_TOLD, told, strict=True)), "other": float(row["wall_s"]) - sum(told)}
        spent["other"] = max(0.0, spent["other"])
        whole = sum(spent.values())
        base = {name: row[name] for name in (*COMPARISON_GROUP, "backend")}
        rows += [
            base
            | {"phase": phase, "place": place, "mean_s": mean, "share": mean / whole}
            | {"total": duration(whole)}
            for place, (phase, mean) in enumerate(spent.items())
        ]
    return rows_frame(rows, DTYPES)


def chart(frame: pd.DataFrame) -> Drawing:
    """The share of each phase in the mean time of a right answer, which stands beside it."""
    columns = ["backend", "phase", "place", "mean_s", "share", "total"]
    base = alt.Chart(theme.data_of(frame[columns]))
    bars = base.mark_bar().encode(
        x=alt.X(
            "share:Q",
            title="share of the mean time of a right answer",
            axis=alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1]),
            scale=alt.Scale(domain=[0, 1.12]),
        ),
        y=alt.Y("backend:N", title=None),
        color=alt.Color(
            "phase:N",
            title=None,
            scale=alt.Scale(domain=list(theme.PHASES), range=list(theme.PHASES.values())),
        ),
        order=alt.Order("place:Q"),
        tooltip=[
            *("backend:N", "phase:N"),
            alt.Tooltip("mean_s:Q", title="mean (s)", format=".3s"),
            alt.Tooltip("share:Q", format=".1%"),
        ],
    )
    totals = (
        base.transform_filter("datum.place == 0")
        .mark_text(align="left", dx=4, fontSize=11)
        .encode(x=alt.datum(1.0, type="quantitative"), y=alt.Y("backend:N"), text="total:N")
    )
    return alt.layer(bars, totals).properties(width=theme.WIDTH, height=alt.Step(34))


def worth(frame: pd.DataFrame) -> bool:
    """Whether any backend tells its phases."""
    return bool(np.any(frame["share"] > 0))
