"""The trials of runs as they end, published to the pages while somebody looks.

Each look reads only what was added since the previous one, so following a run of a million trials
costs as little as following a short one.
"""

import asyncio
import sqlite3
from collections import deque
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final

from anyio import to_thread
from msgspec import Struct

from harness.base.errors import InputError
from harness.base.text import last_line, printable
from harness.extensions.workbench.cores import Cores
from harness.extensions.workbench.messages import Hub
from harness.extensions.workbench.runs import RunListing, folder_named, planned_trials, run_folders
from harness.extensions.workbench.sweeps import Sweeps
from harness.records import Verdict
from harness.records.folder import RunFile, glancing, is_held

# The trials of a run as they end, by configuration.


_MOST_FAILURES: Final = 100
"""Maximum number of failures shown, the last ones, and of wrong answers shown besides."""
_ANSWERED: Final = frozenset(str(verdict) for verdict in Verdict if verdict.answered)


class LabelProgress(Struct):
    """The trials of a configuration."""

    label: str
    planned: int | None = None
    done: int = 0
    verdicts: dict[str, int] = {}
    wall_s: float = 0.0
    """The sum of the wall times of its trials."""


class FailedTrial(Struct):
    """A trial without a right answer."""

    number: int
    configuration: str
    task: str
    """``solve`` or ``count to 2``."""
    dataset: str
    puzzle: str
    verdict: str
    reason: str


class RunProgress(Struct):
    """The trials of a run so far."""

    name: str
    done: int
    planned: int
    left_s: float | None
    """Expected seconds until its end; None if they cannot be known yet."""
    configurations: list[LabelProgress]
    wrong: list[FailedTrial]
    failures: list[FailedTrial]
    """Other trials without an answer, the last ones."""


class Follower:
    """Reads the trials of one run as they end."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name, self._folder = name, folder
        self.progress: RunProgress | None = None
        """The progress that was published last."""
        self._begin(None)

    def _begin(self, inode: int | None) -> None:
        self._inode = inode
        self._last = 0
        """The id of the last trial that was read."""
        self._configurations: dict[int, LabelProgress] = {}
        self._wrong: deque[FailedTrial] = deque(maxlen=_MOST_FAILURES)
        self._failures: deque[FailedTrial] = deque(maxlen=_MOST_FAILURES)
        self._speeds: deque[tuple[float, int]] = deque()
        """The numbers of trials at the last looks, with the times of the looks."""

    def look(self) -> RunProgress:
        """The progress now, with the trials that ended since the last look.

        Raises:
            RunError: the folder holds no run, or a damaged one.
        """
        with glancing(self._folder) as db:
            inode = (self._folder / RunFile.STORE).lstat().st_ino
            if inode != self._inode:  # a fresh start has another file
                self._begin(inode)
            self._read_plan(db)
            self._read_trials(db)
            planned = planned_trials(db)
        configurations = [*self._configurations.values()]
        done = sum(configuration.done for configuration in configurations)
        now = monotonic()
        self._speeds.append((now, done))
        # The speed of a run is that of the last minute.
        while len(self._speeds) > 2 and now - self._speeds[1][0] > 60.0:
            self._speeds.popleft()
        return RunProgress(
            name=self._name,
            done=done,
            planned=planned,
            left_s=self._remaining_s(planned - done),
            configurations=configurations,
            wrong=[*self._wrong],
            failures=[*self._failures],
        )

    def _read_plan(self, db: sqlite3.Connection) -> None:
        for id_, label in db.execute("SELECT id, backend FROM configurations ORDER BY id"):
            if id_ not in self._configurations:
                self._configurations[id_] = LabelProgress(_text(label))
        query = (
            "SELECT q.configuration_id, sum(p.repetitions) FROM planned p "
            "JOIN questions q ON q.id = p.question_id GROUP BY 1"
        )
        for id_, number in db.execute(query):
            if id_ in self._configurations:
                self._configurations[id_].planned = int(number)

    def _read_trials(self, db: sqlite3.Connection) -> None:
        (newest,) = db.execute("SELECT coalesce(max(id), 0) FROM trials").fetchone()
        query = """
            SELECT q.configuration_id, t.answer_verdict, count(*), total(t.wall_s) FROM trials t
            JOIN questions q ON q.id = t.question_id
            WHERE t.id > ? AND t.id <= ? GROUP BY 1, 2"""
        before, failures = self._last, 0
        for configuration, verdict, number, wall_s in db.execute(query, (before, newest)):
            name = _text(verdict)
            failures += name not in _ANSWERED
            progress = self._configurations.get(configuration)
            if progress is not None:
                progress.done += number
                progress.verdicts[name] = progress.verdicts.get(name, 0) + number
                progress.wall_s += wall_s
        self._last = newest
        if failures:
            self._wrong += _failures(db, before, newest, is_wrong=True)
            self._failures += _failures(db, before, newest, is_wrong=False)

    def _remaining_s(self, remaining: int) -> float | None:
        (began, first), (now, last) = self._speeds[0], self._speeds[-1]
        if remaining <= 0:
            return 0.0
        if now - began < 2 or last == first:
            return None
        return remaining * (now - began) / (last - first)


def _failures(
    db: sqlite3.Connection, after: int, until: int, *, is_wrong: bool
) -> list[FailedTrial]:
    """The last wrong answers, or other failures, among trials with ids in a range."""
    verdicts = [
        str(verdict)
        for verdict in Verdict
        if not verdict.answered and (verdict is Verdict.WRONG) == is_wrong
    ]
    marks = ", ".join("?" * len(verdicts))
    query = f"""
        SELECT t.id, c.backend, q.task || coalesce(' to ' || nullif(q."limit", 0), ''), i.dataset,
            i.name, t.answer_verdict, t.answer_reason
        FROM trials t
        JOIN questions q ON q.id = t.question_id
        JOIN configurations c ON c.id = q.configuration_id
        JOIN instances i ON i.id = t.instance_id
        WHERE t.id > ? AND t.id <= ? AND t.answer_verdict IN ({marks})
        ORDER BY t.id DESC LIMIT ?"""  # noqa: S608  marks only
    rows = db.execute(query, (after, until, *verdicts, _MOST_FAILURES)).fetchall()
    failures = []
    for number, *texts, reason in reversed(rows):
        configuration, task, dataset, puzzle, verdict = map(_text, texts)
        line = last_line(str(reason or ""))
        failures.append(
            FailedTrial(int(number), configuration, task, dataset, puzzle, verdict, line)
        )
    return failures


def _text(value: object) -> str:
    return printable(str(value))[:160]


# The runs in progress, published to the pages while somebody looks.


RUNS: Final = "runs"
"""The topic of a change of the list of runs."""
_SCAN_EVERY_S: Final = 5.0
"""Seconds between two searches for runs that were started elsewhere."""


class ActiveRun(Struct):
    """A run in progress."""

    run: str
    is_own: bool
    """Whether this workbench started it."""
    cores: list[int]
    """The cores on which it measures."""
    done: int | None = None
    planned: int | None = None
    left_s: float | None = None


class Measuring(Struct):
    """The runs that measure now, and their cores."""

    runs: list[ActiveRun]
    cores: list[int]
    """All cores on which something measures."""
    is_everywhere: bool
    """Whether these are all cores of the server."""


class RunWatch:
    """Follows the runs in progress."""

    def __init__(self, hub: Hub, listing: RunListing, sweeps: Sweeps, cores: Cores) -> None:
        self._hub, self._listing, self._sweeps, self._cores = hub, listing, sweeps, cores
        self._changed = asyncio.Event()
        self._held: dict[str, list[int]] = {}
        """The runs in progress that were started elsewhere, with their cores."""
        self._names: set[str] = set()
        """The runs in the folder, as the last scan found them."""
        self._listed: set[str] = set()
        """The runs that the pages know of."""
        self._scanned_at = -_SCAN_EVERY_S
        self._followers: dict[str, Follower] = {}
        self._published: Measuring | None = None

    def change(self) -> None:
        """Update the runs in progress at once, after a sweep of this workbench began or ended."""
        self._cores.keep_off(self.measured(), self._sweeps.pid)
        self._changed.set()

    def measured(self) -> list[int]:
        """The cores on which something measures now."""
        if monotonic() - self._scanned_at > _SCAN_EVERY_S:
            self._scan()
        own = self._sweeps.running
        cores = {core for cores in self._held.values() for core in cores}
        return sorted(cores.union(own.cores if own else ()))

    def measuring(self) -> Measuring:
        """The runs that measure now, and their cores."""
        own = self._sweeps.running
        runs = [self._active(own.run, True, own.cores)] if own else []
        runs += [self._active(name, False, cores) for name, cores in self._held.items()]
        cores = self.measured()
        return Measuring(runs, cores, bool(runs) and set(cores) >= set(self._cores.all))

    async def run(self) -> None:
        """Publish changes until the task is cancelled."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await self._changed.wait()
            is_change = self._changed.is_set()
            self._changed.clear()
            if not self._hub.pages:
                continue
            if is_change or monotonic() - self._scanned_at > _SCAN_EVERY_S:
                await to_thread.run_sync(self._scan)
            await self._look()

    def _scan(self) -> None:
        """Find the runs in progress that were started elsewhere."""
        self._scanned_at = monotonic()
        own = self._sweeps.running
        folders = run_folders(self._listing.results)
        self._names = {folder.name for folder in folders}
        active = [folder for folder in folders if not folder.problem and is_held(folder.path)]
        self._held = {
            folder.name: self._cores.of_run(folder.path)
            for folder in active
            if own is None or folder.name != own.run
        }

    async def _look(self) -> None:
        own = self._sweeps.running
        active = {*self._held} | ({own.run} if own else set())
        gone = self._followers.keys() - active
        new = active - self._followers.keys()
        for name in active | gone:
            await self._follow(name)
        for name in gone:
            del self._followers[name]
        if new or gone or self._names != self._listed:
            self._listed = self._names
            self._hub.publish(RUNS, {})
        self._cores.keep_off(self.measured(), self._sweeps.pid)
        measuring = self.measuring()
        if measuring != self._published:
            self._published = measuring
            self._hub.publish("measuring", measuring)

    async def _follow(self, name: str) -> None:
        """Publish the progress of a run, if it has changed."""
        follower = self._followers.get(name)
        try:
            if follower is None:
                folder = folder_named(self._listing.results, name)
                follower = self._followers[name] = Follower(name, folder)
            progress = await to_thread.run_sync(follower.look)
        except InputError:
            return  # its store is missing or damaged; the list shows the reason
        if progress != follower.progress:
            follower.progress = progress
            self._hub.publish("progress", progress)

    def _active(self, name: str, is_own: bool, cores: list[int]) -> ActiveRun:
        follower = self._followers.get(name)
        progress = follower.progress if follower else None
        if progress is None:
            return ActiveRun(name, is_own, cores)
        remaining_s = None if progress.left_s is None else float(round(progress.left_s))
        return ActiveRun(name, is_own, cores, progress.done, progress.planned, remaining_s)
