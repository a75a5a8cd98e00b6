"""What the benchmarks share: a clock for a run, puzzles, and backends that do next to nothing."""

from pathlib import Path
from time import perf_counter

from harness.experiment.observer import Observer
from harness.experiment.plan import Sweep
from harness.experiment.run import run_sweep
from harness.puzzles import Puzzle, Shape
from harness.puzzles.generate import pattern_grid

_BACKEND = """
import os
from harness.contract import Answer, Backend
from harness.puzzles import Shape
from harness.puzzles.generate import pattern_grid

ANSWER = Answer.solved(pattern_grid(Shape.parse("9x9")))

class Made(Backend):
    name = "made"
    paradigm = "knows the answer"

    def __init__(self, shape, options):
        pass

    def solve(self, puzzle):
        {solve}
"""


class _Clock(Observer):
    """Notes when the plan was made, which is when trials begin."""

    began_at = 0.0

    def planned(self, trials: int, done: int) -> None:
        """The workers are up and the plan is made."""
        self.began_at = perf_counter()


def seconds_of(sweep: Sweep, folder: Path, jobs: int = 1) -> float:
    """The wall time of a run, start-up apart."""
    clock = _Clock()
    run_sweep(sweep, folder, jobs=jobs, observer=clock)
    return perf_counter() - clock.began_at


def a_backend(folder: Path, solve: str = "return ANSWER") -> str:
    """The spec of a backend whose `solve` has this body; by default it knows the answer."""
    path = folder / "made.py"
    path.write_text(_BACKEND.replace("{solve}", solve))
    return f"{path}:Made"


def puzzles(number: int) -> list[Puzzle]:
    """Different puzzles of about 40 givens that all have the pattern grid as a solution."""
    shape = Shape.parse("9x9")
    grid = pattern_grid(shape)
    return [
        Puzzle(shape, tuple(v if n >> (cell % 16) & 1 else 0 for cell, v in enumerate(grid)))
        for n in range(1, number + 1)
    ]


def a_dataset(folder: Path, made: list[Puzzle]) -> str:
    """The path of a file with these puzzles."""
    path = folder / "puzzles.txt"
    path.write_text("".join(f"{puzzle.line}\n" for puzzle in made))
    return str(path)
