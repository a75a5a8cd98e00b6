"""The time of a trial, wall time or CPU time, and the limit that a failure counts as.

Measures read the column ``time_s``, which `timed` adds, and the limit of `limit_of` or
`limits`. No measure chooses between ``wall_s`` and ``cpu_s`` itself.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.errors import InputError
from harness.records.time_kind import TimeKind
from harness.records.verdict import Verdict

TIME: Final = "time"
"""The column with the kind of the times in a row: a value of `TimeKind`."""
TIME_S: Final = "time_s"
"""The column with the time of a trial in seconds."""

_SHOWN: Final = 3
"""The most backends that an error names."""


def timed(
    trials: pd.DataFrame, kind: TimeKind | Mapping[str, TimeKind] = TimeKind.WALL
) -> pd.DataFrame:
    """Add the columns ``time`` and ``time_s``: the kind of time, and the time in seconds.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.
        kind: the kind of time, for all trials or for each backend.
    """
    if isinstance(kind, TimeKind):
        seconds = trials[kind.column]
        kinds = pd.Series(str(kind), index=trials.index, dtype="string")
    else:
        of_backend = {backend: str(kind[backend]) for backend in trials["backend"].unique()}
        kinds = trials["backend"].map(of_backend).astype("string")
        is_cpu = (kinds == TimeKind.CPU).to_numpy(dtype=bool)
        seconds = trials["wall_s"].where(~is_cpu, trials["cpu_s"])
    return trials.assign(**{TIME: kinds, TIME_S: seconds})


def require_times(trials: pd.DataFrame, kind: TimeKind) -> None:
    """Require that every right answer has a time of this kind.

    Raises:
        InputError: right answers have none; the error names their backends.
    """
    missing = backends_without(trials, kind)
    if not missing:
        return
    shown = ", ".join(list(missing)[:_SHOWN]) + " and others" * (len(missing) > _SHOWN)
    right = int(_is_right(trials).sum())
    raise InputError(
        f"no {kind.noun} was recorded for {sum(missing.values()):,} of {right:,} right answers "
        f"({shown})",
        expected=f"trials with {kind.noun}, or --time {kind.other}",
    )


def backends_without(trials: pd.DataFrame, kind: TimeKind) -> dict[str, int]:
    """The backends with right answers that have no time of this kind, and their number."""
    lacking = trials.loc[_is_right(trials) & trials[kind.column].isna(), "backend"]
    return {str(backend): int(number) for backend, number in lacking.value_counts().items()}


def limit_of(group: Mapping[Any, Any]) -> float:
    """The limit T in seconds that a failure counts as, for the columns of a comparison group.

    For wall time, the limit of wall time. For CPU time, the limit of CPU time if there is
    one, or else that of wall time: a call on one core cannot use more.
    """
    cpu = group["cpu_limit_s"]
    if group[TIME] == TimeKind.CPU and not pd.isna(cpu) and cpu > 0:
        return float(cpu)
    return float(group["timeout_s"])


def limits(rows: pd.DataFrame) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """The limit T of each row in seconds; see `limit_of`."""
    wall = rows["timeout_s"].to_numpy(dtype=np.float64)
    cpu = rows["cpu_limit_s"].to_numpy(dtype=np.float64, na_value=0.0)
    is_cpu = (rows[TIME] == TimeKind.CPU).to_numpy(dtype=bool)
    found: np.ndarray[tuple[int], np.dtype[np.float64]] = np.where(is_cpu & (cpu > 0), cpu, wall)
    return found


def _is_right(trials: pd.DataFrame) -> "pd.Series[bool]":
    return trials["verdict"].isin([str(verdict) for verdict in Verdict if verdict.answered])
