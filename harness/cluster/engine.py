"""Engines: what carries out jobs somewhere, jobs, and probes of cores.

The probe is a fixed computation, many times, by the clock on the wall: a lower frequency, a busy
neighbour and a quota of CPU time all show in it.
"""

import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, median, quantiles
from time import monotonic, perf_counter
from typing import Final, Self

import msgspec
from msgspec import Struct

from harness.engine.system.kernel import confine, usable_cores

# A probe of the cores of a shard before its trials: how fast they are now, and how steady.


_BLOCKS: Final = 5
_TIMES: Final = 50
"""Computations in each block: a quota stops a process once in 0.1 s, so each block shows it, and
a single disturbance affects one block only."""
_STEPS: Final = 15_000
"""Enough for a millisecond, so that the probe of a core takes a quarter of a second."""


class Probe(Struct, frozen=True):
    """What a probe measured, on the slowest and the noisiest core."""

    seconds: float
    """The time of the computation in seconds: the mean of a block, the median of all blocks."""
    spread: float
    """The ninth decile of its times over their median."""


def probe(cores: Sequence[int] = ()) -> Probe:
    """Probe these cores one after the other; without any, wherever this thread runs."""
    usable = usable_cores()
    try:
        found = [_probe_of(core) for core in cores] or [_probed()]
    finally:
        confine(usable)
    return Probe(max(p.seconds for p in found), max(p.spread for p in found))


def _probe_of(core: int) -> Probe:
    confine([core])
    return _probed()


def _probed() -> Probe:
    blocks = [[_time() for _ in range(_TIMES)] for _ in range(_BLOCKS)]
    times = [time for block in blocks for time in block]
    return Probe(median(map(fmean, blocks)), quantiles(times, n=10)[-1] / median(times))


def _time() -> float:
    """The wall time of the computation in seconds."""
    began = perf_counter()
    total = 0
    for n in range(_STEPS):
        total = (total + n * n) % 1009
    return perf_counter() - began


# Jobs: what is sent to a machine for a shard, and what comes back.


Files = dict[str, bytes]
"""The contents of files by their names, which are relative to a folder of their own."""


class _Message(Struct, frozen=True, kw_only=True):
    """What goes between the coordinator and a machine."""

    def encoded(self) -> bytes:
        """The message as bytes."""
        return msgspec.msgpack.encode(self)

    @classmethod
    def decoded(cls, data: bytes) -> Self:
        """The message that `encoded` made."""
        return msgspec.msgpack.decode(data, type=cls)


class ShardJob(_Message, frozen=True, kw_only=True):
    """A shard with all the files that a machine needs to carry it out."""

    run: str
    """The name of the run, from its plan."""
    number: int
    """The number of the shard."""
    submission: int
    """How often the shard has been handed out, this time included."""
    shard_file: str
    """The name of the shard's sweep file among `files`."""
    files: Files
    expected_s: float | None
    """Seconds that the shard is expected to take; None if unknown."""
    cores: int
    """Trials that run at the same time."""
    merged: tuple[int, ...] = ()
    """Shards of the plan that need no folder any longer."""

    @property
    def key(self) -> str:
        """A name that no other job has."""
        return f"{self.run}-{self.number:04d}-{self.submission}"


class JobEnd(StrEnum):
    """How a job ended."""

    COMPLETE = "complete"
    REFUSED = "refused"
    """The machine has other software or other puzzles than the plan; it measured nothing."""
    FAILED = "failed"
    STOPPED = "stopped"
    """The engine stopped it, or ended itself."""


class JobResult(_Message, frozen=True, kw_only=True):
    """What a machine made of a job."""

    number: int
    host: str
    end: JobEnd
    reason: str = ""
    """Why it is not complete."""
    files: Files = {}
    """The files of its run, if it is complete."""
    seconds: float = 0.0
    """Wall time on the machine, in seconds."""
    probe: Probe | None = None
    """The speed of the machine before the shard; None if it measured nothing."""


# Engines: what carries out jobs somewhere.


@dataclass(frozen=True, slots=True)
class JobStarted:
    """A job has begun somewhere."""

    key: str
    place: str
    """The name of a worker: an address or a host."""


@dataclass(frozen=True, slots=True)
class JobEnded:
    """A job has ended; its result says how."""

    key: str
    place: str
    result: JobResult


@dataclass(frozen=True, slots=True)
class JobLost:
    """The engine does not know what became of a job, as when its machine has stopped."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class PlaceExcluded:
    """A place cannot carry out jobs of this plan, and gets none."""

    place: str
    reason: str


Event = JobStarted | JobEnded | JobLost | PlaceExcluded


class Engine(ABC):
    """Carries out jobs; use it as a context manager.

    An engine may run a job twice or lose it: the coordinator merges each shard once.
    """

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @abstractmethod
    def room(self) -> int:
        """The number of further jobs that the engine takes now."""

    @abstractmethod
    def submit(self, job: ShardJob) -> None:
        """Hand over a job; its key is new."""

    @abstractmethod
    def events(self, timeout_s: float) -> Sequence[Event]:
        """What has happened since the last call; waits up to `timeout_s` seconds for it."""

    @abstractmethod
    def exclude(self, place: str, reason: str) -> None:
        """Give this place no further jobs."""

    def adopted(self) -> Mapping[str, int]:
        """The shards that the engine has from an earlier coordinator: numbers by key."""
        return {}

    @abstractmethod
    def places(self) -> int:
        """The number of places that can carry out jobs."""

    @abstractmethod
    def forget(self) -> None:
        """Remove what the machines keep of the shards; all are merged."""

    @abstractmethod
    def close(self) -> None:
        """Stop what still runs, and wait for its end."""


class ThreadedEngine(Engine):
    """An engine with a thread for each place; `carry_out` is all that it lacks.

    Args:
        places: the names of the places; one may occur several times.
    """

    def __init__(self, places: Sequence[str]) -> None:
        self._jobs: queue.SimpleQueue[ShardJob] = queue.SimpleQueue()
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._over = threading.Event()
        self._excluded: set[str] = set()
        self._waiting = 0
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._serve, args=(place,)) for place in places]
        self._living = len(self._threads)
        for thread in self._threads:
            thread.start()

    @abstractmethod
    def carry_out(self, place: str, job: ShardJob) -> JobResult:
        """Carry out a job at a place, and wait for its end; ask `is_over` now and then."""

    def is_over(self) -> bool:
        """Whether jobs are to stop."""
        return self._over.is_set()

    def room(self) -> int:
        """One job for each free place."""
        with self._lock:
            return max(0, self._living - self._waiting)

    def places(self) -> int:
        """The places that are not excluded."""
        with self._lock:
            return self._living

    def submit(self, job: ShardJob) -> None:
        """Hand over a job to the next free place."""
        with self._lock:
            self._waiting += 1
        self._jobs.put(job)

    def exclude(self, place: str, reason: str) -> None:
        """Give this place no further jobs."""
        self._excluded.add(place)
        self._events.put(PlaceExcluded(place, reason))

    def events(self, timeout_s: float) -> Sequence[Event]:
        """What has happened since the last call."""
        found: list[Event] = []
        deadline = monotonic() + timeout_s
        while True:
            try:
                wait_s = 0.0 if found else max(0.0, deadline - monotonic())
                found.append(self._events.get(timeout=wait_s or 0.001))
            except queue.Empty:
                return found

    def close(self) -> None:
        """Stop the jobs, and wait for their threads."""
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _serve(self, place: str) -> None:
        """Carry out jobs at a place until the end."""
        while not self.is_over() and place not in self._excluded:
            try:
                job = self._jobs.get(timeout=0.1)
            except queue.Empty:
                continue
            self._events.put(JobStarted(job.key, place))
            try:
                result = self.carry_out(place, job)
            except Exception as error:  # noqa: BLE001  an adapter may raise anything
                self._events.put(JobLost(job.key, f"{place}: {type(error).__name__}: {error}"))
            else:
                self._events.put(JobEnded(job.key, place, result))
            with self._lock:
                self._waiting -= 1
        with self._lock:
            self._living -= 1
