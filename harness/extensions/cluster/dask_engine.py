"""The engine of a Dask cluster: Dask places shards on its workers, and notices when one is lost."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Generator, Iterable, Set
from contextlib import suppress
from importlib.metadata import version
from time import monotonic, sleep
from typing import Any, Final

from distributed import Client, Future, get_worker, wait
from distributed.core import rpc

from harness.base.errors import InputError
from harness.base.plugins import DISTRIBUTION
from harness.extensions.cluster.carrying import carry_out, forget
from harness.extensions.cluster.engine import Engine, JobEnd, JobResult, NextJob, ShardJob

_CONNECT_S: Final = 10.0
"""Seconds to wait for a scheduler at the start."""
_RECONNECT_S: Final = 600.0
"""Seconds to wait for a scheduler that has answered before."""
_LOOK_S: Final = 1.0
"""Seconds between two checks of the list of workers."""
_POLL_S: Final = 0.05
_PATIENCE_S: Final = 15.0
"""Seconds without a worker that accepts shards, after which a notice reports that, and the command
ends if workers have refused them."""
_RESULT_S: Final = 60.0
"""Seconds within which a result must arrive; its worker may just have ended."""


class DaskEngine(Engine):
    """Carries out jobs on the workers of a Dask cluster.

    Args:
        address: the address of the scheduler, ``tcp://HOST:PORT``.
        run: the name of the run.
        notice: called with a line when the scheduler or all workers are lost.

    Raises:
        InputError: no scheduler answers at the address.
    """

    def __init__(
        self, address: str, run: str, notice: Callable[[str], None] = lambda _: None
    ) -> None:
        super().__init__()
        self._address, self._run, self._notice = address, run, notice
        self._examined: dict[str, Future[str]] = {}
        """The version of the harness on each worker, by address."""
        for name in ("", ".client", ".comm", ".core"):
            # At a lower level, these loggers show a traceback for each lost connection.
            logging.getLogger(f"distributed{name}").setLevel(logging.CRITICAL)
        _require_scheduler(address)
        self._client = Client(address, timeout=_RECONNECT_S, set_as_default=False)

    def results(self, next_job: NextJob) -> Generator[JobResult]:
        """Carry out as many jobs at a time on each worker as it has threads; more wait there."""
        jobs: dict[Future[Any], tuple[ShardJob, Set[str]]] = {}
        """The jobs that Dask has, with the addresses of the workers on which each may run."""
        returning: deque[ShardJob] = deque()
        had_workers_s, is_noticed = monotonic(), False
        while True:
            self._require_connection()
            workers = self._workers()
            if workers:
                had_workers_s, is_noticed = monotonic(), False
            lacks_workers = monotonic() > had_workers_s + _PATIENCE_S
            if lacks_workers and not is_noticed:
                is_noticed = True
                self._notice("the cluster has no workers for shards; waiting")
            for future, (job, addresses) in list(jobs.items()):
                # Dask keeps a job without a worker forever, and forgets all jobs if it ends.
                if future.status == "cancelled" or addresses.isdisjoint(workers):
                    future.cancel()
                    del jobs[future]
                    returning.append(job)
            while len(jobs) < 2 * sum(workers.values()):  # each thread runs one, and one waits
                if (new := returning.popleft() if returning else next_job()) is None:
                    break
                future = self._submit(workers, _carry_out, new)
                jobs[future] = new, workers.keys()
            if not jobs and not returning and (workers or (lacks_workers and self.refused)):
                return
            look_s = monotonic() + _LOOK_S
            while monotonic() < look_s and not any(future.done() for future in jobs):
                sleep(_POLL_S)
            for future in [future for future in jobs if future.status in ("finished", "error")]:
                yield self._result(future, jobs.pop(future)[0])

    def forget(self) -> None:
        """Remove the folders of all shards from the machines of the workers."""
        futures = [self._submit([worker], forget, self._run) for worker in self._workers()]
        with self._client.as_current(), suppress(TimeoutError, asyncio.CancelledError):
            wait(futures, timeout=10)

    def close(self) -> None:
        """Disconnect, so that the cluster forgets all jobs; running shards end on their own."""
        self._client.close()

    def _require_connection(self) -> None:
        """Wait while the client connects again to a scheduler that does not answer.

        Raises:
            InputError: the client has given up.
        """
        if self._client.status == "connecting":
            self._notice(f"the scheduler at {self._address} does not answer; waiting for it")
        while self._client.status == "connecting":
            sleep(_POLL_S)
        if self._client.status != "running":
            raise InputError(
                "the scheduler has ended",
                where=self._address,
                expected="another scheduler there; the same command then continues",
            )

    def _workers(self) -> dict[str, int]:
        """The addresses of the workers that can carry out shards, with their threads."""
        present = self._client.scheduler_info()["workers"]
        for address in present:
            future = self._examined.get(address)
            if future is None or future.status == "cancelled":
                # A worker without this package would crash on a function of the package.
                self._examined[address] = self._submit([address], version, DISTRIBUTION)
            elif future.status == "error" and address not in self.refused:
                self.refused[address] = f"has no package {DISTRIBUTION}; pip install {DISTRIBUTION}"
        return {
            address: worker["nthreads"]
            for address, worker in present.items()
            if self._examined[address].status == "finished" and address not in self.refused
        }

    def _submit(
        self, workers: Iterable[str], function: Callable[..., object], argument: object
    ) -> Future[Any]:
        """Call a function on one of these workers."""
        return self._client.submit(function, argument, workers=list(workers), pure=False)

    def _result(self, future: Future[tuple[str, JobResult]], job: ShardJob) -> JobResult:
        """The result of a job that has ended."""
        result: JobResult
        try:
            address, result = future.result(timeout=_RESULT_S)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001  Dask raises any
            reason = f"{type(error).__name__}: {error}"
            return JobResult(number=job.number, host="", end=JobEnd.FAILED, reason=reason)
        self.note(address, result)
        return result


def _carry_out(job: ShardJob) -> tuple[str, JobResult]:
    """Carry out a job on a worker; return the worker's address, and the result."""
    return get_worker().address, carry_out(job)


def _require_scheduler(address: str) -> None:
    """Require that a scheduler answers at this address.

    A client alone would wait forever for a server that accepts connections but sends nothing.

    Raises:
        InputError: no scheduler answers.
    """

    async def type_of_server() -> object:
        server = rpc(address, timeout=_CONNECT_S)
        try:
            return (await server.identity()).get("type")
        finally:
            await server.close_rpc()

    try:
        server_type = asyncio.run(asyncio.wait_for(type_of_server(), _CONNECT_S + 1))
        reason = "" if server_type == "Scheduler" else "the server is not a scheduler"
    except (OSError, TimeoutError, ValueError, EOFError, TypeError) as error:
        reason = str(error) or f"no answer within {_CONNECT_S:.0f} s"
    if reason:
        raise InputError(
            f"no scheduler answers: {reason}",
            where=address,
            expected="the address that dask scheduler shows",
        )
