"""Scaling chart: time by puzzle size."""

import pandas as pd

from harness.analysis.exponent import SQUARE, series_of
from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.size import LABEL
from harness.report.charts.vega import Drawing, nominal, ordinal, quantitative
from harness.report.formatting import shape_name


def frame(run: Run) -> pd.DataFrame:
    """The table `harness.analysis.scaling` without backends that gave a wrong answer.

    ``solved`` is the number of solved instances as text, ``series`` the `series_of` a shape,
    ``shape`` its short name, and ``position`` its label on the axis: the name and the number
    of instances.
    """
    table = run.scaling()
    chart = [name for name in COMPARISON_GROUP if name in table and name != "dataset"]
    wrong = table.groupby([*chart, "backend"], dropna=False)["wrong"].transform("sum")
    table = table[wrong == 0]
    # All backends of a chart have the same instances.
    names = table["shape"].astype("string").map(shape_name)
    n = names + "|n = " + table["instances"].astype("string")
    solved = table["answered"].astype("string") + " of " + table["instances"].astype("string")
    series = [series_of(*of) for of in zip(table["shape"], table["size"], strict=True)]
    return table.assign(shape=names, solved=solved, series=series, position=n)


def has_content(frame: pd.DataFrame) -> bool:
    """Whether there are several sizes."""
    return bool(frame["size"].nunique() > 1)


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw the geometric mean of times (shift 1 ms, failures at the limit) by shape.

    Shapes of a series are side by side, by size, and lines connect only these.
    """
    ordered = frame.assign(other=~frame["series"].isin([SQUARE]))
    ordered = ordered.sort_values(["other", "series", "size", "shape"])
    positions = ordered["position"].drop_duplicates().to_list()
    axis = {
        "labelAngle": 0 if LABEL * len(positions) <= theme.WIDTH else -90,
        "labelExpr": "split(datum.label, '|')",
        "labelPadding": 6,
    }
    shared = {
        "x": ordinal("position", title="shape, n instances", sort=positions, axis=axis),
        "y": quantitative(
            "sgm_1ms_s",
            scale=theme.log_scale(),
            axis=theme.time_axis(f"geometric mean of {theme.time_of(frame)}s"),
        ),
        "color": theme.colour(frame, points=True),
    }
    times = theme.durations("sgm_1ms_s")
    line = {
        "transform": times,
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": shared | {"strokeDash": theme.dash(frame), "detail": nominal("series")},
    }
    tooltip = [
        nominal("backend"),
        nominal("shape"),
        theme.duration_tooltip("sgm_1ms_s", "mean"),
        nominal("solved"),
    ]
    point = {
        "transform": times,
        "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1},
        "encoding": shared | {"shape": theme.shape(frame), "tooltip": tooltip},
    }
    columns = ["backend", "shape", "series", "position", "sgm_1ms_s", "solved"]
    spec = {"layer": [line, point], "width": theme.WIDTH, "height": theme.HEIGHT}
    return Drawing(spec, frame[columns])
