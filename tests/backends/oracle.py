"""Puzzles of any shape, and what a plain search says about the answers of a backend."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st

from backends.native_jit import NativeJit
from harness.contract import Backend, Status, Unavailable
from harness.contract.options import parse_specs
from harness.contract.registry import load_backend
from harness.puzzles import Grid, Puzzle, Shape, parse_puzzle
from tests.plain_search import solutions

NAMED = {
    # Peter Norvig, "Solving Every Sudoku Puzzle": no solution, but no given contradicts another.
    "impossible": (
        ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4........."
    ),
    # Wikipedia, "Sudoku": one solution.
    "wikipedia": (
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    ),
    # Arto Inkala, "AI Escargot", 2006: one solution, none by singles alone.
    "escargot": (
        "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3.."
    ),
    # "Golden Nugget", widely published: one solution, among the hardest for search.
    "nugget": (".......39.....1..5..3.5.8....8.9...6.7...2...1..4.......9.8..5..2....6..4..7....."),
    # The test puzzle of the Rust crate rustoku: six solutions.
    "six": "295743..14318659..8761925433874592166123874955492167387635.......................",
    # The article "你会玩数独么?": 38,122 solutions.
    "many": "...8......3..92..1.9.......7.....8....57..9..2..........352.1...5....4.2..6..4...",
}


def named_puzzle(name: str) -> Puzzle:
    """A 9x9 puzzle of `NAMED`."""
    return parse_puzzle(NAMED[name])


COUNTING = ("approxmc", "ganak")
OPTIONAL = ("clingo", "cryptominisat", "cvc5", "dlx", "exact", "exact-cover", "xcover", "z3")
SLOW = (
    *("choco", "cplex", "cpmpy", "gurobi", "highs", "kissat", "pumpkin", "python-constraint"),
    *("milp", "milp[solver=HiGHS]", "scip"),
)
"""Backends of optional libraries that count alone, are fast, or are slow."""
LIMIT = 12
"""The limit of counts."""
_GRIDS = 40
"""The number of complete grids from which the puzzles of a shape are made."""


def backend_of(text: str, shape: str | Shape = "9x9") -> Backend:
    """A backend from its spec; the test is skipped if its package is not installed."""
    (spec,) = parse_specs(text)
    try:
        kind, options = load_backend(spec.locator, spec.settings)
    except Unavailable as error:
        pytest.skip(str(error))
    return kind(Shape.parse(shape) if isinstance(shape, str) else shape, options)


def jit(shape: Shape, spec: str = "native-jit") -> NativeJit:
    """The compiled solver with these options."""
    backend = backend_of(spec, shape)
    assert isinstance(backend, NativeJit)
    return backend


def counted(backend: Backend[Any], puzzle: Puzzle, limit: int) -> tuple[int, bool]:
    """The number of solutions that a backend counts, and whether it is exact."""
    count = backend.count(puzzle, limit)
    return count.number, count.exact


def is_solution(grid: Grid | None, puzzle: Puzzle) -> bool:
    """Whether a grid keeps givens, pencilmarks, houses and pairs, by their definitions."""
    if grid is None:
        return False
    shape = puzzle.shape
    every = set(range(1, shape.size + 1))
    return (
        all({grid[cell] for cell in house.cells} == every for house in shape.houses)
        and all(grid[first] != grid[second] for first, second in shape.pairs)
        and all(clue in (0, value) for clue, value in zip(puzzle.givens, grid, strict=True))
        and all(marks >> value - 1 & 1 for marks, value in zip(puzzle.allowed, grid, strict=True))
    )


def any_puzzle(shapes: Sequence[str]) -> st.SearchStrategy[Puzzle]:
    """Puzzles of these shapes with givens or pencilmarks, and any number of solutions."""

    def puzzles(shape: str) -> st.SearchStrategy[Puzzle]:
        examples = (*with_givens(shape, 30), *with_pencilmarks(shape, 30))
        return st.sampled_from([puzzle for puzzle, _ in examples])

    return st.sampled_from(shapes).flatmap(puzzles)


def faults_of(backend: Backend, puzzle: Puzzle, number: int) -> list[str]:
    """What is wrong with the answers of `backend`, for a puzzle with this number of solutions.

    The number is up to `LIMIT`. A backend that may give up proves nothing.
    """
    faults = []
    if backend.solves:
        answer = backend.solve(puzzle)
        expected = Status.SOLVED if number else Status.UNSATISFIABLE
        gave_up = answer.status is Status.UNKNOWN and not backend.complete
        if answer.status is not expected and not gave_up:
            faults.append(f"{answer.status}, expected {expected}")
        if answer.grid is not None and not is_solution(answer.grid, puzzle):
            faults.append(f"{answer.grid} is not a solution")
    count = backend.count(puzzle, LIMIT)
    gave_up = not backend.complete and not count.exact and count.number <= number
    if (count.number, count.exact) != (number, number < LIMIT) and not gave_up:
        faults.append(f"counts {count.number}, exact={count.exact}, expected {number}")
    if count.witness is not None and not is_solution(count.witness, puzzle):
        faults.append(f"the witness {count.witness} is not a solution")
    return [f"{puzzle.shape.definition} {puzzle.line}: {fault}" for fault in faults]


@cache
def grids_of(spec: str) -> tuple[Grid, ...]:
    """Some complete grids of a shape; all of a shape with few."""
    shape = Shape.parse(spec)
    if shape.size > 6:  # too large for the plain search without givens
        return tuple(_relabel(shape, backend_of("native", shape)))
    return tuple(solutions(Puzzle(shape, (0,) * shape.size**2), _GRIDS))


def _relabel(shape: Shape, backend: Backend) -> Iterator[Grid]:
    random = Random(shape.spec)
    empty = Puzzle(shape, (0,) * shape.size**2)
    first = backend.solve(empty).grid
    for _ in range(_GRIDS if first else 0):
        values = [0, *random.sample(range(1, shape.size + 1), shape.size)]
        grid = tuple(values[value] for value in first or ())
        assert is_solution(grid, empty)
        yield grid


def _with_givens(shape: Shape, grid: Grid, random: Random) -> Puzzle:
    """Some cells of a grid, sometimes one of them wrong."""
    share = random.uniform(0.2, 0.8) if shape.size < 9 else random.uniform(0.35, 0.8)
    givens = [value if random.random() < share else 0 for value in grid]
    if random.random() < 0.3:
        givens[random.randrange(len(givens))] = random.randint(1, shape.size)
    return Puzzle(shape, tuple(givens))


def _with_marks(shape: Shape, grid: Grid, random: Random) -> Puzzle:
    """Marks around a grid, sometimes without some of its values; a few cells may have any."""
    share = random.uniform(0.1, 0.7) if shape.size < 9 else random.uniform(0.1, 0.3)
    probability = random.choice((1 - 1 / len(grid), 1.0))
    marks = []
    for value in grid:
        bits = sum(1 << other for other in range(shape.size) if random.random() < share)
        bits |= 1 << value - 1 if random.random() < probability else 0
        marks.append((1 << shape.size) - 1 if random.random() < 0.05 else bits)
    return Puzzle(shape, (0,) * len(grid), tuple(marks))


def _examples(
    spec: str, number: int, make: Callable[[Shape, Grid, Random], Puzzle]
) -> tuple[tuple[Puzzle, int], ...]:
    shape, random = Shape.parse(spec), Random(f"{spec} {number}")
    none = tuple(n % shape.size + 1 for n in range(shape.size**2))
    grids = grids_of(spec) or (none,)
    puzzles = (make(shape, random.choice(grids), random) for _ in range(number))
    return tuple((puzzle, len(solutions(puzzle, LIMIT))) for puzzle in puzzles)


@cache
def with_givens(spec: str, number: int) -> tuple[tuple[Puzzle, int], ...]:
    """Puzzles of a shape, always the same, each with its number of solutions up to `LIMIT`."""
    return _examples(spec, number, _with_givens)


@cache
def with_pencilmarks(spec: str, number: int) -> tuple[tuple[Puzzle, int], ...]:
    """Puzzles with pencilmarks, always the same, with numbers as in `with_givens`."""
    return _examples(spec, number, _with_marks)
