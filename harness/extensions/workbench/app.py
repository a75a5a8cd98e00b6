"""The application: all routes, and what runs alongside them."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Raw
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from harness.base.errors import InputError
from harness.contract import registry
from harness.extensions.workbench import boards
from harness.extensions.workbench.access import HANDLERS, Access, Guarded
from harness.extensions.workbench.image_reading import ImageReading
from harness.extensions.workbench.jobs import Certificates, Jobs, generator_routes
from harness.extensions.workbench.messages import Hub, reply
from harness.extensions.workbench.processes import command_output
from harness.extensions.workbench.questions import Questions
from harness.extensions.workbench.run_routes import Runs
from harness.extensions.workbench.traces import Traces

# The backends that can be chosen, with what each needs and offers.


TOPIC = "backends"


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
            self._hub.publish(TOPIC, {})

    def data(self) -> dict[str, Any]:
        """The names, and what is known about each."""
        return {"names": registry.names(), "known": self._known}

    def route(self) -> Route:
        """The route of the catalogue."""

        async def backends(_: Request) -> Response:
            if self._examination is None:
                self._examination = asyncio.create_task(self._examine())
            return reply(self.data())

        return Route("/api/backends", backends)


# The application: all routes, and what runs alongside them.


STATIC = Path(__file__).with_name("static")


@dataclass(frozen=True)
class Settings:
    """What the user chose for the server."""

    port: int
    results: Path = Path("results")
    """The folder of runs."""
    allows_files: bool = False
    """Whether requests may name files of backends."""
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    """The key from which cookies are made."""


def application(settings: Settings) -> tuple[Guarded, Access, Hub]:
    """The application, the access to it, and the hub, whose streams must end before the server.

    Raises:
        OSError: the folder for temporary files cannot be made.
    """
    hub = Hub()
    scratch = TemporaryDirectory(prefix="harness-workbench-files-")
    folder = Path(scratch.name)

    async def clear(cores: Sequence[int]) -> None:
        await questions.leave(cores)

    runs = Runs(hub, settings.results, folder, clear, allows_files=settings.allows_files)
    questions = Questions(hub, runs.watch.measured, allows_files=settings.allows_files)
    traces = Traces(hub, runs.watch.measured)
    catalogue = BackendCatalogue(hub)
    jobs = Jobs(hub)
    certificates = Certificates(jobs, folder, allows_files=settings.allows_files)
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

    async def index(_: Request) -> Response:
        return FileResponse(STATIC / "index.html", media_type="text/html")

    app = Starlette(
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
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        exception_handlers=HANDLERS,
        lifespan=running,
    )
    access = Access(settings.port, settings.secret)
    return Guarded(app, access), access, hub
