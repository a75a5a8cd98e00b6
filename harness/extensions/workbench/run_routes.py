"""The routes of runs, their tables and pages."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, Generic, TypeVar
from uuid import uuid4

import msgspec
from anyio import to_thread
from msgspec import Meta, Raw, Struct
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from harness.base.errors import InputError
from harness.extensions.workbench.cores import Cores
from harness.extensions.workbench.following import RUNS, Follower, RunProgress, RunWatch
from harness.extensions.workbench.messages import Hub, body_of, reply
from harness.extensions.workbench.processes import MOST_S, answer_of, command_output
from harness.extensions.workbench.runs import RunListing, folder_named, stamp_of
from harness.extensions.workbench.sweeps import (
    MOST_TEXT,
    NewSweep,
    Sweeps,
    check_name,
    check_results,
    elsewhere,
    make_run,
    require_continuable,
    write_files,
)
from harness.puzzles.datasets import listings
from harness.records.folder import RunFile, read_run_file
from harness.runs import Sweep, options_of

# The tables and the pages of runs, made in a process, and made again when a store has changed.


_MOST_PAGES: Final = 12
_MOST_TABLES: Final = 100
_TABLES: Final = "harness.extensions.workbench.digest:put_tables"
_NO_TABLES: Final = "the process that makes the tables ended without them"

_Made = TypeVar("_Made")
_Stamps = tuple[tuple[int, ...], ...]


class _Cache(Generic[_Made]):
    """Results by the folders they were made from; simultaneous requests make a result only once."""

    def __init__(
        self,
        most: int,
        make: Callable[[Sequence[Path]], Awaitable[_Made]],
        drop: Callable[[_Made], None] = lambda _: None,
    ) -> None:
        self._most, self._make, self._dropped = most, make, drop
        self._kept: dict[tuple[str, ...], tuple[_Stamps, _Made]] = {}
        self._locks: dict[tuple[str, ...], asyncio.Lock] = {}

    async def get(self, folders: Sequence[Path]) -> _Made:
        key = tuple(map(str, folders))
        async with self._locks.setdefault(key, asyncio.Lock()):
            stamps = tuple(map(stamp_of, folders))
            entry = self._kept.pop(key, None)
            if entry is None or entry[0] != stamps:
                if entry is not None:
                    self._dropped(entry[1])
                entry = stamps, await self._make(folders)
            self._kept[key] = entry  # the most recently used is last
        while len(self._kept) > self._most:
            oldest = next(iter(self._kept))
            self._dropped(self._kept.pop(oldest)[1])
            self._locks.pop(oldest, None)
        return entry[1]


# The routes of runs.


_MOST_BODY: Final = 2 * MOST_TEXT
_PREVIEW_S: Final = 120.0
_NO_RUN: Final = ".preview"
"""The name of the folder for a preview without a name; no run has this name."""
_PAGE_HEADERS: Final = {
    # Its scripts run without an origin: they reach neither the workbench nor its cookie.
    "content-security-policy": (
        "sandbox allow-scripts allow-downloads allow-popups; default-src 'none'; "
        "script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "unsafe-none",  # with another value a browser refuses the sandbox
}


class _Run(Struct, forbid_unknown_fields=True):
    run: Annotated[str, Meta(max_length=1000)]


class OptionData(Struct):
    """A further option of a sweep."""

    name: str
    help: str
    default: Any
    kind: str
    """``int``, ``float`` or ``str``."""
    is_list: bool
    choices: list[str]
    """The allowed values of an option, if they are few; otherwise empty."""


class SweepPreview(Struct):
    """The file and the plan of a sweep that has not begun."""

    toml: str
    plan: Raw
    """The document of `harness run --dry-run --json`."""


class Runs:
    """The list of runs, their tables and pages, and the sweeps of the pages.

    Args:
        hub: gets what changes.
        results: the folder of runs.
        scratch: the folder for temporary files.
        clear: called with the cores of a sweep before the sweep begins.
        allows_files: whether a backend may be a file.
    """

    def __init__(
        self,
        hub: Hub,
        results: Path,
        scratch: Path,
        clear: Callable[[Sequence[int]], Awaitable[None]],
        *,
        allows_files: bool,
    ) -> None:
        self._hub, self._scratch, self._allows_files = hub, scratch, allows_files
        self._listing = RunListing(results)
        cores = Cores()
        self._sweeps = Sweeps(
            hub, results, cores, before=clear, on_change=lambda: self.watch.change()
        )
        self.watch = RunWatch(hub, self._listing, self._sweeps, cores)
        self._pages = _Cache(_MOST_PAGES, self._page_of, lambda path: path.unlink(missing_ok=True))
        self._tables = _Cache(_MOST_TABLES, self._tables_of)
        self._turn = asyncio.Lock()
        """Held while a process makes tables, a page or a preview: one at a time."""
        self._making = asyncio.Lock()
        """Held while the files of a run are written, until its sweep is in the queue."""

    def routes(self) -> list[Route]:
        """The routes."""
        return [
            Route("/api/runs", self._list),
            Route("/api/runs/options", self._options),
            Route("/api/runs/facts", self._facts),
            Route("/api/runs/tables", self._run_tables),
            Route("/api/runs/comparison", self._comparison),
            Route("/api/measuring", self._measuring),
            Route("/api/sweeps", self._all),
            Route("/api/sweeps", self._start, methods=["POST"]),
            Route("/api/sweeps/preview", self._preview, methods=["POST"]),
            Route("/api/sweeps/stop", self._stop, methods=["POST"]),
            Route("/api/sweeps/continue", self._continue, methods=["POST"]),
            Route("/runs/comparison", self._comparison_page),
            Route("/runs/{name:path}/page", self._page),
            Route("/runs/{name:path}/sweep.toml", self._toml),
        ]

    async def close(self) -> None:
        """Stop the running sweep, and wait for the process of tables, a page or a preview."""
        await self._sweeps.close()
        await self._turn.acquire()  # its request was cancelled

    async def _page_of(self, folders: Sequence[Path]) -> Path:
        """The file with the HTML report of a run, or of a comparison of two.

        Raises:
            InputError: a run cannot be read, or the two cannot be compared.
        """
        path = self._scratch / f"{uuid4().hex}.html"
        words = ("report",) if len(folders) == 1 else ("compare", "--partial")
        options = ("--format", "html", "--out", str(path))
        # A comparison exits with code 1 if the second run is worse.
        await self._output(*words, *map(str, folders), *options, codes=(0, 1))
        return path

    async def _tables_of(self, folders: Sequence[Path]) -> Raw:
        """The most important tables of a run, or of a comparison of two, as JSON.

        Raises:
            InputError: a run cannot be read, or the two cannot be compared.
        """
        async with self._turn:
            return await answer_of(_TABLES, [*map(str, folders)], _NO_TABLES, niceness=10)

    async def _output(
        self, *words: str, most_s: float = MOST_S, codes: Sequence[int] = (0,)
    ) -> bytes:
        async with self._turn:
            return await command_output(*words, most_s=most_s, codes=codes)

    def _folder(self, name: str) -> Path:
        return folder_named(self._listing.results, name)

    async def _list(self, request: Request) -> Response:
        query = request.query_params
        number = query.get("page", "1")
        page = await to_thread.run_sync(
            self._listing.page,
            query.get("text", "")[:500],
            query.get("state", "")[:50],
            int(number) if number.isascii() and number.isdigit() and len(number) < 9 else 1,
        )
        return reply(page)

    async def _options(self, _: Request) -> Response:
        options = [
            OptionData(
                name=option.name,
                help=option.help,
                default=msgspec.to_builtins(option.default),
                kind=option.scalar.__name__,
                is_list=option.is_list,
                choices=[str(m) for m in option.scalar]
                if issubclass(option.scalar, StrEnum)
                else [],
            )
            for name, option in options_of(Sweep).items()
            if name not in ("datasets", "backends")
        ]
        datasets = [
            {
                "name": listing.name,
                "title": listing.title,
                "puzzles": listing.puzzles,
                "shapes": listing.shapes,
            }
            for listing in listings()
            if not listing.problem
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
        job = next((job for job in self._sweeps.jobs if job.run == name), None)
        return reply({"facts": facts, "progress": progress, "job": job, "refusal": reason})

    async def _run_tables(self, request: Request) -> Response:
        folder = self._folder(request.query_params.get("run", ""))
        return reply(await self._tables.get([folder]))

    async def _comparison(self, request: Request) -> Response:
        return reply(await self._tables.get(self._two(request)))

    async def _measuring(self, _: Request) -> Response:
        return reply(self.watch.measuring())

    async def _all(self, _: Request) -> Response:
        return reply(self._sweeps.jobs)

    async def _start(self, request: Request) -> Response:
        new = await body_of(request, NewSweep, _MOST_BODY)
        async with self._making:
            self._sweeps.require_room()
            waiting = self._sweeps.queued

            def make() -> tuple[str, Sweep]:
                return make_run(
                    new, self._listing.results, waiting, allows_files=self._allows_files
                )

            name, sweep = await to_thread.run_sync(make)
            job = self._sweeps.add(name, sweep.jobs)
        self._hub.publish(RUNS, {})
        return reply(job)

    async def _preview(self, request: Request) -> Response:
        new = await body_of(request, NewSweep, _MOST_BODY)
        check_name(new.name)
        check_results(self._listing.results)
        with tempfile.TemporaryDirectory(prefix="preview-", dir=self._scratch) as scratch:
            folder = Path(scratch)

            def write() -> None:
                write_files(new, folder, allows_files=self._allows_files)

            await to_thread.run_sync(write)
            try:
                out = self._listing.results / (new.name or _NO_RUN)
                words = (
                    "run",
                    str(folder / RunFile.SETTINGS),
                    "--dry-run",
                    "--json",
                    "--out",
                    str(out),
                )
                output = await self._output(*words, most_s=_PREVIEW_S)
            except InputError as error:
                raise InputError(str(error).replace(f"{folder}/", "")) from None
            toml = elsewhere((folder / RunFile.SETTINGS).read_text(encoding="utf-8"), folder)
        return reply(SweepPreview(toml, Raw(output)))

    async def _stop(self, request: Request) -> Response:
        return reply(self._sweeps.stop((await body_of(request, _Run)).run))

    async def _continue(self, request: Request) -> Response:
        name = (await body_of(request, _Run)).run
        folder = self._folder(name)
        async with self._making:
            sweeps = require_continuable(folder, allows_files=self._allows_files)
            return reply(self._sweeps.add(name, max(sweep.jobs for sweep in sweeps)))

    async def _page(self, request: Request) -> Response:
        path = await self._pages.get([self._folder(request.path_params["name"])])
        return FileResponse(path, media_type="text/html", headers=_PAGE_HEADERS)

    async def _comparison_page(self, request: Request) -> Response:
        path = await self._pages.get(self._two(request))
        return FileResponse(path, media_type="text/html", headers=_PAGE_HEADERS)

    async def _toml(self, request: Request) -> Response:
        data = read_run_file(self._folder(request.path_params["name"]) / RunFile.SETTINGS)
        if data is None:
            raise InputError("the run does not record its sweep")
        headers = {"content-disposition": 'attachment; filename="sweep.toml"'}
        return Response(data, media_type="application/toml", headers=headers)

    def _two(self, request: Request) -> list[Path]:
        query = request.query_params
        before, after = query.get("before", ""), query.get("after", "")
        if before == after:
            raise InputError("one run to compare", expected="two different runs")
        return [self._folder(before), self._folder(after)]
