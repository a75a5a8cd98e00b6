"""SAT with Kissat, as a process for each call: it reads DIMACS and prints a model.

The program comes inside the package `passagemath-kissat`; nothing of its Python
part is used. Kissat solves once and for all, so counting is left to the default.
"""

import subprocess
from importlib import metadata
from typing import Final

from harness.contract import Backend, Count, Options, Unavailable
from harness.contract.cover import Choices, CoverBackend, GaveUp, Question
from harness.puzzles import Puzzle, Shape

SATISFIABLE: Final = 10
UNSATISFIABLE: Final = 20


class Kissat(CoverBackend):
    """Kissat on the extended encoding."""

    name = "kissat"
    paradigm = "SAT"
    distributions = ("passagemath-kissat",)
    counts_natively = False

    def __init__(self, shape: Shape, options: Options) -> None:
        self.program = program()

    @classmethod
    def load(cls, options: Options) -> None:
        """See whether the program is where it should be, and starts."""
        subprocess.run([program(), "--version"], capture_output=True, check=True)

    def choices(self, question: Question) -> Choices:
        """One model, or the proof that there is none."""
        clauses = [f"{' '.join(map(str, clause))} 0\n" for clause in question.candidates.clauses()]
        text = f"p cnf {len(question.candidates)} {len(clauses)}\n{''.join(clauses)}"
        question.search()
        ended = subprocess.run(
            [self.program, "--quiet"], input=text, capture_output=True, text=True, check=False
        )
        if ended.returncode not in (SATISFIABLE, UNSATISFIABLE):
            raise GaveUp
        if ended.returncode == SATISFIABLE:
            lines = [line[1:] for line in ended.stdout.splitlines() if line.startswith("v")]
            yield [literal - 1 for literal in map(int, " ".join(lines).split()) if literal > 0]

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The default: each call is a process of its own."""
        return Backend.count(self, puzzle, limit)


def program() -> str:
    """The path of Kissat.

    Raises:
        Unavailable: it is not among the package's files.
    """
    for file in metadata.files("passagemath-kissat") or ():
        if file.match("bin/kissat"):
            return str(file.locate())
    raise Unavailable("passagemath-kissat has no program kissat in it")
