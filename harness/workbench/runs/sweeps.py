"""The sweeps that this workbench runs, one after the other.

A sweep is a process of its own. Its folder has all that it needs, so a sweep that was stopped is
continued by the same command.
"""

import asyncio
import os
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import time
from typing import Final, Literal

from msgspec import Struct

from harness.errors import InputError
from harness.records.settings import FILE as SWEEP
from harness.text import printable
from harness.workbench.child import send_signal
from harness.workbench.hub import Hub
from harness.workbench.runs.cores import Cores

TOPIC: Final = "sweep"
MOST_WAITING: Final = 100
"""Sweeps in the queue."""
_MOST_KEPT: Final = 50
"""Sweeps that have ended, whose output can be read."""
_MOST_LINES: Final = 200
_LONGEST_LINE: Final = 500
_SECOND_SIGNAL_S: Final = 10.0
"""Seconds until a sweep that was stopped gets SIGTERM, and again until SIGKILL."""

JobState = Literal["waiting", "running", "stopping", "ended"]


class SweepJob(Struct):
    """A sweep of this workbench."""

    run: str
    """The name of its run."""
    state: JobState = "waiting"
    cores: list[int] = []
    """The cores on which it measures."""
    code: int | None = None
    """Its exit code; negative for a signal; None if it has not ended, or has not begun."""
    output: list[str] = []
    """The last lines of its output."""
    began_at: float | None = None
    """In seconds since 1970."""
    ended_at: float | None = None


class Sweeps:
    """The queue of sweeps.

    Args:
        hub: gets what changes.
        results: the folder of runs.
        cores: the cores of the machine.
        before: called with the cores of a sweep before it begins.
        changed: called after a sweep began or ended.
    """

    def __init__(
        self,
        hub: Hub,
        results: Path,
        cores: Cores,
        *,
        before: Callable[[Sequence[int]], Awaitable[None]],
        changed: Callable[[], None],
    ) -> None:
        self._hub, self._results, self._cores = hub, results, cores
        self._before, self._changed = before, changed
        self._waiting: deque[SweepJob] = deque()
        self._ended: deque[SweepJob] = deque(maxlen=_MOST_KEPT)
        self._process: asyncio.subprocess.Process | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False
        self.running: SweepJob | None = None

    @property
    def jobs(self) -> list[SweepJob]:
        """The sweeps: those that ended, the running one, those that wait."""
        running = [self.running] if self.running else []
        return [*self._ended, *running, *self._waiting]

    @property
    def pid(self) -> int | None:
        """The process of the running sweep."""
        return self._process.pid if self._process else None

    def job_of(self, run: str) -> SweepJob | None:
        """The sweep of a run that waits or runs."""
        return next((of for of in self.jobs if of.run == run and of.state != "ended"), None)

    @property
    def queued(self) -> set[str]:
        """The names of the runs whose sweeps wait or run."""
        return {of.run for of in self.jobs if of.state != "ended"}

    def require_room(self) -> None:
        """Require that the queue has room.

        Raises:
            InputError: it has none.
        """
        if len(self._waiting) >= MOST_WAITING:
            raise InputError(f"{MOST_WAITING} sweeps wait", expected="the end of one")

    def add(self, run: str, jobs: int) -> SweepJob:
        """Put the sweep of a run into the queue.

        Args:
            run: the name of the run, whose folder has the sweep.
            jobs: its number of trials at the same time.

        Raises:
            InputError: it is in the queue, or the queue has no room.
        """
        self.require_room()
        if self.job_of(run):
            raise InputError(f"the sweep {run} waits or runs already", expected="its end")
        for job in [of for of in self._ended if of.run == run]:
            self._ended.remove(job)
        job = SweepJob(run, cores=self._cores.of_sweep(jobs))
        self._waiting.append(job)
        self._publish(job)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run_all())
        return job

    def stop(self, run: str) -> SweepJob:
        """Stop a sweep: its finished trials stay.

        Raises:
            InputError: no sweep of this run waits or runs here.
        """
        job = self.job_of(run)
        if job is None:
            raise InputError(
                "no sweep of this run waits or runs in this workbench",
                expected="one that it started; stop another one where it was started",
            )
        if job is self.running:
            if self._stopping is None:
                job.state = "stopping"
                self._stopping = asyncio.create_task(self._stop())
        else:
            self._waiting.remove(job)
            job.state = "ended"
            self._ended.append(job)
        self._publish(job)
        return job

    async def close(self) -> None:
        """Stop the running sweep, and drop those that wait."""
        self._is_closed = True
        self._waiting.clear()
        if self.running and self._stopping is None:
            self._stopping = asyncio.create_task(self._stop())
        if self._task is not None:
            await self._task

    async def _run_all(self) -> None:
        while self._waiting and not self._is_closed:
            job = self.running = self._waiting.popleft()
            self._changed()
            try:
                await self._before(job.cores)
                await self._run(job)
            except OSError as error:
                job.output.append(f"the process cannot be started: {error.strerror}")
            finally:
                if self._stopping is not None:
                    self._stopping.cancel()
                    with suppress(asyncio.CancelledError):
                        await self._stopping
                self._process = self._stopping = self.running = None
                job.state, job.ended_at = "ended", time()
                self._ended.append(job)
                self._changed()
                self._publish(job)

    async def _run(self, job: SweepJob) -> None:
        if job.state == "stopping" or self._is_closed:
            return
        folder = self._results / job.run
        cores = ",".join(map(str, self._cores.all))
        words = ["run", str(folder / SWEEP), "--out", str(folder)]
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "harness.workbench.runs.launcher"),
            *(str(os.getpid()), cores, *words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for the server, which ends the process
        )
        job.state, job.began_at = ("stopping" if self._stopping else "running"), time()
        self._publish(job)
        assert self._process.stdout is not None
        async for line in _lines(self._process.stdout):
            job.output.append(line)
            del job.output[:-_MOST_LINES]
            self._publish(job)
        job.code = await self._process.wait()

    async def _stop(self) -> None:
        """End the running process: in order, then by force."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            while self._process is None:
                await asyncio.sleep(0.02)  # it is just being started
            send_signal(self._process, number)
            await asyncio.sleep(_SECOND_SIGNAL_S)

    def _publish(self, job: SweepJob) -> None:
        self._hub.publish(TOPIC, job)


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[str]:
    """The lines of a process, printable and shortened, also where a line has no end."""
    left = b""
    while part := await stream.read(2**14):
        *lines, left = (left + part).split(b"\n")
        for line in lines:
            yield _shown(line)
        left = left[-(2**14) :]
    if left:
        yield _shown(left)


def _shown(line: bytes) -> str:
    return printable(line.decode(errors="replace").rstrip())[:_LONGEST_LINE]
