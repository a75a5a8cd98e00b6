"""Which backend is good at which dataset?"""

import altair as alt
import numpy as np
import pandas as pd

from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.run import Run
from harness.records.verdict import Verdict
from harness.report.charts import theme
from harness.report.charts.theme import Drawing
from harness.report.formatting import duration, printable, shortened


def frame(run: Run) -> pd.DataFrame:
    """For each comparison group and backend its PAR-2 and its ratio to the least of the comparison group.

    Rows of all datasets belong to one chart. ``told`` is the PAR-2 as a
    duration, or ``wrong``; ``set`` the name of the dataset as it is shown.
    """
    table = run.summary()[
        [*COMPARISON_GROUP, "backend", "par2_s", "ratio", str(Verdict.WRONG), "trials"]
    ]
    wrong = table[str(Verdict.WRONG)] > 0
    told = table["par2_s"].map(duration).mask(wrong, "wrong")
    shown = table["dataset"].map(lambda name: printable(shortened(str(name), 40)))
    return table.assign(told=told.astype("string"), set=shown.astype("string"))


def worth(frame: pd.DataFrame) -> bool:
    """Whether there are several datasets and several backends."""
    return bool(frame["dataset"].nunique() > 1 and frame["backend"].nunique() > 1)


def chart(frame: pd.DataFrame) -> Drawing:
    """PAR-2 of each backend on each dataset; the darker, the further behind the best of it."""
    columns = ["backend", "set", "par2_s", "ratio", "told", "trials", "ink"]
    base = alt.Chart(theme.data_of(frame.assign(ink=_inks(frame["ratio"]))[columns]))
    x = alt.X("set:N", title=None, axis=alt.Axis(orient="top", labelAngle=0, labelLimit=130))
    y = alt.Y("backend:N", title=None)
    cells = base.mark_rect(stroke="#80879080").encode(
        x=x,
        y=y,
        color=alt.Color(
            "ratio:Q",
            title="PAR-2, times the best of the dataset",
            scale=alt.Scale(type="log", domainMin=1, range=["#fdf3d8", "#e8a33d", "#8c2d04"]),
            legend=alt.Legend(format="~g", gradientLength=200, tickCount=4),
        ),
        tooltip=[
            alt.Tooltip("backend:N"),
            alt.Tooltip("set:N", title="dataset"),
            alt.Tooltip("told:N", title="PAR-2"),
            alt.Tooltip("ratio:Q", format=".3~r"),
            "trials:Q",
        ],
    )
    words = base.mark_text(fontSize=12).encode(
        x=x, y=y, text="told:N", color=alt.Color("ink:N", scale=None)
    )
    layered = alt.layer(cells, words).resolve_scale(color="independent")
    drawn: Drawing = layered.properties(width=theme.WIDTH, height=alt.Step(38))
    return drawn


def _inks(ratio: "pd.Series[float]") -> "pd.Series[str]":
    """The colour of each text: one that is read on its cell, or on the page where there is none."""
    share = np.log(ratio) / max(float(np.log(ratio.max())), 1e-9)
    inks = pd.Series(np.where(share > 0.6, "#ffffff", "#1b1b1b"), index=ratio.index)
    return inks.mask(ratio.isna(), "currentColor")
