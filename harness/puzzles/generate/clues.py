"""Puzzles by number of clues, symmetry and number of solutions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.generate.dig import Digger
from harness.puzzles.generate.grids import random_grid
from harness.puzzles.generate.options import StopRule
from harness.puzzles.generate.swap import with_fewer_clues
from harness.puzzles.identity.minimal import is_minimal
from harness.puzzles.identity.symmetry import Symmetry, orbits
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.search.prng import Prng
from harness.puzzles.shape import Shape

_ATTEMPTS: Final = 300
"""Grids tried for a puzzle."""
_ATTEMPTS_FOR_CLUES: Final = 30
"""Grids tried for a puzzle with a number of clues; each takes many steps."""
_STEPS: Final = 2000
"""Steps towards the number of clues, for each grid."""
_ATTEMPTS_TO_SWAP: Final = 5
_MOST_ATTEMPTS_TO_SWAP: Final = 15
_SWAPS: Final = 4000
"""Grids tried for a puzzle with fewer clues than digging leaves, the most of them if a puzzle
comes within one clue, and swaps for each."""
_ATTEMPTS_TO_APPROACH: Final = 5
_NEAR: Final = 4
"""Grids tried although no puzzle of them comes this near to the number of clues."""
_MOST_ADDED: Final = 6
"""Clues that a step adds before it digs again."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Properties of a puzzle with at least one solution."""

    shape: Shape
    fewest: int = 0
    most: int = 36**2
    """Bounds on the number of clues."""
    minimal: bool = False
    solutions: int = 1
    symmetry: Symmetry | None = None
    stop: StopRule | None = None
    """Holds for the puzzle, and ends the removal of clues."""

    @property
    def is_bounded(self) -> bool:
        """Whether the number of clues matters."""
        return self.fewest > 0 or self.most < self.shape.size**2


def puzzle_of(wanted: Wanted, random: Prng) -> Puzzle:
    """A random puzzle with these properties.

    Without bounds on the clues, and in a minimal puzzle, no clue can be removed, or no group
    of symmetric clues.

    Raises:
        PuzzleError: none is found in a number of attempts.
    """
    shape = wanted.shape
    digger = Digger(shape, wanted.solutions)
    groups = orbits(shape.size, wanted.symmetry)
    attempts = _ATTEMPTS_FOR_CLUES if wanted.is_bounded else _ATTEMPTS
    tries: list[int] = []
    reached: list[int] = []
    for _ in range(attempts):
        grid = random_grid(shape, random)
        goal = 0
        if wanted.is_bounded and not wanted.minimal:
            goal = wanted.fewest + random.below(min(wanted.most, shape.size**2) - wanted.fewest + 1)
        random.shuffle(groups)
        givens = digger.dig(grid, groups, goal, wanted.stop)
        if wanted.solutions == 1 and clues_of(givens) > wanted.most:
            bounds = (wanted.fewest, wanted.most)
            givens = with_fewer_clues(shape, givens, groups, *bounds, _SWAPS, random)
            tries.append(clues_of(givens))
        elif wanted.is_bounded:
            givens = _approach(wanted, digger, givens, grid, groups, goal, random)
            reached.append(clues_of(givens))
        if _is_right(wanted, digger, givens):
            return Puzzle(shape, givens)
        if len(reached) == _ATTEMPTS_TO_APPROACH:
            _require_near(wanted, reached)
        if tries and _has_swapped_enough(tries, wanted.most):
            raise PuzzleError(
                f"no such puzzle of {shape} with {wanted.most} clues in {len(tries)} "
                f"searches of {_SWAPS:,} swaps of clues",
                expected=f"{min(tries)} clues, the fewest that they found, or another --seed",
            )
    if wanted.stop is not None:
        raise PuzzleError(
            f"no such puzzle of {shape} among {attempts} minimal ones; {wanted.stop.otherwise}",
            expected="weaker conditions, or a larger shape",
        )
    raise PuzzleError(
        f"no such puzzle of {shape} among {attempts} attempts",
        expected="weaker conditions, for instance another number of clues",
    )


def _require_near(wanted: Wanted, reached: list[int]) -> None:
    """Check that some number of clues is near the bounds, so that more attempts may reach them.

    Raises:
        PuzzleError: none is.
    """
    nearest = min(reached, key=lambda clues: _distance(wanted, clues))
    if _distance(wanted, nearest) > _NEAR:
        bound = wanted.fewest if nearest < wanted.fewest else wanted.most
        raise PuzzleError(
            f"no such puzzle of {wanted.shape} with {bound} clues among {len(reached)} searches",
            expected=f"{nearest} clues, the nearest that they found, or weaker conditions",
        )


def _has_swapped_enough(tries: Sequence[int], most: int) -> bool:
    """Whether these numbers of clues show that further searches will not reach `most`."""
    fewest = min(tries)
    limit = _MOST_ATTEMPTS_TO_SWAP if fewest == most + 1 else _ATTEMPTS_TO_SWAP
    return fewest > most and len(tries) >= limit


def _distance(wanted: Wanted, clues: int) -> int:
    """How far a number of clues is from the bounds."""
    return max(wanted.fewest - clues, clues - wanted.most, 0)


def clues_of(givens: Grid) -> int:
    """The number of givens."""
    return sum(1 for value in givens if value)


def _approach(
    wanted: Wanted,
    digger: Digger,
    givens: Grid,
    grid: Grid,
    groups: list[list[int]],
    goal: int,
    random: Prng,
) -> Grid:
    """A puzzle with a number of clues closer to the bounds: adds some clues and digs again."""
    best = _distance(wanted, clues_of(givens))
    for _ in range(_STEPS):
        if not best:
            break
        blank = [orbit for orbit in groups if not givens[orbit[0]]]
        if not blank:
            break
        more = list(givens)
        for _ in range(1 + random.below(_MOST_ADDED)):
            for cell in random.choice(blank):
                more[cell] = grid[cell]
        order = list(groups)
        random.shuffle(order)
        other = digger.dig(more, order, goal)
        if (far := _distance(wanted, clues_of(other))) <= best:
            givens, best = other, far
    return givens


def _is_right(wanted: Wanted, digger: Digger, givens: Grid) -> bool:
    if not wanted.fewest <= clues_of(givens) <= wanted.most:
        return False
    if wanted.solutions > 1 and digger.count(givens, wanted.solutions + 1) != wanted.solutions:
        return False
    if wanted.stop is not None and not wanted.stop.holds(givens):
        return False
    if not wanted.minimal:
        return True
    if wanted.symmetry is None and not digger.undecided and wanted.solutions == 1:
        return True  # digging has tried every clue
    puzzle = Puzzle(wanted.shape, givens)
    return is_minimal(puzzle, 10 * wanted.shape.size**4) is True
