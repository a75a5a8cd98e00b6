"""Work that a page starts and can cancel: generated puzzles and certificates."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from uuid import uuid4

import msgspec
from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from harness.errors import HarnessError, InputError
from harness.puzzles.generate.options import Model
from harness.puzzles.symmetry import Symmetry
from harness.reasoning.ladder import Level
from harness.report.documents import SolveDocument
from harness.workbench.boards import PuzzleData, write
from harness.workbench.bodies import body_of, reply, sentence
from harness.workbench.child import Child, command_output
from harness.workbench.cores import default_memory_mib
from harness.workbench.generator import Made, Wanted
from harness.workbench.hub import Hub
from harness.workbench.questions import Questions

# Work that a page starts, which takes a while and can be cancelled.


TOPIC: Final = "job"
_MOST_AT_ONCE: Final = 4
_MOST_WAITING: Final = 100
_MOST_KEPT: Final = 200

Report = Callable[[Any], None]
"""Publishes a part of a result."""
Work = Callable[[Report], Awaitable[None]]
"""Does the work."""


_State = Literal["waiting", "running", "done", "failed", "cancelled"]


class JobState(Struct):
    """What is known of a job."""

    job: str
    state: _State
    parts: list[Any] = []
    """The parts of its result."""
    error: str = ""


class JobEvent(Struct, frozen=True):
    """A change of a job."""

    job: str
    state: _State
    part: Any = None
    """The new part of its result, if there is one."""
    error: str = ""


class Jobs:
    """The jobs of all pages; a few run at once."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._states: dict[str, JobState] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._running = asyncio.Semaphore(_MOST_AT_ONCE)

    def start(self, work: Work, ended: Callable[[], None] = lambda: None) -> JobState:
        """Start a job; `ended` is called at its end, however it ends.

        Raises:
            InputError: too many wait already.
        """
        if len(self._tasks) >= _MOST_WAITING:
            raise InputError(f"{_MOST_WAITING} jobs wait", expected="the end of some of them")
        name = uuid4().hex[:12]
        state = self._states[name] = JobState(name, "waiting")
        while len(self._states) > _MOST_KEPT:
            finished = [of for of in self._states if of not in self._tasks]
            del self._states[finished[0]]
        task = asyncio.create_task(self._run(state, work))
        self._tasks[name] = task
        task.add_done_callback(lambda _: self._tasks.pop(name, None))
        task.add_done_callback(lambda _: ended())
        return state

    def state(self, name: str) -> JobState:
        """What is known of a job.

        Raises:
            InputError: there is no such job.
        """
        if name not in self._states:
            raise InputError(f"unknown job {name!r:.40}", expected="a job of this start")
        return self._states[name]

    def cancel(self, name: str) -> None:
        """End a job.

        Raises:
            InputError: there is no such job.
        """
        self.state(name)
        if name in self._tasks:
            self._tasks[name].cancel()

    async def close(self) -> None:
        """End all jobs."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def routes(self) -> list[Route]:
        """The routes of jobs."""

        async def state(request: Request) -> Response:
            return reply(self.state(request.path_params["name"]))

        async def cancel(request: Request) -> Response:
            self.cancel(request.path_params["name"])
            return reply({})

        return [
            Route("/api/jobs/{name}", state),
            Route("/api/jobs/{name}", cancel, methods=["DELETE"]),
        ]

    async def _run(self, state: JobState, work: Work) -> None:
        def publish(part: Any = None) -> None:
            if part is not None:
                state.parts.append(part)
            self._hub.publish(TOPIC, JobEvent(state.job, state.state, part, state.error))

        try:
            async with self._running:
                state.state = "running"
                publish()
                await work(publish)
            state.state = "done"
        except asyncio.CancelledError:
            state.state = "cancelled"
        except HarnessError as error:
            state.state, state.error = "failed", sentence(error)
        publish()


# Generated puzzles for the page, as they are found.


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


# Proofs of the number of solutions of a puzzle, in a file for `harness verify`.


_FILE: Final = "number-of-solutions.cert"
_PUZZLE: Final = "puzzle.jsonl"
_MOST_S: Final = 86_400.0
"""Seconds of the command; the limit of the request is for each of its questions."""


class NewCertificate(Struct, forbid_unknown_fields=True):
    """What is to be proven: how many solutions a puzzle has, up to a limit."""

    puzzle: PuzzleData
    configurations: Annotated[list[str], Meta(min_length=1, max_length=12)]
    """The configurations whose answers the proof judges."""
    limit: Annotated[int, Meta(ge=1, le=10**6)] = 1000
    timeout_s: Annotated[float, Meta(gt=0, le=86_400)] = 300.0


class Certified(Struct, frozen=True):
    """What was proven."""

    name: str
    """The name of the certificate; there is one if there is a claim."""
    claim: str | None
    """``exactly 1``, ``at least 7``; None if nothing is proven."""
    prover: str
    failure: str
    """Why nothing is proven."""
    refuted: dict[str, str]
    """For each backend whose answer the proof refutes, how it does."""


class Certificates:
    """Certificates of this start of the server, in its folder for temporary files."""

    def __init__(self, jobs: Jobs, questions: Questions, scratch: Path) -> None:
        self._jobs = jobs
        self._questions = questions
        self._folder = Path(tempfile.mkdtemp(prefix="certificates-", dir=scratch))
        self._names: set[str] = set()
        """The folders of the certificates, in `folder`."""

    def routes(self) -> list[Route]:
        """The routes of certificates."""

        async def start(request: Request) -> Response:
            new = await body_of(request, NewCertificate)
            return reply(self._start(new))

        async def file(request: Request) -> Response:
            name = request.path_params["name"]
            path = self._folder / name / _FILE
            if name not in self._names or not path.is_file():
                raise InputError("there is no certificate", expected="a proof that has ended")
            return FileResponse(path, filename=_FILE, media_type="text/plain")

        return [
            Route("/api/certificates", start, methods=["POST"]),
            Route("/api/certificates/{name}", file),
        ]

    def _start(self, new: NewCertificate) -> object:
        labels = [label for spec in new.configurations for label in self._questions.labels(spec)]
        text = write(new.puzzle, "jsonl")
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        (folder / _PUZZLE).write_text(text)

        async def work(report: Report) -> None:
            report(await _certification(folder, new, labels))

        self._names.add(folder.name)
        return self._jobs.start(work)


async def _certification(folder: Path, new: NewCertificate, labels: list[str]) -> Certified:
    """The proof, by the command `harness count`."""
    output = await command_output(
        *("harness", "count", str(folder / _PUZZLE), "--certify", str(folder / _FILE)),
        *("--limit", str(new.limit), "--timeout", str(new.timeout_s), "--json"),
        *("--memory", str(default_memory_mib())),
        *(word for label in labels for word in ("--backend", label)),
        most_s=_MOST_S,
        codes=(0, 1),
        niceness=5,
    )
    found = msgspec.json.decode(output, type=SolveDocument)
    certification = found.certification
    if certification is None:
        raise InputError("nothing was proven")
    return Certified(
        folder.name,
        certification.claim,
        certification.prover,
        certification.failure,
        certification.refuted,
    )
