"""Certificates of numbers of solutions: a prover writes a proof, and the verifier checks it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from harness.base.errors import BackendUnavailableError, InputError, PuzzleError
from harness.base.files import writing
from harness.contract import BackendSpec, Status, Unsupported
from harness.extensions.certificates import SecondOpinion
from harness.extensions.certificates.certificate import (
    Certificate,
    read_certificates,
    read_steps,
    write_certificates,
)
from harness.extensions.certificates.formula import require_few_clauses, variables_of
from harness.extensions.certificates.proven import Proven, unproven
from harness.extensions.certificates.prover import NoProofError, Prover
from harness.extensions.certificates.verify import verify
from harness.puzzles import NO_SOLUTION, Grid, Puzzle, SolutionCount
from harness.records import Ending, Task, TrialRecord, Verdict, claim_of
from harness.records.folder import refuse_special_file

# Certificates of single puzzles.


MANY_SOLUTIONS: Final = 10_000
"""The limit from which a search proves faster than clause learning: for 38,122 solutions the search
takes a quarter of a second, and Glucose 8 seconds. With fewer, the search starts too slowly."""


def default_provers(limit: int) -> tuple[BackendSpec, ...]:
    """The provers to use for a count up to `limit`, best first; the last needs no library."""
    learning = BackendSpec("cnf", (("solver", "glucose4"),))
    search = BackendSpec("native-jit")
    best = (search, learning) if limit >= MANY_SOLUTIONS else (learning, search)
    return (*best, BackendSpec("native"))


@dataclass(frozen=True)
class Certification:
    """The result of an attempt to prove the number of solutions of a puzzle."""

    proven: Proven
    certificate: Certificate | None = None
    """The certificate; None if its claim is not proven."""


class Certifiers:
    """Provers that stay alive between puzzles; use it as a context manager.

    Each runs in a process of its own from its first proof on; all that it writes is verified.

    Args:
        timeout_s: limit on the wall time of each proof in seconds; the verifier has no limit.
        memory_mib: limit on the memory of a prover in MiB; 0 for no limit.
        notice: receives a line before a backend spends seconds on preparation.
    """

    def __init__(
        self,
        *,
        timeout_s: float,
        memory_mib: int = 0,
        notice: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._prover_of = partial(Prover, timeout_s=timeout_s, memory_mib=memory_mib, notice=notice)
        self._provers: dict[BackendSpec, Prover] = {}

    def __enter__(self) -> "Certifiers":
        return self

    def __exit__(self, *error: object) -> None:
        for prover in self._provers.values():
            prover.close()

    def certify(self, puzzle: Puzzle, limit: int, provers: Sequence[BackendSpec]) -> Certification:
        """Prove the number of solutions of `puzzle`, up to `limit`, and verify the proof.

        With `limit` solutions the certificate claims "at least", with fewer "exactly".

        Args:
            puzzle: the puzzle.
            limit: the number of solutions at which the prover stops, at least 1.
            provers: backends; the first that is available and can write the proof is used.

        Raises:
            InputError: a prover does not exist or does not take its options, or the last one is
                not available.
        """
        for number, spec in enumerate(provers, 1):
            if spec not in self._provers:
                self._provers[spec] = self._prover_of(spec)
            try:
                return self._certify(puzzle, limit, self._provers[spec])
            except BackendUnavailableError:
                if number == len(provers):
                    raise
            except Unsupported as error:
                reason = f"{self._provers[spec].spec.label}: {error}"
        return Certification(unproven(puzzle, reason))

    def _certify(self, puzzle: Puzzle, limit: int, prover: Prover) -> Certification:
        name = prover.spec.label
        try:
            require_few_clauses(puzzle.shape)
            proof = prover.prove(puzzle, limit)
        except PuzzleError as error:
            return Certification(unproven(puzzle, f"no proof can be checked: {error}"))
        except NoProofError as error:
            return Certification(unproven(puzzle, f"{name}: {error}"))
        if not proof.complete and not proof.solutions:
            return Certification(unproven(puzzle, f"{name}: found no solution and no proof"))
        try:
            steps = read_steps(proof.steps, variables_of(puzzle.shape)) if proof.complete else None
        except InputError as error:
            return Certification(unproven(puzzle, f"{name} wrote a malformed proof: {error}"))
        claim = SolutionCount.from_number(len(proof.solutions), proof.complete)
        author = f"{name} {prover.versions}".strip()
        fault = "a wrong proof" if claim.exact else "wrong solutions"
        certificate = Certificate(puzzle, claim, proof.solutions, steps, author)
        return _verified(certificate, f"{name} wrote {fault}")


def certify_solutions(puzzle: Puzzle, solutions: Sequence[Grid], prover: str) -> Certification:
    """The certification that `puzzle` has at least these `solutions`, which `prover` found."""
    claim = SolutionCount(len(solutions))
    return _verified(Certificate(puzzle, claim, solutions, prover=prover), prover)


def _verified(certificate: Certificate, fault: str) -> Certification:
    """The certification by a certificate; if it does not prove its claim, `fault` begins why."""
    proven = verify(certificate, SecondOpinion.NONE)
    if proven.proven:
        return Certification(proven, certificate)
    return Certification(unproven(certificate.puzzle, f"{fault}: {proven.reason}"))


# Answers of backends that a verified claim refutes.


def refutation(proven: SolutionCount, record: TrialRecord) -> str:
    """Why a `proven` number of solutions refutes an answer; empty if it does not.

    Only the number of solutions that an answer claims counts here; its grids are judged elsewhere.
    """
    outcome, claim = record.outcome, None
    if outcome.ending is not Ending.ANSWERED:
        return ""
    if record.trial.question.task is Task.COUNT:
        claim = claim_of(Verdict.COUNTED, record.count, record.exact)
    elif outcome.status == Status.UNSATISFIABLE:
        claim = NO_SOLUTION
    if claim is None or not proven.excludes(claim):
        return ""
    return f"claims {claim}, but a proof shows {proven}"


# The certificates of a run, in its folder: a file for each puzzle.


class RunCertificates:
    """The certificates of a run, made where they are missing.

    Args:
        run: the folder of the run.
        certifiers: they make the certificates.
        provers: the backends that prove, in order of preference; empty for the default ones.

    Raises:
        InputError: the folder of certificates cannot be made, or is a symbolic link.
    """

    def __init__(self, run: Path, certifiers: Certifiers, provers: Sequence[BackendSpec]) -> None:
        self.folder = run / "certificates"
        self._certifiers = certifiers
        self._provers = provers
        if self.folder.is_symlink():
            raise InputError("is a symbolic link", where=str(self.folder), expected="a folder")
        with writing(str(self.folder)):
            self.folder.mkdir(exist_ok=True)

    def certify(self, puzzle: Puzzle, numbers: Sequence[int]) -> Certification:
        """The certification of a puzzle for which answers state these `numbers` of solutions.

        A certificate that the run already has is verified again, and kept unless it is damaged or
        leaves open which of the numbers is right.

        Raises:
            HarnessError: no prover is available, or the certificate cannot be written.
        """
        limit = max(numbers) + 1
        path = self.folder / f"{puzzle.id}.cert.gz"
        refuse_special_file(path)
        if earlier := _earlier(path, puzzle, limit):
            return earlier
        provers = self._provers or default_provers(limit)
        certification = self._certifiers.certify(puzzle, limit, provers)
        if certification.certificate is not None:
            write_certificates(path, [certification.certificate])
            certification.proven.place = str(path)
        return certification


def _earlier(path: Path, puzzle: Puzzle, limit: int) -> Certification | None:
    """The certification by an earlier certificate; None if there is none or it has to be remade."""
    try:
        (certificate,) = read_certificates(path)
    except ValueError:  # missing, damaged, or with several certificates
        return None
    claim = certificate.claim
    if certificate.puzzle != puzzle or not (claim.exact or claim.least >= limit):
        return None
    proven = verify(certificate, SecondOpinion.NONE)
    return Certification(proven, certificate) if proven.proven else None
