"""The results of two runs side by side."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import pandas as pd

from harness.analysis.common_columns import NAME, PUZZLE_ID, REASON
from harness.analysis.measure import Dtype, Layout, MeasureColumn
from harness.analysis.results import (
    BACKEND,
    COMPARISON_GROUP,
    GROUP_COLUMNS,
    RIGHT,
    numbered,
    results_of,
    with_group_columns,
)
from harness.records.dtypes import with_dtypes
from harness.records.verdict import Verdict

_KEY: Final = [*COMPARISON_GROUP, "backend", "puzzle_id"]
_OF_BOTH: Final = [*_KEY, "name", "shape", "puzzle"]


_OF_EACH_SIDE: Final[tuple[tuple[str, Dtype, str, str], ...]] = (
    ("{}", "string", "Verdict {}, of a repetition that failed if one did.", ""),
    ("failed_{}", "int64", "Repetitions that failed {}.", ""),
    ("trials_{}", "int64", "Repetitions {}.", ""),
    ("wrong_{}", "int64", "Repetitions with a wrong answer {}.", ""),
    ("answered_{}", "bool", "Whether the instance was answered {}.", ""),
    ("{}_s", "float64", "Time of the result {}.", "s"),
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
    old, new = _results_with_failures(before), _results_with_failures(after)
    keys = pd.concat([old[_KEY].astype("object"), new[_KEY].astype("object")])
    number, first = numbered(keys, _KEY)
    place = np.full(len(first), -1)
    place[number[len(old) :]] = np.arange(len(new))
    partner = place[number[: len(old)]]
    both = partner >= 0
    old, new = (old[both].reset_index(drop=True), new.iloc[partner[both]].reset_index(drop=True))
    columns = {name: old[name] for name in _OF_BOTH}
    for side, table in (("before", old), ("after", new)):
        columns |= {side: table["first_failure"], f"{side}_s": table["time_s"]}
        columns[f"failed_{side}"] = table["trials"] - table["right"]
        columns |= {f"{name}_{side}": table[name] for name in ("trials", "wrong", "answered")}
    columns["spec"] = new["spec"]
    columns["reason"] = new["reason"].where(new["reason"] != "", old["reason"])
    pairs = with_dtypes(pd.DataFrame(columns)[list(PAIRS.dtypes)], PAIRS.dtypes)
    only = len(both) - len(old), len(first) - len(both)
    return pairs, *only


def _results_with_failures(trials: pd.DataFrame) -> pd.DataFrame:
    """The results, each with its ``puzzle`` and the verdict and ``reason`` of a failure.

    ``first_failure`` is the verdict of the first wrong trial, or else of the first failed
    one, or else of the first one.
    """
    trials = with_group_columns(trials)
    number, _ = numbered(trials, _KEY)
    verdict = trials["verdict"]
    rank = np.where(verdict == Verdict.WRONG, 0, np.where(verdict.isin(RIGHT), 2, 1))
    order = np.lexsort((rank, number))
    ordered = number[order]
    # Results are numbered in their order, so the first row of each number is theirs.
    chosen = trials.iloc[order[np.flatnonzero(np.diff(ordered, prepend=-1))]]
    return results_of(trials).assign(
        first_failure=chosen["verdict"].to_numpy(),
        reason=chosen["reason"].fillna("").to_numpy(),
        puzzle=chosen["puzzle"].to_numpy(),
        spec=chosen["spec"].array,
    )
