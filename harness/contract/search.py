"""A base class for backends whose own search yields one solution after another.

    class Mine(SearchBackend):
        name, paradigm = "mine", "backtracking"

        def search(self, puzzle):
            return MySearch(puzzle)     # has `solutions()` and `stats`

`solve` takes the first solution and `count` up to its limit.
"""

from abc import abstractmethod
from collections.abc import Iterator
from itertools import islice
from sys import maxsize
from typing import Any, Protocol

from harness.contract.answers import Answer, Count, PhaseTimer, Stats
from harness.contract.backend import Backend, O
from harness.contract.cover import GaveUp
from harness.puzzles import Grid, Puzzle


class PuzzleSearch(Protocol):
    """A search for the solutions of one puzzle."""

    @property
    def stats(self) -> Stats:
        """The statistics so far."""

    def solutions(self) -> Iterator[Any]:
        """Each solution once.

        Raises:
            GaveUp: more solutions may exist.
        """


class SearchBackend(Backend[O]):
    """A backend with a search of its own."""

    counts_natively = True

    @abstractmethod
    def search(self, puzzle: Puzzle) -> PuzzleSearch:
        """A new search for the solutions of `puzzle`."""

    def grid(self, solution: Any) -> Grid:
        """The grid of a `solution` that the search yields; by default the `solution` itself."""
        grid: Grid = solution
        return grid

    def solve(self, puzzle: Puzzle) -> Answer:
        """The first solution of `puzzle` that the search finds."""
        return SearchBackend.count(self, puzzle, 1).answer  # a subclass may count otherwise

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number of solutions of `puzzle`, up to `limit`."""
        timer = PhaseTimer()
        search = self.search(puzzle)
        timer.search()
        number, first, complete = 0, None, True
        try:
            for number, solution in enumerate(islice(search.solutions(), min(limit, maxsize)), 1):
                first = solution if number == 1 else first
        except GaveUp:
            complete = False
        timer.decode()
        witness = self.grid(first) if number else None
        return Count(number, complete and number < limit, witness, search.stats, timer.stop())
