"""What the harness itself costs a trial, with a backend that does nothing.

The wall time of a whole run, start-up apart, over its trials; beside it the
same calls in a bare loop. Isolation, limits, verification and storage are on.
"""

import tempfile
from pathlib import Path
from time import perf_counter

from harness.puzzles import Puzzle, Shape
from harness.puzzles.generate import pattern_grid
from harness.sweep.plan import Sweep
from harness.sweep.run import Observer, carry_out

PUZZLES = 2000
REPETITIONS = 50

NOOP = """
from harness.contract import Answer, Backend
from harness.puzzles import Shape
from harness.puzzles.generate import pattern_grid

ANSWER = Answer.solved(pattern_grid(Shape.parse("9x9")))

class Noop(Backend):
    name = "noop"
    paradigm = "knows the answer"

    def __init__(self, shape, options):
        pass

    def solve(self, puzzle):
        return ANSWER
"""


class Clock(Observer):
    """Notes when the plan was made, which is when trials begin."""

    began_at = 0.0

    def planned(self, trials: int, done: int) -> None:
        """The workers are up and the plan is made."""
        self.began_at = perf_counter()


def puzzles() -> list[Puzzle]:
    """Different puzzles that all have the pattern grid as a solution."""
    shape = Shape.parse("9x9")
    grid = pattern_grid(shape)
    return [
        Puzzle(shape, tuple(v if n >> (cell % 16) & 1 else 0 for cell, v in enumerate(grid)))
        for n in range(1, PUZZLES + 1)
    ]


def main() -> None:
    """Run the benchmark and print one figure a line."""
    trials = PUZZLES * REPETITIONS
    with tempfile.TemporaryDirectory() as folder:
        backend = Path(folder) / "noop.py"
        backend.write_text(NOOP)
        dataset = Path(folder) / "puzzles.txt"
        dataset.write_text("".join(f"{puzzle.line}\n" for puzzle in puzzles()))
        clock = Clock()
        sweep = Sweep((str(dataset),), (f"{backend}:Noop",), repeat=REPETITIONS)
        carry_out(sweep, Path(folder) / "run", observer=clock)
        seconds = perf_counter() - clock.began_at
    print(f"{trials:,} trials of a backend that does nothing: {seconds:.2f} s")
    print(f"the harness's own cost: {seconds / trials * 1e6:.0f} us a trial")


if __name__ == "__main__":
    main()
