"""A step of reasoning as data, which `harness trace` and `hint` print and the workbench shows.

A step is a conclusion of a rule, or another event of a search. It says what changes on the board,
and what a drawing marks on the board before it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from harness.extensions.reasoning.board import (
    Board,
    Candidate,
    Conclusion,
    HasCandidates,
    HasHouses,
    HasPairs,
    HasWalks,
    Link,
    Placement,
    Reason,
    Rule,
    sentence,
)
from harness.extensions.reasoning.ladder import ladder_of
from harness.extensions.reasoning.trace import (
    Assigned,
    Branch,
    BranchPoint,
    DeadEnd,
    Eliminated,
    Event,
    Reset,
    SolutionFound,
    Tracker,
    branch_name,
    words_of,
)
from harness.puzzles import Puzzle, Shape, line_of
from harness.report import Document


class StepKind(StrEnum):
    """The kinds of steps."""

    PLACEMENT = "placement"
    """A rule gives a cell its value."""
    ELIMINATION = "elimination"
    """A rule removes candidates."""
    OPTIONS = "options"
    """The rules conclude nothing more, and the search branches at a cell."""
    GUESS = "guess"
    """The search gives the cell one of its values."""
    DEAD_END = "dead end"
    """The board has no solution."""
    BACK = "back"
    """The search goes back to an earlier branch."""
    SOLUTION = "solution"
    """The board is a solution."""


class CandidateData(Document):
    """A candidate of a cell."""

    cell: str
    """Name of the cell, for example `R1C2`."""
    value: str
    """The symbol."""


class LinkData(Document):
    """A link between two cells; it is strong if both values are equal."""

    source: str
    """Name of the cell from which it leads."""
    target: str
    """Name of the cell to which it leads."""
    value: str
    """Its label. If `source` has not this value, a strong link gives it to `target`; if `source`
    has it, a weak link takes it from `target`."""
    target_value: str
    """Value that `target` then has."""


class ReasoningStep(Document, kw_only=True):
    """A step of reasoning. Keys that its kind does not have are null or empty."""

    kind: StepKind
    """`placement`, `elimination`, `options`, `guess`, `dead end`, `back` or `solution`."""
    words: str
    """The step in words, with the reason of a conclusion."""
    rule: str | None = None
    """Rule of a conclusion, including one that ends in a dead end."""
    rung: int | None = None
    """Number of the rule on the ladder of the shape, from 1."""
    cell: str | None = None
    """Cell that gets a value, at which the search branches, or at which a branch ends."""
    value: str | None = None
    """Value that the cell gets, or at a dead end cannot have."""
    number: int | None = None
    """Number of values that the cell could have; 1 if a rule decides."""
    removed: list[CandidateData] = msgspec.field(default_factory=list)
    """Candidates that a rule removes."""
    options: list[str] = msgspec.field(default_factory=list)
    """Values of a cell at which the search branches, in their order."""
    blank: list[str] = msgspec.field(default_factory=list)
    """Cells that are blank again, latest first."""
    solution: str | None = None
    """Solution as a line."""
    branch: str = ""
    """Name of the node of a search: `total` for the puzzle, `total12` after two guesses."""
    base: int | None = None
    """Number of steps after which the board is the one from which this step starts; null if it
    starts after the step before it."""
    rows: list[list[int]] = msgspec.field(default_factory=list)
    """Rows of TRACKHIST: counter, options, cell from 1, value."""
    cells: list[str] = msgspec.field(default_factory=list)
    """Cells of the reason, whose candidates make a conclusion hold."""
    houses: list[list[str]] = msgspec.field(default_factory=list)
    """Houses of the reason: those of its base, then those that lose candidates."""
    candidates: list[list[CandidateData]] = msgspec.field(default_factory=list)
    """Candidates of the reason that the board has, in groups such as two colours."""
    walks: list[list[LinkData]] = msgspec.field(default_factory=list)
    """Links of each walk of the reason."""
    pairs: list[LinkData] = msgspec.field(default_factory=list)
    """Pairs of cells of the reason; one cell of each pair has the value."""


# Steps from conclusions.


def step_of(conclusion: Conclusion, board: Board, rule: Rule | None = None) -> ReasoningStep:
    """The step from `board` by a conclusion of a rule."""
    shape = board.shape
    step = ReasoningStep(kind=StepKind.PLACEMENT, words=sentence(conclusion, shape))
    if isinstance(conclusion, Placement):
        step.cell, step.value = shape.cell_name(conclusion.cell), shape.symbol(conclusion.value)
        step.number = 1
    else:
        step.kind = StepKind.ELIMINATION
        step.removed = _candidates(conclusion.candidates, shape)
    _add_reason(step, conclusion.reason, board, rule)
    return step


def _add_reason(step: ReasoningStep, reason: Reason, board: Board, rule: Rule | None) -> None:
    """Add a rule and its reason to a step; `board` is the one from which the step starts."""
    shape = board.shape
    if rule is not None:
        ladder = ladder_of(shape)
        step.rule = rule.name
        # An alternative to the first rung has the number of that rung.
        step.rung = ladder.index(rule) + 1 if rule in ladder else 1
    step.cells = [*map(shape.cell_name, reason.cells)]
    cells = frozenset(reason.cells)
    if isinstance(reason, HasHouses):
        step.houses = [[*map(str, group)] for group in reason.houses if group]
    elif len(cells) == shape.size:
        step.houses = [[str(house)] for house in shape.houses if cells == {*house.cells}][:1]
    for group in reason.candidates if isinstance(reason, HasCandidates) else ():
        possible = [
            (cell, value) for cell, value in group if board.candidates[cell] >> value - 1 & 1
        ]
        if possible:
            step.candidates.append(_candidates(possible, shape))
    if isinstance(reason, HasWalks):
        step.walks = [[_link(link, shape) for link in walk] for walk in reason.walks if walk]
    if isinstance(reason, HasPairs):
        step.pairs = [_link(link, shape) for link in reason.links]


def _candidates(candidates: Iterable[Candidate], shape: Shape) -> list[CandidateData]:
    return [CandidateData(shape.cell_name(cell), shape.symbol(v)) for cell, v in candidates]


def _link(link: Link, shape: Shape) -> LinkData:
    name, symbol = shape.cell_name, shape.symbol
    values = symbol(link.value), symbol(link.target_value)
    return LinkData(name(link.source), name(link.target), *values)


# Steps from the events of a search.


class _Fork(NamedTuple):
    """A board at which the search branches."""

    number: int
    """The number of steps after which the board is reached."""
    board: Board


class Steps:
    """Makes steps from the events of one search, in their order.

    Args:
        puzzle: the puzzle.
        goes_back: whether the search is depth first, and so has a history of one board.
        name: names a branch.
    """

    def __init__(
        self, puzzle: Puzzle, *, goes_back: bool, name: Callable[[Branch], str] = branch_name
    ) -> None:
        self.board = Board(puzzle)
        """The board after the last step."""
        self.number = 0
        """The number of steps so far."""
        self._shape: Final = puzzle.shape
        self._name: Final = name
        self._tracker: Final = Tracker() if goes_back else None
        self._start: Final = _Fork(0, self.board.copy())
        self._forks: dict[Branch, _Fork] = {}
        self._depths: Final[list[int]] = []
        """The depth of each assignment of the current branch."""

    def step(self, event: Event) -> ReasoningStep:
        """The step of an event."""
        step = self._step(event)
        step.branch = self._name(event.branch)
        if self._tracker is not None:
            step.rows = [*map(list, self._tracker.history([event]))]
        self.number += 1
        return step

    def _step(self, event: Event) -> ReasoningStep:
        if isinstance(event, Assigned | Eliminated) and event.conclusion is not None:
            if isinstance(event, Assigned):
                self._depths.append(len(event.branch))
            step = step_of(event.conclusion, self.board, event.rule)
            self.board.apply(event.conclusion)
            return step
        shape = self._shape
        words = words_of(event, shape, self._name)
        match event:
            case Assigned():
                return self._guess(event, words)
            case BranchPoint(cell=cell, values=values):
                self._forks[event.branch] = _Fork(self.number + 1, self.board.copy())
                step = ReasoningStep(kind=StepKind.OPTIONS, words=words)
                step.cell, step.options = shape.cell_name(cell), [*map(shape.symbol, values)]
                return step
            case DeadEnd(cell=cell, rule=rule, conclusion=conclusion):
                step = ReasoningStep(kind=StepKind.DEAD_END, words=words)
                step.cell = shape.cell_name(cell)
                if conclusion is not None:
                    step.value = shape.symbol(conclusion.value)
                    _add_reason(step, conclusion.reason, self.board, rule)
                return step
            case Reset():
                return self._back(event, words)
            case SolutionFound(grid=grid):
                return ReasoningStep(kind=StepKind.SOLUTION, words=words, solution=line_of(grid))
        raise AssertionError(event)

    def _guess(self, event: Assigned, words: str) -> ReasoningStep:
        branch = event.branch
        fork = self._forks[branch[:-1]]
        if self._tracker is not None:
            self._forks = {at: fork for at, fork in self._forks.items() if at == branch[: len(at)]}
        elif branch[-1] == event.options:
            del self._forks[branch[:-1]]
        base = self._go_to(fork)
        self.board.place(event.cell, event.value)
        self._depths.append(len(branch))
        return ReasoningStep(
            kind=StepKind.GUESS,
            words=words,
            base=base,
            cell=self._shape.cell_name(event.cell),
            value=self._shape.symbol(event.value),
            number=event.options,
        )

    def _back(self, event: Reset, words: str) -> ReasoningStep:
        depth = min(self._depths[-len(event.cells) :])
        del self._depths[-len(event.cells) :]
        fork = self._forks[event.branch[: depth - 1]] if depth else self._start
        base = self._go_to(fork)
        blank = [*map(self._shape.cell_name, event.cells)]
        return ReasoningStep(kind=StepKind.BACK, words=words, base=base, blank=blank)

    def _go_to(self, fork: _Fork) -> int | None:
        """Go on from the board of a fork; return its number, or None if it is the current step."""
        self.board = fork.board.copy()
        return None if fork.number == self.number else fork.number


# What a drawing marks, as numbers of cells and values.


@dataclass(frozen=True, slots=True)
class Marks:
    """What a step marks on the board from which it starts."""

    placed: Candidate | None = None
    removed: list[Candidate] = field(default_factory=list)
    cells: list[int] = field(default_factory=list)
    """The cells of the reason."""
    houses: list[list[tuple[int, ...]]] = field(default_factory=list)
    """The cells of the houses of the reason, in its groups."""
    candidates: list[list[Candidate]] = field(default_factory=list)
    """The candidates of the reason in its groups, or those that a search tries."""
    walks: list[list[Link]] = field(default_factory=list)
    pairs: list[Link] = field(default_factory=list)


def marks_of(step: ReasoningStep, shape: Shape) -> Marks:
    """The marks of a step of a puzzle of this shape.

    Raises:
        KeyError: a cell, a value or a house is not in the shape.
    """
    cells = {shape.cell_name(cell): cell for cell in range(shape.size**2)}
    values = {shape.symbol(value): value for value in range(1, shape.size + 1)}
    houses = {str(house): house.cells for house in shape.houses}

    def candidates(group: Iterable[CandidateData]) -> list[Candidate]:
        return [(cells[candidate.cell], values[candidate.value]) for candidate in group]

    def links(group: Iterable[LinkData]) -> list[Link]:
        return [
            Link(
                cells[link.source],
                cells[link.target],
                values[link.value],
                values[link.target_value],
                None,
            )
            for link in group
        ]

    groups = [candidates(group) for group in step.candidates]
    placement = None
    if step.cell is not None:
        cell = cells[step.cell]
        if step.options:
            groups = [[(cell, values[value]) for value in step.options]]
        elif step.kind is StepKind.PLACEMENT and step.value is not None:
            placement = cell, values[step.value]
    return Marks(
        placement,
        candidates(step.removed),
        [cells[name] for name in step.cells],
        [[houses[name] for name in group] for group in step.houses],
        groups,
        [links(walk) for walk in step.walks],
        links(step.pairs),
    )
