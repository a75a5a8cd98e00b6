"""The engine of a Dask cluster: one shard at a time on each worker, results over the network.

The coordinator chooses the worker of each shard, so that Dask moves no shard while it is measured,
and a shard goes on where its folder is. A worker gets two shards ahead at most.
"""

import asyncio
import logging
import platform
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from time import monotonic, sleep
from typing import Any, Final, TypedDict

from distributed import Client, Future
from distributed.core import rpc

from harness.cluster.carrying import carry_out, forget, held
from harness.cluster.engine import (
    Engine,
    Event,
    JobEnd,
    JobEnded,
    JobLost,
    JobResult,
    JobStarted,
    PlaceExcluded,
    ShardJob,
)
from harness.contract.registry import DISTRIBUTION
from harness.errors import InputError
from harness.text import encodable

# What a Dask worker runs for the engine `dask`.


_ONE: Final = threading.Lock()
"""One shard at a time on a worker, however many threads it has."""


class Examined(TypedDict):
    """What a worker says about itself."""

    host: str
    held: list[int]
    """The numbers of the shards that have a folder on its machine."""


def examine(run: str) -> Examined:
    """What the coordinator needs to know of this worker before it gets shards."""
    return Examined(host=encodable(platform.node()), held=held(run))


def carry_out_encoded(data: bytes) -> bytes:
    """Carry out an encoded job; returns the encoded result."""
    with _ONE:
        return carry_out(ShardJob.decoded(data)).encoded()


# The engine of a Dask cluster: one shard at a time on each worker, results over the network.


_CONNECT_S: Final = 10.0
"""Seconds to wait for a scheduler at the start."""
_RECONNECT_S: Final = 600.0
"""Seconds to wait for a scheduler that was there before."""
_LOOK_S: Final = 1.0
"""Seconds between two looks at the list of workers."""
_POLL_S: Final = 0.05
_AHEAD: Final = 2
"""Jobs that a worker has at most: one that runs and one that waits."""
_PATIENCE_S: Final = 15.0
"""Seconds to wait for other workers if all are excluded."""
_FORGET_S: Final = 10.0
_LOGGERS: Final = ("distributed", "distributed.client", "distributed.comm", "distributed.core")


@dataclass
class _Worker:
    """A worker of the cluster."""

    address: str
    examination: Future[Any] | None
    """What has been submitted to examine it: whether it has the package, then `examine`."""
    has_package: bool = False
    host: str = ""
    held: set[int] = field(default_factory=set)
    keys: deque[str] = field(default_factory=deque)
    """The jobs that it has; the first one runs."""

    @property
    def is_accepted(self) -> bool:
        return self.examination is None


class DaskEngine(Engine):
    """Carries out jobs on the workers of a Dask cluster.

    Args:
        address: the address of the scheduler, ``tcp://HOST:PORT``.
        run: the name of the run.
        notice: called with a line when the scheduler or all workers are lost, and when workers
            are found again.

    Raises:
        InputError: no scheduler answers at the address.
    """

    def __init__(
        self, address: str, run: str, notice: Callable[[str], None] = lambda _: None
    ) -> None:
        self._address = address
        self._run = run
        self._notice = notice
        self._workers: dict[str, _Worker] = {}
        self._excluded: set[str] = set()
        self._futures: dict[str, tuple[Future[Any], str]] = {}
        self._events: deque[Event] = deque()
        self._has_workers = True
        self._had_good = False
        """Whether a worker has completed a shard."""
        self._dropped_at = float("-inf")
        self._looked_at = float("-inf")
        for name in _LOGGERS:  # they would show a traceback for each lost connection
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._client = self._connected(_CONNECT_S)

    def room(self) -> int:
        """Two jobs for each worker, less those that it has."""
        return sum(_AHEAD - len(w.keys) for w in self._workers.values() if w.is_accepted)

    def places(self) -> int:
        """The workers that are not excluded, and one that may come.

        If none has ended a shard, some are excluded and no other has come for a while, none will.
        """
        is_over = monotonic() > self._dropped_at + _PATIENCE_S
        may_come = self._had_good or not self._excluded or not is_over
        return len(self._workers) + may_come

    def submit(self, job: ShardJob) -> None:
        """Hand over a job to a worker with a free place, if possible where its folder is."""
        free = [w for w in self._workers.values() if w.is_accepted and len(w.keys) < _AHEAD]
        worker = min(free, key=lambda w: (job.number not in w.held, len(w.keys), w.address))
        future = self._submitted(worker.address, carry_out_encoded, job.encoded(), job.key)
        self._futures[job.key] = (future, worker.address)
        worker.keys.append(job.key)
        if len(worker.keys) == 1:
            self._events.append(JobStarted(job.key, worker.address))

    def exclude(self, place: str, reason: str) -> None:
        """Give this worker no further jobs."""
        self._excluded.add(place)
        self._drop(place, f"{self._name(place)} gets no shards")
        self._events.append(PlaceExcluded(place, reason))

    def events(self, timeout_s: float) -> Sequence[Event]:
        """What has happened since the last call."""
        deadline = monotonic() + timeout_s
        while True:
            self._look()
            self._collect()
            if self._events or monotonic() > deadline:
                found = list(self._events)
                self._events.clear()
                return found
            sleep(_POLL_S)

    def close(self) -> None:
        """Let the cluster forget all jobs; shards that run there end by themselves."""
        for future, _ in self._futures.values():
            future.cancel()
        self._client.close()

    def forget(self) -> None:
        """Remove the folders of all shards from the machines of the workers."""
        addresses = [w.address for w in self._workers.values() if w.is_accepted]
        futures = [self._submitted(address, forget, self._run) for address in addresses]
        deadline = monotonic() + _FORGET_S
        while monotonic() < deadline and not all(future.done() for future in futures):
            sleep(_POLL_S)

    def _connected(self, patience_s: float) -> Client:
        deadline = monotonic() + patience_s
        while True:
            try:
                asyncio.run(asyncio.wait_for(_identity(self._address), _CONNECT_S + 1))
                return Client(self._address, timeout=_CONNECT_S, set_as_default=False)
            except (OSError, TimeoutError, ValueError) as error:
                if monotonic() > deadline:
                    what = str(error) or f"none within {_CONNECT_S:.0f} s"
                    raise InputError(
                        f"no scheduler answers: {what}",
                        where=self._address,
                        expected="the address that dask scheduler shows",
                    ) from None
                sleep(1.0)

    def _look(self) -> None:
        """Compare the list of workers with the known ones, once a second."""
        if monotonic() < self._looked_at + _LOOK_S:
            return
        self._looked_at = monotonic()
        if self._client.status != "running":
            self._reconnect()
        try:
            present = set(self._client.scheduler_info()["workers"])
        except (OSError, KeyError, TypeError):
            self._reconnect()
            return
        if bool(present) != self._has_workers:
            self._has_workers = bool(present)
            what = "the cluster has workers" if present else "the cluster has no workers; waiting"
            self._notice(what)
        for address in self._workers.keys() - present:
            self._drop(address, f"{self._name(address)} has left the cluster")
        for address in present - self._workers.keys() - self._excluded:
            # A worker without the package would end if it got a function of it.
            found = self._submitted(address, version, DISTRIBUTION)
            self._workers[address] = _Worker(address, found)

    def _submitted(
        self,
        address: str,
        function: Callable[..., object],
        argument: object,
        key: str | None = None,
    ) -> Future[Any]:
        """Call a function on this worker and no other one."""
        return self._client.submit(
            function, argument, key=key, workers=[address], allow_other_workers=False, pure=False
        )

    def _reconnect(self) -> None:
        """Connect again; whatever the old scheduler had is lost."""
        self._notice(f"the scheduler at {self._address} does not answer; waiting for it")
        for address in list(self._workers):
            self._drop(address, "the scheduler has ended")
        self._client.close(timeout=1)
        self._client = self._connected(_RECONNECT_S)
        self._looked_at = float("-inf")

    def _drop(self, address: str, reason: str) -> None:
        """Forget a worker; its jobs are lost."""
        worker = self._workers.pop(address, None)
        self._dropped_at = monotonic()
        for key in worker.keys if worker else ():
            future, _ = self._futures.pop(key)
            future.release()
            self._events.append(JobLost(key, reason))

    def _collect(self) -> None:
        """Take the results of what has ended."""
        for worker in list(self._workers.values()):
            if worker.examination is not None and worker.examination.done():
                self._examined(worker, worker.examination)
        for key, (future, address) in list(self._futures.items()):
            if future.status != "pending":
                self._finished(key, future, address)

    def _examined(self, worker: _Worker, future: Future[Any]) -> None:
        if future.status == "finished":
            found = future.result()
            if worker.has_package:
                worker.host, worker.held = found["host"], set(found["held"])
                worker.examination = None
            else:
                worker.has_package = True
                worker.examination = self._submitted(worker.address, examine, self._run)
            return
        error = _error(future)
        if isinstance(error, ModuleNotFoundError):
            what = f"has no package {error.name}; pip install {DISTRIBUTION}"
        else:
            what = f"cannot be examined: {type(error).__name__}: {error}"
        self.exclude(worker.address, what)

    def _finished(self, key: str, future: Future[Any], address: str) -> None:
        del self._futures[key]
        worker = self._workers.get(address)
        if worker is not None:
            worker.keys.remove(key)
            if worker.keys:
                self._events.append(JobStarted(worker.keys[0], address))
        if future.status == "finished":
            result = JobResult.decoded(future.result())
            self._had_good |= result.end is JobEnd.COMPLETE
            self._events.append(JobEnded(key, address, result))
        else:
            error = _error(future)
            self._events.append(JobLost(key, f"{self._name(address)}: {error or future.status}"))
        future.release()

    def _name(self, address: str) -> str:
        worker = self._workers.get(address)
        return f"{worker.host} ({address})" if worker and worker.host else address


async def _identity(address: str) -> None:
    """Get the identity of a scheduler.

    A client alone would wait for ever for a server that accepts connections and says nothing.

    Raises:
        OSError, ValueError: no scheduler answers at this address.
    """
    scheduler = rpc(address, timeout=_CONNECT_S)
    try:
        if (await scheduler.identity())["type"] != "Scheduler":
            raise ValueError("another server than a scheduler")
    except (KeyError, TypeError, EOFError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None
    finally:
        await scheduler.close_rpc()


def _error(future: Future[Any]) -> Any:
    """The exception of a task that failed; None for one that was cancelled."""
    return future.exception() if future.status == "error" else None
