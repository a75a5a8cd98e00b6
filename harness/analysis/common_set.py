"""The common set: the instances that a comparison covers.

Values of several backends are compared over the same instances only. Every measure takes
them from this module.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.results import COMPARISON_GROUP, Bools, numbered
from harness.records.verdict import Verdict

COMMON: Final = "common"
"""The column of `with_common_set` for whether the instance of a row is in the common set."""
LEFT_OUT: Final = "left_out"
"""The column of `with_common_set` with the number of instances left out of a group."""


def with_common_set(
    frame: pd.DataFrame,
    by: Sequence[str] = tuple(COMPARISON_GROUP),
    instance: Sequence[str] = ("puzzle_id",),
) -> pd.DataFrame:
    """`frame` with the columns `COMMON` and `LEFT_OUT`; see `common_instances`."""
    common, left_out = common_instances(frame, by, instance)
    return frame.assign(**{COMMON: common, LEFT_OUT: left_out})


def common_instances(
    frame: pd.DataFrame,
    by: Sequence[str] = tuple(COMPARISON_GROUP),
    instance: Sequence[str] = ("puzzle_id",),
) -> tuple[Bools, npt.NDArray[np.int64]]:
    """Whether every eligible backend of a group was run on the instance of each row.

    A backend is eligible without a wrong answer in the group; the others do not change the
    common set. In a group without an eligible backend all instances are common.

    Args:
        frame: n results or trials, with ``backend`` and ``wrong`` or ``verdict``.
        by: the columns that are equal within a group; by default a comparison group.
        instance: the columns that name an instance within a group.

    Returns:
        Whether the instance of each row is common, and the number of instances of its group
        that are not; both of shape (n,).
    """
    group, _ = numbered(frame, by)
    pair, first = numbered(frame, instance, within=group)
    backend, _ = numbered(frame, ["backend"], within=group)
    wrong = frame["wrong"] > 0 if "wrong" in frame else frame["verdict"] == Verdict.WRONG
    disqualified = np.zeros(_size(backend), dtype=bool)
    disqualified[backend[wrong.to_numpy(dtype=bool)]] = True
    eligible = ~disqualified[backend]
    # Each eligible backend counts once for an instance, whatever the number of its rows.
    covered = _distinct(pair, backend, eligible)
    backends = _distinct(group, backend, eligible)
    common = covered[pair] == backends[group]
    left_out = np.bincount(group[first], weights=~common[first], minlength=_size(group))
    return common, left_out.astype(np.int64)[group]


def _distinct(
    of: npt.NDArray[np.int64], backend: npt.NDArray[np.int64], eligible: Bools
) -> npt.NDArray[np.int64]:
    """The number of different eligible backends among the rows of each number in `of`."""
    keys = np.unique(of[eligible] * np.int64(_size(backend)) + backend[eligible])
    found: npt.NDArray[Any] = np.bincount(keys // max(1, _size(backend)), minlength=_size(of))
    return found.astype(np.int64)


def _size(number: npt.NDArray[np.int64]) -> int:
    return int(number.max()) + 1 if len(number) else 0
