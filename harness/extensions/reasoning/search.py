"""Search for all solutions of a puzzle, with any rules between guesses, and its events.

A node is a board that the search visits: the puzzle itself and each guess. Between two guesses
the rules are applied until they conclude nothing more. Without rules every placement is a
node.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import inf
from time import monotonic
from typing import Final, NamedTuple, Protocol, runtime_checkable

from harness.extensions.reasoning.board import Board, Conclusion, Rule
from harness.extensions.reasoning.solving import propagate
from harness.extensions.reasoning.trace import Branch, Event, Recorder, Recording
from harness.puzzles import Grid, Puzzle, values_in

# Orders of branching: the cell at which a search branches.


class Order(StrEnum):
    """How a search chooses the cell for its next guess."""

    FEWEST = "fewest"
    """The fewest candidates; among equals the first, row by row (Tsinghua project, 2013)."""
    FEWEST_BY_NAME = "fewest-by-name"
    """The fewest candidates; among equals the first by its name, such as A1, A10, A2 (a Python
    agent after Norvig, "Solving Every Sudoku Puzzle")."""
    FIRST = "first"
    """The first blank cell, row by row."""


def choose_cell(board: Board, order: Order) -> int:
    """The blank cell of `board` at which a search with this order branches."""
    candidates, size = board.candidates, board.shape.size

    def name(cell: int) -> str:
        """The name with a letter for the row: ``A1``; ``AA1`` follows ``Z26``."""
        row, column = divmod(cell, size)
        return f"{'A' * (row // 26)}{chr(ord('A') + row % 26)}{column + 1}"

    blanks = [cell for cell, value in enumerate(board.values) if not value]
    match order:
        case Order.FEWEST:
            return min(blanks, key=lambda cell: candidates[cell].bit_count())
        case Order.FEWEST_BY_NAME:
            return min(blanks, key=lambda cell: (candidates[cell].bit_count(), name(cell)))
        case Order.FIRST:
            return blanks[0]


# Search for all solutions of a puzzle, with any rules between guesses.


class Direction(StrEnum):
    """Which board a search visits next."""

    DEPTH_FIRST = "depth-first"
    """A child of the latest board: a stack."""
    BREADTH_FIRST = "breadth-first"
    """The oldest board: a queue."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """How a search proceeds."""

    rules: Sequence[Rule] = ()
    """The rules between two guesses, simplest first."""
    order: Order = Order.FEWEST
    direction: Direction = Direction.DEPTH_FIRST
    looks_ahead: bool = True
    """Whether a board with a cell without candidates is abandoned at once (forward checking);
    otherwise when the search branches at this cell. Rules always look ahead."""
    most_boards: int = 100_000
    """Maximum number of boards that wait to be visited; the search gives up at one more."""
    most_nodes: int | None = None
    """Maximum number of boards visited; the search gives up at one more. None for no limit."""


class _Open(NamedTuple):
    """A board that waits to be visited."""

    board: Board
    branch: Branch
    guess: tuple[int, int, int] | None
    """The cell, its value and the number of its options; None for the puzzle itself."""


class Search:
    """A search for the solutions of one puzzle; its numbers grow while it runs."""

    def __init__(
        self, puzzle: Puzzle, strategy: Strategy, recorder: Recorder | None = None
    ) -> None:
        self._strategy: Final = strategy
        self._root: Final = Board(puzzle)
        goes_back = strategy.direction is Direction.DEPTH_FIRST
        self._recording: Final = None if recorder is None else Recording(recorder, goes_back)
        self.nodes = 0
        """The boards visited."""
        self.guesses = 0
        """The boards at which the search branched."""
        self.dead_ends = 0
        """The boards without a solution."""
        self.peak_boards = 0
        """Largest number of boards that waited at the same time."""
        self.gave_up = False
        """Whether the search ended because too many boards waited or were visited."""
        self.conclusions: Final = {rule.name: 0 for rule in strategy.rules}
        """The conclusions of each rule that changed a board, by its name."""

    def solutions(self) -> Iterator[Grid]:
        """Each solution once."""
        return (grid for grid in self.visits() if grid is not None)

    def visits(self) -> Iterator[Grid | None]:
        """Visit one board after another, and yield the solution that each leads to, or None.

        Between two visits the caller may take the events recorded so far, or end the search.
        """
        strategy, recording = self._strategy, self._recording
        waiting = deque([_Open(self._root, (), None)])
        take = waiting.pop if strategy.direction is Direction.DEPTH_FIRST else waiting.popleft
        while waiting:
            self.peak_boards = max(self.peak_boards, len(waiting))
            if len(waiting) > strategy.most_boards or self.nodes == strategy.most_nodes:
                self.gave_up = True
                return
            node = take()
            self.nodes += 1
            board = node.board
            if recording is not None:
                recording.enter(node.branch, node.guess)
            if not self._propagate(node):
                self.dead_ends += 1
            elif board.finished:
                if recording is not None:
                    recording.solved(node.branch, board)
                yield board.grid
                continue
            else:
                children = list(self._children(node))
                if not children:
                    self.dead_ends += 1
                elif strategy.direction is Direction.DEPTH_FIRST:
                    children.reverse()
                waiting.extend(children)
            yield None
        if recording is not None:
            recording.end()

    def _propagate(self, node: _Open) -> bool:
        """Apply the rules; False if the board is found to have no solution."""
        board, strategy, recording = node.board, self._strategy, self._recording
        if strategy.rules:
            alive = propagate(board, strategy.rules, partial(self._conclude, node))
        else:
            alive = all(board.candidates) or (board.blanks > 0 and not strategy.looks_ahead)
        if not alive and recording is not None:
            recording.dead_end(node.branch, board)
        return alive

    def _conclude(self, node: _Open, rule: Rule, conclusion: Conclusion) -> None:
        """Count and record a conclusion that changed the board of `node`."""
        self.conclusions[rule.name] += 1
        if self._recording is not None:
            self._recording.concluded(node.branch, rule, conclusion, node.board)

    def _children(self, node: _Open) -> Iterator[_Open]:
        """The boards after each value of the cell at which the search branches."""
        board = node.board
        cell = choose_cell(board, self._strategy.order)
        values = values_in(board.candidates[cell])
        if self._recording is not None:
            self._recording.options(node.branch, cell, values, board)
        if values:
            self.guesses += 1
        for number, value in enumerate(values, 1):
            child = board.copy()
            child.place(cell, value)
            yield _Open(child, (*node.branch, number), (cell, value, len(values)))


# The events of a search while it runs, without keeping them.


@runtime_checkable
class Traceable(Protocol):
    """What a backend needs so that its search can be traced."""

    @property
    def strategy(self) -> Strategy:
        """How its search proceeds."""
        ...

    def search_of(self, puzzle: Puzzle, recorder: Recorder | None = None) -> Search:
        """A search for the solutions of `puzzle`; `recorder` receives its events."""
        ...


class _Stopped(Exception):
    """Ends a search between two events."""


class Tracing:
    """A search that yields its events; its numbers grow while it runs."""

    def __init__(self, solver: Traceable, puzzle: Puzzle, limit: int = 1) -> None:
        """Trace the search of `solver` for up to `limit` solutions of `puzzle`."""
        self._events: Final[list[Event]] = []
        self._limit: Final = limit
        self.search: Final = solver.search_of(puzzle, self._record)
        self.number = 0
        """The number of solutions found."""
        self.solution: Grid | None = None
        """The first solution found."""
        self.complete = False
        """Whether the search visited all boards, so that there are no more solutions."""
        self.stopped = False
        """Whether `stop` or the time limit ended the search."""
        self._deadline = inf

    def stop(self) -> None:
        """End the search at its next event; a signal handler may call this."""
        self.stopped = True

    def stop_after(self, seconds: float) -> None:
        """End the search at its first event after this time."""
        self._deadline = monotonic() + seconds

    def _record(self, event: Event) -> None:
        """Keep an event of the search, and end the search if it is to stop.

        Raises:
            _Stopped: `stop` was called, or the time has run out.
        """
        self._events.append(event)
        self.stopped |= monotonic() > self._deadline
        if self.stopped:
            raise _Stopped

    def __iter__(self) -> Iterator[Event]:
        """Run the search and yield each event."""
        visits = self.search.visits()
        while not self.stopped and not self.complete and self.number < self._limit:
            try:
                grid = next(visits, ())
            except _Stopped:
                grid = None
            if grid:
                self.number += 1
                self.solution = self.solution or grid
            self.complete = grid == () and not self.search.gave_up
            events = self._events.copy()
            self._events.clear()
            yield from events
            if grid == ():
                return
