"""Two runs against each other: what fails now, what is fixed, and which times really changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.failures import command
from harness.analysis.inference import wilcoxon_p
from harness.analysis.instances import (
    CONTEST,
    CONTEST_DTYPES,
    RIGHT,
    instances,
    rows_frame,
    with_contest,
)
from harness.analysis.machines import across_machines as one_machine
from harness.analysis.pairwise import factor_intervals, judge_family
from harness.contract.verdict import Verdict
from harness.errors import InputError

STATUS_DTYPES: Final[dict[str, str]] = {
    "change": "string",
    **CONTEST_DTYPES,
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
    **CONTEST_DTYPES,
    "backend": "string",
    "instances": "int64",
    "before_s": "float64",
    "after_s": "float64",
    "factor": "float64",
    "factor_low": "float64",
    "factor_high": "float64",
    "p": "float64",
    "p_holm": "float64",
    "different": "bool",
}

NOW_WRONG: Final = "now wrong"
NEW_FAILURE: Final = "new failure"
FIXED: Final = "fixed"
SLOWER: Final = "slower"
FASTER: Final = "faster"
SAME: Final = "no change"

_CELL: Final = [*CONTEST, "backend", "puzzle_id"]


@dataclass(frozen=True)
class Comparison:
    """What is different in the second of two runs."""

    status: pd.DataFrame
    """What is answered now and was not or the other way round: see `status_changes`."""
    times: pd.DataFrame
    """How times changed: see `time_changes`."""
    only_before: int
    """Instances that only the first run has."""
    only_after: int
    """Instances that only the second run has."""
    notes: tuple[str, ...]
    """What the reader must know to judge the comparison, a sentence each."""

    @property
    def regressed(self) -> bool:
        """Whether anything is worse: a failure that is new, or times that are really longer."""
        return bool(
            self.status["change"].isin([NOW_WRONG, NEW_FAILURE]).any()
            or (self.times["change"] == SLOWER).any()
        )

    def _repr_html_(self) -> str:
        """Both frames, for a notebook; pandas escapes what stands in them."""
        tables = [
            table.dropna(axis=1, how="all").to_html(escape=True, index=False, max_rows=50)
            for table in (self.status, self.times)
        ]
        return "".join(tables)


def compare(
    before: pd.DataFrame, after: pd.DataFrame, *, across_machines: bool = False
) -> Comparison:
    """Compare two frames of trials, instance by instance.

    What is compared are the same backend by its label, the same puzzle of the
    same dataset, task, limits and start, on the same machine.

    Args:
        before: trials with the columns of `harness.analysis.trials.DTYPES`.
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
    joined = _joined(before, after)
    both = joined[joined["_merge"] == "both"]
    if both.empty:
        raise InputError(
            "the runs have nothing in common",
            expected="the same backends, puzzles, tasks and limits",
        )
    only = joined["_merge"].value_counts()
    return Comparison(
        status_changes(both),
        time_changes(both),
        int(only["left_only"]),
        int(only["right_only"]),
        tuple(notes),
    )


def status_changes(both: pd.DataFrame) -> pd.DataFrame:
    """The instances that fail now or did before, the worst first: wrong, new, fixed.

    An instance *fails* if any of its repetitions has no right answer. `both`
    has one row for each instance of both runs, as `compare` joins them.

    Columns `STATUS_DTYPES`: ``change``, `NOW_WRONG`, `NEW_FAILURE` or `FIXED`;
    ``before`` and ``after``, verdicts, of a repetition that failed if one did;
    how many of how many repetitions failed; the ``reason`` of the failure, and
    a ``command`` that asks again.
    """
    failed_before = both["failed_before"].to_numpy() > 0
    failed_after = both["failed_after"].to_numpy() > 0
    wrong = (both["wrong_after"] > 0).to_numpy() & ~(both["wrong_before"] > 0).to_numpy()
    change = np.select(
        [wrong, failed_after & ~failed_before, failed_before & ~failed_after],
        [NOW_WRONG, NEW_FAILURE, FIXED],
        "",
    )
    place = np.select([change == NOW_WRONG, change == NEW_FAILURE], [0, 1], 2)
    table = both.assign(change=change, place=place)[change != ""]
    table = table.sort_values(["place", "backend", "dataset", "name"], kind="stable")
    asked = ["task", "puzzle", "shape", "backend", "start", "timeout_s", "limit"]
    asked += ["cpu_limit_s", "memory_limit_mib"]
    commands = [command(*row) for row in table[asked].itertuples(index=False, name=None)]
    return rows_frame(table.assign(command=commands).to_dict("records"), STATUS_DTYPES)


def time_changes(both: pd.DataFrame) -> pd.DataFrame:
    """One row for each contest and backend, real changes first, the slower before the faster.

    Over the instances of both runs, as `compare` joins them, failures at the
    limit. Columns `TIMES_DTYPES`: ``change``, `SLOWER` or `FASTER` where
    ``different`` (see `inference.different`), else `SAME`; geometric means
    ``before_s`` and ``after_s`` in seconds; ``factor``, after over before, 2
    where times doubled, with its 95 % BCa bootstrap interval over instances;
    ``p`` of Wilcoxon's test on the logarithms and ``p_holm``, corrected for all
    rows. A backend with a wrong answer in either run is left out.
    """
    rows: list[dict[str, Any]] = []
    logs = []
    by = [*CONTEST, "backend"]
    for key, table in both.groupby(by, dropna=False, observed=True, sort=False):
        if (table["wrong_before"] > 0).any() or (table["wrong_after"] > 0).any():
            continue
        ordered = table.sort_values("puzzle_id")
        old, new = (np.log(ordered[name].to_numpy()) for name in ("time_before", "time_after"))
        logs.append(new - old)
        rows.append(
            {
                **dict(zip(by, key, strict=True)),
                "instances": len(table),
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


def _joined(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """One row for each instance of either run, with what each of them says of it."""
    sides = []
    for trials, side in ((before, "before"), (after, "after")):
        table = instances(trials)
        table = table.astype({n: CONTEST_DTYPES.get(n, "string") for n in _CELL})
        table[f"failed_{side}"] = table["trials"] - table["right"]
        named = {"trials": f"trials_{side}", "wrong": f"wrong_{side}", "time_s": f"time_{side}"}
        kept = [*_CELL, "name", "shape", f"failed_{side}", *named.values()]
        table = table.rename(columns=named)[kept]
        sides.append(table.merge(_last_words(trials, side), on=_CELL, how="left"))
    old, new = sides
    joined = old.merge(
        new.drop(columns=["name", "shape", "puzzle"]), on=_CELL, how="outer", indicator=True
    )
    reason = joined["reason_after"].where(joined["reason_after"] != "", joined["reason_before"])
    return joined.assign(reason=reason.fillna(""))


def _last_words(trials: pd.DataFrame, side: str) -> pd.DataFrame:
    """For each instance the verdict and reason of its first failure, or of its first trial."""
    table = with_contest(trials)
    bad = ~table["verdict"].isin(RIGHT)
    rank = np.where(table["verdict"] == Verdict.WRONG, 0, np.where(bad, 1, 2))
    table = table.assign(rank=rank, reason=table["reason"].fillna(""))
    table = table.sort_values("rank", kind="stable").drop_duplicates(_CELL)
    table = table.rename(columns={"verdict": side, "reason": f"reason_{side}"})
    return table[[*_CELL, "puzzle", side, f"reason_{side}"]]


def _named(hosts: Sequence[str]) -> str:
    return ", ".join(host or "an unknown machine" for host in hosts)
