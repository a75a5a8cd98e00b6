"""The default batch loops, and the form of batches."""

import time
from collections.abc import Callable

import numpy as np
import pytest

from harness.contract import Answer, Backend, Options, Status, registry
from harness.contract.answers import ManyAnswers
from harness.contract.backend import checked
from harness.errors import PuzzleError
from harness.puzzles import Puzzle, Shape
from harness.puzzles.generate import pattern_grid, pattern_puzzle

SHAPE = Shape.parse("4x4")
ONE = pattern_puzzle(SHAPE, blank_every=6).givens
NONE = (1, 1, *[0] * 14)
EMPTY = (0,) * 16


def native(shape: Shape = SHAPE) -> Backend:
    backend, options = registry.load_backend("native")
    return backend(shape, options)


def test_a_loop_agrees_with_single_calls() -> None:
    batch = np.array([ONE, NONE, EMPTY], np.uint8)
    answers = native().solve_many(batch)
    assert answers.statuses.tolist() == [Status.SOLVED, Status.UNSATISFIABLE, Status.SOLVED]
    assert tuple(answers.grids[0].tolist()) == pattern_grid(SHAPE)
    assert not answers.grids[1].any()
    alone = [native().solve(Puzzle(SHAPE, givens)) for givens in (ONE, NONE, EMPTY)]
    assert answers.stats["nodes"] == sum(answer.stats["nodes"] for answer in alone)
    counts = native().count_many(batch, 100)
    assert counts.numbers.tolist() == [1, 0, 100]
    assert counts.exact.tolist() == [True, True, False]
    assert counts.witnesses.any(axis=1).tolist() == [True, False, True]
    each = [native().count(Puzzle(SHAPE, givens), 100) for givens in (ONE, NONE, EMPTY)]
    assert counts.stats["nodes"] == sum(count.stats["nodes"] for count in each)


def test_a_batch_of_none_has_no_answers() -> None:
    empty = np.zeros((0, 16), np.uint8)
    assert native().solve_many(empty).grids.shape == (0, 16)
    assert native().count_many(empty, 2).numbers.shape == (0,)


def test_flags_become_statuses() -> None:
    grids = np.zeros((3, 16), np.uint8)
    answers = ManyAnswers.of(np.array([True, False, False]), np.array([True, True, False]), grids)
    assert list(answers.statuses) == [Status.SOLVED, Status.UNSATISFIABLE, Status.UNKNOWN]
    assert {type(status) for status in answers.statuses} == {Status}


@pytest.mark.parametrize(
    ("batch", "where", "what", "expected"),
    [
        ([[0] * 16], "", "list", "uint8[n, 16] for 4x4"),
        (np.zeros((2, 81), np.uint8), "", "uint8[2, 81]", "uint8[n, 16] for 4x4"),
        (np.zeros(16, np.uint8), "", "uint8[16]", "uint8[n, 16] for 4x4"),
        (np.zeros((1, 16), np.int64), "", "int64[1, 16]", "uint8[n, 16] for 4x4"),
        (np.array([EMPTY, (4, *EMPTY[1:-1], 5)], np.uint8), "puzzle 1, R4C4", "5", "0 to 4"),
    ],
)
def test_a_malformed_batch_is_an_error(
    batch: "np.ndarray[tuple[int, ...]]", where: str, what: str, expected: str
) -> None:
    for call in (native().solve_many, lambda puzzles: native().count_many(puzzles, 2)):
        with pytest.raises(PuzzleError) as error:
            call(batch)
        assert (error.value.where, error.value.expected) == (where, expected)
        assert what in error.value.what


def test_a_batch_need_not_be_contiguous() -> None:
    every_other = np.array([ONE, EMPTY, NONE, EMPTY], np.uint8)[::2]
    assert native().count_many(every_other, 2).numbers.tolist() == [1, 0]
    assert checked(every_other, SHAPE).flags.c_contiguous


class Slow(Backend):
    """Takes 60 ms for an answer."""

    name = "slow"
    paradigm = "sleeps"

    def __init__(self, shape: Shape, options: Options) -> None:
        self.limits: list[float] = []
        self.answer = Answer.unsatisfiable()

    def solve(self, puzzle: Puzzle) -> Answer:
        assert self.time_limit is not None
        self.limits.append(self.time_limit)
        time.sleep(0.06)
        return self.answer


def test_the_time_limit_is_for_the_whole_batch_and_is_restored() -> None:
    slow = Slow(SHAPE, Options())
    slow.time_limit = 0.1
    answers = slow.solve_many(np.zeros((5, 16), np.uint8))
    assert answers.statuses.tolist() == [Status.UNSATISFIABLE] * 2 + [Status.UNKNOWN] * 3
    assert slow.limits[0] > slow.limits[1]
    assert slow.time_limit == 0.1


def test_puzzles_without_time_left_are_not_counted() -> None:
    slow = Slow(SHAPE, Options())
    slow.time_limit = 0.1
    counts = slow.count_many(np.zeros((5, 16), np.uint8), 3)
    assert counts.exact.tolist() == [True] * 2 + [False] * 3
    assert counts.numbers.tolist() == [0] * 5
    assert len(slow.limits) == 2


def test_the_time_limit_is_for_all_calls_of_a_default_count_and_is_restored() -> None:
    slow = Slow(SHAPE, Options())
    slow.time_limit = 0.1
    slow.answer = Answer.solved(tuple(int(c) for c in "1234341221434321"))
    counted = slow.count(Puzzle(SHAPE, (0,) * 16), 10)
    assert (counted.number, counted.exact) == (2, False)
    assert counted.witness == slow.answer.grid
    assert counted.stats == {"solve_calls": 2}
    assert counted.phases is not None
    assert counted.phases.search > 0.12 > counted.phases.encode
    assert slow.limits[0] > slow.limits[1]
    assert slow.time_limit == 0.1


def test_a_backend_has_its_shape_even_if_its_init_does_nothing(
    a_backend: Callable[..., str],
) -> None:
    spec = a_backend("return Answer.unsatisfiable()")
    backend, options = registry.load_backend(spec)

    class Forgetful(backend):  # type: ignore[misc, valid-type]
        def __init__(self, shape: Shape, options: Options) -> None:
            pass

    made = Forgetful(SHAPE, options)
    assert made.shape == SHAPE
    assert made.solve_many(np.array([ONE], np.uint8)).statuses.tolist() == [Status.UNSATISFIABLE]


def test_the_command_line_starts_without_numpy() -> None:
    import subprocess
    import sys

    code = "import sys, harness.cli, harness.contract; print('numpy' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "False\n"
