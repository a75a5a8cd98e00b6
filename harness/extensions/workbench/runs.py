"""The runs under ``results/``: their folders, and what a listing shows of each.

A name is the path of a folder below the folder of results, with ``/``. No part of it may be a
link, so that nothing outside of that folder is ever opened.
"""

import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from harness.base.errors import InputError
from harness.base.text import encodable, printable, shortened
from harness.records.folder import (
    Invocation,
    InvocationEnd,
    RunFile,
    glancing,
    is_held,
    read_invocations,
)

# The folders of runs, and the names by which a request may name them.


MOST_DEPTH: Final = 3
"""Maximum number of parts of a name: ``shards-PLAN/shard-0001`` has two."""
_LONGEST_NAME: Final = 700


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A folder that may hold a run."""

    name: str
    path: Path
    changed_at: float
    """When its store was last written, in seconds since 1970."""
    problem: str = ""
    """Why it is not opened; empty if it may be."""


def run_folders(results: Path) -> list[RunFolder]:
    """The runs in a folder and in folders of runs there, most recently changed first.

    Links and unreadable folders are included with their problem. Folders without a run are left
    out.
    """
    folders = islice(_below(results, ""), 20_000)
    return sorted(folders, key=lambda folder: (-folder.changed_at, folder.name))


def folder_named(results: Path, name: str) -> Path:
    """The folder of the run with this name.

    Raises:
        InputError: no run has the name, or a part of it is a link.
    """
    text = printable(shortened(encodable(name), 60))
    unknown = InputError(
        f"there is no run {text!r} in the folder of results",
        expected="the name of a run in the list",
    )
    parts = name.split("/")
    is_malformed = any(part in ("", ".", "..") or "\0" in part for part in parts)
    if is_malformed or len(name) > _LONGEST_NAME or len(parts) > MOST_DEPTH:
        raise unknown
    *folders, path = accumulate(parts, Path.joinpath, initial=results)
    try:
        modes = [folder.lstat().st_mode for folder in (*folders[1:], path)]
        store_mode = (path / RunFile.STORE).lstat().st_mode
    except (OSError, ValueError):
        raise unknown from None
    if not (all(map(stat.S_ISDIR, modes)) and stat.S_ISREG(store_mode)):
        raise unknown
    return path


def _below(folder: Path, prefix: str) -> Iterator[RunFolder]:
    """The runs below a folder that holds no run itself."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError as error:
        if prefix:
            yield _unusable(folder, prefix.rstrip("/"), f"cannot be read: {error.strerror}")
        return
    for entry in entries:
        name = f"{prefix}{encodable(entry.name)}"
        if entry.is_symlink():
            if entry.is_dir() or not os.path.exists(entry.path):  # noqa: PTH110  of an entry
                fault = "is a link; only folders inside the folder of results are opened"
                yield _unusable(Path(entry.path), name, fault)
        elif entry.is_dir(follow_symlinks=False):
            yield from _in(Path(entry.path), name)


def _in(path: Path, name: str) -> Iterator[RunFolder]:
    """The run in a folder, or the runs below it."""
    if encodable(path.name) != path.name:
        yield _unusable(path, name, "its name is not UTF-8")
        return
    try:
        changed_at = max(
            (path / file).lstat().st_mtime
            for file in (RunFile.STORE, f"{RunFile.STORE}-wal")
            if file == RunFile.STORE or os.path.lexists(path / file)
        )
    except (FileNotFoundError, NotADirectoryError):
        if name.count("/") + 1 < MOST_DEPTH:
            yield from _below(path, f"{name}/")
    except OSError as error:
        yield _unusable(path, name, f"cannot be read: {error.strerror}")
    else:
        yield RunFolder(name, path, changed_at)


def _unusable(path: Path, name: str, problem: str) -> RunFolder:
    try:
        changed_at = path.lstat().st_mtime
    except OSError:
        changed_at = 0.0
    return RunFolder(name, path, changed_at, problem)


# What a listing shows of a run, from a glance at its files.


State = Literal["running", "finished", "unfinished", "interrupted", "stopped", "new", "unreadable"]


class RunFacts(Struct, kw_only=True):
    """A run in the list."""

    name: str
    state: State
    """`unfinished` is a run that lacks trials and was neither interrupted nor stopped: killed, for
    example; a run is `new` until its first trial is planned."""
    error: str = ""
    """Why it cannot be read."""
    backends: list[str] = []
    datasets: list[str] = []
    machines: list[str] = []
    done: int | None = None
    planned: int | None = None
    """The number of planned trials; None for a run that cannot be read."""
    started_at: str | None = None
    changed_at: float
    """When its store was last written, in seconds since 1970."""
    jobs: int | None = None
    """Trials at the same time in its last command."""
    reason: str = ""
    """What interrupted or stopped its last command."""


def stamp_of(folder: Path) -> tuple[int, ...]:
    """A value that changes when something is written to a run."""
    stamp: list[int] = []
    for name in (RunFile.STORE, RunFile.LOG, RunFile.ENVIRONMENT):
        try:
            status = (folder / name).lstat()
        except OSError:
            stamp.append(0)
        else:
            stamp += (status.st_ino, status.st_mtime_ns, status.st_size)
    return tuple(stamp)


def _facts(folder: RunFolder) -> RunFacts:
    try:
        invocations = read_invocations(folder.path)
        with glancing(folder.path) as db:
            done = int(db.execute("SELECT count(*) FROM trials").fetchone()[0])
            planned = planned_trials(db)
    except InputError as error:
        return _unreadable(folder, error.what)
    last = invocations[-1] if invocations else None
    return RunFacts(
        name=folder.name,
        state=_state(done, planned, last),
        backends=_first(name for invocation in invocations for name in invocation.backends),
        datasets=_first(name for invocation in invocations for name in invocation.datasets),
        machines=_first(
            invocation.system.host for invocation in invocations if invocation.system.host
        ),
        done=done,
        planned=planned,
        started_at=invocations[0].started_at if invocations else None,
        changed_at=folder.changed_at,
        jobs=last.jobs if last else None,
        reason=printable(last.end_reason)[:300] if last else "",
    )


def planned_trials(db: sqlite3.Connection) -> int:
    """The number of planned trials of a store."""
    return int(db.execute("SELECT coalesce(sum(repetitions), 0) FROM planned").fetchone()[0])


def _state(done: int, planned: int, last: Invocation | None) -> State:
    if planned == 0 and done == 0:
        return "new"
    if done >= planned:
        return "finished"
    match last and last.end:
        case InvocationEnd.INTERRUPTED:
            return "interrupted"
        case InvocationEnd.STOPPED:
            return "stopped"
    return "unfinished"


def _first(names: Iterable[str]) -> list[str]:
    """The first 60 different names."""
    return [printable(name)[:120] for name in dict.fromkeys(names)][:60]


def _unreadable(folder: RunFolder, error: str) -> RunFacts:
    return RunFacts(
        name=folder.name,
        state="unreadable",
        error=printable(error)[:300],
        changed_at=folder.changed_at,
    )


# The runs, filtered and in pages.


PER_PAGE: Final = 50


class RunPage(Struct):
    """A page of the list of runs."""

    runs: list[RunFacts]
    page: int
    """Its number, from 1."""
    pages: int
    matching: int
    """The number of runs that pass the filter."""
    total: int


class RunListing:
    """The runs in a folder."""

    def __init__(self, results: Path) -> None:
        self.results = results
        self._kept: dict[str, tuple[tuple[int, ...], RunFacts]] = {}
        """The facts of each run, with the stamp of its files."""

    def page(self, text: str = "", state: str = "", number: int = 1) -> RunPage:
        """A page of the runs, most recently changed first.

        Only the runs of the page are read, unless a filter needs others.

        Args:
            text: words that each occur in the name, a backend, a dataset or a machine of a run.
            state: the state of a run; empty for any.
            number: the number of the page, from 1.
        """
        folders = matching = run_folders(self.results)
        names = {folder.name for folder in folders}
        self._kept = {name: entry for name, entry in self._kept.items() if name in names}
        words = text.casefold().split()
        if words or state:
            every = ((folder, self._facts_of(folder)) for folder in folders)
            matching = [
                folder
                for folder, facts in every
                if _has(facts, words) and state in ("", facts.state)
            ]
        pages = max(1, -(-len(matching) // PER_PAGE))
        number = min(max(number, 1), pages)
        folders_of_page = matching[(number - 1) * PER_PAGE : number * PER_PAGE]
        facts = [self._facts_of(folder) for folder in folders_of_page]
        return RunPage(facts, number, pages, len(matching), len(folders))

    def facts(self, name: str) -> RunFacts | None:
        """The facts of a run; None if no run has this name."""
        folders = (folder for folder in run_folders(self.results) if folder.name == name)
        return next(map(self._facts_of, folders), None)

    def _facts_of(self, folder: RunFolder) -> RunFacts:
        """The facts of a run, read again after a change."""
        if folder.problem:
            return _unreadable(folder, folder.problem)
        stamp = stamp_of(folder.path)
        entry = self._kept.get(folder.name)
        if entry is None or entry[0] != stamp:
            entry = self._kept[folder.name] = (stamp, _facts(folder))
        facts = entry[1]
        if facts.state != "unreadable" and is_held(folder.path):
            facts.state = "running"
            self._kept.pop(folder.name, None)  # it may end without a change of its store
        return facts


def _has(facts: RunFacts, words: list[str]) -> bool:
    """Whether each word occurs in the name, the backends, the datasets or the machines of a run."""
    texts = [facts.name, *facts.backends, *facts.datasets, *facts.machines]
    text = "\n".join(texts).casefold()
    return all(word in text for word in words)
