"""The Python interface: one puzzle at a time, or a sweep."""

import atexit
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from harness.analysis.run import Run, load
from harness.engine.supervisor import Supervisor
from harness.errors import OptionError, PuzzleError
from harness.experiment.execute import execute
from harness.experiment.memory_sink import MemorySink
from harness.experiment.option import options_of, parse_choice
from harness.experiment.plan import FixedPlan
from harness.experiment.run import run_sweep
from harness.experiment.selection import expand_specs, require_available
from harness.experiment.single import SINGLE_LIMIT, SINGLE_TIMEOUT_S, question_of
from harness.experiment.sweep import MOST_JOBS, Sweep
from harness.puzzles.catalogue import Instance
from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.formats import parse_puzzle
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.records.question import Question, Start, Task
from harness.records.trial import Batch, Trial
from harness.report.reply import Reply
from harness.text import short_repr

PuzzleForm = Puzzle | str | Sequence[Sequence[int]] | Mapping[str, str | int]
"""A `Puzzle`, a line or a grid as text, nested lists with 0 for a blank, or a dict of
cells A1 to I9."""

RESULTS: Final = Path("results")
"""Parent folder of runs, relative to the working folder."""


class Session:
    """Workers that stay alive between questions; use it as a context manager.

    Use a session in one thread: its workers end with the thread that started them.

    Args:
        warm_up: whether each worker makes an unmeasured call before its first question of
            a kind.
        notice: receives a line before a backend prepares for seconds.
    """

    def __init__(
        self, *, warm_up: bool = True, notice: Callable[[str], None] = lambda _: None
    ) -> None:
        self._warm_up = warm_up
        self._notice = notice
        self._supervisors: dict[tuple[str, ...], Supervisor] = {}

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End all workers."""
        while self._supervisors:
            self._supervisors.popitem()[1].close()

    def ask(
        self,
        puzzle: PuzzleForm,
        backends: Sequence[str] | str,
        question: Question,
        expected_count: ExpectedCount | None = None,
    ) -> list[Reply]:
        """Run `question` on `puzzle` with each of these backends, one after another.

        Args:
            puzzle: the instance.
            backends: backend specs; a grid stands for several backends.
            question: the task with its start and limits.
            expected_count: the known number of solutions, to judge answers by.

        Raises:
            InputError: a backend does not exist, does not take its options or
                is not available.
            OptionError: `question` is not a `Question`.
        """
        if not isinstance(question, Question):
            raise OptionError(
                f"invalid value {question!r:.80}", where="question", expected="a Question"
            )
        puzzle = _puzzle(puzzle, None)
        specs = expand_specs(_several(backends, "backends"))
        labels = tuple(spec.label for spec in specs)
        if labels not in self._supervisors:
            supervisor = Supervisor(specs, warm_up=self._warm_up, notice=self._notice)
            try:
                require_available(supervisor.open())
            except BaseException:
                supervisor.close()
                raise
            self._supervisors[labels] = supervisor
        instance = Instance(puzzle.id, puzzle, expected_count)
        batches = [
            Batch(label, question, [Trial(label, "", instance, question, 1)]) for label in labels
        ]
        sink = MemorySink()
        execute(self._supervisors[labels], FixedPlan(batches), sink)
        return [Reply.of(record) for record in sink.records]


def solve(
    puzzle: PuzzleForm,
    backend: str = "native",
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
    return _ask(_puzzle(puzzle, shape), backend, question)


def count(
    puzzle: PuzzleForm,
    backend: str = "native",
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
    return _ask(_puzzle(puzzle, shape), backend, question)


def run(
    datasets: str | Sequence[str],
    backends: str | Sequence[str],
    *,
    tasks: str | Sequence[str] = Sweep.tasks,
    limit: int = Sweep.limit,
    starts: str | Sequence[str] = Sweep.starts,
    repeat: int = Sweep.repeat,
    until_stable: int = Sweep.until_stable,
    timeout: float = Sweep.timeout,
    cpu: float = Sweep.cpu,
    memory: int = Sweep.memory,
    seed: int = Sweep.seed,
    shape: str | Shape | None = Sweep.shape,
    out: Path | str | None = None,
    jobs: int = 1,
    fresh: bool = False,
    skip_unavailable: bool = False,
) -> Run:
    """Run a sweep, or the rest of an interrupted one, and load its results.

    Args:
        datasets: names of shipped datasets or paths of puzzle files.
        backends: backend specs; a grid such as ``cnf[solver=[glucose4,cadical153]]``
            stands for several backends.
        tasks: ``solve`` to find a solution, ``count`` to count solutions up to `limit`.
        limit: number of solutions at which ``count`` stops.
        starts: ``cold``, ``warm`` or ``batch``: what the measured time covers.
        repeat: repetitions of each trial.
        until_stable: repeat unstable results up to this number of repetitions in all; 0
            for no further repetitions.
        timeout: wall time limit of a trial in seconds.
        cpu: CPU time limit of a trial in seconds, children included; 0 for no limit.
        memory: memory limit in MiB above the worker's baseline; 0 for no limit.
        seed: random seed for the trial order.
        shape: the shape of all puzzles; by default it follows from their length.
        out: folder of the run; by default a folder in ``results`` named after the sweep.
        jobs: number of trials that run at the same time.
        fresh: delete results of an earlier run in the folder.
        skip_unavailable: leave out backends that cannot be used here.

    Raises:
        InputError: a dataset, a backend, an option or the folder cannot be used; the
            kinds are `PuzzleError`, `UnknownBackendError`, `BackendUnavailableError` and
            `OptionError`.
        StorageError: results cannot be written.
    """
    sweep = Sweep(
        datasets=_several(datasets, "datasets"),
        backends=_several(backends, "backends"),
        tasks=tuple(parse_choice(Task, task, "tasks") for task in _several(tasks, "tasks")),
        limit=limit,
        starts=tuple(parse_choice(Start, s, "starts") for s in _several(starts, "starts")),
        repeat=repeat,
        until_stable=until_stable,
        timeout=timeout,
        cpu=cpu,
        memory=memory,
        seed=seed,
        shape=shape.spec if isinstance(shape, Shape) else shape,
    )
    if type(jobs) is not int or not 1 <= jobs <= MOST_JOBS:
        raise _invalid("jobs", jobs, f"a whole number from 1 to {MOST_JOBS}")
    folder = RESULTS / sweep.folder_name if out is None else _path(out)
    run_sweep(sweep, folder, jobs=jobs, fresh=fresh, skip_unavailable=skip_unavailable)
    return load(folder)


_own = threading.local()


def _ask(puzzle: Puzzle, backend: str, question: Question) -> Reply:
    if not isinstance(backend, str):
        raise _invalid("backend", backend, "a backend spec")
    if len(expand_specs([backend])) != 1:
        raise OptionError(
            f"{backend} names several backends", where="backend", expected="one backend"
        )
    if not hasattr(_own, "session"):
        _own.session = Session()
        atexit.register(_own.session.close)
    session: Session = _own.session
    return session.ask(puzzle, [backend], question)[0]


def _puzzle(puzzle: PuzzleForm, shape: str | Shape | None) -> Puzzle:
    if isinstance(shape, str):
        shape = Shape.parse(shape)
    if not isinstance(shape, Shape | None):
        raise _invalid("shape", shape, "a Shape or its name")
    if isinstance(puzzle, Puzzle):
        return puzzle
    if isinstance(puzzle, str):
        return parse_puzzle(puzzle, shape)
    if isinstance(puzzle, Mapping):
        return Puzzle.from_cells(puzzle, shape)
    try:
        # An array of numpy becomes lists of integers of Python.
        rows = [list(row) for row in getattr(puzzle, "tolist", lambda: puzzle)()]
    except TypeError:
        raise PuzzleError(
            f"invalid puzzle {short_repr(puzzle)}",
            expected="a Puzzle, text, nested lists or a dict of cells",
        ) from None
    return Puzzle.from_rows(rows, shape)


def _several(value: str | Sequence[str], name: str) -> tuple[str, ...]:
    """The items of an option that takes one text or several."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Sequence):
        raise _invalid(name, value, options_of(Sweep)[name].expected)
    return tuple(value)


def _path(out: object) -> Path:
    if not isinstance(out, Path | str) or "\0" in str(out):
        raise _invalid("out", out, "a path")
    return Path(out)


def _invalid(name: str, value: object, expected: str) -> OptionError:
    return OptionError(f"invalid value {short_repr(value)}", where=name, expected=expected)
