"""How do times grow with the size of the puzzle?"""

import altair as alt
import pandas as pd

from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.theme import Drawing


def frame(run: Run) -> pd.DataFrame:
    """The table `harness.analysis.scaling`, with what was answered in words.

    Without backends that gave a wrong answer, which take part in no curve.
    """
    table = run.scaling()
    table = table[~table["backend"].isin(table.loc[table["wrong"] > 0, "backend"])]
    told = table["answered"].astype(str) + " of " + table["instances"].astype(str)
    return table.assign(told=told.astype("string"))


def worth(frame: pd.DataFrame) -> bool:
    """Whether there is more than one size."""
    return bool(frame["size"].nunique() > 1)


def chart(frame: pd.DataFrame) -> Drawing:
    """The geometric mean of times (shift 1 ms, failures at the limit) of each shape, by size."""
    shapes = frame.sort_values(["size", "shape"])["shape"].drop_duplicates().to_list()
    base = alt.Chart(theme.data_of(frame[["backend", "shape", "sgm_1ms_s", "told"]])).encode(
        x=alt.X("shape:O", title="shape, the smallest first", sort=shapes).axis(labelAngle=-35),
        y=alt.Y(
            "sgm_1ms_s:Q",
            scale=theme.log_scale(),
            axis=theme.times("geometric mean of times"),
        ),
        color=theme.colour(frame),
        tooltip=[
            *("backend:N", "shape:N"),
            alt.Tooltip("sgm_1ms_s:Q", title="mean (s)", format=".3s"),
            alt.Tooltip("told:N", title="answered"),
        ],
    )
    line = base.mark_line(strokeWidth=2).encode(strokeDash=theme.dash(frame))
    point = base.mark_point(filled=True, size=50, opacity=1).encode(shape=theme.shape(frame))
    return alt.layer(line, point).properties(width=theme.WIDTH, height=theme.HEIGHT)
