"""Puzzles by number of clues: dug from a grid, reduced by swaps, with symmetry.

A step takes one or two clues away and enumerates the solutions. A value that only one of the
solutions has, as a new clue, makes another puzzle with one solution: {-1+1} walks among puzzles
with the same number of clues, {-2+1} saves a clue. With these operations, collectors searched for
puzzles with 17 clues; see McGuire, Tugemann and Civario, "There is no 16-clue Sudoku"
(Experimental Mathematics 23, 2014). Groups of symmetric clues are swapped as a whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from harness.base.errors import PuzzleError
from harness.extensions.generate.grids import random_grid
from harness.extensions.generate.options import StopRule
from harness.puzzles import LARGEST, Grid, Puzzle, Shape, Symmetry, orbits
from harness.puzzles.datasets import is_minimal
from harness.puzzles.search import Prng, solver_of


def clues_of(givens: Sequence[int]) -> int:
    """The number of givens."""
    return sum(1 for value in givens if value)


# Digging: clues are removed from a grid as long as the puzzle has few enough solutions.


NODES: Final = 20_000
"""Node limit of the search for each clue; a clue stays if its search does not decide."""


class Digger:
    """Removes clues from grids of a shape."""

    def __init__(self, shape: Shape, solutions: int = 1, nodes: int = NODES) -> None:
        """Dig in grids of `shape`, up to this number of `solutions`, with a node limit."""
        self._solver = solver_of(shape)
        self._solutions = solutions
        self._nodes = nodes
        self.undecided = False
        """Whether a search of the last call of `dig` reached its node limit."""

    def dig(
        self,
        givens: Sequence[int],
        orbits: Sequence[Sequence[int]],
        fewest: int = 0,
        stop: StopRule | None = None,
    ) -> Grid:
        """What remains of `givens`: a puzzle with at most the allowed number of solutions.

        Args:
            givens: the puzzle, or a complete grid.
            orbits: groups of cells whose clues are removed at once, in this order.
            fewest: the fewest clues that stay.
            stop: ends the digging; checked after each removal.
        """
        solver = self._solver
        remaining = list(givens)
        clues = clues_of(remaining)
        start = solver.start_of(remaining)
        self.undecided = False
        for orbit in orbits:
            cells = [cell for cell in orbit if remaining[cell]]
            if not cells or clues - len(cells) < fewest:
                continue
            for cell in cells:
                start[cell] = solver.every
            if self._is_enough(start, cells, remaining):
                for cell in cells:
                    remaining[cell] = 0
                clues -= len(cells)
                if stop is not None and stop.holds(tuple(remaining)):
                    break
            else:
                for cell in cells:
                    start[cell] = 1 << remaining[cell] - 1
        return tuple(remaining)

    def count(self, givens: Sequence[int], limit: int) -> int | None:
        """The number of solutions of `givens` up to `limit`; None at the node limit."""
        solver = self._solver
        start = solver.start_of(givens)
        return solver.count(start, limit, self._nodes * max(1, limit))

    def _is_enough(self, start: list[int], cells: list[int], remaining: list[int]) -> bool:
        """Whether a search shows that the puzzle without these cells has few enough solutions."""
        solver, most = self._solver, self._solutions
        if most <= 1 and len(cells) == 1:
            # So far all solutions have this value: there are more only if one has another.
            value = 1 << remaining[cells[0]] - 1
            start[cells[0]] ^= value
            number = solver.count(start, 1, self._nodes)
            start[cells[0]] ^= value
            self.undecided = self.undecided or number is None
            return number == 0
        number = solver.count(start, most + 1, self._nodes * max(1, most))
        self.undecided = self.undecided or number is None
        return number is not None and number <= most


# Puzzles with few clues: clues are swapped for others until the puzzle has fewer.


_SOLUTIONS: Final = 500
"""Maximum number of solutions that a step enumerates; among more, few values occur in only one."""


def with_fewer_clues(
    shape: Shape,
    givens: Grid,
    groups: Sequence[Sequence[int]],
    fewest: int,
    most: int,
    steps: int,
    random: Prng,
) -> Grid:
    """A puzzle with one solution and no more clues; with fewer, if the search finds one.

    Args:
        shape: the shape.
        givens: a puzzle with one solution.
        groups: groups of cells whose clues come and go at once; each cell is in one group.
        fewest: the fewest clues.
        most: the search ends with the first puzzle that has at most this number of clues.
        steps: the number of swaps to try.
        random: the source of random integers.
    """
    solver, digger = solver_of(shape), Digger(shape)
    order = [list(group) for group in groups]
    pairs = [(group[0], group[-1]) for group in order]
    clues = clues_of(givens)
    for _ in range(steps):
        if clues <= most:
            break
        groups_of_clues = [number for number, group in enumerate(order) if givens[group[0]]]
        removals = [random.choice(groups_of_clues) for _ in range(1 + (random.below(3) > 0))]
        remaining = list(givens)
        for number in removals:
            for cell in order[number]:
                remaining[cell] = 0
        start = solver.start_of(remaining)
        unique = solver.in_one_solution(start, pairs, _SOLUTIONS, NODES)
        new = [
            values
            for values in unique or ()
            if values[0] not in removals and not remaining[pairs[values[0]][0]]
        ]
        if not new:
            continue
        number, first, second = random.choice(new)
        start[pairs[number][0]], start[pairs[number][1]] = 1 << first - 1, 1 << second - 1
        grid = solver.search(start, 1).solution
        assert grid is not None, "the solution that was counted"
        for cell in order[number]:
            remaining[cell] = grid[cell]
        other_order = list(order)
        random.shuffle(other_order)
        other = digger.dig(remaining, other_order, fewest)
        if clues_of(other) <= clues:
            givens = other
            clues = clues_of(givens)
    return givens


# Puzzles by number of clues, symmetry and number of solutions.


_ATTEMPTS: Final = 300
"""Maximum number of grids to try for a puzzle."""
_ATTEMPTS_FOR_CLUES: Final = 30
"""Maximum number of grids to try for a puzzle with bounds on its clues; each takes many steps."""
_STEPS: Final = 2000
"""Maximum number of steps towards the number of clues, for each grid."""
_ATTEMPTS_TO_SWAP: Final = 5
_MOST_ATTEMPTS_TO_SWAP: Final = 15
_SWAPS: Final = 4000
"""Grids to try for a puzzle with fewer clues than digging leaves; grids to try if one comes within
one clue; and swaps for each grid."""
_ATTEMPTS_TO_APPROACH: Final = 5
_NEAR: Final = 4
"""Grids to try, and how near to the bounds on clues one of their puzzles must come by then."""
_MOST_ADDED: Final = 6
"""Maximum number of groups of clues that a step adds before it digs again."""


@dataclass(frozen=True, slots=True)
class PuzzleProperties:
    """Properties of a puzzle with at least one solution."""

    shape: Shape
    fewest: int = 0
    most: int = LARGEST**2
    """Bounds on the number of clues."""
    minimal: bool = False
    solutions: int = 1
    symmetry: Symmetry | None = None
    stop: StopRule | None = None
    """A rule that holds for the puzzle, and ends the removal of clues."""

    @property
    def is_bounded(self) -> bool:
        """Whether there are bounds on the number of clues."""
        return self.fewest > 0 or self.most < self.shape.size**2


def puzzle_of(demand: PuzzleProperties, random: Prng) -> Puzzle:
    """A random puzzle with these properties.

    Without bounds on the clues and a stop rule, no group of symmetric clues can be removed,
    unless a search reached its node limit. In a minimal puzzle, no single clue can be.

    Raises:
        PuzzleError: no such puzzle is found in a number of attempts.
    """
    shape = demand.shape
    digger = Digger(shape, demand.solutions)
    groups = orbits(shape.size, demand.symmetry)
    attempts = _ATTEMPTS_FOR_CLUES if demand.is_bounded else _ATTEMPTS
    tries: list[int] = []
    numbers: list[int] = []
    for _ in range(attempts):
        grid = random_grid(shape, random)
        goal = 0
        if demand.is_bounded and not demand.minimal:
            goal = demand.fewest + random.below(min(demand.most, shape.size**2) - demand.fewest + 1)
        random.shuffle(groups)
        givens = digger.dig(grid, groups, goal, demand.stop)
        if demand.solutions == 1 and clues_of(givens) > demand.most:
            bounds = (demand.fewest, demand.most)
            givens = with_fewer_clues(shape, givens, groups, *bounds, _SWAPS, random)
            tries.append(clues_of(givens))
        elif demand.is_bounded:
            givens = _approach(demand, digger, givens, grid, groups, goal, random)
            numbers.append(clues_of(givens))
        if _is_right(demand, digger, givens):
            return Puzzle(shape, givens)
        if len(numbers) == _ATTEMPTS_TO_APPROACH:
            _require_near(demand, numbers)
        if tries and _has_swapped_enough(tries, demand.most):
            raise PuzzleError(
                f"no such puzzle of {shape} with {demand.most} clues in {len(tries)} "
                f"searches of {_SWAPS:,} swaps of clues",
                expected=f"{min(tries)} clues, the fewest that they found, or another --seed",
            )
    if demand.stop is not None:
        problem = (
            f"no such puzzle of {shape} among {attempts} minimal ones; {demand.stop.otherwise}"
        )
        raise PuzzleError(problem, expected="weaker conditions, or a larger shape")
    problem = f"no such puzzle of {shape} in {attempts} attempts"
    raise PuzzleError(problem, expected="weaker conditions, for example another number of clues")


def _require_near(demand: PuzzleProperties, numbers: list[int]) -> None:
    """Check that some number of clues is near the bounds, so that more attempts may reach them.

    Raises:
        PuzzleError: no number is near.
    """
    nearest = min(numbers, key=lambda clues: _distance(demand, clues))
    if _distance(demand, nearest) > _NEAR:
        limit = demand.fewest if nearest < demand.fewest else demand.most
        raise PuzzleError(
            f"no such puzzle of {demand.shape} with {limit} clues among {len(numbers)} searches",
            expected=f"{nearest} clues, the nearest that they found, or weaker conditions",
        )


def _has_swapped_enough(tries: Sequence[int], most: int) -> bool:
    """Whether these numbers of clues show that further searches will not reach `most`."""
    fewest = min(tries)
    limit = _MOST_ATTEMPTS_TO_SWAP if fewest == most + 1 else _ATTEMPTS_TO_SWAP
    return fewest > most and len(tries) >= limit


def _distance(demand: PuzzleProperties, clues: int) -> int:
    """How far a number of clues is from the bounds."""
    return max(demand.fewest - clues, clues - demand.most, 0)


def _approach(
    demand: PuzzleProperties,
    digger: Digger,
    givens: Grid,
    grid: Grid,
    groups: list[list[int]],
    goal: int,
    random: Prng,
) -> Grid:
    """A puzzle with its number of clues nearer to the bounds, by adding clues and digging again."""
    best = _distance(demand, clues_of(givens))
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
        if (far := _distance(demand, clues_of(other))) <= best:
            givens, best = other, far
    return givens


def _is_right(demand: PuzzleProperties, digger: Digger, givens: Grid) -> bool:
    if not demand.fewest <= clues_of(givens) <= demand.most:
        return False
    if demand.solutions > 1 and digger.count(givens, demand.solutions + 1) != demand.solutions:
        return False
    if demand.stop is not None and not demand.stop.holds(givens):
        return False
    if not demand.minimal:
        return True
    if demand.symmetry is None and not digger.undecided and demand.solutions == 1:
        return True  # digging has tried every clue
    puzzle = Puzzle(demand.shape, givens)
    return is_minimal(puzzle, 10 * demand.shape.size**4) is True
