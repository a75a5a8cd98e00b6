"""What the generator claims of its puzzles, checked by backends that did not make them."""

from collections import Counter
from functools import cache
from itertools import product

import pytest

from harness.base.errors import OptionError, PuzzleError
from harness.extensions.generate import (
    Clues,
    Generated,
    GenerationRequest,
    Model,
    generate,
    random_grid,
)
from harness.extensions.generate.clues import Digger, orbits, with_fewer_clues
from harness.extensions.generate.kinds import guesses_of
from harness.extensions.generate.options import MOST_SOLUTIONS, StopRule
from harness.puzzles import Puzzle, Shape, line_of
from harness.puzzles.datasets.facts import is_minimal
from harness.puzzles.search.kernel import Prng
from harness.puzzles.search.solver import solver_of
from harness.puzzles.solution_count import SolutionCount
from harness.puzzles.symmetry import Symmetry, symmetries_of
from tests.backends.oracle import backend_of
from tests.plain_search import solutions

NINE = Shape.parse("9x9")
backend = cache(backend_of)


def count(puzzle: Puzzle, limit: int = 2, *names: str) -> int:
    """The number of solutions by several backends, which agree."""
    numbers = {
        backend(name, puzzle.shape).count(puzzle, limit).number
        for name in names or ("cnf", "native")
    }
    assert len(numbers) == 1
    return numbers.pop()


def without(puzzle: Puzzle, cell: int) -> Puzzle:
    givens = puzzle.givens
    return Puzzle(puzzle.shape, (*givens[:cell], 0, *givens[cell + 1 :]))


def assert_minimal(puzzle: Puzzle, solutions: int = 1) -> None:
    for cell, value in enumerate(puzzle.givens):
        if value:
            assert count(without(puzzle, cell), solutions + 1, "cnf") > solutions


def make(spec: str, number: int, **options: object) -> list[Generated]:
    return list(generate(GenerationRequest(Shape.parse(spec), number, 1, **options)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spec", "number"),
    [
        *(("9x9", 1), ("4x4", 4), ("6x6", 4), ("box2x4", 1), ("latin5", 3), ("6x6+diagonal", 3)),
        *(("9x9+windoku+antiking", 1), ("9x9+antiknight", 1)),
    ],
)
def test_minimal_puzzles_have_one_solution_and_need_each_clue(spec: str, number: int) -> None:
    for entry in make(spec, number, minimal=True):
        assert count(entry.puzzle) == 1
        assert_minimal(entry.puzzle)
        solved = backend("cnf", entry.puzzle.shape).solve(entry.puzzle)
        assert solved.grid is not None
        assert entry.expected_count is not None
        assert entry.expected_count.solution == line_of(solved.grid)


@pytest.mark.parametrize(
    ("spec", "clues", "minimal"),
    [
        *(("9x9", "24", False), ("9x9", "30-33", False)),
        *(("9x9", "21-22", True), ("9x9", "27", True), ("9x9", "20", True)),
        *(("12x12", "50%", False), ("10x10", "50%", False)),
    ],
)
def test_puzzles_have_their_number_of_clues(spec: str, clues: str, minimal: bool) -> None:
    bounds = Clues.parse(clues, Shape.parse(spec))
    for entry in make(spec, 3 if spec == "9x9" else 1, clues=bounds, minimal=minimal):
        assert bounds.fewest <= entry.puzzle.clues <= bounds.most
        assert count(entry.puzzle, 2, *([] if spec == "9x9" else ["cnf"])) == 1
        if minimal:
            assert_minimal(entry.puzzle)


@pytest.mark.long
@pytest.mark.parametrize(
    ("clues", "symmetry"), [(19, None), (18, None), (20, Symmetry.ROTATION_180)]
)
def test_swaps_reach_few_clues(clues: int, symmetry: Symmetry | None) -> None:
    (entry,) = make("9x9", 1, clues=Clues(clues, clues), symmetry=symmetry, minimal=True)
    assert entry.puzzle.clues == clues
    assert symmetry is None or symmetry in symmetries_of(entry.puzzle)
    assert_minimal(entry.puzzle)
    assert count(entry.puzzle) == 1


@pytest.mark.parametrize("symmetry", [None, Symmetry.ROTATION_90])
def test_a_swap_keeps_the_solution_unique(symmetry: Symmetry | None) -> None:
    groups = orbits(6, symmetry)
    shape = Shape.parse("6x6")
    for seed in range(5):
        random = Prng(seed)
        givens = Digger(shape).dig(random_grid(shape, random), groups)
        clues = sum(1 for value in givens if value)
        request = GenerationRequest(shape, 1, seed, clues=Clues(0, clues - 1))
        fewer = Puzzle(shape, with_fewer_clues(request, givens, groups, random))
        assert fewer.clues <= clues
        assert count(fewer) == 1
        assert symmetry is None or symmetry in symmetries_of(fewer)


@pytest.mark.parametrize(
    ("spec", "solutions"), [("9x9", 2), ("9x9", 3), ("9x9", 15), ("6x6", 7), ("4x4", 288)]
)
def test_puzzles_have_exactly_their_number_of_solutions(spec: str, solutions: int) -> None:
    (entry,) = make(spec, 1, solutions=solutions, minimal=spec == "6x6")
    assert count(entry.puzzle, 1000, "native") == solutions
    assert entry.expected_count == SolutionCount(solutions, solutions)
    if spec == "6x6":
        assert_minimal(entry.puzzle, solutions)


@pytest.mark.parametrize(
    ("clues", "minimal"), [(None, False), (None, True), ("35", False), ("22", False)]
)
def test_only_search_refutes_puzzles_without_solution(clues: str | None, minimal: bool) -> None:
    bounds = clues and Clues.parse(clues, NINE)
    for entry in make("9x9", 3, solutions=0, clues=bounds, minimal=minimal):
        puzzle = entry.puzzle
        assert count(puzzle, 1) == 0
        answer = backend("native", NINE).solve(puzzle)
        assert answer.stats["guesses"] > 0
        assert not solver_of(NINE).search_puzzle(puzzle, 1).by_rules
        assert clues is None or puzzle.clues == int(clues)
        if minimal:
            assert_minimal(puzzle, 0)


def test_holes_are_satisfiable_and_expected_counts_are_right() -> None:
    for spec in ("9x9", "latin7", "9x9+diagonal", "16x16"):
        shape = Shape.parse(spec)
        for entry in make(spec, 3, model=Model.HOLES, clues=Clues.parse("45%", shape)):
            assert entry.puzzle.clues == round(0.45 * shape.size**2)
            assert count(entry.puzzle, 1, "cnf" if spec != "9x9" else "native") == 1
            assert entry.expected_count is not None
            if shape.size < 10:
                reply = backend("native", shape).count(entry.puzzle, 1200)
                expected = entry.expected_count
                assert not expected.excludes(SolutionCount.from_number(reply.number, reply.exact))


def test_random_values_have_no_duplicates_and_may_have_no_solution() -> None:
    entries = make("9x9", 20, model=Model.QCP, clues=Clues(24, 24))
    numbers = [count(entry.puzzle, 1, "native") for entry in entries]
    assert set(numbers) == {0, 1}
    for entry, number in zip(entries, numbers, strict=True):
        assert entry.puzzle.clues == 24
        if entry.expected_count is not None and entry.expected_count.exact:
            assert (entry.expected_count.least > 0) == bool(number)


def test_the_search_for_hard_puzzles_raises_the_guesses() -> None:
    plain = [guesses_of(entry.puzzle) for entry in make("9x9", 3, minimal=True)]
    hard = make("9x9", 3, minimal=True, hard=60)
    for before, entry in zip(plain, hard, strict=True):
        assert guesses_of(entry.puzzle) > before
        assert count(entry.puzzle) == 1
        assert_minimal(entry.puzzle)


def test_the_first_puzzles_do_not_depend_on_the_count() -> None:
    assert make("9x9", 2) == make("9x9", 4)[:2]
    assert make("9x9", 2) != list(generate(GenerationRequest(NINE, 2, 2)))


def test_puzzles_of_a_series_differ() -> None:
    lines = [entry.puzzle.line for entry in make("4x4", 60, clues=Clues(4, 4))]
    assert len(set(lines)) == 60


def test_an_exhausted_series_is_an_error() -> None:
    with pytest.raises(PuzzleError, match="only 1 different"):
        make("4x4", 2, clues=Clues(0, 0), solutions=288)
    with pytest.raises(PuzzleError, match="attempts"):
        make("4x4", 1, solutions=MOST_SOLUTIONS)


def test_hard_puzzles_with_a_symmetry_are_minimal_by_groups_of_clues() -> None:
    symmetry = Symmetry.ROTATION_180
    for entry in make("9x9", 2, minimal=True, hard=12, symmetry=symmetry):
        puzzle = entry.puzzle
        assert symmetry in symmetries_of(puzzle)
        for group in orbits(9, symmetry):
            if puzzle.givens[group[0]]:
                rest = puzzle
                for cell in group:
                    rest = without(rest, cell)
                assert count(rest, 2, "cnf") == 2


@pytest.mark.long
def test_searches_for_too_many_clues_of_a_minimal_puzzle_end_after_five() -> None:
    with pytest.raises(PuzzleError, match=r"with 14 clues among 5 searches") as error:
        make("4x4", 1, clues=Clues(14, 16), minimal=True)
    assert "the nearest that they found" in error.value.expected


def test_values_of_one_solution_are_found() -> None:
    shape = Shape.parse("4x4")
    solver = solver_of(shape)
    puzzle = Puzzle(shape, (1, 2, 3, 4, *(0,) * 12))
    start = solver.start(puzzle.allowed)
    grids = solutions(puzzle, 1000)
    assert len(grids) == 12
    pairs = [(first, second) for first in range(16) for second in range(first, 16)]
    assert solver.in_one_solution(start, pairs, 11) is None
    combinations = solver.in_one_solution(start, pairs, 12)
    expected = Counter(
        (at, grid[first], grid[second])
        for grid in grids
        for at, (first, second) in enumerate(pairs)
    )
    assert combinations == sorted(key for key, number in expected.items() if number == 1)


# Pencilmark puzzles: nothing but pencilmarks.


def with_other_candidate(puzzle: Puzzle, cell: int, value: int) -> Puzzle:
    """The puzzle with a candidate more, or less."""
    marks = list(puzzle.allowed)
    marks[cell] ^= 1 << value
    return Puzzle(puzzle.shape, (0,) * len(marks), tuple(marks))


def marked(spec: str, number: int = 2, **options: object) -> list[Puzzle]:
    return [entry.puzzle for entry in make(spec, number, pencilmarks=True, **options)]


@pytest.mark.parametrize("spec", ["9x9", "4x4", "6x6", "latin5", "box2x4", "6x6+antiking"])
def test_puzzles_with_pencilmarks_have_one_solution(spec: str) -> None:
    for puzzle in marked(spec):
        assert count(puzzle, 2, "cnf", "native-jit") == 1
        assert puzzle.pencilmarks is not None
        assert puzzle.clues <= 3


def test_minimal_puzzles_need_each_pencilmark() -> None:
    """Each candidate that a cell does not have would add a solution."""
    for spec in ("4x4", "6x6+diagonal", "latin5"):
        for puzzle in marked(spec, minimal=True):
            assert is_minimal(puzzle)
            for cell, value in product(range(len(puzzle.allowed)), range(puzzle.shape.size)):
                if not puzzle.allowed[cell] >> value & 1:
                    assert count(with_other_candidate(puzzle, cell, value), 2, "cnf") == 2


def test_another_candidate_less_is_not_minimal() -> None:
    (puzzle,) = marked("6x6", 1, minimal=True)
    cell = next(c for c, marks in enumerate(puzzle.allowed) if marks.bit_count() > 2)
    solution = backend("cnf", puzzle.shape).solve(puzzle).grid
    assert solution is not None
    candidates = [v for v in range(6) if puzzle.allowed[cell] >> v & 1 and v + 1 != solution[cell]]
    assert is_minimal(with_other_candidate(puzzle, cell, candidates[0])) is False


@pytest.mark.long
def test_a_candidate_that_search_cannot_decide_stays_out() -> None:
    (puzzle,) = marked("12x12", 1)
    assert sum(marks.bit_count() for marks in puzzle.allowed) > 700
    assert count(puzzle, 2, "cnf") == 1


@pytest.mark.long
def test_a_shape_whose_searches_take_too_long_has_no_minimal_puzzle() -> None:
    with pytest.raises(PuzzleError, match="no minimal pencilmark puzzle of 16x16 in 3 attempts"):
        marked("16x16", 1, minimal=True)


def test_a_seed_makes_the_same_pencilmarks() -> None:
    assert marked("6x6", 2) == marked("6x6", 3)[:2]
    other = GenerationRequest(Shape.parse("6x6"), 1, 2, pencilmarks=True)
    assert marked("6x6", 1) != [entry.puzzle for entry in generate(other)]


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("clues", Clues(5, 5)),
        ("solutions", 2),
        ("symmetry", Symmetry.DIAGONAL),
        ("model", Model.QCP),
        ("hard", 3),
        ("stop", StopRule(lambda givens: True, "")),
    ],
)
def test_pencilmarks_exclude_other_conditions(where: str, value: object) -> None:
    with pytest.raises(OptionError, match=f"{where}: cannot be combined with pencilmarks"):
        GenerationRequest(NINE, pencilmarks=True, **{where: value})  # type: ignore[arg-type]
