"""Puzzles a second of every core backend, asked about many puzzles in one call.

    python -m benchmarks.throughput [FILE...]

Files of puzzles are arguments; without any, puzzles are generated.
"""

import sys
import tempfile
from pathlib import Path

from benchmarks.made import a_dataset, puzzles
from harness.analysis.run import load
from harness.experiment.plan import Sweep
from harness.experiment.run import run_sweep
from harness.records.question import Start, Task
from harness.report.tables import text

PUZZLES = 1000
BACKENDS = ("native", "native-jit", "cpsat", "cnf", "milp")


def main() -> None:
    """Run the benchmark and print its table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = tuple(sys.argv[1:]) or (a_dataset(folder, puzzles(PUZZLES)),)
        sweep = Sweep(
            files, BACKENDS, tasks=(Task.COUNT,), limit=2, starts=(Start.BATCH,), timeout=120
        )
        run_sweep(sweep, folder / "run")
        print(text(load(folder / "run"), 100, ["throughput"]))


if __name__ == "__main__":
    main()
