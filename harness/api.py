"""The harness from Python: one puzzle at a time, or a sweep."""

import atexit
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from harness.analysis.run import Run, load
from harness.engine.supervisor import Supervisor
from harness.errors import InputError
from harness.experiment.execute import execute
from harness.experiment.memory_sink import MemorySink
from harness.experiment.plan import FixedPlan
from harness.experiment.run import run_sweep
from harness.experiment.selection import expand_specs, require_available
from harness.experiment.sweep_file import parse_choice, sweep_from
from harness.puzzles.catalogue import Instance
from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.records.question import Question, Start, Task
from harness.records.trial import Batch, Trial, TrialRecord
from harness.records.verdict import Verdict

INTERACTIVE_LIMIT: Final = 1000
"""Solutions after which `count` stops unless it is told otherwise."""
INTERACTIVE_TIMEOUT: Final = 300.0
"""Seconds a single question may take unless it is told otherwise."""

RESULTS: Final = Path("results")
"""Where runs are kept, seen from the working folder."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What one backend told of one puzzle, checked."""

    backend: str
    verdict: Verdict
    solution: str | None
    """The grid found, as a line; for `count` one of the solutions."""
    count: int | None
    exact: bool | None
    """Whether `count` is all there are; False where the limit stopped it."""
    seconds: float | None
    """Wall time of the call; None where the process died without a word."""
    cpu_seconds: float | None
    phases: Mapping[str, float]
    """Seconds of build, encode, search and decode, as far as the backend tells."""
    stats: Mapping[str, int | float]
    reason: str
    """Why it is no right answer; empty where it is one."""

    @staticmethod
    def of(result: TrialRecord) -> "Reply":
        """The reply that a judged trial is."""
        outcome = result.outcome
        phases = {
            "build": outcome.build_s,
            "encode": outcome.encode_s,
            "search": outcome.search_s,
            "decode": outcome.decode_s,
        }
        return Reply(
            backend=result.trial.backend,
            verdict=result.verdict,
            solution=result.solution,
            count=result.count,
            exact=result.exact,
            seconds=outcome.wall_s,
            cpu_seconds=outcome.cpu_s,
            phases={name: value for name, value in phases.items() if value is not None},
            stats=outcome.stats,
            reason=result.reason,
        )


class Session:
    """Workers that stay alive between questions; use it as a context manager.

    Use a session in one thread only: its workers die with the thread that started them.

    Args:
        warm_up: whether each worker makes an unmeasured call before its first question of
            a shape and task.
        notice: called with what a backend prepares, if that takes seconds.
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
        puzzle: Puzzle,
        backends: Sequence[str],
        question: Question,
        expected_count: ExpectedCount | None = None,
    ) -> list[TrialRecord]:
        """Run `question` on `puzzle` with each of these backends, one after another.

        Args:
            puzzle: the instance.
            backends: specs, grids allowed.
            question: the task with its start and limits.
            expected_count: the known number of solutions; answers are judged by it.

        Raises:
            UnknownBackendError: a backend does not exist.
            OptionError: a backend does not accept its options.
            BackendUnavailableError: a backend is unavailable.
        """
        specs = expand_specs(backends)
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
        return sink.records


def solve(
    puzzle: Puzzle | str | Sequence[Sequence[int]] | Mapping[str, str | int],
    backend: str = "native",
    *,
    shape: str | Shape | None = None,
    start: str = Start.COLD,
    timeout: float = INTERACTIVE_TIMEOUT,
) -> Reply:
    """Ask `backend` for a solution of `puzzle`, or for the proof that there is none.

    Args:
        puzzle: a `Puzzle`, a line or grid as text, nested lists with 0 for a
            blank, or a dict of cells A1 to I9.
        backend: a spec, for instance ``cnf[solver=glucose4]``.
        shape: needed where the length of the puzzle does not tell it.
        start: ``cold`` or ``warm``.
        timeout: seconds after which the backend is ended.

    Raises:
        InputError: puzzle, shape, backend or timeout cannot be used.
    """
    return _ask(puzzle, backend, Task.SOLVE, 0, shape, start, timeout)


def count(
    puzzle: Puzzle | str | Sequence[Sequence[int]] | Mapping[str, str | int],
    backend: str = "native",
    *,
    limit: int = INTERACTIVE_LIMIT,
    shape: str | Shape | None = None,
    start: str = Start.COLD,
    timeout: float = INTERACTIVE_TIMEOUT,
) -> Reply:
    """Ask `backend` for the number of solutions of `puzzle`, up to `limit`.

    Arguments and errors are those of `solve`.
    """
    return _ask(puzzle, backend, Task.COUNT, limit, shape, start, timeout)


def run(
    datasets: Sequence[str],
    backends: Sequence[str],
    *,
    out: Path | str | None = None,
    jobs: int = 1,
    fresh: bool = False,
    skip_unavailable: bool = False,
    **fields: Any,
) -> Run:
    """Carry out a sweep, or what is missing of it, and read what it found.

    Args:
        datasets: names of the catalogue or paths of puzzle files.
        backends: specs, grids allowed.
        out: the run's folder; it follows from what is asked if left out.
        jobs: how many trials run at a time.
        fresh: start anew even where the folder has results.
        skip_unavailable: go on without backends that cannot be used here.
        **fields: further fields of `harness.experiment.plan.Sweep`: tasks, limit,
            starts, repeat, timeout, seed, shape.

    Raises:
        InputError: something that was asked for cannot be used.
    """
    sweep = sweep_from({"datasets": list(datasets), "backends": list(backends)} | fields)
    folder = Path(out) if out else RESULTS / sweep.folder_name
    run_sweep(sweep, folder, jobs=jobs, fresh=fresh, skip_unavailable=skip_unavailable)
    return load(folder)


def question_of(
    task: Task, limit: int, start: str, timeout: float, cpu: float = 0.0, memory: int = 0
) -> Question:
    """A question whose numbers were checked; no `cpu` or `memory` is no such limit.

    Raises:
        InputError: a limit is out of range, or there is no such start.
    """
    if task is Task.COUNT and limit < 1:
        raise InputError(f"limit {limit} is too small", expected="at least 1")
    if not 0 < timeout < float("inf"):
        raise InputError(f"no timeout of {timeout:g} s", expected="more than 0 seconds")
    if not 0 <= cpu < float("inf"):
        raise InputError(f"no limit of {cpu:g} s of CPU time", expected="seconds, or 0 for none")
    if memory < 0:
        raise InputError(f"no limit of {memory} MiB", expected="MiB, or 0 for none")
    return Question.of(task, limit, parse_choice(Start, start, "start"), timeout, cpu, memory)


_own = threading.local()


def _ask(
    puzzle: Puzzle | str | Sequence[Sequence[int]] | Mapping[str, str | int],
    backend: str,
    task: Task,
    limit: int,
    shape: str | Shape | None,
    start: str,
    timeout: float,
) -> Reply:
    question = question_of(task, limit, start, timeout)
    if len(expand_specs([backend])) != 1:
        raise InputError(f"{backend} names several backends", expected="one")
    if not hasattr(_own, "session"):
        _own.session = Session()
        atexit.register(_own.session.close)
    return Reply.of(_own.session.ask(_puzzle(puzzle, shape), [backend], question)[0])


def _puzzle(
    puzzle: Puzzle | str | Sequence[Sequence[int]] | Mapping[str, str | int],
    shape: str | Shape | None,
) -> Puzzle:
    if isinstance(shape, str):
        shape = Shape.parse(shape)
    if isinstance(puzzle, Puzzle):
        return puzzle
    if isinstance(puzzle, str):
        return Puzzle.parse(puzzle, shape)
    if isinstance(puzzle, Mapping):
        return Puzzle.from_cells(puzzle, shape)
    return Puzzle.from_rows(puzzle, shape)
