"""Phase transition: satisfiable share and median time by clue density."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.inference import share_interval
from harness.analysis.measure import rows_frame
from harness.analysis.results import GROUP_DTYPES
from harness.analysis.run import Run
from harness.records.verdict import Verdict
from harness.report.charts import theme
from harness.report.charts.clue_density import (
    FEWEST_BINS,
    FEWEST_INSTANCES,
    TIME_DTYPES,
    density_axis,
    groups_of,
    medians,
    times_of,
)
from harness.report.charts.vega import (
    Drawing,
    Spec,
    aggregated,
    calculated,
    nominal,
    quantitative,
)

_HIGH_SHARE: Final = 0.7
_LOW_SHARE: Final = 0.3
"""Satisfiable shares that a chart must span."""

DTYPES: Final[dict[str, str]] = {
    **TIME_DTYPES,
    "known": "int64",
    "satisfiable": "float64",
    "satisfiable_low": "float64",
    "satisfiable_high": "float64",
}


def frame(run: Run) -> pd.DataFrame:
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
    return rows_frame(rows, DTYPES)


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


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw the satisfiable share at the top and the median time at the bottom, by clue density."""
    spec = {"vconcat": [_shares(frame), medians(frame)], "spacing": 8}
    return Drawing(spec, frame[["backend", *list(DTYPES)[len(GROUP_DTYPES) + 1 :]]])


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
