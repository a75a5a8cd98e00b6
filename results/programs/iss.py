"""Interactive Sudoku Solver (sigh/Interactive-Sudoku-Solver) as a backend, through Node.

    harness run --dataset killer --backend results/programs/iss.py cnf native-jit

Its checkout stands at ``lib/iss`` beside this file. One process of Node answers all questions of
a worker; building the solver of a puzzle and search are in the time of a call.
"""

import json
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from harness.contract import EVERYTHING, Answer, Backend, Count, Options, Unavailable, Unsupported
from harness.puzzles import Puzzle, Shape
from harness.puzzles.constraints.kinds import KINDS
from harness.puzzles.constraints.primitives import ValueCount
from harness.puzzles.formats import ParsedPuzzle
from harness.puzzles.formats.reading import format_named

FOLDER = Path(__file__).parent
CHECKOUT = FOLDER / "lib" / "iss"


class Iss(Backend):
    """Backtracking with propagation, tables of sums and house rests, in JavaScript."""

    name = "iss"
    paradigm = "backtracking with propagation, JavaScript"
    counts_natively = True
    takes = EVERYTHING
    process: ClassVar[subprocess.Popen[str] | None] = None

    @classmethod
    def load(cls, options: Options) -> None:
        """Check that Node and the checkout are there."""
        remedy = f"clone https://github.com/sigh/Interactive-Sudoku-Solver into {CHECKOUT}"
        if not (CHECKOUT / "js").is_dir():
            raise Unavailable("its checkout is missing", remedy)
        if shutil.which("node") is None:
            raise Unavailable("Node is not installed", "install Node 20 or later")

    def __init__(self, shape: Shape, options: Options) -> None:
        self.shape = shape
        if Iss.process is None:
            command = ["node", str(FOLDER / "iss.mjs"), str(CHECKOUT)]
            pipe = subprocess.PIPE
            Iss.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
            self.warm_up()

    def warm_up(self) -> None:
        """Solve a grid with each kind of constraint, so that Node has compiled what it will run."""
        marked = [kind.example for kind in KINDS.values() if ":" in kind.example]
        for example in (*marked, *marked):  # rules without cells take a second
            shape = Shape.parse(f"9x9; {example}")
            with suppress(Unsupported):
                self.ask(Puzzle(shape, (0,) * 81), 1)

    def solve(self, puzzle: Puzzle) -> Answer:
        """The first solution."""
        found = self.ask(puzzle, 1)
        if found["grid"] is None:
            return Answer.unsatisfiable(self.stats(found))
        return Answer.solved(self.grid(found), self.stats(found))

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number of solutions, up to `limit`."""
        found = self.ask(puzzle, limit)
        witness = None if found["grid"] is None else self.grid(found)
        exact = found["number"] < limit
        return Count(found["number"], exact, witness, self.stats(found))

    def ask(self, puzzle: Puzzle, limit: int) -> dict[str, Any]:
        """The answer of Node."""
        allowed = list(puzzle.allowed)
        for of in puzzle.shape.primitives:
            if isinstance(of, ValueCount) and len(of.cells) == 1:
                allowed[of.cells[0]] &= of.values  # odd and even cells have no text of their own
        if not all(allowed):
            return {"number": 0, "grid": None, "guesses": 0, "backtracks": 0}
        format_ = format_named("iss")
        marked = Puzzle(puzzle.shape, (0,) * len(allowed), tuple(allowed))
        parsed = ParsedPuzzle(marked, "", "1")
        if problem := format_.can_hold(parsed):
            raise Unsupported(f"its text {problem}")
        (link,) = format_.write([parsed])
        (text,) = parse_qs(urlsplit(link.strip()).query)["q"]
        return self.answer_to({"text": text, "limit": limit})

    def answer_to(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer of Node to a question.

        Raises:
            RuntimeError: it is an error.
        """
        assert Iss.process is not None
        assert Iss.process.stdin is not None
        assert Iss.process.stdout is not None
        Iss.process.stdin.write(f"{json.dumps(question)}\n")
        Iss.process.stdin.flush()
        found: dict[str, Any] = json.loads(Iss.process.stdout.readline())
        if "error" in found:
            raise RuntimeError(found["error"])
        return found

    def grid(self, found: dict[str, Any]) -> tuple[int, ...]:
        """The values of the first solution, which Node has as bits."""
        return tuple(bits.bit_length() for bits in found["grid"][: self.shape.size**2])

    def stats(self, found: dict[str, Any]) -> dict[str, int]:
        """The counters of the search."""
        return {"guesses": found["guesses"], "backtracks": found["backtracks"]}
