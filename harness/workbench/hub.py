"""Messages to all open pages, as server-sent events."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Final
from uuid import uuid4

import msgspec
from starlette.requests import Request
from starlette.responses import StreamingResponse

_MOST_WAITING: Final = 2_000
"""Messages that wait for a page; a page that reads more slowly is cut off and comes back."""
_STILL_HERE_S: Final = 10.0


class Hub:
    """Passes messages to the open pages.

    Each message has a topic, which chooses the part of the page that takes it. A page that comes
    back gets no earlier messages: it requests the state of what it shows.
    """

    def __init__(self) -> None:
        self._server = uuid4().hex
        """Differs after a new start, so that pages know that their questions are gone."""
        self._pages: dict[asyncio.Queue[bytes | None], str] = {}
        """The open pages, each with the name that it gave itself."""

    @property
    def pages(self) -> int:
        """The number of open pages."""
        return len(self._pages)

    def publish(self, topic: str, data: Any, to: str | None = None) -> None:
        """Send a message to all pages, or to the page with the name `to`."""
        encoded = _event(topic, data)
        for page, name in list(self._pages.items()):
            if to is not None and name != to:
                continue
            try:
                page.put_nowait(encoded)
            except asyncio.QueueFull:
                self._cut_off(page)

    def close(self) -> None:
        """End the streams of all pages."""
        for page in list(self._pages):
            self._cut_off(page)

    def is_open(self, name: str) -> bool:
        """Whether a page with this name is open."""
        return name in self._pages.values()

    async def stream(self, request: Request) -> StreamingResponse:
        """The messages from now on, for one page."""
        name = request.query_params.get("page", "")
        return StreamingResponse(self._messages(name), media_type="text/event-stream")

    def _cut_off(self, page: "asyncio.Queue[bytes | None]") -> None:
        self._pages.pop(page, None)
        while page.full():
            page.get_nowait()
        page.put_nowait(None)

    async def _messages(self, name: str) -> AsyncIterator[bytes]:
        page: asyncio.Queue[bytes | None] = asyncio.Queue(_MOST_WAITING)
        self._pages[page] = name
        try:
            yield b"retry: 500\n\n" + _event("hello", {"server": self._server})
            while True:
                message: bytes | None = b": still here\n\n"
                with suppress(TimeoutError):
                    async with asyncio.timeout(_STILL_HERE_S):
                        message = await page.get()
                if message is None:
                    return
                yield message
        finally:
            self._pages.pop(page, None)


def _event(topic: str, data: Any) -> bytes:
    return b"event: " + topic.encode() + b"\ndata: " + msgspec.json.encode(data) + b"\n\n"
