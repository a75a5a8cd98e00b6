"""Engines, which carry out shards somewhere; the jobs that they get and the results they give."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence, Set
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from enum import StrEnum
from typing import Self

import msgspec
from msgspec import Struct

# Jobs: what is sent to a machine for a shard, and what comes back.


Files = dict[str, bytes]
"""The contents of files by name; names are relative to the folder of the job or its run."""


class _Message(Struct, frozen=True, kw_only=True):
    """A message between the coordinator and a machine."""

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
    shard_file: str
    """The name of the shard's sweep file among `files`."""
    files: Files


class JobEnd(StrEnum):
    """How a job ended."""

    COMPLETE = "complete"
    REFUSED = "refused"
    """The software or the puzzles of the machine differ from the plan; it measured nothing."""
    FAILED = "failed"
    STOPPED = "stopped"
    """The engine stopped it, or the engine itself ended."""


class JobResult(_Message, frozen=True, kw_only=True):
    """The result of a job on a machine."""

    number: int
    """The number of the shard."""
    host: str
    """The name of the machine; empty if the engine does not know it."""
    end: JobEnd
    reason: str = ""
    """Why the job is not complete."""
    files: Files = {}
    """The files of its run, if the job is complete."""


# Engines, which carry out jobs somewhere.


NextJob = Callable[[], ShardJob | None]
"""Returns the next job; None if none is waiting now."""


class Engine(ABC):
    """Carries out jobs; `close` releases the machines.

    An engine may run a job twice or lose it: the coordinator merges each shard once.
    """

    adopted: Set[int] = frozenset()
    """The numbers of the shards that it still has from an earlier coordinator."""

    def __init__(self) -> None:
        self.refused: dict[str, str] = {}
        """The places that get no jobs, by name, with the reason."""

    @abstractmethod
    def results(self, next_job: NextJob) -> Generator[JobResult]:
        """Carry out jobs until none is left, and yield their results as they arrive.

        The engine takes a job whenever a place is free, and requests further jobs after each
        result. It ends early if no place can carry out jobs.
        """

    def note(self, place: str, result: JobResult) -> None:
        """Give a place no further jobs if its result is a refusal."""
        if result.end is JobEnd.REFUSED:
            self.refused.setdefault(place, result.reason)

    @abstractmethod
    def forget(self) -> None:
        """Remove what the machines keep for the shards, once all are merged."""

    def close(self) -> None:  # noqa: B027  most engines have nothing to release
        """Release the machines."""


class ThreadedEngine(Engine):
    """An engine with a thread for each place; a subclass adds `carry_out`.

    Args:
        places: the names of the places; a name may occur several times.
    """

    def __init__(self, places: Sequence[str]) -> None:
        super().__init__()
        self._free = list(places)
        self._over = threading.Event()

    @abstractmethod
    def carry_out(self, place: str, job: ShardJob) -> JobResult:
        """Carry out a job at a place, and wait for its end; check `is_over` now and then."""

    def is_over(self) -> bool:
        """Whether jobs are to stop."""
        return self._over.is_set()

    def results(self, next_job: NextJob) -> Generator[JobResult]:
        """Carry out one job at a time at each place."""
        jobs: dict[Future[JobResult], str] = {}
        with ThreadPoolExecutor(len(self._free)) as threads:
            try:
                while True:
                    while self._free and (job := next_job()):
                        place = self._free.pop(0)
                        jobs[threads.submit(self._carry_out, place, job)] = place
                    if not jobs:
                        return
                    for future in wait(jobs, return_when=FIRST_COMPLETED).done:
                        place, result = jobs.pop(future), future.result()
                        self.note(place, result)
                        if place not in self.refused:
                            self._free.append(place)
                        yield result
            finally:
                self._over.set()

    def _carry_out(self, place: str, job: ShardJob) -> JobResult:
        try:
            return self.carry_out(place, job)
        except Exception as error:  # noqa: BLE001  an adapter may raise anything
            reason = f"{type(error).__name__}: {error}"
            return JobResult(number=job.number, host=place, end=JobEnd.FAILED, reason=reason)
