"""Compare the formulations of the backends with those of tutorials on the same solvers.

Both run in the same sweep. The benchmark prints the medians of wall time for each
file of puzzles, by default one with generated puzzles. It also compares MILP on the
hardest puzzles of the dataset `named`.

    python -m benchmarks.formulations [FILE...]
"""

import sys
import tempfile
from pathlib import Path

import pandas as pd

from benchmarks.workloads import a_dataset, puzzles
from harness.analysis.run import load
from harness.experiment.run import run_sweep
from harness.experiment.sweep import Sweep
from harness.puzzles.catalogue import load_datasets
from harness.records.question import Start

PUZZLES = 300
PLAIN = {name: f"{Path(__file__).with_name('plain.py')}:Plain{name}" for name in ("Cnf", "CpSat")}
PLAIN_MILP = f"{Path(__file__).with_name('plain.py')}:PlainMilp"
BUILT_IN = {
    "Cnf": (
        "cnf",
        "cnf[solver=minicard,encoding=cardinality]",
        "cnf[solver=cadical153,reuse=true]",
    ),
    "CpSat": ("cpsat", "cpsat[formulation=integer]"),
}
HARD = (
    *("AI_Escargot_2006", "Inkala_2010", "Inkala_2012", "Easter_Monster"),
    *("Golden_Nugget", "Platinum_Blonde", "Red_Dwarf", "Fata_Morgana"),
)
"""Names of the hardest puzzles of `named`."""


def medians(dataset: str, backends: tuple[str, ...], repeat: int = 1) -> "pd.Series[float]":
    """Median milliseconds by backend and start."""
    sweep = Sweep((dataset,), backends, starts=(Start.COLD, Start.WARM), repeat=repeat)
    with tempfile.TemporaryDirectory() as folder:
        run_sweep(sweep, Path(folder))
        trials = load(folder).trials
    failed = trials[trials["verdict"] != "solved"]
    assert failed.empty, failed[["backend", "verdict", "reason"]].head()
    found: pd.Series[float] = trials.groupby(["backend", "start"])["wall_s"].median() * 1e3
    return found


def compare(dataset: str, plain: str, backends: tuple[str, ...], repeat: int = 1) -> None:
    """Print the medians of the backends and their ratios to the plain formulation."""
    found = medians(dataset, (plain, *backends), repeat)
    base = found[plain, "cold"]
    print(f"  {plain.rpartition(':')[2]}: {base:.2f} ms")
    for backend in backends:
        cold, warm = found[backend, "cold"], found[backend, "warm"]
        print(
            f"  {backend}: cold {cold:.2f} ms ({cold / base:.3f}), "
            f"warm {warm:.2f} ms ({warm / base:.3f})"
        )


def first_of(file: str, folder: Path, number: int) -> str:
    """Copy the first `number` puzzles of a file; return the path of the copy."""
    path = folder / Path(file).name
    path.write_text("".join(Path(file).read_text().splitlines(keepends=True)[:number]))
    return str(path)


def main() -> None:
    """Print the comparison for each file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = sys.argv[1:] or [a_dataset(folder, puzzles(PUZZLES))]
        for file in files:
            print(Path(file).name)
            for kind, plain in PLAIN.items():
                compare(first_of(file, folder, PUZZLES), plain, BUILT_IN[kind])
            compare(first_of(file, folder, PUZZLES // 6), PLAIN_MILP, ("milp", "milp[model=full]"))
        print("hardest puzzles of named")
        hard = folder / "hard.txt"
        hard.write_text("".join(f"{line}\n" for line in hard_lines()))
        compare(str(hard), PLAIN_MILP, ("milp",), repeat=3)


def hard_lines() -> list[str]:
    """The hardest puzzles of `named`, one line each."""
    (dataset,) = load_datasets(["named"])
    return [instance.puzzle.line for instance in dataset.instances if instance.name in HARD]


if __name__ == "__main__":
    main()
