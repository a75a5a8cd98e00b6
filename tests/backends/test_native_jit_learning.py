"""The search that learns clauses: alone, beside the other search, and as a proof."""

import random
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.native_jit import clauses, learner, search
from harness import load_dataset
from harness.contract import Unsupported
from harness.puzzles import Puzzle, Shape
from tests.backends.oracle import backend_of, counted, is_solution, jit
from tests.backends.test_proofs import verdict_on

SHAPES = ("4x4", "6x6+diagonal", "9x9", "9x9+antiknight", "latin7", "box2x5", "16x16")


learning = partial(jit, spec="native-jit[kernel=learning]")


def holes(shape: Shape, share: float, seed: int) -> Puzzle:
    """Some cells of the root grid with its rows, columns, bands, stacks and values shuffled."""
    rng, size = random.Random(seed), shape.size
    rows, columns = shape.box or (1, size)

    def shuffle(groups: int, each: int) -> list[int]:
        order = [rng.sample(range(at * each, (at + 1) * each), each) for at in range(groups)]
        return [line for group in rng.sample(order, groups) for line in group]

    names = rng.sample(range(1, size + 1), size)
    down, across = shuffle(size // rows, rows), shuffle(size // columns, columns)
    grid = [names[(columns * (r % rows) + r // rows + c) % size] for r in down for c in across]
    cells_left = set(rng.sample(range(size**2), round(share * size**2)))
    return Puzzle(shape, tuple(v if cell in cells_left else 0 for cell, v in enumerate(grid)))


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(SHAPES), st.integers(0, 2**32), st.sampled_from([1, 2, 40]), st.booleans())
def test_both_searches_count_the_same(name: str, seed: int, limit: int, has_marks: bool) -> None:
    shape, rng = Shape.parse(name), random.Random(seed)
    share = rng.uniform(0.3, 0.6) if shape.size > 9 else rng.uniform(0.1, 0.6)
    grid = backend_of("native", shape).solve(Puzzle(shape, (0,) * shape.size**2)).grid
    assert grid is not None
    givens = [value if rng.random() < share else 0 for value in grid]
    if rng.random() < 0.4:
        givens[rng.randrange(len(givens))] = rng.randint(1, shape.size)
    marks = None
    if has_marks and shape.size < 10:
        marks = tuple(
            1 << clue - 1 if clue else rng.getrandbits(shape.size) | 1 << value - 1
            for clue, value in zip(givens, grid, strict=True)
        )
    puzzle = Puzzle(shape, tuple(givens), marks)
    count = learning(shape).count(puzzle, limit)
    expected = counted(jit(shape, "native-jit[kernel=houses]"), puzzle, limit)
    assert (count.number, count.exact) == expected
    if count.number:
        assert is_solution(count.witness, puzzle)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The learning search joins after the first slice, and slices are short."""
    monkeypatch.setattr(search, "PATIENCE", 1)
    monkeypatch.setattr(search, "CELLS_A_SLICE", 256)
    monkeypatch.setattr(search, "LEARNING", 300)


@pytest.mark.usefixtures("impatient")
def test_together_they_give_the_same_answers_alone_and_in_batches() -> None:
    shape = Shape.parse("16x16")
    puzzles = [holes(shape, share, seed) for share in (0.3, 0.36, 0.4) for seed in range(12)]
    both, alone = jit(shape), jit(shape, "native-jit[kernel=houses]")
    batch = np.array([puzzle.givens for puzzle in puzzles], np.uint8)
    many = both.count_many(batch, 3)
    for at, puzzle in enumerate(puzzles):
        expected = counted(alone, puzzle, 3)
        assert counted(both, puzzle, 3) == expected == (many.numbers[at], many.exact[at])
        assert is_solution(tuple(many.witnesses[at].tolist()), puzzle)
    assert many.stats["conflicts"] > 0


def test_a_puzzleon_which_the_other_search_fails() -> None:
    puzzle = holes(Shape.parse("36x36"), 0.35, 4350)
    both = jit(puzzle.shape)
    both.time_limit = 60
    answer = both.solve(puzzle)
    assert is_solution(answer.grid, puzzle)


def test_the_time_limit_ends_both_searches() -> None:
    puzzle = holes(Shape.parse("36x36"), 0.475, 1)
    for spec in ("native-jit", "native-jit[kernel=learning]"):
        backend = jit(puzzle.shape, spec)
        backend.time_limit = 0.3
        assert not backend.count(puzzle, 2).exact


def test_sizes_without_a_word_for_a_cell() -> None:
    shape = Shape.parse("64x64")
    puzzle = holes(shape, 0.75, 3)
    backend = jit(shape)
    answer = backend.solve(puzzle)
    assert is_solution(answer.grid, puzzle)
    marks = tuple((1 << 64) - 1 if not clue else 1 << clue - 1 for clue in puzzle.givens)
    assert backend.count(Puzzle(shape, puzzle.givens, marks), 1).number == 1
    wrong = list(puzzle.givens)
    at = wrong.index(0)
    wrong[at] = answer.grid[at] % 64 + 1 if answer.grid else 1
    assert backend.count(Puzzle(shape, tuple(wrong)), 2).number == 0


def test_each_solution_comes_once_even_after_lost_watches() -> None:
    puzzle = Puzzle.of_line("12" + "." * 34, Shape.parse("6x6+diagonal"))
    whole = learning(puzzle.shape).prove(puzzle, 10**6).solutions
    assert len(set(whole)) == len(whole) > 100
    assert set(whole) == set(backend_of("native", puzzle.shape).prove(puzzle, 10**6).solutions)
    houses = learner.Houses(puzzle.shape)
    possible = search.Search(puzzle.shape, "learning", learns=True).candidates_of(
        np.array(puzzle.givens, np.uint8), None
    )
    again = learner.Learner(houses, possible, 10**6)
    while len(again.solutions) < 50:
        again.advance(10**6)
    again._problem.numbers[clauses.OVERFLOW] = 1
    conflicts = again.conflicts
    while not again.is_finished:
        again.advance(10**6)
        assert again.conflicts >= conflicts
    assert sorted(tuple(grid.tolist()) for grid in again.solutions) == sorted(whole)


def with_one_solution(puzzle: Puzzle) -> Puzzle:
    """The puzzle with values of its first solution where later solutions differ from it."""
    solver, givens = learning(puzzle.shape), list(puzzle.givens)
    solution = solver.solve(puzzle).grid
    assert solution is not None
    while True:
        two = solver.prove(Puzzle(puzzle.shape, tuple(givens)), 2).solutions
        if len(two) < 2:
            return Puzzle(puzzle.shape, tuple(givens))
        cell = next(at for at, values in enumerate(zip(*two, strict=True)) if len(set(values)) > 1)
        givens[cell] = solution[cell]


def test_proofs_of_hard_puzzles() -> None:
    none = holes(Shape.parse("25x25"), 0.5, 5)
    assert not none.givens[2]
    givens = (*none.givens[:2], 22, *none.givens[3:])
    jigsaw = load_dataset("jigsaw").instances[4].puzzle
    large = holes(Shape.parse("36x36"), 0.54, 3)
    impossible = (*large.givens[:1267], 1, *large.givens[1268:])
    for puzzle, number in (
        (Puzzle(none.shape, givens), 0),
        (jigsaw, 1),
        (Puzzle(large.shape, impossible), 0),
        (with_one_solution(large), 1),
    ):
        proof = learning(puzzle.shape).prove(puzzle, 2)
        assert (len(proof.solutions), proof.steps.count("\n") > 100) == (number, True)
        verdict = verdict_on(puzzle, proof)
        assert verdict.proven, verdict.reason


def test_the_learning_search_alone_takes_no_constraints_and_no_node_limit() -> None:
    with pytest.raises(Unsupported, match="constraints"):
        learning(Shape.parse("4x4; killer 5: R1C1 R1C2"))
    with pytest.raises(Unsupported, match="nodes"):
        jit(Shape.parse("4x4"), "native-jit[kernel=learning,nodes=5]")
