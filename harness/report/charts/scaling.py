"""Scaling chart: time by puzzle size."""

import altair as alt
import pandas as pd

from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.theme import Drawing


def frame(run: Run) -> pd.DataFrame:
    """The table `harness.analysis.scaling` without backends that gave a wrong answer.

    ``solved`` is the number of solved instances as text.
    """
    table = run.scaling()
    table = table[~table["backend"].isin(table.loc[table["wrong"] > 0, "backend"])]
    solved = table["answered"].astype(str) + " of " + table["instances"].astype(str)
    return table.assign(solved=solved.astype("string"))


def has_content(frame: pd.DataFrame) -> bool:
    """Whether there are several sizes."""
    return bool(frame["size"].nunique() > 1)


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw the geometric mean of times (shift 1 ms, failures at the limit) by shape."""
    shapes = frame.sort_values(["size", "shape"])["shape"].drop_duplicates().to_list()
    base = alt.Chart(theme.inline_data(frame[["backend", "shape", "sgm_1ms_s", "solved"]])).encode(
        x=alt.X("shape:O", title="shape, by size", sort=shapes).axis(labelAngle=-35),
        y=alt.Y(
            "sgm_1ms_s:Q",
            scale=theme.log_scale(),
            axis=theme.time_axis(f"geometric mean of {theme.time_of(frame)}s"),
        ),
        color=theme.colour(frame),
        tooltip=[
            *("backend:N", "shape:N"),
            alt.Tooltip("sgm_1ms_s:Q", title="mean (s)", format=".3s"),
            "solved:N",
        ],
    )
    line = base.mark_line(strokeWidth=2).encode(strokeDash=theme.dash(frame))
    point = base.mark_point(filled=True, size=50, opacity=1).encode(shape=theme.shape(frame))
    return alt.layer(line, point).properties(width=theme.WIDTH, height=theme.HEIGHT)
