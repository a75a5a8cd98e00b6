"""`harness verify`: whether the claims of certificates are proven."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from harness.base.errors import InputError
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.options import JsonOption, choice_option, show_json
from harness.cli.terminal import notice, show, theme_of, wrapped
from harness.extensions.certificates import SecondOpinion
from harness.report.formatting import Style

if TYPE_CHECKING:
    from harness.extensions.certificates.documents import CertificateData
    from harness.extensions.certificates.verify import Verification

_MOST_SHOWN: Final = 20
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

    verify checks proofs in files and runs no backend; check compares answers.

    Nothing that a backend wrote is believed: the verifier makes the clauses from the houses of
    the shape, checks each solution, and checks each step of a proof. Exit code 1: a claim is not
    proven. Exit code 2: a file is malformed; the claims of all others are checked.
    """
    from harness.extensions.certificates.certificate import read_certificates
    from harness.extensions.certificates.documents import Verified
    from harness.extensions.certificates.second_opinion import require
    from harness.extensions.certificates.verify import verify as verified

    if second_opinion is SecondOpinion.REQUIRED:
        require()
    certificates, malformed = [], []
    for file in files:
        try:
            certificates += read_certificates(file)
        except InputError as error:
            malformed.append(error)
    if malformed and not certificates:
        raise malformed[0]
    notice_compilation()
    found = []
    with lazy.counting("verifying", len(certificates)) as advance:
        for certificate in certificates:
            found.append(verified(certificate, second_opinion))
            advance(None)
    if as_json:
        proven = all(of.proven for of in found)
        show_json(Verified(proven=proven, claims=[_data(of) for of in found]))
    else:
        _show(found)
    for other in malformed[1:]:
        notice(str(other))
    if malformed:
        raise malformed[0]
    if not all(of.proven for of in found):
        raise typer.Exit(1)


def notice_compilation() -> None:
    """Say that the checker of proofs is compiled, if it is not yet."""
    from harness.extensions.certificates import kernel

    if not kernel.is_cached():
        notice("compiling the checker of proofs for this machine, once: a few seconds")


def _show(found: "Sequence[Verification]") -> None:
    theme = theme_of()
    for of in found:
        certificate = of.certificate
        puzzle, claim = certificate.puzzle, certificate.claim
        marks = " and pencilmarks" if puzzle.pencilmarks else ""
        what = f"{claim} of a {puzzle.shape} puzzle with {number_of(puzzle.clues, 'clue')}{marks}"
        if not of.proven:
            verdict = "REFUTED" if of.refuted else "not proven"
            line = f"{certificate.place}: {verdict}: {what}: {of.reason}"
            show(theme.styled(wrapped(line, 2, first=0), Style.BAD))
        elif len(found) <= _MOST_SHOWN:
            show(wrapped(f"{certificate.place}: proven: {what}", 2, first=0))
    proven = [of for of in found if of.proven]
    if len(found) > 1:
        show(wrapped(f"{len(proven):,} of {number_of(len(found), 'claim')} are proven", indent=0))
    if proven:
        show(wrapped(f"relies on: {'; '.join(_trusted(proven))}", 2, first=0))
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
    from harness.extensions.certificates.documents import CertificateData

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
