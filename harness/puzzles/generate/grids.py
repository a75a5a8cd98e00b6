"""Random complete grids.

A depth-first search with random branches fills the empty grid; such grids are biased,
since the search prefers some. Therefore steps of a Markov chain follow, which redraw a part
of the grid uniformly over all ways to complete the rest and so keep the uniform distribution
(heat bath): four boxes of a plain 9x9, otherwise all cells of some values or of some houses.
A grid of at most four values is drawn uniformly at once.
"""

from functools import lru_cache
from threading import get_ident
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.generate.nine import NineMixer
from harness.puzzles.generate.pattern import pattern_grid
from harness.puzzles.identity.scramble import Scramble
from harness.puzzles.puzzle import Grid
from harness.puzzles.search.prng import Prng
from harness.puzzles.search.solver import Solver, solver_of
from harness.puzzles.shape import Shape

_UNIFORM: Final = 4
"""Values up to which all grids are enumerated: 576 Latin squares of 4x4."""
_STEPS: Final = 24
_MOST_COMPLETIONS: Final = 400
"""Completions from which a step chooses, up to this number."""
_NODES_A_CELL: Final = 4
_STARTS: Final = 60
"""Random starts of the search before the pattern grid is used."""


def random_grid(shape: Shape, random: Prng) -> Grid:
    """A random complete grid.

    Raises:
        PuzzleError: the search finds no grid, as for a shape that has none.
    """
    solver = solver_of(shape)
    if shape.size <= _UNIFORM:
        found = solver.search(_blank(solver), 1000, random=random).solution
        if found is None:
            raise PuzzleError(f"{shape} has no complete grid", expected="another shape")
        return found
    grid = _filled(solver, random)
    if shape == Shape.parse("9x9"):
        return _nine_mixer(get_ident()).mixed(grid, random)
    return _mixed(solver, grid, random)


def _blank(solver: Solver) -> list[int]:
    return solver.start([solver.every] * solver.cells)  # type: ignore[no-any-return]


@lru_cache(maxsize=4)
def _nine_mixer(_: int) -> NineMixer:
    """The mixer of the thread of this number; its memory is its own."""
    return NineMixer()


def _filled(solver: Solver, random: Prng) -> Grid:
    """A complete grid by search with restarts, or the pattern grid in random order."""
    shape = solver.shape
    nodes = _NODES_A_CELL * solver.cells
    for _ in range(_STARTS if shape.size < 20 else 2):
        found = solver.search(_blank(solver), 1, nodes, random)
        if found.solution is not None:
            return found.solution
        if found.exact:
            raise PuzzleError(f"{shape} has no complete grid", expected="another shape")
        nodes += nodes // 8
    try:
        grid = pattern_grid(shape)
    except PuzzleError:
        raise PuzzleError(
            f"no complete grid of {shape} in {_STARTS} searches", expected="a smaller shape"
        ) from None
    return Scramble.random(shape, random).grid(grid)


def _mixed(solver: Solver, grid: Grid, random: Prng) -> Grid:
    """A random grid, after steps of the Markov chain from `grid`."""
    shape = solver.shape
    values_redrawn = 3 if shape.size <= 12 else 2
    steps = _STEPS if shape.size <= 12 else shape.size * 2
    for step in range(steps):
        if step % 3 == 2:
            houses = random.sample(min(3, len(shape.houses)), len(shape.houses))
            cells = {cell for house in houses for cell in shape.houses[house].cells}
            start = [solver.every if c in cells else 1 << v - 1 for c, v in enumerate(grid)]
        else:
            values = {value + 1 for value in random.sample(values_redrawn, shape.size)}
            start = [solver.every if v in values else 1 << v - 1 for v in grid]
        found = solver.search(solver.start(start), _MOST_COMPLETIONS, random=random)
        grid = found.solution or grid
    return grid
