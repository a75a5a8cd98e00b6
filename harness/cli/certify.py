"""Certificates on the command line: `--certify`, `--prover`, and `harness verify`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from harness.cli.options import JsonOption, choice_option
from harness.cli.progress import counting
from harness.cli.terminal import notice, show, theme_of, wrapped
from harness.errors import OptionError
from harness.files import require_folder
from harness.proofs.second_opinion import SecondOpinion
from harness.puzzles.solution_count import SolutionCount
from harness.records.question import Question, Task, Verdict
from harness.report.formatting import Style
from harness.text import number_of

if TYPE_CHECKING:
    from harness.analysis.agreement import ExactClaims
    from harness.analysis.run import Run
    from harness.contract.options import BackendSpec
    from harness.proofs.certificate import Certificate
    from harness.proofs.verify import Verification
    from harness.puzzles.puzzle import Puzzle
    from harness.report.documents import CertificateData, CertificationData, CertifiedRunData
    from harness.report.reply import Reply
    from harness.runs.certify import Certification, Certifiers
    from harness.session import Session


# The options --certify and --prover of `harness solve` and `harness count`.


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
    from harness.runs.selection import expand_specs

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
        from harness.runs.certify import refutation

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
        from harness.puzzles.puzzle import values_of_line
        from harness.runs.certify import certify_solutions

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
        from harness.runs.certify import default_provers

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
    from harness.runs.certify import Certifiers

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
        line = f"proven: {certificate.claim}"
        if certificate.claim.exact:
            line += (
                f"; {certificate.prover} wrote a proof of {number_of(verified.steps, 'step')} "
                f"for {number_of(verified.clauses, 'clause')}, and the checker accepts it"
            )
        show(wrapped(line, 2, first=0))
        for backend, why in self.refuted.items():
            show(wrapped(f"REFUTED: {backend} {why}", 2, first=0))

    def data(self) -> "CertificationData":
        """The same as a document."""
        from harness.report.documents import CertificationData

        found, verified = self.certification, self.certification.verified
        certificate = found.certificate
        return CertificationData(
            file=self.file,
            claim=certificate.claim.as_claim if certificate else None,
            prover=certificate.prover if certificate else "",
            steps=verified.steps if verified else 0,
            clauses=verified.clauses if verified else 0,
            failure=found.failure,
            refuted=self.refuted,
        )


# `harness run --certify`: proofs of the exact numbers of solutions that a run states.


_CERTIFIED_RUN_MOST_SHOWN: Final = 10
"""Refuted answers, and reasons of missing proofs, that have a line each."""

CertifyRunOption = Annotated[
    bool,
    typer.Option(
        "--certify",
        help="After the trials, prove each exact number of solutions that an answer states, "
        "`no solution` too; certificates for `harness verify` go into the folder of the run.",
    ),
]


@dataclass
class CertifiedRun:
    """What is proven of the answers of a run."""

    folder: Path
    puzzles: int
    proven: int = 0
    refuted: "list[tuple[ExactClaims, str, int, SolutionCount]]" = field(default_factory=list)
    """The claims on a puzzle, a backend, the number that it states, and what is proven."""
    unproven: "list[tuple[ExactClaims, str]]" = field(default_factory=list)
    """The claims on a puzzle, and why nothing is proven."""
    interruption: KeyboardInterrupt | None = None

    def show(self) -> None:
        """Print the refuted answers, the reasons of missing proofs, and one line on all."""
        if not self.puzzles:
            show("certificates: no answer states an exact number of solutions")
            return
        theme = theme_of()
        for claims, backend, stated, claim in self.refuted[:_CERTIFIED_RUN_MOST_SHOWN]:
            line = (
                f"REFUTED: {backend} on {claims.dataset}:{claims.name} claims "
                f"{SolutionCount.of(stated)}, but a proof shows {claim}"
            )
            show(theme.styled(wrapped(line, 2, first=0), Style.BAD))
        if len(self.refuted) > _CERTIFIED_RUN_MOST_SHOWN:
            more = number_of(
                len(self.refuted) - _CERTIFIED_RUN_MOST_SHOWN, "further refuted answer"
            )
            show(theme.styled(f"... and {more}", Style.BAD))
        reasons = Counter(reason for _, reason in self.unproven)
        for reason, number in reasons.most_common(_CERTIFIED_RUN_MOST_SHOWN):
            show(wrapped(f"not proven: {number_of(number, 'puzzle')}: {reason}", 2, first=0))
        done = self.proven + len(self.unproven)
        parts = [f"{self.proven:,} of {number_of(self.puzzles, 'puzzle')} proven"]
        parts.append(f"{number_of(len(self.refuted), 'answer')} refuted")
        if self.unproven:
            parts.append(f"{len(self.unproven):,} not proven")
        if done < self.puzzles:
            parts.append(f"{self.puzzles - done:,} left")
        show(wrapped(f"certificates: {', '.join(parts)}; {self.folder}", 2, first=0))

    def data(self) -> "CertifiedRunData":
        """The same as a document."""
        from harness.report.documents import CertifiedRunData, RefutedData, UnprovenData

        return CertifiedRunData(
            folder=str(self.folder),
            puzzles=self.puzzles,
            proven=self.proven,
            refuted=[
                RefutedData(
                    backend=backend,
                    dataset=claims.dataset,
                    name=claims.name,
                    puzzle_id=claims.puzzle_id,
                    stated=stated,
                    proven=claim.as_claim,
                )
                for claims, backend, stated, claim in self.refuted
            ],
            unproven=[
                UnprovenData(
                    dataset=claims.dataset,
                    name=claims.name,
                    puzzle_id=claims.puzzle_id,
                    reason=reason,
                )
                for claims, reason in self.unproven
            ],
            interrupted=self.interruption is not None,
        )


def certify_run(
    run: "Run", provers: "Sequence[BackendSpec]", *, timeout_s: float, memory_mib: int
) -> CertifiedRun:
    """Prove each exact number of solutions that an answer of `run` states.

    Args:
        run: the run, whose folder gets the certificates.
        provers: the backends that prove; empty for the default ones.
        timeout_s: limit of wall time for each proof, in seconds.
        memory_mib: limit of memory of a prover in MiB; 0 for no limit.

    Raises:
        HarnessError: no prover is available, or a certificate cannot be written.
    """
    from harness.analysis.agreement import exact_claims
    from harness.proofs import kernel
    from harness.runs.certify import RunCertificates

    every = exact_claims(run.trials)
    if every and not kernel.is_cached():
        notice("compiling the checker of proofs for this machine, once: a few seconds")
    with RunCertificates(
        run.folder, provers, timeout_s=timeout_s, memory_mib=memory_mib, notice=notice
    ) as certificates:
        found = CertifiedRun(certificates.folder, len(every))
        try:
            with counting("certifying", len(every)) as advance:
                for claims in every:
                    numbers = [number for _, number in claims.numbers]
                    made = certificates.certify(claims.puzzle, numbers)
                    advance(None)
                    if made.certificate is None:
                        found.unproven.append((claims, made.failure))
                        continue
                    claim = made.certificate.claim
                    found.proven += 1
                    found.refuted += [
                        (claims, backend, number, claim)
                        for backend, number in claims.numbers
                        if claim.excludes(SolutionCount.of(number))
                    ]
        except KeyboardInterrupt as interruption:
            found.interruption = interruption
    return found


# `harness verify`: whether the claims of certificates are proven.


_VERIFY_MOST_SHOWN: Final = 20
"""Claims up to which each proven one has a line."""

FilesArgument = Annotated[
    list[Path],
    typer.Argument(metavar="FILE", help="Files of certificates; - for standard input."),
]
SecondOpinionOption = Annotated[
    SecondOpinion,
    choice_option(
        SecondOpinion,
        "--second-opinion",
        "Whether the package dratify also checks each proof; available: if it is installed and "
        "takes at most half a minute.",
    ),
]


def verify(
    files: FilesArgument,
    second_opinion: SecondOpinionOption = SecondOpinion.AVAILABLE,
    as_json: JsonOption = False,
) -> None:
    """Check whether the claims of certificates are proven.

    Nothing that a backend wrote is believed: the verifier makes the clauses from the houses of
    the shape, checks each solution, and checks each step of a proof. Exit code 1: a claim is not
    proven. Exit code 2: a file is malformed.
    """
    from harness.proofs import kernel
    from harness.proofs import second_opinion as second
    from harness.proofs.certificate import read_certificates
    from harness.proofs.verify import verify as checked

    if second_opinion is SecondOpinion.REQUIRED:
        second.require()
    certificates: list[Certificate] = [c for file in files for c in read_certificates(file)]
    if not kernel.is_cached():
        notice("compiling the checker of proofs for this machine, once: a few seconds")
    found = []
    with counting("verifying", len(certificates)) as advance:
        for certificate in certificates:
            found.append(checked(certificate, second_opinion))
            advance(None)
    if as_json:
        from harness.report.documents import Verified, json

        proven = all(of.proven for of in found)
        show(json(Verified(proven=proven, claims=[_data(of) for of in found])), end="")
    else:
        _show(found)
    if not all(of.proven for of in found):
        raise typer.Exit(1)


def _show(found: "Sequence[Verification]") -> None:
    theme = theme_of()
    for of in found:
        certificate = of.certificate
        puzzle, claim = certificate.puzzle, certificate.claim
        what = f"{claim} of a {puzzle.shape} puzzle with {number_of(puzzle.clues, 'clue')}"
        if not of.proven:
            verdict = "REFUTED" if of.refuted else "not proven"
            line = f"{certificate.place}: {verdict}: {what}: {of.reason}"
            show(theme.styled(wrapped(line, 2, first=0), Style.BAD))
        elif len(found) <= _VERIFY_MOST_SHOWN:
            show(wrapped(f"{certificate.place}: proven: {what}", 2, first=0))
    proven = [of for of in found if of.proven]
    if len(found) > 1:
        show(wrapped(f"{len(proven):,} of {number_of(len(found), 'claim')} are proven", indent=0))
    if proven:
        show(wrapped(f"trusted: {'; '.join(_trusted(proven))}", 2, first=0))
    if left_out := [of.left_out for of in found if of.left_out]:
        claims = f" for {number_of(len(left_out), 'claim')}" if len(found) > 1 else ""
        line = f"no second opinion{claims}: {left_out[0]}; --second-opinion required waits for it"
        show(wrapped(line, 2, first=0))


def _trusted(proven: "Sequence[Verification]") -> list[str]:
    """What must be trusted to trust all these results."""
    if len({tuple(of.trusted) for of in proven}) == 1:
        return proven[0].trusted
    found = ["the houses of the shapes"]
    if any(of.certificate.solutions for of in proven):
        found.append("the comparison of solutions with the puzzles")
    checkers = [of.trusted[-1] for of in proven if of.verdict is not None]
    if checkers:
        found.append("the clauses of the formulas")
    return [*found, *dict.fromkeys(checkers)]


def _data(of: "Verification") -> "CertificateData":
    from harness.report.documents import CertificateData

    certificate = of.certificate
    return CertificateData(
        place=certificate.place,
        puzzle=certificate.puzzle.line,
        shape=certificate.puzzle.shape.definition,
        claim=certificate.claim.as_claim,
        prover=certificate.prover,
        proven=of.proven,
        refuted=of.refuted,
        reason=of.reason,
        solutions=len(certificate.solutions),
        clauses=of.clauses,
        steps=of.steps,
        checker=None if of.verdict is None else of.verdict.accepted,
        second_opinion=None if of.second_verdict is None else of.second_verdict.accepted,
        trusted=of.trusted if of.proven else [],
    )
