"""Simulated annealing after Lewis: finds solutions, proves nothing.

    square     a house of a partition of the grid: boxes, or rows in shapes without boxes
    cost       the number of missing values, summed over all other houses, and the number
               of pairs of cells that have to differ and do not

The start fills every square with its missing values. A move swaps two blank cells of a
square. A move that does not raise the cost is accepted; any other is accepted with a
probability that falls with the rise and with the temperature (Lewis, "Metaheuristics
can solve sudoku puzzles", Journal of Heuristics 13, 2007).

The initial temperature is the standard deviation of the cost over 100 moves. It falls after
each chain of moves; the length of a chain is a third of the squared number of blanks. After
60 chains without a new best cost the search reheats. Chains are shorter and patience is
longer than Lewis's: these values solved more of the puzzles tried. The moves depend only on
the seed.
"""

from dataclasses import dataclass
from math import exp, inf
from random import Random
from statistics import pstdev
from time import perf_counter
from typing import Final

from harness.contract import Answer, Backend, Options, PhaseTimer, Restriction, Unsupported, option
from harness.puzzles import Puzzle, Shape

PATIENCE: Final = 60
"""Chains without a new best cost before reheating."""


@dataclass(frozen=True)
class AnnealingOptions(Options):
    """The random seed and the limits of the search."""

    seed: int = option(1, help="random seed for all moves", minimum=0)
    steps: int = option(3_000_000, help="number of moves before giving up", minimum=1)
    cooling: float = option(0.97, help="factor of the temperature after each chain", minimum=0)


class Annealing(Backend[AnnealingOptions]):
    """Simulated annealing on grids with complete boxes."""

    name = "annealing"
    paradigm = "local search"
    complete = False
    takes = frozenset({Restriction.PAIRS})

    def __init__(self, shape: Shape, options: AnnealingOptions) -> None:
        self.options = options
        squares = set(partition_of(shape))
        self.squares = [shape.houses[house].cells for house in sorted(squares)]
        self.others = [[h for h in houses if h not in squares] for houses in shape.houses_of]

    def solve(self, puzzle: Puzzle) -> Answer:
        """A solution, or unknown; annealing proves nothing."""
        timer = PhaseTimer()
        random = Random(self.options.seed)  # noqa: S311  not for secrets
        walk = Walk(puzzle, self.squares, self.others, random)
        timer.search()
        until = inf if self.time_limit is None else perf_counter() + self.time_limit
        steps = walk.cool_down(self.options.steps, self.options.cooling, until)
        timer.decode()
        stats = {"moves": steps, "reheats": walk.reheats, "cost": walk.cost}
        if walk.possible and walk.cost == 0:
            return Answer.solved(tuple(walk.grid), stats, timer.stop())
        return Answer.unknown(stats, timer.stop())


def partition_of(shape: Shape) -> list[int]:
    """The houses of a partition of the grid: boxes, regions, rows, or others that fit.

    Raises:
        Unsupported: no houses hold each cell once.
    """
    kinds = dict.fromkeys(("box", "region", "row", *(house.kind for house in shape.houses)))
    for kind in kinds:
        houses = [number for number, house in enumerate(shape.houses) if house.kind == kind]
        cells = [cell for number in houses for cell in shape.houses[number].cells]
        if len(cells) == len(set(cells)) == shape.size**2:
            return houses
    sets = [frozenset(house.cells) for house in shape.houses]
    houses_so_far: list[int] = []

    def covers(open_cells: frozenset[int]) -> bool:
        if not open_cells:
            return True
        first = min(open_cells)
        for number, cells in enumerate(sets):
            if first in cells and cells <= open_cells:
                houses_so_far.append(number)
                if covers(open_cells - cells):
                    return True
                houses_so_far.pop()
        return False

    if covers(frozenset(range(shape.size**2))):
        return houses_so_far
    raise Unsupported(f"no houses of {shape} hold each cell once")


class Walk:
    """A filled grid, its cost, and the moves from it."""

    def __init__(
        self,
        puzzle: Puzzle,
        squares: list[tuple[int, ...]],
        others: list[list[int]],
        random: Random,
    ) -> None:
        size = puzzle.shape.size
        self.random, self.others, self.reheats = random, others, 0
        self.partners = puzzle.shape.partners_of
        self.grid = list(puzzle.givens)
        self.possible = not any(
            clue and puzzle.givens[peer] == clue
            for cell, clue in enumerate(puzzle.givens)
            for peer in puzzle.shape.peers[cell]
        )
        """Whether the givens are free of duplicates."""
        self.pairs: list[tuple[int, int]] = []
        """The moves: pairs of blank cells of a square."""
        for cells in squares:
            blanks = [cell for cell in cells if not puzzle.givens[cell]]
            values = list(set(range(1, size + 1)).difference(puzzle.givens[c] for c in cells))
            random.shuffle(values)
            for cell, value in zip(blanks, values, strict=False):
                self.grid[cell] = value
            self.pairs += [(a, b) for i, a in enumerate(blanks) for b in blanks[:i]]
        self.chain = sum(1 for clue in puzzle.givens if not clue) ** 2 // 3 + 1
        self.times = [[0] * (size + 1) for _ in puzzle.shape.houses]
        """How often each value occurs in each house that is not a square."""
        for cell, value in enumerate(self.grid):
            for house in others[cell]:
                self.times[house][value] += 1
        counted_houses = {house for houses in others for house in houses}
        self.cost = sum(self.times[house][1:].count(0) for house in counted_houses)
        self.cost += sum(self.grid[a] == self.grid[b] for a, b in puzzle.shape.pairs)

    def exchange(self, a: int, b: int) -> int:
        """Swap the values of two cells and return the change in the cost."""
        grid, rise = self.grid, 0
        for cell, old, new in ((a, grid[a], grid[b]), (b, grid[b], grid[a])):
            for partner in self.partners[cell]:
                if partner not in (a, b):  # a swap does not change whether these two differ
                    other_value = grid[partner]
                    rise += (other_value == new) - (other_value == old)
            for house in self.others[cell]:
                times = self.times[house]
                times[old] -= 1
                rise += not times[old]
                rise -= not times[new]
                times[new] += 1
        grid[a], grid[b] = grid[b], grid[a]
        self.cost += rise
        return rise

    def cool_down(self, steps: int, cooling: float, until: float) -> int:
        """Make moves until the cost is 0, after `steps` moves, or at the time `until`.

        Returns:
            The number of moves made.
        """
        if not (self.possible and self.pairs):
            return 0
        random, pairs = self.random, self.pairs
        rises = [self.exchange(*random.choice(pairs)) for _ in range(100)]
        start = temperature = max(pstdev(rises), 0.1)
        best, idle, step = self.cost, 0, 0
        while self.cost and step < steps and perf_counter() < until:
            lowest = self.cost
            for _ in range(min(self.chain, steps - step)):
                step += 1
                a, b = pairs[int(random.random() * len(pairs))]
                rise = self.exchange(a, b)
                if rise > 0 and random.random() >= exp(-rise / temperature):
                    self.exchange(a, b)
                elif self.cost < lowest:
                    lowest = self.cost
                    if not lowest:
                        return step
            idle = 0 if lowest < best else idle + 1
            best = min(best, lowest)
            temperature *= cooling
            if idle == PATIENCE:
                temperature, best, idle = start, self.cost, 0
                self.reheats += 1
        return step
