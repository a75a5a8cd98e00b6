"""The application: all routes, what runs alongside them, and its server, on loopback only."""

import asyncio
import socket
import tempfile
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import FrameType

import uvicorn
from msgspec import Raw
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from harness.base.errors import InputError, unwritable
from harness.base.files import user_cache
from harness.contract import registry
from harness.extensions.workbench import boards
from harness.extensions.workbench.access import HANDLERS, Guarded, kept_secret
from harness.extensions.workbench.image_reading import ImageReading
from harness.extensions.workbench.jobs import Certificates, Jobs, generator_routes
from harness.extensions.workbench.messages import Hub, reply
from harness.extensions.workbench.processes import command_output
from harness.extensions.workbench.questions import Questions
from harness.extensions.workbench.run_routes import Runs
from harness.extensions.workbench.traces import Traces

# The backends that can be chosen, with what each needs and offers.


class BackendCatalogue:
    """The installed backends; which are available is known seconds after the first request."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._known = Raw(b"[]")
        self._examination: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """End the examination."""
        if self._examination is not None:
            self._examination.cancel()
            await asyncio.gather(self._examination, return_exceptions=True)

    async def _examine(self) -> None:
        """Load every backend in a process of its own, and publish that more is known about them."""
        with suppress(InputError):  # the names are offered nevertheless
            output = await command_output("backends", "--json")
            self._known = Raw(output)
            self._hub.publish("backends", {})

    def route(self) -> Route:
        """The route of the catalogue."""

        async def backends(_: Request) -> Response:
            if self._examination is None:
                self._examination = asyncio.create_task(self._examine())
            return reply({"names": registry.names(), "known": self._known})

        return Route("/api/backends", backends)


# The application: all routes, and what runs alongside them.


def application(hub: Hub, results: Path, *, allows_files: bool) -> Starlette:
    """The application.

    Args:
        hub: passes messages to the pages.
        results: the folder of runs.
        allows_files: whether requests may name files of backends.

    Raises:
        OSError: the folder for temporary files cannot be made.
    """
    scratch = tempfile.TemporaryDirectory(prefix="harness-workbench-files-")
    folder = Path(scratch.name)
    runs = Runs(
        hub, results, folder, lambda cores: questions.leave(cores), allows_files=allows_files
    )
    questions = Questions(hub, runs.watch.measured, allows_files=allows_files)
    traces = Traces(hub, runs.watch.measured)
    catalogue = BackendCatalogue(hub)
    jobs = Jobs(hub)
    certificates = Certificates(jobs, folder, allows_files=allows_files)
    images = ImageReading(jobs)

    async def prepare() -> None:
        await questions.prepare("native")
        await certificates.prepare()

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        preparation = asyncio.create_task(prepare())
        watching = asyncio.create_task(runs.watch.run())
        try:
            yield
        finally:
            for task in (preparation, watching):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await catalogue.close()
            await jobs.close()
            parts = (questions, traces, runs, images, certificates)
            await asyncio.gather(*(part.close() for part in parts))
            scratch.cleanup()

    static = Path(__file__).with_name("static")

    async def index(_: Request) -> Response:
        return FileResponse(static / "index.html", media_type="text/html")

    return Starlette(
        routes=[
            Route("/", index),
            Route("/api/events", hub.stream),
            catalogue.route(),
            *boards.ROUTES,
            *questions.routes(),
            *traces.routes(),
            *jobs.routes(),
            *certificates.routes(),
            *images.routes(),
            *generator_routes(jobs),
            *runs.routes(),
            Mount("/static", StaticFiles(directory=static)),
        ],
        exception_handlers=HANDLERS,
        lifespan=running,
    )


# The server.


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
        hub = Hub()
        try:
            app = application(hub, results, allows_files=allows_files)
        except OSError as error:
            raise unwritable(Path(tempfile.gettempdir()), error) from None
        guarded = Guarded(app, listening.getsockname()[1], kept_secret(user_cache()))
        config = uvicorn.Config(
            guarded,
            access_log=False,
            log_level="warning",
            lifespan="on",
            http="h11",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=3,  # seconds for open requests
        )
        notice(guarded.address)
        if opens:
            webbrowser.open(guarded.address)
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
        listener.bind(("127.0.0.1", port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise InputError(
            f"port {port}: {error.strerror}", where="--port", expected="a free port, or 0"
        ) from None
    return listener
