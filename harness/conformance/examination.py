"""The examination of one backend, in independent parts."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import partial
from random import seed
from time import perf_counter
from typing import Any, Final

from harness.conformance import questions
from harness.conformance.answers import (
    faults_of_answer,
    faults_of_batch,
    faults_of_count,
    faults_of_phases,
    gave_up,
)
from harness.conformance.clauses import Breach, Case, Clause, Fault
from harness.conformance.conduct import Watch
from harness.conformance.declaration import Reads, faults_of_class, settings_of
from harness.contract.backend import Backend, Unavailable, Unsupported
from harness.contract.options import Options
from harness.puzzles.shape import Shape

TIMEOUT: Final = 10.0
"""Default time limit of a question in seconds."""
GRACE: Final = 1.0
"""Seconds by which an answer may exceed its time limit."""
SMALL: Final = 6
"""The largest size whose questions every backend must answer in time."""
_SECOND: Final = 9
"""The largest size with a second backend; shared state shows on any size."""
_COUNTABLE: Final = 4
"""The largest size whose grids are quickly counted: at most 576 exist."""
_SMALLEST: Final = "4x4"
_PATIENCE: Final = 4
"""Unanswered questions about a larger shape after which the others are skipped."""

_Faults = Iterator[tuple[Case | None, Fault]]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the examination."""

    title: str
    """A title, unique in an examination: ``9x9: a solution``."""
    shape: str
    """The shape of the part; empty if it has none."""
    run: Callable[[], _Faults] = field(repr=False)
    """The function that runs the part and yields its faults."""
    case: Case | None = None
    """The question, if the part asks a single one."""

    def __str__(self) -> str:
        return self.title


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a part."""

    part: str
    """The title of the part."""
    shape: str
    """The shape of the part; empty if it has none."""
    breaches: tuple[Breach, ...] = ()
    """The faults that it found."""
    passed_over: str = ""
    """The reason for skipping the part; empty if it ran."""
    gave_up: int = 0
    """The number of questions answered with unknown, without a breach."""
    seconds: float = 0.0
    """The time that the part took."""


class _TooSlow(Exception):
    """The time limit of a question about a large shape has passed."""


class Examination:
    """The conformance suite for a backend with its options.

    Use it as a context manager. The parts may run in any order; their own order is best
    at exposing state kept between puzzles.

    Args:
        backend: the class of the backend.
        options: its options; the defaults if None.
        shapes: names of the shapes to test.
        timeout: seconds per question.
        slow: the number of questions per shape that earlier processes left unanswered.
        begin: called before each call to the backend.
    """

    def __init__(
        self,
        backend: type[Backend[Any]],
        options: Options | None = None,
        shapes: Sequence[str] = questions.SHAPES,
        *,
        timeout: float = TIMEOUT,
        slow: Counter[str] | None = None,
        begin: Callable[[], None] = lambda: None,
    ) -> None:
        self._backend = backend
        self._chosen = options
        self._shapes = shapes
        self._timeout = timeout
        self._watch = Watch(begin)
        self._made: dict[str, Backend[Any]] = {}
        self._loaded: list[Options] = []
        self._slow = Counter() if slow is None else slow
        self._gave_up = 0

    def __enter__(self) -> "Examination":
        self._watch.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._made.clear()
        self._watch.__exit__(*error)

    def parts(self) -> Iterator[Part]:
        """The parts, in their best order.

        Raises:
            PuzzleError: a shape does not exist, or no complete grid of it is known.
        """
        yield Part("declaration", "", self._declaration)
        if list(faults_of_class(self._backend)):
            return  # the other parts need valid options
        for shape in self._shapes:
            cases = list(questions.cases(questions.shape_named(shape)))
            for case in cases:
                yield Part(f"{shape}: {case.title}", shape, partial(self._question, case), case)
            if questions.shape_named(shape).size <= _SECOND:
                run = partial(self._second_backend, shape)
                yield Part(f"{shape}: a second backend", shape, run)
            if self._has_batches:
                for limit in sorted({case.limit or 0 for case in cases}):
                    batch = [c for c in cases if (c.limit or 0) == limit and not c.time_limit]
                    title = f"a batch to count to {limit}" if limit else "a batch to solve"
                    yield Part(f"{shape}: {title}", shape, partial(self._batch, batch, limit))
        if not fields(self._options):
            return
        for setting, options in settings_of(self._options):
            yield Part(f"with {setting}", "", partial(self._setting, options))
        yield Part("use of every option", "", self._reads)

    def examine(self, part: Part) -> Finding:
        """Run a `part` of this examination."""
        began = perf_counter()
        self._gave_up = 0
        found: list[Breach] = []
        reason = ""
        try:
            if self._slow[part.shape] >= _PATIENCE:
                raise _TooSlow(f"{_PATIENCE} questions of this shape were not answered in time")
            for case, fault in part.run():
                found.append(Breach(fault.clause, fault.what, part.title, case))
        except Unavailable as error:
            reason = f"unavailable: {error}"
        except Unsupported as error:
            reason = f"unsupported: {error}" if str(error) else "unsupported"
        except _TooSlow as error:
            reason = str(error)
        except Exception as error:  # noqa: BLE001  a backend may raise anything
            what = _raised(error)
            found.append(Breach(Clause.LIFE, what, part.title, part.case))
        took = perf_counter() - began
        return Finding(part.title, part.shape, tuple(found), reason, self._gave_up, took)

    @property
    def _options(self) -> Options:
        return self._backend.options_type() if self._chosen is None else self._chosen

    @property
    def _has_batches(self) -> bool:
        """Whether the backend has batch methods of its own."""
        own = (self._backend.solve_many, self._backend.count_many)
        return own != (Backend.solve_many, Backend.count_many)

    def _declaration(self) -> _Faults:
        yield from ((None, fault) for fault in faults_of_class(self._backend))

    def _make(self, shape: Shape, options: Options) -> Backend[Any]:
        """A new backend, with its solver loaded."""
        if options not in self._loaded:
            self._backend.load(options)
            self._loaded.append(options)
        return self._backend(shape, options)

    def _backend_for(self, shape: Shape) -> Backend[Any]:
        """The backend for all questions about this shape."""
        if shape.spec not in self._made:
            with self._watch.call():
                self._made[shape.spec] = self._make(shape, self._options)
        return self._made[shape.spec]

    def _question(self, case: Case) -> _Faults:
        empty = not case.puzzle.clues and case.puzzle.shape.size > _COUNTABLE
        if empty and case.limit is not None and not self._backend.heeds_limit:
            raise Unsupported("count ignores its limit, and an empty grid has too many solutions")
        first = case.puzzle.shape.spec not in self._made
        backend = self._backend_for(case.puzzle.shape)
        if first:
            yield from ((case, fault) for fault in self._watch.faults)
        faults = list(self._ask(backend, case))
        if any(fault.clause in _OF_ANSWERS for fault in faults):
            with self._watch.call():
                fresh = self._make(case.puzzle.shape, self._options)
            if not [f for f in self._ask(fresh, case) if f.clause in _OF_ANSWERS]:
                faults = [
                    Fault(Clause.MEMORY, f"{f.what}; a new backend answers correctly")
                    for f in faults
                ]
        yield from ((case, fault) for fault in faults)

    def _ask(self, backend: Backend[Any], case: Case) -> Iterator[Fault]:
        """Ask a question, and check the answer and the side effects."""
        puzzle, limit = case.puzzle, case.limit
        before = puzzle.givens
        seed(len(case.title))
        backend.time_limit = case.time_limit or self._timeout
        answer: Any = None
        raised: BaseException | None = None
        began = perf_counter()
        with self._watch.call():
            try:
                answer = backend.solve(puzzle) if limit is None else backend.count(puzzle, limit)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001  a backend may raise anything
                raised = error
            wall_s = perf_counter() - began
        backend.time_limit = None
        yield from self._watch.faults
        if puzzle.givens != before:
            object.__setattr__(puzzle, "givens", before)
            yield Fault(Clause.PUZZLE, "modifies the puzzle")
        if isinstance(raised, Unsupported | Unavailable):
            raise raised
        if raised is not None:
            yield Fault(Clause.LIFE, _raised(raised))
            return
        ran_out = self._backend.complete and gave_up(answer, limit) and wall_s > self._timeout / 2
        if (ran_out or wall_s > self._timeout + GRACE) and not case.time_limit:
            yield from self._late(
                case.puzzle.shape, f"{'unknown' if ran_out else 'an answer'} after {wall_s:.1f} s"
            )
            return
        may_give_up = bool(case.time_limit) or not self._backend.complete
        if limit is None:
            found = list(faults_of_answer(answer, case, may_give_up=may_give_up))
        else:
            found = list(faults_of_count(answer, case, limit, may_give_up=may_give_up))
        found += faults_of_phases(answer, wall_s)
        yield from found
        self._gave_up += not found and gave_up(answer, limit) and not case.time_limit

    def _late(self, shape: Shape, when: str) -> Iterator[Fault]:
        if shape.size > SMALL:
            self._slow[shape.spec] += 1
            raise _TooSlow(f"not answered within {self._timeout:g} s")
        yield Fault(Clause.TIME, f"not answered within {self._timeout:g} s: {when}")

    def _second_backend(self, spec: str) -> _Faults:
        """Create a backend, create and use another of another shape, then question the first."""
        shape = questions.shape_named(spec)
        other = questions.shape_named("6x6" if spec == "4x4" else "4x4")
        with self._watch.call():
            backend = self._make(shape, self._options)
        right = [case for case in questions.essential(shape) if not list(self._ask(backend, case))]
        try:
            with self._watch.call():
                another = self._make(other, self._options)
                another.solve(next(questions.cases(other)).puzzle)
        except Unsupported:
            return
        for case in right:
            for fault in self._ask(backend, case):
                yield (
                    case,
                    Fault(Clause.MEMORY, f"{fault.what}; correct before the second backend"),
                )

    def _batch(self, batch: Sequence[Case], limit: int) -> _Faults:
        if not batch:
            return
        backend = self._backend_for(batch[0].puzzle.shape)
        backend.time_limit = self._timeout
        with self._watch.call():
            may_give_up = not self._backend.complete
            found = list(faults_of_batch(backend, batch, limit, may_give_up=may_give_up))
        backend.time_limit = None
        yield from ((batch[0], fault) for fault in self._watch.faults)
        yield from found

    def _setting(self, options: Options) -> _Faults:
        """Ask the essential questions about the first supported shape, with other options."""
        for spec in (_SMALLEST, *self._shapes):
            shape = questions.shape_named(spec)
            try:
                backend = self._make(shape, options)
            except Unsupported:
                continue
            for case in questions.essential(shape):
                for fault in self._ask(backend, case):
                    yield case, fault
            return
        raise Unsupported("no shape is supported")

    def _reads(self) -> _Faults:
        """Check that the backend reads each option under some setting of the others."""
        reads = Reads()
        examined = False
        for options in (self._options, *(other for _, other in settings_of(self._options))):
            examined |= self._try_with(reads.watched(options))
        if not examined:
            raise Unsupported("no shape is supported")
        for f in fields(self._options):
            if f.name not in reads.names:
                yield None, Fault(Clause.OPTIONS, f"option {f.name} is never read")

    def _try_with(self, options: Options) -> bool:
        """Call a backend with these options; False if it supports no shape or fails."""
        for spec in (_SMALLEST, *self._shapes):
            shape = questions.shape_named(spec)
            answers = 0
            try:
                with self._watch.call():
                    self._backend.load(options)
                    backend = self._backend(shape, options)
                for case in questions.essential(shape):
                    for call in (backend.solve, partial(backend.count, limit=2)):
                        with self._watch.call(), suppress(Unsupported):
                            call(case.puzzle)
                            answers += 1
            except Exception:  # noqa: BLE001, S112  the other parts report it
                continue
            if answers:
                return True
        return False


def examine(
    backend: type[Backend[Any]],
    options: Options | None = None,
    shapes: Sequence[str] = questions.SHAPES,
    *,
    timeout: float = TIMEOUT,
) -> list[Breach]:
    """Run the suite in this process; an empty list means that the backend conforms.

    The suite skips unsupported shapes. It waits for a backend that never answers; `harness
    backends test` stops one.

    Args:
        backend: the class of the backend.
        options: its options; the defaults if None.
        shapes: names of the shapes to test.
        timeout: seconds per question.

    Raises:
        PuzzleError: a shape does not exist.
    """
    with Examination(backend, options, shapes, timeout=timeout) as examination:
        findings = [examination.examine(part) for part in examination.parts()]
    return [breach for finding in findings for breach in finding.breaches]


def _raised(error: BaseException) -> str:
    return f"raises {type(error).__name__}: {error}".rstrip(": ")


_OF_ANSWERS: Final = frozenset({Clause.SOLUTION, Clause.PROOF, Clause.COUNT, Clause.EXACT})
