"""The server of the workbench, on loopback only."""

import asyncio
import socket
import tempfile
import webbrowser
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import ClassVar, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from harness.base.errors import InputError, unwritable
from harness.base.files import user_cache
from harness.extensions.workbench.access import OpenRequests, kept_secret
from harness.extensions.workbench.app import Settings, application

# A connection whose requests arrive within a time, or that is closed.


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


# The server of the workbench, on loopback only.


_ADDRESS: Final = "127.0.0.1"
_END_S: Final = 3
"""Seconds that open requests have at the end."""


def serve(
    port: int, *, results: Path, allows_files: bool, opens: bool, notice: Callable[[str], None]
) -> None:
    """Serve the workbench until Ctrl-C.

    Args:
        port: its port; 0 for a free one.
        results: the folder of runs.
        allows_files: whether requests may name files of backends.
        opens: whether the page opens in the user's browser.
        notice: called with the address.

    Raises:
        InputError: the port cannot be used.
    """
    with listening_on(port) as listening:
        bound_port = listening.getsockname()[1]
        secret = kept_secret(user_cache())
        try:
            app, access = application(Settings(bound_port, results, allows_files, secret))
        except OSError as error:
            raise unwritable(Path(tempfile.gettempdir()), error) from None
        config = uvicorn.Config(
            app,
            access_log=False,
            log_level="warning",
            lifespan="on",
            http=PunctualProtocol,
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=_END_S,
        )
        notice(access.address)
        if opens:
            webbrowser.open(access.address)
        _Server(config, app).run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that ends its requests before it ends."""

    def __init__(self, config: uvicorn.Config, requests: OpenRequests) -> None:
        super().__init__(config)
        self._requests = requests

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin the end. A further signal changes nothing: what was started is being ended."""
        if not self.should_exit:
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End all requests, then the server and what it started."""
        await self._requests.end()
        await super().shutdown(sockets)


def listening_on(port: int) -> socket.socket:
    """A socket on loopback.

    Raises:
        InputError: the port cannot be used.
    """
    # With the protocol named, asyncio sends each message at once (TCP_NODELAY).
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((_ADDRESS, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise InputError(
            f"port {port}: {error.strerror}", where="--port", expected="a free port, or 0"
        ) from None
    return listener
