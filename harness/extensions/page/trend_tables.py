"""Series of runs, steps in them, and the tables of a trend.

The runs are the sample, because all times of a run share what the machine did during it: many
instances make the mean of a run exact, but do not repeat the run. The tests take the means of
the logarithms of times, one value for each run.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from harness.analysis import Change, Run
from harness.analysis.measures import (
    DEFAULT,
    Bools,
    Criterion,
    Floats,
    FrameLayout,
    Note,
    holm,
    number_rows,
)
from harness.analysis.measures import columns as col

# Series: the results of each configuration in several runs, on the instances of all of them.


SERIES_GROUP: Final = [name for name in col.COMPARISON_GROUP if name != "host"]
"""The columns that are equal in all runs of a series. A change of the machine is reported."""

SERIES_KEY: Final = [*SERIES_GROUP, "backend"]
"""The columns that identify a series."""

LEAST_RUNS: Final = 3
"""The smallest number of runs in a trend, and in a series that is tested."""


def series_key(row: Mapping[Any, Any]) -> tuple[str, ...]:
    """The key of the series of a row as texts, in any frame; missing values are empty texts."""
    return tuple("" if pd.isna(row[name]) else str(row[name]) for name in SERIES_KEY)


@dataclass(frozen=True, eq=False)
class RunSeries:
    """A configuration in k of the runs, on the n instances that its group has in common."""

    key: Mapping[str, Any]
    """The values of `SERIES_GROUP`."""
    backend: str
    runs: tuple[int, ...]
    """The runs that have the configuration: their places among all runs, ascending."""
    time: Floats
    """Seconds with failures at the limit, shape (n, k)."""
    answered: Bools
    """Shape (n, k)."""
    wrong: npt.NDArray[np.int64]
    """Wrong answers in each run, whatever their instances, shape (k,)."""
    has: npt.NDArray[np.int64]
    """Instances that each run has, in common or not, shape (k,)."""

    @property
    def group(self) -> tuple[Any, ...]:
        """The comparison group without its machine, equal for all its series."""
        return tuple(None if pd.isna(value) else value for value in self.key.values())

    @property
    def title(self) -> str:
        """Dataset, task, start and scramble of the group in words."""
        scramble = f", scramble {self.key['scramble']}" if self.key["scramble"] else ""
        return f"{self.key['dataset']}: {self.key['task']}, {self.key['start']} start{scramble}"

    @property
    def instances(self) -> int:
        """The number n of common instances."""
        return len(self.time)

    @property
    def right(self) -> npt.NDArray[np.intp]:
        """The columns of the runs without a wrong answer; only these have comparable times."""
        return np.flatnonzero(self.wrong == 0)


def series_of(runs: Sequence[Run]) -> Iterator[RunSeries]:
    """The series of each comparison group and configuration, each over the runs in order.

    An instance is common if every run has a result of it for every configuration of the
    group that the run contains: so all values of a group, of any configuration and any run,
    cover the same instances. The machines of a run count as one.
    """
    frames = []
    for place, run in enumerate(runs):
        results = (run.across_machines() if len(run.hosts) > 1 else run).results
        results = results[[*SERIES_KEY, "puzzle_id", "time_s", "answered", "wrong"]]
        # Categories differ between runs.
        texts = dict.fromkeys(results.select_dtypes("category"), "string")
        frames.append(results.astype(texts).assign(run=place))
    table = pd.concat(frames, ignore_index=True)
    number, first = number_rows(table, SERIES_GROUP)
    keys = table.iloc[first][SERIES_GROUP].to_dict("records")
    for group, key in enumerate(keys):
        part = table[number == group]
        cells = len(part[["backend", "run"]].drop_duplicates())
        sizes = part.groupby("puzzle_id", sort=True).size()
        common = sizes.index[sizes == cells]
        names = {str(name): value for name, value in key.items()}
        for backend, rows in part.groupby("backend", sort=True):
            yield _series(names, str(backend), rows, common)


def _series(
    key: Mapping[str, Any], backend: str, rows: pd.DataFrame, common: "pd.Index[Any]"
) -> RunSeries:
    places = sorted(map(int, rows["run"].unique()))
    by_run = rows.groupby("run", sort=True)
    inside = rows[rows["puzzle_id"].isin(common)]
    time, is_answered = (
        inside.pivot(index="puzzle_id", columns="run", values=name).reindex(columns=places)
        for name in ("time_s", "answered")
    )
    return RunSeries(
        key=key,
        backend=backend,
        runs=tuple(places),
        time=time.to_numpy(dtype=np.float64),
        answered=is_answered.to_numpy(dtype=bool),
        wrong=by_run["wrong"].sum().to_numpy(dtype=np.int64),
        has=np.asarray(by_run.size(), dtype=np.int64),
    )


# Steps in a series of runs: where the level of a configuration's times changes.


RUN_NOISE: Final = (0.03, 0.1)
"""Bounds on the standard deviation that is expected between runs of equal speed, as a share of
their times. Between these bounds it is that of a single instance: a machine whose single times
vary is also expected to vary from run to run."""
RUN_NOISE_WEIGHT: Final = 3
"""Degrees of freedom of the expectation. With few runs, they keep two runs that happen to agree
from making any third one significant; with many runs, the noise of the runs decides."""
LEAST_INSTANCES: Final = 5
"""The smallest number of instances from which the noise of an instance is estimated."""
_PENALTY: Final = 3.0
"""The cost of a candidate, in logarithms of the number of runs; see `candidates`."""


@dataclass(frozen=True, slots=True)
class LevelChange:
    """A test of the level before a place of a series against the level after it."""

    at: int
    """The number of runs before the change."""
    begin: int
    """The first run of the level before."""
    end: int
    """The first run after the level after."""
    difference: float
    """The level after minus the level before, in logarithms."""
    low: float
    high: float
    """The ends of the confidence interval of the difference."""
    p: float
    """The p-value, corrected for the number of places in the series."""
    p_holm: float = float("nan")
    """The p-value with Holm's correction for all changes that are tested together."""


def steps_of(series: Sequence[Floats], criterion: Criterion = DEFAULT) -> list[list[LevelChange]]:
    """The steps of several series: the changes of level that are both significant and large.

    Holm's correction covers the tests of all series, and `criterion` decides. While a change
    is not significant or not large, each series drops the place of its least significant such
    change, and the remaining levels are tested again.

    Args:
        series: for each series the logarithms of times, shape (n, k) for n >= 2 instances in
            k >= 2 runs.
        criterion: what makes a difference count.

    Returns:
        The steps of each series, in order.
    """
    means: list[Floats] = [logs.mean(axis=0) for logs in series]
    priors = [prior_variance(logs) for logs in series]
    places = [candidates(*pair) for pair in zip(means, priors, strict=True)]
    while True:
        steps = [level_changes(*parts) for parts in zip(means, places, priors, strict=True)]
        p_values = iter(holm(np.array([change.p for changes in steps for change in changes])))
        steps = [[replace(c, p_holm=float(next(p_values))) for c in changes] for changes in steps]
        weak = [[c for c in changes if not _is_step(c, criterion)] for changes in steps]
        if not any(weak):
            return steps
        for remaining, weak_changes in zip(places, weak, strict=True):
            if weak_changes:
                remaining.remove(max(weak_changes, key=lambda change: (change.p, change.at)).at)


def _is_step(change: LevelChange, criterion: Criterion) -> bool:
    factor = np.exp(np.array([change.difference]))
    direction = np.sign(np.log(factor)).astype(np.int64)  # a test of means
    return bool(criterion.different(np.array([change.p_holm]), factor, direction)[0])


def prior_variance(logs: Floats) -> float:
    """The expected variance of the mean of a run: between runs, and of its n instances.

    The variance of one instance between equal runs is the median over pairs of successive runs, so
    that a step does not count as noise.

    Args:
        logs: logarithms of times, shape (n, k) for n >= 2 instances in k >= 2 runs.
    """
    changes = np.diff(logs, axis=1)
    single = float(np.median(changes.var(axis=0, ddof=1))) / 2
    return float(np.clip(np.sqrt(single), *RUN_NOISE)) ** 2 + single / len(logs)


def candidates(means: Floats, prior: float) -> list[int]:
    """The places where a series of runs may change its level, before they are tested.

    For each number of changes the places with the smallest sum of squares around the levels
    are found by dynamic programming (Auger and Lawrence, "Algorithms for the optimal
    identification of segment neighborhoods", Bulletin of Mathematical Biology 51, 1989). The
    number is that with the best penalised likelihood (Yao, "Estimating the number of
    change-points via Schwarz' criterion", Statistics and Probability Letters 6, 1988). A
    single run between two others is an outlier, not a level; the first and the last run may
    be levels of their own.

    Args:
        means: shape (k,).
        prior: see `prior_variance`.
    """
    k = len(means)
    if k < 2:
        return []
    weight = RUN_NOISE_WEIGHT + k - 1
    segmentations = _segmentations(means, max(1, k // 2))
    cost = [
        weight * np.log(RUN_NOISE_WEIGHT * prior + squares) + _PENALTY * np.log(k) * len(places)
        for squares, places in segmentations
    ]
    return segmentations[int(np.argmin(cost))][1]


def level_changes(means: Floats, places: Sequence[int], prior: float) -> list[LevelChange]:
    """Test the level before each place against the level after it.

    The test is a t-test whose variance is pooled over all levels of the series and moderated
    by `prior` (Smyth, "Linear models and empirical Bayes methods for assessing differential
    expression in microarray experiments", Statistical Applications in Genetics and Molecular
    Biology 3, 2004). The p-value is corrected for the k - 1 places at which the series
    could have changed (Bonferroni).

    Args:
        means: shape (k,).
        places: numbers of runs before each change, ascending.
        prior: see `prior_variance`.
    """
    k = len(means)
    bounds = [0, *places, k]
    levels = [means[a:b] for a, b in pairwise(bounds)]
    squares = sum(float(((level - level.mean()) ** 2).sum()) for level in levels)
    freedom = RUN_NOISE_WEIGHT + k - len(levels)
    variance = (RUN_NOISE_WEIGHT * prior + squares) / freedom
    reach = float(scipy.special.stdtrit(freedom, (1 + Criterion.CONFIDENCE) / 2))
    changes = []
    for n, (before, after) in enumerate(pairwise(levels)):
        difference = float(after.mean() - before.mean())
        error = float(np.sqrt(variance * (1 / len(before) + 1 / len(after))))
        p = 2 * float(scipy.special.stdtr(freedom, -abs(difference) / error))
        changes.append(
            LevelChange(
                at=bounds[n + 1],
                begin=bounds[n],
                end=bounds[n + 2],
                difference=difference,
                low=difference - reach * error,
                high=difference + reach * error,
                p=min(1.0, p * (k - 1)),
            )
        )
    return changes


def _segmentations(means: Floats, most: int) -> list[tuple[float, list[int]]]:
    """The smallest sum of squares and its places for 0, 1, ... `most` changes, if possible."""
    k = len(means)
    values = means - means.mean()  # small numbers, so that differences of sums stay exact
    sums = np.concatenate([[0.0], np.cumsum(values)])
    squares = np.concatenate([[0.0], np.cumsum(values**2)])
    length = np.arange(k + 1)[None, :] - np.arange(k + 1)[:, None]
    inside = length > 0
    scatter = (squares[None, :] - squares[:, None]) - (
        (sums[None, :] - sums[:, None]) ** 2 / np.where(inside, length, 1)
    )
    inner = (np.arange(k + 1)[:, None] > 0) & (np.arange(k + 1)[None, :] < k)
    possible = inside & ~(inner & (length == 1))
    # cost[a, b]: the sum of squares of runs a to b - 1 around their mean.
    cost = np.where(possible, np.maximum(scatter, 0.0), np.inf)
    least = cost[0].copy()
    segmentations: list[tuple[float, list[int]]] = [(float(least[k]), [])]
    last: list[npt.NDArray[np.intp]] = []
    for _ in range(most):
        total = least[:, None] + cost
        last.append(total.argmin(axis=0))
        least = total.min(axis=0)
        if not np.isfinite(least[k]):
            break
        places: list[int] = []
        end = k
        for choice in reversed(last):
            end = int(choice[end])
            places.append(end)
        segmentations.append((float(least[k]), places[::-1]))
    return segmentations


# The tables of a trend: their columns and how each is shown.


MACHINE_CHANGED: Final = "machine changed"
"""The change of a step between runs of different machines."""
UNEQUAL: Final = (Change.SLOWER_UNEQUAL, Change.FASTER_UNEQUAL)
"""The changes of steps between runs of one machine under unequal conditions."""

_SERIES: Final[col.Columns] = tuple(c for c in col.BACKEND_COLUMNS if c.name in SERIES_KEY)


@dataclass(frozen=True, slots=True)
class TrendMeasure:
    """A value of a configuration in a run, and how tables and charts show it."""

    name: str
    """The name that ``--measure`` takes."""
    column: str
    """The column of `VALUES`."""
    title: str
    kind: col.ValueKind


TREND_MEASURES: Final[Mapping[str, TrendMeasure]] = {
    measure.name: measure
    for measure in (
        TrendMeasure("par2", "par2_s", "PAR-2", col.ValueKind.SECONDS),
        TrendMeasure("median", "median_s", "median", col.ValueKind.SECONDS),
        TrendMeasure("solved", "answered", "answered", col.ValueKind.COUNT),
        TrendMeasure("throughput", "puzzles_per_s", "puzzles/s", col.ValueKind.NUMBER),
    )
}
"""The values that a trend can show, by name; the first one is the default."""


_RUN: Final = col.count("run", "Number of the run, from 1.", "run")
_COMMON: Final = col.count(
    "instances", "Instances that all runs have in common.", "instances", short="n"
)

RUNS: Final = FrameLayout(
    name="runs",
    title="Runs",
    columns=(
        _RUN,
        col.text("folder", "Folder of the run, or the version.", "folder"),
        col.text(
            "started", "Start of its first invocation in UTC; empty if unknown.", "started (UTC)"
        ),
        col.count("trials", "Number of its trials.", "trials"),
        col.count("planned", "Number of its planned trials; missing if unknown.", dtype="Int64"),
        col.text(
            "state",
            "Whether it is finished, and if not, why.",
            "state",
            shown_if=col.varies("state"),
        ),
        col.text("host", "Names of its machines; empty if unknown.", "machine"),
        col.flag("machine_changed", "Whether the machine differs from that of the run before."),
        col.text("disturbed", "What disturbed its machine; missing if nothing did."),
        col.text("harness", "Version of the harness."),
        col.text("checkout", "Commit of the harness, if it runs from a clone."),
    ),
)

VALUES: Final = FrameLayout(
    name="values",
    title="Values",
    columns=(
        *_SERIES,
        _RUN,
        _COMMON,
        col.fraction(
            "answered",
            "Answered instances; missing after a wrong answer.",
            "answered",
            dtype="Int64",
            out_of="instances",
        ),
        col.count("wrong", "Wrong answers.", "wrong"),
        col.PAR2,
        col.seconds("median_s", "Median time, failures at T.", "median"),
        col.seconds("geometric_mean_s", "Geometric mean of times, failures at T.", "gmean"),
        col.number(
            "puzzles_per_s",
            "Puzzles over the sum of their times, failures at T.",
            "puzzles/s",
            unit="1/s",
        ),
    ),
)

STEPS: Final = FrameLayout(
    name="steps",
    title="Steps",
    columns=(
        col.text(
            "change",
            f"`{Change.SLOWER}` or `{Change.FASTER}`; `{Change.SLOWER_UNEQUAL}`, "
            f"`{Change.FASTER_UNEQUAL}` or `{MACHINE_CHANGED}` if the machine may be the cause.",
            "change",
        ),
        *_SERIES,
        col.count("run", "Number of the first run after the step.", "from run"),
        col.count("previous", "Number of the last run before the step."),
        _COMMON,
        col.seconds(
            "before_s", "Geometric mean of times from the previous step to this one.", "before"
        ),
        col.seconds("after_s", "Geometric mean of times from this step to the next one.", "after"),
        *col.factor_columns(
            "After over before.", "Lower end of its 95 % confidence interval, between runs."
        ),
        col.number("p", "p-value of the t-test between runs, times the number of places."),
        col.probability("p_holm", "The p-value with Holm's correction for all steps.", "p (Holm)"),
        col.number("least_factor", "Smallest factor of a step."),
        col.text("changed", "What differs between the runs before and after."),
    ),
    order="change backend group run before_s after_s factor factor_low p_holm",
    notes=lambda frame: (
        Note(
            f"step: a factor of {frame['least_factor'].iloc[0]:g} or more between the geometric "
            "means of the runs before and after, failures at the limit, and "
            f"p < {Criterion.ALPHA:g} in a t-test between runs, corrected for all runs and steps"
        ),
    ),
)


def trends_layout(measure: TrendMeasure) -> FrameLayout:
    """The table with one row for each configuration."""
    value = partial(col.Column, kind=measure.kind)
    return FrameLayout(
        name="trends",
        title=f"Trends of {measure.title}",
        columns=(
            *_SERIES,
            _COMMON,
            col.count("runs", "Runs with a value.", "runs"),
            value("first", f"{measure.title} in the first of them.", "first"),
            value("last", f"{measure.title} in the last of them.", "last"),
            col.text(
                "steps", "Its steps: change, first run, factor and its 95 % interval.", "steps"
            ),
        ),
        order="backend group instances runs first last steps",
    )


def in_words(change: str) -> str:
    """The change of a step without a comma, for lists of changes."""
    return change.replace(", unequal machine", " on an unequal machine")


def trends_table(
    values: pd.DataFrame, steps: pd.DataFrame, measure: TrendMeasure, names: Mapping[int, str]
) -> pd.DataFrame:
    """One row for each configuration: its first and last value, and its steps in words.

    Args:
        values: as `VALUES`.
        steps: as `STEPS`.
        measure: the value to show.
        names: the name of each run in the text of a step, by its number.
    """
    words: dict[tuple[str, ...], list[str]] = {}
    for step in steps.to_dict("records"):
        place = names[step["run"]]
        factor = f"{step['factor']:.2f}x ({step['factor_low']:.2f} to {step['factor_high']:.2f})"
        text = f"{in_words(str(step['change']))} at {place}: {factor}"
        words.setdefault(series_key(step), []).append(text)
    rows: list[dict[Any, Any]] = []
    for _, part in values.groupby(SERIES_KEY, dropna=False, sort=False):
        key = part[SERIES_KEY].to_dict("records")[0]
        with_value = part[part[measure.column].notna()]
        numbers = with_value[measure.column].astype("float64")
        rows.append(
            {
                **key,
                "instances": part["instances"].iloc[0],
                "runs": len(with_value),
                "first": numbers.iloc[0] if len(numbers) else None,
                "last": numbers.iloc[-1] if len(numbers) else None,
                "steps": ", ".join(words.get(series_key(key), ["none"])),
            }
        )
    return trends_layout(measure).frame(rows)
