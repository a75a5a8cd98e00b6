"""`harness run --certify`: proofs of the exact numbers of solutions that a run states."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from harness.cli.counting import counting
from harness.cli.terminal import notice, show, theme_of, wrapped
from harness.report.style import Style
from harness.text import number_of

if TYPE_CHECKING:
    from harness.analysis.exact_claims import ExactClaims
    from harness.analysis.run import Run
    from harness.contract.spec import BackendSpec
    from harness.documents.runs import CertifiedRunData
    from harness.proofs.certificate import Claim

_MOST_SHOWN: Final = 10
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
    refuted: "list[tuple[ExactClaims, str, int, Claim]]" = field(default_factory=list)
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
        for claims, backend, stated, claim in self.refuted[:_MOST_SHOWN]:
            line = (
                f"REFUTED: {backend} on {claims.dataset}:{claims.name} states "
                f"{_in_words(stated)}, but a proof shows {claim.in_words}"
            )
            show(theme.styled(wrapped(line, 2, first=0), Style.BAD))
        if len(self.refuted) > _MOST_SHOWN:
            more = number_of(len(self.refuted) - _MOST_SHOWN, "further refuted answer")
            show(theme.styled(f"... and {more}", Style.BAD))
        reasons = Counter(reason for _, reason in self.unproven)
        for reason, number in reasons.most_common(_MOST_SHOWN):
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
        from harness.documents.runs import CertifiedRunData, RefutedData, UnprovenData

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
                    proven=str(claim),
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
    from harness.analysis.exact_claims import exact_claims
    from harness.experiment.refutation import excludes
    from harness.experiment.run_certificates import RunCertificates
    from harness.proofs import kernel

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
                        if excludes(claim, number)
                    ]
        except KeyboardInterrupt as interruption:
            found.interruption = interruption
    return found


def _in_words(number: int) -> str:
    return f"exactly {number_of(number, 'solution')}" if number else "no solution"
