"""Runs interchangeable Sudoku solvers under equal conditions: who is right, who is fast?

>>> import harness
>>> harness.solve("1...........2...", backend="cpsat").verdict  # doctest: +SKIP
<Verdict.SOLVED: 'solved'>

`solve` and `count` ask one backend about one puzzle, `run` carries out a sweep
and `load` reads what a sweep has found.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.analysis.run import Run, load
    from harness.api import Reply, Session, count, run, solve
    from harness.errors import InputError
    from harness.puzzles import Dataset, Puzzle, Shape, load_dataset

_HOME = {
    "Dataset": "harness.puzzles",
    "InputError": "harness.errors",
    "Puzzle": "harness.puzzles",
    "Reply": "harness.api",
    "Run": "harness.analysis.run",
    "Session": "harness.api",
    "Shape": "harness.puzzles",
    "count": "harness.api",
    "load": "harness.analysis.run",
    "load_dataset": "harness.puzzles",
    "run": "harness.api",
    "solve": "harness.api",
}

__all__ = [
    "Dataset",
    "InputError",
    "Puzzle",
    "Reply",
    "Run",
    "Session",
    "Shape",
    "count",
    "load",
    "load_dataset",
    "run",
    "solve",
]


def __getattr__(name: str) -> Any:
    # Each name is imported when it is first used: workers and `harness --help`
    # start without pandas.
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
