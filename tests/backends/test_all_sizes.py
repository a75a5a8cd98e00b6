"""Counts of 2,000 puzzles of 4x4 to 100x100 against a formula made here."""

import random

import pytest
from pysat.solvers import Cadical195

from harness.puzzles import Puzzle, Shape
from tests.backends.oracle import backend_of, is_solution
from tests.backends.test_native_jit_learning import holes, with_one_solution

LIMIT = 3
SIZES = {
    # shape: puzzles, smallest and greatest share of clues
    "4x4": (150, 0.1, 0.5),
    "6x6": (150, 0.1, 0.5),
    "latin7": (100, 0.2, 0.5),
    "9x9": (250, 0.2, 0.45),
    "latin9": (100, 0.2, 0.5),
    "12x12": (200, 0.25, 0.5),
    "16x16": (200, 0.3, 0.55),
    "latin20": (150, 0.4, 0.6),
    "20x20": (150, 0.4, 0.6),
    "25x25": (150, 0.45, 0.65),
    "36x36": (120, 0.56, 0.7),
    "latin40": (80, 0.72, 0.85),
    "49x49": (80, 0.6, 0.8),
    "64x64": (60, 0.65, 0.85),
    "81x81": (30, 0.68, 0.85),
    "100x100": (30, 0.7, 0.9),
}
EVERYWHERE = ("native-jit", "native-jit[kernel=learning]", "cnf")


def expected(puzzle: Puzzle) -> int:
    """The number of solutions up to `LIMIT`, by a formula of the candidates that clues leave."""
    size, houses = puzzle.shape.size, [house.cells for house in puzzle.shape.houses]
    peer_values: list[set[int]] = [set() for _ in range(size**2)]
    for cells in houses:
        values = {puzzle.givens[cell] for cell in cells} - {0}
        for cell in cells:
            peer_values[cell] |= values
        if len(values) < sum(puzzle.givens[cell] > 0 for cell in cells):
            return 0
    number: dict[tuple[int, int], int] = {}
    for cell, clue in enumerate(puzzle.givens):
        for value in [clue] if clue else range(1, size + 1):
            if clue or value not in peer_values[cell]:
                number[cell, value] = len(number) + 1
    groups = [[(cell, value) for value in range(1, size + 1)] for cell in range(size**2)]
    groups += [
        [(cell, value) for cell in cells] for cells in houses for value in range(1, size + 1)
    ]
    with Cadical195() as solver:
        for group in groups:
            there = [number[candidate] for candidate in group if candidate in number]
            solver.add_clause(there)
            for at, literal in enumerate(there):
                for other in there[:at]:
                    solver.add_clause([-literal, -other])
        count = 0
        while count < LIMIT and solver.solve():
            count += 1
            model = solver.get_model() or []
            solver.add_clause([-literal for literal in model if literal > 0])
    return count


def puzzle_of(shape: Shape, least: float, most: float, seed: int) -> Puzzle:
    """A grid with holes.

    Every third puzzle has an arbitrary value in a blank, and every third one has clues added
    until one solution is left, and then loses up to two.
    """
    rng = random.Random(seed)
    puzzle = holes(shape, rng.uniform(least, most), seed)
    if seed % 3 == 1:
        puzzle = with_one_solution(puzzle)
    givens = list(puzzle.givens)
    if seed % 3 == 0:
        blanks = [cell for cell, value in enumerate(givens) if not value]
        givens[rng.choice(blanks)] = rng.randint(1, shape.size)
    if seed % 3 == 1:
        for cell in rng.sample(
            [cell for cell, value in enumerate(givens) if value], rng.randrange(3)
        ):
            givens[cell] = 0
    return Puzzle(shape, tuple(givens))


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", SIZES)
def test_counts_of_all_sizes(name: str) -> None:
    shape = Shape.parse(name)
    number, least, most = SIZES[name]
    backends = {spec: backend_of(spec, shape) for spec in EVERYWHERE}
    differences, counts = [], []
    for seed in range(number):
        puzzle = puzzle_of(shape, least, most, seed)
        counts.append(expected(puzzle))
        for spec, backend in backends.items():
            count = backend.count(puzzle, LIMIT)
            if (count.number, count.exact) != (counts[-1], counts[-1] < LIMIT) or (
                count.number and not is_solution(count.witness, puzzle)
            ):
                differences.append((spec, seed, count.number, count.exact, counts[-1]))
    assert not differences
    assert set(counts) >= {0, 1, LIMIT}
