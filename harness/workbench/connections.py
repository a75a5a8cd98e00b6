"""A connection whose requests arrive within a time, or that is closed."""

import asyncio
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class PunctualProtocol(H11Protocol):
    """HTTP with limits of the time in which a request arrives.

    The server has none of its own: it would wait for ever for a header, and go on to read the body
    of a request that has its answer. How long an answer takes is not limited.
    """

    headers_s: ClassVar[float] = 10.0
    """Seconds until the headers of a request are there."""
    request_s: ClassVar[float] = 45.0
    """Seconds until all of a request is there, also if its answer came before."""
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        super().connection_lost(exc)
        self._stop_timer()

    def _watch(self) -> None:
        """Time a request that is incomplete, from its beginning."""
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop_timer()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.headers_s, self._require_headers)

    def _require_headers(self) -> None:
        if self.conn.their_state is h11.SEND_BODY:
            left_s = self.request_s - self.headers_s
            self._timer = self.loop.call_later(left_s, self.transport.abort)
        else:
            self.transport.abort()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
