"""The rater `guesses`: the guesses of a search, on average over scrambles."""

from harness.puzzles.collection.rating import Guesses
from harness.puzzles.puzzle import Puzzle
from harness.raters.rater import Rater


class GuessesRater(Rater):
    """Guesses of a search; see `harness.puzzles.collection.rating`."""

    name = "guesses"
    meaning = "mean number of guesses of a search with naked and hidden singles, over scrambles"

    def __init__(self, guesses: Guesses | None = None) -> None:
        self._guesses = guesses or Guesses()

    def rate(self, puzzle: Puzzle) -> float | None:
        """The mean number of guesses, to one decimal."""
        found = self._guesses.rating(puzzle)
        return None if found is None else round(found, 1)
