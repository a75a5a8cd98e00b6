"""A search for hard puzzles: change a puzzle, and keep what costs more guesses.

The cost is the number of guesses of a search that proves a single solution, with naked and
hidden singles, summed over several random orders, so that luck of one order counts little.
"""

from typing import Final

from harness.puzzles.generate.clues import Wanted, clues_of, puzzle_of
from harness.puzzles.generate.dig import Digger
from harness.puzzles.identity.minimal import is_minimal
from harness.puzzles.identity.symmetry import orbits
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.search.prng import Prng
from harness.puzzles.search.solver import solver_of
from harness.puzzles.shape import Shape

_ORDERS: Final = 8
_NODES: Final = 100_000
_MOST_CHANGED: Final = 3
"""Clues that a step takes away or adds."""


def hard_puzzle(wanted: Wanted, steps: int, random: Prng) -> Puzzle:
    """A puzzle with these properties that costs many guesses.

    Args:
        wanted: properties; one solution.
        steps: changes to try.
        random: the source of random integers.

    Raises:
        PuzzleError: no puzzle is found to begin with.
    """
    shape = wanted.shape
    digger = Digger(shape)
    groups = orbits(shape.size, wanted.symmetry)
    best = puzzle_of(wanted, random)
    cost = guesses_of(best)
    for _ in range(steps):
        givens = _changed(shape, digger, best.givens, groups, random)
        if givens is None or not wanted.fewest <= clues_of(givens) <= wanted.most:
            continue
        other = Puzzle(shape, givens)
        other_cost = guesses_of(other)
        if other_cost >= cost and (wanted.symmetry is None or _is_right(wanted, other)):
            best, cost = other, other_cost
    return best


def guesses_of(puzzle: Puzzle) -> int:
    """Guesses that prove how many solutions `puzzle` has, summed over eight random orders."""
    solver = solver_of(puzzle.shape)
    start = solver.start(puzzle.allowed)
    return sum(
        solver.search(start, 2, _NODES, Prng("order", order)).guesses for order in range(_ORDERS)
    )


def _is_right(wanted: Wanted, puzzle: Puzzle) -> bool:
    return not wanted.minimal or is_minimal(puzzle, _NODES) is True


def _changed(
    shape: Shape, digger: Digger, givens: Grid, groups: list[list[int]], random: Prng
) -> Grid | None:
    """A puzzle with other clues and one solution, perhaps another one than before."""
    solver = solver_of(shape)
    filled = [group for group in groups if givens[group[0]]]
    random.shuffle(filled)
    fewer = list(givens)
    for group in filled[: 1 + random.below(_MOST_CHANGED)]:
        for cell in group:
            fewer[cell] = 0
    start = solver.start([1 << v - 1 if v else solver.every for v in fewer])
    grid = solver.search(start, 50, _NODES, random).solution
    if grid is None:
        return None
    order = list(groups)
    random.shuffle(order)
    for group in order:  # clues of that solution that exclude others
        cell = group[0]
        if fewer[cell]:
            continue
        value = 1 << grid[cell] - 1
        start[cell] = solver.every ^ value
        number = solver.count(start, 1, _NODES)
        start[cell] = solver.every
        if number is None:
            return None
        if number:
            for cell in group:
                fewer[cell] = grid[cell]
                start[cell] = 1 << grid[cell] - 1
    random.shuffle(order)
    return digger.dig(fewer, order)
