"""A base class for backends that choose candidates.

    class Mine(CoverBackend):
        name, paradigm = "mine", "exact cover"

        def choices(self, question):
            model = build(question.candidates.groups)     # exactly one per group holds
            question.search()
            while (chosen := model.solve()) is not None:
                yield chosen
                model.forbid(chosen)

`solve` takes the first choice and `count` up to its limit. The base class answers
puzzles that need no solver: contradictory givens, and full grids.
"""

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from functools import partial
from typing import ClassVar

from harness.contract.answers import Answer, Count, PhaseTimer
from harness.contract.backend import Backend, O, Restriction, require_solutions
from harness.puzzles import Puzzle, Shape
from harness.puzzles.search import Candidates

Choices = Generator[Iterable[int], None, None]
"""The candidates of each solution."""


class GaveUp(Exception):
    """The solver stopped without a proof that no more solutions exist."""


class CoverQuestion:
    """One call: the candidates of a puzzle, and the number of solutions wanted."""

    def __init__(
        self, puzzle: Puzzle, limit: int, seconds: float | None, *, linear: bool = False
    ) -> None:
        self.timer = PhaseTimer()
        self.candidates = Candidates(puzzle, linear=linear)
        self.limit = limit
        self._reachable = limit
        self.seconds = seconds
        """The caller's time limit for the solver, None for no limit."""
        self.stats: dict[str, int | float] = {
            "variables": len(self.candidates),
            "constraints": len(self.candidates.groups) + self.candidates.encoding.size,
        }
        """Statistics of the call; a backend adds those of its solver."""

    def search(self) -> None:
        """End the phase *encode* and start the phase *search*."""
        self.timer.search()

    def limit_within(self, most: int) -> int:
        """The limit for a solver whose own limit is at most `most`.

        A count that stops at `most` is a lower bound.
        """
        self._reachable = min(self.limit, most)
        return self._reachable

    def is_reached_by(self, number: int) -> bool:
        """Whether a search with `number` solutions stopped at the limit."""
        return number >= self._reachable

    def answer_without_search(self) -> Count | None:
        """The answer if the candidates alone decide the puzzle; otherwise None."""
        if self.candidates.refuted:
            return Count(0, exact=True)
        if not len(self.candidates):
            return Count(1, exact=True, witness=self.candidates.puzzle.givens)
        return None


class CoverBackend(Backend[O]):
    """A backend that chooses exactly one candidate of each group; see `Candidates`."""

    counts_natively = True
    takes = frozenset({Restriction.PENCILMARKS, Restriction.PAIRS})
    linear: ClassVar[bool] = False
    """Whether constraints have rows in `Candidates.encoding`; otherwise they have clauses. A
    backend that heeds all groups takes relations; a backend that also heeds the clauses or rows
    takes everything."""

    def __init__(self, shape: Shape, options: O) -> None:
        self.options = options

    @abstractmethod
    def choices(self, question: CoverQuestion) -> Choices:
        """Each solution once: all, or at least `question.limit` of them.

        If the solver takes its limit as an integer of fixed size, pass `question.limit_within`.

        The puzzle has at least one candidate, and one in every group.

        Args:
            question: the candidates of the puzzle, and the limits.

        Raises:
            GaveUp: more solutions may exist.
        """

    def tally(self, question: CoverQuestion) -> Count:
        """The number of solutions, up to `question.limit`, by counting the choices.

        Override it for a solver that counts without listing solutions. The caller adds statistics
        and times, and calls no number exact that reaches the limit.

        Args:
            question: the candidates of the puzzle, and the limits.
        """
        candidates = question.candidates
        number, grid, complete = 0, None, True
        with closing(self.choices(question)) as choices:
            try:
                for choice in choices:
                    number += 1
                    if grid is None:
                        grid = candidates.grid(choice)
                    if question.is_reached_by(number):
                        break
            except GaveUp:
                complete = False
        return Count(number, complete and not question.is_reached_by(number), grid)

    def solve(self, puzzle: Puzzle) -> Answer:
        """The first choice for `puzzle`, or the proof that none exists.

        Raises:
            Unsupported: the backend only counts.
        """
        require_solutions(self)
        return self._count(puzzle, 1, partial(CoverBackend.tally, self)).answer

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number of choices for `puzzle`, up to `limit`."""
        return self._count(puzzle, limit, self.tally)

    def _count(
        self, puzzle: Puzzle, limit: int, tally_of: Callable[[CoverQuestion], Count]
    ) -> Count:
        question = CoverQuestion(puzzle, limit, self.time_limit, linear=self.linear)
        tally = question.answer_without_search() or tally_of(question)
        phases = question.timer.stop()
        exact = tally.exact and tally.number < limit
        return Count(tally.number, exact, tally.witness, question.stats, phases)
