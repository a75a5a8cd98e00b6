"""Random puzzles of the literature on phase transitions, for any shape.

Model A, *holes*: random cells of a shuffled pattern grid are kept (Lewis,
"Metaheuristics can solve sudoku puzzles", Journal of Heuristics 13, 2007). Such a puzzle has
a solution. Shapes without a pattern grid start from a random grid.

Model B, *qcp*: random cells with random values that no peer has (as in quasigroup
completion: Gomes and Selman, "Problem structure in the presence of perturbations", AAAI
1997). Such a puzzle may have no solution.
"""

from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.generate.grids import random_grid
from harness.puzzles.generate.pattern import filled, pattern_grid
from harness.puzzles.identity.scramble import Scramble
from harness.puzzles.identity.symmetry import Symmetry, orbits
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.search.prng import Prng
from harness.puzzles.shape import Shape

_ATTEMPTS: Final = 100


def holes_puzzle(
    shape: Shape, clues: int, random: Prng, symmetry: Symmetry | None = None
) -> Puzzle:
    """A puzzle of model A with this number of clues.

    Args:
        shape: the shape.
        clues: the number of givens.
        random: the source of random integers.
        symmetry: the symmetry of the pattern of clues.

    Raises:
        PuzzleError: no pattern of clues with this symmetry has this number.
    """
    try:
        grid = Scramble.random(shape, random).grid(pattern_grid(shape))
    except PuzzleError:
        grid = random_grid(shape, random)
    for _ in range(_ATTEMPTS):
        groups = orbits(shape.size, symmetry)
        random.shuffle(groups)
        kept: set[int] = set()
        for group in groups:
            if len(kept) + len(group) <= clues:
                kept.update(group)
        if len(kept) == clues:
            return Puzzle(shape, tuple(v if c in kept else 0 for c, v in enumerate(grid)))
    raise PuzzleError(
        f"no pattern of {clues} clues with the symmetry {symmetry}", expected="an even number"
    )


def qcp_puzzle(shape: Shape, clues: int, random: Prng) -> Puzzle:
    """A puzzle of model B with this number of clues.

    Raises:
        PuzzleError: each attempt ends with fewer clues.
    """
    for _ in range(_ATTEMPTS):
        if puzzle := filled(shape, clues, random.order(shape.size**2), random.choice):
            return puzzle
    raise PuzzleError(
        f"no random values for {clues} clues of {shape} in {_ATTEMPTS} attempts",
        expected="fewer clues",
    )
