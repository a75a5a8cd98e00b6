"""Checks of the answers to a batch of questions."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from harness.conformance.answers import faults_of_answer, faults_of_count
from harness.conformance.clauses import Case, Clause, Fault
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
    for case, answer in zip(batch, alone, strict=True):
        check = (
            faults_of_count(answer, case, limit, may_give_up=may_give_up)
            if isinstance(answer, Count)
            else faults_of_answer(answer, case, may_give_up=may_give_up)
        )
        yield from ((case, Fault(Clause.BATCH, f"in a batch: {fault.what}")) for fault in check)
    if _share_memory(columns, givens):
        yield batch[0], Fault(Clause.BATCH, _SHARED)
    copies = [column.copy() for column in columns]
    _answers(backend, before[len(before) // 2 :], limit)
    if not all(map(np.array_equal, columns, copies)):
        yield batch[0], Fault(Clause.BATCH, "the next batch changes the answers to this one")
    if isinstance(alone[0], Answer):
        yield from ((batch[0], fault) for fault in _faults_of_full_grids(backend, columns[1]))


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
