"""Work that a page starts and can cancel: generated puzzles and certificates."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import asdict
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from harness.base.errors import HarnessError, InputError
from harness.extensions.certificates.certificate import write_certificates
from harness.extensions.certificates.certify import Certifiers, default_provers, refutation
from harness.extensions.generate.levels import with_level
from harness.extensions.generate.options import Clues, GenerationRequest, Model
from harness.extensions.generate.request import generate
from harness.extensions.reasoning.ladder import Level
from harness.extensions.workbench.answering import Put, at_end
from harness.extensions.workbench.boards import PuzzleData, puzzle_data, shape_of
from harness.extensions.workbench.cores import default_memory_mib
from harness.extensions.workbench.messages import Hub, body_of, labels_in, reply, sentence
from harness.extensions.workbench.processes import Answering
from harness.extensions.workbench.questions import MOST_AT_ONCE, session
from harness.extensions.workbench.register import PageWork, Register
from harness.puzzles import Symmetry
from harness.records import Task
from harness.runs import question_of

# Work that a page starts, which takes a while and can be cancelled.


_MOST_WAITING: Final = 100

Report = Callable[[Any], None]
"""Publishes a part of a result."""
Work = Callable[[Report], Awaitable[None]]
"""Does the work of a job, and reports the parts of its result."""


class JobState(Struct):
    """What is known about a job."""

    job: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    parts: list[Any] = []
    """The parts of its result."""
    error: str = ""


class _Job(PageWork):
    def __init__(self) -> None:
        super().__init__()
        self.state = JobState(self.name, "waiting")


class Jobs:
    """The jobs of all pages; at most four run at once."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._register = Register[_Job]("job", most_kept=200)
        self._running = asyncio.Semaphore(4)

    def start(self, work: Work) -> JobState:
        """Start a job.

        Raises:
            InputError: too many jobs wait or run already.
        """
        if len(self._register.open) >= _MOST_WAITING:
            raise InputError(f"{_MOST_WAITING} jobs wait or run", expected="the end of one of them")
        job = _Job()
        self._register.add(job, self._run(job.state, work))
        return job.state

    async def close(self) -> None:
        """End all jobs."""
        await self._register.close()

    def routes(self) -> list[Route]:
        """The routes of jobs."""

        async def state(request: Request) -> Response:
            return reply(self._register.named(request.path_params["name"]).state)

        return [Route("/api/jobs/{name}", state), self._register.cancel_route("/api/jobs")]

    async def _run(self, state: JobState, work: Work) -> None:
        def publish(part: Any = None) -> None:
            if part is not None:
                state.parts.append(part)
            event = {"job": state.job, "state": state.state, "part": part, "error": state.error}
            self._hub.publish("job", event)

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


class NewPuzzles(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The puzzles that a page requests; the names are those of `harness generate`."""

    shape: str
    count: Annotated[int, Meta(ge=1, le=1_000)] = 1
    seed: Annotated[int, Meta(ge=0, le=2**53)] = 0
    clues: Annotated[str, Meta(max_length=20)] = ""
    minimal: bool = False
    level: Level | None = None
    solutions: Annotated[int, Meta(ge=0, le=1_000)] = 1
    symmetry: Symmetry | None = None
    model: Model | None = None
    hard: Annotated[int, Meta(ge=0, le=10_000)] = 0
    pencilmarks: bool = False

    def request(self) -> GenerationRequest:
        """The request for the generator.

        Raises:
            InputError: options are malformed, or exclude each other.
        """
        shape = shape_of(self.shape)
        clues = Clues.parse(self.clues, shape) if self.clues else None
        options = asdict(self) | {"shape": shape, "clues": clues}
        del options["level"]
        request = GenerationRequest(**options)
        return with_level(request, self.level) if self.level else request


def generated(new: NewPuzzles, put: Put) -> None:
    """Generate puzzles, in a process of its own.

    With each puzzle comes what is known about the number of its solutions, in words.

    Raises:
        HarnessError: there are no further puzzles with these properties.
    """
    for result in generate(new.request()):
        solutions = result.expected_count.text if result.expected_count else ""
        puzzle = puzzle_data(result.puzzle, f"{new.shape} seed {new.seed} number {result.number}")
        put({"number": result.number, "puzzle": puzzle, "solutions": solutions})


def generator_routes(jobs: Jobs) -> list[Route]:
    """The routes of the generator."""

    async def start(request: Request) -> Response:
        new = await body_of(request, NewPuzzles)
        new.request()  # an error shows before the process starts

        async def work(report: Report) -> None:
            function = "harness.extensions.workbench.jobs:generated"
            done = 0
            async with Answering(function, "the generator ended early", niceness=5) as generator:
                async for puzzle in generator.parts(new):
                    done += 1
                    report({"done": done, "count": new.count, "made": puzzle})

        return reply(jobs.start(work))

    async def choices(_: Request) -> Response:
        return reply({"level": [*Level], "symmetry": [*Symmetry], "model": [*Model]})

    return [
        Route("/api/generate", start, methods=["POST"]),
        Route("/api/generate", choices),
    ]


# Proofs of the number of solutions of a puzzle, in a file for `harness verify`.


_FILE: Final = "number-of-solutions.cert"


class NewCertificate(Struct, forbid_unknown_fields=True):
    """What is to be proven: how many solutions a puzzle has, up to a limit."""

    puzzle: PuzzleData
    configurations: Annotated[list[str], Meta(min_length=1, max_length=12)]
    """The configurations whose answers the proof judges."""
    limit: Annotated[int, Meta(ge=1, le=10**6)] = 1000
    timeout_s: Annotated[float, Meta(gt=0, le=86_400)] = 60.0
    """The limit for the proof and for each answer, in seconds of wall time."""


class CertificateQuery(Struct, frozen=True):
    """A query for the process that makes proofs."""

    new: NewCertificate
    labels: list[str]
    """The specs of the configurations, each once."""
    folder: str
    """The folder of the certificate."""
    memory_mib: int


def certify(query: CertificateQuery, put: Put) -> None:
    """Prove a number of solutions, then ask the configurations: the proof may refute their answers.

    ``name`` is that of the certificate, which exists if something is proven; ``refuted`` has the
    reason for each configuration whose answer the proof refutes.

    Raises:
        HarnessError: no prover or a configuration is not available.
    """
    new, folder = query.new, Path(query.folder)
    puzzle = new.puzzle.puzzle()
    certifiers = _certifiers(new.timeout_s, query.memory_mib)
    certification = certifiers.certify(puzzle, new.limit, default_provers(new.limit))
    page_proof: dict[str, Any] = {
        "name": folder.name,
        "proven": certification.proven,
        "refuted": {},
    }
    if certification.certificate is None:
        put(page_proof)
        return
    write_certificates(folder / _FILE, [certification.certificate])
    put(page_proof)
    if query.labels:
        question = question_of(
            Task.COUNT,
            max_solutions=new.limit,
            timeout=new.timeout_s,
            memory=query.memory_mib,
        )
        replies = session().ask(puzzle, query.labels, question)
        number = certification.proven.number
        reasons = {reply.backend: refutation(number, reply.record) for reply in replies}
        if refuted := {backend: why for backend, why in reasons.items() if why}:
            put(page_proof | {"refuted": refuted})


_CERTIFIERS: Final[dict[tuple[float, int], Certifiers]] = {}


def _certifiers(timeout_s: float, memory_mib: int) -> Certifiers:
    """The provers of this process for these limits; those for other limits end."""
    key = timeout_s, memory_mib
    if key not in _CERTIFIERS:
        while _CERTIFIERS:
            _CERTIFIERS.popitem()[1].__exit__()
        _CERTIFIERS[key] = at_end().enter_context(
            Certifiers(timeout_s=timeout_s, memory_mib=memory_mib)
        )
    return _CERTIFIERS[key]


class Certificates:
    """Certificates of this start of the server, in its folder for temporary files."""

    def __init__(self, jobs: Jobs, scratch: Path, *, allows_files: bool) -> None:
        self._jobs, self._allows_files = jobs, allows_files
        self._folder = Path(tempfile.mkdtemp(prefix="certificates-", dir=scratch))
        self._spare = self._process()
        """The process of the next proof."""

    @staticmethod
    def _process() -> Answering:
        function = "harness.extensions.workbench.jobs:certify"
        return Answering(function, "the process for proofs ended early", niceness=5)

    async def prepare(self) -> None:
        """Make a small proof in the process of the next one, which then comes at once."""
        puzzle = PuzzleData("4x4", [1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 0])
        with suppress(InputError):
            await self._parts(NewCertificate(puzzle, [""]), [], lambda _: None)

    async def close(self) -> None:
        """End the process of the next proof."""
        await self._spare.close()

    def routes(self) -> list[Route]:
        """The routes of certificates."""

        async def start(request: Request) -> Response:
            new = await body_of(request, NewCertificate)
            specs = new.configurations
            labels = labels_in(specs, MOST_AT_ONCE, allows_files=self._allows_files)
            new.puzzle.puzzle()
            return reply(self._jobs.start(lambda report: self._parts(new, labels, report)))

        async def file(request: Request) -> Response:
            paths = {path.parent.name: path for path in self._folder.glob(f"*/{_FILE}")}
            path = paths.get(request.path_params["name"])
            if path is None:
                raise InputError("there is no certificate", expected="a proof that has ended")
            return FileResponse(path, filename=_FILE, media_type="text/plain")

        return [
            Route("/api/certificates", start, methods=["POST"]),
            Route("/api/certificates/{name}", file),
        ]

    async def _parts(self, new: NewCertificate, labels: list[str], report: Report) -> None:
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        query = CertificateQuery(new, labels, str(folder), default_memory_mib())
        process, self._spare = self._spare, self._process()
        try:
            async for part in process.parts(query):
                report(part)
        finally:
            process, self._spare = self._spare, process
            await process.close()
