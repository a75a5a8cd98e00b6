"""The routes of runs, their tables and pages."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar
from uuid import uuid4

import msgspec
from anyio import to_thread
from msgspec import Meta, Struct
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from harness.errors import InputError
from harness.puzzles.catalogue import listings
from harness.records.run_files import SETTINGS_FILE as SWEEP
from harness.records.run_files import read
from harness.report.documents import Planned
from harness.runs.sweep import Sweep, options_of
from harness.workbench.bodies import body_of, reply
from harness.workbench.child import Commands
from harness.workbench.cores import Cores
from harness.workbench.digest import ComparisonDigest, RunDigest
from harness.workbench.following import RUNS, Follower, RunProgress, Watch
from harness.workbench.hub import Hub
from harness.workbench.runs import RunListing, folder_named, stamp_of
from harness.workbench.sweeps import (
    MOST_TEXT,
    NewSweep,
    Sweeps,
    check_name,
    check_results,
    make_run,
    require_continuable,
    write_files,
)

# The tables and the pages of runs, made in a process and again after a change of a store.


_MOST_PAGES: Final = 12
_MOST_DIGESTS: Final = 100
_DIGEST: Final = "harness.workbench.digest"
_COMMAND: Final = "harness"

_Kept = TypeVar("_Kept")
_Stamps = tuple[tuple[int, ...], ...]


class _Cache:
    """Results by the folders that they were made from; each is made once, also for two at once."""

    def __init__(self, most: int, dropped: Callable[[Any], None] = lambda _: None) -> None:
        self._most, self._dropped = most, dropped
        self._kept: dict[tuple[str, ...], tuple[_Stamps, Any]] = {}
        self._locks: dict[tuple[str, ...], asyncio.Lock] = {}

    async def of(
        self, folders: Sequence[Path], make: Callable[[], Coroutine[Any, Any, _Kept]]
    ) -> _Kept:
        key = tuple(map(str, folders))
        async with self._locks.setdefault(key, asyncio.Lock()):
            stamps = tuple(map(stamp_of, folders))
            kept = self._kept.pop(key, None)
            if kept is None or kept[0] != stamps:
                if kept is not None:
                    self._dropped(kept[1])
                kept = stamps, await make()
            self._kept[key] = kept  # the last one used is the last one
        while len(self._kept) > self._most:
            oldest = next(iter(self._kept))
            self._dropped(self._kept.pop(oldest)[1])
            self._locks.pop(oldest, None)
        found: _Kept = kept[1]
        return found


class Pages:
    """What a page shows of runs beyond their numbers of trials.

    Args:
        commands: make the tables and the pages.
        scratch: the folder for temporary files.
    """

    def __init__(self, commands: Commands, scratch: Path) -> None:
        self._commands = commands
        self._folder = Path(tempfile.mkdtemp(prefix="pages-", dir=scratch))
        self._pages = _Cache(_MOST_PAGES, lambda path: path.unlink(missing_ok=True))
        self._digests = _Cache(_MOST_DIGESTS)

    async def page(self, folder: Path) -> Path:
        """The file with the HTML report of a run.

        Raises:
            InputError: the run cannot be read.
        """

        async def make() -> Path:
            return await self._made("report", str(folder))

        return await self._pages.of([folder], make)

    async def comparison_page(self, before: Path, after: Path) -> Path:
        """The file with the page of a comparison.

        Raises:
            InputError: a run cannot be read, or they cannot be compared.
        """

        async def make() -> Path:
            return await self._made("compare", "--partial", str(before), str(after))

        return await self._pages.of([before, after], make)

    async def digest(self, folder: Path) -> RunDigest:
        """The most important tables of a run, and its disagreements.

        Raises:
            InputError: the run cannot be read.
        """

        async def make() -> RunDigest:
            output = await self._commands.output(_DIGEST, str(folder))
            return msgspec.json.decode(output, type=RunDigest)

        return await self._digests.of([folder], make)

    async def comparison(self, before: Path, after: Path) -> ComparisonDigest:
        """The most important tables of a comparison.

        Raises:
            InputError: a run cannot be read, or they cannot be compared.
        """

        async def make() -> ComparisonDigest:
            output = await self._commands.output(_DIGEST, str(before), str(after))
            return msgspec.json.decode(output, type=ComparisonDigest)

        return await self._digests.of([before, after], make)

    async def _made(self, *words: str) -> Path:
        path = self._folder / f"{uuid4().hex}.html"
        # A comparison has the code 1 if the second run is worse.
        options = ("--format", "html", "--out", str(path))
        await self._commands.output(_COMMAND, *words, *options, codes=(0, 1))
        return path


# The routes of runs.


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


# The runs as a part of the application.


class Runs:
    """Everything about runs.

    Args:
        hub: gets what changes.
        results: the folder of runs.
        scratch: the folder for temporary files.
        allows_files: whether a backend may be a file.
    """

    def __init__(self, hub: Hub, results: Path, scratch: Path, *, allows_files: bool) -> None:
        self._clear: Callable[[Sequence[int]], Awaitable[None]] | None = None
        cores, listing = Cores(), RunListing(results)
        self._sweeps = Sweeps(
            *(hub, results, cores), before=self._clear_cores, changed=self._changed
        )
        self.watch = Watch(hub, listing, self._sweeps, cores)
        self._commands = Commands()
        self._pages = Pages(self._commands, scratch)
        self._routes = RunRoutes(
            *(hub, listing, self._sweeps, self.watch, self._pages, self._commands, scratch),
            allows_files=allows_files,
        )

    def measured(self) -> list[int]:
        """The cores on which sweeps measure now."""
        return self.watch.measured()

    def clears_cores_by(self, clear: Callable[[Sequence[int]], Awaitable[None]]) -> None:
        """Call `clear` with the cores of a sweep before it begins."""
        self._clear = clear

    def routes(self) -> list[Route]:
        """The routes of runs."""
        return self._routes.routes()

    async def close(self) -> None:
        """Stop the running sweep in order, and end all other processes."""
        await self._sweeps.close()
        await self._commands.close()

    async def _clear_cores(self, cores: Sequence[int]) -> None:
        if self._clear is not None:
            await self._clear(cores)

    def _changed(self) -> None:
        self.watch.change()
