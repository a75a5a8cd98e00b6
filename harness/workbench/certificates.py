"""Proofs of the number of solutions of a puzzle, in a file for `harness verify`."""

import tempfile
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from harness.documents.answers import Solved
from harness.errors import InputError
from harness.workbench.boards import PuzzleData, write
from harness.workbench.bodies import body_of
from harness.workbench.commands import command_output
from harness.workbench.jobs import Jobs, Report
from harness.workbench.memory import default_memory_mib
from harness.workbench.questions import Questions
from harness.workbench.replies import reply

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
    found = msgspec.json.decode(output, type=Solved)
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
