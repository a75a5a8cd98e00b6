"""Work that a page starts, which takes a while and can be cancelled."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, Literal
from uuid import uuid4

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from harness.errors import HarnessError, InputError
from harness.workbench.hub import Hub
from harness.workbench.replies import reply
from harness.workbench.sentences import sentence

TOPIC: Final = "job"
_MOST_AT_ONCE: Final = 4
_MOST_WAITING: Final = 100
_MOST_KEPT: Final = 200

Report = Callable[[Any], None]
"""Publishes a part of a result."""
Work = Callable[[Report], Awaitable[None]]
"""Does the work."""


_State = Literal["waiting", "running", "done", "failed", "cancelled"]


class JobState(Struct):
    """What is known of a job."""

    job: str
    state: _State
    parts: list[Any] = []
    """The parts of its result."""
    error: str = ""


class JobEvent(Struct, frozen=True):
    """A change of a job."""

    job: str
    state: _State
    part: Any = None
    """The new part of its result, if there is one."""
    error: str = ""


class Jobs:
    """The jobs of all pages; a few run at once."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._states: dict[str, JobState] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._running = asyncio.Semaphore(_MOST_AT_ONCE)

    def start(self, work: Work, ended: Callable[[], None] = lambda: None) -> JobState:
        """Start a job; `ended` is called at its end, however it ends.

        Raises:
            InputError: too many wait already.
        """
        if len(self._tasks) >= _MOST_WAITING:
            raise InputError(f"{_MOST_WAITING} jobs wait", expected="the end of some of them")
        name = uuid4().hex[:12]
        state = self._states[name] = JobState(name, "waiting")
        while len(self._states) > _MOST_KEPT:
            finished = [of for of in self._states if of not in self._tasks]
            del self._states[finished[0]]
        task = asyncio.create_task(self._run(state, work))
        self._tasks[name] = task
        task.add_done_callback(lambda _: self._tasks.pop(name, None))
        task.add_done_callback(lambda _: ended())
        return state

    def state(self, name: str) -> JobState:
        """What is known of a job.

        Raises:
            InputError: there is no such job.
        """
        if name not in self._states:
            raise InputError(f"unknown job {name!r:.40}", expected="a job of this start")
        return self._states[name]

    def cancel(self, name: str) -> None:
        """End a job.

        Raises:
            InputError: there is no such job.
        """
        self.state(name)
        if name in self._tasks:
            self._tasks[name].cancel()

    async def close(self) -> None:
        """End all jobs."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def routes(self) -> list[Route]:
        """The routes of jobs."""

        async def state(request: Request) -> Response:
            return reply(self.state(request.path_params["name"]))

        async def cancel(request: Request) -> Response:
            self.cancel(request.path_params["name"])
            return reply({})

        return [
            Route("/api/jobs/{name}", state),
            Route("/api/jobs/{name}", cancel, methods=["DELETE"]),
        ]

    async def _run(self, state: JobState, work: Work) -> None:
        def publish(part: Any = None) -> None:
            if part is not None:
                state.parts.append(part)
            self._hub.publish(TOPIC, JobEvent(state.job, state.state, part, state.error))

        try:
            async with self._running:
                state.state = "running"
                publish()
                await work(publish)
            state.state = "done"
        except asyncio.CancelledError:
            state.state = "cancelled"
        except HarnessError as error:
            state.state, state.error = "failed", sentence(error)
        publish()
