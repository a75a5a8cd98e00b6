"""The steps of one trace: the rules, then a search, as data for the page.

`trace` finds them in a process of its own, and puts each when it is found.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta, Raw, Struct

from harness.base.text import number_of
from harness.engine.system.kernel import confine
from harness.extensions.reasoning.board import (
    Board,
    Conclusion,
    HasHouses,
    HasPairs,
    Link,
    Placement,
    Reason,
    Rule,
    sentence,
)
from harness.extensions.reasoning.drawing import candidates_of, walks_of
from harness.extensions.reasoning.ladder import LADDER, ladder_of, rung
from harness.extensions.reasoning.rating import hardest_rule, level_of
from harness.extensions.reasoning.search import Order, Search, Strategy
from harness.extensions.reasoning.solving import contradictions_in, steps
from harness.extensions.reasoning.trace import (
    Assigned,
    Branch,
    BranchPoint,
    DeadEnd,
    Eliminated,
    Event,
    Recorder,
    Recording,
    Reset,
    SolutionFound,
    Tracker,
    TrackerRow,
    branch_name,
    words_of,
)
from harness.extensions.workbench.answering import Put
from harness.extensions.workbench.boards import PuzzleData
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import House, Shape

# What is traced, and what is known of it.


MOST_STEPS: Final = 20_000
"""Steps of a trace at most."""
MOST_BYTES: Final = 2**24
"""Bytes of all steps of a trace at most."""


class NewTrace(Struct, forbid_unknown_fields=True):
    """A trace that a page requests."""

    page: Annotated[str, Meta(min_length=8, max_length=64)]
    """The name of the page."""
    puzzle: PuzzleData
    up_to: Annotated[str, Meta(max_length=60)] = ""
    """The last rule of the ladder; empty for all rules, ``none`` for no rule."""
    searches: bool = True
    order: Order = Order.FEWEST
    solutions: Annotated[int, Meta(ge=1, le=MOST_STEPS)] = 1
    most_steps: Annotated[int, Meta(ge=1, le=MOST_STEPS)] = 5_000
    timeout_s: Annotated[float, Meta(gt=0, le=3_600)] = 120.0


class TraceQuery(Struct, frozen=True):
    """What is traced, and where."""

    new: NewTrace
    cores: tuple[int, ...]
    """The cores on which the process may run; empty for all."""


class StepKind(StrEnum):
    """The kinds of steps."""

    PLACEMENT = "placement"
    """A rule gives a cell its value."""
    ELIMINATION = "elimination"
    """A rule removes candidates."""
    OPTIONS = "options"
    """No rule concludes anything, and the search branches at a cell."""
    GUESS = "guess"
    """The search gives the cell one of its values."""
    DEAD_END = "dead end"
    """The board has no solution."""
    BACK = "back"
    """The search goes back to an earlier branch."""
    SOLUTION = "solution"


class StepData(Struct, omit_defaults=True):
    """A step: what changes on the board, and what a drawing marks on the board before it.

    Each step starts from the board after the step before it, except where `base` names another.
    """

    kind: StepKind
    words: str
    """The step as a sentence without a full stop."""
    rule: str = ""
    rung: int = 0
    """The number of the rule on the ladder of the shape, from 1; 0 for a step without a rule."""
    base: int | None = None
    """The number of steps after which the board is the one from which this step starts."""
    cell: int | None = None
    """The cell that gets a value, at which the search branches, or at which a branch ends."""
    value: int = 0
    removed: list[tuple[int, int]] = []
    """The cells and values of candidates that are removed."""
    options: tuple[int, ...] = ()
    """The values that the search tries."""
    blank: tuple[int, ...] = ()
    """The cells that are blank again."""
    cells: tuple[int, ...] = ()
    """The cells of the reason, unless they are all cells of a house in `houses`."""
    houses: list[list[int]] = []
    """The numbers of the houses of the reason, in its groups."""
    groups: list[list[tuple[int, int]]] = []
    """The candidates of the reason that the board has, in its groups."""
    walks: list[list[tuple[int, int, int, int]]] = []
    """The links of each walk: source, target, the label, and the value that the target gets.
    A link is strong if both values are equal."""
    pairs: list[tuple[int, int, int]] = []
    """Pairs of cells with a value that one of both has."""
    node: int = 0
    """The node of the search tree to which the board belongs; 0 for the puzzle itself."""
    parent: int = 0
    """The node from which a guess starts."""
    branch: str = ""
    """The name of the node of a guess: ``total12``."""
    number: int = 0
    """The number of a guess among the alternatives, from 1."""
    rows: list[TrackerRow] = []
    """Rows of TRACKHIST: counter, options, cell from 1, value."""


class TraceEnding(StrEnum):
    """Why a trace ended."""

    SOLVED = "solved"
    """The rules, or the search for as many solutions as requested, found them."""
    COMPLETE = "complete"
    """The search visited all boards."""
    STUCK = "stuck"
    """The rules conclude nothing more, and no search was requested."""
    GIVEN = "given"
    """Every cell of the puzzle has its value."""
    CONTRADICTORY = "contradictory"
    """The givens contradict each other."""
    LIMIT = "limit"
    """The trace has as many steps as requested, or too many bytes."""
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    FAILED = "failed"


class EndData(Struct):
    """How a trace ended."""

    ending: TraceEnding
    words: str
    """The same as a sentence."""
    solutions: int = 0
    nodes: int = 0
    guesses: int = 0
    dead_ends: int = 0


class DifficultyData(Struct):
    """How difficult the puzzle is."""

    level: str
    """The level of the puzzle; empty without exactly one solution, and with constraints."""
    hardest: str
    """The hardest rule that the puzzle needs; empty without exactly one solution."""


class TracePart(Struct, omit_defaults=True):
    """A part of a trace: one of these."""

    step: Raw = Raw()
    end: EndData | None = None
    difficulty: DifficultyData | None = None


# The level of a puzzle, and the hardest rule that it needs.


def difficulty_of(puzzle: Puzzle) -> DifficultyData:
    """The difficulty; its names are empty for a puzzle without exactly one solution."""
    level = level_of(puzzle)
    return DifficultyData("" if level is None else level.value, hardest_rule(puzzle) or "")


# What a drawing marks of a reason, as numbers of cells, houses and values.


class Marks:
    """Adds the marks of reasons to steps."""

    def __init__(self, shape: Shape) -> None:
        self._by_house = {of: at for at, of in enumerate(shape.houses)}
        self._by_cells = {frozenset(of.cells): at for at, of in enumerate(shape.houses)}

    def add(self, step: StepData, reason: Reason, board: Board) -> None:
        """Add the marks of a reason; `board` is the one from which the step starts."""
        groups = reason.houses if isinstance(reason, HasHouses) else ()
        step.houses = [self._numbers(group) for group in groups if group]
        whole = self._by_cells.get(frozenset(reason.cells))
        if whole is None:
            step.cells = tuple(reason.cells)
        elif not step.houses:
            step.houses = [[whole]]
        step.groups = [group for group in candidates_of(reason, board) if group]
        step.walks = [[_link(link) for link in walk] for walk in walks_of(reason) if walk]
        if isinstance(reason, HasPairs):
            step.pairs = [(link.source, link.target, link.value) for link in reason.links]

    def _numbers(self, houses: Iterable[House]) -> list[int]:
        return [self._by_house[house] for house in houses]


def _link(link: Link) -> tuple[int, int, int, int]:
    return link.source, link.target, link.value, link.target_value


# The events of the reasoning: rules step by step, then a search where they end.


class Reasoning:
    """The rules on a puzzle as a person applies them, then a search depth first.

    Each step is the first conclusion of the simplest rule that has one. The search begins with
    the board that the rules leave, and applies them between two guesses.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        rules: Sequence[Rule],
        record: Recorder,
        *,
        searches: bool = True,
        order: Order = Order.FEWEST,
        solutions: int = 1,
    ) -> None:
        """Prepare the reasoning.

        Args:
            puzzle: the puzzle.
            rules: the rules, the simplest first: a rung of the ladder, or none.
            record: receives each event when it happens.
            searches: whether a search follows the rules.
            order: the cell at which the search branches.
            solutions: the number of solutions at which the search ends.
        """
        self._puzzle: Final = puzzle
        self._rules: Final = rules
        self._record: Final = record
        self._searches: Final = searches
        self._order: Final = order
        self._most: Final = solutions

    def run(self) -> EndData:
        """Find all events; returns how the reasoning ended."""
        board = Board(self._puzzle)
        if board.finished:
            return EndData(TraceEnding.GIVEN, "The puzzle is solved: every cell has a value.")
        if board.refuted:
            words = ": ".join(["The puzzle has no solution", *contradictions_in(self._puzzle)[:1]])
            return EndData(TraceEnding.CONTRADICTORY, f"{words}.")
        number = self._by_rules(board)
        if board.finished:
            words = f"The rules solve the puzzle in {number_of(number, 'step')}."
            return EndData(TraceEnding.SOLVED, words, solutions=1)
        if not all(board.candidates):
            return EndData(TraceEnding.COMPLETE, "The puzzle has no solution: the rules prove it.")
        if not self._searches:
            words = "No rule applies, so only a guess leads further."
            if self._rules:
                words += f" The last rule tried is the rule {self._rules[-1].name}."
            return EndData(TraceEnding.STUCK, words)
        return self._by_search(board if number else None)

    def _by_rules(self, board: Board) -> int:
        """Apply the rules step by step; returns the number of steps."""
        recording = Recording(self._record, goes_back=True)
        number = 0
        contradicts = False
        for step in steps(board, self._rules):
            number += 1
            recording.concluded((), step.rule, step.conclusion, board)
            conclusion = step.conclusion
            contradicts = (
                isinstance(conclusion, Placement) and not board.candidates[conclusion.cell]
            )
        if contradicts or not all(board.candidates):
            recording.dead_end((), board)
        elif board.finished:
            recording.solved((), board)
        return number

    def _by_search(self, board: Board | None) -> EndData:
        """Search from `board`, or from the puzzle itself; returns how the search ended."""
        puzzle = self._puzzle
        if board is not None:
            puzzle = Puzzle(puzzle.shape, tuple(board.values), tuple(board.candidates))
        search = Search(puzzle, Strategy(self._rules, self._order), self._record)
        number = 0
        for _ in search.solutions():
            number += 1
            if number == self._most:
                break
        ending = TraceEnding.SOLVED if number == self._most else TraceEnding.COMPLETE
        return EndData(
            ending,
            _words(ending, number, self._most),
            solutions=number,
            nodes=search.nodes,
            guesses=search.guesses,
            dead_ends=search.dead_ends,
        )


def _words(ending: TraceEnding, number: int, most: int) -> str:
    """The result of a search as a sentence."""
    if ending is TraceEnding.SOLVED:
        return (
            "The search found a solution."
            if most == 1
            else f"The search found {number_of(number, 'solution')}, and ended there."
        )
    if not number:
        return "The puzzle has no solution: the search visited every branch."
    return f"The search visited every branch: {number_of(number, 'solution')} in all."


# Events as steps, each with the marks on the board from which it starts.


class _Fork(NamedTuple):
    """A board at which the search branches."""

    number: int
    """The number of steps after which it is there."""
    board: Board
    node: int


_LONGEST_NAME: Final = 24
"""Characters of the name of a branch; a search of a large board has hundreds of guesses."""


class TraceSteps:
    """Makes steps of the events of one puzzle, which come depth first."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.board = Board(puzzle)
        """The board after the last step."""
        self.number = 0
        """The steps so far."""
        self._shape: Final = puzzle.shape
        self._ladder: Final = ladder_of(puzzle.shape)
        self._marks: Final = Marks(puzzle.shape)
        self._tracker: Final = Tracker()
        self._forks: dict[Branch, _Fork] = {}
        self._depths: Final[list[int]] = []
        """The depth of each assignment of the present branch."""
        self._node = 0
        self._nodes = 1

    def of(self, event: Event) -> StepData:
        """The step of an event."""
        step = self._step(event)
        step.node = self._node
        step.rows = list(self._tracker.history([event]))
        self.number += 1
        return step

    def _step(self, event: Event) -> StepData:
        match event:
            case Assigned(rule=None):
                return self._guess(event)
            case Assigned(rule=rule, conclusion=conclusion):
                assert rule is not None
                assert conclusion is not None
                self._depths.append(len(event.branch))
                return self._concluded(rule, conclusion)
            case Eliminated(rule=rule, conclusion=conclusion):
                return self._concluded(rule, conclusion)
            case BranchPoint(cell=cell, values=values):
                self._forks[event.branch] = _Fork(self.number + 1, self.board.copy(), self._node)
                words = self._words(event)
                return StepData(StepKind.OPTIONS, words, cell=cell, options=values)
            case DeadEnd():
                return self._dead_end(event)
            case Reset():
                return self._back(event)
            case SolutionFound():
                return StepData(StepKind.SOLUTION, self._words(event))

    def _guess(self, event: Assigned) -> StepData:
        branch = event.branch
        self._forks = {of: fork for of, fork in self._forks.items() if of == branch[: len(of)]}
        fork = self._forks[branch[:-1]]
        self.board = fork.board.copy()
        self.board.place(event.cell, event.value)
        self._depths.append(len(branch))
        self._node = self._nodes
        self._nodes += 1
        return StepData(
            StepKind.GUESS,
            self._words(event),
            base=self._base(fork.number),
            cell=event.cell,
            value=event.value,
            parent=fork.node,
            branch=_short(branch),
            number=branch[-1],
        )

    def _concluded(self, rule: Rule, conclusion: Conclusion) -> StepData:
        step = StepData(StepKind.PLACEMENT, sentence(conclusion, self._shape))
        self._set_rule(step, rule)
        self._marks.add(step, conclusion.reason, self.board)
        if isinstance(conclusion, Placement):
            step.cell, step.value = conclusion.cell, conclusion.value
        else:
            step.kind = StepKind.ELIMINATION
            step.removed = list(conclusion.candidates)
        self.board.apply(conclusion)
        return step

    def _set_rule(self, step: StepData, rule: Rule) -> None:
        """Give a step its rule; an alternative to the first rung has its number."""
        step.rule = rule.name
        step.rung = self._ladder.index(rule) + 1 if rule in self._ladder else 1

    def _dead_end(self, event: DeadEnd) -> StepData:
        step = StepData(StepKind.DEAD_END, self._words(event), cell=event.cell)
        if event.rule is not None and event.conclusion is not None:
            self._set_rule(step, event.rule)
            self._marks.add(step, event.conclusion.reason, self.board)
            step.value = event.conclusion.value
        return step

    def _back(self, event: Reset) -> StepData:
        depth = min(self._depths[-len(event.cells) :])
        del self._depths[-len(event.cells) :]
        fork = self._forks[event.branch[: depth - 1]]
        self.board, self._node = fork.board.copy(), fork.node
        return StepData(
            StepKind.BACK,
            self._words(event),
            base=self._base(fork.number),
            blank=event.cells,
        )

    def _words(self, event: Event) -> str:
        """An event in words, with a short name of its branch."""
        words = words_of(event, self._shape)
        return words.replace(branch_name(event.branch), _short(event.branch))

    def _base(self, number: int) -> int | None:
        """The step after which the board is there; None if that is the last step."""
        return None if number == self.number else number


def _short(branch: Branch) -> str:
    """The name of a branch; of a long one the beginning, the end, and the number of guesses."""
    name = branch_name(branch)
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[:8]}..{name[-6:]} with {len(branch)} guesses"


# The trace: the steps, how they end, and the difficulty of the puzzle.


class _Full(Exception):
    """Ends the reasoning at a limit, which is the message."""


class _Writer:
    """Puts the steps of events, up to a limit."""

    def __init__(self, steps: TraceSteps, most: int, put: Put) -> None:
        self._steps, self._most, self._put = steps, most, put
        self._bytes = 0

    def take(self, event: Event) -> None:
        """Put the step of an event.

        Raises:
            _Full: the trace has as many steps or bytes as it may have.
        """
        if self._steps.number >= self._most:
            raise _Full(number_of(self._most, "step"))
        if self._bytes > MOST_BYTES:
            raise _Full(number_of(MOST_BYTES, "byte"))
        step = Raw(msgspec.json.encode(self._steps.of(event)))
        self._bytes += len(step)
        self._put(TracePart(step=step))


def rules_up_to(name: str) -> tuple[Rule, ...]:
    """The rules of the ladder up to one; all for an empty name, none for ``none``.

    Raises:
        InputError: there is no such rule.
    """
    if name == "none":
        return ()
    return rung(name) if name else LADDER


def trace(query: TraceQuery, put: Put) -> None:
    """Put the steps of a trace, its end, and the difficulty of the puzzle."""
    confine(query.cores)
    new = query.new
    puzzle = new.puzzle.puzzle()
    reasoning = Reasoning(
        puzzle,
        rules_up_to(new.up_to),
        _Writer(TraceSteps(puzzle), new.most_steps, put).take,
        searches=new.searches,
        order=new.order,
        solutions=new.solutions,
    )
    try:
        end = reasoning.run()
    except _Full as full:
        end = EndData(TraceEnding.LIMIT, f"The trace ends here, at its limit of {full}.")
    put(TracePart(end=end))
    if end.ending is not TraceEnding.CONTRADICTORY:
        put(TracePart(difficulty=difficulty_of(puzzle)))
