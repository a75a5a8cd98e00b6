"""The coordinator: hands out the shards of a plan and merges what comes back, each shard once."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Set
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from harness.cluster.engine import (
    Engine,
    Event,
    JobEnd,
    JobEnded,
    JobLost,
    JobResult,
    JobStarted,
    PlaceExcluded,
    Probe,
    ShardJob,
)
from harness.cluster.packing import Packer
from harness.cluster.shards import ShardPlan, ShardSizes, StoredPlan, restored_plan, shard_plan
from harness.errors import InputError, RunError
from harness.records import run_files
from harness.records.merge import Collection
from harness.records.run_files import SETTINGS_FILE as SWEEP
from harness.records.shard import PLAN
from harness.records.store_file import FILE as STORE
from harness.runs.execute import Observer
from harness.runs.preview import ExpectedTimes
from harness.runs.run import locked_run_folder
from harness.runs.sweep import Sweep, add_sweep
from harness.text import number_of

# Which machines have become slower or noisier than they were.


SLOWER: Final = 1.25
"""A machine is slower if a probe takes this many times as long as the fastest one before."""
NOISY: Final = 1.5
"""A machine is noisy if the slowest tenth of a probe takes this many times its median, and it
did not before."""


@dataclass(frozen=True, slots=True)
class Change:
    """A machine that is not as it was."""

    host: str
    what: str
    """``1.7 times slower than before``."""


class MachineSpeed:
    """The probes of all machines."""

    def __init__(self) -> None:
        self._best: dict[str, Probe] = {}
        self._changed: set[tuple[str, str]] = set()

    def changes(self, host: str, probe: Probe) -> list[Change]:
        """How a machine has changed, by a new probe; each kind of change once for each machine.

        Args:
            host: the name of the machine.
            probe: its probe before a shard.
        """
        found = []
        best = self._best.setdefault(host, probe)
        factor = probe.seconds / best.seconds
        if factor >= SLOWER and self._is_new(host, "slower"):
            found.append(Change(host, f"{factor:.1f} times slower than before"))
        is_noisy = probe.spread >= NOISY > best.spread
        if is_noisy and self._is_new(host, "noisier"):
            found.append(Change(host, f"noisier than before: times vary by {probe.spread:.1f}"))
        self._best[host] = Probe(min(best.seconds, probe.seconds), min(best.spread, probe.spread))
        return found

    def is_slower(self, host: str, probe: Probe) -> bool:
        """Whether a machine was slower at a probe than at its fastest one."""
        best = self._best.get(host)
        return best is not None and probe.seconds >= SLOWER * best.seconds

    def _is_new(self, host: str, kind: str) -> bool:
        is_new = (host, kind) not in self._changed
        self._changed.add((host, kind))
        return is_new


# The coordinator: hands out the shards of a plan and merges what comes back, each shard once.


_MOST_FAILURES: Final = 3
"""Attempts at a shard that may fail before it is given up."""
_MOST_LOSSES: Final = 20
"""Attempts at a shard that may be lost before it is given up."""
_EVENTS_S: Final = 0.25
_KEPT_MERGED: Final = 100
"""Merged shards that the next job names, so that its machine removes their folders."""


@dataclass
class MachineProgress:
    """What a machine has done and does."""

    done: int = 0
    """Shards that have been merged."""
    running: int = 0


@dataclass
class ClusterStatus:
    """How far the shards are."""

    shards: int
    """Shards of the plan."""
    trials: int = 0
    """Trials of the plan."""
    trials_before: int = 0
    """Trials that were merged before."""
    trials_done: int = 0
    """Merged trials, those of earlier commands included."""
    done: int = 0
    """Merged shards, those of earlier commands included."""
    running: int = 0
    failed: dict[int, str] = field(default_factory=dict)
    """The shards that are given up, with the last reason."""
    machines: dict[str, MachineProgress] = field(default_factory=dict)
    """By the name of the place that the engine gives."""
    hosts: dict[str, str] = field(default_factory=dict)
    """The host of each place that has ended a job."""
    excluded: dict[str, str] = field(default_factory=dict)
    """Places that get no shards, with the reason."""
    left_out: int = 0
    """Further complete attempts at shards that were merged already."""
    lost: int = 0
    """Attempts whose end the engine does not know."""
    remaining_s: float | None = None
    """Expected seconds until the end; None if unknown."""

    def name_of(self, place: str) -> str:
        """A place with its host: ``tcp://192.0.2.7:41001 on node7``."""
        host = self.hosts.get(place, place)
        return place if host == place else f"{place} on {host}"

    @staticmethod
    def of(plan: ShardPlan, merged: Set[int]) -> "ClusterStatus":
        """The status of a plan, with the numbers of its merged shards."""
        trials = sum(map(plan.trials_of, merged))
        return ClusterStatus(plan.number, plan.trials, trials, trials, done=len(merged))

    @property
    def waiting(self) -> int:
        """Shards that no machine has."""
        return self.shards - self.done - self.running - len(self.failed)

    @property
    def is_complete(self) -> bool:
        """Whether every shard is merged."""
        return self.done == self.shards


class CoordinatorObserver:
    """Receives the progress of the shards; override the methods of interest."""

    def changed(self, status: ClusterStatus) -> None:
        """A shard has begun or ended."""

    def lost(self, number: int, reason: str) -> None:
        """An attempt at a shard was lost; it is handed out again."""

    def excluded(self, place: str, reason: str) -> None:
        """A place cannot carry out shards."""

    def changed_machine(self, change: Change) -> None:
        """A machine has become slower or noisier."""


@dataclass(slots=True)
class _Flight:
    """A job that the engine has."""

    number: int
    place: str | None = None


class Coordinator:
    """Carries out a plan on an engine.

    Args:
        plan: the shards.
        collection: the run to which they are merged; it knows those that are merged already.
        engine: carries them out.
        observer: receives the progress.
        repeats_slow: whether a shard from a machine that has become slower is handed out again,
            and that machine gets no further shards, as long as there are others.
    """

    def __init__(
        self,
        plan: ShardPlan,
        collection: Collection,
        engine: Engine,
        observer: CoordinatorObserver | None = None,
        *,
        repeats_slow: bool = False,
    ) -> None:
        self._repeats_slow = repeats_slow
        self._speed = MachineSpeed()
        self._plan = plan
        self._packer = Packer(plan)
        self._collection = collection
        self._engine = engine
        self._observer = observer or CoordinatorObserver()
        merged = collection.merged
        self.status = ClusterStatus.of(plan, merged)
        """How far the shards are."""
        self._flights = {
            key: _Flight(number) for key, number in engine.adopted().items() if number not in merged
        }
        known = merged | {flight.number for flight in self._flights.values()}
        self._waiting = deque(n for n in range(1, plan.number + 1) if n not in known)
        self._submissions: Counter[int] = Counter()
        for key, flight in self._flights.items():
            earlier = self._submissions[flight.number]
            self._submissions[flight.number] = max(earlier, int(key.rpartition("-")[2]))
        self._failures: Counter[int] = Counter()
        self._losses: Counter[int] = Counter()
        self._merged, self._merged_s = 0, 0.0
        """Shards that this command has merged, and their wall time in seconds."""
        self._lately: deque[int] = deque(maxlen=_KEPT_MERGED)

    def run(self) -> ClusterStatus:
        """Hand out all shards and merge them.

        A KeyboardInterrupt passes; merged shards stay, and another coordinator goes on.

        Raises:
            InputError: no machine can carry out the shards.
            StorageError: the run cannot be written.
        """
        self._observer.changed(self.status)
        while self._waiting or self._flights:
            self._hand_out()
            for event in self._engine.events(_EVENTS_S):
                self._take(event)
            if not self._engine.places():
                for event in self._engine.events(0.0):
                    self._take(event)
                excluded = self.status.excluded
                raise InputError(
                    "no machine can carry out the shards: "
                    + "; ".join(f"{self.status.name_of(p)}: {r}" for p, r in excluded.items())
                )
        if self.status.is_complete:
            self._engine.forget()
        return self.status

    def _hand_out(self) -> None:
        for _ in range(min(self._engine.room(), len(self._waiting))):
            number = self._waiting.popleft()
            self._submissions[number] += 1
            job = self._job(number)
            self._flights[job.key] = _Flight(number)
            self._engine.submit(job)

    def _job(self, number: int) -> ShardJob:
        return self._packer.job(number, self._submissions[number], tuple(self._lately))

    def _take(self, event: Event) -> None:
        status = self.status
        match event:
            case PlaceExcluded(place, reason):
                status.excluded[place] = reason
                self._observer.excluded(status.name_of(place), reason)
            case JobStarted(key, place):
                flight = self._flights.get(key)
                if flight is not None and flight.place is None:
                    flight.place = place
                    status.machines.setdefault(place, MachineProgress()).running += 1
                    status.running += 1
            case JobLost(key, reason):
                flight = self._landed(key)
                if flight is not None:
                    status.lost += 1
                    self._losses[flight.number] += 1
                    self._again(flight.number, self._losses, _MOST_LOSSES, reason)
            case JobEnded(key, place, result):
                flight = self._landed(key)
                if flight is not None:
                    self._end(flight, place, result)
        self._estimate()
        self._observer.changed(status)

    def _landed(self, key: str) -> _Flight | None:
        """Forget a job that has ended; None if the coordinator did not wait for it."""
        flight = self._flights.pop(key, None)
        if flight is not None and flight.place is not None:
            self.status.running -= 1
            self.status.machines[flight.place].running -= 1
        return flight

    def _end(self, flight: _Flight, place: str, result: JobResult) -> None:
        status, number = self.status, flight.number
        status.hosts[place] = result.host
        match result.end:
            case JobEnd.COMPLETE:
                if self._is_wanted(place, result):
                    self._merge(number, place, result)
                else:
                    self._waiting.append(number)
            case JobEnd.REFUSED:
                self._engine.exclude(place, result.reason)
                self._waiting.appendleft(number)
            case JobEnd.STOPPED:
                self._waiting.appendleft(number)
            case JobEnd.FAILED:
                self._failures[number] += 1
                reason = f"{result.host}: {result.reason}"
                self._again(number, self._failures, _MOST_FAILURES, reason)

    def _is_wanted(self, place: str, result: JobResult) -> bool:
        """Whether a result is to be merged; reports machines that have changed."""
        if result.probe is None:
            return True
        for change in self._speed.changes(result.host, result.probe):
            self._collection.note_machine(change.host, change.what)
            self._observer.changed_machine(change)
        is_slower = self._speed.is_slower(result.host, result.probe)
        if not (self._repeats_slow and is_slower and self._engine.places() > 1):
            return True
        if place not in self.status.excluded:
            self._engine.exclude(place, "it has become slower")
        return False

    def _merge(self, number: int, place: str, result: JobResult) -> None:
        status = self.status
        try:
            added = self._collection.add(result.files)
        except RunError as error:  # what came back is damaged
            self._failures[number] += 1
            reason = f"{result.host}: {error}"
            self._again(number, self._failures, _MOST_FAILURES, reason)
            return
        self._lately.append(number)
        if added is None:
            status.left_out += 1
            return
        status.done += 1
        status.trials_done += self._plan.trials_of(number)
        machine = status.machines.setdefault(place, MachineProgress())
        machine.done += 1
        self._merged += 1
        self._merged_s += result.seconds

    def _again(self, number: int, counted: Counter[int], most: int, reason: str) -> None:
        """Hand the shard out again, or give it up after `most` attempts."""
        if counted[number] >= most:
            self.status.failed[number] = reason
        else:
            self._waiting.append(number)
            self._observer.lost(number, reason)

    def _estimate(self) -> None:
        """Expect that the rest takes as long as what was done, by as many as run now."""
        status = self.status
        if self._merged:
            left = status.waiting + status.running
            at_a_time = max(1, status.running)
            status.remaining_s = self._merged_s / self._merged * left / at_a_time


# A sweep on an engine: its plan, its folder, and the coordinator.


def run_on(
    sweep: Sweep,
    folder: Path,
    engine: Callable[[ShardPlan], Engine],
    *,
    sizes: ShardSizes | None = None,
    times: ExpectedTimes | None = None,
    observer: Observer | None = None,
    coordinator_observer: CoordinatorObserver | None = None,
    repeats_slow: bool = False,
) -> ClusterStatus:
    """Carry out `sweep` on an engine, and merge its shards into the run in `folder`.

    A run that was interrupted goes on with the shards that are missing.

    Args:
        sweep: what to run.
        folder: the folder of the run.
        engine: makes the engine for a plan.
        sizes: how the sweep is divided, unless the folder has its plan.
        times: times of earlier trials, for the expected times.
        observer: receives notices while the plan is made.
        coordinator_observer: receives the progress of the shards.
        repeats_slow: as `Coordinator` has it.

    Raises:
        InputError: a dataset, a backend, the folder or the engine cannot be used.
        StorageError: trials cannot be written; earlier trials are intact.
    """
    with ExitStack() as stack:
        stack.enter_context(_locked(folder))
        plan = _plan(sweep, folder, sizes or ShardSizes(), times, observer)
        if (folder / PLAN).exists():
            with closing(Collection(folder, plan.name)) as collection:
                status = ClusterStatus.of(plan, collection.merged)
            if status.is_complete:
                return status
        used = stack.enter_context(engine(plan))
        # Without an engine the folder gets no plan, so that another one can be made.
        run_files.write(folder / PLAN, msgspec.json.encode(plan.to_stored()) + b"\n")
        collection = stack.enter_context(closing(Collection(folder, plan.name, plan.specs)))
        add_sweep(sweep, folder / SWEEP)
        return Coordinator(
            plan, collection, used, coordinator_observer, repeats_slow=repeats_slow
        ).run()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    if (folder / STORE).exists() and not (folder / PLAN).exists():
        raise RunError(
            "has a run of one machine",
            where=str(folder),
            expected="another folder for a run on several machines",
        )
    with locked_run_folder(folder, fresh=False):
        yield


def _plan(
    sweep: Sweep,
    folder: Path,
    sizes: ShardSizes,
    times: ExpectedTimes | None,
    observer: Observer | None,
) -> ShardPlan:
    """The plan in the folder, or a new one."""
    data = run_files.read(folder / PLAN)
    if data is None:
        return shard_plan(sweep, folder, sizes, times=times, observer=observer)
    try:
        stored = msgspec.json.decode(data, type=StoredPlan)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RunError(f"not a plan of shards: {error}", where=str(folder / PLAN)) from None
    if sizes.number not in (None, len(stored.shards)):
        shards = number_of(len(stored.shards), "shard")
        raise RunError(
            f"has a plan of {shards}",
            where=str(folder),
            expected="this number of shards, or another folder",
        )
    return restored_plan(stored, sweep, folder, observer)
