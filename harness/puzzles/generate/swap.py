"""Puzzles of few clues: clues are swapped for others until the puzzle has fewer.

A step takes one or two clues away and enumerates the solutions. A value that only one of them
has makes another puzzle with one solution: {-1+1} walks on among puzzles of the same number of
clues, {-2+1} saves a clue. Both are the operations with which collectors searched for puzzles of
17 clues; see McGuire, Tugemann and Civario, "There is no 16-clue Sudoku" (Experimental
Mathematics 23, 2014). Groups of symmetric clues are swapped as a whole.
"""

from collections.abc import Sequence
from typing import Final

from harness.puzzles.generate.dig import NODES, Digger
from harness.puzzles.puzzle import Grid
from harness.puzzles.search.prng import Prng
from harness.puzzles.search.solver import solver_of
from harness.puzzles.shape import Shape

_SOLUTIONS: Final = 500
"""Solutions up to which a step enumerates; few of those with more have a value of only one."""


def with_fewer_clues(
    shape: Shape,
    givens: Grid,
    groups: Sequence[Sequence[int]],
    fewest: int,
    most: int,
    steps: int,
    random: Prng,
) -> Grid:
    """A puzzle with one solution that has fewer clues, if the search finds it.

    Args:
        shape: the shape.
        givens: a puzzle with one solution.
        groups: cells whose clues come and go at once, each cell in one group.
        fewest: clues at least.
        most: clues at most; the search ends with the first puzzle that has no more.
        steps: swaps to try.
        random: the source of random integers.
    """
    solver, digger = solver_of(shape), Digger(shape)
    order = [list(group) for group in groups]
    pairs = [(group[0], group[-1]) for group in order]
    clues = sum(1 for value in givens if value)
    for _ in range(steps):
        if clues <= most:
            break
        filled = [number for number, group in enumerate(order) if givens[group[0]]]
        removed = [random.choice(filled) for _ in range(1 + (random.below(3) > 0))]
        left = list(givens)
        for number in removed:
            for cell in order[number]:
                left[cell] = 0
        start = solver.start([1 << value - 1 if value else solver.every for value in left])
        found = solver.in_one_solution(start, pairs, _SOLUTIONS, NODES)
        new = [
            values
            for values in found or ()
            if values[0] not in removed and not left[pairs[values[0]][0]]
        ]
        if not new:
            continue
        number, one, other = random.choice(new)
        start[pairs[number][0]], start[pairs[number][1]] = 1 << one - 1, 1 << other - 1
        grid = solver.search(start, 1).solution
        assert grid is not None, "the solution that was counted"
        for cell in order[number]:
            left[cell] = grid[cell]
        shuffled = list(order)
        random.shuffle(shuffled)
        swapped = digger.dig(left, shuffled, fewest)
        if sum(1 for value in swapped if value) <= clues:
            givens = swapped
            clues = sum(1 for value in givens if value)
    return givens
