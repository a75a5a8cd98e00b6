"""Generated puzzles for the page, as they are found."""

from typing import Final

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from harness.errors import InputError
from harness.puzzles.generate.options import Model
from harness.puzzles.identity.symmetry import Symmetry
from harness.reasoning.levels import Level
from harness.workbench.bodies import body_of
from harness.workbench.child import Child
from harness.workbench.generator import Made, Wanted
from harness.workbench.jobs import Jobs, Report
from harness.workbench.replies import reply

CHOICES: Final = {
    "level": [str(level) for level in Level],
    "symmetry": [str(symmetry) for symmetry in Symmetry],
    "model": [str(model) for model in Model],
}


class Progress(Struct):
    """How far a generator is, with the last puzzle."""

    done: int
    count: int
    made: Made


def routes(jobs: Jobs) -> list[Route]:
    """The routes of the generator."""

    async def start(request: Request) -> Response:
        wanted = await body_of(request, Wanted)
        wanted.request()  # an error shows before the process starts

        async def work(report: Report) -> None:
            await _generated(wanted, report)

        return reply(jobs.start(work))

    async def choices(_: Request) -> Response:
        return reply(CHOICES)

    return [
        Route("/api/generate", start, methods=["POST"]),
        Route("/api/generate", choices),
    ]


async def _generated(wanted: Wanted, report: Report) -> None:
    """Publish each puzzle.

    Raises:
        InputError: there are no further puzzles with these properties.
    """
    child = await Child.start("harness.workbench.generator", niceness=5)
    done = 0
    try:
        child.write(msgspec.json.encode(wanted))
        while line := await child.line():
            made = msgspec.json.decode(line, type=Made)
            if made.error:
                raise InputError(made.error)
            done += 1
            report(Progress(done, wanted.count, made))
    finally:
        await child.close()
    if done < wanted.count:
        raise InputError("the generator ended early")
