"""Recursion on a nested list of integers, as in the article "你会玩数独么?".

    board        a list of rows, 0 for an empty cell: board[x][y]
    cal_count    the number of candidates of a cell, and the candidates
    try_it       fills the cell with the fewest candidates, and calls itself

For a cell that has a value the count is one more than a cell can have candidates, so that the
lowest count is that number when the board is full.

The article offers to count all solutions by removing two lines from its search. Without them
a cell keeps its value after a branch that filled the board, and the next candidates of the
cells above are tried on that board: the article counts 15 solutions of a puzzle that has
38,122. ``faithful=true`` keeps this defect.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from harness.contract import Options, SearchBackend, Stats, Unsupported, option
from harness.puzzles import Grid, Puzzle, Shape

LARGEST = 25
"""The largest size: the recursion is as deep as the number of cells."""


@dataclass(frozen=True)
class ListsOptions(Options):
    """Whether the defect of the article is kept."""

    faithful: bool = option(
        False, help="count as the article does, with its defect", keeps_contract=False
    )


class ArticleLists(SearchBackend[ListsOptions]):
    """The program of the article: check_board, cal_count_all and try_it."""

    name = "article-lists"
    paradigm = "backtracking on nested lists"
    named_only = True

    def __init__(self, shape: Shape, options: ListsOptions) -> None:
        rows, columns = shape.box or (1, shape.size)
        if shape.box is None or shape != Shape.parse(f"box{rows}x{columns}"):
            raise Unsupported("article-lists supports rows, columns and boxes only")
        if shape.size > LARGEST:
            raise Unsupported(f"article-lists supports sizes up to {LARGEST}")
        self.box = rows, columns
        self.faithful = options.faithful

    def search(self, puzzle: Puzzle) -> "Search":
        """The search on the board; with ``faithful=true`` it misses solutions."""
        return Search(puzzle.rows(), self.box, faithful=self.faithful)


class Search:
    """A search for the solutions of one board."""

    def __init__(self, rows: list[list[int]], box: tuple[int, int], *, faithful: bool) -> None:
        self.board = [list(row) for row in rows]
        self.size = len(rows)
        self.box = box
        self.faithful = faithful
        self.calls = 0
        self.guesses = 0

    @property
    def stats(self) -> Stats:
        """The number of calls of `try_it`, and of calls with several candidates."""
        return {"nodes": self.calls, "guesses": self.guesses}

    def solutions(self) -> Iterator[Grid]:
        """Each solution once; none if the givens contradict each other."""
        if self.check_board():
            yield from self.try_it()

    def check_board(self) -> bool:
        """Whether no row, column or square has a digit twice; zeros are ignored."""
        squares = range(0, self.size, self.box[0]), range(0, self.size, self.box[1])
        return (
            not any(map(has_repeats, self.board))
            and not any(map(has_repeats, zip(*self.board, strict=True)))
            and not any(has_repeats(self.square(x, y)) for x in squares[0] for y in squares[1])
        )

    def square(self, x: int, y: int) -> list[int]:
        """The values of the square that holds row `x` and column `y`."""
        rows, columns = self.box
        top, first_column = x - x % rows, y - y % columns
        return [
            v
            for row in self.board[top : top + rows]
            for v in row[first_column : first_column + columns]
        ]

    def cal_count(self, x: int, y: int) -> tuple[int, list[int]]:
        """The number of candidates of a cell, and the candidates, ascending."""
        if self.board[x][y]:
            return self.size + 1, []
        peer_values = {*self.board[x], *(row[y] for row in self.board), *self.square(x, y)}
        candidates = [value for value in range(1, self.size + 1) if value not in peer_values]
        return len(candidates), candidates

    def cal_count_all(self) -> tuple[int, int, int, list[int]]:
        """The lowest count, and the row, column and candidates of the first cell that has it."""
        fewest, at_x, at_y, fewest_candidates = self.size + 2, 0, 0, list[int]()
        for x in range(self.size):
            for y in range(self.size):
                count, candidates = self.cal_count(x, y)
                if count < fewest:
                    fewest, at_x, at_y, fewest_candidates = count, x, y, candidates
        return fewest, at_x, at_y, fewest_candidates

    def try_it(self) -> Generator[Grid, None, bool]:
        """Fill the rest of the board in every way; return whether the board was full already."""
        self.calls += 1
        fewest, x, y, candidates = self.cal_count_all()
        if fewest == self.size + 1:
            yield tuple(value for row in self.board for value in row)
            return True
        self.guesses += fewest > 1
        for value in candidates:
            self.board[x][y] = value
            was_full = yield from self.try_it()
            if not (was_full and self.faithful):
                self.board[x][y] = 0
        return False


def has_repeats(values: list[int] | tuple[int, ...]) -> bool:
    """Whether a value other than 0 occurs twice (check_repeat)."""
    present = [value for value in values if value]
    return len(present) != len(set(present))
