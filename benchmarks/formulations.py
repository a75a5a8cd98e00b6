"""Compare the formulations of the backends with those of tutorials on the same solvers.

Both run in the same sweep. By default the puzzles are those in ../shared/puzzles beside the
checkout, or generated ones where these are missing. For each file the benchmark prints medians of
wall time, as milliseconds and as shares of the tutorial's time:

    goal    what a warm call of the backend should take at most, for the files with a goal
    call    the solver's own call, measured afterwards on the same puzzles in this process;
            no backend with this formulation and this solver can take less

It also compares MILP on the hardest puzzles of the dataset `named`.

    python -m benchmarks.formulations [FILE...]
"""

import importlib
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final, NamedTuple

import pandas as pd

from benchmarks.goals import GOALS
from benchmarks.kernel import FILES, SHARED
from benchmarks.workloads import a_dataset, puzzles
from harness.analysis import load
from harness.contract import Backend, parse_specs
from harness.contract.registry import load_backend
from harness.puzzles import Puzzle
from harness.puzzles.datasets import load_datasets
from harness.records import Start
from harness.runs import Sweep, run_sweep

PUZZLES: Final = 300


class Compared(NamedTuple):
    """A backend, the place of the solver's own call, and its goal."""

    spec: str
    call: str
    """The module, and the attribute in it, of the call."""
    goal: str = ""
    """The name of its goal, for the warm time as a share of the tutorial's."""


_CP_SAT: Final = "ortools.sat.python.cp_model_helper:SolveWrapper.solve"
CNF: Final = (
    Compared("cnf", "pysolvers:minicard_solve"),
    Compared("cnf[reuse=true]", "pysolvers:minicard_solve"),
    Compared(
        "cnf[solver=cadical153,reuse=true]", "pysolvers:cadical153_solve", "cnf, kept, top1465"
    ),
)
CP_SAT: Final = (
    Compared("cpsat", _CP_SAT, "cpsat, warm, 17-clue"),
    Compared("cpsat[formulation=integer]", _CP_SAT),
)
MILP: Final = (
    Compared("milp", "subprocess:run", "milp, 17-clue"),
    Compared("milp[model=full]", "subprocess:run"),
    Compared("milp[solver=HiGHS]", "highspy:Highs.run"),
    Compared("highs", "highspy:Highs.run"),
)
HARD: Final = (
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
    times: pd.Series[float] = trials.groupby(["backend", "start"])["wall_s"].median() * 1e3
    return times


def compare(
    file: Path, tutorial: str, backends: tuple[Compared, ...], number: int, repeat: int = 1
) -> None:
    """Print a line for the tutorial's formulation and for each backend, on `number` puzzles."""
    (whole,) = load_datasets([str(file)])
    kind = next((kind for kind, name in FILES.items() if name == file.name), "")
    chosen = [instance.puzzle for instance in whole.instances[:number]]
    dataset = file.with_stem(f"{file.stem}-{number}")
    dataset.write_text("".join(f"{puzzle.line}\n" for puzzle in chosen))
    peer = f"{Path(__file__).with_name('plain.py')}:{tutorial}"
    times = medians(str(dataset), (peer, *(backend.spec for backend in backends)), repeat)
    base = times["plain-" + tutorial.removeprefix("Plain").lower(), "cold"]
    print(f"  {tutorial + f', {len(chosen)} puzzles':36}{base:8.2f} ms")
    for backend in backends:
        cold, warm = (times[backend.spec, str(start)] for start in (Start.COLD, Start.WARM))
        share = share_of_call(backend, chosen)
        is_for = kind and backend.goal.endswith(f", {kind}")
        goal = f"\n      {GOALS[backend.goal].judged(warm / base)}" if is_for else ""
        print(
            f"    {backend.spec:34}cold {cold:6.2f} ms {cold / base:6.3f}   "
            f"warm {warm:6.2f} ms {warm / base:6.3f}   "
            f"call {share:4.0%} of warm {share * warm / base:6.3f}{goal}"
        )


def share_of_call(compared: Compared, chosen: list[Puzzle]) -> float:
    """The median share of the solver's own call in the wall time of a warm `solve`."""
    (spec,) = parse_specs(compared.spec)
    kind, options = load_backend(spec.locator, spec.settings)
    backend: Backend = kind(chosen[0].shape, options)
    shares = []
    with timed(compared.call) as calls:
        for puzzle in chosen:
            calls.clear()
            began = perf_counter()
            backend.solve(puzzle)
            shares.append(sum(calls) / (perf_counter() - began))
    return median(shares)


@contextmanager
def timed(call: str) -> Iterator[list[float]]:
    """Collect the seconds of each call of a function, `module:name` or `module:Class.name`."""
    module, _, path = call.partition(":")
    owner, names, seconds = importlib.import_module(module), path.split("."), list[float]()
    for name in names[:-1]:
        owner = getattr(owner, name)
    original = getattr(owner, names[-1])

    def measured(*positional: Any, **named: Any) -> Any:
        began = perf_counter()
        try:
            return original(*positional, **named)
        finally:
            seconds.append(perf_counter() - began)

    setattr(owner, names[-1], measured)
    try:
        yield seconds
    finally:
        setattr(owner, names[-1], original)


def main() -> None:
    """Print the comparison for each file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shared = [str(SHARED / name) for name in FILES.values() if (SHARED / name).is_file()]
        for source in map(Path, sys.argv[1:] or shared or [a_dataset(folder, puzzles(PUZZLES))]):
            print(source.name)
            file = folder / source.name
            if not source.is_file():
                sys.exit(f"{source} is no file of puzzles")
            file.write_bytes(source.read_bytes())
            compare(file, "PlainCnf", CNF, PUZZLES)
            compare(file, "PlainCpSat", CP_SAT, PUZZLES)
            compare(file, "PlainMilp", MILP, PUZZLES // 6)
        print("hardest puzzles of named")
        hard = folder / "hard.txt"
        hard.write_text("".join(f"{line}\n" for line in hard_lines()))
        compare(hard, "PlainMilp", (MILP[0], MILP[2]), len(HARD), repeat=3)


def hard_lines() -> list[str]:
    """The hardest puzzles of `named`, one line each."""
    (dataset,) = load_datasets(["named"])
    return [instance.puzzle.line for instance in dataset.instances if instance.name in HARD]


if __name__ == "__main__":
    main()
