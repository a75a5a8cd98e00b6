"""The Python interface: one puzzle at a time, or a sweep."""

import atexit
import threading
import warnings
from collections.abc import Iterable
from pathlib import Path

from harness.analysis.run import Run, load
from harness.arguments import flag_of, path_of, require
from harness.errors import OptionError
from harness.experiment.observer import Observer
from harness.experiment.run import run_sweep
from harness.experiment.selection import expand_specs
from harness.experiment.single import SINGLE_LIMIT, SINGLE_TIMEOUT_S, question_of
from harness.experiment.sweep import RESULTS, Sweep
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.records.question import Question, Start, Task
from harness.report.reply import Reply
from harness.session import OneOrMany, PuzzleForm, Session, puzzle_of


def solve(
    puzzle: PuzzleForm,
    backend: str | Path = "native",
    *,
    shape: str | Shape | None = None,
    start: str = Start.COLD,
    timeout: float = SINGLE_TIMEOUT_S,
    cpu: float = Sweep.cpu,
    memory: int = Sweep.memory,
) -> Reply:
    """Find a solution of a puzzle, or a proof that none exists.

    Args:
        puzzle: a `Puzzle`, a line or a grid as text, nested lists with 0 for a blank, or
            a dict of cells A1 to I9.
        backend: a backend spec, for instance ``cnf[solver=glucose4]``.
        shape: the shape of the puzzle; by default it follows from the puzzle's length.
        start: ``cold``, ``warm`` or ``batch``: what the measured time covers.
        timeout: limit of wall time in seconds.
        cpu: limit of CPU time in seconds, children included; 0 for no limit.
        memory: memory limit in MiB above the worker's baseline; 0 for no limit.

    Raises:
        PuzzleError: the puzzle or the shape is malformed.
        UnknownBackendError: the backend does not exist.
        BackendUnavailableError: the backend cannot be used here.
        OptionError: another argument has a wrong type or is out of range.
    """
    question = question_of(Task.SOLVE, start=start, timeout=timeout, cpu=cpu, memory=memory)
    return _ask(puzzle_of(puzzle, shape), backend, question)


def count(
    puzzle: PuzzleForm,
    backend: str | Path = "native",
    *,
    limit: int = SINGLE_LIMIT,
    shape: str | Shape | None = None,
    start: str = Start.COLD,
    timeout: float = SINGLE_TIMEOUT_S,
    cpu: float = Sweep.cpu,
    memory: int = Sweep.memory,
) -> Reply:
    """Count the solutions of a puzzle, up to `limit`.

    Args:
        puzzle: as for `solve`.
        backend: a backend spec.
        limit: number of solutions at which the count stops.
        shape: the shape of the puzzle; by default it follows from the puzzle's length.
        start: ``cold``, ``warm`` or ``batch``: what the measured time covers.
        timeout: limit of wall time in seconds.
        cpu: limit of CPU time in seconds, children included; 0 for no limit.
        memory: memory limit in MiB above the worker's baseline; 0 for no limit.

    Raises:
        PuzzleError: the puzzle or the shape is malformed.
        UnknownBackendError: the backend does not exist.
        BackendUnavailableError: the backend cannot be used here.
        OptionError: another argument has a wrong type or is out of range.
    """
    question = question_of(
        Task.COUNT, limit=limit, start=start, timeout=timeout, cpu=cpu, memory=memory
    )
    return _ask(puzzle_of(puzzle, shape), backend, question)


def run(
    datasets: OneOrMany,
    backends: OneOrMany,
    *,
    tasks: str | Iterable[str] = Sweep.tasks,
    limit: int = Sweep.limit,
    starts: str | Iterable[str] = Sweep.starts,
    repeat: int = Sweep.repeat,
    until_stable: int = Sweep.until_stable,
    timeout: float = Sweep.timeout,
    cpu: float = Sweep.cpu,
    memory: int = Sweep.memory,
    jobs: int = Sweep.jobs,
    seed: int = Sweep.seed,
    shape: str | Shape | None = Sweep.shape,
    where: str | None = Sweep.where,
    scramble: int | None = Sweep.scramble,
    out: Path | str | None = None,
    fresh: bool = False,
    skip_unavailable: bool = False,
) -> Run:
    """Run a sweep, or the rest of an interrupted one, and load its results.

    `datasets`, `backends`, `tasks` and `starts` take one value or several.

    Args:
        datasets: names of shipped datasets or paths of puzzle files.
        backends: backend specs; a grid such as ``cnf[solver=[glucose4,cadical153]]``
            stands for several backends.
        tasks: ``solve`` to find a solution, ``count`` to count solutions up to `limit`.
        limit: number of solutions at which ``count`` stops.
        starts: ``cold``, ``warm`` or ``batch``: what the measured time covers.
        repeat: number of repetitions: trials of each result.
        until_stable: repeat unstable results up to this number of repetitions in all; 0
            for no further repetitions.
        timeout: wall time limit of a trial in seconds.
        cpu: CPU time limit of a trial in seconds, children included; 0 for no limit.
        memory: memory limit in MiB above the worker's baseline; 0 for no limit.
        jobs: number of trials that run at the same time, each on its own core; more than the
            cores that this process may use cause a RuntimeWarning.
        seed: random seed for the trial order.
        shape: the shape of all puzzles; by default it follows from their length.
        where: a condition that chooses puzzles, such as ``clues < 20``.
        scramble: replace each puzzle by an equivalent one that follows from this seed; None
            for the puzzles as they are.
        out: folder of the run; by default a folder in ``results`` named after the sweep.
        fresh: delete results of an earlier run in the folder.
        skip_unavailable: leave out backends that cannot be used here.

    Raises:
        InputError: a dataset, a backend, an option or the folder cannot be used; the
            kinds are `PuzzleError`, `UnknownBackendError`, `BackendUnavailableError` and
            `OptionError`.
        StorageError: results cannot be written.
    """
    options = {
        "datasets": datasets,
        "backends": backends,
        "tasks": tasks,
        "limit": limit,
        "starts": starts,
        "repeat": repeat,
        "until_stable": until_stable,
        "timeout": timeout,
        "cpu": cpu,
        "memory": memory,
        "jobs": jobs,
        "seed": seed,
        "shape": shape.definition if isinstance(shape, Shape) else shape,
        "where": where,
        "scramble": scramble,
    }
    sweep = Sweep.of(options)
    folder = RESULTS / sweep.folder_name if out is None else path_of(out, "out", "a path")
    run_sweep(
        sweep,
        folder,
        fresh=flag_of(fresh, "fresh"),
        skip_unavailable=flag_of(skip_unavailable, "skip_unavailable"),
        observer=_Warnings(),
    )
    return load(folder)


class _Warnings(Observer):
    """Passes warnings of a run to the caller as Python warnings."""

    def unreliable(self, what: str) -> None:
        """Warn with the place of the call of `run`."""
        warnings.warn(what, RuntimeWarning, stacklevel=4)


_own = threading.local()


def _ask(puzzle: Puzzle, backend: str | Path, question: Question) -> Reply:
    require(backend, (str, Path), "backend", "a backend spec")
    backend = str(backend)
    if len(expand_specs([backend])) != 1:
        raise OptionError(
            f"{backend} names several backends", where="backend", expected="one backend"
        )
    if not hasattr(_own, "session"):
        _own.session = Session()
        atexit.register(_own.session.close)
    session: Session = _own.session
    return session.ask(puzzle, [backend], question)[0]
