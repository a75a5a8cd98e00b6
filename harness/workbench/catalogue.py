"""The backends that can be chosen, with what each needs and offers."""

import asyncio
from contextlib import suppress
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from harness.contract import registry
from harness.documents.backends import BackendData
from harness.errors import InputError
from harness.workbench.commands import command_output
from harness.workbench.hub import Hub
from harness.workbench.replies import reply

TOPIC = "backends"


class BackendCatalogue:
    """The installed backends; which are available becomes known seconds after the first request."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._known: list[BackendData] = []
        self._examination: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """End the examination."""
        if self._examination is not None:
            self._examination.cancel()
            await asyncio.gather(self._examination, return_exceptions=True)

    async def _examine(self) -> None:
        """Load every backend in a process of its own, and publish what is known of them."""
        with suppress(InputError):  # the names are offered nevertheless
            output = await command_output("harness", "backends", "--json")
            self._known = msgspec.json.decode(output, type=list[BackendData])
            self._hub.publish(TOPIC, {})

    def data(self) -> dict[str, Any]:
        """The names, and what is known of each."""
        return {"names": registry.names(), "known": self._known}

    def route(self) -> Route:
        """The route of the catalogue."""

        async def backends(_: Request) -> Response:
            if self._examination is None:
                self._examination = asyncio.create_task(self._examine())
            return reply(self.data())

        return Route("/api/backends", backends)
