"""CPU time and memory of the measures and tables of a large run, and of the commands that read it.

The run is synthetic, with noise and timeouts. It has BACKENDS x PUZZLES x REPETITIONS
trials, by default 30 x 3,334 x 10, one million.

    python -m benchmarks.report [BACKENDS PUZZLES REPETITIONS]
"""

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd

from harness.analysis import Run
from harness.analysis.measures import MEASURES
from harness.records import DTYPES
from harness.report import Section, tables
from harness.report.render import markup, text
from harness.report.tables import comparison_tables as comparison

TIMEOUT_S = 0.05
_FROM_1 = str.maketrans("012345678", "123456789")
MEASURED = ("results", "agreement", "performance_profile", "cactus")
"""Measures that a report uses without a table of their own."""


def synthetic(backends: int, puzzles: int, repetitions: int, seed: int = 0) -> pd.DataFrame:
    """Trials with times that depend on puzzle, backend and noise; some are timeouts.

    Only the noise depends on `seed`.
    """
    random = np.random.default_rng(0)
    number = backends * puzzles * repetitions
    backend = np.repeat(np.arange(backends), puzzles * repetitions)
    puzzle = np.tile(np.repeat(np.arange(puzzles), repetitions), backends)
    noise = np.exp(np.random.default_rng([1, seed]).normal(0, 0.05, number))
    wall = np.exp(random.normal(-6, 1, puzzles))[puzzle] * (1 + 0.3 * backend) * noise
    late = wall > TIMEOUT_S
    ids = np.array([f"p{n:07d}" for n in range(puzzles)], dtype=object)
    digits = [np.base_repr(n, 9).zfill(21).translate(_FROM_1) for n in range(puzzles)]
    lines, solutions = (
        np.array([blank * 60 + digit for digit in digits], object) for blank in ".1"
    )
    stats = [json.dumps({"nodes": int(n), "guesses": int(n) // 3}) for n in range(1000)]
    trials = pd.DataFrame(
        {
            "backend": np.array([f"b{n}" for n in range(backends)], dtype=object)[backend],
            "dataset": "d",
            "scramble": "",
            "name": ids[puzzle],
            "puzzle_id": ids[puzzle],
            "shape": "9x9",
            "puzzle": lines[puzzle],
            "clues": 20 + puzzle % 10,
            "task": "solve",
            "start": "cold",
            "repetition": np.tile(np.arange(1, repetitions + 1), backends * puzzles),
            "verdict": np.where(late, "timeout", "solved"),
            "reason": "",
            "solution": pd.Series(solutions[puzzle]).mask(late),
            "wall_s": np.minimum(wall, TIMEOUT_S),
            "host": "here",
            "timeout_s": TIMEOUT_S,
            "stats": np.array(stats, dtype=object)[puzzle % 1000],
            "paradigm": "synthetic",
        }
    )
    return trials.reindex(columns=list(DTYPES)).astype(DTYPES)


def main(backends: int = 30, puzzles: int = 3_334, repetitions: int = 10) -> None:
    """Print the time of each measure and format, the total, and the cost of each command."""
    run = Run(Path(), synthetic(backends, puzzles, repetitions))
    print(f"{len(run.trials):,} trials: {backends} x {puzzles:,} x {repetitions}")
    began = process_time()
    for name in MEASURED:
        timed(name, partial(call, run, name))
    for name in MEASURES:
        timed(name, partial(run.measure, name))
    sections: list[Section] = []
    timed("sections", lambda: sections.extend(tables.sections(run)))
    for form in (text.text, markup.markdown, markup.latex_fragments):
        timed(form.__name__, partial(form, sections))
    total = process_time() - began
    timed("compare", lambda: comparison.sections(run.compare(run)))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{'report':20} {total:6.2f} s, peak memory {memory:.2f} GiB with the trials")
    # In another process: a command begins with the peak memory of the process that starts it.
    sizes = map(str, (backends, puzzles, repetitions))
    subprocess.run([sys.executable, "-m", "benchmarks.page", *sizes], check=True)


def call(run: Run, name: str) -> object:
    """Evaluate a property or a method of the run."""
    value = getattr(run, name)
    return value() if callable(value) else value


def timed(name: str, work: Callable[[], object]) -> None:
    """Run `work` and print its CPU time."""
    began = process_time()
    work()
    print(f"{name:20} {process_time() - began:6.2f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
