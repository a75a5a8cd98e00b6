"""The Python interface for single puzzles; it imports no tables."""

import atexit
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from harness.base.errors import (
    OptionError,
    PuzzleError,
    flag_of,
    invalid,
    located,
    python_value,
    require,
)
from harness.contract import BackendSpec, registry
from harness.engine import Supervisor
from harness.puzzles import Instance, Puzzle, Shape, SolutionCount
from harness.puzzles.formats import ReadSettings, parse_puzzle
from harness.records import Batch, Configuration, Question, Start, Task, Trial, check_names
from harness.report import Reply
from harness.runs import (
    SINGLE_LIMIT,
    SINGLE_TIMEOUT_S,
    Sink,
    Sweep,
    execute,
    expand_specs,
    options_of,
    question_of,
    require_available,
)


class Array(Protocol):
    """An array, a series or a frame, as those of numpy and pandas."""

    def __array__(self) -> Any:
        """The array of numpy."""


PuzzleForm = Puzzle | str | Sequence[Any] | Array | Mapping[str, str | int]
"""A `Puzzle`, a line or a grid as text, lists or an array of cells as `Puzzle.from_rows` takes
them, or a dict of cells A1 to I9."""

OneOrMany = str | Path | Iterable[str | Path]
"""One value of an option, or several."""


def _ignore(_: str) -> None:
    """Show no notice."""


class Session:
    """Workers that stay alive between questions; use it as a context manager.

    Use a session in one thread: its workers end with the thread that started them.

    Args:
        warm_up: whether each worker makes an unmeasured call before its first question of
            a kind.
        notice: receives a line before a backend prepares for seconds.
    """

    def __init__(self, *, warm_up: bool = True, notice: Callable[[str], None] = _ignore) -> None:
        if not callable(notice):
            raise invalid("notice", notice, "a function that takes one string")
        self._warm_up = flag_of(warm_up, "warm_up")
        self._notice = notice
        self._supervisors: dict[tuple[str, ...], tuple[Supervisor, Sequence[Configuration]]] = {}
        self._versions: dict[tuple[str, ...], tuple[str, ...]] = {}
        """The digests of the files of the backends of each supervisor."""

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End all workers."""
        while self._supervisors:
            self._supervisors.popitem()[1][0].close()

    def ask(
        self,
        puzzle: PuzzleForm,
        backends: OneOrMany,
        question: Question,
        expected_count: SolutionCount | None = None,
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
        require(question, Question, "question", "a Question")
        counts = (SolutionCount, type(None))
        require(expected_count, counts, "expected_count", "a SolutionCount, or None")
        puzzle = puzzle_of(puzzle)
        supervisor, configurations = self._supervisor(expand_specs(specs_of(backends)))
        instance = Instance(puzzle.id, puzzle, expected_count)
        batches = [
            Batch(c.spec.label, question, [Trial(c.label, "", instance, question, 1, c.spec.label)])
            for c in configurations
        ]
        sink = Sink()
        execute(supervisor, batches, sink)
        late = supervisor.unavailable
        require_available(
            [replace(c, unavailable=late.get(c.spec.label, "")) for c in configurations]
        )
        return [Reply.of_record(record) for record in sink.records]

    def _supervisor(
        self, specs: Sequence[BackendSpec]
    ) -> tuple[Supervisor, Sequence[Configuration]]:
        """The supervisor of these backends, replaced if a file changed or a backend failed."""
        key = tuple(spec.label for spec in specs)
        versions = tuple(registry.file_digest(spec.locator) for spec in specs)
        is_outdated = self._versions.get(key) != versions
        if key in self._supervisors and (is_outdated or self._supervisors[key][0].unavailable):
            self._supervisors.pop(key)[0].close()
        if key not in self._supervisors:
            supervisor = Supervisor(specs, warm_up=self._warm_up, notice=self._notice)
            try:
                configurations = supervisor.open()
                require_available(configurations)
                check_names(configurations)
            except BaseException:
                supervisor.close()
                raise
            self._supervisors[key] = supervisor, configurations
            self._versions[key] = versions
        return self._supervisors[key]


def solve(
    puzzle: PuzzleForm,
    backend: str | Path = "native",
    *,
    shape: str | Shape | None = None,
    symbols: str | None = None,
    start: str = Start.COLD,
    timeout: float = SINGLE_TIMEOUT_S,
    cpu: float = Sweep.cpu,
    memory: int = Sweep.memory,
) -> Reply:
    """Find a solution of a puzzle, or a proof that none exists.

    Args:
        puzzle: a `Puzzle`, a line or a grid as text, lists or an array of cells as
            `Puzzle.from_rows` takes them, or a dict of cells A1 to I9.
        backend: a backend spec, for example ``cnf[solver=glucose4]``.
        shape: the shape of the puzzle; by default it follows from the puzzle's length.
        symbols: the symbols of values in a text, such as ``hex``; by default those of the harness.
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
    return _ask(puzzle_of(puzzle, shape, symbols), backend, question)


def count(
    puzzle: PuzzleForm,
    backend: str | Path = "native",
    *,
    max_solutions: int = SINGLE_LIMIT,
    shape: str | Shape | None = None,
    symbols: str | None = None,
    start: str = Start.COLD,
    timeout: float = SINGLE_TIMEOUT_S,
    cpu: float = Sweep.cpu,
    memory: int = Sweep.memory,
) -> Reply:
    """Count the solutions of a puzzle, up to `max_solutions`, where the count stops.

    The other arguments and the errors are those of `solve`.
    """
    question = question_of(
        Task.COUNT,
        max_solutions=max_solutions,
        start=start,
        timeout=timeout,
        cpu=cpu,
        memory=memory,
    )
    return _ask(puzzle_of(puzzle, shape, symbols), backend, question)


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


def puzzle_of(
    puzzle: PuzzleForm, shape: str | Shape | None = None, symbols: str | None = None
) -> Puzzle:
    """The puzzle that `puzzle` stands for; without `shape`, its shape follows from its length.

    Raises:
        PuzzleError: the puzzle or the shape is malformed, or `symbols` are given without a text.
    """
    shape = Shape.choose(shape)
    if symbols is not None and not isinstance(python_value(puzzle), str):
        raise PuzzleError("symbols for a puzzle that is no text", expected="symbols=None")
    if isinstance(puzzle, Puzzle):
        ReadSettings(shape).require_shape(puzzle.shape)
        return puzzle
    if isinstance(puzzle, Mapping):
        return Puzzle.from_cells(puzzle, shape)
    plain = python_value(puzzle)
    if isinstance(plain, bytes) and min(plain, default=0) > 8:  # text, not values
        plain = plain.decode(errors="replace")
    if isinstance(plain, str):
        return parse_puzzle(plain, shape, symbols)
    with located(lambda place: "puzzle" if place == "rows" else place, PuzzleError):
        return Puzzle.from_rows(puzzle, shape)


def specs_of(backends: object) -> list[str]:
    """The specs of one backend or several, checked like the `backends` of a sweep."""
    specs = options_of(Sweep)["backends"].convert(backends)
    assert isinstance(specs, tuple)
    return [str(spec) for spec in specs]
