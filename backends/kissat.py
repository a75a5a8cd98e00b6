"""SAT with Kissat: one process per call, which reads DIMACS and prints a model.

The program is part of the package `passagemath-kissat`; its Python part is not used.
Kissat is not incremental, so counting uses the default of `Backend`.
"""

import subprocess
from importlib import metadata
from typing import Final

from harness.contract import (
    EVERYTHING,
    Backend,
    Choices,
    Count,
    CoverBackend,
    CoverQuestion,
    GaveUp,
    Options,
    Unavailable,
)
from harness.puzzles import Puzzle, Shape

SATISFIABLE: Final = 10
UNSATISFIABLE: Final = 20


class Kissat(CoverBackend):
    """Kissat on the extended encoding."""

    name = "kissat"
    paradigm = "SAT"
    distributions = ("passagemath-kissat",)
    takes = EVERYTHING
    counts_natively = False

    def __init__(self, shape: Shape, options: Options) -> None:
        self.program = program()

    @classmethod
    def load(cls, options: Options) -> None:
        """Check that the program exists and starts."""
        subprocess.run([program(), "--version"], capture_output=True, check=True)

    def choices(self, question: CoverQuestion) -> Choices:
        """One model, or the proof that none exists."""
        clauses = [f"{' '.join(map(str, clause))} 0\n" for clause in question.candidates.clauses()]
        text = f"p cnf {len(question.candidates)} {len(clauses)}\n{''.join(clauses)}"
        question.search()
        process = subprocess.run(
            [self.program, "--quiet"], input=text, capture_output=True, text=True, check=False
        )
        if process.returncode not in (SATISFIABLE, UNSATISFIABLE):
            raise GaveUp
        if process.returncode == SATISFIABLE:
            lines = [line[1:] for line in process.stdout.splitlines() if line.startswith("v")]
            yield [literal - 1 for literal in map(int, " ".join(lines).split()) if literal > 0]

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number of solutions, by the default of `Backend`."""
        return Backend.count(self, puzzle, limit)


def program() -> str:
    """The path of Kissat.

    Raises:
        Unavailable: the package does not contain the program.
    """
    for file in metadata.files("passagemath-kissat") or ():
        if file.match("bin/kissat"):
            return str(file.locate())
    raise Unavailable("passagemath-kissat does not contain the program kissat")
