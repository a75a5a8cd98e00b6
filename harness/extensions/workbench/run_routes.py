"""The routes of runs, their tables and pages."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Final, Generic, TypeVar
from uuid import uuid4

from anyio import to_thread
from msgspec import Meta, Raw, Struct
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from harness.base.errors import InputError
from harness.extensions.workbench.cores import Cores
from harness.extensions.workbench.following import RUNS, Follower, RunWatch
from harness.extensions.workbench.messages import Hub, body_of, reply
from harness.extensions.workbench.processes import Answering, command_output
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


_Made = TypeVar("_Made")


class _Cache(Generic[_Made]):
    """Results by the folders they were made from; simultaneous requests make a result only once.

    Args:
        most: the maximum number of results that are kept.
        make: makes the result of these folders.
        drop: called with a result that is kept no longer.
    """

    def __init__(
        self,
        most: int,
        make: Callable[[Sequence[Path]], Awaitable[_Made]],
        drop: Callable[[_Made], None] = lambda _: None,
    ) -> None:
        self._most, self._make, self._drop = most, make, drop
        self._kept: dict[tuple[str, ...], tuple[list[tuple[int, ...]], _Made]] = {}
        """The results with the stamps of their folders."""
        self._locks: dict[tuple[str, ...], asyncio.Lock] = {}

    async def get(self, folders: Sequence[Path]) -> _Made:
        key = tuple(map(str, folders))
        async with self._locks.setdefault(key, asyncio.Lock()):
            stamps = [*map(stamp_of, folders)]
            entry = self._kept.pop(key, None)
            if entry is None or entry[0] != stamps:
                if entry is not None:
                    self._drop(entry[1])
                entry = stamps, await self._make(folders)
            self._kept[key] = entry  # the most recently used is last
        while len(self._kept) > self._most:
            oldest = next(iter(self._kept))
            self._drop(self._kept.pop(oldest)[1])
            self._locks.pop(oldest, None)
        return entry[1]


# The routes of runs.


_MOST_BODY: Final = 2 * MOST_TEXT
_PAGE_HEADERS: Final = {
    # The scripts of a page run without an origin: they reach neither the workbench nor its cookie.
    "content-security-policy": (
        "sandbox allow-scripts allow-downloads allow-popups; default-src 'none'; "
        "script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "unsafe-none",  # with another value a browser refuses the sandbox
}


class _Run(Struct, forbid_unknown_fields=True):
    run: Annotated[str, Meta(max_length=1000)]


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
        self._pages = _Cache(12, self._make_page, lambda path: path.unlink(missing_ok=True))
        self._tables = _Cache(100, self._make_tables)
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

    async def _make_page(self, folders: Sequence[Path]) -> Path:
        """The file with the HTML report of a run, or of a comparison of two.

        Raises:
            InputError: a run cannot be read, or the two cannot be compared.
        """
        path = self._scratch / f"{uuid4().hex}.html"
        words = ("report",) if len(folders) == 1 else ("compare", "--partial")
        options = ("--format", "html", "--out", str(path))
        # A comparison exits with code 1 if the second run is worse.
        async with self._turn:
            await command_output(*words, *map(str, folders), *options, codes=(0, 1))
        return path

    async def _make_tables(self, folders: Sequence[Path]) -> Raw:
        """The most important tables of a run, or of a comparison of two, as JSON.

        Raises:
            InputError: a run cannot be read, or the two cannot be compared.
        """
        function = "harness.extensions.workbench.digest:put_tables"
        failure = "the process that makes the tables ended without them"
        async with self._turn, Answering(function, failure, niceness=10) as process:
            return await process.answer([*map(str, folders)], Raw)

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
            {
                "name": option.name,
                "help": option.help,
                "default": option.default,
                "kind": option.scalar.__name__,
                "is_list": option.is_list,
                "choices": [*option.scalar] if issubclass(option.scalar, StrEnum) else [],
            }
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
        progress, reason = None, ""
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

            make = partial(make_run, allows_files=self._allows_files)
            name, sweep = await to_thread.run_sync(make, new, self._listing.results, waiting)
            job = self._sweeps.add(name, sweep.jobs)
        self._hub.publish(RUNS, {})
        return reply(job)

    async def _preview(self, request: Request) -> Response:
        new = await body_of(request, NewSweep, _MOST_BODY)
        check_name(new.name)
        check_results(self._listing.results)
        with tempfile.TemporaryDirectory(prefix="preview-", dir=self._scratch) as scratch:
            folder = Path(scratch)
            write = partial(write_files, allows_files=self._allows_files)
            await to_thread.run_sync(write, new, folder)
            out = self._listing.results / (new.name or ".preview")  # no run has this name
            words = ("run", str(folder / RunFile.SETTINGS), "--out", str(out))
            try:
                async with self._turn:
                    output = await command_output(*words, "--dry-run", "--json", most_s=120)
            except InputError as error:
                raise InputError(str(error).replace(f"{folder}/", "")) from None
            toml = elsewhere((folder / RunFile.SETTINGS).read_text(encoding="utf-8"), folder)
        return reply({"toml": toml, "plan": Raw(output)})

    async def _stop(self, request: Request) -> Response:
        return reply(self._sweeps.stop((await body_of(request, _Run)).run))

    async def _continue(self, request: Request) -> Response:
        name = (await body_of(request, _Run)).run
        folder = self._folder(name)
        async with self._making:
            sweeps = require_continuable(folder, allows_files=self._allows_files)
            return reply(self._sweeps.add(name, max(sweep.jobs for sweep in sweeps)))

    async def _page(self, request: Request) -> Response:
        return await self._page_of([self._folder(request.path_params["name"])])

    async def _comparison_page(self, request: Request) -> Response:
        return await self._page_of(self._two(request))

    async def _page_of(self, folders: Sequence[Path]) -> Response:
        path = await self._pages.get(folders)
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
