"""The verifier: checks certificates, without any code of backends.

    formula         the clauses of a puzzle, from the houses of its shape alone
    drup            the text of a proof
    kernel          unit propagation and the rule RUP, compiled by Numba where it is installed
    checker         checks a proof with the kernel, slice by slice
    second_opinion  checks the same proof with the package dratify
    certificate     the file format
    verify          checks the claim of a certificate

What must be trusted to trust a verified claim: the shape as `harness.puzzles` parses it,
`formula`, `drup`, `kernel` with `checker`, and the comparison of solutions in `verify`; with
Numba, also its compiler. No solver is among them.
"""
