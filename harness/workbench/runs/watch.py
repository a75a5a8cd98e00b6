"""The runs that are going on, published to the pages while somebody looks."""

import asyncio
from contextlib import suppress
from time import monotonic
from typing import Final

from anyio import to_thread
from msgspec import Struct

from harness.errors import InputError
from harness.records.lock import is_held
from harness.workbench.hub import Hub
from harness.workbench.runs.cores import Cores
from harness.workbench.runs.folders import folder_named, run_folders
from harness.workbench.runs.following import Follower, RunProgress
from harness.workbench.runs.listing import RunListing
from harness.workbench.runs.sweeps import Sweeps

PROGRESS: Final = "progress"
"""The topic of the trials of a run."""
MEASURING: Final = "measuring"
"""The topic of what measures now."""
RUNS: Final = "runs"
"""The topic of a change of the list of runs."""
_EVERY_S: Final = 1.0
_SCAN_EVERY_S: Final = 5.0
"""Seconds between two searches for runs that were started elsewhere."""


class ActiveRun(Struct):
    """A run that goes on."""

    run: str
    is_own: bool
    """Whether this workbench started it."""
    cores: list[int]
    """The cores on which it measures."""
    done: int | None = None
    planned: int | None = None
    left_s: float | None = None


class Measuring(Struct):
    """What measures now."""

    runs: list[ActiveRun]
    cores: list[int]
    """All cores on which something measures."""
    is_everywhere: bool
    """Whether these are all cores."""


class Watch:
    """Follows the runs that go on."""

    def __init__(self, hub: Hub, listing: RunListing, sweeps: Sweeps, cores: Cores) -> None:
        self._hub, self._listing, self._sweeps, self._cores = hub, listing, sweeps, cores
        self._changed = asyncio.Event()
        self._held: dict[str, list[int]] = {}
        """The runs that were started elsewhere and go on, with their cores."""
        self._names: set[str] = set()
        """The runs in the folder, as the last scan found them."""
        self._listed: set[str] = set()
        """Those that the pages know of."""
        self._scanned_at = -_SCAN_EVERY_S
        self._followers: dict[str, Follower] = {}
        self._progress: dict[str, RunProgress] = {}
        self._published: Measuring | None = None

    def change(self) -> None:
        """Look at once: a sweep of this workbench began or ended."""
        self._cores.keep_off(self.measured(), self._sweeps.pid)
        self._changed.set()

    def measured(self) -> list[int]:
        """The cores on which something measures now."""
        if monotonic() - self._scanned_at > _SCAN_EVERY_S:
            self._scan()
        own = self._sweeps.running
        found = {core for cores in self._held.values() for core in cores}
        return sorted(found.union(own.cores if own else ()))

    def measuring(self) -> Measuring:
        """What measures now."""
        own = self._sweeps.running
        runs = [self._active(own.run, True, own.cores)] if own else []
        runs += [self._active(name, False, cores) for name, cores in self._held.items()]
        cores = self.measured()
        return Measuring(runs, cores, bool(runs) and set(cores) >= set(self._cores.all))

    async def run(self) -> None:
        """Publish what changes, until it is cancelled."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_EVERY_S):
                    await self._changed.wait()
            is_change = self._changed.is_set()
            self._changed.clear()
            if not self._hub.pages:
                continue
            if is_change or monotonic() - self._scanned_at > _SCAN_EVERY_S:
                await to_thread.run_sync(self._scan)
            await self._look()

    def _scan(self) -> None:
        """Find the runs that were started elsewhere and go on."""
        self._scanned_at = monotonic()
        own = self._sweeps.running
        found = run_folders(self._listing.results)
        self._names = {of.name for of in found}
        held = [of for of in found if not of.problem and is_held(of.path)]
        self._held = {
            of.name: self._cores.of_run(of.path) for of in held if own is None or of.name != own.run
        }

    async def _look(self) -> None:
        own = self._sweeps.running
        active = {*self._held} | ({own.run} if own else set())
        ended = self._followers.keys() - active
        begun = active - self._followers.keys()
        for name in active | ended:
            await self._follow(name)
        for name in ended:
            del self._followers[name]
            self._progress.pop(name, None)
        if begun or ended or self._names != self._listed:
            self._listed = self._names
            self._hub.publish(RUNS, {})
        self._cores.keep_off(self.measured(), self._sweeps.pid)
        measuring = self.measuring()
        if measuring != self._published:
            self._published = measuring
            self._hub.publish(MEASURING, measuring)

    async def _follow(self, name: str) -> None:
        """Publish the progress of a run, if it has changed."""
        follower = self._followers.get(name)
        try:
            if follower is None:
                folder = folder_named(self._listing.results, name)
                follower = self._followers[name] = Follower(name, folder)
            found = await to_thread.run_sync(follower.look)
        except InputError:
            return  # it does not have a store yet, or no longer; the list shows what is wrong
        if found != self._progress.get(name):
            self._progress[name] = found
            self._hub.publish(PROGRESS, found)

    def _active(self, name: str, is_own: bool, cores: list[int]) -> ActiveRun:
        found = self._progress.get(name)
        if found is None:
            return ActiveRun(name, is_own, cores)
        left = None if found.left_s is None else float(round(found.left_s))
        return ActiveRun(name, is_own, cores, found.done, found.planned, left)
