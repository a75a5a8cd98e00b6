"""Charts by clue density: share answered, median time, phase transition."""

from collections.abc import Iterator, Sequence
from math import nan, sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy  # each part of it is loaded at its first use

from harness.analysis import Run
from harness.analysis.measures import Criterion
from harness.analysis.measures import columns as col
from harness.extensions.page.charts import theme
from harness.extensions.page.charts.chart import chart_frame
from harness.extensions.page.charts.theme import (
    ChartDrawing,
    Spec,
    aggregate,
    calculate,
    layer,
    nominal,
    quantitative,
)
from harness.puzzles import plain_of
from harness.records import Verdict

# Results in bins of clue density; their median times, and how they are drawn.


BIN: Final = 0.025
"""The width of a bin of clue density; bins are centred on its multiples."""
FEWEST_BINS: Final = 4
FEWEST_INSTANCES: Final = 3
"""The fewest instances of a bin that is kept."""


def groups_of(run: Run) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """The comparison groups with their results on common instances, in bins of clue density.

    ``density`` is the mean clue density of the instances of the ``bin``. Bins with fewer than
    `FEWEST_INSTANCES` instances are left out, and so are groups with fewer than `FEWEST_BINS`
    bins and backends with a wrong answer.
    """
    table = run.eligible.common_results
    cells = table["shape"].map(lambda spec: plain_of(spec).size ** 2)  # once for each category
    density = table["clues"].to_numpy(dtype=np.float64) / cells.to_numpy(dtype=np.float64)
    table = table.assign(density=density, bin=np.floor(density / BIN + 0.5 + 1e-9))
    for key, part in table.groupby(col.COMPARISON_GROUP, dropna=False, observed=True, sort=False):
        sizes = part.drop_duplicates("puzzle_id").groupby("bin").size()
        large = sizes.index[sizes >= FEWEST_INSTANCES]
        if len(large) >= FEWEST_BINS:
            group: dict[str, Any] = dict(zip(col.COMPARISON_GROUP, key, strict=True))
            rows = part[part["bin"].isin(large)]
            yield group, rows.assign(density=rows.groupby("bin")["density"].transform("mean"))


def times_of(part: pd.DataFrame) -> dict[str, Any]:
    """Density, number and median time, with its interval, of a backend's results in a bin.

    ``instances`` is the number of results behind the median.
    """
    time = part["time_s"].to_numpy(dtype=np.float64)
    low, high = median_interval(time)
    return {
        "density": float(part["density"].iloc[0]),
        "instances": len(time),
        "median_s": float(np.median(time)),
        "median_low_s": low,
        "median_high_s": high,
    }


def _share_of(name: str, count: int, size: int) -> dict[str, float]:
    """The columns of a share and its interval."""
    low, high = share_interval(count, size)
    return {name: count / size, f"{name}_low": low, f"{name}_high": high}


def share_interval(count: int, size: int) -> tuple[float, float]:
    """The interval of a share, `count` of `size` independent instances, at `Criterion.CONFIDENCE`.

    The score interval of Wilson, "Probable inference, the law of succession, and statistical
    inference", JASA 22, 1927. Unlike the textbook interval it has the right coverage for few
    instances and for shares near 0 and 1 (Brown, Cai and DasGupta, Statistical Science 16, 2001).
    """
    z = float(scipy.special.ndtri((1 + Criterion.CONFIDENCE) / 2))
    share = count / size
    centre = (share + z**2 / (2 * size)) / (1 + z**2 / size)
    reach = z * sqrt(share * (1 - share) / size + (z / (2 * size)) ** 2) / (1 + z**2 / size)
    return centre - reach if count else 0.0, centre + reach if count < size else 1.0


def median_interval(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The interval of a median between two of the values, at `Criterion.CONFIDENCE` or more.

    It makes no assumption on the distribution: the number of values below the true median is
    binomial (Conover, "Practical nonparametric statistics", 1999, section 3.2). Missing for
    fewer than 6 values: the interval from the smallest to the largest has a lower confidence.
    """
    size = len(values)
    # The probability that fewer values than this are below the median is within the tail.
    below = int(
        np.searchsorted(
            scipy.special.bdtr(np.arange(size), size, 0.5), (1 - Criterion.CONFIDENCE) / 2
        )
    )
    if not below:
        return nan, nan
    in_order = np.sort(values)
    return float(in_order[below - 1]), float(in_order[size - below])


def density_axis(frame: pd.DataFrame, title: str | None = None) -> Spec:
    """The axis of clue density, over the densities of these rows."""
    least, most = float(frame["density"].min()), float(frame["density"].max())
    return quantitative(
        "density",
        title=title,
        axis=theme.number_axis(".0%", 8),
        scale={"domain": [least - BIN / 2, most + BIN / 2], "nice": False},
    )


def medians(frame: pd.DataFrame) -> Spec:
    """The median time of each backend with its interval, below another part."""
    axis = theme.time_axis(f"median {theme.time_of(frame)}", "concat_1_y")
    y = {"scale": theme.log_scale(), "axis": axis}
    interval, *values = _by_backend(
        frame,
        density_axis(frame, "clue density"),
        quantitative("median_s", **y),
        {"y": quantitative("median_low_s", **y), "y2": {"field": "median_high_s"}},
        [
            theme.duration_tooltip("median_s", "median"),
            theme.duration_tooltip("median_low_s", "interval from"),
            theme.duration_tooltip("median_high_s", "interval to"),
        ],
        theme.durations("median_s", "median_low_s", "median_high_s"),
    )
    interval["transform"].append({"filter": "isValid(datum.median_low_s)"})
    intervals = [interval] if frame["median_low_s"].notna().any() else []
    return theme.layer_view(*intervals, *values, height=220)


def _by_backend(
    frame: pd.DataFrame,
    x: Spec,
    y: Spec,
    ends: Spec,
    tooltip: Sequence[Spec],
    transform: Sequence[Spec] | None = None,
) -> list[Spec]:
    """The layers of a value of each backend: its interval between `ends`, a line, points."""
    encoding = {"x": x, "color": theme.colour(frame, points=True)}
    values = [nominal("backend"), _DENSITY, *tooltip, quantitative("instances")]
    looks = {"shape": theme.shape(frame), "tooltip": values}
    return [
        layer("rule", encoding | ends, transform, strokeWidth=1, opacity=0.6),
        layer(
            "line", encoding | {"y": y, "strokeDash": theme.dash(frame)}, transform, strokeWidth=2
        ),
        layer("point", encoding | {"y": y} | looks, transform, **theme.points(40)),
    ]


_DENSITY: Final = quantitative("density", title="clue density", format=".1%")
"""The clue density in a tooltip."""


def _share_axis(name: str) -> Spec:
    """The y axis of the share in the column `name`, which is also the title."""
    axis = {"format": "%", "tickCount": 3}
    return quantitative(name, title=name, axis=axis, scale={"domain": [0, 1]})


def _share_ends(name: str) -> Spec:
    """The channels of the ends of the interval of a share."""
    return {"y": quantitative(f"{name}_low", title=name), "y2": {"field": f"{name}_high"}}


def _share_tooltip(name: str) -> list[Spec]:
    """A share with its interval in a tooltip."""
    return [
        quantitative(name, format=".0%"),
        quantitative(f"{name}_low", title="interval from", format=".0%"),
        quantitative(f"{name}_high", title="interval to", format=".0%"),
    ]


# Phase transition: satisfiable share and median time by clue density.


_HIGH_SHARE: Final = 0.7
_LOW_SHARE: Final = 0.3
"""A phase transition has a bin with at least the high satisfiable share, and one with at most the
low one."""


def transition_frame(run: Run) -> pd.DataFrame:
    """Median time of each backend and satisfiable share, for each bin of clue density.

    ``known`` is the number of instances behind the share: those whose satisfiability some
    backend found. Both values have intervals at the level `CONFIDENCE`: see `share_interval`
    and `median_interval`. Comparison groups without a transition are left out.
    """
    rows: list[dict[str, Any]] = []
    for group, table, satisfiable in groups_with_satisfiability(run):
        results = table[table["bin"].isin(satisfiable.index)]
        numbers = zip(satisfiable["sum"], satisfiable["count"], strict=True)
        shares = dict(zip(satisfiable.index, ((int(s), int(n)) for s, n in numbers), strict=True))
        for (place, backend), part in results.groupby(["bin", "backend"], observed=True):
            some, count = shares[place]
            share = {"known": count} | _share_of("satisfiable", some, count)
            rows.append(group | {"backend": backend} | times_of(part) | share)
    return chart_frame(rows)


def groups_with_satisfiability(
    run: Run,
) -> Iterator[tuple[dict[str, Any], pd.DataFrame, pd.DataFrame]]:
    """The groups of `groups_of` with their satisfiable instances, bin by bin.

    The second table has a row for each bin: the number of instances with a solution (``sum``),
    and of those whose satisfiability some backend found (``count``). It is empty if fewer than
    `FEWEST_BINS` bins have `FEWEST_INSTANCES` such instances, or if the shares do not span
    `_LOW_SHARE` to `_HIGH_SHARE`: then the group shows no transition.
    """
    satisfiable = run.eligible.once(_satisfiable)
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
    is_satisfiable = pd.Series(np.where(some, 1.0, 0.0), index=trials["puzzle_id"])[
        (some | none).to_numpy()
    ]
    return is_satisfiable.groupby(level=0).max()


def draw_transition(frame: pd.DataFrame) -> ChartDrawing:
    """Draw the satisfiable share at the top and the median time at the bottom, by clue density."""
    spec = {"vconcat": [_shares(frame), medians(frame)], "spacing": 8}
    return ChartDrawing(spec, frame)


def _shares(frame: pd.DataFrame) -> Spec:
    """The satisfiable share with its interval, and the number of instances above it."""
    names = ("satisfiable", "satisfiable_low", "satisfiable_high", "known")
    bins = aggregate("max", {name: name for name in names}, by=["density"])
    x, y = {"x": density_axis(frame)}, {"y": _share_axis("satisfiable")}
    tooltip = [
        _DENSITY,
        *_share_tooltip("satisfiable"),
        quantitative("known", title="instances"),
    ]
    number = [bins, *calculate(label="'n=' + format(datum.known, ',')")]
    above = {"y": {"value": 0}, "text": nominal("label")}
    return theme.layer_view(
        layer("line", x | y, [bins], color=theme.MUTED),
        layer("rule", x | _share_ends("satisfiable"), [bins], color=theme.MUTED),
        layer("point", x | y | {"tooltip": tooltip}, [bins], **theme.points(40), color=theme.MUTED),
        layer("text", x | above, number, baseline="bottom", dy=-6, fontSize=9),
        height=90,
    )


# Share answered and median time by clue density.


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
            share = _share_of("answered", int(part["answered"].sum()), len(part))
            rows.append(group | {"backend": backend} | times_of(part) | share)
    return chart_frame(rows)


def draw_density(frame: pd.DataFrame) -> ChartDrawing:
    """Draw the share answered at the top and the median time at the bottom, by clue density."""
    answered = _by_backend(
        frame,
        density_axis(frame),
        _share_axis("answered"),
        _share_ends("answered"),
        _share_tooltip("answered"),
    )
    parts = [theme.layer_view(*answered, height=110), medians(frame)]
    return ChartDrawing({"vconcat": parts, "spacing": 8}, frame)
