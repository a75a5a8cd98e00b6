"""Puzzles per second of each core backend with the batch start.

    python -m benchmarks.throughput [FILE...]

Without files, the benchmark generates puzzles.
"""

import sys
import tempfile
from pathlib import Path

from benchmarks.workloads import a_dataset, puzzles
from harness.analysis import load
from harness.records import Start, Task
from harness.report.render import text
from harness.report.tables import sections
from harness.runs import Sweep, run_sweep

PUZZLES = 1000
BACKENDS = ("native", "native-jit", "cpsat", "cnf", "milp")


def main() -> None:
    """Run the benchmark and print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = tuple(sys.argv[1:]) or (a_dataset(folder, puzzles(PUZZLES)),)
        sweep = Sweep(
            files,
            BACKENDS,
            tasks=(Task.COUNT,),
            max_solutions=2,
            starts=(Start.BATCH,),
            timeout=120,
        )
        run_sweep(sweep, folder / "run")
        run = load(folder / "run")
        print(text.text(sections(run, ["throughput"], is_terminal=True), 100))


if __name__ == "__main__":
    main()
