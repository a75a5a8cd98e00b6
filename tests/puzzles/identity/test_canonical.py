"""The canonical form, minimality and features."""

from concurrent.futures import ThreadPoolExecutor
from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.datasets.canonical import canonical_form
from harness.puzzles.datasets.facts import features_of, guesses_of, is_minimal
from harness.puzzles.formats.reading import read_file
from harness.puzzles.patterns import pattern_grid
from harness.puzzles.search.kernel import Prng
from harness.puzzles.symmetry import Scramble, Symmetry, symmetries_of
from tests.examples import examples
from tests.puzzles.example import LINE

NINE = Shape.parse("9x9")
SEVENTEEN = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
MOST_CANONICAL = "123456789456789123789123456231564897564897231897231564312645978645978312978312645"


@given(st.integers(0, 2**32), st.integers(0, 81), st.integers(0, 2**32))
@examples(6, 15)
def test_scrambles_have_the_same_canonical_form(seed: int, blanks: int, other: int) -> None:
    random = Prng(seed)
    grid = list(Scramble.from_seed(NINE, seed).grid(pattern_grid(NINE)))
    for cell in random.sample(min(blanks, 70), 81):
        grid[cell] = 0
    if blanks > 60:
        grid[random.below(81)] = 1 + random.below(9)  # perhaps a duplicate
    puzzle = Puzzle(NINE, tuple(grid))
    form = canonical_form(puzzle)
    assert canonical_form(Scramble.from_seed(NINE, other).puzzle(puzzle)) == form
    assert canonical_form(form.puzzle) == form
    assert form.puzzle.clues == puzzle.clues
    assert form.puzzle.givens <= puzzle.givens or puzzle.clues == 0


def every_scramble(puzzle: Puzzle, stacks: int) -> set[tuple[int, ...]]:
    """Lines of the puzzle with all orders of the rows, some of the columns, relabelled."""
    groups = [
        [3 * band + row for band, rows in zip(bands, orders, strict=True) for row in rows]
        for bands in permutations(range(3))
        for orders in product(permutations(range(3)), repeat=3)
    ]
    lines = set()
    for rows, columns in product(groups, groups[:stacks]):
        labels = {0: 0}
        values = (puzzle.givens[9 * row + column] for row in rows for column in columns)
        lines.add(tuple(labels.setdefault(value, len(labels)) for value in values))
    return lines


def test_the_canonical_form_is_the_least_of_all() -> None:
    puzzle = parse_puzzle(SEVENTEEN)
    form = canonical_form(puzzle)
    assert form.puzzle.givens <= min(every_scramble(puzzle, 6))
    # One of all 1296 orders of the columns of the form itself leads back to no smaller line.
    assert min(every_scramble(form.puzzle, 12)) == form.puzzle.givens


def test_the_automorphisms_of_known_grids() -> None:
    # 648 is the largest number of any grid (Russell and Jarvis, "Mathematics of Sudoku II").
    form = canonical_form(parse_puzzle(MOST_CANONICAL))
    assert form.automorphisms == 648
    assert canonical_form(parse_puzzle(SEVENTEEN)).automorphisms == 1


def test_automorphisms_are_the_scrambles_that_keep_a_puzzle() -> None:
    givens = [0] * 81
    givens[0] = 5
    # A clue stays in its cell: 1 of 81 cells, of 2 * 1296 * 1296 symmetries.
    assert canonical_form(Puzzle(NINE, tuple(givens))).automorphisms == 2 * 1296 * 1296 // 81


@pytest.mark.parametrize("number", [300, pytest.param(3000, marks=pytest.mark.long)])
def test_17_clue_puzzles_are_all_different(number: int, shared_puzzles: Path) -> None:
    puzzles = [parsed.puzzle for parsed in read_file(shared_puzzles / "17_clue_sample_3000.txt")]
    assert len(puzzles) == 3000
    forms = {canonical_form(puzzle).puzzle.line for puzzle in puzzles[:number]}
    assert len(forms) == number
    others = [Scramble.from_seed(NINE, n).puzzle(puzzle) for n, puzzle in enumerate(puzzles[:100])]
    assert all(canonical_form(puzzle).puzzle.line in forms for puzzle in others)


def test_only_plain_9x9_puzzles_have_a_canonical_form() -> None:
    for puzzle in (
        Puzzle(Shape.parse("4x4"), (0,) * 16),
        Puzzle(Shape.parse("9x9+diagonal"), (0,) * 81),
        Puzzle(NINE, (0,) * 81, (3,) * 81),
    ):
        with pytest.raises(PuzzleError, match="no canonical form"):
            canonical_form(puzzle)
        assert features_of(puzzle).automorphisms is None


def test_a_puzzle_is_minimal_if_each_clue_is_needed() -> None:
    assert is_minimal(parse_puzzle(SEVENTEEN))
    assert is_minimal(parse_puzzle(LINE)) is False
    assert is_minimal(parse_puzzle(SEVENTEEN), nodes=1) is None
    new = pytest.importorskip("harness.extensions.generate")
    puzzle = next(new.generate(new.GenerationRequest(NINE, solutions=0, minimal=True))).puzzle
    assert is_minimal(puzzle)


def test_features_describe_a_puzzle() -> None:
    easy = features_of(parse_puzzle(LINE))
    assert (easy.clues, easy.guesses, easy.automorphisms) == (32, 0, 1)
    assert easy.candidates == sum(
        len(set(range(1, 10)) - {parse_puzzle(LINE).givens[p] for p in NINE.peers[cell]})
        for cell, value in enumerate(parse_puzzle(LINE).givens)
        if not value
    )
    assert easy.symmetries == (Symmetry.ROTATION_180, Symmetry.LEFT_RIGHT, Symmetry.TOP_BOTTOM)
    hard = parse_puzzle(
        "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3.."
    )
    assert (features_of(hard).guesses or 0) > 0
    assert features_of(hard, nodes=2).guesses is None


def test_the_symmetries_of_a_pattern() -> None:
    for symmetry in Symmetry:
        new = pytest.importorskip("harness.extensions.generate")
        request = new.GenerationRequest(NINE, clues=new.Clues(36, 50), symmetry=symmetry)
        entry = next(new.generate(request))
        assert symmetry in symmetries_of(entry.puzzle)
    assert set(symmetries_of(Puzzle(NINE, (0,) * 81))) == set(Symmetry)
    corner = Puzzle(NINE, (1, *(0,) * 80))
    assert symmetries_of(corner) == [Symmetry.DIAGONAL]


def test_threads_do_not_disturb_each_other() -> None:
    puzzles = [
        Scramble.from_seed(NINE, seed).puzzle(parse_puzzle(SEVENTEEN)) for seed in range(400)
    ]
    with ThreadPoolExecutor(4) as pool:
        forms = set(pool.map(canonical_form, puzzles))
        guesses = list(pool.map(guesses_of, puzzles))
    assert forms == {canonical_form(puzzles[0])}
    assert guesses == [guesses_of(puzzle) for puzzle in puzzles]
