"""Puzzles from images, and values that are drawn into a cell."""

import asyncio
import re
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from harness.documents.images import ImageRead
from harness.errors import InputError
from harness.workbench.boards import shape_of
from harness.workbench.bodies import body_of, bytes_of
from harness.workbench.child import Child
from harness.workbench.jobs import Jobs, Report
from harness.workbench.replies import reply
from harness.workbench.stroke_reader import Drawing, Read

_MOST_BYTES: Final = 20 * 10**6
"""The size of the largest file, as `harness read-image` has it."""
_MOST_WAITING: Final = 8
_FOUND: Final = (0, 1)
"""Exit codes of the command with a puzzle: with exactly one solution, and without."""


class ImageReading:
    """Reads images and drawings in processes of their own."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._strokes = _StrokeReader()
        self._waiting = 0
        """Images that are read or wait, with all their bytes in memory."""

    def _ended(self) -> None:
        self._waiting -= 1

    async def close(self) -> None:
        """End the process for drawings."""
        await self._strokes.close()

    def routes(self) -> list[Route]:
        """The routes of images and drawings."""

        async def image(request: Request) -> Response:
            shape = request.query_params.get("shape", "")
            definition = shape_of(shape).definition if shape else ""
            if self._waiting >= _MOST_WAITING:
                raise InputError(
                    f"{_MOST_WAITING} images wait to be read", expected="the end of some of them"
                )
            data = await bytes_of(request, _MOST_BYTES)
            if not data:
                raise InputError("the image is empty", expected="an image file")

            async def work(report: Report) -> None:
                report(await _puzzle(data, definition))

            self._waiting += 1
            return reply(self._jobs.start(work, self._ended))

        async def strokes(request: Request) -> Response:
            return reply(await self._strokes.read(await body_of(request, Drawing)))

        return [
            Route("/api/image", image, methods=["POST"]),
            Route("/api/strokes", strokes, methods=["POST"]),
        ]


async def _puzzle(data: bytes, shape: str) -> ImageRead:
    """The puzzle of an image, by the command `harness read-image`.

    Raises:
        InputError: the image cannot be read, or shows no board.
    """
    options = ("--shape", shape) if shape else ()
    words = ("-m", "harness", "read-image", "-", "--json", *options)
    child = await Child.start(*words, niceness=5, keeps_errors=True)
    try:
        output, errors = await child.communicate(data)
    finally:
        await child.close()
    if child.exit_code not in _FOUND:
        lines = errors.decode(errors="replace").strip().splitlines()
        what = lines[-1] if lines else f"the process ended with exit code {child.exit_code}"
        raise InputError(re.sub(r"^harness: (standard input: )?", "", what))
    return msgspec.json.decode(output, type=ImageRead)


class _StrokeReader:
    """A process that stays between drawings, because its libraries take long to load."""

    def __init__(self) -> None:
        self._child: Child | None = None
        self._lock = asyncio.Lock()

    async def read(self, drawing: Drawing) -> Read:
        """What a drawing shows.

        Raises:
            InputError: it cannot be read.
        """
        async with self._lock:
            if self._child is None or self._child.exit_code is not None:
                self._child = await Child.start("-m", "harness.workbench.stroke_reader")
            is_done = False
            try:
                self._child.write(msgspec.json.encode(drawing))
                found = msgspec.json.decode(await self._child.line(), type=Read)
                is_done = True
            except (OSError, ValueError, msgspec.DecodeError):
                raise InputError("the drawing cannot be read") from None
            finally:
                if not is_done:
                    await self._close()
        if found.error:
            raise InputError(found.error)
        return found

    async def close(self) -> None:
        """End the process."""
        async with self._lock:
            await self._close()

    async def _close(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await child.close()
