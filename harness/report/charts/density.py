"""Charts by clue density: share answered, median time, phase transition."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.columns import COMPARISON_GROUP, GROUP_DTYPES
from harness.analysis.inference import median_interval, share_interval
from harness.analysis.measure import rows_frame
from harness.analysis.run import Run
from harness.puzzles.shape import Shape
from harness.records.question import Verdict
from harness.report.charts import theme
from harness.report.charts.theme import (
    ChartDrawing,
    Spec,
    aggregated,
    calculated,
    nominal,
    quantitative,
)

# Results in bins of clue density; their median times, and how they are drawn.


BIN: Final = 0.025
"""The width of a bin of clue density; a multiple of it is in the middle of a bin."""
FEWEST_BINS: Final = 4
FEWEST_INSTANCES: Final = 3
"""Instances of a bin."""

TIME_DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "density": "float64",
    "instances": "int64",
    "median_s": "float64",
    "median_low_s": "float64",
    "median_high_s": "float64",
}
"""The columns of `times_of`; ``instances`` is the number of results behind the median."""


def groups_of(run: Run) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """The comparison groups with their results on common instances, in bins of clue density.

    ``density`` is the mean clue density of the instances of the ``bin``. Bins with fewer than
    `FEWEST_INSTANCES` instances are left out, and so are groups with fewer than `FEWEST_BINS`
    bins and backends with a wrong answer.
    """
    table = run.eligible.common_results
    cells = table["shape"].astype("string").map(lambda spec: Shape.parse(spec).size ** 2)
    density = table["clues"].to_numpy(dtype=np.float64) / cells.to_numpy(dtype=np.float64)
    table = table.assign(density=density, bin=np.floor(density / BIN + 0.5 + 1e-9))
    for key, part in table.groupby(COMPARISON_GROUP, dropna=False, observed=True, sort=False):
        sizes = part.drop_duplicates("puzzle_id").groupby("bin").size()
        large = sizes.index[sizes >= FEWEST_INSTANCES]
        if len(large) >= FEWEST_BINS:
            group: dict[str, Any] = dict(zip(COMPARISON_GROUP, key, strict=True))
            kept = part[part["bin"].isin(large)]
            yield group, kept.assign(density=kept.groupby("bin")["density"].transform("mean"))


def times_of(part: pd.DataFrame) -> dict[str, Any]:
    """Density, number and median time of the results of a backend in a bin."""
    time = part["time_s"].to_numpy(dtype=np.float64)
    low, high = median_interval(time)
    return {
        "density": float(part["density"].iloc[0]),
        "instances": len(time),
        "median_s": float(np.median(time)),
        "median_low_s": low,
        "median_high_s": high,
    }


def density_axis(frame: pd.DataFrame, title: str | None = None) -> Spec:
    """The axis of clue density, over the densities of these rows."""
    least, most = float(frame["density"].min()), float(frame["density"].max())
    return quantitative(
        "density",
        title=title,
        axis={"format": ".0%", "tickCount": 8, "labelOverlap": "greedy"},
        scale={"domain": [least - BIN / 2, most + BIN / 2], "nice": False},
    )


def medians(frame: pd.DataFrame) -> Spec:
    """The median time of each backend with its interval, below another part."""
    y = {
        "scale": theme.log_scale(),
        "axis": theme.time_axis(f"median {theme.time_of(frame)}", "concat_1_y"),
    }
    times = theme.durations("median_s", "median_low_s", "median_high_s")
    shared = {
        "x": density_axis(frame, "clue density"),
        "color": theme.colour(frame, points=True),
    }
    interval = {
        "transform": [*times, {"filter": "isValid(datum.median_low_s)"}],
        "mark": {"type": "rule", "strokeWidth": 1, "opacity": 0.6},
        "encoding": shared
        | {"y": quantitative("median_low_s", **y), "y2": {"field": "median_high_s"}},
    }
    line = {
        "transform": times,
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": shared | {"y": quantitative("median_s", **y), "strokeDash": theme.dash(frame)},
    }
    point = {
        "transform": times,
        "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1},
        "encoding": shared
        | {
            "y": quantitative("median_s", **y),
            "shape": theme.shape(frame),
            "tooltip": [
                nominal("backend"),
                quantitative("density", title="clue density", format=".1%"),
                theme.duration_tooltip("median_s", "median"),
                theme.duration_tooltip("median_low_s", "interval from"),
                theme.duration_tooltip("median_high_s", "interval to"),
                quantitative("instances"),
            ],
        },
    }
    intervals = [interval] if frame["median_low_s"].notna().any() else []
    return {"layer": [*intervals, line, point], "width": theme.WIDTH, "height": 220}


# Phase transition: satisfiable share and median time by clue density.


_HIGH_SHARE: Final = 0.7
_LOW_SHARE: Final = 0.3
"""Satisfiable shares that a chart must span."""

TRANSITION_DTYPES: Final[dict[str, str]] = {
    **TIME_DTYPES,
    "known": "int64",
    "satisfiable": "float64",
    "satisfiable_low": "float64",
    "satisfiable_high": "float64",
}


def transition_frame(run: Run) -> pd.DataFrame:
    """Median time of each backend and satisfiable share, for each bin of clue density.

    ``known`` is the number of instances behind the share: those whose satisfiability some
    backend found. Both values have intervals at the level `CONFIDENCE`: see `share_interval`
    and `median_interval`. Comparison groups without a transition are left out.
    """
    rows: list[dict[str, Any]] = []
    for group, table, satisfiable in groups_with_satisfiability(run):
        kept = table[table["bin"].isin(satisfiable.index)]
        numbers = zip(satisfiable["sum"], satisfiable["count"], strict=True)
        shares = dict(zip(satisfiable.index, ((int(s), int(n)) for s, n in numbers), strict=True))
        for (place, backend), part in kept.groupby(["bin", "backend"], observed=True):
            some, known = shares[place]
            low, high = share_interval(some, known)
            share = {
                "known": known,
                "satisfiable": some / known,
                "satisfiable_low": low,
                "satisfiable_high": high,
            }
            rows.append(group | {"backend": backend} | times_of(part) | share)
    return rows_frame(rows, TRANSITION_DTYPES)


def groups_with_satisfiability(
    run: Run,
) -> Iterator[tuple[dict[str, Any], pd.DataFrame, pd.DataFrame]]:
    """The groups of `groups_of` with their satisfiable instances, bin by bin.

    The second table has a row for each bin: the number of instances with a solution (``sum``),
    and of those whose satisfiability some backend found (``count``). It is empty if fewer than
    `FEWEST_BINS` bins have `FEWEST_INSTANCES` such instances, or if the shares do not span
    `_LOW_SHARE` to `_HIGH_SHARE`: then the group shows no transition.
    """
    satisfiable = _satisfiable(run.eligible.trials)
    for group, table in groups_of(run):
        instances = table.drop_duplicates("puzzle_id")
        some = instances["puzzle_id"].astype("string").map(satisfiable).astype("float64")
        bins = some.groupby(instances["bin"]).agg(["sum", "count"])
        bins = bins[bins["count"] >= FEWEST_INSTANCES]
        share = bins["sum"] / bins["count"]
        spans = share.max() >= _HIGH_SHARE and share.min() <= _LOW_SHARE
        yield group, table, bins if len(bins) >= FEWEST_BINS and spans else bins[:0]


def _satisfiable(trials: pd.DataFrame) -> "pd.Series[float]":
    """1 for each puzzle with a solution, 0 for each without one; unknown ones are omitted."""
    verdict = trials["verdict"]
    some = trials["solution"].notna() & verdict.isin([Verdict.SOLVED, Verdict.COUNTED])
    none = verdict == Verdict.UNSATISFIABLE
    none |= (verdict == Verdict.COUNTED) & (trials["count"] == 0).fillna(False)
    known = pd.Series(np.where(some, 1.0, 0.0), index=trials["puzzle_id"])[(some | none).to_numpy()]
    return known.groupby(level=0).max()


def draw_transition(frame: pd.DataFrame) -> ChartDrawing:
    """Draw the satisfiable share at the top and the median time at the bottom, by clue density."""
    spec = {"vconcat": [_shares(frame), medians(frame)], "spacing": 8}
    return ChartDrawing(spec, frame[["backend", *list(TRANSITION_DTYPES)[len(GROUP_DTYPES) + 1 :]]])


def _shares(frame: pd.DataFrame) -> Spec:
    """The satisfiable share with its interval, and the number of instances above it."""
    names = ("satisfiable", "satisfiable_low", "satisfiable_high", "known")
    bins = aggregated("max", {name: name for name in names}, by=["density"])
    x = density_axis(frame)
    share = quantitative(
        "satisfiable",
        title="satisfiable",
        axis={"format": "%", "tickCount": 3},
        scale={"domain": [0, 1]},
    )
    line = {
        "transform": [bins],
        "mark": {"type": "line", "color": theme.MUTED},
        "encoding": {"x": x, "y": share},
    }
    interval = {
        "transform": [bins],
        "mark": {"type": "rule", "color": theme.MUTED},
        "encoding": {
            "x": x,
            "y": quantitative("satisfiable_low", title="satisfiable"),
            "y2": {"field": "satisfiable_high"},
        },
    }
    point = {
        "transform": [bins],
        "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1, "color": theme.MUTED},
        "encoding": {
            "x": x,
            "y": share,
            "tooltip": [
                quantitative("density", title="clue density", format=".1%"),
                quantitative("satisfiable", format=".0%"),
                quantitative("satisfiable_low", title="interval from", format=".0%"),
                quantitative("satisfiable_high", title="interval to", format=".0%"),
                quantitative("known", title="instances"),
            ],
        },
    }
    number = {
        "transform": [bins, *calculated(label="'n=' + format(datum.known, ',')")],
        "mark": {"type": "text", "baseline": "bottom", "dy": -6, "fontSize": 9},
        "encoding": {"x": x, "y": {"value": 0}, "text": nominal("label")},
    }
    return {"layer": [line, interval, point, number], "width": theme.WIDTH, "height": 90}


# Share answered and median time by clue density.


DENSITY_DTYPES: Final[dict[str, str]] = {
    **TIME_DTYPES,
    "answered": "float64",
    "answered_low": "float64",
    "answered_high": "float64",
}


def density_frame(run: Run) -> pd.DataFrame:
    """Share answered and median time of each backend, for each bin of clue density.

    The clue density is the share of cells that are given. Both values have intervals at the
    level `CONFIDENCE`: see `share_interval` and `median_interval`. Groups that the chart of
    `transition` shows are left out.
    """
    rows: list[dict[str, Any]] = []
    for group, table, satisfiable in groups_with_satisfiability(run):
        if not satisfiable.empty:
            continue
        for (_, backend), part in table.groupby(["bin", "backend"], observed=True):
            answered = int(part["answered"].sum())
            low, high = share_interval(answered, len(part))
            shares = {
                "answered": answered / len(part),
                "answered_low": low,
                "answered_high": high,
            }
            rows.append(group | {"backend": backend} | times_of(part) | shares)
    return rows_frame(rows, DENSITY_DTYPES)


def draw_density(frame: pd.DataFrame) -> ChartDrawing:
    """Draw the share answered at the top and the median time at the bottom, by clue density."""
    spec = {"vconcat": [_answered(frame), medians(frame)], "spacing": 8}
    return ChartDrawing(spec, frame[["backend", *list(DENSITY_DTYPES)[len(GROUP_DTYPES) + 1 :]]])


def _answered(frame: pd.DataFrame) -> Spec:
    """The share answered of each backend with its interval."""
    shared = {"x": density_axis(frame), "color": theme.colour(frame, points=True)}
    share = quantitative(
        "answered",
        title="answered",
        axis={"format": "%", "tickCount": 3},
        scale={"domain": [0, 1]},
    )
    interval = {
        "mark": {"type": "rule", "strokeWidth": 1, "opacity": 0.6},
        "encoding": shared
        | {
            "y": quantitative("answered_low", title="answered"),
            "y2": {"field": "answered_high"},
        },
    }
    line = {
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": shared | {"y": share, "strokeDash": theme.dash(frame)},
    }
    point = {
        "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1},
        "encoding": shared
        | {
            "y": share,
            "shape": theme.shape(frame),
            "tooltip": [
                nominal("backend"),
                quantitative("density", title="clue density", format=".1%"),
                quantitative("answered", format=".0%"),
                quantitative("answered_low", title="interval from", format=".0%"),
                quantitative("answered_high", title="interval to", format=".0%"),
                quantitative("instances"),
            ],
        },
    }
    return {"layer": [interval, line, point], "width": theme.WIDTH, "height": 110}
