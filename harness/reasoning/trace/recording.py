"""Makes the events of a search."""

from collections.abc import Sequence

from harness.reasoning.board import Board
from harness.reasoning.conclusion import Conclusion, Placement
from harness.reasoning.rule import Rule
from harness.reasoning.trace.events import (
    Assigned,
    Branch,
    DeadEnd,
    Eliminated,
    Options,
    Recorder,
    Reset,
    Solved,
)


class Recording:
    """The events of one search, for its recorder."""

    def __init__(self, recorder: Recorder, goes_back: bool) -> None:
        """Make events for `recorder`; of going back too if the search does (depth first)."""
        self._record = recorder
        self._goes_back = goes_back
        self._assigned: list[tuple[int, int]] = []
        """The depth and the cell of each assignment of the present branch."""
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
        """A rule changed the board of `branch`, which may be without a solution since."""
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
        """The search branches at a cell; if it has no candidate, that is a dead end."""
        if values:
            self._record(Options(branch, cell, tuple(values)))
        else:
            self.dead_end(branch, board)

    def dead_end(self, branch: Branch, board: Board) -> None:
        """A cell of `board` has no candidate, or has to have another value than it can."""
        if self._contradiction is None:
            self._record(DeadEnd(branch, board.candidates.index(0)))
        else:
            rule, placement = self._contradiction
            self._contradiction = None
            self._record(DeadEnd(branch, placement.cell, rule, placement))

    def solved(self, branch: Branch, board: Board) -> None:
        """The board is a solution."""
        self._record(Solved(branch, board.grid))

    def end(self) -> None:
        """The search has visited all boards."""
        self._go_back(0)

    def _go_back(self, depth: int) -> None:
        """Take the values out of the cells that were assigned at this depth and below."""
        cells = []
        while self._goes_back and self._assigned and self._assigned[-1][0] >= depth:
            cells.append(self._assigned.pop()[1])
        if cells:
            self._record(Reset(self._branch, tuple(cells)))
