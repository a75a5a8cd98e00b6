"""Proofs with `--certify`: of the answers to one puzzle, and of the answers of a run."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

from harness.base.errors import OptionError, PuzzleError, located
from harness.base.files import require_folder
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.progress import counting
from harness.cli.terminal import notice, show, theme_of, wrapped
from harness.contract.options import BackendSpec
from harness.extensions.certificates.certificate import Certificate, write_certificates
from harness.extensions.certificates.certify import (
    Certification,
    Certifiers,
    RunCertificates,
    certify_solutions,
    default_provers,
    refuted_by,
)
from harness.extensions.certificates.cli.verify import notice_compilation
from harness.extensions.certificates.formula import require_few_clauses
from harness.puzzles.puzzle import Puzzle, values_of_line
from harness.puzzles.solution_count import SolutionCount
from harness.records.question import Question, Task, Verdict
from harness.report.documents import (
    CertificationData,
    CertifiedRunData,
    RefutedData,
    UnprovenData,
)
from harness.report.formatting import Style
from harness.report.reply import Reply
from harness.runs.selection import expand_specs
from harness.session import Session


def prover_of(text: str | None) -> list[BackendSpec]:
    """The backend that ``--prover`` names; empty without the option.

    Raises:
        InputError: it does not exist, or is several.
    """
    specs = [] if text is None else expand_specs([text])
    if len(specs) > 1:
        raise OptionError(
            f"{text} names {len(specs)} backends", where="--prover", expected="one backend"
        )
    return specs


def _in_words(claim: str) -> str:
    """``exactly 1 solution`` for the claim ``exactly 1``."""
    kind, _, number = claim.rpartition(" ")
    return str(SolutionCount.of(int(number), kind == "exactly"))


# Certificates for the answers of `harness solve` and `harness count`.


class Certifying:
    """The certificates of a command; use it as a context manager, and `write` at the end.

    Args:
        file: the file of the certificates.
        prover: the backend that the user names; None for the default ones.
        question: the question whose limits hold for each proof.

    Raises:
        InputError: the file cannot be written, or the prover does not exist.
    """

    def __init__(self, file: Path, prover: str | None, question: Question) -> None:
        _require_writable(file)
        self._file, self._question = file, question
        self._provers = prover_of(prover)
        self._certifiers = Certifiers(
            timeout_s=question.timeout_s, memory_mib=question.memory_limit_mib, notice=notice
        )
        self._certificates: list[Certificate] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._certifiers.__exit__(*error)

    def check(self, puzzle: Puzzle) -> None:
        """Check before a count that a proof of it can be checked; a solution needs no proof.

        Raises:
            PuzzleError: the shape is too large.
        """
        if self._question.task is Task.COUNT:
            with located("--certify", PuzzleError):
                require_few_clauses(puzzle.shape)

    def add(self, session: Session, replies: Sequence[Reply]) -> CertificationData:
        """Prove the number of solutions of the puzzle of these `replies`."""
        made = self._of_solution(replies) or self._proven(session, replies[0].puzzle, replies)
        certificate, verified = made.certificate, made.verified
        refuted: dict[str, str] = {}
        if certificate is not None:
            self._certificates.append(certificate)
            refuted = refuted_by(certificate.claim, replies)
        return CertificationData(
            file=str(self._file),
            claim=certificate.claim.as_claim if certificate else None,
            prover=certificate.prover if certificate else "",
            steps=verified.steps if verified else 0,
            clauses=verified.clauses if verified else 0,
            failure=made.failure,
            refuted=refuted,
        )

    def _of_solution(self, replies: Sequence[Reply]) -> Certification | None:
        """The certification of the solution that answers `solve`, without a prover."""
        for reply in replies:
            is_solution = self._question.task is Task.SOLVE and reply.verdict is Verdict.SOLVED
            if is_solution and reply.solution:
                grid = values_of_line(reply.solution)
                return certify_solutions(reply.puzzle, [grid], reply.backend)
        return None

    def _proven(self, session: Session, puzzle: Puzzle, replies: Sequence[Reply]) -> Certification:
        limit = 1 if self._question.task is Task.SOLVE else self._question.limit
        provers = self._provers
        if not provers:
            specs = [reply.record.trial.spec for reply in replies]
            provers = [*session.proving(specs), *default_provers(limit)]
        return self._certifiers.certify(puzzle, limit, list(dict.fromkeys(provers)))

    def write(self, *, shows: bool) -> None:
        """Write the file, if anything is proven.

        Args:
            shows: whether to print its name.

        Raises:
            HarnessError: it cannot be written.
        """
        if not self._certificates:
            notice(f"{self._file}: not written, because nothing is proven")
            return
        write_certificates(self._file, self._certificates)
        if shows:
            show(wrapped(f"certificate: {self._file}", 2, first=0))


def _require_writable(file: Path) -> None:
    """Require that ``--certify`` names a file that can be made, before a backend runs.

    Raises:
        InputError: it does not.
    """
    if str(file) in ("-", ".") or file.is_dir():
        raise OptionError("is no file", where=f"--certify {file}", expected="a file")
    if not file.parent.is_dir():
        raise OptionError(
            f"no such folder: {file.parent}",
            where=f"--certify {file}",
            expected="a file in a folder that exists",
        )
    if not file.exists():
        require_folder(file.parent)


def show_certification(proven: CertificationData) -> None:
    """Print what is proven of one puzzle."""
    if proven.claim is None:
        show(wrapped(f"not proven: {proven.failure}", 2, first=0))
        return
    line = f"proven: {_in_words(proven.claim)}"
    if proven.claim.startswith("exactly"):
        line += (
            f"; {proven.prover} wrote a proof of {number_of(proven.steps, 'step')} "
            f"for {number_of(proven.clauses, 'clause')}, and the checker accepts it"
        )
    show(wrapped(line, 2, first=0))
    for backend, why in proven.refuted.items():
        show(wrapped(f"REFUTED: {backend} {why}", 2, first=0))


# `harness run --certify`: proofs of the exact numbers of solutions that answers claim.


_MOST_SHOWN: Final = 10
"""Refuted answers, and reasons of missing proofs, that have a line each."""


def certify_run(
    run: "lazy.Run", provers: Sequence[BackendSpec], *, timeout_s: float, memory_mib: int
) -> tuple[CertifiedRunData, KeyboardInterrupt | None]:
    """Prove each exact number of solutions that an answer of `run` claims.

    Args:
        run: the run, whose folder gets the certificates.
        provers: the backends that prove; empty for the default ones.
        timeout_s: limit of wall time for each proof, in seconds.
        memory_mib: limit of memory of a prover in MiB; 0 for no limit.

    Returns:
        What is proven, and the interruption that ended it.

    Raises:
        HarnessError: no prover is available, or a certificate cannot be written.
    """
    every = lazy.exact_claims(run.trials)
    if every:
        notice_compilation()
    with RunCertificates(
        run.folder, provers, timeout_s=timeout_s, memory_mib=memory_mib, notice=notice
    ) as certificates:
        proven = CertifiedRunData(str(certificates.folder), len(every), 0, [], [], False)
        try:
            with counting("certifying", len(every)) as advance:
                for claims in every:
                    numbers = [number for _, number in claims.numbers]
                    made = certificates.certify(claims.puzzle, numbers)
                    advance(None)
                    place = claims.dataset, claims.name, claims.puzzle_id
                    if made.certificate is None:
                        proven.unproven.append(UnprovenData(*place, made.failure))
                        continue
                    claim = made.certificate.claim
                    proven.proven += 1
                    proven.refuted += [
                        RefutedData(backend, *place, number, claim.as_claim)
                        for backend, number in claims.numbers
                        if claim.excludes(SolutionCount.of(number))
                    ]
        except KeyboardInterrupt as interruption:
            proven.interrupted = True
            return proven, interruption
    return proven, None


def show_certified_run(of: CertifiedRunData) -> None:
    """Print the refuted answers, the reasons of missing proofs, and one line on all."""
    if not of.puzzles:
        show("certificates: no answer states an exact number of solutions")
        return
    theme = theme_of()
    for answer in of.refuted[:_MOST_SHOWN]:
        line = (
            f"REFUTED: {answer.backend} on {answer.dataset}:{answer.name} claims "
            f"{SolutionCount.of(answer.stated)}, but a proof shows {_in_words(answer.proven)}"
        )
        show(theme.styled(wrapped(line, 2, first=0), Style.BAD))
    if (more := len(of.refuted) - _MOST_SHOWN) > 0:
        show(theme.styled(f"... and {number_of(more, 'further refuted answer')}", Style.BAD))
    reasons = Counter(puzzle.reason for puzzle in of.unproven)
    for reason, number in reasons.most_common(_MOST_SHOWN):
        show(wrapped(f"not proven: {number_of(number, 'puzzle')}: {reason}", 2, first=0))
    parts = [f"{of.proven:,} of {number_of(of.puzzles, 'puzzle')} proven"]
    parts.append(f"{number_of(len(of.refuted), 'answer')} refuted")
    if of.unproven:
        parts.append(f"{len(of.unproven):,} not proven")
    if left := of.puzzles - of.proven - len(of.unproven):
        parts.append(f"{left:,} left")
    show(wrapped(f"certificates: {', '.join(parts)}; {of.folder}", 2, first=0))
