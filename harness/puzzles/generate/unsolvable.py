"""Puzzles without a solution that naked and hidden singles do not refute.

A puzzle with one solution gets a wrong value in a blank cell. If the rules find no
contradiction, only search refutes the puzzle; the removal of clues keeps that.
"""

from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.generate.clues import clues_of
from harness.puzzles.generate.dig import Digger
from harness.puzzles.generate.grids import random_grid
from harness.puzzles.identity.minimal import is_minimal
from harness.puzzles.identity.symmetry import orbits
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.search.prng import Prng
from harness.puzzles.search.solver import solver_of
from harness.puzzles.shape import Shape

_ATTEMPTS: Final = 300


def unsolvable_puzzle(shape: Shape, fewest: int, most: int, minimal: bool, random: Prng) -> Puzzle:
    """A random puzzle without a solution that the rules alone do not refute.

    Args:
        shape: the shape.
        fewest: clues at least.
        most: clues at most.
        minimal: whether the removal of any clue makes a solution.
        random: the source of random integers.

    Raises:
        PuzzleError: none is found in a number of attempts.
    """
    every = orbits(shape.size, None)
    unique, unsolvable = Digger(shape, 1), Digger(shape, 0)
    for _ in range(_ATTEMPTS):
        grid = random_grid(shape, random)
        random.shuffle(every)
        givens = _with_wrong_value(shape, unique.dig(grid, every), grid, random)
        if givens is None:
            continue
        random.shuffle(every)
        if minimal or clues_of(givens) > most:
            goal = 0 if minimal else fewest + random.below(most - fewest + 1)
            givens = unsolvable.dig(givens, every, goal)
        givens = _with_more_clues(shape, givens, grid, 0 if minimal else fewest, random)
        if not fewest <= clues_of(givens) <= most:
            continue
        puzzle = Puzzle(shape, givens)
        if not minimal or is_minimal(puzzle, 10 * shape.size**4) is True:
            return puzzle
    raise PuzzleError(
        f"no puzzle of {shape} without a solution among {_ATTEMPTS} attempts",
        expected="another number of clues, or a larger shape",
    )


def _with_wrong_value(shape: Shape, givens: Grid, grid: Grid, random: Prng) -> Grid | None:
    """The givens with a wrong value that only search refutes; None if there is none."""
    solver = solver_of(shape)
    blanks = [cell for cell, value in enumerate(givens) if not value]
    random.shuffle(blanks)
    for cell in blanks:
        taken = {givens[peer] for peer in shape.peers[cell]} | {grid[cell]}
        values = [value for value in range(1, shape.size + 1) if value not in taken]
        random.shuffle(values)
        for value in values:
            other = (*givens[:cell], value, *givens[cell + 1 :])
            found = solver.of(Puzzle(shape, other), 1, 100_000)
            if found.exact and not found.number and not found.by_rules:
                return other
    return None


def _with_more_clues(shape: Shape, givens: Grid, grid: Grid, fewest: int, random: Prng) -> Grid:
    """The givens with more values of the grid, as long as the rules do not refute them."""
    solver = solver_of(shape)
    clues = clues_of(givens)
    for cell in random.order(shape.size**2):
        if clues >= fewest:
            break
        if givens[cell]:
            continue
        more = (*givens[:cell], grid[cell], *givens[cell + 1 :])
        if not solver.of(Puzzle(shape, more), 1, 100_000).by_rules:
            givens = more
            clues += 1
    return givens
