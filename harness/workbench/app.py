"""The application: all routes, and what runs beside them."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from harness.workbench import boards, generating, refusals
from harness.workbench import questions as questions_
from harness.workbench.access import Access, Guarded
from harness.workbench.catalogue import BackendCatalogue
from harness.workbench.certificates import Certificates
from harness.workbench.hub import Hub
from harness.workbench.image_reading import ImageReading
from harness.workbench.jobs import Jobs
from harness.workbench.open_requests import OpenRequests
from harness.workbench.questions import Questions
from harness.workbench.runs.application import Runs
from harness.workbench.scratch import Scratch
from harness.workbench.thinking import routes as thinking
from harness.workbench.thinking.traces import Traces

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
    runs = Runs(hub, settings.results, scratch.folder, allows_files=settings.allows_files)
    questions = Questions(hub, runs.measured, allows_files=settings.allows_files)
    runs.clears_cores_by(questions.leave)
    traces = Traces(hub, runs.measured)
    catalogue = BackendCatalogue(hub)
    jobs = Jobs(hub)
    certificates = Certificates(jobs, questions, scratch.folder)
    images = ImageReading(jobs)

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        preparation = asyncio.create_task(questions.prepare("native"))
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
            await asyncio.gather(questions.close(), traces.close(), runs.close(), images.close())
            scratch.close()

    async def index(_: Request) -> Response:
        return FileResponse(STATIC / "index.html", media_type="text/html")

    app = Starlette(
        routes=[
            Route("/", index),
            Route("/api/events", hub.stream),
            catalogue.route(),
            *boards.ROUTES,
            *questions_.routes(questions),
            *thinking.routes(traces),
            *jobs.routes(),
            *certificates.routes(),
            *images.routes(),
            *generating.routes(jobs),
            *runs.routes(),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        exception_handlers=refusals.HANDLERS,
        lifespan=running,
    )
    access = Access(settings.port, settings.secret)
    return OpenRequests(Guarded(app, access)), access
