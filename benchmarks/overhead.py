"""What the harness itself costs a trial, with a backend that does nothing.

The wall time of a whole run, start-up apart, over its trials. Isolation,
limits, verification and storage are on. Then what it costs to replace a worker
that died, and the same job in benchopt, where that is installed.

    python -m benchmarks.overhead [TRIALS]
"""

import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.made import a_backend, a_dataset, puzzles, seconds_of
from harness.experiment.sweep import Sweep

PUZZLES = 2000
DEATHS = 100

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


def ours(trials: int) -> None:
    """Print the cost of a trial, and the memory that the harness needs for few and many."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dataset, backend = a_dataset(folder, puzzles(PUZZLES)), a_backend(folder)
        for number in (min(10_000, trials), trials):
            sweep = Sweep((dataset,), (backend,), repeat=number // PUZZLES)
            seconds = seconds_of(sweep, folder / f"run{number}")
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"{number:,} trials: {seconds / number * 1e6:.0f} us a trial, "
                f"{peak:.1f} MiB in memory at most"
            )


def deaths() -> None:
    """Print what a trial costs whose worker dies and is replaced."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dataset, backend = a_dataset(folder, puzzles(DEATHS)), a_backend(folder, "os._exit(1)")
        seconds = seconds_of(Sweep((dataset,), (backend,)), folder / "run")
    print(f"a worker that dies and is replaced: {seconds / DEATHS * 1e3:.1f} ms")


def benchopt() -> None:
    """Print what benchopt costs a trial: what 100 more of them take."""
    command = Path(sys.executable).with_name("benchopt")
    found = str(command) if command.exists() else shutil.which("benchopt")
    if not found:
        print("benchopt: not installed")
        return
    few, many = (_seconds_of_benchopt(found, trials) for trials in (20, 120))
    print(f"benchopt: {(many - few) / 100 * 1e6:.0f} us a trial")


def _seconds_of_benchopt(command: str, trials: int) -> float:
    with tempfile.TemporaryDirectory() as name:
        for file, text in BENCHOPT.items():
            path = Path(name) / file
            path.parent.mkdir(exist_ok=True)
            path.write_text(text.replace("TRIALS", str(trials)))
        began = perf_counter()
        words = [command, "run", name, "--no-plot", "-r", "1"]
        subprocess.run(words, check=True, capture_output=True)
        return perf_counter() - began


if __name__ == "__main__":
    ours(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
    deaths()
    benchopt()
