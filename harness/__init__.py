"""Run interchangeable Sudoku solvers under equal conditions; report correctness and speed.

>>> import harness
>>> harness.solve("1...........2...", backend="cpsat").verdict  # doctest: +SKIP
<Verdict.SOLVED: 'solved'>

`solve` and `count` run one backend on one puzzle and return a `Reply`; a `Session` runs
several backends on one puzzle. `run` runs a sweep and `load` reads its results, both as a
`Run`. Errors are `HarnessError` and its kinds.
"""

TYPE_CHECKING = False  # `typing` and the modules behind it take longer than the start of Python

if TYPE_CHECKING:
    from harness.analysis import Run, load
    from harness.api import run
    from harness.base.errors import (
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
    from harness.records import Question, Start, Task, Verdict
    from harness.report import Reply
    from harness.runs import Sweep
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
    "UnknownBackendError",
    "Verdict",
    "count",
    "load",
    "load_dataset",
    "parse_puzzle",
    "run",
    "solve",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a name at its first use.

        The command starts without pandas, and imports nothing before it takes care of Ctrl-C.
        """
        from harness.base.plugins import lazily

        return lazily(__name__, __file__)[0](name)

    def __dir__() -> list[str]:
        return __all__
