"""Heat map: PAR-2 of each backend on each dataset."""

from typing import Final

import numpy as np
import pandas as pd

from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.run import Run
from harness.records.verdict import Verdict
from harness.report.charts import theme
from harness.report.charts.vega import Drawing, nominal, quantitative
from harness.report.formatting import duration, printable, shortened

_WRONG: Final = str(Verdict.WRONG)


def frame(run: Run) -> pd.DataFrame:
    """PAR-2 of each backend in each comparison group, and its ratio to the best of the group.

    One chart shows the rows of all datasets. ``par2`` is PAR-2 as text, and ``dataset_name``
    the display name of the dataset. A backend with a wrong answer has no row in its group.
    """
    table = run.summary()[[*COMPARISON_GROUP, "backend", "par2_s", "ratio", _WRONG, "instances"]]
    table = table[table[_WRONG] == 0]
    par2 = table["par2_s"].map(duration)
    names = table["dataset"].map(lambda name: printable(shortened(str(name), 40)))
    return table.assign(par2=par2.astype("string"), dataset_name=names.astype("string"))


def has_content(frame: pd.DataFrame) -> bool:
    """Whether there are several datasets and several backends."""
    return bool(frame["dataset"].nunique() > 1 and frame["backend"].nunique() > 1)


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw a cell per backend and dataset; darker is further behind the best of the dataset."""
    columns = ["backend", "dataset_name", "par2_s", "ratio", "par2", "instances", "text_colour"]
    rows = frame.assign(text_colour=_text_colours(frame["ratio"]))[columns]
    axis = {"orient": "top", "labelAngle": 0, "labelLimit": 130}
    place = {
        "x": nominal("dataset_name", title=None, axis=axis),
        "y": nominal("backend", title=None, axis=theme.name_axis()),
    }
    colour = quantitative(
        "ratio",
        title=[f"PAR-2 of {theme.time_of(frame)}", "/ best on the dataset"],
        scale={"type": "log", "domainMin": 1, "range": ["#fdf3d8", "#e8a33d", "#8c2d04"]},
        legend={"format": "~g", "gradientLength": 200, "tickCount": 4},
    )
    tooltip = [
        nominal("backend"),
        nominal("dataset_name", title="dataset"),
        nominal("par2", title="PAR-2"),
        quantitative("ratio", format=".3~r"),
        quantitative("instances"),
    ]
    cells = {
        "mark": {"type": "rect", "stroke": "#80879080"},
        "encoding": place | {"color": colour, "tooltip": tooltip},
    }
    labels = {
        "mark": {"type": "text", "fontSize": 12},
        "encoding": place | {"text": nominal("par2"), "color": nominal("text_colour", scale=None)},
    }
    spec = {
        "layer": [cells, labels],
        "resolve": {"scale": {"color": "independent"}},
        "width": theme.WIDTH,
        "height": {"step": 38},
    }
    return Drawing(spec, rows)


def _text_colours(ratio: "pd.Series[float]") -> "pd.Series[str]":
    """A text colour with contrast to the cell, or to the page for an empty cell."""
    darkness = np.log(ratio) / max(float(np.log(ratio.max())), 1e-9)
    colours = pd.Series(np.where(darkness > 0.6, "#ffffff", "#1b1b1b"), index=ratio.index)
    return colours.mask(ratio.isna(), "currentColor")
