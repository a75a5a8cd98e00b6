"""Compare times reported by the harness with times of direct calls.

Each backend solves the same puzzles in a loop in this process and in a run of the
harness. The benchmark prints both medians and their difference, then compares two
jobs with one: trials per second and CPU time per trial.
"""

import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.workloads import a_dataset, seconds_of
from harness.analysis import load
from harness.contract import registry
from harness.puzzles import Puzzle, Shape, pattern_grid
from harness.runs import Sweep, run_sweep

BACKENDS = ("native", "cpsat", "cnf")
PUZZLES = 300
REPETITIONS = 5


def puzzles() -> list[Puzzle]:
    """Puzzles with 26 to 40 givens, taken from the pattern grid."""
    shape = Shape.parse("9x9")
    grid = pattern_grid(shape)
    return [
        Puzzle(shape, tuple(v if (cell * n + n) % 97 < 38 else 0 for cell, v in enumerate(grid)))
        for n in range(1, PUZZLES + 1)
    ]


def direct_s(name: str) -> float:
    """Median seconds of a direct call, with a new backend object per puzzle."""
    backend, options = registry.load_backend(name)
    seconds = []
    for puzzle in puzzles() * REPETITIONS:
        began = perf_counter()
        backend(puzzle.shape, options).solve(puzzle)
        seconds.append(perf_counter() - began)
    return median(seconds)


def main() -> None:
    """Run the benchmark and print the results."""
    with tempfile.TemporaryDirectory() as folder:
        dataset = a_dataset(Path(folder), puzzles())
        sweep = Sweep((dataset,), BACKENDS, repeat=REPETITIONS)
        run_sweep(sweep, Path(folder) / "run")
        reported = load(Path(folder) / "run").trials.groupby("backend")["wall_s"].median()
        for name in BACKENDS:
            direct = direct_s(name)
            print(
                f"{name}: {direct * 1e6:.0f} us direct, {reported[name] * 1e6:.0f} us reported, "
                f"{reported[name] / direct - 1:+.1%}"
            )
        measured = {}
        for jobs in (1, 2):
            seconds = seconds_of(replace(sweep, jobs=jobs), Path(folder) / f"jobs{jobs}")
            cpu = load(Path(folder) / f"jobs{jobs}").trials.groupby("backend")["cpu_s"].median()
            measured[jobs] = (seconds, cpu)
        (first, cpu_one), (second, cpu_two) = measured[1], measured[2]
        print(f"two jobs: {first / second:.2f} times the trials per second of one job")
        for name in BACKENDS:
            print(f"{name}, two jobs: CPU time per trial {cpu_two[name] / cpu_one[name] - 1:+.1%}")


if __name__ == "__main__":
    main()
