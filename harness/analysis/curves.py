"""Times over instances, limits and sizes: profiles, cactus plot, survival, scaling."""

from collections.abc import Iterator, Sequence
from math import nan
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from harness.analysis.measures import (
    TIME_COLUMNS,
    Bools,
    ComparisonGroup,
    Criterion,
    Floats,
    FrameLayout,
    Measure,
    Note,
    Scope,
    common_instances,
    comparison_groups,
    left_out_notes,
    limits,
    number_rows,
    statistics_by,
    with_common_set,
)
from harness.analysis.measures import columns as col
from harness.puzzles import name_by_kinds, plain_of

# Curves over instances: performance profile and cactus plot.


POINTS: Final = 500
"""Maximum number of steps of a curve; the kept ones are exact."""


def performance_profile(
    results: pd.DataFrame,
    backends: Sequence[str] | None = None,
    points: int = POINTS,
) -> pd.DataFrame:
    """The share of instances that a backend answers within tau times the shortest time.

    Dolan and Moré, "Benchmarking optimization software with performance profiles",
    Mathematical Programming 91, 2002. A third backend can change the order of two (Gould and
    Scott, "A note on performance profiles for benchmarking software", ACM TOMS 43, 2016): to
    compare only two, name them in `backends`. Backends with a wrong answer are left out, and so are
    instances that not all other backends were run on. An instance that no backend answered counts
    in the share and is credited to none.

    A share is reached at ``tau`` and holds until the next row of the backend; the first row
    of each backend is at tau = 1.

    Args:
        results: the frame of `results_of`.
        backends: the labels of the backends; None for all.
        points: maximum number of rows of a backend and comparison group.
    """
    rows: list[dict[str, Any]] = []
    for group, field in _fields(results, backends):
        time = np.where(field.answered, field.time, np.inf)
        best = time.min(axis=1) if field.backends else np.empty(0)
        for n, backend in enumerate(field.backends):
            ratios = time[field.answered[:, n], n] / best[field.answered[:, n]]
            for tau, number in _steps(ratios, points, first=1.0):
                row = {"backend": backend, "tau": tau, "share": number / len(field.puzzles)}
                rows.append({**group.key, **row})
    return PROFILE.frame(rows)


def cactus(
    results: pd.DataFrame,
    backends: Sequence[str] | None = None,
    points: int = POINTS,
) -> pd.DataFrame:
    """For each time, the number of instances that a backend answers within it.

    The cactus plot of the SAT competitions with its axes exchanged: the empirical
    distribution function of times. Backends and instances are those of
    `performance_profile`.

    Args:
        results: the frame of `results_of`.
        backends: the labels of the backends; None for all.
        points: maximum number of rows of a backend and comparison group.
    """
    rows: list[dict[str, Any]] = []
    for group, field in _fields(results, backends):
        count = len(field.puzzles)
        for n, backend in enumerate(field.backends):
            for time, number in _steps(field.time[field.answered[:, n], n], points):
                row = {"backend": backend, "answered": number, "time_s": time}
                rows.append({**group.key, **row, "instances": count, "share": number / count})
    return CACTUS.frame(rows)


def _fields(
    results: pd.DataFrame, backends: Sequence[str] | None
) -> Iterator[tuple[ComparisonGroup, ComparisonGroup]]:
    """Each comparison group, whole and reduced to its eligible chosen backends."""
    if backends is not None:
        results = results[results["backend"].isin(list(backends))]
    for group in comparison_groups(results):
        field = group.eligible()
        if len(field.puzzles):
            yield group, field


def _steps(values: Floats, points: int, first: float = np.inf) -> Iterator[tuple[float, int]]:
    """The different values in order, each with the number of values that do not exceed it.

    There is a step at `first` if no value is as small. At most `points` steps are kept: the first,
    the last, and others evenly spread between them.
    """
    steps, numbers = np.unique(values, return_counts=True)
    counts = np.cumsum(numbers)
    if first < steps.min(initial=np.inf):
        steps, counts = np.insert(steps, 0, first), np.insert(counts, 0, 0)
    if len(steps) > points:
        kept = np.unique(np.linspace(0, len(steps) - 1, points).round().astype(np.int64))
        steps, counts = steps[kept], counts[kept]
    return zip(steps.tolist(), counts.tolist(), strict=True)


PROFILE: Final = FrameLayout(
    name="performance-profile",
    title="Performance profile",
    columns=(
        *col.BACKEND_COLUMNS,
        col.number("tau", "Time over the shortest time of any backend."),
        col.number("share", "Share of the instances answered within tau."),
    ),
)

CACTUS: Final = FrameLayout(
    name="cactus",
    title="Cactus plot",
    columns=(
        *col.BACKEND_COLUMNS,
        col.count("answered", "Instances answered within `time_s` each."),
        col.count("instances", "All instances of the curve, answered or not."),
        col.number("share", "Share of the instances: `answered` over `instances`."),
        col.seconds("time_s", "Time."),
    ),
)


# Measure `survival`: mean times over trials with different time limits.


_WITHOUT_LIMIT: Final = tuple(c for c in col.LABELLED_GROUP_COLUMNS if c.name != "timeout_s")


def survival(results: pd.DataFrame) -> pd.DataFrame:
    """Estimate mean times up to a common horizon, whatever the time limits were.

    A result without a right answer is censored at its limit T: its time is taken to be
    longer, whatever the failure was. If an instance was run under several limits, the result
    under the longest limit counts. The horizon is the longest time up to which there is data
    on every eligible backend of a group: the shortest of their longest limits. The restricted
    mean survival time (RMST) is the area under the Kaplan-Meier curve up to the horizon; with
    one limit T for all it is the mean of min(t, T). A group is a comparison group without the
    time limit. All columns but `wrong` are over the instances of the group that every eligible
    backend was run on, under any limit. A backend with a wrong answer has no horizon and no mean.

    Kaplan and Meier, "Nonparametric estimation from incomplete observations", JASA 53, 1958;
    Royston and Parmar, "Restricted mean survival time", BMC Medical Research Methodology 13,
    2013.
    """
    rows: list[dict[str, Any]] = []
    group = [column.name for column in _WITHOUT_LIMIT]
    whole = with_common_set(results.assign(limit_s=limits(results)), group)
    for key, table in whole.groupby(group, dropna=False, observed=True, sort=False):
        names = dict(zip(group, key, strict=True))
        parts = {str(b): part for b, part in table.groupby("backend", observed=True, sort=True)}
        wrong = {b: part["puzzle_id"][part["wrong"] > 0].nunique() for b, part in parts.items()}
        parts = {backend: part[part["common"]] for backend, part in parts.items()}
        longest = [part["limit_s"].max() for b, part in parts.items() if not wrong[b]]
        horizon = float(min(longest, default=np.nan))
        for backend, part in parts.items():
            last = part.sort_values(["limit_s", "timeout_s"], kind="stable").drop_duplicates(
                "puzzle_id", keep="last"
            )
            is_answered = last["answered"].to_numpy(dtype=bool)
            row = {
                **names,
                "backend": backend,
                "limits": part["limit_s"].nunique(),
                "instances": len(last),
                "left_out": int(table["left_out"].iloc[0]),
                "answered": int(is_answered.sum()),
                "wrong": wrong[backend],
            }
            if len(last) and not wrong[backend]:
                time = last["time_s"].to_numpy(dtype=np.float64)
                mean, still_open = restricted_mean(time, is_answered, horizon)
                row |= {"horizon_s": horizon, "rmst_s": mean, "share_open": still_open}
            rows.append(row)
    return SURVIVAL.frame(rows)


def restricted_mean(time: Floats, is_answered: Bools, horizon: float) -> tuple[float, float]:
    """The area under the Kaplan-Meier curve up to `horizon`, and its height there.

    Args:
        time: seconds to the answer, or to the limit without an answer, shape (n,).
        is_answered: whether there was an answer, shape (n,); False is censored.
        horizon: seconds.
    """
    moments, number = np.unique(time, return_inverse=True)
    ends = np.bincount(number, minlength=len(moments))
    at_risk = len(time) - np.concatenate([[0], np.cumsum(ends)[:-1]])
    answers = np.bincount(number[is_answered], minlength=len(moments))
    curve = np.cumprod(1 - answers / at_risk)  # the product-limit estimate after each moment
    below = moments < horizon
    edges = np.concatenate([[0.0], moments[below], [horizon]])
    heights = np.concatenate([[1.0], curve[below]])
    within = curve[moments <= horizon]
    return float((np.diff(edges) * heights).sum()), float(within[-1]) if len(within) else 1.0


SURVIVAL: Final = Measure(
    title="Restricted mean times",
    scope=Scope.RUN,
    compute=survival,
    columns=(
        *_WITHOUT_LIMIT,
        col.BACKEND,
        col.count("limits", "Number of different time limits.", "limits"),
        col.count("instances", "Instances."),
        col.LEFT_OUT_SHOWN,
        col.ANSWERED,
        col.WRONG,
        col.seconds("horizon_s", "Common horizon of the group.", "horizon"),
        col.seconds("rmst_s", "Restricted mean survival time up to the horizon.", "RMST"),
        col.share(
            "share_open", "Share of the instances not answered by the horizon.", "still open"
        ),
    ),
    order="group backend limits answered left_out horizon_s rmst_s share_open",
    applies=lambda frame: bool((frame["limits"] > 1).any()),
    notes=lambda frame: (
        *left_out_notes(frame),
        Note(
            "RMST: restricted mean survival time up to the horizon, failures censored at the limit"
        ),
    ),
)


# The growth of times with the size of a puzzle: a fitted exponent with its interval.


LEAST_SIZES: Final = 3
"""Fewer sizes have no exponent: a line through two sizes always fits."""
LEAST_INSTANCES: Final = 8
"""Fewer instances have no exponent."""
SQUARE: Final = "NxN"
"""The series of shapes with boxes as square as possible: 4x4, 6x6, 9x9, 16x16."""
LATIN: Final = "latin"
"""The series of Latin squares."""
_ROUNDING: Final = 1e-9
"""A logarithm this close to the mean is at the mean: that of 6 is the mean of those of 4 and 9."""


class Exponent(NamedTuple):
    """A fitted exponent; NaN where it is missing."""

    value: float = nan
    low: float = nan
    high: float = nan
    is_bound: bool = False
    """Whether the value is only a lower bound."""


def series_of(shape: str, size: int) -> str:
    """The shapes that differ from this one only in their size: ``NxN+killer`` for 9x9+killer."""
    base, plus, kinds = shape.partition("+")
    for name, of_size in ((SQUARE, f"{size}x{size}"), (LATIN, f"latin{size}")):
        if base == of_size:
            return f"{name}{plus}{kinds}"
    return shape


def exponent_of(size: Floats, time: Floats, is_answered: Bools) -> Exponent:
    """Fit ``time = a * size ** exponent`` by least squares on the logarithms of both.

    The spread of times differs between sizes, and a size may have few instances. The 95 %
    interval therefore has the standard error HC3, which is valid for unequal variances
    (MacKinnon and White, "Some heteroskedasticity-consistent covariance matrix estimators
    with improved finite sample properties", Journal of Econometrics 29, 1985), and Student's t
    with the degrees of freedom of Bell and McCaffrey ("Bias reduction in standard errors for
    linear regression with multi-stage samples", Survey Methodology 28(2), 2002), which are few
    if few instances determine the slope.

    A failure has at least the time T that it counts as. At a size above the mean of the
    logarithms a longer time makes the slope steeper, and at the mean it changes nothing. If all
    failures are at such sizes, the exponent is a lower bound, without an upper end. Otherwise it is
    missing, as it is below `LEAST_SIZES` sizes or `LEAST_INSTANCES` instances, or with a time of
    zero.

    Args:
        size: the size N of each instance, shape (n,).
        time: seconds, failures at T, shape (n,).
        is_answered: shape (n,).
    """
    if len(size) < LEAST_INSTANCES or len(np.unique(size)) < LEAST_SIZES or (time <= 0).any():
        return Exponent()
    log_size, log_time = np.log(size), np.log(time)
    from_mean = log_size - log_size.mean()
    if (from_mean[~is_answered] < -_ROUNDING).any():
        return Exponent()
    squares = (from_mean**2).sum()
    slope = float((from_mean * log_time).sum() / squares)
    residual = log_time - log_time.mean() - slope * from_mean
    weight = from_mean / squares / (1 - _leverage(from_mean))
    error = np.sqrt(((weight * residual) ** 2).sum())
    freedom = _degrees_of_freedom(from_mean, weight**2)
    reach = float(error * scipy.special.stdtrit(freedom, (1 + Criterion.CONFIDENCE) / 2))
    is_bound = not bool(is_answered.all())
    return Exponent(slope, slope - reach, nan if is_bound else slope + reach, is_bound)


def _leverage(from_mean: Floats) -> Floats:
    """The diagonal of the projection on a line, 1/n + d²/sum(d²)."""
    projection: Floats = 1 / len(from_mean) + from_mean**2 / (from_mean**2).sum()
    return projection


def _degrees_of_freedom(from_mean: Floats, weights: Floats) -> float:
    """The degrees of freedom of the variance ``sum(w² r²)`` of residuals r of a line.

    With the projection M on the residuals and W = diag(w²), the variance is a sum of chi-squared
    variables with the eigenvalues of W M. Satterthwaite's approximation has trace(W M)² /
    trace(W M W M) degrees of freedom. M has the entries [i = j] - 1/n - d_i d_j / sum(d²), so the
    sum over all pairs is a product of sums, apart from the diagonal.

    Args:
        from_mean: d, the deviations of the abscissae from their mean, shape (n,).
        weights: w², shape (n,).
    """
    n, squares, leverage = len(from_mean), (from_mean**2).sum(), _leverage(from_mean)
    pairs = (weights.sum() / n) ** 2
    pairs += 2 * (weights * from_mean).sum() ** 2 / (n * squares)
    pairs += (weights * from_mean**2).sum() ** 2 / squares**2
    diagonal = weights**2 * ((1 - leverage) ** 2 - leverage**2)
    return float((weights * (1 - leverage)).sum() ** 2 / (pairs + diagonal.sum()))


# Measure `scaling`: times by the size of the puzzle.


_OVER_DATASETS: Final = tuple(c for c in col.LABELLED_GROUP_COLUMNS if c.name != "dataset")
_GROUP: Final = [column.name for column in _OVER_DATASETS]
_INSTANCE: Final = ("dataset", "puzzle_id")
_FIT: Final = "fit"
"""The column with a number for each fitted exponent."""


def scaling(results: pd.DataFrame) -> pd.DataFrame:
    """Summarize the times of each shape and backend over all datasets, the smallest size first.

    A group is a comparison group without the dataset. PAR-2 and the geometric mean are as in
    `averages`, over the instances of the shape that every backend without a wrong answer on
    the shape was run on.

    The exponent describes how times grow with the size N: time = a * N ** exponent. It is fitted
    for each backend to the instances of all sizes of a series, with failures at T: NxN (4x4, 6x6,
    9x9, 16x16 ...), Latin squares, either with the same variants, or one other shape. These are
    the instances that every backend without a wrong answer in the series was run on, so they are
    the same for all backends. See `harness.analysis.curves.exponent_of` for the fit and the sources
    of its interval.

    Puzzles with constraints of the same kinds count as one shape, such as ``9x9+killer``.
    """
    names = {str(spec): name_by_kinds(str(spec)) for spec in results["shape"].unique()}
    sizes = {name: plain_of(spec).size for spec, name in names.items()}
    series = {shape: series_of(shape, size) for shape, size in sizes.items()}
    shapes = results["shape"].astype("string").map(names)
    results = results.assign(shape=shapes, size=shapes.map(sizes), series=shapes.map(series))
    number, _ = number_rows(results, [*_GROUP, "series", "backend"])
    rows = []
    group = [*_GROUP, "shape"]
    table = with_common_set(results.assign(**{_FIT: number}), group, _INSTANCE)
    exponents = _exponents(table)
    for row in statistics_by(table, [*group, "backend", _FIT]):
        row["size"] = sizes[str(row["shape"])]
        rows.append(row | exponents[row[_FIT]])
    frame = SCALING.frame(rows)
    order = ["task", "limit", "start", "size", "shape", "backend"]
    return frame.sort_values(order, kind="stable", ignore_index=True)


def _exponents(table: pd.DataFrame) -> dict[int, dict[str, Any]]:
    """The columns of the exponent for each number in `_FIT`."""
    common, _ = common_instances(table, [*_GROUP, "series"], _INSTANCE)
    exponents = {}
    for number, rows in table.assign(common=common).groupby(_FIT, sort=False):
        common_rows = rows[rows["common"]]
        exponent = exponent_of(
            common_rows["size"].to_numpy(dtype=np.float64),
            common_rows["time_s"].to_numpy(dtype=np.float64),
            common_rows["answered"].to_numpy(dtype=bool),
        )
        names = ("exponent", "exponent_low", "exponent_high", "exponent_is_bound")
        values = dict(zip(names, exponent, strict=True))
        exponents[int(str(number))] = values | {"fitted_to": len(common_rows)}
    return exponents


_has_exponent: Final = col.has_value("exponent")


def _notes_scaling(frame: pd.DataFrame) -> Iterator[Note]:
    yield from left_out_notes(frame)
    if _has_exponent(frame):
        yield Note(
            "exponent: times grow as N to this power, fitted to all sizes of a series; "
            "> at least, as failures count as T"
        )


SCALING: Final = Measure(
    title="By size",
    scope=Scope.RUN,
    compute=scaling,
    columns=(
        *_OVER_DATASETS,
        col.shape("shape", "Name of the shape.", "shape"),
        col.count("size", "Size N of the shape: values, and cells of a house."),
        col.BACKEND,
        col.WRONG_SHOWN,
        col.LEFT_OUT_SHOWN,
        *TIME_COLUMNS,
        col.number(
            "exponent",
            f"Fitted growth of the time, N ** exponent; missing below {LEAST_SIZES} sizes or "
            f"{LEAST_INSTANCES} instances.",
            "exponent",
            bound_flag="exponent_is_bound",
            shown_if=_has_exponent,
        ),
        col.number_range(
            "exponent_low",
            "Lower end of its 95 % interval.",
            "95 % interval",
            upper="exponent_high",
            shown_if=_has_exponent,
        ),
        col.number("exponent_high", "Upper end of the interval; missing for a lower bound."),
        col.flag("exponent_is_bound", "Whether `exponent` is only a lower bound."),
        col.count(
            "fitted_to",
            "Instances of all sizes that the exponent is fitted to.",
            "fitted to",
            shown_if=_has_exponent,
        ),
    ),
    order=(
        "shape group backend answered left_out wrong median_s par2_s sgm_1ms_s exponent "
        "exponent_low fitted_to"
    ),
    applies=col.varies("size"),
    notes=_notes_scaling,
)
