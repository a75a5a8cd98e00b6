"""Phase transition: satisfiable share and median time by clue density."""

from collections.abc import Iterator
from typing import Any, Final

import altair as alt
import numpy as np
import pandas as pd

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
    "median_s": "float64",
}


def frame(run: Run) -> pd.DataFrame:
    """Median time of each backend and satisfiable share, for each bin of clue density.

    The clue density is the share of cells that are given. A comparison group is
    omitted if fewer than `_FEWEST_BINS` bins have `_FEWEST_INSTANCES` instances
    whose satisfiability is known, or if its satisfiable shares do not span
    `_LOW_SHARE` to `_HIGH_SHARE`: it shows no transition.
    """
    satisfiable = _satisfiable(run.trials)
    table = run.common_results
    ids = table["puzzle_id"].astype("string")
    cells = table["shape"].astype("string").map(lambda spec: Shape.parse(spec).size ** 2)
    density = table["clues"].to_numpy(dtype=np.float64) / cells.to_numpy(dtype=np.float64)
    table = table.assign(
        bin=np.floor(density / BIN + 1e-9), known=ids.map(satisfiable).to_numpy(dtype=np.float64)
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
    shares = instances.groupby("bin")["known"].agg(["mean", "size"])
    shares = shares[shares["size"] >= _FEWEST_INSTANCES]
    if len(shares) < _FEWEST_BINS:
        return
    if shares["mean"].max() < _HIGH_SHARE or shares["mean"].min() > _LOW_SHARE:
        return
    kept = table[table["bin"].isin(shares.index)]
    medians = kept.groupby(["bin", "backend"], observed=True)["time_s"].median()
    for row in medians.reset_index().to_dict("records"):
        yield group | {
            "backend": row["backend"],
            "density": (row["bin"] + 0.5) * BIN,
            "instances": int(shares["size"][row["bin"]]),
            "satisfiable": float(shares["mean"][row["bin"]]),
            "median_s": float(row["time_s"]),
        }


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw the satisfiable share at the top and the median time at the bottom, by clue density."""
    data = theme.inline_data(frame[["backend", "density", "instances", "satisfiable", "median_s"]])
    least, most = float(frame["density"].min()), float(frame["density"].max())
    x = alt.X(
        "density:Q",
        title="clue density",
        axis=alt.Axis(format=".0%", tickCount=8, labelOverlap="greedy"),
        scale=alt.Scale(domain=[least - BIN / 2, most + BIN / 2], nice=False),
    )
    share = (
        alt.Chart()
        .mark_area(
            color=theme.MUTED, opacity=0.35, line={"color": theme.MUTED}, interpolate="linear"
        )
        .encode(
            x=x.title(None),
            y=alt.Y(
                "mean(satisfiable):Q",
                title="satisfiable",
                axis=alt.Axis(format="%", tickCount=3),
                scale=alt.Scale(domain=[0, 1]),
            ),
        )
        .properties(width=theme.WIDTH, height=80)
    )
    base = alt.Chart().encode(
        x=x,
        y=alt.Y(
            "median_s:Q", scale=theme.log_scale(), axis=theme.time_axis("median time", "concat_1_y")
        ),
        color=theme.colour(frame),
        tooltip=[
            "backend:N",
            alt.Tooltip("density:Q", title="clue density", format=".0%"),
            alt.Tooltip("median_s:Q", title="median (s)", format=".3s"),
            alt.Tooltip("satisfiable:Q", format=".0%"),
            "instances:Q",
        ],
    )
    line = base.mark_line(strokeWidth=2).encode(strokeDash=theme.dash(frame))
    point = base.mark_point(filled=True, size=40, opacity=1).encode(shape=theme.shape(frame))
    median = alt.layer(line, point).properties(width=theme.WIDTH, height=220)
    return alt.vconcat(share, median, data=data, spacing=8)
