"""The application: all routes, and what runs beside them.

A server holds a lock of its folder, which the kernel releases when the server ends, however that
happens. A folder whose lock is free belongs to no server.
"""

import asyncio
import fcntl
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from msgspec import Raw
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from harness.base.errors import InputError
from harness.contract import registry
from harness.extensions.workbench import boards
from harness.extensions.workbench.access import HANDLERS, Access, Guarded, OpenRequests
from harness.extensions.workbench.image_reading import ImageReading
from harness.extensions.workbench.jobs import Certificates, Jobs, generator_routes
from harness.extensions.workbench.messages import Hub, reply
from harness.extensions.workbench.processes import command_output
from harness.extensions.workbench.questions import Questions
from harness.extensions.workbench.run_routes import Runs
from harness.extensions.workbench.traces import Traces

# The folder for temporary files of one server, which the next server removes if need be.


_PREFIX: Final = "harness-workbench-files-"


class Scratch:
    """A folder for temporary files of this server, with the lock held.

    Raises:
        OSError: it cannot be made.
    """

    def __init__(self) -> None:
        remove_abandoned()
        while True:
            self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
            self._lock = os.open(self.folder, os.O_RDONLY)
            with suppress(OSError):  # a file system without locks
                fcntl.flock(self._lock, fcntl.LOCK_EX)
            if self.folder.is_dir():
                return
            # Another server that started at this moment found the lock free.
            os.close(self._lock)

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)


def remove_abandoned() -> None:
    """Remove the folders of servers of this user that have ended."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # it is held, or another server removes it
            _remove_unless_held(folder)


def _remove_unless_held(folder: Path) -> None:
    """Remove a folder of this user that no server holds.

    Raises:
        OSError: a server holds it, or it is no such folder.
    """
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        status = os.fstat(lock)
        if status.st_uid == os.getuid() and stat.S_IMODE(status.st_mode) == stat.S_IRWXU:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


# The backends that can be chosen, with what each needs and offers.


TOPIC = "backends"


class BackendCatalogue:
    """The installed backends; which are available becomes known seconds after the first request."""

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
        """Load every backend in a process of its own, and publish what is known of them."""
        with suppress(InputError):  # the names are offered nevertheless
            output = await command_output("backends", "--json")
            self._known = Raw(output)
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


# The application: all routes, and what runs beside them.


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
    """What cookies are made from."""


def application(settings: Settings) -> tuple[OpenRequests, Access]:
    """The application, and how it is reached.

    Raises:
        OSError: its folder for temporary files cannot be made.
    """
    hub = Hub()
    scratch = Scratch()

    async def clear(cores: Sequence[int]) -> None:
        await questions.leave(cores)

    runs = Runs(hub, settings.results, scratch.folder, clear, allows_files=settings.allows_files)
    questions = Questions(hub, runs.watch.measured, allows_files=settings.allows_files)
    traces = Traces(hub, runs.watch.measured)
    catalogue = BackendCatalogue(hub)
    jobs = Jobs(hub)
    certificates = Certificates(jobs, scratch.folder, allows_files=settings.allows_files)
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
            hub.close()
            for task in (preparation, watching):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await catalogue.close()
            await jobs.close()
            parts = (questions, traces, runs, images, certificates)
            await asyncio.gather(*(part.close() for part in parts))
            scratch.close()

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
    return OpenRequests(Guarded(app, access)), access
