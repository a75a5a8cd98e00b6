"""The coordinator: hands out the shards of a plan and merges what comes back, each shard once."""

from collections import Counter, deque
from collections.abc import Set
from dataclasses import dataclass, field
from typing import Final

from harness.errors import InputError, RunError
from harness.experiment.cluster.engine import Ended, Engine, Event, Excluded, Lost, Started
from harness.experiment.cluster.job import Carried, End, ShardJob
from harness.experiment.cluster.machine_speed import Change, MachineSpeed
from harness.experiment.cluster.packing import Packer
from harness.experiment.sharding.plan import ShardPlan
from harness.records.collecting import Collection

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
class Status:
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
    def of(plan: ShardPlan, merged: Set[int]) -> "Status":
        """The status of a plan, with the numbers of its merged shards."""
        trials = sum(map(plan.trials_of, merged))
        return Status(plan.number, plan.trials, trials, trials, done=len(merged))

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

    def changed(self, status: Status) -> None:
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
        self.status = Status.of(plan, merged)
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

    def run(self) -> Status:
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
            case Excluded(place, reason):
                status.excluded[place] = reason
                self._observer.excluded(status.name_of(place), reason)
            case Started(key, place):
                flight = self._flights.get(key)
                if flight is not None and flight.place is None:
                    flight.place = place
                    status.machines.setdefault(place, MachineProgress()).running += 1
                    status.running += 1
            case Lost(key, reason):
                flight = self._landed(key)
                if flight is not None:
                    status.lost += 1
                    self._losses[flight.number] += 1
                    self._again(flight.number, self._losses, _MOST_LOSSES, reason)
            case Ended(key, place, result):
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

    def _end(self, flight: _Flight, place: str, result: Carried) -> None:
        status, number = self.status, flight.number
        status.hosts[place] = result.host
        match result.end:
            case End.COMPLETE:
                if self._is_wanted(place, result):
                    self._merge(number, place, result)
                else:
                    self._waiting.append(number)
            case End.REFUSED:
                self._engine.exclude(place, result.reason)
                self._waiting.appendleft(number)
            case End.STOPPED:
                self._waiting.appendleft(number)
            case End.FAILED:
                self._failures[number] += 1
                reason = f"{result.host}: {result.reason}"
                self._again(number, self._failures, _MOST_FAILURES, reason)

    def _is_wanted(self, place: str, result: Carried) -> bool:
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

    def _merge(self, number: int, place: str, result: Carried) -> None:
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
