"""A backend that keeps a model or a solver keeps no puzzle for the next."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.contract import Backend, Count, Status
from harness.puzzles import Puzzle, Shape
from tests.backends.oracle import (
    LIMIT,
    backend_of,
    faults_of,
    is_solution,
    with_givens,
    with_pencilmarks,
)

SPECS = (
    *("cpsat", "cpsat[formulation=integer]", "cnf[reuse=true]"),
    *("cnf[solver=cadical153,reuse=true]", "cnf[solver=glucose4,reuse=true]", "milp[model=full]"),
    "milp[model=full,solver=HiGHS]",
)
SHAPES = ("4x4", "4x4+diagonal", "6x6", "latin5", "6x6+antiknight")


@cache
def backend_for(spec: str, shape: str) -> Backend[Any]:
    """One backend for all examples."""
    return backend_of(spec, Shape.parse(shape))


@pytest.fixture(autouse=True, scope="module")
def _release() -> Iterator[None]:
    """Solvers of PySAT complain if they outlive their module."""
    yield
    backend_for.cache_clear()


@cache
def puzzles(shape: str) -> tuple[tuple[Puzzle, int], ...]:
    """Puzzles with their number of solutions: givens, pencilmarks, contradictions, a full grid."""
    return (*with_givens(shape, 12), *with_pencilmarks(shape, 6))


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_a_series_of_puzzles_has_right_answers(spec: str, data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from(SHAPES))
    backend = backend_for(spec, shape)
    steps = st.tuples(st.sampled_from(puzzles(shape)), st.sampled_from(("ask", "limit", "count")))
    for (puzzle, number), step in data.draw(st.lists(steps, min_size=1, max_size=5)):
        if step == "count":  # stops in the middle
            count = backend.count(puzzle, 1)
            assert (count.number, count.exact) == (min(number, 1), not number)
        elif step == "limit":  # may stop at any time, with an honest answer
            backend.time_limit = 1e-6
            answer, count = backend.solve(puzzle), backend.count(puzzle, LIMIT)
            backend.time_limit = None
            assert answer.grid is None or is_solution(answer.grid, puzzle)
            assert answer.status is not Status.UNSATISFIABLE or not number
            assert is_honest(count, number)
        else:
            assert faults_of(backend, puzzle, number) == []


def is_honest(count: Count, number: int) -> bool:
    """Whether a count that may be incomplete says nothing wrong."""
    return count.number == number if count.exact else count.number <= number
