"""Pairs of backends and of machines on the same instances, and whether they differ."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.measures import (
    DEFAULT,
    Bools,
    ComparisonGroup,
    Criterion,
    Floats,
    Measure,
    Note,
    Scope,
    comparison_groups,
    geometric_mean,
    left_out_notes,
    power_notes,
    with_group_columns,
)
from harness.analysis.measures import columns as col
from harness.records import Start

# Measure `pairwise`: two backends on the same instances, and whether they differ.


def pairwise(
    results: pd.DataFrame,
    criterion: Criterion = DEFAULT,
    process_results: pd.DataFrame | None = None,
    *,
    power: bool = True,
) -> pd.DataFrame:
    """Compare each pair of eligible backends on the instances that all of them were run on.

    In each pair, ``backend`` has the better rank, see `ranks`. An answer beats a failure, a shorter
    time beats a longer one, and two failures are a tie. The factor is the geometric mean of the
    other's time over the backend's: 2 if ``backend`` is twice as fast. It can be below 1 if
    ``backend`` answered more instances. Failures count as the time limit T, so if the slower
    backend has many failures, the true factor is larger. Instances that neither answered say
    nothing about the factor: factor, interval and test leave them out, and ``neither`` counts them.
    The interval is a 95 % studentized bootstrap interval over instances (Hall, "Theoretical
    comparison of bootstrap confidence intervals", Annals of Statistics 16, 1988) with a fixed seed,
    for 8 instances or more; a resample without a spread has no standard error and is left out. If
    more than half of the ratios are equal, the interval is Student's. Each interval is for one
    pair, without a correction. A pair without an answer has neither factor nor test.

    p is the p-value of Wilcoxon's signed-rank test on the logarithms of times. Zero differences,
    such as those of two failures, are treated as by Pratt ("Remarks on zeros and ties in the
    Wilcoxon signed rank procedures", JASA 54, 1959). p_holm is p with Holm's correction for all
    pairs of the comparison group ("A simple sequentially rejective multiple test procedure",
    Scandinavian Journal of Statistics 6, 1979). A difference must be both significant and large:
    with enough instances a difference of 1 % is significant, but memory layout alone changes a time
    by several per cent (Mytkowicz et al., "Producing wrong data without doing anything obviously
    wrong", ASPLOS 2009). The smallest factor that counts is 1.1, unless `criterion` has another
    one. The detectable factor is the smallest true factor that is found with a probability of 80 %,
    see `inference.detectable_factor`; it takes most of the time, and is missing without `power`.

    With `process_results` of three processes or more, interval and p cover new processes on the
    same machine: the error of the mean between processes widens the interval
    (`inference.process_error`), and p is at least that of a t-test with both errors.
    """
    rows: list[dict[str, Any]] = []
    for group in comparison_groups(results, criterion, process_results):
        field = group.eligible()
        rows += compare_pairs(field, list(combinations(field.order, 2)), power=power)
    return PAIRWISE.frame(rows)


def compare_pairs(
    group: ComparisonGroup,
    pairs: Sequence[tuple[int, int]],
    *,
    intervals: bool = True,
    power: bool = True,
) -> list[dict[str, Any]]:
    """The rows of `pairwise` for pairs of columns of a comparison group.

    Without `intervals`, the ends of intervals and the detectable factor are missing; without
    `power`, only the detectable factor is. Leaving out either saves time.
    """
    rows: list[dict[str, Any]] = []
    logs: list[Floats] = []
    used: list[Bools] = []
    log_time = np.log(group.time)
    for n, m in pairs:
        ours, theirs = group.answered[:, n], group.answered[:, m]
        # Two failures are equal: both count with the limit.
        log = log_time[:, m] - log_time[:, n]
        either = ours | theirs
        only_ours = np.count_nonzero(either & ~theirs)
        only_theirs = np.count_nonzero(either & ~ours)
        both = log[ours & theirs]
        wins = only_ours + np.count_nonzero(both > 0)
        losses = only_theirs + np.count_nonzero(both < 0)
        logs.append(log[either])
        used.append(either)
        rows.append(
            {
                **group.key,
                "backend": group.backends[n],
                "other": group.backends[m],
                "instances": len(log),
                "left_out": group.left_out,
                "wins": wins,
                "ties": len(log) - wins - losses,
                "losses": losses,
                "only_backend": only_ours,
                "only_other": only_theirs,
                "neither": len(log) - len(logs[-1]),
                "factor": geometric_mean(logs[-1]),
                "resamples": Criterion.RESAMPLES
                if intervals and len(logs[-1]) >= Criterion.LEAST
                else 0,
            }
        )
    errors = [group.process_error(*pair, either) for pair, either in zip(pairs, used, strict=True)]
    for row, error in zip(rows, errors, strict=True):
        row["processes"] = error.processes if error else 0
    group.criterion.judge(rows, logs, errors)
    if intervals:
        group.criterion.add_intervals(rows, logs, errors, power=power)
    return rows


def _notes(frame: pd.DataFrame) -> Iterator[Note]:
    yield from left_out_notes(frame)
    counts = frame["instances"] - frame["neither"]
    most = int(counts.max())
    if Criterion.cannot_differ(most, int((counts > 0).sum())):
        unit = "calls" if (frame["start"] == Start.BATCH).all() else "instances"
        yield Note(
            f"{{instances}} {unit}: too few for a significant difference",
            {"instances": (col.ValueKind.COUNT, most)},
        )
    least = f"{frame['least_factor'].iloc[0]:g}"
    yield Note(
        "factor: geometric mean of the other's time over the backend's, failures at the limit, "
        "without the instances that neither answered; interval: studentized bootstrap over "
        f"instances, {Criterion.RESAMPLES:,} resamples, for one pair; "
        f"p: Wilcoxon's test, corrected for all pairs; different: p < {Criterion.ALPHA:g} and a "
        f"factor of {least} or more, in the direction of the ranks"
    )
    if processes := int(frame["processes"].max()):
        yield Note(
            "interval and p hold for new processes on this machine ({processes} of each backend)",
            {"processes": (col.ValueKind.COUNT, processes)},
        )
    elif frame["factor_low"].notna().any():
        yield Note("interval and p hold for the processes of this run; see --processes")
    yield from power_notes(frame)


PAIRWISE: Final = Measure(
    title="Pairwise comparison",
    compute=pairwise,
    takes=("results", "criterion", "process_results"),
    columns=(
        *col.BACKEND_COLUMNS,
        col.backend("other", "Label of the backend that it is compared with.", "other"),
        col.INSTANCES,
        col.LEFT_OUT,
        col.count("wins", "Instances on which `backend` is ahead.", "wins"),
        col.count("ties", "Instances on which both are equal.", "ties"),
        col.count("losses", "Instances on which `other` is ahead.", "losses"),
        col.count("only_backend", "Instances that only `backend` answered."),
        col.count("only_other", "Instances that only `other` answered."),
        col.count(
            "neither",
            "Instances that neither answered, left out of the factor.",
            "unanswered by both",
            short="neither",
            shown_if=col.positive("neither"),
        ),
        *col.factor_columns("Geometric mean of the other's time over the backend's."),
        col.count(
            "processes",
            "Processes whose differences interval and p cover; 0 for fewer than 3.",
        ),
        col.count(
            "resamples",
            f"Bootstrap samples behind the interval: {Criterion.RESAMPLES:,}, or 0 for none.",
        ),
        *col.TEST,
        col.DETECTABLE,
    ),
    order="backend other instances wins ties losses neither factor factor_low p_holm different",
    notes=_notes,
)


# Measure `machine-factors`: how much slower one machine is than another.


def machine_factors(results: pd.DataFrame) -> pd.DataFrame:
    """Compare each pair of machines on the results that both answered, of any backend and dataset.

    The factor is the geometric mean of the other's time over that of ``host``, with a studentized
    bootstrap interval as in `pairwise`; it is missing for machines with nothing in common.
    """
    by = [name for name in col.COMPARISON_GROUP if name != "host"] + ["backend", "puzzle_id"]
    hosts = sorted(results["host"].astype("string").unique())
    if len(hosts) < 2:
        return MACHINE_FACTORS.frame([])
    answers = results[results["answered"]]
    table = answers.assign(result=answers.groupby(by, dropna=False, observed=True).ngroup())
    times = {host: table[table["host"] == host].set_index("result")["time_s"] for host in hosts}
    time, pairs = str(results[col.TIME].iloc[0]), list(combinations(hosts, 2))
    both = (pd.concat([times[name] for name in pair], axis=1, join="inner") for pair in pairs)
    logs = [np.diff(np.log(seconds.to_numpy()), axis=1).ravel() for seconds in both]
    rows = [
        {"host": host, "other": other, col.TIME: time, "instances": len(ratios)}
        | {"factor": geometric_mean(ratios)}
        for (host, other), ratios in zip(pairs, logs, strict=True)
    ]
    DEFAULT.add_intervals(rows, logs, power=False)
    return MACHINE_FACTORS.frame(rows)


MACHINE_FACTORS: Final = Measure(
    title="Machine factors",
    scope=Scope.RUN,
    compute=machine_factors,
    columns=(
        col.text("host", "Name of the machine.", "machine"),
        col.text("other", "Name of the machine that it is compared with.", "other"),
        col.text(col.TIME, "Kind of the times: `wall` or `cpu`."),
        col.count("instances", "Results that both machines answered.", "answers"),
        *col.factor_columns("Geometric mean of the other's time over the time of `host`."),
    ),
)


# Measure `machines`: the trials of each machine.


def machines(trials: pd.DataFrame) -> pd.DataFrame:
    """Count the trials, backends and puzzles of each machine, by name."""
    rows = [
        {
            "host": host,
            "trials": len(table),
            "backends": table["backend"].nunique(),
            "puzzles": table["puzzle_id"].nunique(),
            col.TIME: kind,
            "total_s": table["time_s"].sum(),
        }
        for (host, kind), table in with_group_columns(trials).groupby(["host", col.TIME], sort=True)
    ]
    return MACHINES.frame(rows)


MACHINES: Final = Measure(
    title="Machines",
    scope=Scope.RUN,
    takes=("timed_machine_trials",),
    compute=machines,
    columns=(
        col.text("host", "Name of the machine; empty if unknown.", "machine"),
        col.count("trials", "Trials.", "trials"),
        col.count("backends", "Different backends.", "backends"),
        col.count("puzzles", "Different puzzles.", "puzzles"),
        col.text(col.TIME, "Kind of the times: `wall` or `cpu`."),
        col.seconds(
            "total_s", "Sum of the times of all trials, failures as measured.", "time of trials"
        ),
    ),
    applies=col.varies("host"),
)
