"""The search of the generator, and its source of random integers."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.puzzles import Puzzle, Shape
from harness.puzzles.constraints.kinds import KINDS
from harness.puzzles.datasets.facts import features_of
from harness.puzzles.patterns import pattern_grid
from harness.puzzles.search.kernel import Prng, index_of, integers, next_word, size_of
from harness.puzzles.search.solver import solver_of
from harness.records.judging import fault_of_grid
from tests.plain_search import solutions
from tests.puzzles.example import dataset_named
from tests.puzzles.variants import givens, variant
from tests.tables import cases


@pytest.mark.parametrize(
    ("spec", "number"),
    [("4x4", 288), ("latin4", 576), ("4x4+diagonal", 48), ("6x6+diagonal", 8640), ("latin3", 12)],
)
def test_known_numbers_of_grids(spec: str, number: int) -> None:
    shape = Shape.parse(spec)
    result = solver_of(shape).search_puzzle(Puzzle(shape, (0,) * shape.size**2), 10**6)
    assert (result.number, result.exact) == (number, True)


@given(
    st.sampled_from(["4x4", "latin4", "4x4+diagonal", "4x4+antiknight", "4x4+antiking"]),
    st.integers(0, 2**32),
    st.integers(0, 14),
    st.booleans(),
)
@settings(max_examples=40)
def test_counts_agree_with_trial_of_all_values(
    spec: str, seed: int, blanks: int, marked: bool
) -> None:
    shape, random = Shape.parse(spec), Prng(seed)
    grid = list(pattern_grid(Shape.parse("4x4")))
    for cell in random.sample(blanks, 16):
        grid[cell] = 0
    for cell in random.sample(2, 16):
        grid[cell] = grid[cell] and 1 + random.below(4)
    marks = None
    if marked:
        marks = tuple(1 << v - 1 if v else random.below(16) for v in grid)
    puzzle = Puzzle(shape, tuple(grid), marks)
    number = len(solutions(puzzle, 10**6))
    solver = solver_of(shape)
    assert solver.search_puzzle(puzzle, 10**6)[:2] == (number, True)
    result = solver.search_puzzle(puzzle, 2)
    assert result.number == min(number, 2)
    assert result.exact == (number < 2)
    assert solver.search(solver.start(puzzle.allowed), 10**6, random=random).number == number
    if result.by_rules:
        assert number <= 1
    if result.solution is not None:
        values = zip(puzzle.allowed, result.solution, strict=True)
        assert all(bits >> value - 1 & 1 for bits, value in values)
        assert solutions(Puzzle(shape, result.solution), 2) == [result.solution]


@given(st.lists(st.sampled_from([*KINDS]), min_size=1, max_size=3), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_constraints_leave_the_grids_that_keep_them(kinds: list[str], seed: int) -> None:
    shape, grid = variant(Shape.parse("4x4"), kinds, seed)
    puzzle = Puzzle(shape, givens(grid, seed % 4, seed))
    grids = {grid for grid in GRIDS_4X4 if fault_of_grid(puzzle, grid) is None}
    solver, random = solver_of(shape), Prng(seed)
    result = solver.search_puzzle(puzzle, 10**6)
    assert result[:2] == (len(grids), True)
    assert result.solution in grids
    assert solver.search(solver.start(puzzle.allowed), 10**6, random=random).solution in grids
    assert solver.search_puzzle(puzzle, 1)[:2] == (1, False)
    once = solver.in_one_solution(solver.start(puzzle.allowed), [(0, 5)], 10**6)
    values = Counter((grid[0], grid[5]) for grid in grids)
    assert once == [(0, *pair) for pair in sorted(values) if values[pair] == 1]
    if len(grids) == 1:
        rating = pytest.importorskip("harness.extensions.reasoning.rating")
        assert (rating.backdoor_size(puzzle) == 0) == result.by_rules


GRIDS_4X4 = solutions(Puzzle(Shape.parse("4x4"), (0,) * 16), 10**6)


def test_the_node_limit_leaves_a_search_undecided() -> None:
    shape = Shape.parse("9x9")
    solver = solver_of(shape)
    start = solver.start([solver.every] * 81)
    assert solver.count(start, 1000, nodes=50) is None
    result = solver.search(start, 1000, nodes=50)
    assert not result.exact
    assert result.number < 1000


def test_the_source_is_xoshiro128_plus_plus() -> None:
    # Reference values of the crate rand_xoshiro.
    state = integers([1, 2, 3, 4])
    assert [next_word(state) for _ in range(10)] == [
        *(641, 1573767, 3222811527, 3517856514, 836907274),
        *(4247214768, 3867114732, 1355841295, 495546011, 621204420),
    ]


def test_random_integers_are_uniform() -> None:
    random = Prng("uniform")
    numbers = [0] * 7
    for _ in range(7000):
        numbers[random.below(7)] += 1
    # Chi-square with 6 degrees of freedom: 22.5 at 0.001.
    assert sum((number - 1000) ** 2 / 1000 for number in numbers) < 22.5


def test_every_order_is_as_likely() -> None:
    random = Prng("orders")
    frequency: dict[tuple[int, ...], int] = {}
    for _ in range(2400):
        order = tuple(random.order(4))
        frequency[order] = frequency.get(order, 0) + 1
    assert len(frequency) == 24
    # Chi-square with 23 degrees of freedom: 49.7 at 0.001.
    assert sum((number - 100) ** 2 / 100 for number in frequency.values()) < 49.7


@pytest.mark.long
def test_damaged_files_of_compiled_code_are_replaced(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    program = "import harness.cli; harness.cli.main(['generate', '--shape', '4x4', '--quiet'])"

    def output() -> str:
        process = subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (process.returncode, process.stderr) == (0, "")
        return process.stdout

    first = output()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".nbi", ".nbc"}
    for number, path in enumerate(files):
        path.write_bytes(b"\x80\x05damaged" if number % 2 else b"")
    assert output() == first
    assert not [path for path in files if path.read_bytes() == b"\x80\x05damaged"]


def test_bits_of_plain_python_are_counted_and_found() -> None:
    for size in (1, 9, 36):
        assert size_of((1 << size) - 1) == size
        assert index_of(1 << size - 1) == size - 1


@pytest.mark.parametrize(
    ("name", "guesses"), cases(__file__, "guesses_are_the_same_in_every_version")
)
def test_guesses_are_the_same_in_every_version(name: str, guesses: list[int]) -> None:
    """Another number is another rating for the same puzzle: a change that users read about."""
    instances = dataset_named(name).instances[: len(guesses)]
    assert [features_of(instance.puzzle).guesses for instance in instances] == guesses
