"""The register of what pages have started: questions, jobs, traces and sweeps."""

import asyncio
from collections.abc import Coroutine, Iterable, Iterator
from typing import Any, Generic, TypeVar
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from harness.base.errors import InputError
from harness.extensions.workbench.messages import reply


class PageWork:
    """A piece of work that a page has started, with its tasks.

    Args:
        name: its name; by default a new one.
        page: the name of the page; empty if the page does not matter.
    """

    def __init__(self, name: str = "", page: str = "") -> None:
        self.name = name or uuid4().hex[:12]
        self.page = page
        self.tasks: list[asyncio.Task[None]] = []

    @property
    def is_open(self) -> bool:
        """Whether one of its tasks is still running."""
        return not all(task.done() for task in self.tasks)

    def cancel(self) -> None:
        """Cancel its tasks, except those that are already ending."""
        _cancel(self.tasks)


Kept = TypeVar("Kept", bound=PageWork)


class Register(Generic[Kept]):
    """What pages have started, by name, in the order in which it was added.

    Args:
        noun: the word for a piece of work in messages.
        most_kept: the maximum number of ended pieces to keep; the oldest are dropped.
    """

    def __init__(self, noun: str, most_kept: int) -> None:
        self._noun, self._most_kept = noun, most_kept
        self._kept: dict[str, Kept] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        """The running tasks, including those of dropped work."""

    def __iter__(self) -> Iterator[Kept]:
        """All work, oldest first; the register may change meanwhile."""
        return iter([*self._kept.values()])

    @property
    def open(self) -> list[Kept]:
        """The work that has not ended, oldest first."""
        return [work for work in self if work.is_open]

    def named(self, name: str) -> Kept:
        """The work with this name.

        Raises:
            InputError: no work has this name.
        """
        if name not in self._kept:
            raise InputError(
                f"unknown {self._noun} {name!r:.40}", expected=f"a {self._noun} of this server"
            )
        return self._kept[name]

    def add(self, work: Kept, *parts: Coroutine[Any, Any, None]) -> None:
        """Start work, each part as a task; it replaces work with the same name."""
        self._kept.pop(work.name, None)
        self._kept[work.name] = work
        work.tasks = [asyncio.create_task(part) for part in parts]
        for task in work.tasks:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        closed = [work for work in self if not work.is_open]
        for oldest in closed[: max(0, len(closed) - self._most_kept)]:
            self.drop(oldest)

    def drop(self, work: Kept) -> None:
        """End work, and forget it."""
        work.cancel()
        self._kept.pop(work.name, None)

    async def close(self) -> None:
        """End all work."""
        _cancel(self._tasks)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cancel_route(self, path: str) -> Route:
        """The route with which a page ends work, whose name follows `path`."""

        async def cancel(request: Request) -> Response:
            self.named(request.path_params["name"]).cancel()
            return reply({})

        return Route(f"{path}/{{name}}", cancel, methods=["DELETE"])


def _cancel(tasks: Iterable[asyncio.Task[None]]) -> None:
    for task in tasks:
        if not task.cancelling():
            task.cancel()
