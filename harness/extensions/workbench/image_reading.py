"""Puzzles from images, and values that are drawn into a cell."""

import asyncio
from typing import Annotated

from msgspec import Meta, Raw, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from harness.base.errors import InputError
from harness.extensions.images.scan import MOST_BYTES
from harness.extensions.workbench.answering import Put
from harness.extensions.workbench.boards import shape_of
from harness.extensions.workbench.jobs import Jobs, Report
from harness.extensions.workbench.messages import body_of, bytes_of, reply
from harness.extensions.workbench.processes import Answering, command_output

Coordinate = Annotated[float, Meta(ge=-1e6, le=1e6)]


class Strokes(Struct, frozen=True, forbid_unknown_fields=True):
    """What is drawn into a cell."""

    strokes: Annotated[list[list[tuple[Coordinate, Coordinate]]], Meta(max_length=200)]
    """The strokes; x and y of their points, from 0 at the left and the top of the cell to 1."""
    size: Annotated[int, Meta(ge=1, le=25)] = 9
    """Cells a side of the board."""


def read(drawing: Strokes, put: Put) -> None:
    """Send the probabilities that a drawing shows a blank, and each value from 1."""
    from harness.extensions.images.classifier import read_strokes

    put({"probabilities": read_strokes(drawing.strokes, drawing.size)})


class ImageReading:
    """Reads images and drawings in processes of their own."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        function = "harness.extensions.workbench.image_reading:read"
        self._strokes = Answering(function, "the drawing cannot be read")
        self._turn = asyncio.Lock()

    async def close(self) -> None:
        """End the process for drawings."""
        await self._strokes.close()

    def routes(self) -> list[Route]:
        """The routes of images and drawings."""

        async def image(request: Request) -> Response:
            shape = request.query_params.get("shape", "")
            definition = shape_of(shape).definition if shape else ""
            data = await bytes_of(request, MOST_BYTES)
            if not data:
                raise InputError("the image is empty", expected="an image file")

            words = ["read-image", "-", "--json"]
            words += ["--shape", definition] if definition else []

            async def work(report: Report) -> None:
                try:
                    # The command prints a puzzle with code 1, too, if the reading is uncertain.
                    output = await command_output(*words, data=data, codes=(0, 1), niceness=5)
                except InputError as error:
                    raise InputError(str(error).removeprefix("standard input: ")) from None
                report(Raw(output))

            return reply(self._jobs.start(work))

        async def strokes(request: Request) -> Response:
            drawing = await body_of(request, Strokes)
            async with self._turn:
                return reply(await self._strokes.answer(drawing, Raw))

        return [
            Route("/api/image", image, methods=["POST"]),
            Route("/api/strokes", strokes, methods=["POST"]),
        ]
