"""Failures at a limit, of two runs: whether one has more of them than chance explains.

An instance whose time is near the limit fails in one run and not in the next, though nothing
has changed. So such failures are tested over all instances of a configuration.
"""

from math import ceil, log2
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.calls import puzzles_of
from harness.analysis.inference import ALPHA, holm
from harness.analysis.measure import Kind, Layout, MeasureColumn, Note, View
from harness.analysis.results import BACKEND, COMPARISON_GROUP, GROUP_COLUMNS, WHERE, Bools, Floats
from harness.records.verdict import Verdict

MORE: Final = "more failures at the limit"
FEWER: Final = "fewer failures at the limit"
NO_MORE: Final = "no change"
MORE_UNEQUAL: Final = "more failures at the limit, unequal machine"
FEWER_UNEQUAL: Final = "fewer failures at the limit, unequal machine"

NEAR: Final = 0.5
"""The share of a limit from which an instance is near it."""
_MIB: Final = 2**20


def at_limit(trials: pd.DataFrame) -> Bools:
    """Whether each trial failed at a limit, shape (n,).

    That is a timeout, a backend that gave up, or lack of memory under a memory limit.
    """
    limited = trials["verdict"].isin([str(Verdict.TIMEOUT), str(Verdict.UNKNOWN)])
    memory = (trials["verdict"] == Verdict.OUT_OF_MEMORY) & (trials["memory_limit_mib"] > 0)
    return np.asarray((limited | memory).fillna(value=False), dtype=bool)


def time_share(trials: pd.DataFrame) -> Floats:
    """The share of its limit of wall time or CPU time that each trial used, the larger one.

    The limit of a call of many puzzles is that of the call.
    """
    wall = _ratio(trials["wall_s"], trials["timeout_s"])
    shares: Floats = np.fmax(wall, _ratio(trials["cpu_s"], trials["cpu_limit_s"]))
    return shares * puzzles_of(trials).astype(np.float64)


def memory_share(trials: pd.DataFrame) -> Floats:
    """The peak memory of each trial over its memory limit; missing without a limit.

    The peak includes the interpreter and its libraries, which the limit does not count.
    """
    return _ratio(trials["memory_bytes"], trials["memory_limit_mib"]) / _MIB


def limit_changes(pairs: pd.DataFrame, *, unequal: bool = False) -> pd.DataFrame:
    """Test whether instances of each backend and comparison group fail at a limit more often.

    For each instance the repetitions that failed at a limit are counted in both runs, in as
    many repetitions as both have. Of the instances with different counts, those with more
    after and those with more before are equally probable if nothing has changed: this is
    McNemar's exact test ("Note on the sampling error of the difference between correlated
    proportions or percentages", Psychometrika 12, 1947), with several repetitions a sign test.
    It is corrected for all rows that have enough such instances (Holm). An instance with
    another failure in either run is left out. With the start ``batch`` an instance is a call,
    whose puzzles fail together.

    Args:
        pairs: the results of both runs by call, see `pairs.paired` and `calls.by_call`.
        unequal: whether the machine was not the same in both runs.
    """
    tested = pairs[limited_only(pairs, "before") & limited_only(pairs, "after")]
    rows: list[dict[str, Any]] = []
    by = [*COMPARISON_GROUP, "backend"]
    for key, table in tested.groupby(by, dropna=False, observed=True, sort=False):
        before, after = table["common_limited_before"], table["common_limited_after"]
        more, fewer = int((after > before).sum()), int((after < before).sum())
        if more + fewer:
            rows.append(
                {
                    **dict(zip(by, key, strict=True)),
                    "instances": len(table),
                    "more": more,
                    "fewer": fewer,
                    "p": _mcnemar_p(more, fewer),
                }
            )
    corrected = holm(np.array([row["p"] for row in rows], dtype=np.float64))
    for row, p in zip(rows, corrected, strict=True):
        change = NO_MORE
        if p < ALPHA:
            words = (MORE_UNEQUAL, FEWER_UNEQUAL) if unequal else (MORE, FEWER)
            change = words[row["more"] < row["fewer"]]
        row |= {"p_holm": float(p), "change": change}
    order = [MORE, MORE_UNEQUAL, FEWER, FEWER_UNEQUAL, NO_MORE]
    rows.sort(key=lambda row: (order.index(row["change"]), row["fewer"] - row["more"]))
    return LIMITS.frame(rows)


def limited_only(pairs: pd.DataFrame, side: str) -> "pd.Series[bool]":
    """Whether every failure of a result in the run `side` is one at a limit."""
    return pairs[f"failed_{side}"] == pairs[f"limited_{side}"]


def is_near(pairs: pd.DataFrame) -> "pd.Series[bool]":
    """Whether each result was near the limit at which it fails after.

    It was near if a repetition failed at a limit before, or used half of the limit or more: the
    limit of memory if `after`, the verdict of one of its failures, is lack of memory, and
    otherwise a limit of time.
    """
    memory = pairs["after"] == Verdict.OUT_OF_MEMORY
    used = pairs["time_share_before"].where(~memory, pairs["memory_share_before"])
    return (pairs["limited_before"] > 0) | (used >= NEAR)


def least_changed(tests: int) -> int:
    """The least number of changed instances that can be significant in one of `tests` tests.

    The least p of McNemar's exact test over n instances is 2 / 2^n; Holm's correction
    multiplies the first by all tests.
    """
    return ceil(1 + log2(max(tests, 1) / ALPHA))


def _mcnemar_p(more: int, fewer: int) -> float:
    """The two-sided p-value; missing for so few instances that no p is significant."""
    from scipy.special import bdtr

    changed = more + fewer
    if changed < least_changed(1):
        return float("nan")
    # With equal chances, the instances that change one way are binomial.
    return min(1.0, 2 * float(bdtr(min(more, fewer), changed, 0.5)))


def _ratio(part: "pd.Series[Any]", whole: "pd.Series[Any]") -> Floats:
    limit = whole.to_numpy(dtype=np.float64, na_value=np.nan)
    limit = np.where(limit > 0, limit, np.nan)
    shares: Floats = part.to_numpy(dtype=np.float64, na_value=np.nan) / limit
    return shares


def _notes(frame: pd.DataFrame) -> tuple[Note, ...]:
    tests = int(frame["p"].notna().sum())
    most = int((frame["more"] + frame["fewer"]).max())
    test = Note(
        "more, fewer: instances that fail at a limit in more repetitions after, or before; "
        f"significant: p < {ALPHA:g} in McNemar's exact test, corrected for all rows"
    )
    if most >= least_changed(tests):
        return (test,)
    return (
        test,
        Note(
            "{most} instances changed: too few for a significant change, which needs {least}",
            {"most": (Kind.COUNT, most), "least": (Kind.COUNT, least_changed(tests))},
        ),
    )


def _count(name: str, meaning: str) -> MeasureColumn:
    return MeasureColumn(name, "int64", meaning, "", View(Kind.COUNT, name))


LIMITS: Final = Layout(
    name="limits",
    title="Failures at a limit",
    columns=(
        MeasureColumn(
            *("change", "string"),
            f"`{MORE}`, `{FEWER}` or `{NO_MORE}`; `{MORE_UNEQUAL}` or `{FEWER_UNEQUAL}` if the "
            "machine may be the cause.",
            "",
            View(Kind.TEXT, "change"),
        ),
        *GROUP_COLUMNS,
        BACKEND,
        _count("instances", "Instances of both runs without another failure."),
        _count("more", "Instances that fail at a limit in more repetitions after."),
        _count("fewer", "Instances that fail at a limit in fewer repetitions after."),
        MeasureColumn("p", "float64", "p-value of McNemar's exact test; missing for too few."),
        MeasureColumn(
            *("p_holm", "float64", "The p-value corrected for all rows (Holm).", ""),
            View(Kind.PROBABILITY, "p (Holm)"),
        ),
    ),
    order=("change", "backend", *WHERE, "instances", "more", "fewer", "p_holm"),
    notes=_notes,
)
