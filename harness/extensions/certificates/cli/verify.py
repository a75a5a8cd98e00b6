"""`harness verify`: whether the claims of certificates are proven."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from harness.base.errors import InputError
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.options import JsonOption, choice_option, show_json, value_option
from harness.cli.terminal import notice, show, theme_of, wrapped
from harness.contract import named_line
from harness.extensions.certificates import SecondOpinion
from harness.report import Style

if TYPE_CHECKING:
    from harness.extensions.certificates.proven import Proven
    from harness.puzzles import Puzzle

_MOST_SHOWN: Final = 20
"""With more claims, proven ones have no line of their own."""


def verify(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Files of certificates; - for standard input."),
    ],
    second_opinion: Annotated[
        SecondOpinion,
        choice_option(
            SecondOpinion,
            "--second-opinion",
            "Whether the package dratify also checks each proof; available: if it is installed "
            "and is expected to take at most half a minute.",
        ),
    ] = SecondOpinion.AVAILABLE,
    checker: Annotated[
        str | None,
        value_option(
            "--checker",
            "COMMAND",
            "Program that checks each proof in place of dratify: 'drat-trim {cnf} {proof}', "
            "'cake_lpr {cnf} {lrat}', 'veripb {cnf} {pbp}'.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check whether the claims of certificates are proven.

    verify checks proofs in files and runs no backend; check compares answers.

    Nothing that a backend wrote is believed: the verifier makes the clauses from the houses of
    the shape, checks each solution, and checks each step of a proof. Exit code 1: a claim is not
    proven. Exit code 2: a file is malformed; the claims of all other files are checked.
    """
    from harness.extensions.certificates.certificate import read_certificates
    from harness.extensions.certificates.documents import Verified
    from harness.extensions.certificates.second_opinion import Program, require
    from harness.extensions.certificates.verify import verify as verify_certificate

    if second_opinion is SecondOpinion.REQUIRED:
        require()
    opinion = second_opinion if checker is None else Program(*named_line(checker))
    certificates, failures = [], []
    for file in files:
        try:
            certificates += read_certificates(file)
        except InputError as error:
            failures.append(error)
    if failures and not certificates:
        raise failures[0]
    results = []
    with lazy.counting("verifying", len(certificates)) as advance:
        for certificate in certificates:
            results.append(verify_certificate(certificate, opinion))
            advance(None)
    is_proven = all(claim.proven for claim in results)
    if as_json:
        show_json(Verified(proven=is_proven, claims=results))
    else:
        _show([certificate.puzzle for certificate in certificates], results)
    for other in failures[1:]:
        notice(str(other))
    if failures:
        raise failures[0]
    if not is_proven:
        raise typer.Exit(1)


def _show(puzzles: "Sequence[Puzzle]", claims: "Sequence[Proven]") -> None:
    theme = theme_of()
    for puzzle, claim in zip(puzzles, claims, strict=True):
        marks = " and pencilmarks" if puzzle.pencilmarks else ""
        clues = number_of(puzzle.clues, "clue")
        words = f"{claim.number} of a {puzzle.shape} puzzle with {clues}{marks}"
        if not claim.proven:
            verdict = "REFUTED" if claim.refuted else "not proven"
            line = f"{claim.place}: {verdict}: {words}: {claim.reason}"
            show(theme.styled(wrapped(line, 2, first=0), Style.BAD))
        elif len(claims) <= _MOST_SHOWN:
            show(wrapped(f"{claim.place}: proven: {words}", 2, first=0))
    proven = [claim for claim in claims if claim.proven]
    if len(claims) > 1:
        show(wrapped(f"{len(proven):,} of {number_of(len(claims), 'claim')} are proven", indent=0))
    if proven:
        show(wrapped(f"relies on: {'; '.join(_assumptions(proven))}", 2, first=0))
    if left_out := [claim.left_out for claim in claims if claim.left_out]:
        number = f" for {number_of(len(left_out), 'claim')}" if len(claims) > 1 else ""
        line = f"no second opinion{number}: {left_out[0]}; --second-opinion required waits for it"
        show(wrapped(line, 2, first=0))


def _assumptions(proven: "Sequence[Proven]") -> list[str]:
    """What must be trusted to trust all `proven` claims."""
    if len({tuple(claim.trusted) for claim in proven}) == 1:
        return proven[0].trusted
    parts = ["the houses of the shapes"]
    if any(claim.solutions for claim in proven):
        parts.append("the comparison of solutions with the puzzles")
    checkers = [claim.trusted[-1] for claim in proven if claim.checker is not None]
    if checkers:
        parts.append("the clauses of the formulas")
    return [*parts, *dict.fromkeys(checkers)]
