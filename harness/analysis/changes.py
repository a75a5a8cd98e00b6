"""Changes between the results of two runs: failures, limits, times, and single puzzles.

An instance whose time is near the limit may fail in one run and not in the next, though nothing has
changed. So such failures are tested over all instances of a configuration.
"""

from collections.abc import Container, Iterator
from enum import StrEnum
from math import ceil, log2
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from harness.analysis.measures import (
    DEFAULT,
    Bools,
    Criterion,
    Floats,
    FrameLayout,
    Note,
    geometric_mean,
    holm,
    number_rows,
    of_each_backend,
    power_notes,
    with_instances,
)
from harness.analysis.measures import columns as col
from harness.analysis.summary import in_groups_of, with_commands
from harness.records import Start, Verdict


class Change(StrEnum):
    """The change of a result, of a number of failures or of times between two runs.

    Tables list changes in this order.
    """

    NOW_WRONG = "now wrong"
    NEW_FAILURE = "new failure"
    MORE = "more failures at the limit"
    MORE_UNEQUAL = "more failures at the limit, unequal machine"
    """A difference between the machines may be the cause, as for each `UNEQUAL`."""
    TIMEOUT_UNEQUAL = "new timeout, unequal machine"
    NEAR_LIMIT = "near the limit"
    """A failure at a limit that chance explains."""
    GAVE_UP = "gave up"
    """A backend that gave up on a result, no more often than chance explains."""
    FIXED = "fixed"
    FEWER = "fewer failures at the limit"
    FEWER_UNEQUAL = "fewer failures at the limit, unequal machine"
    SLOWER = "slower"
    SLOWER_UNEQUAL = "slower, unequal machine"
    FASTER = "faster"
    FASTER_UNEQUAL = "faster, unequal machine"
    NONE = "no change"

    @property
    def place(self) -> int:
        """The place of the change in the order of tables."""
        return list(Change).index(self)

    def on(self, *, unequal: bool) -> "Change":
        """The change, or its twin for which an unequal machine may be the cause."""
        return Change(f"{self}, unequal machine") if unequal else self

    @classmethod
    def by_chance(cls) -> "tuple[Change, Change]":
        """The kinds of failures that chance explains."""
        return cls.NEAR_LIMIT, cls.GAVE_UP


# Failures at a limit in two runs: whether one run has more of them than chance explains.


NEAR: Final = 0.5
"""The share of a limit from which an instance is near it."""


def at_limit(trials: pd.DataFrame) -> Bools:
    """Whether each trial failed at a limit, shape (n,).

    That is a timeout, a backend that gave up, or lack of memory under a memory limit.
    """
    out_of_time = trials["verdict"].isin([str(Verdict.TIMEOUT), str(Verdict.UNKNOWN)])
    memory = (trials["verdict"] == Verdict.OUT_OF_MEMORY) & (trials["memory_limit_mib"] > 0)
    return np.asarray((out_of_time | memory).fillna(value=False), dtype=bool)


def time_share(trials: pd.DataFrame) -> Floats:
    """The share of its limit on wall time or CPU time that each trial used, whichever is larger.

    The limit of a trial in a batch is the limit of the whole call.
    """
    wall = _ratio(trials["wall_s"], trials["timeout_s"])
    shares: Floats = np.fmax(wall, _ratio(trials["cpu_s"], trials["cpu_limit_s"]))
    return shares * _puzzles_of(trials).astype(np.float64)


def _puzzles_of(trials: pd.DataFrame) -> npt.NDArray[np.int64]:
    """The number of puzzles in the call of each trial, shape (n,); 1 for every other start."""
    if "puzzles" in trials:
        return trials["puzzles"].to_numpy(dtype=np.int64)
    batch = (trials["start"] == Start.BATCH).to_numpy(dtype=bool)
    sizes = np.ones(len(trials), dtype=np.int64)
    if batch.any():
        number, _ = number_rows(with_instances(trials[batch]), col.RESULT_KEY)
        sizes[batch] = np.bincount(number)[number]
    return sizes


def memory_share(trials: pd.DataFrame) -> Floats:
    """The peak memory of each trial over its memory limit; missing without a limit.

    The peak includes the interpreter and its libraries, which the limit does not count.
    """
    return _ratio(trials["memory_bytes"], trials["memory_limit_mib"]) / 2**20


def limit_changes(pairs: pd.DataFrame, *, unequal: bool = False) -> pd.DataFrame:
    """Test whether instances of each backend and comparison group fail at a limit more often.

    For each instance the repetitions that failed at a limit are counted in both runs, in as many
    repetitions as both have. Among the instances with different counts, those with more after and
    those with more before are equally probable if nothing has changed: this is McNemar's exact test
    ("Note on the sampling error of the difference between correlated proportions or percentages",
    Psychometrika 12, 1947), with several repetitions a sign test. Holm's correction is for all rows
    that have enough such instances. An instance with another failure in either run is left out.
    With the start ``batch`` an instance is a call, whose puzzles fail together.

    Args:
        pairs: the results of both runs by call, see `comparison.pair_results` and
            `results.by_call`.
        unequal: whether the machine was not the same in both runs.
    """
    candidates = pairs[limited_only(pairs, "before") & limited_only(pairs, "after")]
    rows: list[dict[str, Any]] = []
    for key, table in of_each_backend(candidates):
        before, after = table["common_limited_before"], table["common_limited_after"]
        more, fewer = int((after > before).sum()), int((after < before).sum())
        if more + fewer:
            # With equal chances, the instances that change one way are binomial.
            tail = float(scipy.special.bdtr(min(more, fewer), more + fewer, 0.5))
            p = min(1.0, 2 * tail) if more + fewer >= least_changed(1) else float("nan")
            rows.append({**key, "instances": len(table), "more": more, "fewer": fewer, "p": p})
    p_holm = holm(np.array([row["p"] for row in rows], dtype=np.float64))
    for row, p in zip(rows, p_holm.tolist(), strict=True):
        change = Change.MORE if row["more"] > row["fewer"] else Change.FEWER
        row["p_holm"] = p
        row["change"] = change.on(unequal=unequal) if p < Criterion.ALPHA else Change.NONE
    rows.sort(key=lambda row: (row["change"].place, row["fewer"] - row["more"]))
    return LIMITS.frame(rows)


def limited_only(pairs: pd.DataFrame, side: str) -> "pd.Series[bool]":
    """Whether every failure of a result in the run `side` is one at a limit."""
    return pairs[f"failed_{side}"] == pairs[f"limited_{side}"]


def is_near(pairs: pd.DataFrame) -> "pd.Series[bool]":
    """Whether each result was near the limit at which it fails after.

    A result was near if a repetition failed at a limit before, or used half of the limit or more:
    the memory limit if `after`, the verdict of one of its failures, is lack of memory, and
    otherwise a time limit.
    """
    memory = pairs["after"] == Verdict.OUT_OF_MEMORY
    share = pairs["time_share_before"].where(~memory, pairs["memory_share_before"])
    return (pairs["limited_before"] > 0) | (share >= NEAR)


def least_changed(tests: int) -> int:
    """The smallest number of changed instances that can be significant in one of `tests` tests.

    The lowest p of McNemar's exact test over n instances is 2 / 2^n; Holm's correction multiplies
    the lowest one by the number of tests.
    """
    return ceil(1 + log2(max(tests, 1) / Criterion.ALPHA))


def _ratio(part: "pd.Series[Any]", whole: "pd.Series[Any]") -> Floats:
    limit = whole.to_numpy(dtype=np.float64, na_value=np.nan)
    limit = np.where(limit > 0, limit, np.nan)
    shares: Floats = part.to_numpy(dtype=np.float64, na_value=np.nan) / limit
    return shares


def _notes(frame: pd.DataFrame) -> Iterator[Note]:
    tests = int(frame["p"].notna().sum())
    most = int((frame["more"] + frame["fewer"]).max())
    yield Note(
        "more, fewer: instances that fail at a limit in more repetitions after, or before; "
        f"significant: p < {Criterion.ALPHA:g} in McNemar's exact test, corrected for all rows"
    )
    least = least_changed(tests)
    if most < least:
        yield Note(
            "{most} instances changed: too few for a significant change, which needs {least}",
            {"most": (col.ValueKind.COUNT, most), "least": (col.ValueKind.COUNT, least)},
        )


LIMITS: Final = FrameLayout(
    name="limits",
    title="Failures at a limit",
    columns=(
        col.text(
            "change",
            f"`{Change.MORE}`, `{Change.FEWER}` or `{Change.NONE}`; `{Change.MORE_UNEQUAL}` or "
            f"`{Change.FEWER_UNEQUAL}` if the machine may be the cause.",
            "change",
        ),
        *col.BACKEND_COLUMNS,
        col.count("instances", "Instances of both runs without another failure.", "instances"),
        col.count("more", "Instances that fail at a limit in more repetitions after.", "more"),
        col.count("fewer", "Instances that fail at a limit in fewer repetitions after.", "fewer"),
        col.number("p", "p-value of McNemar's exact test; missing for too few changed instances."),
        col.probability("p_holm", "The p-value with Holm's correction for all rows.", "p (Holm)"),
    ),
    order="change backend group instances more fewer p_holm",
    notes=_notes,
)


# Changes between the results of two runs: failures, times, and single puzzles.


MOST_CHANGED: Final = 5
"""Maximum number of puzzles that `puzzle_changes` lists for each change of times."""


def status_changes(
    pairs: pd.DataFrame, limits: pd.DataFrame, *, unequal: bool = False
) -> pd.DataFrame:
    """List the results that fail now or failed before, worst first: wrong, new, fixed.

    A result fails if any of its repetitions has no right answer. A wrong answer, and a failure that
    is not at a limit, is new if the result had none before. A failure at a limit is a new one if
    the result was answered before, is not answered any more, and was far from the limit, see
    `is_near`; a backend that gives up has no such limit. All other failures at a limit come and go
    by chance: they count if the backend fails at a limit significantly more often, see
    `changes.limit_changes`. Both rules hold only for results that fail, and fail at a limit, in a
    larger share of their repetitions than before: another kind of failure is not a change. A result
    is fixed if no repetition fails any more. A new timeout on an unequal machine is not a new
    failure: the machine may have caused it.

    Args:
        pairs: the results of both runs, see `comparison.pair_results`.
        limits: the frame of `changes.limit_changes` for these pairs.
        unequal: whether the machine was not the same in both runs.
    """
    wrong = (pairs["wrong_after"] > 0) & ~(pairs["wrong_before"] > 0)
    other = _other_failures(pairs, "after") & ~_other_failures(pairs, "before")
    is_limited = _more_often(pairs, "failed") & _more_often(pairs, "limited")
    gave_up = pairs["after"] == Verdict.UNKNOWN
    answered_no_more = pairs["answered_before"] & ~pairs["answered_after"]
    is_lost = is_limited & answered_no_more & ~gave_up & ~is_near(pairs)
    more_limits = limits[limits["change"].isin([Change.MORE, Change.MORE_UNEQUAL])]
    more = is_limited & in_groups_of(pairs, more_limits)
    doubtful = (pairs["after"] == Verdict.TIMEOUT) & unequal
    is_fixed = (pairs["failed_before"] > 0) & ~(pairs["failed_after"] > 0)
    changes: list[tuple[Any, Change]] = [
        (wrong, Change.NOW_WRONG),
        (other, Change.NEW_FAILURE),
        ((is_lost | more) & doubtful, Change.TIMEOUT_UNEQUAL),
        (is_lost, Change.NEW_FAILURE),
        (more & ~unequal, Change.MORE),
        (is_limited & gave_up, Change.GAVE_UP),
        (is_limited, Change.NEAR_LIMIT),
        (is_fixed, Change.FIXED),
    ]
    change = np.select([rows for rows, _ in changes], [name for _, name in changes], "")
    place = pd.Series(change, index=pairs.index).map({str(c): c.place for c in Change})
    table = pairs.assign(change=change, place=place)[change != ""]
    table = table.sort_values(["place", "backend", "dataset", "name"], kind="stable")
    return STATUS.frame(with_commands(table).to_dict("records"))


def _more_often(pairs: pd.DataFrame, kind: str) -> "pd.Series[bool]":
    """Whether a larger share of repetitions failed in this way after than before."""
    before = pairs[f"{kind}_before"] / pairs["trials_before"]
    return pairs[f"{kind}_after"] / pairs["trials_after"] > before


def _other_failures(pairs: pd.DataFrame, side: str) -> "pd.Series[bool]":
    """Whether a repetition in the run `side` failed without a wrong answer and not at a limit."""
    return pairs[f"failed_{side}"] > pairs[f"limited_{side}"] + pairs[f"wrong_{side}"]


def time_changes(
    pairs: pd.DataFrame, *, unequal: Container[str] = (), criterion: Criterion = DEFAULT
) -> pd.DataFrame:
    """Test the times of each backend and comparison group for a change, slower ones first.

    Times are slower or faster if they differ by at least the smallest factor that counts, 1.1
    unless `criterion` has another one, and p < 0.01 in Wilcoxon's signed-rank test with Holm's
    correction for all rows. Failures count as the limit T. Instances that neither run answered say
    nothing about the factor: means, factor, interval, spread and test leave them out, and
    ``unanswered_both`` counts them. The spread of the factor over instances is from its 10th to its
    90th percentile. A backend with a wrong answer in either run is left out.

    Args:
        pairs: the results of both runs, see `comparison.pair_results`.
        unequal: the kinds of time for which the machine was not the same in both runs, and
            may be the cause.
        criterion: what makes a difference count.
    """
    rows: list[dict[str, Any]] = []
    logs: list[Floats] = []
    for key, table in of_each_backend(pairs):
        if table[["wrong_before", "wrong_after"]].to_numpy().any():
            continue
        either = table["answered_before"] | table["answered_after"]
        answers = table[either].sort_values("puzzle_id")
        old, new = (np.log(answers[name].to_numpy()) for name in ("before_s", "after_s"))
        logs.append(new - old)
        rows.append(
            {
                **key,
                "instances": len(table),
                "unanswered_before": int((~table["answered_before"]).sum()),
                "unanswered_after": int((~table["answered_after"]).sum()),
                "unanswered_both": int((~either).sum()),
                "before_s": geometric_mean(old),
                "after_s": geometric_mean(new),
                "factor": geometric_mean(logs[-1]),
            }
        )
        if len(logs[-1]):
            ends = np.exp(np.quantile(logs[-1], [0.1, 0.9]))
            rows[-1] |= dict(zip(("spread_low", "spread_high"), ends.tolist(), strict=True))
    criterion.judge(rows, logs)
    criterion.add_intervals(rows, logs)
    for row in rows:
        change = Change.FASTER if row["factor"] < 1 else Change.SLOWER
        is_unequal = row[col.TIME] in unequal
        row["change"] = change.on(unequal=is_unequal) if row["different"] else Change.NONE
    rows.sort(key=lambda row: (row["change"].place, -np.nan_to_num(row["factor"])))
    return TIMES.frame(rows)


def puzzle_changes(pairs: pd.DataFrame, times: pd.DataFrame) -> pd.DataFrame:
    """List the puzzles whose times changed most, for each change of times in its order.

    Each row of `times` that is slower or faster has at most five puzzles. They are those that both
    runs answered, with the largest factors in the direction of the change and no factor below the
    smallest one that counts. A single puzzle proves nothing; the list shows where to look.

    Args:
        pairs: the results of both runs, see `comparison.pair_results`.
        times: the frame of `time_changes`.
    """
    changes = times[times["change"] != Change.NONE]
    answers = pairs[pairs["answered_before"] & pairs["answered_after"]]
    answers = answers.assign(factor=answers["after_s"] / answers["before_s"])
    rows: list[dict[Any, Any]] = []
    for place, time in zip(changes.index, changes.to_dict("records"), strict=True):
        part = answers[in_groups_of(answers, changes.loc[[place]])]
        further = part["factor"] if time["factor"] > 1 else 1 / part["factor"]
        far = further[further >= time["least_factor"]].nlargest(MOST_CHANGED)
        puzzles = part.loc[far.index].assign(change=time["change"])
        rows += with_commands(puzzles).to_dict("records")
    return PUZZLES.frame(rows)


def _time_notes(frame: pd.DataFrame) -> Iterator[Note]:
    yield Note(
        "before and after: geometric means over instances, failures at the limit, without the "
        "instances that neither run answered; slower or faster: a factor of "
        f"{frame['least_factor'].iloc[0]:g} or more and p < {Criterion.ALPHA:g} in Wilcoxon's "
        "test, corrected for all rows; interval: studentized bootstrap, "
        f"{Criterion.RESAMPLES:,} resamples, for one row"
    )
    yield from power_notes(frame)


_SOME_UNANSWERED: Final = col.positive("unanswered_before", "unanswered_after")
_FACTOR: Final = col.factor_columns("Time after over time before: 2 if times doubled.")

STATUS: Final = FrameLayout(
    name="status",
    title="New and fixed failures",
    columns=(
        col.text(
            "change",
            f"`{Change.NOW_WRONG}`, `{Change.NEW_FAILURE}`, `{Change.MORE}`, "
            f"`{Change.TIMEOUT_UNEQUAL}`, `{Change.NEAR_LIMIT}`, `{Change.GAVE_UP}` or "
            f"`{Change.FIXED}`.",
            "change",
        ),
        *col.RESULT_COLUMNS,
        *col.of_each_run(
            col.text("{}", "Verdict {}, of a repetition that failed if one did.", "{}")
        ),
        *col.of_each_run(
            col.fraction(
                "failed_{}",
                "Repetitions that failed {}.",
                "failed {}",
                out_of="trials_{}",
                suffix="{}",
            ),
            col.count("trials_{}", "Repetitions {}."),
        ),
        col.REASON,
        col.COMMAND,
    ),
    order="change backend name group before after failed_before failed_after reason command",
)

TIMES: Final = FrameLayout(
    name="times",
    title="Times",
    columns=(
        col.text(
            "change",
            f"`{Change.SLOWER}`, `{Change.FASTER}` or `{Change.NONE}`; "
            f"`{Change.SLOWER_UNEQUAL}` or `{Change.FASTER_UNEQUAL}` if the machine may be the "
            "cause.",
            "change",
        ),
        *col.BACKEND_COLUMNS,
        col.count("instances", "Instances of both runs.", "instances"),
        *col.of_each_run(
            col.count(
                "unanswered_{}",
                "Instances without an answer {}.",
                "unanswered {}",
                shown_if=_SOME_UNANSWERED,
            )
        ),
        col.count(
            "unanswered_both",
            "Instances that neither run answered, left out of the factor.",
            "unanswered by both",
            shown_if=_SOME_UNANSWERED,
        ),
        *col.of_each_run(
            col.seconds("{}_s", "Geometric mean of times {}, failures of one run at T.", "{}")
        ),
        *_FACTOR,
        col.interval(
            "spread_low",
            "Factor that 10 % of the instances are below.",
            "80 % of instances",
            upper="spread_high",
        ),
        col.ratio("spread_high", "Factor that 90 % of the instances are below."),
        *col.TEST,
        col.DETECTABLE,
    ),
    order=(
        "change backend group instances unanswered_before unanswered_after unanswered_both "
        "before_s after_s factor factor_low spread_low p_holm detectable"
    ),
    notes=_time_notes,
)
PUZZLES: Final = FrameLayout(
    name="puzzles",
    title="Instances whose times changed most",
    columns=(
        col.text("change", "The change of the times of the backend.", "change"),
        *col.RESULT_COLUMNS,
        *col.of_each_run(col.seconds("{}_s", "Time {}.", "{}")),
        _FACTOR[0],
        col.COMMAND,
    ),
    order="change backend name group before_s after_s factor command",
)
