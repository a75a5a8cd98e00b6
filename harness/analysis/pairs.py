"""The results of two runs side by side."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.common_columns import NAME, PUZZLE_ID, REASON
from harness.analysis.limit_failures import at_limit, memory_share, time_share
from harness.analysis.measure import Dtype, Layout, MeasureColumn
from harness.analysis.results import (
    BACKEND,
    GROUP_COLUMNS,
    RESULT_KEY,
    RIGHT,
    Floats,
    first_by_rank,
    numbered,
    results_of,
    with_group_columns,
)
from harness.records.dtypes import with_dtypes
from harness.records.verdict import Verdict

_OF_BOTH: Final = [*RESULT_KEY, "name", "shape", "puzzle"]
_CARRIED: Final = ("trials", "wrong", "answered", "limited", "time_share", "memory_share")
"""The columns of results that pairs have for each side."""

_OF_EACH_SIDE: Final[tuple[tuple[str, Dtype, str, str], ...]] = (
    ("{}", "string", "Verdict {}, of a repetition that failed if one did.", ""),
    ("failed_{}", "int64", "Repetitions that failed {}.", ""),
    ("limited_{}", "int64", "Repetitions that failed at a limit {}.", ""),
    (
        "common_limited_{}",
        "int64",
        "Repetitions that failed at a limit {}, of the first ones, as many as both runs have.",
        "",
    ),
    ("trials_{}", "int64", "Repetitions {}.", ""),
    ("wrong_{}", "int64", "Repetitions with a wrong answer {}.", ""),
    ("answered_{}", "bool", "Whether the instance was answered {}.", ""),
    ("{}_s", "float64", "Time of the result {}.", "s"),
    ("time_share_{}", "float64", "Largest share of a time limit that a repetition used {}.", ""),
    ("memory_share_{}", "float64", "Largest share of the memory limit {}, likewise.", ""),
)


def _of_each_side() -> Iterator[MeasureColumn]:
    for name, dtype, meaning, unit in _OF_EACH_SIDE:
        for side in ("before", "after"):
            yield MeasureColumn(name.format(side), dtype, meaning.format(side), unit)


PAIRS: Final = Layout(
    name="pairs",
    title="Results of both runs",
    columns=(
        *GROUP_COLUMNS,
        BACKEND,
        NAME,
        PUZZLE_ID,
        MeasureColumn("shape", "string", "Name of the shape."),
        MeasureColumn("puzzle", "string", "Givens as a line, `.` for a blank."),
        MeasureColumn("spec", "string", "Spec of the configuration in the later run."),
        *_of_each_side(),
        REASON,
    ),
)


def paired(before: pd.DataFrame, after: pd.DataFrame) -> tuple[pd.DataFrame, int, int]:
    """Pair the results of two frames of trials.

    Returns:
        The results of both runs with the columns of `PAIRS`, and the numbers of results
        that only the first and only the second run has.
    """
    before, after = with_group_columns(before), with_group_columns(after)
    old, new = _results_with_failures(before), _results_with_failures(after)
    keys = pd.concat([old[RESULT_KEY].astype("object"), new[RESULT_KEY].astype("object")])
    number, first = numbered(keys, RESULT_KEY)
    place = np.full(len(first), -1)
    place[number[len(old) :]] = np.arange(len(new))
    partner = place[number[: len(old)]]
    both = partner >= 0
    kept = np.flatnonzero(both), partner[both]
    size = len(old), len(new)
    old, new = (t.iloc[n].reset_index(drop=True) for t, n in zip((old, new), kept, strict=True))
    repetitions = np.minimum(old["trials"].to_numpy(), new["trials"].to_numpy())
    limited = [
        pd.Series(_limited_in_first(trials, *part, repetitions))
        for trials, part in zip((before, after), zip(size, kept, strict=True), strict=True)
    ]
    columns = {name: old[name] for name in _OF_BOTH}
    for side, table, common in zip(("before", "after"), (old, new), limited, strict=True):
        columns |= {side: table["first_failure"], f"{side}_s": table["time_s"]}
        columns[f"failed_{side}"] = table["trials"] - table["right"]
        columns[f"common_limited_{side}"] = common
        columns |= {f"{name}_{side}": table[name] for name in _CARRIED}
    columns["spec"] = new["spec"]
    columns["reason"] = new["reason"].where(new["reason"] != "", old["reason"])
    pairs = with_dtypes(pd.DataFrame(columns)[list(PAIRS.dtypes)], PAIRS.dtypes)
    only = len(both) - len(old), len(first) - len(both)
    return pairs, *only


def _results_with_failures(trials: pd.DataFrame) -> pd.DataFrame:
    """The results, each with its ``puzzle`` and the verdict and ``reason`` of a failure.

    ``first_failure`` is the verdict of the first wrong trial, or else of the first failed
    one, one not at a limit before others, or else of the first one. ``limited`` counts
    failures at a limit.
    """
    number, first = numbered(trials, RESULT_KEY)
    verdict, limited = trials["verdict"], at_limit(trials)
    rank = np.where(limited, 2, np.where(verdict.isin(RIGHT), 3, 1))
    rank[(verdict == Verdict.WRONG).to_numpy()] = 0
    # Results are numbered in their order, so the first row of each number is theirs.
    chosen = trials.iloc[first_by_rank(number, rank)]
    return results_of(trials).assign(
        first_failure=chosen["verdict"].to_numpy(),
        reason=chosen["reason"].fillna("").to_numpy(),
        puzzle=chosen["puzzle"].to_numpy(),
        spec=chosen["spec"].array,
        limited=np.bincount(number, weights=limited, minlength=len(first)).astype(np.int64),
        time_share=_largest(time_share(trials), number, len(first)),
        memory_share=_largest(memory_share(trials), number, len(first)),
    )


def _limited_in_first(
    trials: pd.DataFrame,
    results: int,
    chosen: npt.NDArray[np.intp],
    repetitions: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """The failures at a limit in the first `repetitions` of the `chosen` of `results` results."""
    number, _ = numbered(trials, RESULT_KEY)
    order = np.lexsort((trials["repetition"].to_numpy(), number))
    ordered = number[order]
    place = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    most = np.zeros(results, dtype=np.int64)
    most[chosen] = repetitions
    counted = at_limit(trials)[order] & (place < most[ordered])
    counts = np.bincount(ordered, weights=counted, minlength=results).astype(np.int64)
    return counts[chosen]


def _largest(values: Floats, number: npt.NDArray[np.int64], size: int) -> Floats:
    """The largest value of each number; missing values count as none."""
    largest = np.full(size, np.nan)
    np.fmax.at(largest, number, values)
    return largest
