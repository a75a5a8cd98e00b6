"""Puzzles by number of clues: dug from a grid, reduced by swaps, with symmetry.

A step takes one or two clues away and enumerates the solutions. A value that only one of the
solutions has, as a new clue, makes another puzzle with one solution: {-1+1} walks among puzzles
with the same number of clues; {-2+1} saves a clue. With these operations, collectors searched for
puzzles with 17 clues; see McGuire, Tugemann and Civario, "There is no 16-clue Sudoku"
(Experimental Mathematics 23, 2014). Groups of symmetric clues are swapped as a whole.
"""

from collections.abc import Sequence
from typing import Final

from harness.base.errors import PuzzleError
from harness.extensions.generate.grids import random_grid
from harness.extensions.generate.options import GenerationRequest, StopRule
from harness.puzzles import Grid, Puzzle, Shape, Symmetry, image
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
            # All solutions so far have this value: others exist only if one has another value here.
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


_SWAPS: Final = 4000
"""Swaps for each grid, for a puzzle with fewer clues than digging leaves."""


def with_fewer_clues(
    request: GenerationRequest, givens: Grid, groups: Sequence[Sequence[int]], random: Prng
) -> Grid:
    """A puzzle with one solution and no more clues; with fewer, if the search finds one.

    Args:
        request: the shape, and bounds on the clues: the search ends with the first puzzle that has
            at most their largest number.
        givens: a puzzle with one solution.
        groups: groups of cells whose clues come and go at once; each cell is in one group.
        random: the source of random integers.
    """
    bounds, solver, digger = request.bounds, solver_of(request.shape), Digger(request.shape)
    order = [list(group) for group in groups]
    pairs = [(group[0], group[-1]) for group in order]
    clues = clues_of(givens)
    for _ in range(_SWAPS):
        if clues <= bounds.most:
            break
        groups_of_clues = [number for number, group in enumerate(order) if givens[group[0]]]
        removals = [random.choice(groups_of_clues) for _ in range(1 + (random.below(3) > 0))]
        remaining = list(givens)
        for number in removals:
            for cell in order[number]:
                remaining[cell] = 0
        start = solver.start_of(remaining)
        # Among more than 500 solutions, few values occur in only one.
        unique = solver.in_one_solution(start, pairs, 500, NODES)
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
        other = digger.dig(remaining, other_order, bounds.fewest)
        if clues_of(other) <= clues:
            givens = other
            clues = clues_of(givens)
    return givens


# Puzzles by number of clues, symmetry and number of solutions.


_STEPS: Final = 2000
"""Maximum number of steps towards the number of clues, for each grid."""


def orbits(size: int, symmetry: Symmetry | None) -> list[list[int]]:
    """The cells of a square of `size` rows, grouped: `symmetry` moves each within its group."""
    groups = []
    cells: set[int] = set()
    for first in range(size**2):
        orbit = []
        cell = first
        while cell not in cells:
            cells.add(cell)
            orbit.append(cell)
            cell = image(cell, size, symmetry) if symmetry else cell
        if orbit:
            groups.append(orbit)
    return groups


def puzzle_of(request: GenerationRequest, random: Prng) -> Puzzle:
    """A random puzzle with at least one solution, as requested.

    Without bounds on the clues and a stop rule, no group of symmetric clues can be removed,
    unless a search reached its node limit. In a minimal puzzle, no single clue can be.

    Raises:
        PuzzleError: no such puzzle is found in a number of attempts.
    """
    shape, bounds, stop = request.shape, request.bounds, request.stop
    digger = Digger(shape, request.solutions)
    groups = orbits(shape.size, request.symmetry)
    attempts = 30 if request.is_bounded else 300  # each with bounds takes many steps
    tries: list[int] = []
    numbers: list[int] = []
    for _ in range(attempts):
        grid = random_grid(shape, random)
        goal = request.goal(random)
        random.shuffle(groups)
        givens = digger.dig(grid, groups, goal, stop)
        if request.solutions == 1 and clues_of(givens) > bounds.most:
            givens = with_fewer_clues(request, givens, groups, random)
            tries.append(clues_of(givens))
        elif request.is_bounded:
            givens = _approach(request, digger, givens, grid, groups, goal, random)
            numbers.append(clues_of(givens))
        if _is_right(request, digger, givens):
            return Puzzle(shape, givens)
        if len(numbers) == 5:
            _require_near(request, numbers)
        fewest = min(tries, default=0)
        if fewest > bounds.most and len(tries) >= (15 if fewest == bounds.most + 1 else 5):
            raise PuzzleError(
                f"no such puzzle of {shape} with {bounds.most} clues in {len(tries)} "
                f"searches of {_SWAPS:,} swaps of clues",
                expected=f"{fewest} clues, the fewest that they found, or another --seed",
            )
    if stop is not None:
        problem = f"no such puzzle of {shape} among {attempts} minimal ones; {stop.otherwise}"
        raise PuzzleError(problem, expected="weaker conditions, or a larger shape")
    problem = f"no such puzzle of {shape} in {attempts} attempts"
    raise PuzzleError(problem, expected="weaker conditions, for example another number of clues")


def _require_near(request: GenerationRequest, numbers: list[int]) -> None:
    """Check that some number of clues is near the bounds, so that more attempts may reach them.

    Raises:
        PuzzleError: no number is near.
    """
    bounds = request.bounds
    nearest = min(numbers, key=bounds.distance)
    if bounds.distance(nearest) > 4:
        limit = bounds.fewest if nearest < bounds.fewest else bounds.most
        raise PuzzleError(
            f"no such puzzle of {request.shape} with {limit} clues among {len(numbers)} searches",
            expected=f"{nearest} clues, the nearest that they found, or weaker conditions",
        )


def _approach(
    request: GenerationRequest,
    digger: Digger,
    givens: Grid,
    grid: Grid,
    groups: list[list[int]],
    goal: int,
    random: Prng,
) -> Grid:
    """A puzzle with its number of clues nearer to the bounds, by adding clues and digging again."""
    bounds = request.bounds
    best = bounds.distance(clues_of(givens))
    for _ in range(_STEPS):
        if not best:
            break
        blank = [orbit for orbit in groups if not givens[orbit[0]]]
        if not blank:
            break
        more = list(givens)
        for _ in range(1 + random.below(6)):
            for cell in random.choice(blank):
                more[cell] = grid[cell]
        order = list(groups)
        random.shuffle(order)
        other = digger.dig(more, order, goal)
        if (far := bounds.distance(clues_of(other))) <= best:
            givens, best = other, far
    return givens


def _is_right(request: GenerationRequest, digger: Digger, givens: Grid) -> bool:
    number = request.solutions
    if request.bounds.distance(clues_of(givens)):
        return False
    if number > 1 and digger.count(givens, number + 1) != number:
        return False
    if request.stop is not None and not request.stop.holds(givens):
        return False
    if not request.minimal:
        return True
    if request.symmetry is None and not digger.undecided and number == 1:
        return True  # digging has tried every clue
    puzzle = Puzzle(request.shape, givens)
    return is_minimal(puzzle, 10 * request.shape.size**4) is True
