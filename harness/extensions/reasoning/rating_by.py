"""Ratings: records with a number for the difficulty of each puzzle, such as its guesses.

The rating by guesses is the mean number of guesses over scrambles of the puzzle. The search
looks for two solutions, so it includes the proof that there is only one. It applies naked and
hidden singles, and guesses in the cell with the fewest candidates; a puzzle of rating 0 needs
no guess. The number of guesses is the usual measure of hardness for backtracking solvers:
tdoku reports guesses per puzzle in its benchmarks. Scrambles even out the effect of the
order of cells and values.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from functools import lru_cache
from typing import Final

from harness.base.errors import InputError, PuzzleError
from harness.puzzles import Puzzle, Scramble, Shape
from harness.puzzles.formats import ParsedPuzzle
from harness.puzzles.search import solver_of

MOST_NAMED: Final = 5
"""Maximum number of puzzles of unknown rating that are named."""


@dataclass(frozen=True, slots=True)
class Guesses:
    """Counts the guesses of puzzles, each independently of all others."""

    scrambles: int = 10
    """The number of scrambles, at least 1."""
    seed: int = 0
    """The random seed of the scrambles."""
    nodes: int = 1_000_000
    """The node limit of each search."""

    def rating(self, puzzle: Puzzle) -> float | None:
        """The mean number of guesses; None if a search reaches the node limit."""
        guesses = 0
        for scramble in _scrambles(puzzle.shape, self.scrambles, self.seed):
            equivalent = scramble.puzzle(puzzle)
            result = solver_of(equivalent.shape).search_puzzle(equivalent, 2, self.nodes)
            if not (result.exact or result.number == 2):
                return None
            guesses += result.guesses
        return guesses / self.scrambles


@dataclass(slots=True)
class Rated:
    """Adds ratings to records."""

    rate: Callable[[Puzzle], str | None]
    """The rating of a puzzle as text; None if it is unknown."""
    field: str = "rating"
    """The field of a record that gets the rating."""
    skip: Callable[[PuzzleError], None] | None = None
    """Receives the error of each puzzle that cannot be rated, which is left out; if None, the error
    is raised."""
    unknown: int = 0
    """The number of puzzles of unknown rating so far."""
    named: list[str] = dataclass_field(default_factory=list)
    """The names of the first puzzles of unknown rating, at most `MOST_NAMED`."""

    def change(self, puzzles: Iterator[ParsedPuzzle]) -> Iterator[ParsedPuzzle]:
        """The puzzles with their ratings; a puzzle of unknown rating gets none.

        Raises:
            PuzzleError: a puzzle has the field of the rating already, or cannot be rated.
        """
        for parsed in puzzles:
            if self.field in parsed.fields:
                raise PuzzleError(
                    f"the puzzle already has a field {self.field!r}",
                    where=parsed.place,
                    expected="another name for the rating: --field NAME",
                )
            try:
                rating = self.rate(parsed.puzzle)
            except InputError as error:
                problem = PuzzleError(error.what, where=parsed.place, expected=error.expected)
                if self.skip is None:
                    raise problem from error
                self.skip(problem)
                continue
            if rating is None:
                self.unknown += 1
                if len(self.named) < MOST_NAMED:
                    self.named.append(parsed.name)
                yield parsed
            else:
                yield replace(parsed, fields={**parsed.fields, self.field: rating})


@lru_cache(maxsize=64)
def _scrambles(shape: Shape, number: int, seed: int) -> tuple[Scramble, ...]:
    return tuple(Scramble.from_seed(shape, f"rating {seed} {n}") for n in range(number))
