"""The suite reports no breach of a correct backend, whatever its manner."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from harness.contract import Answer, Backend, Options
from harness.extensions.conformance import Breach, Clause, examine
from harness.extensions.conformance.shapes import JIGSAW
from harness.puzzles import Puzzle, Shape
from tests.extensions.conformance import correct_backends
from tests.extensions.conformance.planted import findings_of, planted


def breaches_in(backend: type[Backend[Any]], title: str) -> tuple[Breach, ...]:
    """The breaches in the part with this title."""
    (finding,) = findings_of(backend, "4x4", titles=[title])
    return finding.breaches


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("correct", planted(correct_backends), ids=lambda kind: kind.__name__)
def test_a_correct_backend_breaks_nothing(correct: type[Backend[Any]]) -> None:
    assert examine(correct, shapes=("4x4", JIGSAW, "6x6", "latin5", "9x9")) == []


def test_a_worker_that_is_busy_after_the_call_is_a_leftover() -> None:
    class Busy(correct_backends.Pooled):
        def solve(self, puzzle: Puzzle) -> Answer:
            self.pool.submit(time.sleep, 0.5)
            return super().solve(puzzle)

    (breach,) = breaches_in(Busy, "4x4: a full grid")
    assert breach.clause is Clause.TRACES
    assert "busy" in breach.message


def test_a_thread_that_computes_after_the_call_is_a_leftover() -> None:
    instances = []

    class Computes(correct_backends.OwnWorker):
        goes_on = True

        def __init__(self, shape: Shape, options: Options) -> None:
            super().__init__(shape, options)
            instances.append(self)
            threading.Thread(target=self.compute, daemon=True, name="computer").start()

        def compute(self) -> None:
            deadline = time.monotonic() + 20
            while self.goes_on and time.monotonic() < deadline:
                pass

    (breach,) = breaches_in(Computes, "4x4: a full grid")
    for backend in instances:
        backend.goes_on = False
    assert breach.message == "leaves the thread computer busy"


def test_pools_that_accumulate_are_leftovers() -> None:
    pools: list[ThreadPoolExecutor] = []

    class Accumulates(correct_backends.Pooled):
        def solve(self, puzzle: Puzzle) -> Answer:
            pools.append(ThreadPoolExecutor(max_workers=3))
            self.pool = pools[-1]
            return super().solve(puzzle)

    breaches = breaches_in(Accumulates, "4x4: every given decides")
    assert {breach.clause for breach in breaches} == {Clause.TRACES}
    for pool in pools:
        pool.shutdown()
