"""Checks of the answers to a batch of questions."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from harness.conformance.answers import faults_of_answer, faults_of_count
from harness.conformance.clauses import Case, Clause, Fault
from harness.conformance.repetition import REPETITIONS, faults_of_repetition
from harness.contract.answers import Answer, Count
from harness.contract.backend import Backend
from harness.puzzles.puzzle import Grid

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SHARED: Final = "returns an array that shares memory with the puzzles"


def faults_of_batch(
    backend: Backend[Any], batch: Sequence[Case], limit: int, *, may_give_up: bool = False
) -> Iterator[tuple[Case, Fault]]:
    """The faults of each row of the answers to a batch of questions.

    Args:
        backend: receives the batch, and then the last half of it.
        batch: questions of one shape.
        limit: of `count_many`; 0 for `solve_many`.
        may_give_up: whether unknown is right.

    Raises:
        Exception: whatever the backend raises.
    """
    import numpy as np

    givens = np.array([case.puzzle.givens for case in batch], np.uint8)
    before = givens.copy()
    columns, alone = _answers(backend, givens, limit)
    if not np.array_equal(givens, before):
        yield batch[0], Fault(Clause.PUZZLE, "modifies the puzzles of a batch")
    if len(alone) != len(batch):
        what = f"returns {len(alone)} answers for {len(batch)} puzzles"
        yield batch[0], Fault(Clause.BATCH, what)
        return
    yield from _faults_of_rows(alone, batch, limit, "in a batch", may_give_up=may_give_up)
    yield from ((batch[0], Fault(Clause.BATCH, what)) for what in _wrong_types(columns))
    if _share_memory(columns, givens):
        yield batch[0], Fault(Clause.BATCH, _SHARED)
    copies = [column.copy() for column in columns]
    _answers(backend, before[len(before) // 2 :], limit)
    if not all(map(np.array_equal, columns, copies)):
        yield batch[0], Fault(Clause.BATCH, "the next batch changes the answers to this one")
    if isinstance(alone[0], Answer):
        yield from ((batch[0], fault) for fault in _faults_of_full_grids(backend, columns[1]))
    for how, rows, view in _further(before, batch):
        _, further = _answers(backend, view, limit)
        yield from _faults_of_rows(further, rows, limit, how, may_give_up=may_give_up)
    yield from _faults_after_a_batch(backend, batch, limit, may_give_up=may_give_up)
    few = before[:3].copy()
    repeated = [_answers(backend, few, limit)[1][0] for _ in range(REPETITIONS)]
    yield from ((batch[0], fault) for fault in faults_of_repetition(repeated))


def _faults_of_rows(
    answers: Sequence[Answer] | Sequence[Count],
    rows: Sequence[Case],
    limit: int,
    how: str,
    *,
    may_give_up: bool,
) -> Iterator[tuple[Case, Fault]]:
    if len(answers) != len(rows):
        what = f"{how}: returns {len(answers)} answers for {len(rows)} puzzles"
        yield rows[0], Fault(Clause.BATCH, what)
        return
    for case, answer in zip(rows, answers, strict=True):
        check = (
            faults_of_count(answer, case, limit, may_give_up=may_give_up)
            if isinstance(answer, Count)
            else faults_of_answer(answer, case, may_give_up=may_give_up)
        )
        yield from ((case, Fault(Clause.BATCH, f"{how}: {fault.what}")) for fault in check)


def _wrong_types(columns: "list[NDArray[Any]]") -> Iterator[str]:
    """What is wrong with the types and the dimensions of the arrays of answers."""
    import numpy as np

    if len(columns) == 2:
        grids = columns[1]
    else:
        numbers, exact, grids = columns
        if numbers.dtype not in (np.int64, np.object_):
            yield f"returns numbers as {numbers.dtype}, not as int64"
        if exact.dtype != np.bool_:
            yield f"returns exact as {exact.dtype}, not as bool"
    if grids.dtype != np.uint8 or grids.ndim != 2:
        yield f"returns grids as {grids.dtype} with {grids.ndim} dimensions, not as uint8 with 2"


def _further(
    givens: "NDArray[np.uint8]", batch: Sequence[Case]
) -> "Iterator[tuple[str, Sequence[Case], NDArray[np.uint8]]]":
    """Further batches of rows of a batch: how, the rows, and their array."""
    yield "in the same batch again", batch, givens
    yield "in a batch in reverse order", batch[::-1], givens[::-1]
    yield "in a batch of every third puzzle", batch[::3], givens[::3]
    yield "in a batch of one puzzle", batch[:1], givens[:1].copy()
    none = [number for number, case in enumerate(batch) if not case.solutions][:5]
    if none:
        rows = [batch[number] for number in none]
        yield "in a batch without a solution", rows, givens[none]


def _faults_after_a_batch(
    backend: Backend[Any], batch: Sequence[Case], limit: int, *, may_give_up: bool
) -> Iterator[tuple[Case, Fault]]:
    """The faults of single calls, each after a batch that ends with the puzzle before."""
    import numpy as np

    for one, other in pairwise(batch[:6]):
        _answers(backend, np.array([one.puzzle.givens], np.uint8), limit)
        if limit:
            answer: Answer | Count = backend.count(other.puzzle, limit)
        elif backend.solves:
            answer = backend.solve(other.puzzle)
        else:
            return
        answers: Any = [answer]
        how = "alone after a batch"
        yield from _faults_of_rows(answers, [other], limit, how, may_give_up=may_give_up)


def _faults_of_full_grids(backend: Backend[Any], solutions: "NDArray[np.uint8]") -> Iterator[Fault]:
    """The faults of the answers to solved puzzles: each solution solves itself."""
    import numpy as np

    full = solutions[solutions.all(axis=1)].copy()
    columns, _ = _answers(backend, full, 0)
    if not np.array_equal(columns[1], full):
        yield Fault(Clause.BATCH, "does not return the full grids of a batch")
    if _share_memory(columns, full):
        yield Fault(Clause.BATCH, _SHARED)


def _share_memory(columns: "list[NDArray[Any]]", givens: "NDArray[np.uint8]") -> bool:
    import numpy as np

    return any(np.shares_memory(column, givens) for column in columns)


def faults_of_empty_batch(backend: Backend[Any], limit: int) -> Iterator[Fault]:
    """The faults of the answer to a batch without puzzles.

    Args:
        backend: receives the batch.
        limit: of `count_many`; 0 for `solve_many`.

    Raises:
        Exception: whatever the backend raises.
    """
    import numpy as np

    _, alone = _answers(backend, np.zeros((0, backend.shape.size**2), np.uint8), limit)
    if alone:
        yield Fault(Clause.BATCH, f"returns {len(alone)} answers for 0 puzzles")


def _answers(
    backend: Backend[Any], givens: "NDArray[np.uint8]", limit: int
) -> "tuple[list[NDArray[Any]], list[Answer] | list[Count]]":
    """The arrays that a backend returns, and the answer of each row."""
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
    """A row of an array of grids, None if it is zero."""
    return tuple(values) if any(values) else None
