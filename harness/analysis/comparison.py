"""Two runs against each other: what fails now, what is fixed, and which times really changed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.environment import SETTINGS_DTYPES
from harness.analysis.failures import with_commands
from harness.analysis.inference import MEANINGFUL, wilcoxon_p
from harness.analysis.machines import across_machines as one_machine
from harness.analysis.pairs import paired
from harness.analysis.pairwise import factor_intervals, judge_family
from harness.analysis.results import COMPARISON_GROUP, GROUP_DTYPES, rows_frame
from harness.errors import InputError

STATUS_DTYPES: Final[dict[str, str]] = {
    "change": "string",
    **GROUP_DTYPES,
    "backend": "string",
    "name": "string",
    "puzzle_id": "string",
    "before": "string",
    "after": "string",
    "failed_before": "int64",
    "trials_before": "int64",
    "failed_after": "int64",
    "trials_after": "int64",
    "reason": "string",
    "command": "string",
}

TIMES_DTYPES: Final[dict[str, str]] = {
    "change": "string",
    **GROUP_DTYPES,
    "backend": "string",
    "instances": "int64",
    "unanswered_before": "int64",
    "unanswered_after": "int64",
    "before_s": "float64",
    "after_s": "float64",
    "factor": "float64",
    "factor_low": "float64",
    "factor_high": "float64",
    "p": "float64",
    "p_holm": "float64",
    "different": "bool",
}

PUZZLES_DTYPES: Final[dict[str, str]] = {
    "change": "string",
    **GROUP_DTYPES,
    "backend": "string",
    "name": "string",
    "puzzle_id": "string",
    "before_s": "float64",
    "after_s": "float64",
    "factor": "float64",
    "command": "string",
}

MOST_CHANGED: Final = 5
"""Puzzles that `puzzle_changes` names of each time that changed."""

NOW_WRONG: Final = "now wrong"
NEW_FAILURE: Final = "new failure"
FIXED: Final = "fixed"
SLOWER: Final = "slower"
FASTER: Final = "faster"
SAME: Final = "no change"


@dataclass(frozen=True)
class Comparison:
    """What is different in the second of two runs."""

    status: pd.DataFrame
    """What is answered now and was not or the other way round: see `status_changes`."""
    times: pd.DataFrame
    """How times changed: see `time_changes`."""
    puzzles: pd.DataFrame
    """On which puzzles they changed most: see `puzzle_changes`."""
    pairs: pd.DataFrame
    """One row for each instance of both runs: see `pairs.paired`."""
    only_before: int
    """Instances that only the first run has."""
    only_after: int
    """Instances that only the second run has."""
    notes: tuple[str, ...]
    """What the reader must know to judge the comparison, a sentence each."""
    settings: pd.DataFrame = field(default_factory=lambda: rows_frame([], SETTINGS_DTYPES))
    """What else is different between the runs: see `settings.setting_changes`."""

    @property
    def regressed(self) -> bool:
        """Whether anything is worse: a failure that is new, or times that are really longer."""
        return bool(
            self.status["change"].isin([NOW_WRONG, NEW_FAILURE]).any()
            or (self.times["change"] == SLOWER).any()
        )

    def _repr_html_(self) -> str:
        """What changed, for a notebook; pandas escapes what stands in it."""
        tables = [
            table.dropna(axis=1, how="all").to_html(escape=True, index=False, max_rows=50)
            for table in (self.status, self.times, self.puzzles, self.settings)
        ]
        return "".join(tables)


def compare(
    before: pd.DataFrame, after: pd.DataFrame, *, across_machines: bool = False
) -> Comparison:
    """Compare two frames of trials, instance by instance.

    What is compared are the same backend by its label, the same puzzle of the
    same dataset, task, limits and start, on the same machine.

    Args:
        before: trials with the columns of `harness.records.frame.DTYPES`.
        after: trials with the same columns.
        across_machines: compare wall times of different machines too, which says
            nothing about the backends alone; it is noted then.

    Raises:
        InputError: the runs have no machine in common and `across_machines` is
            not given, or they have nothing to compare.
    """
    for which, trials in (("first", before), ("second", after)):
        if trials.empty:
            raise InputError(f"the {which} run has no trial", expected="two runs with results")
    notes = []
    hosts = [sorted(set(t["host"].fillna("").astype(str))) for t in (before, after)]
    if across_machines:
        if hosts[0] != hosts[1] or len(hosts[0]) > 1:
            notes.append(
                "wall times of different machines are compared, as was asked: "
                f"before on {_named(hosts[0])}, after on {_named(hosts[1])}"
            )
        name = " / ".join(_named(h) for h in hosts) if hosts[0] != hosts[1] else _named(hosts[0])
        before, after = (one_machine(t).assign(host=name) for t in (before, after))
    elif not set(hosts[0]) & set(hosts[1]):
        raise InputError(
            "wall times of different machines are not compared: "
            f"the first run is from {_named(hosts[0])}, the second from {_named(hosts[1])}",
            expected="runs of one machine, or across machines asked for (--across-machines)",
        )
    elif alone := sorted(set(hosts[0]) ^ set(hosts[1])):
        notes.append(f"left out, as only one of the runs has trials of it: {_named(alone)}")
    pairs, only_before, only_after = paired(before, after)
    if pairs.empty:
        raise InputError(
            "the runs have nothing in common",
            expected="the same backends, puzzles, tasks and limits",
        )
    times = time_changes(pairs)
    return Comparison(
        status_changes(pairs),
        times,
        puzzle_changes(pairs, times),
        pairs,
        only_before,
        only_after,
        tuple(notes),
    )


def status_changes(pairs: pd.DataFrame) -> pd.DataFrame:
    """The instances that fail now or did before, the worst first: wrong, new, fixed.

    An instance *fails* if any of its repetitions has no right answer. `pairs`
    has the columns of `pairs.paired`.

    Columns `STATUS_DTYPES`: ``change``, `NOW_WRONG`, `NEW_FAILURE` or `FIXED`;
    ``before`` and ``after``, verdicts, of a repetition that failed if one did;
    how many of how many repetitions failed; the ``reason`` of the failure, and
    a ``command`` that asks again.
    """
    failed_before, failed_after = pairs["failed_before"] > 0, pairs["failed_after"] > 0
    wrong = (pairs["wrong_after"] > 0) & ~(pairs["wrong_before"] > 0)
    change = np.select(
        [wrong, failed_after & ~failed_before, failed_before & ~failed_after],
        [NOW_WRONG, NEW_FAILURE, FIXED],
        "",
    )
    place = np.select([change == NOW_WRONG, change == NEW_FAILURE], [0, 1], 2)
    table = pairs.assign(change=change, place=place)[change != ""]
    table = table.sort_values(["place", "backend", "dataset", "name"], kind="stable")
    return rows_frame(with_commands(table).to_dict("records"), STATUS_DTYPES)


def time_changes(pairs: pd.DataFrame) -> pd.DataFrame:
    """One row for each comparison group and backend, real changes first, the slower before the faster.

    Over the instances of both runs, with the columns of `pairs.paired`, failures at
    the limit. Columns `TIMES_DTYPES`: ``change``, `SLOWER` or `FASTER` where
    ``different`` (see `inference.different`), else `SAME`; how many instances were
    ``unanswered_before`` and ``unanswered_after`` and so count as the limit; geometric means
    ``before_s`` and ``after_s`` in seconds; ``factor``, after over before, 2
    where times doubled, with its 95 % BCa bootstrap interval over instances;
    ``p`` of Wilcoxon's test on the logarithms and ``p_holm``, corrected for all
    rows. A backend with a wrong answer in either run is left out.
    """
    rows: list[dict[str, Any]] = []
    logs = []
    by = [*COMPARISON_GROUP, "backend"]
    for key, table in pairs.groupby(by, dropna=False, observed=True, sort=False):
        if table[["wrong_before", "wrong_after"]].to_numpy().any():
            continue
        ordered = table.sort_values("puzzle_id")
        old, new = (np.log(ordered[name].to_numpy()) for name in ("before_s", "after_s"))
        logs.append(new - old)
        rows.append(
            {
                **dict(zip(by, key, strict=True)),
                "instances": len(table),
                "unanswered_before": int((~table["answered_before"]).sum()),
                "unanswered_after": int((~table["answered_after"]).sum()),
                "before_s": float(np.exp(old.mean())),
                "after_s": float(np.exp(new.mean())),
                "factor": float(np.exp(logs[-1].mean())),
                "p": wilcoxon_p(logs[-1]),
            }
        )
    judge_family(rows)
    for row, (low, high) in zip(rows, factor_intervals(logs), strict=True):
        row |= {"factor_low": low, "factor_high": high}
        slower = SLOWER if row["factor"] > 1 else FASTER
        row["change"] = slower if row["different"] else SAME
    order = [SLOWER, FASTER, SAME]
    rows.sort(key=lambda row: (order.index(row["change"]), -row["factor"]))
    return rows_frame(rows, TIMES_DTYPES)


def puzzle_changes(pairs: pd.DataFrame, times: pd.DataFrame) -> pd.DataFrame:
    """Of each time that is `SLOWER` or `FASTER` the puzzles that are so by the largest factors.

    At most `MOST_CHANGED` of each row of `time_changes`, in its order, that both
    runs answered and that changed by a factor of `inference.MEANINGFUL` or more
    the same way. One puzzle alone proves nothing: these are where to look.
    Columns `PUZZLES_DTYPES`: ``factor`` as there, and a ``command`` that asks
    again.
    """
    by = [*COMPARISON_GROUP, "backend"]
    changed = times[times["change"] != SAME]
    if changed.empty:
        return rows_frame([], PUZZLES_DTYPES)
    answered = pairs[pairs["answered_before"] & pairs["answered_after"]]
    answered = answered.assign(factor=answered["after_s"] / answered["before_s"])
    parts = dict(iter(answered.groupby(by, dropna=False, observed=True, sort=False)))
    known = {tuple(map(_comparable, key)): part for key, part in parts.items()}
    rows: list[dict[Any, Any]] = []
    for time in changed.to_dict("records"):
        part = known.get(tuple(_comparable(time[name]) for name in by))
        if part is None:
            continue
        further = part["factor"] if time["change"] == SLOWER else 1 / part["factor"]
        far = further[further >= MEANINGFUL].nlargest(MOST_CHANGED)
        found = part.loc[far.index].assign(change=time["change"])
        rows += with_commands(found).to_dict("records")
    return rows_frame(rows, PUZZLES_DTYPES)


def _comparable(value: Any) -> Any:
    return None if pd.isna(value) else value


def _named(hosts: Sequence[str]) -> str:
    return ", ".join(host or "an unknown machine" for host in hosts)
