"""The server of the workbench, on loopback only."""

import socket
import tempfile
import webbrowser
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Final

import uvicorn

from harness.base.errors import InputError, unwritable
from harness.base.files import user_cache
from harness.extensions.workbench.access import kept_secret
from harness.extensions.workbench.app import Settings, application
from harness.extensions.workbench.messages import Hub

_ADDRESS: Final = "127.0.0.1"
_END_S: Final = 3
"""Seconds that open requests have to finish at the end."""


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
            app, access, hub = application(Settings(bound_port, results, allows_files, secret))
        except OSError as error:
            raise unwritable(Path(tempfile.gettempdir()), error) from None
        config = uvicorn.Config(
            app,
            access_log=False,
            log_level="warning",
            lifespan="on",
            http="h11",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=_END_S,
        )
        notice(access.address)
        if opens:
            webbrowser.open(access.address)
        _Server(config, hub).run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that ends the streams of its pages before it ends."""

    def __init__(self, config: uvicorn.Config, hub: Hub) -> None:
        super().__init__(config)
        self._hub = hub

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to shut down; a further signal changes nothing, as everything is already ending."""
        if not self.should_exit:
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then the server and what it started."""
        self._hub.close()
        await super().shutdown(sockets)


def listening_on(port: int) -> socket.socket:
    """A listening socket on loopback.

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
