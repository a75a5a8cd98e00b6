"""False differences: copies of one backend, on a quiet and on a busy machine.

A report that calls copies different, or a comparison that calls a run slower than the one
before, is wrong. Each should happen in at most 2 % of runs.

    python -m benchmarks.noise [RUNS]
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.analysis import load
from harness.extensions.noise.copies import Spread, noise, run_copies
from harness.records import Start
from harness.runs import Sweep

RUNS = 50
LOADS = {"quiet": 0, "busy": 3}
"""The number of other processes, which compute without a pause."""
CASES = (
    ("native", "transition", Start.WARM, 3),
    ("native-jit", "transition", Start.WARM, 3),
    ("cnf", "named", Start.WARM, 3),
    ("native-jit", "transition", Start.BATCH, 10),
    ("cpsat", "named", Start.COLD, 1),
)


@contextmanager
def others(number: int) -> Iterator[None]:
    """Keep cores busy with other programs."""
    code = "while True:\n    sum(n * n for n in range(100_000))"
    programs = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(number)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def measure(runs: int) -> None:
    """Print how often copies are called different, and a run slower than the one before."""
    for load_name, number in LOADS.items():
        for backend, dataset, start, repeat in CASES:
            sweep = Sweep((dataset,), (backend,), starts=(start,), repeat=repeat)
            with others(number), tempfile.TemporaryDirectory() as folder:
                measured = noise(
                    backend, [load(path) for path in run_copies(sweep, Path(folder), runs)]
                )
            print(
                f"{load_name:5} {backend:10} {start:5} n={measured.instances:2} "
                f"within a run: {_spread(measured.within)}; "
                f"between runs: {_spread(measured.between)}, "
                f"{measured.between.unequal} attributed to the machine",
                flush=True,
            )


def _spread(spread: Spread) -> str:
    return (
        f"{spread.false} of {spread.comparisons} false, 95 % within {spread.resolution:.3f}, "
        f"largest {spread.largest:.3f}"
    )


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
