"""A start for backends to which a puzzle is a choice of candidates.

    class Mine(CoverBackend):
        name, paradigm = "mine", "exact cover"

        def choices(self, question):
            model = build(question.candidates.groups)     # exactly one of each holds
            question.search()
            while (chosen := model.solve()) is not None:
                yield chosen
                model.forbid(chosen)

`solve` asks for one choice and `count` for as many as its limit. What needs no
solver is answered here: givens that contradict each other, and full grids.
"""

from abc import abstractmethod
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass

from harness.contract.backend import Answer, Backend, Count, PhaseTimer
from harness.contract.options import Options
from harness.puzzles.candidates import Candidates
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import Shape

Choices = Generator[Iterable[int], None, None]
"""The candidates that hold in each solution."""


class GaveUp(Exception):
    """The solver stopped without a proof that there are no more solutions."""


class Question:
    """One call: the candidates of a puzzle, and how many solutions are wanted."""

    def __init__(self, puzzle: Puzzle, limit: int, seconds: float | None) -> None:
        self.timer = PhaseTimer()
        self.candidates = Candidates(puzzle)
        self.limit = limit
        self.seconds = seconds
        """What is left to the solver by the caller's time limit; an offer, as that is."""
        self.stats: dict[str, int | float] = {
            "variables": len(self.candidates),
            "constraints": len(self.candidates.groups),
        }
        """Add to it whatever the solver tells."""

    def search(self) -> None:
        """From now on the solver works: what came before was writing down."""
        self.timer.search()

    def answer_without_search(self) -> "Found | None":
        """What is to be seen from the candidates alone, where anything is."""
        if self.candidates.refuted:
            return Found(0, complete=True)
        if not len(self.candidates):
            return Found(1, complete=True, grid=self.candidates.puzzle.givens)
        return None


@dataclass(frozen=True, slots=True)
class Found:
    """How many solutions there are, as far as is known, and one of them."""

    number: int
    complete: bool
    """Whether there are no others; where not, `number` is a lower bound."""
    grid: Grid | None = None


class CoverBackend(Backend):
    """A backend that chooses candidates, exactly one of each group; see `Candidates`."""

    counts_natively = True

    def __init__(self, shape: Shape, options: Options) -> None:
        self.options = options

    @abstractmethod
    def choices(self, question: Question) -> Choices:
        """Each solution once, at least `question.limit` of them where there are so many.

        It is asked about puzzles only that have a candidate, and one in every group.

        Raises:
            GaveUp: there may be more.
        """

    def tally(self, question: Question) -> Found:
        """The number of solutions, up to `question.limit`: that of the choices, one by one.

        For a solver that counts without showing each solution there is something better.
        """
        candidates = question.candidates
        number, grid, complete = 0, None, True
        with closing(self.choices(question)) as choices:
            try:
                for chosen in choices:
                    number += 1
                    if grid is None:
                        grid = candidates.grid(chosen)
                    if number == question.limit:
                        break
            except GaveUp:
                complete = False
        return Found(number, complete and number < question.limit, grid)

    def solve(self, puzzle: Puzzle) -> Answer:
        """The first choice, or the proof that there is none."""
        question = Question(puzzle, 1, self.time_limit)
        found = question.answer_without_search() or CoverBackend.tally(self, question)
        phases = question.timer.stop()
        if found.grid is not None:
            return Answer.solved(found.grid, question.stats, phases)
        if found.complete:
            return Answer.unsatisfiable(question.stats, phases)
        return Answer.unknown(question.stats, phases)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number of choices, up to `limit`."""
        question = Question(puzzle, limit, self.time_limit)
        found = question.answer_without_search() or self.tally(question)
        phases = question.timer.stop()
        exact = found.complete and found.number < limit
        return Count(found.number, exact, found.grid, question.stats, phases)
