"""The register of what pages have started: questions, jobs, traces and sweeps."""

import asyncio
from collections.abc import Coroutine, Iterator
from typing import Any, Generic, TypeVar
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from harness.errors import InputError
from harness.workbench.messages import reply


class Activity:
    """What a page has started, with the tasks that carry it out.

    Args:
        name: its name; by default a new one.
        page: the name of the page; empty if that is of no importance.
    """

    def __init__(self, name: str = "", page: str = "") -> None:
        self.name = name or uuid4().hex[:12]
        self.page = page
        self.tasks: list[asyncio.Task[None]] = []

    @property
    def is_open(self) -> bool:
        """Whether a task of it goes on."""
        return not all(task.done() for task in self.tasks)

    def cancel(self) -> None:
        """End it; a task that is ending already is left alone."""
        for task in self.tasks:
            _cancel(task)


Kept = TypeVar("Kept", bound=Activity)


class Register(Generic[Kept]):
    """Activities by name, in the order in which they were added.

    Args:
        what: what an activity is, for messages.
        most_kept: activities that are kept after their end; the oldest are dropped.
    """

    def __init__(self, what: str, most_kept: int) -> None:
        self._what, self._most_kept = what, most_kept
        self._activities: dict[str, Kept] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        """The tasks that go on, also of activities that were dropped."""

    def __iter__(self) -> Iterator[Kept]:
        """The activities, the oldest first; the register may change meanwhile."""
        return iter([*self._activities.values()])

    @property
    def open(self) -> list[Kept]:
        """The activities that go on, the oldest first."""
        return [of for of in self if of.is_open]

    def named(self, name: str) -> Kept:
        """The activity with this name.

        Raises:
            InputError: there is none.
        """
        if name not in self._activities:
            raise InputError(
                f"unknown {self._what} {name!r:.40}", expected=f"a {self._what} of this start"
            )
        return self._activities[name]

    def add(self, activity: Kept, *works: Coroutine[Any, Any, None]) -> None:
        """Start the tasks of an activity, which takes the place of one with the same name."""
        self._activities.pop(activity.name, None)
        self._activities[activity.name] = activity
        activity.tasks = [asyncio.create_task(work) for work in works]
        for task in activity.tasks:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        ended = [of for of in self if not of.is_open]
        for oldest in ended[: max(0, len(ended) - self._most_kept)]:
            self.drop(oldest)

    def drop(self, activity: Kept) -> None:
        """End an activity, and forget it."""
        activity.cancel()
        self._activities.pop(activity.name, None)

    async def close(self) -> None:
        """End all activities."""
        for task in self._tasks:
            _cancel(task)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cancel_route(self, path: str) -> Route:
        """The route with which a page ends an activity, whose name follows `path`."""

        async def cancel(request: Request) -> Response:
            self.named(request.path_params["name"]).cancel()
            return reply({})

        return Route(f"{path}/{{name}}", cancel, methods=["DELETE"])


def _cancel(task: asyncio.Task[None]) -> None:
    if not task.cancelling():
        task.cancel()
