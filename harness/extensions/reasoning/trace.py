"""What happens in a search, as events, and views of these events.

The article "你会玩数独么?" keeps a spreadsheet for each node: ``total`` for the puzzle, ``total1``
for its first alternative, ``total11`` for the first alternative after that.

TRACKER follows a search in APL by Arkieva (2013), which keeps its current assignments and their
history in four columns: a counter CTR, the number of options, the cell from 1, and the value.
The codes 9999 and 0 in place of a value stand for a dead end and for a cell put back. PAV has
the values tried in each cell. Where Arkieva leaves a point open, this module has its own rules:

- The number of options of an assignment is the number of values that the cell can have and that
  PAV does not have. So the search goes back to the latest assignment with two options or more.
- Rules may conclude two values of one cell. Both have a row, and a dead end follows.
- PAV of a cell is cleared when the search goes back past it. Otherwise the search would not try
  these values again after another guess, and would miss solutions.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NamedTuple

from harness.extensions.reasoning.board import (
    Board,
    Conclusion,
    Elimination,
    Placement,
    Rule,
    all_of,
    any_of,
    sentence,
)
from harness.puzzles import Grid, Shape

# The events of a search, in the order in which they happen.


Branch = tuple[int, ...]
"""A branch of the search tree: the number of the alternative at each guess, from 1."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """A cell got a value: by a rule, or as a guess."""

    branch: Branch
    cell: int
    value: int
    options: int
    """The number of values that the cell could have: 1 if a rule decided."""
    rule: Rule | None
    """The rule; None for a guess."""
    conclusion: Placement | None
    """What the rule concluded; None for a guess."""


@dataclass(frozen=True, slots=True)
class Eliminated:
    """A rule removed candidates."""

    branch: Branch
    rule: Rule
    conclusion: Elimination


@dataclass(frozen=True, slots=True)
class BranchPoint:
    """The rules conclude nothing more, so the search branches at a cell."""

    branch: Branch
    cell: int
    values: tuple[int, ...]
    """Its candidates, in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """A branch has no solution: a cell has no candidate, or must have a value that it cannot."""

    branch: Branch
    cell: int
    rule: Rule | None = None
    """The rule that gives the cell a value that it cannot have; None if it has no candidate."""
    conclusion: Placement | None = None
    """Its conclusion."""


@dataclass(frozen=True, slots=True)
class Reset:
    """The search goes back and takes values out of cells."""

    branch: Branch
    """The branch that it leaves."""
    cells: tuple[int, ...]
    """The cells, latest first."""


@dataclass(frozen=True, slots=True)
class SolutionFound:
    """A solution was found."""

    branch: Branch
    grid: Grid


Event = Assigned | Eliminated | BranchPoint | DeadEnd | Reset | SolutionFound
Recorder = Callable[[Event], None]
"""Receives each event when it happens."""


# Makes the events of a search.


class Recording:
    """The events of one search, for its recorder."""

    def __init__(self, recorder: Recorder, goes_back: bool) -> None:
        """Make events for `recorder`, with `Reset` if the search goes back (depth first)."""
        self._record = recorder
        self._goes_back = goes_back
        self._assigned: list[tuple[int, int]] = []
        """The depth and the cell of each assignment of the current branch."""
        self._branch: Branch = ()
        self._contradiction: tuple[Rule, Placement] | None = None
        """A placement that contradicts the board, and its rule."""

    def enter(self, branch: Branch, guess: tuple[int, int, int] | None) -> None:
        """The search visits the board of `branch`, made by a `guess`: cell, value, options."""
        self._go_back(len(branch))
        self._branch = branch
        if guess is not None:
            cell, value, options = guess
            self._assigned.append((len(branch), cell))
            self._record(Assigned(branch, cell, value, options, None, None))

    def concluded(self, branch: Branch, rule: Rule, conclusion: Conclusion, board: Board) -> None:
        """A rule changed the board of `branch`; the board may have no solution any more."""
        if isinstance(conclusion, Placement):
            cell, value = conclusion.cell, conclusion.value
            if not board.candidates[cell]:
                self._contradiction = rule, conclusion
                return
            self._assigned.append((len(branch), cell))
            self._record(Assigned(branch, cell, value, 1, rule, conclusion))
        else:
            self._record(Eliminated(branch, rule, conclusion))

    def options(self, branch: Branch, cell: int, values: Sequence[int], board: Board) -> None:
        """The search branches at a cell; a cell without a candidate is a dead end."""
        if values:
            self._record(BranchPoint(branch, cell, tuple(values)))
        else:
            self.dead_end(branch, board)

    def dead_end(self, branch: Branch, board: Board) -> None:
        """A cell of `board` has no candidate, or a rule gives it a value that it cannot have."""
        if self._contradiction is None:
            self._record(DeadEnd(branch, board.candidates.index(0)))
        else:
            rule, placement = self._contradiction
            self._contradiction = None
            self._record(DeadEnd(branch, placement.cell, rule, placement))

    def solved(self, branch: Branch, board: Board) -> None:
        """The board is a solution."""
        self._record(SolutionFound(branch, board.grid))

    def end(self) -> None:
        """The search has visited all boards."""
        self._go_back(0)

    def _go_back(self, depth: int) -> None:
        """Take the values out of the cells that were assigned at this depth or deeper."""
        cells = []
        while self._goes_back and self._assigned and self._assigned[-1][0] >= depth:
            cells.append(self._assigned.pop()[1])
        if cells:
            self._record(Reset(self._branch, tuple(cells)))


# The nodes of a search tree with their names and outcomes.


ROOT: Final = "total"


class NodeOutcome(StrEnum):
    """What became of a node."""

    BRANCHES = "branches"
    """The search guessed further."""
    DEAD_END = "dead end"
    SOLUTION = "solution"
    OPEN = "open"
    """The search ended before it visited the node, or in it."""


@dataclass(frozen=True, slots=True)
class Node:
    """A board that the search visits, or would visit next."""

    branch: Branch
    path: tuple[tuple[int, int], ...]
    """The guesses that lead to it: cells with their values."""
    outcome: NodeOutcome
    cell: int | None = None
    """The cell at which the search branches or ends, if there is one."""
    options: int = 0
    """The number of alternatives if the search branches."""


BRANCH_NAMES: Final = "each digit after total is a guess: 1 tries its first value, 2 its second"
"""The meaning of the name of a branch."""


def branch_name(branch: Branch) -> str:
    """The name of a branch: ``total11``, or ``total.1.12`` if a number has two digits."""
    separator = "." if any(number > 9 for number in branch) else ""
    return ROOT + "".join(f"{separator}{number}" for number in branch)


def nodes(events: Iterable[Event]) -> Iterator[Node]:
    """The nodes of a search from its events, each when its outcome is known.

    Open nodes come last. Only the alternatives that wait to be visited are kept.
    """
    waiting: dict[Branch, Node] = {}
    node = Node((), (), NodeOutcome.OPEN)
    for event in events:
        match event:
            case Assigned(rule=None):
                node = waiting.pop(event.branch)
                continue
            case BranchPoint(cell=cell, values=values):
                for number, value in enumerate(values, 1):
                    branch, path = (*node.branch, number), (*node.path, (cell, value))
                    waiting[branch] = Node(branch, path, NodeOutcome.OPEN)
                node = replace(node, outcome=NodeOutcome.BRANCHES, cell=cell, options=len(values))
            case DeadEnd(cell=cell):
                node = replace(node, outcome=NodeOutcome.DEAD_END, cell=cell)
            case SolutionFound():
                node = replace(node, outcome=NodeOutcome.SOLUTION)
            case _:
                continue
        yield node
    if node.outcome is NodeOutcome.OPEN:
        yield node
    yield from sorted(waiting.values(), key=lambda node: (node.branch[:-1], node.branch[-1]))


# The events of a search in words, for a terminal.


def words_of(event: Event, shape: Shape, name_of: Callable[[Branch], str] = branch_name) -> str:
    """An event as a sentence without a full stop; `name_of` gives the names of branches."""
    name = shape.cell_name
    match event:
        case Assigned(conclusion=None, cell=cell, value=value, options=options):
            assignment = f"{name(cell)} is {shape.symbol(value)}"
            number = f"{event.branch[-1]} of {options} ({name_of(event.branch)})"
            return assignment if options == 1 else f"try {assignment}: {number}"
        case Assigned(conclusion=conclusion) | Eliminated(conclusion=conclusion):
            assert conclusion is not None
            return sentence(conclusion, shape)
        case BranchPoint(cell=cell, values=(value,)):
            return f"{name(cell)} can only be {shape.symbol(value)}"
        case BranchPoint(cell=cell, values=values):
            return f"branch at {name(cell)}: {any_of(map(shape.symbol, values))}"
        case DeadEnd(cell=cell, conclusion=None):
            return f"dead end: {name(cell)} has no candidate"
        case DeadEnd(conclusion=conclusion):
            assert conclusion is not None
            cannot = f"{name(conclusion.cell)} cannot be {shape.symbol(conclusion.value)}"
            return f"dead end: {cannot}, but {conclusion.reason.words(shape)}"
        case Reset(cells=cells):
            blank = f"{all_of(map(name, cells))} {'is' if len(cells) == 1 else 'are'} blank"
            if len(cells) > 6:
                blank = f"{len(cells)} cells from {name(cells[-1])} on are blank"
            return f"back from {name_of(event.branch)}: {blank} again"
        case SolutionFound():
            return "the board is a solution of the puzzle"


# TRACKER, TRACKHIST and PAV of a depth-first search.


DEAD_END: Final = 9999
"""In place of a value: the cell has no option."""
PUT_BACK: Final = 0
"""In place of a value: the cell is blank again."""


class TrackerRow(NamedTuple):
    """A row of TRACKER or TRACKHIST."""

    counter: int
    """Assignments and dead ends so far; a cell put back has the counter of the dead end."""
    options: int
    """The options of an assignment, otherwise 0."""
    cell: int
    """The cell from 1, row by row."""
    value: int
    """The value, `DEAD_END` or `PUT_BACK`."""


class Tracker:
    """The state of the search; `history` brings it up to date event by event."""

    def __init__(self) -> None:
        self.current: Final[list[TrackerRow]] = []
        """TRACKER: the current assignments, earliest first."""
        self.tried: Final[dict[int, list[int]]] = {}
        """PAV: the values tried in each cell, by the number of the cell from 1."""
        self._counter = 0

    def history(self, events: Iterable[Event]) -> Iterator[TrackerRow]:
        """TRACKHIST: the rows of these `events`; eliminations and solutions have none."""
        for event in events:
            match event:
                case Assigned():
                    self._counter += 1
                    cell = event.cell + 1
                    guessed_before = 0 if event.rule else event.branch[-1] - 1
                    options = event.options - guessed_before
                    row = TrackerRow(self._counter, options, cell, event.value)
                    self.current.append(row)
                    self.tried.setdefault(cell, []).append(event.value)
                    yield row
                case DeadEnd(cell=cell):
                    self._counter += 1
                    yield TrackerRow(self._counter, 0, cell + 1, DEAD_END)
                case Reset(cells=cells):
                    for cell in cells:
                        row = self.current.pop()
                        if row.options == 1:
                            self.tried.pop(row.cell, None)
                        yield TrackerRow(self._counter, 0, cell + 1, PUT_BACK)
