"""The canonical form of 9x9 puzzles: two puzzles are equivalent if and only if theirs are equal.

It is the least of all puzzles that relabelling, permutations of bands, rows, stacks and
columns and transposition make from a puzzle, as lines with 0 for a blank: *minlex*. Each of
the 18 rows and columns may become the first row. Blanks come first in it, so only some
orders of the columns remain; for each of them a depth-first search orders the rows, and
leaves a branch as soon as a row is larger than that of the best line so far. New values are
numbered in the order of their first occurrence, so that nothing remains to be chosen.
"""

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Final

from harness.base.errors import PuzzleError
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.search import Integers, compiled, integers, plain, zeros
from harness.puzzles.shape import Shape

_COLUMNS: Final = 0
"""Where `work` has the column of the original for each column."""
_ROWS: Final = 9
"""Where `work` has the row of the original for each row."""
_NEXT: Final = 19
"""Where `work` has the next row to try at each depth."""
_LABELS: Final = 29
"""Where `work` has the new values at each depth: the number of labels, then the labels."""
_WORK: Final = _LABELS + 100
_BEYOND: Final = 10
"""More than any value: fills rows of the best line that are not known yet."""


@dataclass(frozen=True, slots=True)
class CanonicalForm:
    """The canonical form of a puzzle."""

    puzzle: Puzzle
    """The least equivalent puzzle."""
    automorphisms: int
    """The number of permutations and transpositions that map the puzzle to itself with
    other values, at least 1."""


def has_canonical_form(puzzle: Puzzle) -> bool:
    """Whether `canonical_form` accepts `puzzle`: a 9x9 without pencilmarks or constraints."""
    return puzzle.pencilmarks is None and puzzle.shape == Shape.parse("9x9")


def canonical_form(puzzle: Puzzle) -> CanonicalForm:
    """The canonical form of a 9x9 `puzzle`.

    Raises:
        PuzzleError: the puzzle has another shape, or pencilmarks.
    """
    if not has_canonical_form(puzzle):
        kind = "a puzzle with pencilmarks" if puzzle.pencilmarks else f"a puzzle of {puzzle.shape}"
        raise PuzzleError(
            f"{kind} has no canonical form", expected="a 9x9 without pencilmarks and constraints"
        )
    best = integers([_BEYOND] * 81)
    automorphisms = int(_minimize(integers(puzzle.givens), _orders(), best, zeros(_WORK)))
    return CanonicalForm(Puzzle(puzzle.shape, tuple(plain(best))), automorphisms)


@cache
def _orders() -> Integers:
    """The six orders of three things, one after the other."""
    return integers(place for order in permutations(range(3)) for place in order)


@compiled
def _value(grid: Integers, row: int, column: int, transpose: int) -> int:
    """The value of `grid`, or of its transpose, as 0 to 9."""
    value: int = grid[9 * column + row] if transpose else grid[9 * row + column]
    return value


@compiled
def _place(
    grid: Integers, transpose: int, row: int, depth: int, best: Integers, work: Integers
) -> int:
    """Compare `row` of the original with row `depth` of the best line: -1, 0 or 1.

    A lesser row becomes the best one, and the rows after it become unknown. Writes the
    labels of the next depth, unless the row is larger.
    """
    labels = _LABELS + 10 * depth
    new = labels + 10
    for label in range(10):
        work[new + label] = work[labels + label]
    less = False
    for column in range(9):
        value = _value(grid, row, work[_COLUMNS + column], transpose)
        if value:
            if not work[new + value]:
                work[new] += 1
                work[new + value] = work[new]
            value = work[new + value]
        place = 9 * depth + column
        if less:
            best[place] = value
        elif value > best[place]:
            return 1
        elif value < best[place]:
            less = True
            best[place] = value
    if not less:
        return 0
    for place in range(9 * depth + 9, 81):
        best[place] = _BEYOND
    return -1


@compiled
def _order_rows(
    grid: Integers, transpose: int, first: int, ties: int, best: Integers, work: Integers
) -> int:
    """Search the orders of rows that begin with row `first`; return the number of best orders.

    Args:
        grid: the puzzle.
        transpose: 1 for the transpose of the puzzle.
        first: the first row.
        ties: the number of best orders so far.
        best: the best line so far; updated.
        work: room for the search, with the order of the columns.
    """
    sign = _place(grid, transpose, first, 0, best, work)
    if sign > 0:
        return ties
    if sign < 0:
        ties = 0
    work[_ROWS] = first
    placed_rows = 1 << first
    depth = 1
    work[_NEXT + 1] = 0
    while depth > 0:
        row = 9 if depth == 9 else work[_NEXT + depth]
        if depth == 9:
            ties += 1
        while row < 9:
            free = not placed_rows >> row & 1
            if free and (depth % 3 == 0 or row // 3 == work[_ROWS + depth - 1] // 3):
                break
            row += 1
        if row == 9:
            depth -= 1
            placed_rows ^= 1 << work[_ROWS + depth]
            continue
        work[_NEXT + depth] = row + 1
        sign = _place(grid, transpose, row, depth, best, work)
        if sign > 0:
            continue
        if sign < 0:
            ties = 0
        work[_ROWS + depth] = row
        placed_rows |= 1 << row
        depth += 1
        work[_NEXT + depth] = 0
    return ties


@compiled
def _clues(grid: Integers, row: int, stack: int, transpose: int) -> int:
    """The number of clues of a row in a stack."""
    clues = 0
    for column in range(3 * stack, 3 * stack + 3):
        if _value(grid, row, column, transpose):
            clues += 1
    return clues


@compiled
def _blanks_first(
    grid: Integers, row: int, stack: int, transpose: int, orders: Integers, order: int
) -> bool:
    """Whether this order of the columns of a stack puts the blanks of `row` before its clues."""
    has_clue = False
    for place in range(3):
        clue = _value(grid, row, 3 * stack + orders[3 * order + place], transpose) > 0
        if has_clue and not clue:
            return False
        has_clue = clue
    return True


@compiled
def _minimize(grid: Integers, orders: Integers, best: Integers, work: Integers) -> int:
    """Write the least equivalent line to `best`, and return the number of automorphisms."""
    fewest = 64
    for line in range(18):
        first = _clues(grid, line % 9, 0, line // 9)
        second = _clues(grid, line % 9, 1, line // 9)
        third = _clues(grid, line % 9, 2, line // 9)
        least = min(first, second, third)
        most = max(first, second, third)
        fewest = min(fewest, 16 * least + 4 * (first + second + third - least - most) + most)
    ties = 0
    for label in range(10):
        work[_LABELS + label] = 0
    for line in range(18):
        row = line % 9
        transpose = line // 9
        for stacks in range(6):
            key = 0
            for place in range(3):
                key = 4 * key + _clues(grid, row, orders[3 * stacks + place], transpose)
            if key != fewest:
                continue
            at = 3 * stacks
            left, middle, right = orders[at], orders[at + 1], orders[at + 2]
            for first in range(6):
                if not _blanks_first(grid, row, left, transpose, orders, first):
                    continue
                for second in range(6):
                    if not _blanks_first(grid, row, middle, transpose, orders, second):
                        continue
                    for third in range(6):
                        if not _blanks_first(grid, row, right, transpose, orders, third):
                            continue
                        for place in range(3):
                            work[place] = 3 * left + orders[3 * first + place]
                            work[3 + place] = 3 * middle + orders[3 * second + place]
                            work[6 + place] = 3 * right + orders[3 * third + place]
                        ties = _order_rows(grid, transpose, row, ties, best, work)
    return ties
