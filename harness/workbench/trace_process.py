"""A process that finds the steps of one trace.

    python -m harness.workbench.trace_process

It reads a query from standard input, a line of JSON, and writes each step when it is found. It
ends at SIGTERM, and when its input ends, as it does when the server ends.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from harness.engine.system.kernel import confine
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.sanity import check
from harness.puzzles.shape import House, Shape
from harness.reasoning.board import (
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
from harness.reasoning.drawing import candidates_of, walks_of
from harness.reasoning.ladder import LADDER, rung
from harness.reasoning.rating import hardest_rule, level_of
from harness.reasoning.search import Order, Search, Strategy
from harness.reasoning.solving import house_without_cell, steps
from harness.reasoning.trace import (
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
    branch_name,
    words_of,
)
from harness.text import number_of
from harness.workbench.trace_messages import (
    MOST_BYTES,
    DifficultyData,
    EndData,
    Ending,
    Kind,
    Line,
    StepData,
    TraceQuery,
)

# The level of a puzzle, and the hardest rule that it needs.


def difficulty_of(puzzle: Puzzle) -> DifficultyData:
    """The difficulty; its names are empty for a puzzle without exactly one solution."""
    level = level_of(puzzle)
    if level is None:
        return DifficultyData("", "")
    return DifficultyData(level.value, hardest_rule(puzzle) or "")


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
            return EndData(Ending.GIVEN, "The puzzle is solved: every cell has a value.")
        if board.refuted:
            found = list(check(self._puzzle).findings()) or [house_without_cell(board)]
            return EndData(Ending.CONTRADICTORY, f"The puzzle has no solution: {found[0]}.")
        number = self._by_rules(board)
        if board.finished:
            words = f"The rules solve the puzzle in {number_of(number, 'step')}."
            return EndData(Ending.SOLVED, words, solutions=1)
        if not all(board.candidates):
            return EndData(Ending.COMPLETE, "The puzzle has no solution: the rules prove it.")
        if not self._searches:
            words = "No rule applies, so only a guess leads further."
            if self._rules:
                words += f" The last rule tried is the rule {self._rules[-1].name}."
            return EndData(Ending.STUCK, words)
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
        ending = Ending.SOLVED if number == self._most else Ending.COMPLETE
        return EndData(
            ending,
            _words(ending, number, self._most),
            solutions=number,
            nodes=search.nodes,
            guesses=search.guesses,
            dead_ends=search.dead_ends,
        )


def _words(ending: Ending, number: int, most: int) -> str:
    """The result of a search as a sentence."""
    if ending is Ending.SOLVED:
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


class Steps:
    """Makes steps of the events of one puzzle, which come depth first."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.board = Board(puzzle)
        """The board after the last step."""
        self.number = 0
        """The steps so far."""
        self._shape: Final = puzzle.shape
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
                return StepData(Kind.OPTIONS, words, cell=cell, options=values)
            case DeadEnd():
                return self._dead_end(event)
            case Reset():
                return self._back(event)
            case SolutionFound():
                return StepData(Kind.SOLUTION, self._words(event))

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
            Kind.GUESS,
            self._words(event),
            base=self._base(fork.number),
            cell=event.cell,
            value=event.value,
            parent=fork.node,
            branch=_short(branch),
            number=branch[-1],
        )

    def _concluded(self, rule: Rule, conclusion: Conclusion) -> StepData:
        step = StepData(Kind.PLACEMENT, sentence(conclusion, self._shape))
        _set_rule(step, rule)
        self._marks.add(step, conclusion.reason, self.board)
        if isinstance(conclusion, Placement):
            step.cell, step.value = conclusion.cell, conclusion.value
        else:
            step.kind = Kind.ELIMINATION
            step.removed = list(conclusion.candidates)
        self.board.apply(conclusion)
        return step

    def _dead_end(self, event: DeadEnd) -> StepData:
        step = StepData(Kind.DEAD_END, self._words(event), cell=event.cell)
        if event.rule is not None and event.conclusion is not None:
            _set_rule(step, event.rule)
            self._marks.add(step, event.conclusion.reason, self.board)
            step.value = event.conclusion.value
        return step

    def _back(self, event: Reset) -> StepData:
        depth = min(self._depths[-len(event.cells) :])
        del self._depths[-len(event.cells) :]
        fork = self._forks[event.branch[: depth - 1]]
        self.board, self._node = fork.board.copy(), fork.node
        return StepData(
            Kind.BACK,
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


def _set_rule(step: StepData, rule: Rule, ladder: Sequence[Rule] = LADDER) -> None:
    """Give a step its rule; an alternative to the first rung has its number."""
    step.rule = rule.name
    step.rung = ladder.index(rule) + 1 if rule in ladder else 1


# A process that finds the steps of one trace.


class _Full(Exception):
    """Ends the reasoning at a limit, which is the message."""


class _Writer:
    """Writes the steps of events to standard output, up to a limit."""

    def __init__(self, steps: Steps, most: int) -> None:
        self._steps = steps
        self._most = most
        self._bytes = 0

    def take(self, event: Event) -> None:
        """Write the step of an event.

        Raises:
            _Full: the trace has as many steps or bytes as it may have.
        """
        if self._steps.number >= self._most:
            raise _Full(number_of(self._most, "step"))
        if self._bytes > MOST_BYTES:
            raise _Full(number_of(MOST_BYTES, "byte"))
        step = msgspec.Raw(msgspec.json.encode(self._steps.of(event)))
        self._bytes += write(Line(step=step))


def write(line: Line) -> int:
    """Write a line to standard output; returns its bytes."""
    data = msgspec.json.encode(line) + b"\n"
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    return len(data)


def rules_up_to(name: str) -> tuple[Rule, ...]:
    """The rules of the ladder up to one; all for an empty name, none for ``none``.

    Raises:
        InputError: there is no such rule.
    """
    if name == "none":
        return ()
    return rung(name) if name else LADDER


def trace(query: TraceQuery) -> None:
    """Write the steps of a trace, its end, and the difficulty of the puzzle."""
    puzzle = query.puzzle()
    writer = _Writer(Steps(puzzle), query.most_steps)
    reasoning = Reasoning(
        puzzle,
        rules_up_to(query.up_to),
        writer.take,
        searches=query.searches,
        order=query.order,
        solutions=query.solutions,
    )
    try:
        end = reasoning.run()
    except _Full as full:
        end = EndData(Ending.LIMIT, f"The trace ends here, at its limit of {full}.")
    write(Line(end=end))
    if end.ending is not Ending.CONTRADICTORY:
        # Its import takes longer than the first step of most puzzles.

        write(Line(difficulty=difficulty_of(puzzle)))


def main() -> None:
    """Trace the query of standard input."""
    query = msgspec.json.decode(sys.stdin.buffer.readline(), type=TraceQuery)
    confine(query.cores)

    def watch() -> None:
        while os.read(0, 2**12):
            pass
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()
    try:
        trace(query)
    except BrokenPipeError:
        os._exit(0)  # the server is gone, so the buffer cannot be written either


if __name__ == "__main__":
    main()
