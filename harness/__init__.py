"""Run interchangeable Sudoku solvers under equal conditions; report correctness and speed.

>>> import harness
>>> harness.solve("1...........2...", backend="cpsat").verdict  # doctest: +SKIP
<Verdict.SOLVED: 'solved'>

`solve` and `count` run one backend on one puzzle and return a `Reply`; a `Session` runs
several backends on one puzzle. `run` runs a sweep and `load` reads its results, both as a
`Run`. `trend` follows several runs. Errors are `HarnessError` and its kinds.
"""

from typing import TYPE_CHECKING

from harness.plugins import lazily

if TYPE_CHECKING:
    from harness.analysis.run import Run, load
    from harness.analysis.trend import Trend, trend
    from harness.api import run
    from harness.errors import (
        BackendUnavailableError,
        HarnessError,
        InputError,
        OptionError,
        PuzzleError,
        RunError,
        StorageError,
        StoreDamagedError,
        UnknownBackendError,
    )
    from harness.puzzles import Dataset, Puzzle, Shape, load_dataset, parse_puzzle
    from harness.records.question import Question, Start, Task, Verdict
    from harness.report.reply import Reply
    from harness.runs.sweep import Sweep
    from harness.session import Session, count, solve

__all__ = [
    "BackendUnavailableError",
    "Dataset",
    "HarnessError",
    "InputError",
    "OptionError",
    "Puzzle",
    "PuzzleError",
    "Question",
    "Reply",
    "Run",
    "RunError",
    "Session",
    "Shape",
    "Start",
    "StorageError",
    "StoreDamagedError",
    "Sweep",
    "Task",
    "Trend",
    "UnknownBackendError",
    "Verdict",
    "count",
    "load",
    "load_dataset",
    "parse_puzzle",
    "run",
    "solve",
    "trend",
]

if not TYPE_CHECKING:
    # Workers and `harness --help` start without pandas.
    __getattr__, __dir__ = lazily(__name__, __file__)
