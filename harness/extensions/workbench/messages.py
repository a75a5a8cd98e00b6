"""Messages between pages and server: requests, answers as JSON, and events."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from typing import Any, Final, TypeVar
from uuid import uuid4

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from harness.base.errors import InputError, invalid, suggestion
from harness.base.text import printable, shortened
from harness.contract import parse_specs, registry

# Errors as one line of text for a page.


def sentence(text: object) -> str:
    """A text or an error as one printable line of at most 600 characters."""
    return shortened(printable(" ".join(str(text).split())), 600)


# Answers as JSON.


def reply(data: Any) -> Response:
    """An answer with this object as JSON."""
    return Response(msgspec.json.encode(data), media_type="application/json")


# The bodies of requests, up to a size, as objects of a type.


Body = TypeVar("Body")


async def bytes_of(request: Request, most: int) -> bytes:
    """The body of a request.

    Raises:
        InputError: the body has more than `most` bytes, takes over 30 seconds, or is cut off.
    """
    data = bytearray()
    too_large = InputError("the request is too large", expected=f"at most {most:,} bytes")
    if int(request.headers.get("content-length", 0)) > most:
        raise too_large
    try:
        async with asyncio.timeout(30):
            async for part in request.stream():
                data += part
                if len(data) > most:
                    raise too_large
    except TimeoutError:
        raise InputError("the request did not arrive within 30 seconds") from None
    except ClientDisconnect:
        # Nobody gets this answer, but the workbench has not failed.
        raise InputError("the request was cut off", expected="the rest of it") from None
    return bytes(data)


async def body_of(request: Request, kind: type[Body], most: int = 2**20) -> Body:
    """The JSON body of a request, of at most `most` bytes, as an object.

    Raises:
        InputError: the body is too large, does not arrive, is malformed, or is not such an object.
    """
    data = await bytes_of(request, most)
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"malformed request: {sentence(error)}") from None


# The specs of backends in requests.


def labels_in(texts: Iterable[str], most: int, *, allows_files: bool) -> list[str]:
    """The configurations of specs, each once.

    Args:
        texts: specs, each optionally with a grid of options.
        most: the largest number of configurations.
        allows_files: whether a backend may be a file.

    Raises:
        InputError: a spec is malformed or not allowed, or there are too many.
    """
    names = registry.names()
    labels: dict[str, None] = {}
    for text in texts:
        if (number := _combinations(text)) > most:
            raise invalid("configurations of a spec", number, f"at most {most}")
        for spec in parse_specs(text):
            if not allows_files and spec.locator not in names:
                raise InputError(
                    f"{spec.locator!r:.60} is not an installed backend"
                    f"{suggestion(spec.locator, names)}",
                    expected="an installed backend; harness workbench --allow-files permits files",
                )
            labels[spec.label] = None
        if len(labels) > most:
            raise invalid("configurations", len(labels), f"at most {most}")
    return [*labels]


def _combinations(text: str) -> int:
    """An upper bound on the number of configurations in a spec, without making them."""
    number, values, depth = 1, 1, 0
    for char in text:
        if char == "[":
            depth += 1
            values = 1
        elif char == "]":
            if depth > 1:
                number *= values
            depth -= 1
        elif char == "," and depth > 1:
            values += 1
    return number


# Messages to all open pages, as server-sent events.


_MOST_WAITING: Final = 2_000
"""Maximum number of messages that wait for a page; a slower page is cut off and connects again."""
_STILL_HERE_S: Final = 10.0


class Hub:
    """Passes messages to the open pages.

    Each message has a topic, which selects the part of the page that takes the message. A page that
    connects again gets no earlier messages: it requests the state of what it shows.
    """

    def __init__(self) -> None:
        self._server = uuid4().hex
        """Differs after a restart, so that pages know that their questions are gone."""
        self._pages: dict[asyncio.Queue[bytes | None], str] = {}
        """The open pages, each with the name that it gave itself."""

    @property
    def pages(self) -> int:
        """The number of open pages."""
        return len(self._pages)

    def publish(self, topic: str, data: Any, to: str | None = None) -> None:
        """Send a message to all pages, or to the page with the name `to`."""
        text = _event(topic, data)
        for page, name in list(self._pages.items()):
            if to is not None and name != to:
                continue
            try:
                page.put_nowait(text)
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
        """The messages that follow, for one page."""
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
    """An event; each line of its JSON, such as the document of a command, is a line of data."""
    text = msgspec.json.encode(data).replace(b"\n", b"\ndata: ")
    return b"event: " + topic.encode() + b"\ndata: " + text + b"\n\n"
