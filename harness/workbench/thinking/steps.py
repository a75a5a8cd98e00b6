"""Events as steps, each with the marks on the board from which it starts."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from harness.puzzles.puzzle import Puzzle
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Conclusion, Placement
from harness.reasoning.explanation import sentence
from harness.reasoning.ladder import LADDER
from harness.reasoning.rule import Rule
from harness.reasoning.trace.branches import branch_name
from harness.reasoning.trace.events import (
    Assigned,
    Branch,
    DeadEnd,
    Eliminated,
    Event,
    Options,
    Reset,
    Solved,
)
from harness.reasoning.trace.tracker import Tracker
from harness.reasoning.trace.words import words_of
from harness.workbench.thinking.marks import Marks
from harness.workbench.thinking.messages import Kind, StepData


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
            case Options(cell=cell, values=values):
                self._forks[event.branch] = _Fork(self.number + 1, self.board.copy(), self._node)
                words = self._words(event)
                return StepData(Kind.OPTIONS, words, cell=cell, options=values)
            case DeadEnd():
                return self._dead_end(event)
            case Reset():
                return self._back(event)
            case Solved():
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
