"""Numbers of solutions that the 9x9 kernel uses again are those of a search without them."""

import random
from functools import cache

import numpy as np

from harness.puzzles import Puzzle
from tests.backends.oracle import jit
from tests.backends.test_native_jit import NINE, a_grid

CLUES = (24, 27, 30)
EVERY = 10**6


@cache
def puzzles() -> "np.ndarray[tuple[int, int], np.dtype[np.uint8]]":
    """Puzzles with few clues. Most of them have many solutions."""
    rng = random.Random(43)
    batch = np.zeros((90, 81), np.uint8)
    for number, puzzle in enumerate(batch):
        cells_left = rng.sample(range(81), CLUES[number % len(CLUES)])
        puzzle[cells_left] = np.array(a_grid(NINE, rng), np.uint8)[cells_left]
    return batch


def test_counts_are_those_of_a_kernel_without_a_memory() -> None:
    mine = jit(NINE).count_many(puzzles(), EVERY)
    expected = jit(NINE, "native-jit[kernel=houses]").count_many(puzzles(), EVERY)
    assert mine.numbers.tolist() == expected.numbers.tolist()
    assert mine.numbers.max() > 1000
    assert mine.exact.all()
    assert mine.stats["nodes"] < expected.stats["nodes"] / 2


def test_a_limit_is_reached_exactly() -> None:
    solver = jit(NINE)
    every = solver.count_many(puzzles(), EVERY).numbers
    for number, puzzle in zip(every.tolist(), puzzles(), strict=True):
        for limit in {15, 16, 17, 40, 1000, max(1, number - 1), number, number + 1}:
            count = solver.count(Puzzle(NINE, tuple(puzzle.tolist())), limit)
            assert (count.number, count.exact) == (min(number, limit), number < limit)
            assert count.witness is not None


def test_statistics_do_not_depend_on_the_puzzles_before() -> None:
    solver = jit(NINE)
    alone, again = (
        [solver.count(Puzzle(NINE, tuple(puzzle.tolist())), EVERY) for puzzle in puzzles()]
        for _ in range(2)
    )
    batch = solver.count_many(puzzles()[::-1], EVERY)
    assert [count.stats for count in alone] == [count.stats for count in again]
    for name in ("nodes", "guesses", "rounds"):
        assert batch.stats[name] == sum(count.stats[name] for count in alone)


def test_pencilmarks_after_another_puzzle_are_counted_afresh() -> None:
    solver, houses = jit(NINE), jit(NINE, "native-jit[kernel=houses]")
    for puzzle in puzzles()[:30]:
        givens = tuple(puzzle.tolist())
        solver.count(Puzzle(NINE, givens), EVERY)
        cell = givens.index(0)
        marks = tuple(
            0b101_111_110 if at == cell else 1 << value - 1 if value else 0b111_111_111
            for at, value in enumerate(givens)
        )
        with_marks = Puzzle(NINE, givens, marks)
        assert solver.count(with_marks, EVERY).number == houses.count(with_marks, EVERY).number
