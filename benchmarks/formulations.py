"""What a formulation is worth: each backend against the same solver as a tutorial uses it.

Both run in one sweep of the harness, one after the other, and the medians of
wall time are compared. Files of puzzles are arguments; without any, puzzles
are generated. MILP is also held against its tutorial on the hardest of `named`.

    python -m benchmarks.formulations [FILE...]
"""

import sys
import tempfile
from pathlib import Path

import pandas as pd

from benchmarks.made import a_dataset, puzzles
from harness.analysis.run import load
from harness.experiment.plan import Sweep
from harness.experiment.run import run_sweep
from harness.puzzles.catalogue import load_datasets
from harness.records.question import Start

PUZZLES = 300
PLAIN = {name: f"{Path(__file__).with_name('plain.py')}:Plain{name}" for name in ("Cnf", "CpSat")}
PLAIN_MILP = f"{Path(__file__).with_name('plain.py')}:PlainMilp"
OURS = {
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
"""The hardest puzzles of `named`."""


def medians(dataset: str, backends: tuple[str, ...], repeat: int = 1) -> "pd.Series[float]":
    """The median milliseconds of each backend and start."""
    sweep = Sweep((dataset,), backends, starts=(Start.COLD, Start.WARM), repeat=repeat)
    with tempfile.TemporaryDirectory() as folder:
        run_sweep(sweep, Path(folder))
        trials = load(folder).trials
    failed = trials[trials["verdict"] != "solved"]
    assert failed.empty, failed[["backend", "verdict", "reason"]].head()
    figures: pd.Series[float] = trials.groupby(["backend", "start"])["wall_s"].median() * 1e3
    return figures


def compare(dataset: str, plain: str, ours: tuple[str, ...], repeat: int = 1) -> None:
    """Print our medians, and what share of the plain one they are."""
    figures = medians(dataset, (plain, *ours), repeat)
    base = figures[plain, "cold"]
    print(f"  {plain.rpartition(':')[2]}: {base:.2f} ms")
    for backend in ours:
        cold, warm = figures[backend, "cold"], figures[backend, "warm"]
        print(
            f"  {backend}: cold {cold:.2f} ms ({cold / base:.3f}), "
            f"warm {warm:.2f} ms ({warm / base:.3f})"
        )


def first_of(file: str, folder: Path, number: int) -> str:
    """A file with the first puzzles of another."""
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
                compare(first_of(file, folder, PUZZLES), plain, OURS[kind])
            compare(first_of(file, folder, PUZZLES // 6), PLAIN_MILP, ("milp", "milp[model=full]"))
        print("the hardest of named")
        hard = folder / "hard.txt"
        hard.write_text("".join(f"{line}\n" for line in hard_lines()))
        compare(str(hard), PLAIN_MILP, ("milp",), repeat=3)


def hard_lines() -> list[str]:
    """The hardest puzzles of `named` as lines."""
    (dataset,) = load_datasets(["named"])
    return [instance.puzzle.line for instance in dataset.instances if instance.name in HARD]


if __name__ == "__main__":
    main()
