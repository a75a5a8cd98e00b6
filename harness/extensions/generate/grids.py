"""Random complete grids of any shape, by steps that keep the uniform distribution in 9x9.

A depth-first search with random branches fills the empty grid; such grids are biased, since the
search prefers some. Therefore steps of a Markov chain follow (heat bath), which redraw a part of
the grid at random among the ways to complete the rest: four boxes of a plain 9x9, otherwise all
cells of some values or of some houses. A choice among all ways keeps the uniform distribution;
outside of 9x9, a step may know only the first ways that a search finds. A grid of at most four
values is drawn uniformly from all grids.

In a 9x9, a step keeps a random band and a random stack, and redraws almost half of the grid. Four
boxes remain: A and D in opposite corners of a square, B beside A, and C below A. A and D decide B
and C, since a value of such a box lies in the only row and the only column that still lack it. So
the kernel lists all contents of A and of D, a few hundred each, and takes a random pair of those
that fit.
"""

from math import isqrt
from typing import Final

from harness.base.errors import PuzzleError
from harness.puzzles import Grid, Scramble, Shape, fills_houses, is_plain, new_values, pattern_grid
from harness.puzzles.search import (
    BITS,
    Integers,
    Prng,
    Solver,
    below,
    compiled,
    index_of,
    integers,
    plain,
    solver_of,
    zeros,
)

# Complete 9x9 grids: four boxes drawn again, uniformly over all ways to complete the rest.


_EVERY: Final = 0b111_111_111
_SETS: Final = 6
"""How many numbers a content has: the values of its three rows and three columns, as bits."""
_MOST: Final = 1275
"""Maximum number of contents of a box: each value has four cells left, and the permanent of such a
matrix is at most 24^(9/4) (Bregman, "Some properties of nonnegative matrices and their
permanents", Soviet Mathematics Doklady 14, 1973)."""
_AT_D: Final = _MOST * _SETS
"""Where `room` has the contents of D, after those of A."""
_AT_GROUPS: Final = 2 * _AT_D
"""Where `room` has the groups of contents of D."""
_AT_NEXT: Final = _AT_GROUPS + _MOST
"""Where `room` has the next content in the group of each."""
_ROOM: Final = _AT_NEXT + _MOST
_LEFT: Final = 12
"""Where `work` has the values to try in each cell of a box, after those of 12 lines."""
_PLACED: Final = _LEFT + 9
_WORK: Final = _PLACED + 9


@compiled
def _list_contents(work: Integers, rows: int, columns: int, room: Integers, at: int) -> int:
    """Write all contents of a box to `room`, starting at `at`, and return their number.

    `work` has the values of the rows of the box at `rows`, and those of its columns at `columns`.
    """
    number = 0
    values = 0
    cell = 0
    work[_LEFT] = work[rows] & work[columns]
    while cell >= 0:
        value = work[_LEFT + cell] & -work[_LEFT + cell]
        if not value:
            cell -= 1
            if cell >= 0:
                values ^= work[_PLACED + cell]
            continue
        work[_LEFT + cell] ^= value
        work[_PLACED + cell] = value
        if cell < 8:
            values |= value
            cell += 1
            work[_LEFT + cell] = work[rows + cell // 3] & work[columns + cell % 3] & ~values
            continue
        place = at + number * _SETS
        for line in range(3):
            across = _PLACED + 3 * line
            down = _PLACED + line
            room[place + line] = work[across] | work[across + 1] | work[across + 2]
            room[place + 3 + line] = work[down] | work[down + 3] | work[down + 6]
        number += 1
    return number


@compiled
def _group(work: Integers, room: Integers, contents: int) -> int:
    """Group the contents of D by what they leave to B; return the number of groups.

    Their sets become what they leave to C, by row, and to B, by column. `room` has the first
    content of each group, and for each content the next of its group, 0 for none.
    """
    groups = 0
    for content in range(contents):
        d = _AT_D + content * _SETS
        for line in range(3):
            room[d + line] ^= work[3 + line]
            room[d + 3 + line] ^= work[9 + line]
        group = _AT_GROUPS
        while group < _AT_GROUPS + groups:
            first = room[group]
            if (
                room[first + 3] == room[d + 3]
                and room[first + 4] == room[d + 4]
                and room[first + 5] == room[d + 5]
            ):
                break
            group += 1
        if group == _AT_GROUPS + groups:
            groups += 1
            room[_AT_NEXT + content] = 0
        else:
            room[_AT_NEXT + content] = room[group]
        room[group] = d
    return groups


@compiled
def _write_box(grid: Integers, corner: int, sets: Integers, rows: int, columns: int) -> None:
    """Write the values of a box: each goes to the only row and the only column that have it."""
    for row in range(3):
        for column in range(3):
            value = sets[rows + row] & sets[columns + column]
            grid[corner + 9 * row + column] = index_of(value) + 1


@compiled
def redraw(
    grid: Integers, band: int, stack: int, random: Integers, room: Integers, work: Integers
) -> int:
    """Redraw the boxes of `grid` outside `band` and `stack`; return the number of completions.

    Args:
        grid: the values of 81 cells; changed.
        band: the band that stays, from 0.
        stack: the stack that stays, from 0.
        random: the state of the source of random integers.
        room: room for `_ROOM` numbers.
        work: room for `_WORK` numbers.
    """
    upper = (band + 1) % 3
    lower = (band + 2) % 3
    left = (stack + 1) % 3
    right = (stack + 2) % 3
    # The values left in the rows of the upper and the lower band, then in the columns of the
    # left and the right stack.
    for line in range(3):
        for half in range(2):
            rows = _EVERY
            columns = _EVERY
            row = 3 * (lower if half else upper) + line
            column = 3 * (right if half else left) + line
            for place in range(3):
                rows &= ~(1 << (grid[9 * row + 3 * stack + place] - 1))
                columns &= ~(1 << (grid[9 * (3 * band + place) + column] - 1))
            work[3 * half + line] = rows
            work[6 + 3 * half + line] = columns
    contents_a = _list_contents(work, 0, 6, room, 0)
    contents_d = _list_contents(work, 3, 9, room, _AT_D)
    groups = _group(work, room, contents_d)
    number = 0
    best_a = 0
    best_d = 0
    for a in range(0, contents_a * _SETS, _SETS):
        # If each of two rows has one value in each column, the third does too.
        b_1, b_2 = room[a + 1] ^ work[1], room[a + 2] ^ work[2]
        c_1, c_2 = room[a + 4] ^ work[7], room[a + 5] ^ work[8]
        for group in range(_AT_GROUPS, _AT_GROUPS + groups):
            d = room[group]
            down = room[d + 3]
            if not (b_1 & down and b_2 & down):
                continue
            down = room[d + 4]
            if not (b_1 & down and b_2 & down):
                continue
            down = room[d + 5]
            if not (b_1 & down and b_2 & down):
                continue
            while d:
                first, second, third = room[d], room[d + 1], room[d + 2]
                if (
                    (c_1 & first and c_2 & first)
                    and (c_1 & second and c_2 & second)
                    and (c_1 & third and c_2 & third)
                ):
                    number += 1
                    if below(random, number) == 0:
                        best_a = a
                        best_d = d
                d = room[_AT_NEXT + (d - _AT_D) // _SETS]
    for line in range(3):
        # Now the rows of B and the columns of C.
        work[_LEFT + line] = room[best_a + line] ^ work[line]
        work[_LEFT + 3 + line] = room[best_a + 3 + line] ^ work[6 + line]
    _write_box(grid, 27 * upper + 3 * left, room, best_a, best_a + 3)
    for line in range(3):
        work[_PLACED + line] = room[best_d + 3 + line]
        work[_PLACED + 3 + line] = room[best_d + line]
    # B takes its rows from A and its columns from D; C does the reverse.
    _write_box(grid, 27 * upper + 3 * right, work, _LEFT, _PLACED)
    _write_box(grid, 27 * lower + 3 * left, work, _PLACED + 3, _LEFT + 3)
    for line in range(3):
        room[best_d + line] ^= work[3 + line]
        room[best_d + 3 + line] ^= work[9 + line]
    _write_box(grid, 27 * lower + 3 * right, room, best_d, best_d + 3)
    return number


def redrawn(grid: Grid, band: int, stack: int, random: Prng) -> tuple[Grid, int]:
    """A random grid with a band and a stack of a 9x9 grid, and the number of such grids.

    Args:
        grid: a complete grid; only the band and the stack matter.
        band: the band that stays, from 0.
        stack: the stack that stays, from 0.
        random: the source of random integers.
    """
    values = integers(grid)
    number = redraw(values, band, stack, random.state, zeros(_ROOM), zeros(_WORK))
    return tuple(plain(values)), int(number)


# Random complete grids.


_STARTS: Final = 60
"""Random starts of the search before the pattern grid is used."""


def random_grid(shape: Shape, random: Prng) -> Grid:
    """A random complete grid.

    Raises:
        PuzzleError: the search finds no grid, as for a shape that has none.
    """
    solver = solver_of(shape)
    if shape.size <= 4:  # all grids are enumerated, such as 576 Latin squares of 4x4
        solution = solver.search(_blank(solver), 1000, random=random).solution
        if solution is None:
            raise PuzzleError(f"{shape} has no complete grid", expected="another shape")
        return solution
    grid = _fill(solver, random)
    if shape == Shape.parse("9x9"):
        for _ in range(5):
            grid, _number = redrawn(grid, random.below(3), random.below(3), random)
        return grid
    return _mix(solver, grid, random)


def _blank(solver: Solver) -> list[int]:
    return solver.start([solver.every] * solver.cells)  # type: ignore[no-any-return]


def _fill(solver: Solver, random: Prng) -> Grid:
    """A complete grid by search with restarts, or the pattern grid.

    In a shape without variants, the pattern grid is put in random order. In other large shapes,
    finding the symmetries for this would take seconds.
    """
    shape, large = solver.shape, solver.shape.size >= 20
    nodes = 4 * solver.cells
    pattern = _pattern_of(shape)
    for _ in range(2 if large and pattern else _STARTS):
        result = solver.search(_blank(solver), 1, nodes, random)
        if result.solution is not None:
            return result.solution
        if result.exact:
            raise PuzzleError(f"{shape} has no complete grid", expected="another shape")
        nodes += 0 if large else nodes // 8
    if pattern is None:
        problem = f"no complete grid of {shape} in {_STARTS} searches"
        raise PuzzleError(problem, expected="a smaller shape")
    return Scramble.random(shape, random).grid(pattern) if is_plain(shape) else pattern


def _pattern_of(shape: Shape) -> Grid | None:
    try:
        grid = pattern_grid(shape)
    except PuzzleError:
        return None
    return grid if _is_right(shape, grid) else None


def _is_right(shape: Shape, grid: Grid) -> bool:
    if shape.constraints or any(grid[first] == grid[second] for first, second in shape.pairs):
        return False
    return fills_houses(shape, grid)


def scrambled_grid(shape: Shape, random: Prng) -> Grid:
    """The pattern grid in random order; for a variant or a jigsaw, a random grid.

    Raises:
        PuzzleError: as `random_grid`; or the shape is too large for the search, and no linear
            grid is found.
    """
    if is_plain(shape):
        return Scramble.random(shape, random).grid(pattern_grid(shape))
    return random_grid(shape, random) if shape.size <= BITS else _linear_grid(shape, random)


def _linear_grid(shape: Shape, random: Prng) -> Grid:
    """A random grid whose values are a linear function of row and column, with new values.

    If the size is a square, values, rows and columns are two digits, and many such grids have all
    values on both diagonals, as do Latin squares whose size neither 2 nor 3 divides.
    """
    size = shape.size
    base = isqrt(size) if isqrt(size) ** 2 == size else size
    digits = [divmod(line, base) for line in range(size)]
    for _ in range(2000):  # for boxes of 10x10 with diagonals, one in a hundred will do
        a, b, c, d, e, f, g, h = (random.below(base) for _ in range(8))
        rows = [(a * high + b * low, c * high + d * low) for high, low in digits]
        columns = [(e * high + f * low, g * high + h * low) for high, low in digits]
        grid = tuple(
            (row + column) % (size // base) * base + (low + right) % base
            for row, low in rows
            for column, right in columns
        )
        if _is_right(shape, grid):
            values = new_values(shape, random)
            return tuple(values[value + 1] for value in grid)
    problem = f"no complete grid of {shape} is known"
    expected = f"at most {BITS} rows, or 64x64, 81x81 or 100x100 for diagonals"
    raise PuzzleError(problem, expected=expected)


def _mix(solver: Solver, grid: Grid, random: Prng) -> Grid:
    """A random grid, after steps of the Markov chain from `grid`."""
    shape = solver.shape
    values_redrawn = 3 if shape.size <= 12 else 2
    steps = 24 if shape.size <= 12 else shape.size * 2
    for step in range(steps):
        if step % 3 == 2:
            houses = random.sample(min(3, len(shape.houses)), len(shape.houses))
            cells = {cell for house in houses for cell in shape.houses[house].cells}
            start = [solver.every if c in cells else 1 << v - 1 for c, v in enumerate(grid)]
        else:
            values = {value + 1 for value in random.sample(values_redrawn, shape.size)}
            start = [solver.every if v in values else 1 << v - 1 for v in grid]
        result = solver.search(solver.start(start), 400, random=random)
        grid = result.solution or grid
    return grid
