"""The events of the reasoning: rules step by step, then a search where they end."""

from collections.abc import Sequence
from typing import Final

from harness.puzzles.puzzle import Puzzle
from harness.puzzles.sanity import check
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Placement
from harness.reasoning.order import Order
from harness.reasoning.refutation import house_without_cell
from harness.reasoning.rule import Rule
from harness.reasoning.search import Search, Strategy
from harness.reasoning.solving import steps
from harness.reasoning.trace.events import Recorder
from harness.reasoning.trace.recording import Recording
from harness.text import number_of
from harness.workbench.thinking.messages import EndData, Ending


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
