"""Search on an integer array, as in Arkieva's article on Sudoku in APL.

    array         a row for each cell: its number from 1, its row, column and box, its value
                  (0: empty)
    options       the values that no neighbour of an empty cell has, without those in PAV
    PAV           for each cell the values tried there ("previously assigned values")
    TRACKER       the assignments of the current board
    TRACKHIST     all steps of the search

Sanity checks come first: duplicates, cells without options, and neighbours with the same only
option. Then each step looks at the options. A cell with none ends the branch: the search goes
back to the latest assignment that had several options, and empties the cells from there on.
A cell with one option gets it. Otherwise the first cell with the fewest options gets the
smallest. So a cell that is emptied has one option less, and is the next to be assigned.

The article does not mention that the PAV of a cell must be cleared when the search goes back
to an earlier cell. Without this the search misses solutions.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.contract import Options, SearchBackend, Stats, Unsupported
from harness.puzzles import Grid, Puzzle, Shape

Array = NDArray[np.int64]
Flags = NDArray[np.bool_]

CELL_ID, ROW, COLUMN, BOX, VALUE = range(5)
"""The columns of the array."""
DEAD_END: Final = 9999
"""The value of a step that finds a cell without options."""


class Step(NamedTuple):
    """A row of TRACKER and TRACKHIST."""

    counter: int
    """CTR: the number of the step; cells that a step empties have its number."""
    options: int
    """The number of options of the cell; 0 for a dead end and an emptied cell."""
    cell: int
    """The number of the cell, from 1."""
    value: int
    """The value assigned, `DEAD_END`, or 0 for an emptied cell."""


class ArticleArray(SearchBackend):
    """The program of the article: sanity checks, then search with TRACKER and PAV."""

    name = "article-array"
    paradigm = "backtracking on an integer array"
    named_only = True

    def __init__(self, shape: Shape, options: Options) -> None:
        rows, columns = shape.box or (1, shape.size)
        if shape.box is None or shape != Shape.parse(f"box{rows}x{columns}"):
            raise Unsupported("article-array supports rows, columns and boxes only")
        self.box = rows, columns

    def search(self, puzzle: Puzzle) -> "Search":
        """The search on the array of the puzzle."""
        return Search(array_of(puzzle, self.box))

    def history(self, puzzle: Puzzle) -> list[Step]:
        """TRACKHIST: all steps to the first solution, or to the end of the search."""
        history: list[Step] = []
        next(Search(array_of(puzzle, self.box), history).solutions(), None)
        return history


def array_of(puzzle: Puzzle, box: tuple[int, int]) -> Array:
    """The array of a puzzle with boxes of this number of rows and columns."""
    size, (high, wide) = puzzle.shape.size, box
    cells = range(size * size)
    return np.array(
        [
            (c + 1, row + 1, column + 1, row // high * high + column // wide + 1, puzzle.givens[c])
            for c in cells
            for row, column in [divmod(c, size)]
        ],
        np.int64,
    )


def neighbours_of(array: Array) -> Flags:
    """For each pair of cells whether they share a row, a column or a box and are not the same."""
    flags_by_kind = [array[:, i, None] == array[None, :, i] for i in (ROW, COLUMN, BOX)]
    flags: Flags = np.logical_or.reduce(flags_by_kind) & ~np.eye(len(array), dtype=np.bool_)
    return flags


def presence_of(array: Array, size: int) -> Flags:
    """For each cell and value whether the cell has the value."""
    flags: Flags = array[:, VALUE, None] == np.arange(1, size + 1)
    return flags


class Search:
    """A search for the solutions of one array.

    Args:
        array: the cells; its column of values is modified.
        history: a list that gets every step; None for no record.
    """

    def __init__(self, array: Array, history: list[Step] | None = None) -> None:
        self.array = array
        self.values = array[:, VALUE]
        self.size = int(array[:, ROW].max())
        self.neighbours = neighbours_of(array)
        self.pav = np.zeros((len(array), self.size), np.bool_)
        self.tracker: list[Step] = []
        self.history = history
        self.counter = 0
        self.guesses = 0
        self.dead_ends = 0

    @property
    def stats(self) -> Stats:
        """The number of steps, of assignments with several options, and of dead ends."""
        return {"nodes": self.counter, "guesses": self.guesses, "backtracks": self.dead_ends}

    def solutions(self) -> Iterator[Grid]:
        """Each solution once."""
        if not self.is_sane():
            return
        while True:
            step = self.step()
            if step is None:
                yield tuple(self.values.tolist())
            if (step is None or step.value == DEAD_END) and not self.go_back():
                return

    def step(self) -> Step | None:
        """Assign a value or find a dead end; None if no cell is empty."""
        empty = np.flatnonzero(self.values == 0)
        if not len(empty):
            return None
        options = self.options()[empty]
        numbers = options.sum(axis=1)
        fewest = int(numbers.argmin())
        cell, number = int(empty[fewest]), int(numbers[fewest])
        self.counter += 1
        if not number:
            self.dead_ends += 1
            return self.record(Step(self.counter, 0, cell + 1, DEAD_END))
        value = int(options[fewest].argmax()) + 1
        self.values[cell] = value
        self.pav[cell, value - 1] = True
        self.guesses += number > 1
        self.tracker.append(Step(self.counter, number, cell + 1, value))
        return self.record(self.tracker[-1])

    def options(self) -> Flags:
        """For each cell and value whether neither a neighbour nor the cell's PAV has the value."""
        excluded_values: Flags = self.neighbours @ presence_of(self.array, self.size)
        return ~(excluded_values | self.pav)

    def go_back(self) -> bool:
        """Empty the cells from the latest assignment with several options on; False without one."""
        while self.tracker:
            last = self.tracker.pop()
            cell = last.cell - 1
            self.values[cell] = 0
            self.record(Step(self.counter, 0, last.cell, 0))
            if last.options > 1:
                return True
            self.pav[cell] = False
        return False

    def record(self, step: Step) -> Step:
        """Add a step to the history."""
        if self.history is not None:
            self.history.append(step)
        return step

    def is_sane(self) -> bool:
        """Whether SANITY_DUPE, SANITY_CAND and SANITY_CONFLICT find nothing."""
        present = presence_of(self.array, self.size)
        duplicates = (self.neighbours @ present) & present
        empty = self.values == 0
        options = self.options() & empty[:, None]
        numbers = options.sum(axis=1)
        only = options & (numbers == 1)[:, None]
        conflicts = (self.neighbours @ only) & only
        return not (duplicates.any() or (empty & (numbers == 0)).any() or conflicts.any())
