"""One search in branches: the same answers, independent of the number of threads."""

import random
from collections.abc import Callable

import pytest

from backends.native_jit import NativeJit
from harness.contract import Count, Status
from harness.contract.registry import load_backend
from harness.puzzles import Puzzle, Shape
from harness.puzzles.generate import pattern_grid

KERNELS = ("auto", "houses")


def jit(shape: Shape, branches: int, threads: int = 1, **others: object) -> NativeJit:
    settings = {"branches": branches, "threads": threads, **others}
    pairs = [(name, str(value)) for name, value in settings.items()]
    backend, options = load_backend("native-jit", pairs)
    made = backend(shape, options)
    assert isinstance(made, NativeJit)
    return made


def puzzles_of(shape: Shape, number: int, seed: int) -> list[Puzzle]:
    """Puzzles with few and with many solutions, some of them with a wrong given."""
    rng = random.Random(seed)
    grid, cells = pattern_grid(shape), range(shape.size**2)
    puzzles = []
    for index in range(number):
        kept = set(rng.sample(cells, round(len(cells) * rng.uniform(0.2, 0.6))))
        givens = [value if cell in kept else 0 for cell, value in enumerate(grid)]
        if index % 3 == 0:
            givens[rng.choice(sorted(kept))] = rng.randint(1, shape.size)
        puzzles.append(Puzzle(shape, tuple(givens)))
    return puzzles


def facts(count: Count) -> tuple[object, ...]:
    return count.number, count.exact, count.witness, dict(count.stats)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", ["4x4", "6x6", "9x9", "latin5"])
def test_branches_give_the_count_of_one_search(
    kernel: str, name: str, is_solution: Callable[..., bool]
) -> None:
    shape = Shape.parse(name)
    seen = set()
    for puzzle in puzzles_of(shape, 24, seed=1):
        for limit in (1, 7, 400):
            whole = jit(shape, 1, kernel=kernel).count(puzzle, limit)
            for branches in (2, 5, 40):
                count = jit(shape, branches, kernel=kernel).count(puzzle, limit)
                assert (count.number, count.exact) == (whole.number, whole.exact)
                assert (count.witness is None) is (count.number == 0)
                assert count.witness is None or is_solution(count.witness, puzzle)
        seen.add(min(whole.number, 2))
    assert seen == {0, 1, 2} or name == "latin5"


@pytest.mark.parametrize("kernel", KERNELS)
def test_threads_change_only_the_time(kernel: str) -> None:
    shape = Shape.parse("9x9")
    for puzzle in puzzles_of(shape, 12, seed=2):
        for limit in (1, 50, 20_000):
            alone = facts(jit(shape, 24, kernel=kernel).count(puzzle, limit))
            for threads in (2, 5):
                backend = jit(shape, 24, threads, kernel=kernel)
                assert facts(backend.count(puzzle, limit)) == alone


def test_branches_are_searched_in_the_order_of_one_search(
    named: Callable[[str], Puzzle],
) -> None:
    """The kernel for 9x9 learns nothing, so the first solution is the same."""
    puzzle = named("many")
    first = jit(puzzle.shape, 1).solve(puzzle).grid
    assert first is not None
    for branches in (2, 3, 10, 100, 1000):
        assert jit(puzzle.shape, branches, 3).solve(puzzle).grid == first
    count = jit(puzzle.shape, 30, 2).count(puzzle, 10**6)
    assert (count.number, count.exact) == (38122, True)


def test_more_branches_are_made_than_solutions_exist() -> None:
    shape = Shape.parse("4x4")
    count = jit(shape, 5000, 3).count(Puzzle(shape, (0,) * 16), 1000)
    assert (count.number, count.exact) == (288, True)


def test_splitting_divides_the_nodes() -> None:
    """Above the branches lie few nodes, and each branch adds its own."""
    shape = Shape.parse("9x9")
    puzzle = Puzzle(shape, (0,) * 81)
    one, many = (
        jit(shape, n, nodes=100, kernel="houses").count(puzzle, 10**9).stats["nodes"]
        for n in (1, 16)
    )
    assert one == 100
    assert 16 * 100 <= many <= 32 * 100


@pytest.mark.parametrize("kernel", KERNELS)
def test_pencilmarks(kernel: str) -> None:
    shape = Shape.parse("9x9")
    grid = pattern_grid(shape)
    two = tuple(1 << value - 1 | 1 << value % 9 for value in grid)
    for marks in (two, (*two[:40], 0, *two[41:])):
        puzzle = Puzzle(shape, (0,) * 81, marks)
        whole = jit(shape, 1, kernel=kernel).count(puzzle, 10**6)
        count = jit(shape, 12, 2, kernel=kernel).count(puzzle, 10**6)
        assert (count.number, count.exact) == (whole.number, whole.exact)
    assert count.number == 0
    assert count.stats["nodes"] == 0


def test_a_contradiction_has_no_branches() -> None:
    shape = Shape.parse("9x9")
    backend = jit(shape, 8, 2)
    answer = backend.solve(Puzzle(shape, (1, 1, *[0] * 79)))
    assert answer.status is Status.UNSATISFIABLE


@pytest.mark.parametrize("threads", [1, 2])
def test_the_time_limit_ends_all_branches(threads: int) -> None:
    shape = Shape.parse("25x25")
    backend = jit(shape, 16, threads)
    backend.time_limit = 0.2
    count = backend.count(Puzzle(shape, (0,) * 625), 10**12)
    assert not count.exact


def test_without_time_the_answer_is_unknown() -> None:
    shape = Shape.parse("9x9")
    backend = jit(shape, 16, 2)
    backend.time_limit = 0.0
    assert backend.solve(Puzzle(shape, (0,) * 81)).status is Status.UNKNOWN
