"""Time from a command to its result: an answer, the sweep of the demo, reports.

Each command runs in a process of its own; the best wall time of several runs counts. The
first line is the time of Python alone.

    python -m benchmarks.start
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Final

from benchmarks.goals import GOALS

ROOT: Final = Path(__file__).resolve().parents[1]
RUNS: Final = 5
PUZZLE: Final = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
REFERENCE: Final = str(ROOT / "results" / "reference")


def demo() -> list[str]:
    """The arguments of the sweep that `make demo` runs, without its folder."""
    text = (ROOT / "Makefile").read_text().replace("$(CORE)", "native cpsat milp cnf")
    (command,) = re.findall(r"^demo:.*\n\t\$\(BIN\)/harness (run .*) --out \$\(DEMO\)$", text, re.M)
    return str(command).split()


def commands(folder: Path) -> dict[str, list[str]]:
    """The arguments of each command, by the name of its goal."""
    return {
        "harness solve": ["solve", PUZZLE],
        "sweep of the demo": [*demo(), "--fresh", "--out", str(folder / "demo")],
        "report as text": ["report", REFERENCE],
        "report as page": [
            *("report", REFERENCE, "--format", "html"),
            *("--out", str(folder / "report.html")),
        ],
    }


def best_s(command: Sequence[str]) -> float:
    """The best wall time of several runs, in seconds.

    Raises:
        CalledProcessError: the command failed.
    """
    seconds = []
    for _ in range(RUNS):
        began = perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(perf_counter() - began)
    return min(seconds)


def main() -> None:
    """Print the time of each command beside its goal."""
    python = best_s([sys.executable, "-c", "pass"])
    print(f"{'python':18} {python:6.2f} s")
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in commands(Path(folder)).items():
            seconds = best_s([sys.executable, "-m", "harness", *arguments])
            print(f"{name:18} {seconds:6.2f} s   {GOALS[name].judged(seconds)}")


if __name__ == "__main__":
    main()
