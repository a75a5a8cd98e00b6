"""The compiled solver agrees with the backend native on every shape, alone and in batches."""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.native_jit import NativeJit
from harness.base.errors import OptionError, PuzzleError
from harness.contract import Options, Status, Unsupported
from harness.contract.registry import load_backend
from harness.puzzles import Grid, House, Puzzle, Shape, parse_puzzle
from harness.puzzles.patterns import pattern_grid, pattern_puzzle
from tests.backends.oracle import backend_of, counted, is_solution, jit, named_puzzle
from tests.backends.test_shapes import JIGSAW

NINE = Shape.parse("9x9")
SHAPES = (
    *("4x4", "6x6", "box3x2", "9x9", "latin4", "latin7", "latin9", "12x12", "16x16"),
    *("4x4+diagonal", "9x9+diagonal", "9x9+windoku"),
    JIGSAW,
)
QUICK = ("4x4", "6x6", "9x9", "latin7", JIGSAW)
KERNELS = ("native-jit", "native-jit[kernel=houses]")
both_kernels = pytest.mark.parametrize("spec", KERNELS)
MANY = 40


def a_grid(shape: Shape, rng: random.Random) -> Grid:
    """A complete grid that extends a random first row, with its values permuted."""
    first = list(range(1, shape.size + 1))
    rng.shuffle(first)
    rest = [0] * (shape.size**2 - shape.size)
    grid = backend_of("native", shape).solve(Puzzle(shape, (*first, *rest))).grid
    assert grid is not None
    return grid


def puzzles_of(shape: Shape, seed: int, number: int) -> Iterator[Puzzle]:
    """Puzzles with zero, one and many solutions: a grid with blanks and some wrong values."""
    rng = random.Random(seed)
    grid = a_grid(shape, rng)
    cells = len(grid)
    for _ in range(number):
        share = rng.uniform(0.15, 0.8) if shape.size < 12 else rng.uniform(0.5, 0.7)
        cells_left = set(rng.sample(range(cells), round(cells * share)))
        givens = [value if cell in cells_left else 0 for cell, value in enumerate(grid)]
        if rng.random() < 0.3:
            givens[rng.choice(sorted(cells_left))] = rng.randint(1, shape.size)
        yield Puzzle(shape, tuple(givens))


def array_of(puzzles: list[Puzzle]) -> "np.ndarray[tuple[int, int], np.dtype[np.uint8]]":
    return np.array([puzzle.givens for puzzle in puzzles], np.uint8)


@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.long) for n in SHAPES]
)
def test_counts_agree_with_native(name: str) -> None:
    shape = Shape.parse(name)
    numbers = set()
    for puzzle in puzzles_of(shape, seed=1, number=20):
        expected = backend_of("native", shape).count(puzzle, MANY)
        for spec in KERNELS:
            count = jit(shape, spec).count(puzzle, MANY)
            assert (count.number, count.exact) == (expected.number, expected.exact), puzzle.line
            assert is_solution(count.witness, puzzle) == (count.number > 0)
        numbers.add(min(expected.number, 2))
    assert numbers == {0, 1, 2}


@pytest.mark.parametrize("name", SHAPES)
def test_a_batch_agrees_with_single_calls(name: str) -> None:
    shape = Shape.parse(name)
    puzzles = list(puzzles_of(shape, seed=2, number=20))
    for spec in KERNELS:
        backend = jit(shape, spec)
        answers = backend.solve_many(array_of(puzzles))
        counts = backend.count_many(array_of(puzzles), 5)
        nodes = 0
        for row, puzzle in enumerate(puzzles):
            answer, count = backend.solve(puzzle), backend.count(puzzle, 5)
            assert answers.statuses[row] is answer.status
            grid = tuple(answers.grids[row].tolist())
            assert grid == (answer.grid or (0,) * len(grid))
            assert (counts.numbers[row], counts.exact[row]) == (count.number, count.exact)
            assert tuple(counts.witnesses[row].tolist()) == (count.witness or (0,) * len(grid))
            nodes += int(count.stats["nodes"])
        assert counts.stats["nodes"] == nodes


@both_kernels
def test_threads_change_only_the_time(spec: str) -> None:
    puzzles = array_of(list(puzzles_of(NINE, seed=3, number=50)))
    backend = jit(NINE, spec)
    three = jit(NINE, spec.rstrip("]") + (",threads=3]" if "[" in spec else "[threads=3]"))
    for batch in (puzzles, puzzles[:1], puzzles[:0]):
        alone, together = backend.count_many(batch, 3), three.count_many(batch, 3)
        assert np.array_equal(alone.numbers, together.numbers)
        assert np.array_equal(alone.exact, together.exact)
        assert np.array_equal(alone.witnesses, together.witnesses)
        assert alone.stats == together.stats


@both_kernels
def test_a_batch_is_only_read(spec: str) -> None:
    puzzles = array_of(list(puzzles_of(NINE, seed=4, number=3)))
    puzzles.flags.writeable = False
    assert jit(NINE, spec).solve_many(puzzles).grids.shape == (3, 81)
    with pytest.raises(PuzzleError, match="uint8"):
        jit(NINE, spec).solve_many(puzzles[:, :80])


@both_kernels
@pytest.mark.parametrize("name", ["six", "many"])
def test_a_limit_is_kept_exactly(spec: str, name: str) -> None:
    number, limits = {"six": (6, range(1, 9)), "many": (38_122, (38_121, 38_122, 10**30))}[name]
    for limit in limits:
        expected = min(limit, number), limit > number
        assert counted(backend_of(spec), named_puzzle(name), limit) == expected


@both_kernels
def test_out_of_nodes_is_unknown_and_not_a_proof(spec: str) -> None:
    nugget, prefix = named_puzzle("nugget"), spec.rstrip("]") + ("," if "[" in spec else "[")
    nodes = int(backend_of(spec).count(nugget, 2).stats["nodes"])
    assert counted(backend_of(f"{prefix}nodes={nodes}]"), nugget, 2) == (1, True)
    count = backend_of(f"{prefix}nodes={nodes - 1}]").count(nugget, 2)
    assert (count.exact, count.stats["nodes"]) == (False, nodes - 1)
    two = backend_of(f"{prefix}nodes=2]")
    assert two.solve(nugget).status is Status.UNKNOWN
    assert two.solve(nugget).stats["nodes"] == 2
    batch = array_of([named_puzzle("wikipedia"), nugget, named_puzzle("wikipedia")])
    statuses = two.solve_many(batch).statuses.tolist()
    assert statuses == [Status.SOLVED, Status.UNKNOWN, Status.SOLVED]


@both_kernels
def test_a_call_without_time_takes_nothing_from_a_proof_before_it(spec: str) -> None:
    backend = jit(NINE, spec)
    contradiction = Puzzle(NINE, (1, 1) + (0,) * 79)
    assert backend.count(contradiction, 5).exact
    backend.time_limit = 0.005
    assert not backend.count(Puzzle(NINE, (0,) * 81), 10**12).exact
    backend.time_limit = None
    assert backend.solve(contradiction).status is Status.UNSATISFIABLE
    backend.time_limit = 0.0
    assert backend.solve(Puzzle(NINE, (0,) * 81)).status is Status.UNKNOWN


@both_kernels
def test_a_puzzle_with_pencilmarks_takes_the_same_search_every_time(spec: str) -> None:
    marks = tuple(0b111_111_111 & ~(1 << (cell * 5 + cell // 9) % 9) for cell in range(81))
    puzzle = Puzzle(NINE, (0,) * 81, marks)
    backend = jit(NINE, spec)
    searches = [dict(backend.count(puzzle, 4000).stats) for _ in range(3)]
    assert searches == [searches[0]] * 3
    assert searches[0]["guesses"] > 1000


@given(givens=st.dictionaries(st.integers(0, 80), st.integers(1, 9), max_size=30))
@settings(max_examples=20, deadline=None)
def test_the_two_kernels_agree_on_arbitrary_givens(givens: dict[int, int]) -> None:
    puzzle = Puzzle(NINE, tuple(givens.get(cell, 0) for cell in range(81)))
    assert counted(jit(NINE), puzzle, 3) == counted(jit(NINE, KERNELS[1]), puzzle, 3)


@pytest.mark.parametrize(
    "line",
    [
        "...4..........4..1......................................1...3.......1..4.........",
        ".........31.8.4.....2.8............................6....1.....9..................",
        "....6..4.......1.......4.57.33.......92..7......................2.5....83........",
    ],
)
def test_duplicate_givens_are_contradictory_without_search(line: str) -> None:
    alike = {(line[c], house) for c in range(81) for house in NINE.houses_of[c] if line[c] != "."}
    assert len(alike) < 3 * sum(char != "." for char in line)
    for spec in KERNELS:
        count = jit(NINE, spec).count(parse_puzzle(line), 2)
        assert (count.number, count.exact, count.stats["nodes"]) == (0, True, 1)


def test_only_plain_9x9_uses_the_vectors() -> None:
    # Wherever a diagonal has two equal values, only a kernel that knows the diagonals sees it.
    plain = Shape.parse("9x9")
    puzzle = Puzzle(Shape.parse("9x9+diagonal"), (1, *[0] * 79, 1))
    assert jit(puzzle.shape).solve(puzzle).status is Status.UNSATISFIABLE
    assert jit(plain).solve(Puzzle(plain, puzzle.givens)).status is Status.SOLVED
    lines = tuple(house for house in plain.houses if house.kind != "box")
    same = Shape("9x9 with other houses", 9, (*plain.houses[18:], *lines))
    assert jit(same).count(pattern_puzzle(plain, 11), 2).number == 1


def test_large_grids_are_solved() -> None:
    size = 63
    rows = [House("row", r, tuple(range(r * size, r * size + size))) for r in range(size)]
    columns = [House("column", c, tuple(range(c, size * size, size))) for c in range(size)]
    shape = Shape(f"latin square of order {size}", size, (*rows, *columns))
    puzzle = pattern_puzzle(shape, blank_every=3)
    assert is_solution(jit(shape).solve(puzzle).grid, puzzle)


def test_more_values_than_bits_are_unsupported() -> None:
    rows = tuple(House("row", r, tuple(range(r * 64, r * 64 + 64))) for r in range(64))
    shape = Shape("64 rows", 64, rows)
    with pytest.raises(Unsupported, match="63 values"):
        jit(shape, "native-jit[kernel=houses]")
    grid = jit(shape).solve(Puzzle(shape, (0,) * 64**2)).grid
    assert grid is not None
    assert all(len({grid[cell] for cell in row.cells}) == 64 for row in rows)


def test_the_stack_grows_where_the_search_goes_deep() -> None:
    shape = Shape.parse("25x25")
    empty = Puzzle(shape, (0,) * 625)
    answer = jit(shape).solve(empty)
    assert is_solution(answer.grid, empty)
    assert answer.stats["guesses"] > 100


def test_statistics_have_nodes_guesses_and_rounds() -> None:
    stats = backend_of("native-jit").count(named_puzzle("nugget"), 2).stats
    assert set(stats) == {"nodes", "guesses", "rounds"}
    assert stats["rounds"] > stats["nodes"] > stats["guesses"] > 0
    full = Puzzle(Shape.parse("9x9"), pattern_grid(Shape.parse("9x9")))
    assert backend_of("native-jit").solve(full).stats["guesses"] == 0


@both_kernels
@pytest.mark.parametrize(
    ("shape", "number"),
    [
        *(("4x4", 288), ("latin4", 576), ("latin5", 161_280), ("latin3", 12)),
        pytest.param("6x6", 28_200_960, marks=pytest.mark.long),
    ],
)
def test_all_grids_of_small_shapes_are_counted(spec: str, shape: str, number: int) -> None:
    empty = Puzzle(Shape.parse(shape), (0,) * Shape.parse(shape).size ** 2)
    assert counted(backend_of(spec, shape), empty, 10**9) == (number, True)


@pytest.mark.parametrize("name", ["17_clue_sample_3000.txt", "magictour_top1465.txt"])
def test_the_known_collections_have_one_solution_each(name: str, shared_puzzles: Path) -> None:
    lines = (shared_puzzles / name).read_text().splitlines()
    batch = array_of([parse_puzzle(line[:81]) for line in lines if line and line[0] != "#"])
    answers = jit(NINE).solve_many(batch)
    counts = jit(NINE).count_many(batch, 2)
    assert set(counts.numbers.tolist()) == {1}
    assert counts.exact.all()
    assert np.array_equal(answers.grids, counts.witnesses)
    assert ((batch == 0) | (batch == counts.witnesses)).all()
    values = np.arange(1, 10)
    for house in NINE.houses:
        assert (np.sort(counts.witnesses[:, house.cells], axis=1) == values).all()


def test_options_out_of_range_are_an_error() -> None:
    for setting in (("threads", "0"), ("nodes", "-1"), ("kernel", "vectors")):
        with pytest.raises(OptionError):
            load_backend("native-jit", [setting])
    assert issubclass(NativeJit.options_type, Options)
