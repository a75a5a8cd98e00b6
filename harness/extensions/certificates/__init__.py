"""The verifier: checks certificates, without any code of backends.

    formula         the clauses of a puzzle, from the houses of its shape alone
    kernel          unit propagation and the rule RUP, compiled by Numba where it is installed
    checker         checks a proof with the kernel, slice by slice
    second_opinion  checks the same proof with the package dratify
    certificate     the file format, and the text of a proof
    verify          checks the claim of a certificate, and compares solutions with their puzzle

What must be trusted to trust a verified claim: the shape as `harness.puzzles` parses it,
`formula`, `certificate`, `kernel` with `checker`, and `verify`; with Numba, also its
compiler. No solver is among them.
"""

from enum import StrEnum


class SecondOpinion(StrEnum):
    """Whether dratify also checks a proof."""

    NONE = "none"
    AVAILABLE = "available"
    """If dratify is installed and is expected to take at most half a minute."""
    REQUIRED = "required"
