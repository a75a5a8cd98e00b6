"""One search in branches: the same answers, independent of the number of threads."""

import numpy as np
import pytest

from backends.native_jit import NativeJit
from backends.native_jit.branches import Limits, _Branch, _Branches
from backends.native_jit.search import Search
from harness.contract import Count
from harness.puzzles import Puzzle, Shape
from harness.puzzles.patterns import pattern_grid
from tests.backends.oracle import counted, is_solution, jit, named_puzzle
from tests.backends.test_native_jit import NINE, puzzles_of

KERNELS = ("auto", "houses")


def split_jit(shape: Shape, split: int, threads: int = 1, **others: object) -> NativeJit:
    options = {"split": split, "threads": threads, **others}
    settings = ",".join(f"{name}={value}" for name, value in options.items())
    return jit(shape, f"native-jit[{settings}]")


def facts(count: Count) -> tuple[object, ...]:
    return count.number, count.exact, count.witness, dict(count.stats)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", ["4x4", "9x9"])
def test_branches_give_the_count_of_one_search(kernel: str, name: str) -> None:
    shape = Shape.parse(name)
    numbers = set()
    for puzzle in puzzles_of(shape, seed=1, number=12):
        for limit in (1, 50):
            whole = split_jit(shape, 0, kernel=kernel).count(puzzle, limit)
            for split in (1, 30):
                count = split_jit(shape, split, kernel=kernel).count(puzzle, limit)
                assert (count.number, count.exact) == (whole.number, whole.exact)
                assert is_solution(count.witness, puzzle) == (count.number > 0)
        numbers.add(min(whole.number, 2))
    assert numbers == {0, 1, 2}


@pytest.mark.parametrize("kernel", KERNELS)
def test_threads_change_only_the_time(kernel: str) -> None:
    for puzzle in puzzles_of(NINE, seed=2, number=3):
        for limit in (1, 1_000):
            alone = facts(split_jit(NINE, 7, kernel=kernel).count(puzzle, limit))
            for threads in (2, 5):
                backend = split_jit(NINE, 7, threads, kernel=kernel)
                assert facts(backend.count(puzzle, limit)) == alone


def test_branches_are_searched_in_the_order_of_one_search() -> None:
    """The kernel for 9x9 learns nothing, so the first solution is the same."""
    puzzle = named_puzzle("many")
    first = split_jit(puzzle.shape, 0).solve(puzzle).grid
    assert first is not None
    for split in (3, 100):
        assert split_jit(puzzle.shape, split, 3).solve(puzzle).grid == first
    assert counted(split_jit(puzzle.shape, 30, 2), puzzle, 10**6) == (38122, True)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_node_limit_ends_the_search_after_the_branch_that_reaches_it(threads: int) -> None:
    count = split_jit(NINE, 20, threads, nodes=100).count(Puzzle(NINE, (0,) * 81), 10**9)
    assert 100 <= count.stats["nodes"] < 120
    assert not count.exact
    assert count.number > 0


def test_an_exception_in_a_thread_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception in one thread ends all, and reaches the caller."""
    backend = split_jit(NINE, 10, 3)

    def fail(*_: object) -> int:
        raise MemoryError("no room")

    monkeypatch.setattr(backend._search, "run", fail)
    with pytest.raises(MemoryError, match="no room"):
        backend.count(Puzzle(NINE, (0,) * 81), 10)


@pytest.mark.parametrize("kernel", KERNELS)
def test_pencilmarks(kernel: str) -> None:
    grid = pattern_grid(NINE)
    two = tuple(1 << value - 1 | 1 << value % 9 for value in grid)
    for marks in (two, (*two[:40], 0, *two[41:])):
        puzzle = Puzzle(NINE, (0,) * 81, marks)
        whole = split_jit(NINE, 0, kernel=kernel).count(puzzle, 10**6)
        count = split_jit(NINE, 12, 2, kernel=kernel).count(puzzle, 10**6)
        assert (count.number, count.exact) == (whole.number, whole.exact)
    assert count.number == 0
    assert count.stats["nodes"] == 0


@pytest.mark.parametrize("threads", [1, 2])
def test_the_time_limit_ends_all_branches(threads: int) -> None:
    shape = Shape.parse("25x25")
    backend = split_jit(shape, 16, threads)
    backend.time_limit = 0.2
    assert not backend.count(Puzzle(shape, (0,) * 625), 10**12).exact


@pytest.mark.parametrize("split", [0, 5, 10**25])
def test_a_huge_node_limit_is_no_limit(split: int) -> None:
    shape = Shape.parse("4x4")
    backend = split_jit(shape, split, 2, nodes=10**25)
    assert backend.count(Puzzle(shape, (0,) * 16), 10**30).number == 288


def test_branches_that_ended_beyond_the_node_limit_leave_the_count_open() -> None:
    shape = Shape.parse("4x4")
    puzzle = next(p for p in puzzles_of(shape, seed=3, number=200) if has_one_guess(p))
    givens, search = np.array([puzzle.givens], np.uint8), Search(shape, "houses")
    root = search.first_state(givens[0], None)
    assert root is not None
    branches = _Branches(search, givens, Limits(9, 2, None), 1)
    branches._waiting.append(((), _Branch(root, None)))
    search_next(branches, 1)
    search_next(branches, 2)
    assert branches._is_decided
    assert not branches._is_complete


def search_next(branches: _Branches, number: int) -> None:
    """Take the first branches, and give the last of them back first."""
    entries = [branches._take() for _ in range(number)]
    for key, branch in filter(None, entries[::-1]):
        branches._give_back(key, branches._search_branch(branch))


def has_one_guess(puzzle: Puzzle) -> bool:
    """Whether the search has two branches, both without a guess."""
    stats = split_jit(puzzle.shape, 0, kernel="houses").count(puzzle, 9).stats
    return (stats["guesses"], stats["nodes"]) == (1, 3)
