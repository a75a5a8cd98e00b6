"""Second opinions: other checkers check the same proof of the same formula.

The package dratify (https://pypi.org/project/dratify) checks forward and shares no code with
`checker`. Its rule RAT is switched off, so that both have the same rule. A program that the user
names reads the formula and the proof from files.
"""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from harness.base.child import describe_exit, output_of
from harness.base.errors import InputError, not_among
from harness.base.plugins import version_of
from harness.base.text import last_line
from harness.extensions.certificates.certificate import ProofSteps
from harness.extensions.certificates.checker import NOT_RUP, CheckResult
from harness.extensions.certificates.export import FORMATS
from harness.extensions.certificates.formula import Formula

# The package dratify.


DISTRIBUTION: Final = "dratify"


def version() -> str | None:
    """The installed version of dratify; None if it is not installed."""
    return version_of(DISTRIBUTION)


def require() -> None:
    """Check that dratify is installed.

    Raises:
        InputError: dratify is not installed.
    """
    if version() is None:
        raise InputError(
            "a second opinion needs the package dratify, which is not installed",
            expected="pip install dratify",
        )


def second_opinion(formula: Formula, steps: ProofSteps) -> CheckResult:
    """The verdict of dratify on whether `steps` prove that `formula` has no model.

    Raises:
        InputError: dratify is not installed.
    """
    require()
    from dratify import CNF, check_proof, from_dimacs

    cnf = CNF(formula.variables)
    for clause in formula.clauses():
        cnf.add_dimacs(clause)
    proof = [
        ("d" if is_deletion else "a", tuple(map(from_dimacs, literals)))
        for is_deletion, literals in steps.steps()
    ]
    judgement = check_proof(cnf, proof, check_rat=False)
    if judgement.ok:
        return CheckResult(True, steps=judgement.steps)
    if judgement.failed_step < 1:
        return CheckResult(False, reason=judgement.reason, steps=judgement.steps)
    return CheckResult(False, judgement.failed_step - 1, NOT_RUP, judgement.steps - 1)


# Programs.


MOST_SECONDS: Final = 3_600.0
"""Wall time of a program for a proof."""
_PLACEHOLDER: Final = re.compile(r"(?<!\$)\{([a-z]+)\}")
_ACCEPTED: Final = re.compile(
    r"(?:^|\r)(?:s VERIFIED(?: UNSAT(?:ISFIABLE)?)?|Verification succeeded\.?)[ \r]*$", re.MULTILINE
)
"""What drat-trim, lrat-trim, cake_lpr and VeriPB print if a proof is right."""


class Program:
    """A program that checks a formula and its proof in files.

    Args:
        name: what it is called in verdicts.
        words: the program and its arguments, with the names of `FORMATS` as placeholders.

    Raises:
        InputError: a placeholder is unknown, or the program is missing.
    """

    def __init__(self, name: str, words: Sequence[str]) -> None:
        self.name = name
        self._words = words
        for format_ in _PLACEHOLDER.findall(" ".join(words)):
            if format_ not in FORMATS:
                problem = f"unknown placeholder {{{format_}}}"
                raise not_among(InputError, problem, format_, [*FORMATS], where="--checker")
        if shutil.which(words[0]) is None:
            raise InputError(f"program {words[0]} not found", where="--checker")

    def check(self, formula: Formula, steps: ProofSteps) -> CheckResult:
        """The verdict of the program, by its output, on whether `formula` has no model."""
        with TemporaryDirectory() as folder:

            def written(match: re.Match[str]) -> str:
                path = Path(folder, f"claim.{match[1]}")
                with path.open("w", encoding="ascii") as file:
                    file.writelines(FORMATS[match[1]](formula, steps))
                return str(path)

            try:
                words = [_PLACEHOLDER.sub(written, word) for word in self._words]
                end = output_of(words, most_bytes=2**24, seconds=MOST_SECONDS)
            except OSError as error:
                return CheckResult(
                    False, reason=str(error) or f"no verdict within {MOST_SECONDS:,g} s"
                )
        output = end.output.decode(errors="replace")
        accepted = end.code >= 0 and _ACCEPTED.search(output) is not None
        reason = last_line(output) or last_line(end.errors) or describe_exit(end.code)
        return CheckResult(accepted, reason="" if accepted else reason)
