"""The routes of runs."""

import asyncio
import tempfile
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from anyio import to_thread
from msgspec import Meta, Struct
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from harness.documents.runs import Planned
from harness.errors import InputError
from harness.experiment.option import options_of
from harness.experiment.sweep import Sweep
from harness.puzzles.listing import listings
from harness.records.run_files import read
from harness.records.settings import FILE as SWEEP
from harness.workbench.bodies import body_of
from harness.workbench.commands import Commands
from harness.workbench.hub import Hub
from harness.workbench.replies import reply
from harness.workbench.runs.folders import folder_named
from harness.workbench.runs.following import Follower, RunProgress
from harness.workbench.runs.listing import RunListing
from harness.workbench.runs.pages import Pages
from harness.workbench.runs.request import (
    MOST_TEXT,
    NewSweep,
    check_name,
    check_results,
    make_run,
    require_continuable,
    write_files,
)
from harness.workbench.runs.sweeps import Sweeps
from harness.workbench.runs.watch import RUNS, Watch

_MOST_BODY: Final = 2 * MOST_TEXT
_PREVIEW_S: Final = 120.0
_NO_RUN: Final = ".preview"
"""The folder of a preview without a name, which no run has."""
_PAGE_HEADERS: Final = {
    # Its scripts run without an origin: they reach neither the workbench nor its cookie.
    "content-security-policy": (
        "sandbox allow-scripts allow-downloads allow-popups; default-src 'none'; "
        "script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "unsafe-none",  # a browser refuses a sandbox with another one
}


class _RunName(Convertor[str]):
    """The name of a run in an address: any text, also with a line break."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        """The name in an address."""
        return value

    def to_string(self, value: str) -> str:
        """A name for an address."""
        return value


register_url_convertor("run", _RunName())


class _Run(Struct, forbid_unknown_fields=True):
    run: Annotated[str, Meta(max_length=1000)]


class OptionData(Struct):
    """A further option of a sweep."""

    name: str
    help: str
    default: Any
    kind: str
    """``int``, ``float``, ``str`` or ``choices``."""
    choices: list[str]


class Plan(Struct):
    """A sweep that has not begun."""

    toml: str
    plan: Planned


class RunRoutes:
    """The routes of runs.

    Args:
        hub: gets a message when a run appears.
        listing: the runs.
        sweeps: the sweeps of this workbench.
        watch: the runs that go on.
        pages: tables and pages.
        commands: the processes of previews.
        scratch: the folder for temporary files.
        allows_files: whether a backend may be a file.
    """

    def __init__(
        self,
        hub: Hub,
        listing: RunListing,
        sweeps: Sweeps,
        watch: Watch,
        pages: Pages,
        commands: Commands,
        scratch: Path,
        *,
        allows_files: bool,
    ) -> None:
        self._hub, self._listing, self._sweeps, self._watch = hub, listing, sweeps, watch
        self._pages, self._commands, self._scratch = pages, commands, scratch
        self._allows_files = allows_files
        self._making = asyncio.Lock()
        """Held while the files of a run are written, until its sweep is in the queue."""

    def routes(self) -> list[Route]:
        """The routes."""
        return [
            Route("/api/runs", self._list),
            Route("/api/runs/options", self._options),
            Route("/api/runs/facts", self._facts),
            Route("/api/runs/tables", self._tables),
            Route("/api/runs/comparison", self._comparison),
            Route("/api/measuring", self._measuring),
            Route("/api/sweeps", self._all),
            Route("/api/sweeps", self._start, methods=["POST"]),
            Route("/api/sweeps/preview", self._preview, methods=["POST"]),
            Route("/api/sweeps/stop", self._stop, methods=["POST"]),
            Route("/api/sweeps/continue", self._continue, methods=["POST"]),
            Route("/runs/comparison", self._comparison_page),
            Route("/runs/{name:run}/page", self._page),
            Route("/runs/{name:run}/sweep.toml", self._toml),
        ]

    def _folder(self, name: str) -> Path:
        return folder_named(self._listing.results, name)

    async def _list(self, request: Request) -> Response:
        query = request.query_params
        number = query.get("page", "1")
        found = await to_thread.run_sync(
            self._listing.page,
            query.get("text", "")[:500],
            query.get("state", "")[:50],
            int(number) if number.isascii() and number.isdigit() and len(number) < 9 else 1,
        )
        return reply(found)

    async def _options(self, _: Request) -> Response:
        options = [
            OptionData(
                name=of.name,
                help=of.help,
                default=msgspec.to_builtins(of.default),
                kind="choices" if of.is_list else of.scalar.__name__,
                choices=[str(m) for m in of.scalar] if issubclass(of.scalar, StrEnum) else [],
            )
            for name, of in options_of(Sweep).items()
            if name not in ("datasets", "backends")
        ]
        datasets = [
            {"name": of.name, "title": of.title, "puzzles": of.puzzles, "shapes": of.shapes}
            for of in listings()
            if not of.problem
        ]
        return reply({"options": options, "datasets": datasets})

    async def _facts(self, request: Request) -> Response:
        name = request.query_params.get("run", "")
        folder = self._folder(name)
        facts = await to_thread.run_sync(self._listing.facts, name)
        progress: RunProgress | None = None
        reason = ""
        with suppress(InputError):  # the facts have the reason
            progress = await to_thread.run_sync(Follower(name, folder).look)
        try:
            require_continuable(folder, allows_files=self._allows_files)
        except InputError as error:
            reason = str(error)
        job = next((of for of in self._sweeps.jobs if of.run == name), None)
        return reply({"facts": facts, "progress": progress, "job": job, "refusal": reason})

    async def _tables(self, request: Request) -> Response:
        return reply(await self._pages.digest(self._folder(request.query_params.get("run", ""))))

    async def _comparison(self, request: Request) -> Response:
        return reply(await self._pages.comparison(*self._two(request)))

    async def _measuring(self, _: Request) -> Response:
        return reply(self._watch.measuring())

    async def _all(self, _: Request) -> Response:
        return reply(self._sweeps.jobs)

    async def _start(self, request: Request) -> Response:
        new = await body_of(request, NewSweep, _MOST_BODY)
        async with self._making:
            self._sweeps.require_room()
            queued = self._sweeps.queued

            def make() -> tuple[str, Sweep]:
                return make_run(new, self._listing.results, queued, allows_files=self._allows_files)

            name, sweep = await to_thread.run_sync(make)
            job = self._sweeps.add(name, sweep.jobs)
        self._hub.publish(RUNS, {})
        return reply(job)

    async def _preview(self, request: Request) -> Response:
        new = await body_of(request, NewSweep, _MOST_BODY)
        check_name(new.name)
        check_results(self._listing.results)
        with tempfile.TemporaryDirectory(prefix="preview-", dir=self._scratch) as kept:
            folder = Path(kept)

            def write() -> None:
                write_files(new, folder, allows_files=self._allows_files)

            await to_thread.run_sync(write)
            try:
                output = await self._commands.output(
                    *("harness", "run", str(folder / SWEEP), "--dry-run", "--json"),
                    *("--out", str(self._listing.results / (new.name or _NO_RUN))),
                    most_s=_PREVIEW_S,
                )
            except InputError as error:
                raise InputError(str(error).replace(f"{folder}/", "")) from None
            toml = (folder / SWEEP).read_text(encoding="utf-8")
        return reply(Plan(toml, msgspec.json.decode(output, type=Planned)))

    async def _stop(self, request: Request) -> Response:
        return reply(self._sweeps.stop((await body_of(request, _Run)).run))

    async def _continue(self, request: Request) -> Response:
        name = (await body_of(request, _Run)).run
        folder = self._folder(name)
        async with self._making:
            sweeps = require_continuable(folder, allows_files=self._allows_files)
            return reply(self._sweeps.add(name, max(of.jobs for of in sweeps)))

    async def _page(self, request: Request) -> Response:
        path = await self._pages.page(self._folder(request.path_params["name"]))
        return FileResponse(path, media_type="text/html", headers=_PAGE_HEADERS)

    async def _comparison_page(self, request: Request) -> Response:
        path = await self._pages.comparison_page(*self._two(request))
        return FileResponse(path, media_type="text/html", headers=_PAGE_HEADERS)

    async def _toml(self, request: Request) -> Response:
        data = read(self._folder(request.path_params["name"]) / SWEEP)
        if data is None:
            raise InputError("the run does not record its sweep")
        headers = {"content-disposition": 'attachment; filename="sweep.toml"'}
        return Response(data, media_type="application/toml", headers=headers)

    def _two(self, request: Request) -> tuple[Path, Path]:
        query = request.query_params
        before, after = query.get("before", ""), query.get("after", "")
        if before == after:
            raise InputError("one run to compare", expected="two different runs")
        return self._folder(before), self._folder(after)
