"""The verifier: checks certificates, without any code of backends.

    formula         the clauses of a puzzle, from the houses of its shape alone
    drup            the text of a proof
    kernel          unit propagation and the rule RUP, compiled by Numba where it is installed
    checker         checks a proof with the kernel, slice by slice
    opinion         whether a second checker is consulted
    second_opinion  checks the same proof with the package dratify
    certificate     the file format
    solutions       compares solutions with their puzzle
    verify          checks the claim of a certificate

What must be trusted to trust a verified claim: the shape as `harness.puzzles` parses it,
`formula`, `drup`, `kernel` with `checker`, and `solutions`; with Numba, also its
compiler. No solver is among them.
"""

from enum import StrEnum


class SecondOpinion(StrEnum):
    """Whether a proof is also checked by dratify."""

    NONE = "none"
    AVAILABLE = "available"
    """If dratify is installed and takes at most half a minute."""
    REQUIRED = "required"
