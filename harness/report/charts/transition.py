"""Phase transition: satisfiable share and median time by clue density."""

from collections.abc import Iterator
from typing import Any, Final

import altair as alt
import numpy as np
import pandas as pd

from harness.analysis.inference import median_interval, share_interval
from harness.analysis.measure import rows_frame
from harness.analysis.results import COMPARISON_GROUP, GROUP_DTYPES
from harness.analysis.run import Run
from harness.puzzles.shape import Shape
from harness.records.verdict import Verdict
from harness.report.charts import theme
from harness.report.charts.theme import Drawing

BIN: Final = 0.025
"""The width of a bin of clue density."""
_FEWEST_BINS: Final = 4
_FEWEST_INSTANCES: Final = 3
"""Instances of a bin."""
_HIGH_SHARE: Final = 0.7
_LOW_SHARE: Final = 0.3
"""Satisfiable shares that a chart must span."""

DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "density": "float64",
    "instances": "int64",
    "satisfiable": "float64",
    "satisfiable_low": "float64",
    "satisfiable_high": "float64",
    "timed": "int64",
    "median_s": "float64",
    "median_low_s": "float64",
    "median_high_s": "float64",
}


def frame(run: Run) -> pd.DataFrame:
    """Median time of each backend and satisfiable share, for each bin of clue density.

    The clue density is the share of cells that are given, ``density`` its mean over the
    instances of a bin, ``instances`` their number, and ``timed`` the number of results behind
    the median. Both values have intervals at the level `CONFIDENCE`: see `share_interval` and
    `median_interval`. Backends with a wrong answer are left out.

    A comparison group is omitted if fewer than `_FEWEST_BINS` bins have `_FEWEST_INSTANCES`
    instances whose satisfiability is known, or if its satisfiable shares do not span
    `_LOW_SHARE` to `_HIGH_SHARE`: it shows no transition.
    """
    satisfiable = _satisfiable(run.eligible.trials)
    table = run.eligible.common_results
    ids = table["puzzle_id"].astype("string")
    cells = table["shape"].astype("string").map(lambda spec: Shape.parse(spec).size ** 2)
    density = table["clues"].to_numpy(dtype=np.float64) / cells.to_numpy(dtype=np.float64)
    table = table.assign(
        density=density,
        bin=np.floor(density / BIN + 1e-9),
        known=ids.map(satisfiable).to_numpy(dtype=np.float64),
    )
    rows: list[dict[str, Any]] = []
    for key, part in table.groupby(COMPARISON_GROUP, dropna=False, observed=True, sort=False):
        rows += _rows(dict(zip(COMPARISON_GROUP, key, strict=True)), part)
    return rows_frame(rows, DTYPES)


def _satisfiable(trials: pd.DataFrame) -> "pd.Series[float]":
    """1 for each puzzle with a solution, 0 for each without one; unknown ones are omitted."""
    verdict = trials["verdict"]
    some = trials["solution"].notna() & verdict.isin([Verdict.SOLVED, Verdict.COUNTED])
    none = verdict == Verdict.UNSATISFIABLE
    none |= (verdict == Verdict.COUNTED) & (trials["count"] == 0).fillna(False)
    known = pd.Series(np.where(some, 1.0, 0.0), index=trials["puzzle_id"])[(some | none).to_numpy()]
    return known.groupby(level=0).max()


def _rows(group: dict[str, Any], table: pd.DataFrame) -> Iterator[dict[str, Any]]:
    instances = table.drop_duplicates("puzzle_id")
    instances = instances[instances["known"].notna()]
    shares = instances.groupby("bin").agg(
        density=("density", "mean"), known=("known", "sum"), size=("known", "size")
    )
    shares = shares[shares["size"] >= _FEWEST_INSTANCES]
    if len(shares) < _FEWEST_BINS:
        return
    share = shares["known"] / shares["size"]
    if share.max() < _HIGH_SHARE or share.min() > _LOW_SHARE:
        return
    by_bin: dict[Any, Any] = {row.Index: row for row in shares.itertuples()}
    kept = table[table["bin"].isin(shares.index)]
    for (place, backend), part in kept.groupby(["bin", "backend"], observed=True):
        row = by_bin[place]
        known, size = int(row.known), int(row.size)
        low, high = share_interval(known, size)
        time = part["time_s"].to_numpy(dtype=np.float64)
        median_low, median_high = median_interval(time)
        yield group | {
            "backend": backend,
            "density": float(row.density),
            "instances": size,
            "satisfiable": known / size,
            "satisfiable_low": low,
            "satisfiable_high": high,
            "timed": len(time),
            "median_s": float(np.median(time)),
            "median_low_s": median_low,
            "median_high_s": median_high,
        }


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw the satisfiable share at the top and the median time at the bottom, by clue density."""
    data = theme.inline_data(frame[["backend", *list(DTYPES)[len(GROUP_DTYPES) + 1 :]]])
    least, most = float(frame["density"].min()), float(frame["density"].max())
    x = alt.X(
        "density:Q",
        title="clue density",
        axis=alt.Axis(format=".0%", tickCount=8, labelOverlap="greedy"),
        scale=alt.Scale(domain=[least - BIN / 2, most + BIN / 2], nice=False),
    )
    return alt.vconcat(_shares(x.title(None)), _medians(frame, x), data=data, spacing=8)


def _shares(x: alt.X) -> alt.LayerChart | alt.FacetChart:
    """The satisfiable share with its interval, and the number of instances above it."""
    names = ("satisfiable", "satisfiable_low", "satisfiable_high", "instances")
    base = (
        alt.Chart()
        .transform_aggregate(
            [alt.AggregatedFieldDef(op="max", field=name, **{"as": name}) for name in names],
            groupby=["density"],
        )
        .encode(x=x)
    )
    share = alt.Y(
        "satisfiable:Q",
        title="satisfiable",
        axis=alt.Axis(format="%", tickCount=3),
        scale=alt.Scale(domain=[0, 1]),
    )
    line = base.mark_line(color=theme.MUTED).encode(y=share)
    interval = base.mark_rule(color=theme.MUTED).encode(
        y=alt.Y("satisfiable_low:Q", title="satisfiable"), y2=alt.Y2("satisfiable_high:Q")
    )
    point = base.mark_point(filled=True, size=40, opacity=1, color=theme.MUTED).encode(
        y=share,
        tooltip=[
            alt.Tooltip("density:Q", title="clue density", format=".1%"),
            alt.Tooltip("satisfiable:Q", format=".0%"),
            alt.Tooltip("satisfiable_low:Q", title="interval from", format=".0%"),
            alt.Tooltip("satisfiable_high:Q", title="interval to", format=".0%"),
            alt.Tooltip("instances:Q"),
        ],
    )
    number = (
        base.transform_calculate(label="'n=' + format(datum.instances, ',')")
        .mark_text(baseline="bottom", dy=-6, fontSize=9)
        .encode(y=theme.at_y(0), text=alt.Text("label:N"))
    )
    return alt.layer(line, interval, point, number, width=theme.WIDTH, height=90)


def _medians(frame: pd.DataFrame, x: alt.X) -> alt.LayerChart | alt.FacetChart:
    """The median time of each backend with its interval."""
    scale = theme.log_scale()
    axis = theme.time_axis(f"median {theme.time_of(frame)}", "concat_1_y")
    times = ("median_s", "median_low_s", "median_high_s")
    base = (
        alt.Chart()
        .transform_calculate(**theme.durations(*times))
        .encode(x=x, color=theme.colour(frame, points=True))
    )
    interval = (
        base.transform_filter("isValid(datum.median_low_s)")
        .mark_rule(strokeWidth=1, opacity=0.6)
        .encode(y=alt.Y("median_low_s:Q", scale=scale, axis=axis), y2=alt.Y2("median_high_s:Q"))
    )
    y = alt.Y("median_s:Q", scale=scale, axis=axis)
    line = base.mark_line(strokeWidth=2).encode(y=y, strokeDash=theme.dash(frame))
    point = base.mark_point(filled=True, size=40, opacity=1).encode(
        y=y,
        shape=theme.shape(frame),
        tooltip=[
            alt.Tooltip("backend:N"),
            alt.Tooltip("density:Q", title="clue density", format=".1%"),
            theme.duration_tooltip("median_s", "median"),
            theme.duration_tooltip("median_low_s", "interval from"),
            theme.duration_tooltip("median_high_s", "interval to"),
            alt.Tooltip("timed:Q", title="instances"),
        ],
    )
    intervals = [interval] if frame["median_low_s"].notna().any() else []
    layers = [*intervals, line, point]
    return alt.layer(*layers, width=theme.WIDTH, height=220)
