"""What a listing shows of a run, from a glance at its files."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from harness.errors import InputError
from harness.records import planned
from harness.records.environment import FILE as ENVIRONMENT
from harness.records.environment import End, Invocation, read_invocations
from harness.records.lock import is_held
from harness.records.store_file import FILE as STORE
from harness.records.store_file import LOG, glancing
from harness.text import printable
from harness.workbench.runs.folders import RunFolder

_MOST_LISTED: Final = 60
"""Backends and datasets of a run that are listed."""

State = Literal["running", "finished", "unfinished", "interrupted", "stopped", "new", "unreadable"]


class RunFacts(Struct, kw_only=True):
    """A run in the list."""

    name: str
    state: State
    """`unfinished` is a run that was killed, or to which nothing recorded an end; a run is `new`
    until its first trial is planned."""
    error: str = ""
    """Why it cannot be read."""
    backends: list[str] = []
    datasets: list[str] = []
    machines: list[str] = []
    done: int | None = None
    planned: int | None = None
    """None for a run of a harness that did not record it."""
    started_at: str | None = None
    changed_at: float
    """When its store was last written, in seconds since 1970."""
    jobs: int | None = None
    """Trials at the same time in its last command."""
    reason: str = ""
    """What interrupted or stopped its last command."""


_Stamp = tuple[int, ...]


class FactsCache:
    """The facts of runs, read again after a change."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[_Stamp, RunFacts]] = {}

    def of(self, folder: RunFolder) -> RunFacts:
        """The facts of a run."""
        if folder.problem:
            return _unreadable(folder, folder.problem)
        stamp = stamp_of(folder.path)
        kept = self._kept.get(folder.name)
        if kept is None or kept[0] != stamp:
            kept = self._kept[folder.name] = (stamp, _facts(folder))
        facts = kept[1]
        if facts.state != "unreadable" and is_held(folder.path):
            facts.state = "running"
            del self._kept[folder.name]  # it may end without a change of its store
        return facts

    def forget_others(self, names: set[str]) -> None:
        """Drop what is kept of runs that are no longer there."""
        self._kept = {name: kept for name, kept in self._kept.items() if name in names}


def stamp_of(folder: Path) -> _Stamp:
    """What changes when something is written to a run."""
    stamp: list[int] = []
    for name in (STORE, LOG, ENVIRONMENT):
        try:
            found = (folder / name).lstat()
        except OSError:
            stamp.append(0)
        else:
            stamp += (found.st_ino, found.st_mtime_ns, found.st_size)
    return tuple(stamp)


def _facts(folder: RunFolder) -> RunFacts:
    try:
        invocations = read_invocations(folder.path)
        with glancing(folder.path) as db:
            done = int(db.execute("SELECT count(*) FROM trials").fetchone()[0])
            expected = planned_trials(db)
    except InputError as error:
        return _unreadable(folder, error.what)
    last = invocations[-1] if invocations else None
    return RunFacts(
        name=folder.name,
        state=_state(done, expected, last),
        backends=_listed(name for of in invocations for name in of.backends),
        datasets=_listed(name for of in invocations for name in of.datasets),
        machines=_listed(of.system.host for of in invocations if of.system.host),
        done=done,
        planned=expected,
        started_at=invocations[0].started_at if invocations else None,
        changed_at=folder.changed_at,
        jobs=last.jobs if last else None,
        reason=printable(last.end_reason)[:300] if last else "",
    )


def planned_trials(db: sqlite3.Connection) -> int | None:
    """The number of planned trials of a store; None if it does not record them."""
    if not planned.exists(db):
        return None
    return int(db.execute("SELECT coalesce(sum(repetitions), 0) FROM planned").fetchone()[0])


def _state(done: int, expected: int | None, last: Invocation | None) -> State:
    if expected == 0 and done == 0:
        return "new"
    if expected is not None and done >= expected:
        return "finished"
    if last is None or last.end is None:
        return "unfinished"
    ends: dict[End, State] = {
        End.FINISHED: "unfinished" if expected else "finished",
        End.INTERRUPTED: "interrupted",
        End.STOPPED: "stopped",
    }
    return ends[last.end]


def _listed(names: Iterable[str]) -> list[str]:
    return [printable(name)[:120] for name in dict.fromkeys(names)][:_MOST_LISTED]


def _unreadable(folder: RunFolder, error: str) -> RunFacts:
    return RunFacts(
        name=folder.name,
        state="unreadable",
        error=printable(error)[:300],
        changed_at=folder.changed_at,
    )
