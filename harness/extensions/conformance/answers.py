"""Checks of answers against questions, single and in batches."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import isclose, isfinite
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from harness.base.text import short_repr
from harness.contract import Answer, Backend, Count, Phases, Status
from harness.extensions.conformance.clauses import Case, Clause, Fault
from harness.puzzles import Grid, Puzzle
from harness.records import AnswerRule, broken_by_count, broken_by_status, fault_of_grid

# Checks of answers against questions.


_CLAUSES: Final[Mapping[AnswerRule, Clause]] = {
    AnswerRule.STATUS: Clause.ANSWER,
    AnswerRule.NUMBER: Clause.COUNT,
    AnswerRule.EXACT: Clause.EXACT,
    AnswerRule.KNOWN: Clause.PROOF,
}
"""For each rule the clause of the contract that an answer to `solve` or `count` breaks with it."""


def gave_up(answer: Any, case: Case) -> bool:
    """Whether an answer or a count is undecided."""
    if isinstance(answer, Answer):
        return answer.status is Status.UNKNOWN
    return isinstance(answer, Count) and answer.exact is False and answer.number != case.limit


def faults_of_answer(answer: Any, case: Case, *, may_give_up: bool) -> Iterator[Fault]:
    """The faults of an answer to a question for `solve` or `count`."""
    if case.limit is None and isinstance(answer, Answer):
        yield from _faults_of_record(answer)
        yield from _faults_of_status(answer, case, may_give_up=may_give_up)
    elif case.limit is not None and isinstance(answer, Count):
        yield from _faults_of_record(answer)
        yield from _faults_of_number(answer, case, case.limit, may_give_up=may_give_up)
    else:
        task, expected = ("solve", "an Answer") if case.limit is None else ("count", "a Count")
        yield Fault(Clause.ANSWER, f"{task} returns a {type(answer).__name__}, not {expected}")


def _faults_of_status(answer: Answer, case: Case, *, may_give_up: bool) -> Iterator[Fault]:
    breach = next(broken_by_status(answer.status, case.known), None)
    if not isinstance(answer.status, Status):
        yield Fault(Clause.ANSWER, f"status is {answer.status!r}, not a Status")
    elif breach:
        yield Fault(_CLAUSES[breach[0]], breach[1])
    elif answer.status is Status.UNKNOWN and not may_give_up:
        yield Fault(Clause.PROOF, f"reports unknown, but the puzzle has {case.known}")
    elif answer.status is Status.SOLVED:
        yield from _faults_of_grid(answer.grid, case.puzzle)
    if answer.status is not Status.SOLVED and answer.grid is not None:
        yield Fault(Clause.ANSWER, f"{answer.status} with a grid")


def _faults_of_number(
    count: Count, case: Case, limit: int, *, may_give_up: bool
) -> Iterator[Fault]:
    number, exact = count.number, count.exact
    breach = next(broken_by_count(number, exact, limit, case.known), None)
    if type(number) is not int:
        yield Fault(Clause.ANSWER, f"number is {number!r}, not an int")
    elif type(exact) is not bool:
        yield Fault(Clause.ANSWER, f"exact is {exact!r}, not a bool")
    elif breach:
        clause = Clause.COUNT if breach[0] is AnswerRule.KNOWN else _CLAUSES[breach[0]]
        yield Fault(clause, breach[1])
    elif not exact and number < limit and not may_give_up:
        clause = Clause.EXACT if number == case.solutions else Clause.COUNT
        yield Fault(clause, f"gives up after {number}, but the puzzle has {case.known}")
    if count.witness is not None:
        for fault in _faults_of_grid(count.witness, case.puzzle):
            yield Fault(fault.clause, f"witness: {fault.message}")


def faults_of_phases(record: Any, wall_s: float) -> Iterator[Fault]:
    """The faults of phases that sum to more than `wall_s`, the seconds of the call."""
    if not isinstance(record, Answer | Count) or next(_faults_of_times(record), None):
        return
    phases = record.phases
    total_s = phases.encode + phases.search + phases.decode
    if total_s > wall_s * 1.05 + 1e-3:  # clocks are read one after another
        finding = f"phases sum to {total_s:.3f} s in a call of {wall_s:.3f} s"
        yield Fault(Clause.ANSWER, finding)


def _faults_of_record(record: Answer | Count) -> Iterator[Fault]:
    stats: Any = record.stats
    if isinstance(stats, Mapping):
        for name, value in stats.items():
            if not isinstance(name, str) or not _is_number(value):
                text = short_repr(value)
                yield Fault(Clause.ANSWER, f"statistic {name!r} is {text}, not a number")
    else:
        yield Fault(Clause.ANSWER, f"stats is a {type(stats).__name__}, not a mapping")
    yield from _faults_of_times(record)


def _faults_of_times(record: Answer | Count) -> Iterator[Fault]:
    if not isinstance(record.phases, Phases):
        yield Fault(Clause.ANSWER, f"phases is a {type(record.phases).__name__}, not Phases")
        return
    for name in ("encode", "search", "decode"):
        seconds = getattr(record.phases, name)
        if not _is_number(seconds) or seconds < 0:
            yield Fault(Clause.ANSWER, f"phase {name} is {seconds!r}, not a number of seconds")


def _is_number(value: Any) -> bool:
    return type(value) is not bool and (
        isinstance(value, int) or (isinstance(value, float) and isfinite(value))
    )


def _faults_of_grid(grid: Any, puzzle: Puzzle) -> Iterator[Fault]:
    shape = puzzle.shape
    if not isinstance(grid, tuple) or len(grid) != shape.size**2:
        kind = f"a {type(grid).__name__}" + (f" of {len(grid)}" if hasattr(grid, "__len__") else "")
        yield Fault(Clause.ANSWER, f"the grid is {kind}, not a tuple of {shape.size**2} values")
        return
    for value in grid:
        if type(value) is not int:
            kind = type(value).__name__
            yield Fault(Clause.ANSWER, f"the grid holds {value!r}, a {kind}, not an int")
            return
    if fault := fault_of_grid(puzzle, grid):
        yield Fault(Clause.SOLUTION, fault)


# Statistics of a repeated question: they must describe one call each.


REPETITIONS: Final = 8
"""The number of repetitions. By chance, a statistic of a random search increases each time in one
of 40,000 examinations."""


def faults_of_repetition(records: Sequence[Answer | Count]) -> Iterator[Fault]:
    """The faults of the answers to one question: statistics that increase every time."""
    for name in records[0].stats:
        values = [record.stats.get(name, 0) for record in records]
        if all(earlier < later for earlier, later in pairwise(values)):
            finding = f"statistic {name!r} adds up over calls: {values[0]:g}, {values[1]:g}, "
            yield Fault(Clause.MEMORY, f"{finding}... {values[-1]:g} for the same question")


# Checks of the answers to a batch of questions.


def faults_of_batch(backend: Backend[Any], batch: Sequence[Case]) -> Iterator[tuple[Case, Fault]]:
    """The faults of each row of the answers to a batch of questions.

    Args:
        backend: receives the batch, then its second half and other batches of its rows.
        batch: questions of one shape, all for `solve` or all for `count` with one limit.

    Raises:
        Exception: whatever the backend raises.
    """
    givens = np.array([case.puzzle.givens for case in batch], np.uint8)
    before, limit = givens.copy(), batch[0].limit or 0
    columns, alone = answers_of_batch(backend, givens, limit)
    if not np.array_equal(givens, before):
        yield batch[0], Fault(Clause.PUZZLE, "modifies the puzzles of a batch")
    if len(alone) != len(batch):
        finding = f"returns {len(alone)} answers for {len(batch)} puzzles"
        yield batch[0], Fault(Clause.BATCH, finding)
        return
    yield from _faults_of_rows(backend, alone, batch, "in a batch")
    for finding in _wrong_arrays(columns, givens):
        yield batch[0], Fault(Clause.BATCH, finding)
    copies = [column.copy() for column in columns]
    answers_of_batch(backend, before[len(before) // 2 :], limit)
    if not all(map(np.array_equal, columns, copies)):
        yield batch[0], Fault(Clause.BATCH, "the next batch changes the answers to this one")
    if not limit:
        full = columns[1][columns[1].all(axis=1)].copy()  # each solution solves itself
        columns, _ = answers_of_batch(backend, full, limit)
        if not np.array_equal(columns[1], full):
            yield batch[0], Fault(Clause.BATCH, "does not return the full grids of a batch")
        for finding in _shared_memory(columns, full):
            yield batch[0], Fault(Clause.BATCH, finding)
    for how, rows, view in _further(before, batch):
        _, further = answers_of_batch(backend, view, limit)
        yield from _faults_of_rows(backend, further, rows, how)
    yield from _faults_after_a_batch(backend, batch, limit)
    few = before[:3].copy()
    repetitions = [answers_of_batch(backend, few, limit)[1][0] for _ in range(REPETITIONS)]
    yield from ((batch[0], fault) for fault in faults_of_repetition(repetitions))
    # 12 rows are enough that some need a search.
    yield from ((batch[0], fault) for fault in _faults_of_sums(backend, before[:12], limit))


def _faults_of_sums(backend: Backend[Any], rows: NDArray[np.uint8], limit: int) -> Iterator[Fault]:
    """The faults of statistics of a batch that are not the sums over its puzzles, one by one.

    Statistics that differ from call to call, such as those of a random search, are left out.
    """
    batches = [rows, *rows[:, np.newaxis], rows, *rows[:, np.newaxis]]
    whole, *each = (answers_of_batch(backend, b.copy(), limit)[1][0].stats for b in batches)
    each, again, repetitions = each[: len(rows)], each[len(rows)], each[len(rows) + 1 :]
    for name in {name for stats in (whole, *each) for name in stats}:
        of_batch, total = whole.get(name, 0), sum(stats.get(name, 0) for stats in each)
        is_steady = of_batch == again.get(name, 0) and all(
            stats.get(name, 0) == other.get(name, 0)
            for stats, other in zip(each, repetitions, strict=True)
        )
        if is_steady and not isclose(of_batch, total, rel_tol=1e-6):
            finding = f"statistic {name!r} of a batch is {of_batch:g}"
            yield Fault(Clause.BATCH, f"{finding}; the sum over its puzzles is {total:g}")


def _faults_of_rows(
    backend: Backend[Any], answers: Sequence[Answer | Count], rows: Sequence[Case], how: str
) -> Iterator[tuple[Case, Fault]]:
    if len(answers) != len(rows):
        finding = f"{how}: returns {len(answers)} answers for {len(rows)} puzzles"
        yield rows[0], Fault(Clause.BATCH, finding)
        return
    for case, answer in zip(rows, answers, strict=True):
        for fault in faults_of_answer(answer, case, may_give_up=not backend.complete):
            yield case, Fault(Clause.BATCH, f"{how}: {fault.message}")


def _wrong_arrays(columns: list[NDArray[Any]], givens: NDArray[np.uint8]) -> Iterator[str]:
    """What is wrong with the types, the dimensions and the memory of the arrays of answers."""
    *_, grids = columns
    if len(columns) == 3:
        numbers, exact, _ = columns
        if numbers.dtype not in (np.int64, np.object_):
            yield f"returns numbers as {numbers.dtype}, not as int64"
        if exact.dtype != np.bool_:
            yield f"returns exact as {exact.dtype}, not as bool"
    if grids.dtype != np.uint8 or grids.ndim != 2:
        yield f"returns grids as {grids.dtype} with {grids.ndim} dimensions, not as uint8 with 2"
    yield from _shared_memory(columns, givens)


def _shared_memory(columns: list[NDArray[Any]], givens: NDArray[np.uint8]) -> Iterator[str]:
    if any(np.shares_memory(column, givens) for column in columns):
        yield "returns an array that shares memory with the puzzles"


def _further(
    givens: NDArray[np.uint8], batch: Sequence[Case]
) -> Iterator[tuple[str, Sequence[Case], NDArray[np.uint8]]]:
    """Further batches from the rows of a batch: a description, the rows, and their array."""
    yield "in the same batch again", batch, givens
    yield "in a batch in reverse order", batch[::-1], givens[::-1]
    yield "in a batch of every third puzzle", batch[::3], givens[::3]
    yield "in a batch of one puzzle", batch[:1], givens[:1].copy()
    none = [number for number, case in enumerate(batch) if not case.solutions][:5]
    if none:
        rows = [batch[number] for number in none]
        yield "in a batch without a solution", rows, givens[none]


def _faults_after_a_batch(
    backend: Backend[Any], batch: Sequence[Case], limit: int
) -> Iterator[tuple[Case, Fault]]:
    """The faults of single calls, each after a batch of the puzzle before it."""
    if not (limit or backend.solves):
        return
    for earlier, later in pairwise(batch[:6]):
        answers_of_batch(backend, np.array([earlier.puzzle.givens], np.uint8), limit)
        answer = later.put_to(backend, later.puzzle)
        yield from _faults_of_rows(backend, [answer], [later], "alone after a batch")


def answers_of_batch(
    backend: Backend[Any], givens: NDArray[np.uint8], limit: int
) -> tuple[list[NDArray[Any]], Sequence[Answer | Count]]:
    """The arrays that a backend returns for a batch, and the answer of each row.

    Args:
        backend: receives the batch.
        givens: the givens of each puzzle; modified if the backend modifies them.
        limit: the limit of `count_many`; 0 for `solve_many`.

    Raises:
        Exception: whatever the backend raises.
    """
    if limit:
        counts = backend.count_many(givens, limit)
        columns: list[NDArray[Any]] = [counts.numbers, counts.exact, counts.witnesses]
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return columns, [Count(n, exact, _row(grid), counts.stats) for n, exact, grid in rows]
    answers = backend.solve_many(givens)
    pairs = zip(answers.statuses, answers.grids.tolist(), strict=True)
    alone = [Answer(status, _row(grid), answers.stats) for status, grid in pairs]
    return [answers.statuses, answers.grids], alone


def _row(values: list[int]) -> Grid | None:
    """A row of an array of grids; None if all its values are 0."""
    return tuple(values) if any(values) else None
