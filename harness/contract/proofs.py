"""Files of SAT solvers and proof checkers: clauses in DIMACS, and proofs in DRAT.

Both forms of DRAT are read: text, and binary (Wetzler, Heule and Hunt, "DRAT-trim: efficient
checking and trimming using expressive clausal proofs", SAT 2014). In binary a step is ``a`` for a
lemma or ``d`` for a deletion, its literals as numbers of seven bits to a byte, the lowest first,
and a zero byte. The number of a literal is twice its variable, and one more for a negation.

FRAT is read as text, too; it repeats the formula, numbers the clauses, and may give hints after a
lemma (Baek, Carneiro and Heule, "A flexible proof format for SAT solver-elaborator communication",
LMCS 2022).
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from harness.puzzles import Grid, Puzzle

_STEP: Final = re.compile(rb"([ad])((?:[\x80-\xff]{0,4}[\x01-\x7f])*)\0")
_NUMBER: Final = re.compile(rb"[\x80-\xff]*[\x01-\x7f]")
_COMMENT: Final = re.compile(r"^[c%of] ?.*\n", re.MULTILINE)
_OF_FRAT: Final = re.compile(r"^(?:a |(d ))[0-9]+ ((?:-?[0-9]+ )*?0)(?: l .*)?$", re.MULTILINE)


def dimacs(
    clauses: Sequence[Sequence[int]], puzzle: Puzzle, excluded: Sequence[Grid] = ()
) -> Iterator[str]:
    """The lines of clauses of a puzzle in DIMACS, without line feeds; see `Model.lines`."""
    size = puzzle.shape.size
    places = range(0, size**3, size)
    others = [[-(at + value) for at, value in zip(places, grid, strict=True)] for grid in excluded]
    last = max((abs(literal) for clause in clauses for literal in clause), default=0)
    yield f"p cnf {last} {len(clauses) + len(others)}"
    yield from (" ".join(map(str, (*clause, 0))) for clause in chain(clauses, others))


def read_drat(path: Path) -> str:
    """The steps in a file of a proof as text, one on each line; those of a text are not checked.

    Raises:
        ValueError: there is no such file, or a step in binary is malformed.
    """
    if not path.is_file():
        raise ValueError("the program wrote no proof")
    data = path.read_bytes()
    if b"\0" not in data:  # each step in binary has a zero byte, and no text has one
        text = data.decode("ascii", errors="backslashreplace")
        steps_text = _COMMENT.sub("", text)
        return _OF_FRAT.sub(r"\1\2", steps_text) if text.startswith("o ") else steps_text
    steps, at = [], 0
    while at < len(data):
        match = _STEP.match(data, at)
        if match is None:
            raise ValueError(f"byte {at:,} of the proof is not in a step of binary DRAT")
        steps.append(f"{'d ' * (match[1] == b'd')}{''.join(_literals(match[2]))}0\n")
        at = match.end()
    return "".join(steps)


def _literals(data: bytes) -> Iterator[str]:
    for word in _NUMBER.findall(data):
        number = sum((byte & 127) << 7 * at for at, byte in enumerate(word))
        yield f"{'-' * (number & 1)}{number >> 1} "
