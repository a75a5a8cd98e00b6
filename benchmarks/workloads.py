"""Inputs and timing for the benchmarks: puzzles, a trivial backend, the wall time of a run."""

from collections.abc import Mapping
from pathlib import Path
from time import perf_counter

from harness.puzzles import Puzzle, Shape, pattern_grid
from harness.runs import Observer, Sweep, run_sweep

_BACKEND = """
import os
from harness.contract import Answer, Backend
from harness.puzzles import Shape
from harness.puzzles.patterns import pattern_grid

ANSWER = Answer.solved(pattern_grid(Shape.parse("9x9")))

class Made(Backend):
    name = "made"
    paradigm = "fixed answer"

    def __init__(self, shape, options):
        pass

    def solve(self, puzzle):
        {solve}
"""


class _Clock(Observer):
    """Records when the trials begin."""

    began_at = 0.0

    def planned(self, trials: Mapping[str, int], done: Mapping[str, int]) -> None:
        """Record the time: workers are ready and the plan is complete."""
        self.began_at = perf_counter()


def seconds_of(sweep: Sweep, folder: Path) -> float:
    """Wall time of a run without start-up."""
    clock = _Clock()
    run_sweep(sweep, folder, observer=clock)
    return perf_counter() - clock.began_at


def a_backend(folder: Path, solve: str = "return ANSWER") -> str:
    """Write a backend with this body of `solve`; return its spec."""
    path = folder / "made.py"
    path.write_text(_BACKEND.replace("{solve}", solve))
    return f"{path}:Made"


def puzzles(number: int) -> list[Puzzle]:
    """Distinct puzzles with about 40 givens, all solved by the pattern grid."""
    shape = Shape.parse("9x9")
    grid = pattern_grid(shape)
    return [
        Puzzle(shape, tuple(v if n >> (cell % 16) & 1 else 0 for cell, v in enumerate(grid)))
        for n in range(1, number + 1)
    ]


def a_dataset(folder: Path, made: list[Puzzle]) -> str:
    """Write the puzzles to a file; return its path."""
    path = folder / "puzzles.txt"
    path.write_text("".join(f"{puzzle.line}\n" for puzzle in made))
    return str(path)
