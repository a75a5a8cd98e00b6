"""Whether the times that the harness reports are those of the calls alone.

Each backend solves the same puzzles in a bare loop, in this process, and in a
run of the harness; the medians of both are printed with their difference. And
how two jobs compare with one: trials a second, and CPU time a trial.
"""

import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.made import a_dataset, seconds_of
from harness.analysis.run import load
from harness.contract import registry
from harness.experiment.plan import Sweep
from harness.experiment.run import run_sweep
from harness.puzzles import Puzzle, Shape
from harness.puzzles.generate import pattern_grid

BACKENDS = ("native", "cpsat", "cnf")
PUZZLES = 300
REPETITIONS = 5


def puzzles() -> list[Puzzle]:
    """Puzzles of 26 to 40 givens, from the pattern grid."""
    shape = Shape.parse("9x9")
    grid = pattern_grid(shape)
    return [
        Puzzle(shape, tuple(v if (cell * n + n) % 97 < 38 else 0 for cell, v in enumerate(grid)))
        for n in range(1, PUZZLES + 1)
    ]


def alone(name: str) -> float:
    """The median seconds of a solve in a bare loop, the backend made anew each time."""
    backend, options = registry.load_backend(name)
    seconds = []
    for puzzle in puzzles() * REPETITIONS:
        began = perf_counter()
        backend(puzzle.shape, options).solve(puzzle)
        seconds.append(perf_counter() - began)
    return median(seconds)


def main() -> None:
    """Run the benchmark and print its figures."""
    with tempfile.TemporaryDirectory() as folder:
        dataset = a_dataset(Path(folder), puzzles())
        sweep = Sweep((dataset,), BACKENDS, repeat=REPETITIONS)
        run_sweep(sweep, Path(folder) / "run")
        reported = load(Path(folder) / "run").trials.groupby("backend")["wall_s"].median()
        for name in BACKENDS:
            bare = alone(name)
            print(
                f"{name}: {bare * 1e6:.0f} us alone, {reported[name] * 1e6:.0f} us reported, "
                f"{reported[name] / bare - 1:+.1%}"
            )
        figures = {}
        for jobs in (1, 2):
            seconds = seconds_of(sweep, Path(folder) / f"jobs{jobs}", jobs)
            cpu = load(Path(folder) / f"jobs{jobs}").trials.groupby("backend")["cpu_s"].median()
            figures[jobs] = (seconds, cpu)
        (one, cpu_one), (two, cpu_two) = figures[1], figures[2]
        print(f"two jobs: {one / two:.2f} times the trials a second of one")
        for name in BACKENDS:
            print(
                f"{name}: CPU time a trial with two jobs {cpu_two[name] / cpu_one[name] - 1:+.1%}"
            )


if __name__ == "__main__":
    main()
