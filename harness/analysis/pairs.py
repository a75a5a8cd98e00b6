"""The instances of two runs side by side."""

from typing import Final

import numpy as np
import pandas as pd

from harness.analysis.results import (
    COMPARISON_GROUP,
    GROUP_DTYPES,
    RIGHT,
    numbered,
    results_of,
    with_group_columns,
)
from harness.records.verdict import Verdict

PAIRS_DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "name": "string",
    "puzzle_id": "string",
    "shape": "string",
    "puzzle": "string",
    "before": "string",
    "after": "string",
    "failed_before": "int64",
    "failed_after": "int64",
    "trials_before": "int64",
    "trials_after": "int64",
    "wrong_before": "int64",
    "wrong_after": "int64",
    "answered_before": "bool",
    "answered_after": "bool",
    "before_s": "float64",
    "after_s": "float64",
    "reason": "string",
}

_CELL: Final = [*COMPARISON_GROUP, "backend", "puzzle_id"]
_OF_BOTH: Final = [*_CELL, "name", "shape", "puzzle"]


def paired(before: pd.DataFrame, after: pd.DataFrame) -> tuple[pd.DataFrame, int, int]:
    """The instances of both runs, and how many only the first and only the second has.

    Columns `PAIRS_DTYPES`: ``before`` and ``after``, verdicts, of a repetition
    that failed if one did; how many of how many repetitions failed and how many
    were wrong; whether the instance was answered and its time, as
    `instances.instances` says; the ``reason`` of the failure.
    """
    old, new = _told(before), _told(after)
    cells = pd.concat([old[_CELL].astype("object"), new[_CELL].astype("object")])
    number, first = numbered(cells, _CELL)
    place = np.full(len(first), -1)
    place[number[len(old) :]] = np.arange(len(new))
    partner = place[number[: len(old)]]
    both = partner >= 0
    old, new = (old[both].reset_index(drop=True), new.iloc[partner[both]].reset_index(drop=True))
    told = {name: old[name] for name in _OF_BOTH}
    for side, table in (("before", old), ("after", new)):
        told |= {side: table["last"], f"{side}_s": table["time_s"]}
        told[f"failed_{side}"] = table["trials"] - table["right"]
        told |= {f"{name}_{side}": table[name] for name in ("trials", "wrong", "answered")}
    told["reason"] = new["reason"].where(new["reason"] != "", old["reason"])
    pairs = pd.DataFrame(told)[list(PAIRS_DTYPES)].astype(PAIRS_DTYPES)
    only = len(both) - len(old), len(first) - len(both)
    return pairs, *only


def _told(trials: pd.DataFrame) -> pd.DataFrame:
    """The instances with ``last``, verdict of the first failure, or of the first trial if none.

    And with the ``reason`` of that one, and the ``puzzle``.
    """
    trials = with_group_columns(trials)
    number, _ = numbered(trials, _CELL)
    verdict = trials["verdict"]
    rank = np.where(verdict == Verdict.WRONG, 0, np.where(verdict.isin(RIGHT), 2, 1))
    order = np.lexsort((rank, number))
    ordered = number[order]
    # Instances are numbered in their order, so the first of each number is its own.
    telling = trials.iloc[order[np.flatnonzero(np.diff(ordered, prepend=-1))]]
    return results_of(trials).assign(
        last=telling["verdict"].to_numpy(),
        reason=telling["reason"].fillna("").to_numpy(),
        puzzle=telling["puzzle"].to_numpy(),
    )
