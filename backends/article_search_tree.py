"""A search tree, breadth first or depth first, as in a course project at Tsinghua University.

    node          a board; a child of it has one more value placed by choice
    branching     a node has a child for each candidate of the blank cell with the fewest
    queue, stack  the open nodes, breadth first or depth first
    inference     values that follow without a choice:
                      none        none: every value is placed by choice
                      basic       the only candidate of a cell (naked single)
                      exclusion   also the only place of a value in a house (hidden single)

The project compares the levels of inference by the number of expanded nodes. It tests
uniqueness by a depth-first search that stops at ten solutions, because breadth-first search
exhausts the memory on boards with few values. So a count that reaches the stop is a lower
bound here, and breadth-first search gives up above a number of open boards.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from harness.contract import Count, GaveUp, Options, Restriction, SearchBackend, Stats, option
from harness.puzzles import Grid, Puzzle, Shape


@dataclass(frozen=True)
class SearchTreeOptions(Options):
    """The order of the search, the inference, and both bounds."""

    search: str = option(
        "depth-first", help="order of nodes", choices=("depth-first", "breadth-first")
    )
    inference: str = option(
        "exclusion",
        help="values placed without a choice",
        choices=("none", "basic", "exclusion"),
    )
    stop: int = option(10, help="number of solutions that ends a count", minimum=1)
    boards: int = option(
        100_000, help="number of open boards above which breadth-first search gives up", minimum=1
    )


class ArticleSearchTree(SearchBackend[SearchTreeOptions]):
    """The search tree of the project."""

    name = "article-search-tree"
    paradigm = "search tree with a queue or a stack"
    complete = False
    named_only = True
    takes = frozenset({Restriction.PENCILMARKS, Restriction.PAIRS})

    def __init__(self, shape: Shape, options: SearchTreeOptions) -> None:
        self.options = options

    def search(self, puzzle: Puzzle) -> "SearchTree":
        """The tree of the puzzle."""
        return SearchTree(puzzle, self.options)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number of solutions up to `limit`; a lower bound if it reaches the stop."""
        return super().count(puzzle, min(limit, self.options.stop))


class Board:
    """Values of cells, 0 for a blank, and candidates of blank cells as bits."""

    def __init__(self, values: list[int], candidates: list[int]) -> None:
        self.values = values
        self.candidates = candidates

    def copy(self) -> "Board":
        """A board with the same values and candidates."""
        return Board(self.values.copy(), self.candidates.copy())


class SearchTree:
    """The tree of one puzzle, and the search in it."""

    def __init__(self, puzzle: Puzzle, options: SearchTreeOptions) -> None:
        self.puzzle = puzzle
        self.peers = puzzle.shape.peers
        self.houses = [house.cells for house in puzzle.shape.houses]
        self.depth_first = options.search == "depth-first"
        self.naked = options.inference in ("basic", "exclusion")
        self.hidden = options.inference == "exclusion"
        self.boards = options.boards
        self.nodes = 0
        self.guesses = 0

    @property
    def stats(self) -> Stats:
        """The number of expanded nodes, and of nodes with several children."""
        return {"nodes": self.nodes, "guesses": self.guesses}

    def solutions(self) -> Iterator[Grid]:
        """Each solution once.

        Raises:
            GaveUp: too many boards are open.
        """
        root = self.root()
        open_boards = deque([root] if root else [])
        while open_boards:
            if not self.depth_first and len(open_boards) > self.boards:
                raise GaveUp
            board = open_boards.pop() if self.depth_first else open_boards.popleft()
            self.nodes += 1
            if not self.infer(board):
                continue
            cell = fewest_candidates(board)
            if cell is None:
                yield tuple(board.values)
                continue
            children = list(self.children(board, cell))
            self.guesses += len(children) > 1
            open_boards.extend(reversed(children) if self.depth_first else children)

    def root(self) -> Board | None:
        """The board of the givens; None if they contradict each other."""
        givens = self.puzzle.givens
        board = Board([0] * len(givens), list(self.puzzle.allowed))
        is_consistent = all(
            self.place(board, cell, value) for cell, value in enumerate(givens) if value
        )
        return board if is_consistent else None

    def place(self, board: Board, cell: int, value: int) -> bool:
        """Place a value that the cell may have; False if it may not."""
        bit = 1 << value - 1
        if not board.candidates[cell] & bit:
            return False
        board.values[cell], board.candidates[cell] = value, bit
        for peer in self.peers[cell]:
            board.candidates[peer] &= ~bit
        return True

    def infer(self, board: Board) -> bool:
        """Place all values that follow; False if a blank cell or a value has no place left."""
        has_progress = True
        while has_progress:
            if not all(board.candidates):
                return False
            has_progress = (self.naked and self.place_naked_singles(board)) or (
                self.hidden and self.place_hidden_singles(board)
            )
        return True

    def place_naked_singles(self, board: Board) -> bool:
        """Place the only candidates of cells; return whether there were any."""
        has_progress = False
        for cell, candidates in enumerate(board.candidates):
            if not board.values[cell] and candidates.bit_count() == 1:
                self.place(board, cell, candidates.bit_length())
                has_progress = True
        return has_progress

    def place_hidden_singles(self, board: Board) -> bool:
        """Place the values that have one place in a house; return whether there were any."""
        has_progress = False
        for house in self.houses:
            for bit in range(len(house)):
                places = [cell for cell in house if board.candidates[cell] >> bit & 1]
                if len(places) == 1 and not board.values[places[0]]:
                    self.place(board, places[0], bit + 1)
                    has_progress = True
        return has_progress

    def children(self, board: Board, cell: int) -> Iterator[Board]:
        """A board for each candidate of a blank cell, smallest first."""
        for bit in range(board.candidates[cell].bit_length()):
            if board.candidates[cell] >> bit & 1:
                child = board.copy()
                self.place(child, cell, bit + 1)
                yield child


def fewest_candidates(board: Board) -> int | None:
    """The first blank cell with the fewest candidates; None if no cell is blank."""
    blank = [cell for cell, value in enumerate(board.values) if not value]
    return min(blank, key=lambda cell: board.candidates[cell].bit_count(), default=None)
