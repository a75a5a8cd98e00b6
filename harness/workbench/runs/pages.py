"""The tables and the pages of runs, made in a process and again after a change of a store."""

import asyncio
import tempfile
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar
from uuid import uuid4

import msgspec

from harness.workbench.commands import Commands
from harness.workbench.runs.digest import ComparisonDigest, RunDigest
from harness.workbench.runs.facts import stamp_of

_MOST_PAGES: Final = 12
_MOST_DIGESTS: Final = 100
_DIGEST: Final = "harness.workbench.runs.digest"
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
