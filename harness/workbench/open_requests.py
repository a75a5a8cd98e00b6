"""The requests that are being answered, which end with the server.

Streams of messages, uploads and long commands would otherwise hold up its end.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_END_S: Final = 2.0
"""Seconds in which requests end."""
_LAST_S: Final = 0.5
"""Seconds in which a client takes the last bytes of an answer."""


class OpenRequests:
    """An application whose requests can be ended."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_ending = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; once the server ends, refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started: Message = {}
        is_complete = False

        async def watched_send(message: Message) -> None:
            nonlocal is_complete
            if message["type"] == "http.response.start":
                started.update(message)
            elif not message.get("more_body", False):
                is_complete = True
            await send(message)

        task = asyncio.current_task()
        assert task is not None  # the server makes one for each request
        self._tasks.add(task)
        try:
            if not self._is_ending:
                await self._app(scope, receive, watched_send)
        except asyncio.CancelledError:
            if not self._is_ending:
                raise
        finally:
            self._tasks.discard(task)
        if self._is_ending and not is_complete:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LAST_S):
                    await _end_answer(started, scope, receive, send)

    async def end(self) -> None:
        """End all requests, and refuse further ones."""
        self._is_ending = True
        tasks = set(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_END_S)


async def _end_answer(
    started: Mapping[str, Any], scope: Scope, receive: Receive, send: Send
) -> None:
    """Refuse a request without an answer so far, or end its stream."""
    if not started:
        refusal = JSONResponse({"error": "the workbench ends"}, 503)
        await refusal(scope, receive, send)
    elif not any(name == b"content-length" for name, _ in started["headers"]):
        await send({"type": "http.response.body", "body": b""})
