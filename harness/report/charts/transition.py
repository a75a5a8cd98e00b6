"""With how many givens do puzzles cease to have a solution, and are they hardest there?"""

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
_BINS: Final = 4
_PUZZLES: Final = 3
_MANY: Final = 0.7
_FEW: Final = 0.3

DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "density": "float64",
    "puzzles": "int64",
    "satisfiable": "float64",
    "median_s": "float64",
}


def frame(run: Run) -> pd.DataFrame:
    """For each comparison group, bin of clue density and backend: the median time, the satisfiable share.

    The density is the share of cells that are given. Contests are left out of
    which fewer than `_BINS` bins have `_PUZZLES` puzzles that are known to have
    a solution or none, and those in which the share with a solution does not go
    from `_MANY` to `_FEW` or back: there is nothing between to look at.
    """
    satisfiable = _satisfiable(run.trials)
    table = run.results
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
    """For each puzzle of which it is known 1 if it has a solution and 0 if it has none."""
    verdict = trials["verdict"]
    some = trials["solution"].notna() & verdict.isin([Verdict.SOLVED, Verdict.COUNTED])
    none = verdict == Verdict.UNSATISFIABLE
    none |= (verdict == Verdict.COUNTED) & (trials["count"] == 0).fillna(False)
    known = pd.Series(np.where(some, 1.0, 0.0), index=trials["puzzle_id"])[(some | none).to_numpy()]
    return known.groupby(level=0).max()


def _rows(group: dict[str, Any], table: pd.DataFrame) -> Iterator[dict[str, Any]]:
    puzzles = table.drop_duplicates("puzzle_id")
    puzzles = puzzles[puzzles["known"].notna()]
    shares = puzzles.groupby("bin")["known"].agg(["mean", "size"])
    shares = shares[shares["size"] >= _PUZZLES]
    if len(shares) < _BINS or shares["mean"].max() < _MANY or shares["mean"].min() > _FEW:
        return
    kept = table[table["bin"].isin(shares.index)]
    medians = kept.groupby(["bin", "backend"], observed=True)["time_s"].median()
    for row in medians.reset_index().to_dict("records"):
        place = row["bin"]
        yield group | {
            "backend": row["backend"],
            "density": (place + 0.5) * BIN,
            "puzzles": int(shares["size"][place]),
            "satisfiable": float(shares["mean"][place]),
            "median_s": float(row["time_s"]),
        }


def chart(frame: pd.DataFrame) -> Drawing:
    """Above the share of puzzles with a solution, below the median time, by clue density."""
    data = theme.data_of(frame[["backend", "density", "puzzles", "satisfiable", "median_s"]])
    least, most = float(frame["density"].min()), float(frame["density"].max())
    x = alt.X(
        "density:Q",
        title="share of cells given",
        axis=alt.Axis(format=".0%", tickCount=8, labelOverlap="greedy"),
        scale=alt.Scale(domain=[least - BIN / 2, most + BIN / 2], nice=False),
    )
    share = (
        alt.Chart()
        .mark_area(
            color=theme.QUIET, opacity=0.35, line={"color": theme.QUIET}, interpolate="linear"
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
            "median_s:Q", scale=theme.log_scale(), axis=theme.times("median time", "concat_1_y")
        ),
        color=theme.colour(frame),
        tooltip=[
            "backend:N",
            alt.Tooltip("density:Q", format=".0%"),
            alt.Tooltip("median_s:Q", title="median (s)", format=".3s"),
            alt.Tooltip("satisfiable:Q", format=".0%"),
            "puzzles:Q",
        ],
    )
    line = base.mark_line(strokeWidth=2).encode(strokeDash=theme.dash(frame))
    point = base.mark_point(filled=True, size=40, opacity=1).encode(shape=theme.shape(frame))
    median = alt.layer(line, point).properties(width=theme.WIDTH, height=220)
    return alt.vconcat(share, median, data=data, spacing=8)
