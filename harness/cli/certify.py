"""The options --certify and --prover of `harness solve` and `harness count`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.terminal import notice, show, wrapped
from harness.errors import OptionError
from harness.files import require_folder
from harness.records.question import Question, Task
from harness.records.verdict import Verdict

if TYPE_CHECKING:
    from harness.contract.spec import BackendSpec
    from harness.documents.answers import CertificationData
    from harness.experiment.certification import Certification, Certifiers
    from harness.proofs.certificate import Certificate
    from harness.puzzles.puzzle import Puzzle
    from harness.report.reply import Reply
    from harness.session import Session

CertifyOption = Annotated[
    Path | None,
    typer.Option(
        "--certify",
        metavar="FILE",
        help="Prove the number of solutions, check the proof, and write a certificate for "
        "`harness verify`. A name that ends with .gz compresses it.",
    ),
]
ProverOption = Annotated[
    str | None,
    typer.Option(
        "--prover",
        metavar="BACKEND",
        help="Backend that proves for --certify. [default: the chosen backend if it proves, "
        "otherwise cnf[solver=glucose4], and native-jit from --limit 10000]",
    ),
]
RunProverOption = Annotated[
    str | None,
    typer.Option(
        "--prover",
        metavar="BACKEND",
        help="Backend that proves for --certify. [default: cnf[solver=glucose4], and native-jit "
        "from 10000 solutions]",
    ),
]


@dataclass(frozen=True)
class CertifyRequest:
    """What a command proves."""

    file: Path | None = None
    prover: str | None = None

    def __bool__(self) -> bool:
        """Whether a certificate is requested."""
        return self.file is not None

    def check(self, *, has_trace: bool) -> None:
        """Check that the options fit each other, and that the file can be written.

        Raises:
            InputError: they do not, or it cannot; or the prover does not exist.
        """
        if self.prover is not None and self.file is None:
            raise OptionError("needs a file", where="--prover", expected="--certify FILE")
        if self.file is None:
            return
        if has_trace:
            raise OptionError("cannot be combined with --certify", where="--trace")
        if str(self.file) in ("-", ".") or self.file.is_dir():
            raise OptionError("is no file", where=f"--certify {self.file}", expected="a file")
        if not self.file.parent.is_dir():
            raise OptionError(
                f"no such folder: {self.file.parent}",
                where=f"--certify {self.file}",
                expected="a file in a folder that exists",
            )
        if not self.file.exists():
            require_folder(self.file.parent)
        self.chosen()

    def chosen(self) -> "list[BackendSpec]":
        """The prover that the user names; empty if there is none.

        Raises:
            InputError: it does not exist, or is several.
        """
        return prover_of(self.prover)


def prover_of(text: str | None) -> "list[BackendSpec]":
    """The backend that ``--prover`` names; empty without the option.

    Raises:
        InputError: it does not exist, or is several.
    """
    from harness.experiment.selection import expand_specs

    if text is None:
        return []
    specs = expand_specs([text])
    if len(specs) != 1:
        raise OptionError(
            f"{text} names {len(specs)} backends", where="--prover", expected="one backend"
        )
    return specs


@dataclass
class Certifying:
    """The certificates of a command, which `write` writes at its end."""

    request: CertifyRequest
    certifiers: "Certifiers"
    certificates: "list[Certificate]" = field(default_factory=list)

    def add(
        self, session: "Session", question: Question, replies: "Sequence[Reply]"
    ) -> "Certified":
        """Prove the number of solutions of the puzzle of these `replies`."""
        from harness.experiment.refutation import refutation

        puzzle = replies[0].puzzle
        found = self._of_solution(question, replies) or self._proven(
            session, puzzle, question, replies
        )
        refuted: dict[str, str] = {}
        if found.certificate is not None:
            self.certificates.append(found.certificate)
            claim = found.certificate.claim
            for reply in replies:
                if why := refutation(claim, reply.record):
                    refuted[reply.backend] = why
        return Certified(found, refuted, str(self.request.file))

    def _of_solution(
        self, question: Question, replies: "Sequence[Reply]"
    ) -> "Certification | None":
        """The certification of the solution that answers `solve`, without a prover."""
        from harness.experiment.certification import certify_solutions
        from harness.puzzles.puzzle import values_of_line

        for reply in replies:
            if question.task is Task.SOLVE and reply.verdict is Verdict.SOLVED and reply.solution:
                grid = values_of_line(reply.solution)
                return certify_solutions(reply.puzzle, [grid], reply.backend)
        return None

    def _proven(
        self,
        session: "Session",
        puzzle: "Puzzle",
        question: Question,
        replies: "Sequence[Reply]",
    ) -> "Certification":
        from harness.experiment.certification import default_provers

        limit = 1 if question.task is Task.SOLVE else question.limit
        provers = self.request.chosen()
        if not provers:
            specs = [reply.record.trial.spec for reply in replies]
            provers = [*session.proving(specs), *default_provers(limit)]
        return self.certifiers.certify(puzzle, limit, list(dict.fromkeys(provers)))

    def write(self, *, shows: bool) -> None:
        """Write the file, if anything is proven.

        Args:
            shows: whether to print its name.

        Raises:
            HarnessError: it cannot be written.
        """
        from harness.proofs.certificate import write_certificates

        assert self.request.file is not None
        if not self.certificates:
            notice(f"{self.request.file}: not written, because nothing is proven")
            return
        write_certificates(self.request.file, self.certificates)
        if shows:
            show(wrapped(f"certificate: {self.request.file}", 2, first=0))


@contextmanager
def certifying_of(request: CertifyRequest, question: Question) -> "Iterator[Certifying | None]":
    """The certificates of a command, proven within the limits of its `question`."""
    if not request:
        yield None
        return
    from harness.experiment.certification import Certifiers

    timeout_s, memory_mib = question.timeout_s, question.memory_limit_mib
    with Certifiers(timeout_s=timeout_s, memory_mib=memory_mib, notice=notice) as certifiers:
        yield Certifying(request, certifiers)


@dataclass(frozen=True)
class Certified:
    """What is proven of one puzzle."""

    certification: "Certification"
    refuted: dict[str, str]
    """For each backend whose answer is refuted, how it is."""
    file: str

    @property
    def is_finding(self) -> bool:
        """Whether nothing is proven, or an answer is refuted."""
        return self.certification.certificate is None or bool(self.refuted)

    def show(self) -> None:
        """Print what is proven."""
        from harness.text import number_of

        certificate, verified = self.certification.certificate, self.certification.verified
        if certificate is None or verified is None:
            show(wrapped(f"not proven: {self.certification.failure}", 2, first=0))
            return
        line = f"proven: {certificate.claim.in_words}"
        if certificate.claim.is_exact:
            line += (
                f"; {certificate.prover} wrote a proof of {number_of(verified.steps, 'step')} "
                f"for {number_of(verified.clauses, 'clause')}, and the checker accepts it"
            )
        show(wrapped(line, 2, first=0))
        for backend, why in self.refuted.items():
            show(wrapped(f"REFUTED: {backend} {why}", 2, first=0))

    def data(self) -> "CertificationData":
        """The same as a document."""
        from harness.documents.answers import CertificationData

        found, verified = self.certification, self.certification.verified
        certificate = found.certificate
        return CertificationData(
            file=self.file,
            claim=str(certificate.claim) if certificate else None,
            prover=certificate.prover if certificate else "",
            steps=verified.steps if verified else 0,
            clauses=verified.clauses if verified else 0,
            failure=found.failure,
            refuted=self.refuted,
        )
