"""Overhead of the harness per trial, measured with a backend that does nothing.

The overhead is the wall time of a run without start-up divided by the number of
trials, with isolation, limits, verification and storage. The benchmark also measures
the replacement of a worker that exits, and the same task in benchopt if it is installed.

    python -m benchmarks.overhead [TRIALS]
"""

import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.goals import GOALS
from benchmarks.workloads import a_backend, a_dataset, puzzles, seconds_of
from harness.runs.sweep import Sweep

PUZZLES = 2000
EXITS = 100

BENCHOPT = {
    "objective.py": """
from benchopt import BaseObjective

class Objective(BaseObjective):
    name = "grid"
    def set_data(self, puzzle, grid): self.puzzle, self.grid = puzzle, grid
    def get_objective(self): return dict(puzzle=self.puzzle)
    def evaluate_result(self, grid): return dict(value=float(grid != self.grid))
    def get_one_result(self): return dict(grid=self.grid)
""",
    "datasets/puzzles.py": """
from benchopt import BaseDataset

class Dataset(BaseDataset):
    name = "puzzles"
    parameters = {"number": list(range(TRIALS))}
    def get_data(self): return dict(puzzle=self.number, grid=tuple(range(81)))
""",
    "solvers/noop.py": """
from benchopt import BaseSolver

class Solver(BaseSolver):
    name = "noop"
    sampling_strategy = "run_once"
    def set_objective(self, puzzle): pass
    def run(self, _): pass
    def get_result(self): return dict(grid=tuple(range(81)))
""",
}


def overhead(trials: int) -> None:
    """Print the time per trial and the peak memory of a small and a large run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dataset, backend = a_dataset(folder, puzzles(PUZZLES)), a_backend(folder)
        repeats = max(1, trials // PUZZLES)
        for repeat in sorted({min(10_000 // PUZZLES, repeats), repeats}):
            number = repeat * PUZZLES
            sweep = Sweep((dataset,), (backend,), repeat=repeat)
            seconds = seconds_of(sweep, folder / f"run{number}")
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            each = seconds / number * 1e6
            print(f"{number:,} trials: {each:.1f} us per trial, peak memory {peak:.1f} MiB")
        print(f"  {GOALS['trial'].judged(each)}")


def replacements() -> None:
    """Print the time per trial if every trial ends its worker."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dataset, backend = a_dataset(folder, puzzles(EXITS)), a_backend(folder, "os._exit(1)")
        seconds = seconds_of(Sweep((dataset,), (backend,)), folder / "run")
    print(f"replacement of a worker: {seconds / EXITS * 1e3:.1f} ms")


def benchopt() -> None:
    """Print the time per trial of benchopt: the difference of runs with 120 and 20 trials."""
    command = Path(sys.executable).with_name("benchopt")
    found = str(command) if command.exists() else shutil.which("benchopt")
    if not found:
        print("benchopt: not installed")
        return
    few, many = (_seconds_of_benchopt(found, trials) for trials in (20, 120))
    print(f"benchopt: {(many - few) / 100 * 1e6:.0f} us per trial")


def _seconds_of_benchopt(command: str, trials: int) -> float:
    with tempfile.TemporaryDirectory() as name:
        for file, text in BENCHOPT.items():
            path = Path(name) / file
            path.parent.mkdir(exist_ok=True)
            path.write_text(text.replace("TRIALS", str(trials)))
        began = perf_counter()
        arguments = [command, "run", name, "--no-plot", "-r", "1"]
        subprocess.run(arguments, check=True, capture_output=True)
        return perf_counter() - began


if __name__ == "__main__":
    overhead(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
    replacements()
    benchopt()
