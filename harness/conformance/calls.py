"""Calls to the examined backend: watched, timed and checked."""

from collections import Counter
from collections.abc import Callable, Iterator
from random import seed
from time import perf_counter
from typing import Any, Final

from harness.conformance.answers import (
    faults_of_answer,
    faults_of_count,
    faults_of_phases,
    gave_up,
)
from harness.conformance.clauses import Case, Clause, Fault
from harness.conformance.conduct import Watch
from harness.contract.backend import Backend, Unavailable, Unsupported
from harness.contract.options import Options
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape

TIMEOUT: Final = 10.0
"""Default time limit of a question in seconds."""
GRACE: Final = 1.0
"""Seconds by which an answer may exceed its time limit."""
_COUNTABLE: Final = 4
"""The largest size whose grids are quickly counted: at most 576 exist."""
_ENDLESS: Final = 10_000
"""Solutions that a backend which ignores its limit may not be able to count in time."""

OF_ANSWERS: Final = frozenset({Clause.SOLUTION, Clause.PROOF, Clause.COUNT, Clause.EXACT})


class TooSlow(Exception):
    """The time limit of a demanding question has passed."""


class Calls:
    """The calls to one backend with its options.

    Use it as a context manager around all calls.

    Args:
        backend: the class of the backend.
        options: its options; the defaults if None.
        timeout: seconds per question.
        slow: the number of questions per shape without an answer in time; updated.
        begin: called before each call to the backend.
    """

    def __init__(
        self,
        backend: type[Backend[Any]],
        options: Options | None,
        *,
        timeout: float,
        slow: Counter[str],
        begin: Callable[[], None],
    ) -> None:
        self.backend = backend
        self._chosen = options
        self.timeout = timeout
        self.watch = Watch(begin)
        self._made: dict[str, Backend[Any]] = {}
        self._loaded: list[Options] = []
        self._slow = slow
        self.gave_up = 0
        """The number of questions answered with unknown, without a breach."""

    def __enter__(self) -> "Calls":
        self.watch.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._made.clear()
        self.watch.__exit__(*error)

    @property
    def options(self) -> Options:
        """The options of the examination."""
        return self.backend.options_type() if self._chosen is None else self._chosen

    def make(self, shape: Shape, options: Options | None = None) -> Backend[Any]:
        """A new backend, with its solver loaded; with other `options` if given."""
        if options is None:
            options = self.options
        if options not in self._loaded:
            self.backend.load(options)
            self._loaded.append(options)
        return self.backend(shape, options)

    def backend_for(self, shape: Shape) -> Backend[Any]:
        """The backend for all questions about this shape."""
        if shape.definition not in self._made:
            with self.watch.creation():
                self._made[shape.definition] = self.make(shape)
        return self._made[shape.definition]

    def faults_of(self, case: Case) -> Iterator[Fault]:
        """Put a question to the backend of its shape; a wrong answer goes to a new backend too.

        Raises:
            Unsupported: the backend does not handle the shape or the task.
            TooSlow: the question is demanding, and the answer came too late.
        """
        shape = case.puzzle.shape
        self.check_supported(case)
        first = shape.definition not in self._made
        backend = self.backend_for(shape)
        if first:
            yield from self.watch.faults
        faults = list(self.put(backend, case))
        if any(fault.clause in OF_ANSWERS for fault in faults):
            with self.watch.creation():
                fresh = self.make(shape)
            if not [f for f in self.put(fresh, case) if f.clause in OF_ANSWERS]:
                faults = [
                    Fault(Clause.MEMORY, f"{f.what}; a new backend answers correctly")
                    for f in faults
                ]
        yield from faults

    def check_supported(self, case: Case) -> None:
        """Check that the declared limitations of the backend allow a question.

        Raises:
            Unsupported: the backend ignores its limit, and there is too much to count.
        """
        endless = case.at_least or case.solutions > _ENDLESS
        large = case.puzzle.shape.size > _COUNTABLE
        if case.limit and endless and large and not self.backend.heeds_limit:
            raise Unsupported("count ignores its limit, and the puzzle has too many solutions")

    def put(self, backend: Backend[Any], case: Case) -> Iterator[Fault]:
        """Put a question to a `backend`, and check the answer and the side effects."""
        # A puzzle of its own for each call: programs make new ones and drop the old ones.
        known, limit = case.puzzle, case.limit
        puzzle = Puzzle(known.shape, known.givens, known.pencilmarks)
        seed(len(case.title))
        backend.time_limit = case.time_limit or self.timeout
        answer: Any = None
        raised: BaseException | None = None
        began = perf_counter()
        with self.watch.call():
            try:
                answer = case.put_to(backend, puzzle)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001  a backend may raise anything
                raised = error
            wall_s = perf_counter() - began
        backend.time_limit = None
        yield from self.watch.faults
        if (puzzle.givens, puzzle.pencilmarks) != (known.givens, known.pencilmarks):
            yield Fault(Clause.PUZZLE, "modifies the puzzle")
        if isinstance(raised, Unsupported | Unavailable):
            raise raised
        if raised is not None:
            yield Fault(Clause.LIFE, what_raised(raised))
            return
        if limit is None and not self.backend.solves:
            what = "solves is False, and solve answers; expected Unsupported"
            yield Fault(Clause.NAMES, what)
            return
        ran_out = backend.complete and gave_up(answer, limit) and wall_s > self.timeout / 2
        if (ran_out or wall_s > self.timeout + GRACE) and not case.time_limit:
            yield from self._late(
                case, f"{'unknown' if ran_out else 'an answer'} after {wall_s:.1f} s"
            )
            return
        may_give_up = bool(case.time_limit) or not backend.complete
        if limit is None:
            found = list(faults_of_answer(answer, case, may_give_up=may_give_up))
        else:
            found = list(faults_of_count(answer, case, limit, may_give_up=may_give_up))
        found += faults_of_phases(answer, wall_s)
        yield from found
        self.gave_up += not found and gave_up(answer, limit) and not case.time_limit

    def _late(self, case: Case, when: str) -> Iterator[Fault]:
        if case.is_demanding:
            self._slow[case.puzzle.shape.definition] += 1
            raise TooSlow(f"not answered within {self.timeout:g} s")
        yield Fault(Clause.TIME, f"not answered within {self.timeout:g} s: {when}")


def what_raised(error: BaseException) -> str:
    """What is wrong with a call that raised `error`."""
    return f"raises {type(error).__name__}: {error}".rstrip(": ")
