"""Measure `completeness`: how many of the planned trials of a run are done."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd

from harness.analysis.measures import (
    FrameLayout,
    Measure,
    Scope,
    number_rows,
    rows_frame,
    with_trial_group,
)
from harness.analysis.measures import columns as col
from harness.base.text import number_of
from harness.records import COLUMNS, DTYPES, spec_of
from harness.records.folder import Invocation, InvocationEnd, ShardProgress, integers, with_dtypes

_KEY: Final = [*col.TRIAL_GROUP, "backend"]


class RunState(StrEnum):
    """Whether a run has all its trials, and if not, why."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped by an error"
    GOING_ON = "still going on"
    KILLED = "killed"
    """No end is recorded, and no process holds the lock of the folder."""
    NO_END = "without a recorded end"
    """No end is recorded, and this machine cannot find out whether the run is in progress."""
    INCOMPLETE = "incomplete"
    """Trials or shards are missing, and the last command does not explain it."""
    UNRECORDED = "not recorded"
    """A run by an earlier harness, or trials without a folder."""


@dataclass(frozen=True, slots=True)
class RunEnding:
    """How the last command of a folder ended."""

    state: RunState
    reason: str = ""
    """The signal, the error, or why the state is not known."""
    at: str = ""
    """The time, in UTC."""


@dataclass(frozen=True, slots=True)
class ConfigurationTrials:
    """The trials of one configuration."""

    done: int
    """Number of finished trials."""
    planned: int | None
    """Number of planned trials; None if it is not recorded."""


@dataclass(frozen=True)
class RunCompleteness:
    """How many of the planned trials of a run are done, and why others are missing."""

    json_keys: ClassVar = (
        *("finished", "state", "reason", "ended_at", "done", "planned", "configurations"),
        "left_out",
    )

    state: RunState
    """Whether the run has all its trials, and if not, why."""
    reason: str
    """What interrupted or stopped the run; empty if nothing did."""
    ended_at: str | None
    """When the last command ended, in UTC; None if it has not ended, or if that is not recorded."""
    done: int
    """Number of trials."""
    planned: int | None
    """Number of planned trials; None if it is not recorded."""
    missing: int
    """Number of planned trials that are not done."""
    table: pd.DataFrame
    """The numbers of each configuration, with the columns of `CONFIGURATIONS`."""
    left_out: dict[str, str]
    """Backends that were to run and were left out, with the reason."""

    @property
    def finished(self) -> bool | None:
        """Whether no trial is missing; None if that is not recorded."""
        return None if self.state is RunState.UNRECORDED else self.state is RunState.FINISHED

    @property
    def configurations(self) -> dict[str, ConfigurationTrials]:
        """The numbers of each configuration."""
        return {
            str(row["backend"]): ConfigurationTrials(
                row["done"], None if pd.isna(row["planned"]) else row["planned"]
            )
            for row in self.table.to_dict("records")
        }

    @property
    def headline(self) -> str:
        """The first line of every report; empty if the run is finished or nothing is recorded."""
        if self.finished:
            return ""
        if self.finished is False:
            return f"UNFINISHED RUN: {self}"
        return f"Whether this run is finished is not recorded: {self}" if self.reason else ""

    def __str__(self) -> str:
        trials = number_of(self.done, "trial")
        if self.planned is not None:
            noun = "trial" if self.planned == 1 else "trials"
            trials = f"{self.done:,} of {self.planned:,} planned {noun}"
        state = f", {self.state}" if self.state is not RunState.UNRECORDED else ""
        reason = f" ({self.reason})" if self.reason else ""
        at = f" at {self.ended_at[:16].replace('T', ' ')} UTC" if self.ended_at else ""
        return f"{trials}{state}{reason}{at}"


def completeness(plan: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Count the planned and the finished trials of each comparison group and backend.

    Every command that adds to a run adds to its plan. Further repetitions are planned as soon as a
    result is found to be unstable. A number is missing where it was not recorded.
    """
    number, first = number_rows(trials := with_trial_group(trials), _KEY)
    keys = with_dtypes(trials[_KEY].iloc[first], {name: COMPLETENESS.dtypes[name] for name in _KEY})
    done = keys.assign(done=np.bincount(number))
    table = plan.merge(done, on=_KEY, how="outer", sort=False)
    table["done"] = table["done"].fillna(0).astype("int64")
    table["missing"] = table["planned"] - table["done"]
    in_order: pd.DataFrame = table.sort_values(_KEY, kind="stable", ignore_index=True)
    return with_dtypes(in_order[list(COMPLETENESS.dtypes)], COMPLETENESS.dtypes)


def planned_trials(rows: Sequence[Sequence[Any]], trials: pd.DataFrame) -> pd.DataFrame:
    """The planned trials of each comparison group and backend, labelled as in `trials`.

    A configuration without a trial has the next number of its label: ``cpsat#3``.

    Args:
        rows: rows of `harness.records.schema`, of one run or of several.
        trials: the trials of these runs.
    """
    types = {**DTYPES, "planned": "int64"}
    table = pd.DataFrame([tuple(row) for row in rows], columns=list(COLUMNS))
    table["limit"] = integers(row[COLUMNS.index("limit")] for row in rows)
    table = with_dtypes(table, {name: types[name] for name in COLUMNS})
    identity = ["backend", "options", "versions"]
    labels = {
        (spec_of(str(label)), *others): str(label)
        for label, *others in trials[identity].drop_duplicates().itertuples(index=False, name=None)
    }
    identities = [*table[identity].itertuples(index=False, name=None)]
    for configuration in identities:
        if configuration not in labels:
            spec = configuration[0]
            earlier = sum(other == spec for other, *_ in labels)
            labels[configuration] = f"{spec}#{earlier + 1}" if earlier else spec
    table["backend"] = [labels[configuration] for configuration in identities]
    return planned_sums(with_trial_group(table))


def empty_plan() -> pd.DataFrame:
    """The planned trials of a run that recorded none."""
    return rows_frame([], {name: COMPLETENESS.dtypes[name] for name in (*_KEY, "planned")})


def planned_sums(plan: pd.DataFrame) -> pd.DataFrame:
    """The planned trials of each comparison group and backend, added up over rows of `plan`."""
    names = [*_KEY, "planned"]
    types = {name: COMPLETENESS.dtypes[name] for name in names}
    table: pd.DataFrame = plan[names].groupby(_KEY, dropna=False, sort=False).sum()
    return with_dtypes(table.reset_index(), types)


def of_run(
    table: pd.DataFrame,
    endings: Sequence[RunEnding],
    invocations: Sequence[Invocation],
    *,
    lacks_shards: bool = False,
) -> RunCompleteness:
    """What a run lacks, and why.

    Args:
        table: the frame of `completeness`.
        endings: how the last command of each folder of the run ended.
        invocations: the commands of all folders.
        lacks_shards: whether shards are missing, whose planned trials the run does not have.
    """
    if lacks_shards:
        unknown = pd.array([pd.NA] * len(table), dtype="Int64")
        table = table.assign(planned=unknown, missing=unknown)
    by = table.groupby("backend", sort=True)
    configurations = by[["done", "planned", "missing"]].sum(min_count=1).reset_index()
    configurations = configurations.astype(CONFIGURATIONS.dtypes)
    is_known = bool(len(table) and table["planned"].notna().all())
    missing = int(table.loc[(table["missing"] > 0).fillna(False), "missing"].sum())
    unrecorded = RunEnding(RunState.UNRECORDED)
    worst = min(endings, key=lambda ending: _WORST.index(ending.state), default=unrecorded)
    if not len(table) and not invocations:
        worst = RunEnding(RunState.INCOMPLETE, "it ended before its trials were planned")
    left_out = {name: reason for i in invocations for name, reason in i.left_out.items()}
    if missing and worst.state in (RunState.FINISHED, RunState.UNRECORDED):
        lacking = configurations.loc[(configurations["missing"] > 0).fillna(False), "backend"]
        absent = [name for name in lacking if name in left_out]
        reason = (
            f"unavailable: {', '.join(absent)}" if absent else "an earlier command did not finish"
        )
        worst = RunEnding(RunState.INCOMPLETE, reason, worst.at)
    elif not is_known and worst.state is RunState.FINISHED:
        worst = RunEnding(RunState.UNRECORDED, "the number of planned trials is missing")
    done = configurations["done"] > 0
    ran = {spec_of(str(label)) for label in configurations.loc[done, "backend"]}
    return RunCompleteness(
        state=worst.state,
        reason=worst.reason,
        ended_at=worst.at or None,
        done=int(table["done"].sum()),
        planned=int(table["planned"].sum()) if is_known else None,
        missing=missing,
        table=configurations,
        left_out={name: reason for name, reason in left_out.items() if name not in ran},
    )


def ending_of_shards(shards: ShardProgress, *, is_locked: bool | None) -> RunEnding:
    """The state of a run that lacks shards.

    Args:
        shards: its shards.
        is_locked: whether a live process holds its lock; None if that is not known.
    """
    missing = shards.plan_shards - shards.merged_shards
    reason = f"{missing:,} of {number_of(shards.plan_shards, 'shard')} missing"
    return RunEnding(RunState.GOING_ON if is_locked else RunState.INCOMPLETE, reason)


def ending_of(invocations: Sequence[Invocation], *, is_locked: bool | None) -> RunEnding:
    """How the last command of a folder ended.

    Args:
        invocations: the commands of the folder, oldest first.
        is_locked: whether a live process holds its lock; None if that is not known.
    """
    if not invocations:
        return RunEnding(RunState.UNRECORDED)
    last = invocations[-1]
    states = {
        InvocationEnd.FINISHED: RunState.FINISHED,
        InvocationEnd.INTERRUPTED: RunState.INTERRUPTED,
        InvocationEnd.STOPPED: RunState.STOPPED,
    }
    if last.end in states:
        is_finished = last.end is InvocationEnd.FINISHED
        return RunEnding(
            states[last.end], "" if is_finished else last.end_reason, last.ended_at or ""
        )
    if last.ended_at or not last.started_at:
        return RunEnding(RunState.UNRECORDED, "an earlier version of the harness made it")
    if is_locked:
        return RunEnding(RunState.GOING_ON)
    where = "cannot be seen here" if is_locked is None else ""
    if last.system.host and last.system.host != platform.node():
        where = f"can be seen only on {last.system.host}"
    if where:
        return RunEnding(RunState.NO_END, f"whether it is still going on {where}")
    return RunEnding(RunState.KILLED, "no end is recorded")


_WORST: Final = (
    *(RunState.GOING_ON, RunState.STOPPED, RunState.KILLED, RunState.NO_END),
    *(RunState.INTERRUPTED, RunState.INCOMPLETE, RunState.UNRECORDED, RunState.FINISHED),
)
"""The endings of several folders, in the order in which a report prefers them."""


_NUMBERS: Final[col.Columns] = (
    col.BACKEND,
    col.count("done", "Finished trials.", "done"),
    col.optional(col.count("planned", "Planned trials; missing if not recorded.", "planned")),
    col.optional(col.count("missing", "Planned trials that are not done.", "missing")),
)
"""The numbers of each backend."""

COMPLETENESS: Final = Measure(
    title="Planned trials",
    scope=Scope.RUN,
    takes=("planned", "coded_trials"),
    compute=completeness,
    columns=(
        *(column for column in col.LABELLED_GROUP_COLUMNS if column.name in col.TRIAL_GROUP),
        *_NUMBERS,
    ),
    applies=lambda frame: bool((frame["missing"].fillna(0) > 0).any()),
)

CONFIGURATIONS: Final = FrameLayout(name="configurations", title="", columns=_NUMBERS)
"""The table of an unfinished run, which comes before all others."""
