"""The examination of one backend, in independent parts."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import chain
from time import perf_counter
from typing import Any, Final

import numpy as np

from harness.base.text import number_of
from harness.contract import Answer, Backend, Count, Options, Restriction, Unavailable, Unsupported
from harness.extensions.conformance import questions
from harness.extensions.conformance.answers import (
    REPETITIONS,
    answers_of_batch,
    faults_of_batch,
    faults_of_repetition,
)
from harness.extensions.conformance.calls import TIMEOUT, Calls, LateBlanks, TooSlow, what_raised
from harness.extensions.conformance.clauses import (
    SMALL,
    Breach,
    Case,
    Clause,
    Fault,
    faults_of_class,
    has_batches,
    options_with_defects,
    settings_of,
    watched,
)
from harness.extensions.conformance.constraints import series_of_constraints
from harness.extensions.conformance.questions import MEDIUM, Depth
from harness.extensions.conformance.series import (
    LARGEST_COUNT,
    LIMITS_OF_BATCHES,
    VARIED,
    QuestionSeries,
    few_questions,
    rows_of_batch,
    series_of,
)
from harness.extensions.conformance.shapes import BRIEF_SHAPES, SHAPES
from harness.puzzles import Puzzle, Shape

# The examination of one backend, in independent parts.


LAST_PART: Final = "all shapes again, after another backend"
"""The title of the part that repeats questions about every shape."""
_SMALLEST: Final = "4x4"

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
    """The question, if the part has a single one."""
    is_demanding: bool = False
    """Whether a slow backend may need more than the time limit for a question."""


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
    questions: int = 0
    """The number of questions that were put to the backend."""
    left_out: int = 0
    """The number of questions that were left out because the backend is slow."""
    is_late: bool = False
    """Whether the part, or some of its questions, were skipped because the backend did not answer
    in time."""


def title_with_hash_seed(seed: int) -> str:
    """The title of the part that is repeated with this seed of string hashes."""
    return f"varied questions, hash seed {seed:02}"


def _task(limit: int) -> str:
    """``count to 2``; ``solve`` for the limit 0."""
    return f"count to {limit}" if limit else "solve"


class Examination:
    """The conformance suite for a backend with its options.

    Use it as a context manager. The parts may run in any order; their own order is best
    at exposing state kept between puzzles.

    Args:
        backend: the class of the backend.
        options: its options; the defaults if None.
        shapes: names of the shapes to test; by default `SHAPES` and `BRIEF_SHAPES`.
        timeout: seconds per question.
        thorough: whether to put all questions, however long they take, and more of them.
        hash_seed: the seed of string hashes in this process. If it is not 0, there is only the
            part that an examination repeats with several seeds.
        late: the questions that earlier processes left unanswered.
        begin: called before each call to the backend.
    """

    def __init__(
        self,
        backend: type[Backend[Any]],
        options: Options | None = None,
        shapes: Sequence[str] | None = None,
        *,
        timeout: float = TIMEOUT,
        thorough: bool = False,
        hash_seed: int = 0,
        late: LateBlanks | None = None,
        begin: Callable[[], None] = lambda: None,
    ) -> None:
        self._backend = backend
        self._takes_pencilmarks = Restriction.PENCILMARKS in backend.takes
        self._shapes = tuple(Shape.parse(spec).definition for spec in shapes or SHAPES)
        self._further_shapes = BRIEF_SHAPES if shapes is None else ()
        self._thorough = thorough
        self._hash_seed = hash_seed
        late = LateBlanks(list) if late is None else late
        self._calls = Calls(backend, options, timeout=timeout, late=late, begin=begin)
        self._put = self._left_out = 0

    def __enter__(self) -> "Examination":
        self._calls.watch.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._calls.made.clear()
        self._calls.watch.__exit__(*error)

    def parts(self) -> Iterator[Part]:
        """The parts, in their best order.

        Raises:
            PuzzleError: a shape does not exist, or no complete grid of it is known.
        """
        if self._hash_seed:
            small = [spec for spec in self._shapes if Shape.parse(spec).size <= MEDIUM]
            groups = few_questions(tuple(small or self._shapes), VARIED).groups
            title = title_with_hash_seed(self._hash_seed)
            # Each seed repeats the search of each puzzle.
            quick = (g for g in groups if g[0].puzzle.shape.size <= SMALL or not g[0].is_sparse)
            yield self._part_of(QuestionSeries(title, tuple(quick)), title)
            return
        yield Part("declaration", "", self._declaration)
        if list(faults_of_class(self._backend)):
            return  # the other parts need valid options
        for spec in self._shapes:
            yield from self._parts_of(spec, Depth.THOROUGH if self._thorough else Depth.USUAL)
        for spec in self._further_shapes:
            if self._thorough:
                yield from self._parts_of(spec, Depth.USUAL)
                continue
            series = few_questions((spec,), pencilmarks=self._takes_pencilmarks)
            yield self._part_of(series, f"{spec}: {series.title}", spec)
        series = few_questions((*self._shapes, *self._further_shapes), VARIED)
        yield replace(self._part_of(series, LAST_PART), run=partial(self._again, series))
        if not fields(self._calls.options):
            return
        for setting, options in settings_of(self._calls.options):
            yield Part(f"with {setting}", "", partial(self._setting, options))
        for name in options_with_defects(self._calls.options):
            yield Part(f"with other values of {name}", "", self._defect)
        yield Part("use of every option", "", self._reads)

    def _part_of(self, series: QuestionSeries, title: str, spec: str = "") -> Part:
        run = partial(self._series, series)
        return Part(title, spec, run, is_demanding=series.is_demanding)

    def _parts_of(self, spec: str, depth: Depth) -> Iterator[Part]:
        shape = Shape.parse(spec)
        cases = list(questions.cases(shape))
        demanding = shape.size > SMALL
        for case in cases:
            run = partial(self._question, case)
            title = f"{spec}: {case.title}"
            yield Part(title, spec, run, case, is_demanding=case.is_demanding)
        all_series = series_of(spec, depth=depth)
        if self._takes_pencilmarks:
            all_series += series_of(spec, pencilmarks=True, depth=depth)
        all_series += series_of_constraints(spec, self._backend.takes)
        yield from (self._part_of(series, f"{spec}: {series.title}", spec) for series in all_series)
        if shape.size <= MEDIUM:
            title = f"{spec}: statistics of a repeated question"
            run = partial(self._repetition, shape)
            yield Part(title, spec, run, is_demanding=demanding)
        if has_batches(self._backend):
            for limit in sorted({case.limit or 0 for case in cases}):
                batch = [c for c in cases if (c.limit or 0) == limit and not c.time_limit]
                title = f"{spec}: a batch to {_task(limit)}"
                yield Part(title, spec, partial(self._batch, batch), is_demanding=demanding)
            for limit in LIMITS_OF_BATCHES:
                rows = rows_of_batch(spec, limit)
                if not rows or (limit > 2 and not self._backend.heeds_limit):
                    continue
                title = f"{spec}: a batch of {len(rows)} to {_task(limit)}"
                yield Part(title, spec, partial(self._batch, rows), is_demanding=True)
                run = partial(self._empty_batch, shape, limit)
                yield Part(f"{spec}: an empty batch to {_task(limit)}", spec, run)

    def examine(self, part: Part) -> Finding:
        """Run a `part` of this examination."""
        began = perf_counter()
        calls = self._calls
        calls.gave_up = self._put = self._left_out = 0
        breaches: list[Breach] = []
        reason, is_late = "", False
        try:
            if part.shape:
                calls.check_patience(Shape.parse(part.shape))
            for case, fault in part.run():
                breaches.append(Breach(fault.clause, fault.message, part.title, case))
        except Unavailable as error:
            reason = f"unavailable: {error}"
        except Unsupported as error:
            reason = f"unsupported: {error}" if str(error) else "unsupported"
        except TooSlow as error:
            reason, is_late = str(error), True
        except Exception as error:  # noqa: BLE001  a backend may raise anything
            breaches.append(Breach(Clause.LIFE, what_raised(error), part.title, part.case))
        return Finding(
            part.title,
            part.shape,
            tuple(breaches),
            reason,
            gave_up=calls.gave_up,
            seconds=perf_counter() - began,
            questions=self._put,
            left_out=self._left_out,
            is_late=is_late,
        )

    def _declaration(self) -> _Faults:
        yield from ((None, fault) for fault in faults_of_class(self._backend))

    def _question(self, case: Case) -> _Faults:
        self._calls.check_patience(case.puzzle.shape, case.blanks)
        self._put += 1
        yield from ((case, fault) for fault in self._calls.faults_of(case))

    def _series(self, series: QuestionSeries) -> _Faults:
        """Put all questions of a series, or those that its time allows, until 3 answers are wrong.

        After two seconds, a usual examination leaves out the remaining questions of a series
        that would take longer than six times the time limit of a question, which is enough for a
        program that starts for each question.
        """
        answers = late = wrong = solutions = 0
        took_s, unsupported = 0.0, None
        total, most_s = sum(map(len, series.groups)), 6 * self._calls.timeout
        for number, group in enumerate(series.groups):
            is_slow = took_s > 2 and took_s * total > most_s * answers
            if is_slow and not self._thorough:
                self._left_out += sum(map(len, series.groups[number:]))
                break
            for case in group:
                is_fast = took_s * case.counted <= solutions * self._calls.timeout / 2
                if case.counted > LARGEST_COUNT and not (is_fast or self._thorough):
                    continue
                began = perf_counter()
                try:
                    faults = list(self._question(case))
                except Unsupported as error:
                    unsupported = error
                    continue
                except TooSlow:
                    late += 1
                    continue
                took_s += perf_counter() - began
                answers += 1
                solutions += case.counted
                yield from faults
                wrong += bool(faults)
                if wrong == 3:
                    return
        if late:
            raise TooSlow(f"{number_of(late, 'question')} not answered in time")
        if unsupported and not answers:
            raise unsupported

    def _repetition(self, shape: Shape) -> _Faults:
        backend, is_supported = self._calls.backend_for(shape), False
        puzzle = Puzzle(shape, (1, *[0] * (shape.size**2 - 1)))  # it needs some search
        for case in (
            Case("one given, repeated", puzzle, 1, at_least=True),
            Case("one given, counted repeatedly", puzzle, 2, limit=2, at_least=True),
        ):
            records: list[Answer | Count] = []
            try:
                self._calls.check_supported(case)
                for _ in range(REPETITIONS):
                    with self._calls.watch.call():
                        records.append(case.put_to(backend, case.puzzle))
            except Unsupported:
                continue
            except Exception:  # noqa: BLE001  the other parts report it
                records.clear()
            is_supported = True
            if records:
                yield from ((case, fault) for fault in faults_of_repetition(records))
        if not is_supported:
            raise Unsupported("neither solve nor count is supported")

    def _again(self, series: QuestionSeries) -> _Faults:
        """Create and use another backend, then question the backends of all shapes again."""
        calls = self._calls
        case = next(questions.cases(Shape.parse("6x6" if _SMALLEST in self._shapes else _SMALLEST)))
        with suppress(Unsupported):
            with calls.watch.call(creates=True):
                another = calls.make(case.puzzle.shape)
            with calls.watch.call():
                another.solve(case.puzzle)
        yield from self._series(series)

    def _batch(self, batch: Sequence[Case]) -> _Faults:
        if not batch:
            return
        backend = self._calls.backend_for(batch[0].puzzle.shape)
        backend.time_limit = self._calls.timeout
        with self._calls.watch.call():
            faults = list(faults_of_batch(backend, batch))
        backend.time_limit = None
        yield from ((batch[0], fault) for fault in self._calls.watch.faults)
        yield from faults

    def _empty_batch(self, shape: Shape, limit: int) -> _Faults:
        backend = self._calls.backend_for(shape)
        with self._calls.watch.call():
            _, answers = answers_of_batch(backend, np.zeros((0, shape.size**2), np.uint8), limit)
        yield from ((None, fault) for fault in self._calls.watch.faults)
        if answers:
            yield None, Fault(Clause.BATCH, f"returns {len(answers)} answers for 0 puzzles")

    def _setting(self, options: Options) -> _Faults:
        """Put the essential questions about the first supported shape, with other options."""
        for spec in (_SMALLEST, *self._shapes):
            shape = Shape.parse(spec)
            try:
                backend = self._calls.make(shape, options)
            except Unsupported:
                continue
            all_series = series_of_constraints(spec, self._backend.takes)
            groups = chain.from_iterable(series.groups[:2] for series in all_series)
            for case in chain(questions.essential(shape), *groups):
                if case.puzzle.shape != shape:
                    backend = self._calls.make(case.puzzle.shape, options)
                yield from ((case, fault) for fault in self._calls.put(backend, case))
            return
        raise Unsupported("no shape is supported")

    def _defect(self) -> _Faults:
        raise Unsupported("the option is declared not to keep the contract")

    def _reads(self) -> _Faults:
        """Check that the backend reads each option under some setting of the options."""
        reads: set[str] = set()
        is_examined = self._try_with(watched(self._calls.options, reads))
        for _, options in settings_of(self._calls.options):
            is_examined |= self._try_with(watched(options, reads))
        if not is_examined:
            raise Unsupported("no shape is supported")
        for f in fields(self._calls.options):
            if f.name not in reads:
                yield None, Fault(Clause.OPTIONS, f"option {f.name} is never read")

    def _try_with(self, options: Options) -> bool:
        """Call a backend with these options; False if it supports no shape or fails."""
        for spec in (_SMALLEST, *self._shapes):
            shape = Shape.parse(spec)
            answers = 0
            try:
                with self._calls.watch.call(creates=True):
                    self._backend.load(options)
                    backend = self._backend(shape, options)
                for case in questions.essential(shape):
                    for call in (backend.solve, partial(backend.count, limit=2)):
                        with self._calls.watch.call(), suppress(Unsupported):
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
    shapes: Sequence[str] | None = None,
    *,
    timeout: float = TIMEOUT,
    thorough: bool = False,
) -> list[Breach]:
    """Run the suite in this process; an empty list means that the backend conforms.

    The suite skips unsupported shapes, and large questions that are not answered in time. It waits
    for a backend that never answers; `harness backends test` stops such a backend.

    Args:
        backend: the class of the backend.
        options: its options; the defaults if None.
        shapes: names of the shapes to test; by default `SHAPES` and `BRIEF_SHAPES`.
        timeout: seconds per question.
        thorough: whether to put all questions, however long they take, and more of them.

    Raises:
        PuzzleError: a shape does not exist.
    """
    with Examination(backend, options, shapes, timeout=timeout, thorough=thorough) as examination:
        findings = [examination.examine(part) for part in examination.parts()]
    return [breach for finding in findings for breach in finding.breaches]
