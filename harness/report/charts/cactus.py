"""Cactus plot: instances answered over time."""

from typing import Final

import pandas as pd

from harness.analysis.profiles import cactus
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.vega import Drawing, aggregated, calculated, nominal, quantitative

_TICKS: Final = 8
"""The approximate maximum number of ticks of the axis of instances."""


def frame(run: Run, points: int) -> pd.DataFrame:
    """The curves of `harness.analysis.cactus` with at most `points` steps each."""
    return cactus(run.results, points=points)


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw the number of instances answered against the time per instance.

    A line at the top marks the number of all instances, which a perfect backend reaches.
    """
    # No more ticks than instances: `tickMinStep` has no effect on the ticks of this scale.
    ticks = min(_TICKS, int(frame["instances"].max()))
    whole = {"title": "instances answered", "tickCount": ticks}
    all_of_them = quantitative("all", axis=whole)
    curves = {
        "transform": theme.durations("time_s"),
        "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2},
        "encoding": {
            "x": quantitative(
                "time_s",
                scale=theme.log_scale(),
                axis=theme.time_axis(f"{theme.time_of(frame)} per instance", "x"),
            ),
            "y": quantitative("answered", axis=whole, scale={"zero": True, "nice": False}),
            "color": theme.colour(frame),
            "strokeDash": theme.dash(frame),
            "tooltip": [
                nominal("backend"),
                quantitative("answered", title="instances answered"),
                theme.duration_tooltip("time_s", "time"),
            ],
        },
    }
    all_instances = aggregated("max", {"instances": "all"})
    end = {
        "transform": [all_instances],
        "mark": {"type": "rule", "color": theme.MUTED, "strokeDash": [4, 4]},
        "encoding": {"y": all_of_them},
    }
    name = "format(datum.all, ',') + (datum.all == 1 ? ' instance' : ' instances')"
    label = {
        "transform": [all_instances, *calculated(label=name)],
        "mark": {"type": "text", "align": "right", "baseline": "bottom", "dy": -3, "fontSize": 10},
        "encoding": {"x": {"value": "width"}, "y": all_of_them, "text": nominal("label")},
    }
    spec = {"layer": [end, label, curves], "width": theme.WIDTH, "height": theme.HEIGHT}
    return Drawing(spec, frame[["backend", "answered", "instances", "time_s"]])
