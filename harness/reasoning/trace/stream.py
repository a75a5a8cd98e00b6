"""The events of a search while it runs, without keeping them."""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from harness.puzzles.puzzle import Grid, Puzzle
from harness.reasoning.search import Search, Strategy
from harness.reasoning.trace.events import Event, Recorder


@runtime_checkable
class Traceable(Protocol):
    """What a backend needs so that its search can be traced."""

    strategy: Strategy

    def search_of(self, puzzle: Puzzle, recorder: Recorder | None = None) -> Search:
        """A search for the solutions of `puzzle`; `recorder` receives its events."""
        ...


class Tracing:
    """A search that yields its events; its numbers and solutions grow while it runs."""

    def __init__(self, solver: Traceable, puzzle: Puzzle, limit: int = 1) -> None:
        """Trace the search of `solver` for up to `limit` solutions of `puzzle`."""
        self._events: list[Event] = []
        self._limit = limit
        self.search = solver.search_of(puzzle, self._events.append)
        self.number = 0
        """The solutions found."""
        self.solution: Grid | None = None
        """The first of them."""
        self.ended = False
        """Whether the search visited all boards, so that there are no more solutions."""

    def __iter__(self) -> Iterator[Event]:
        """Run the search and yield each event."""
        for grid in self.search.visits():
            yield from self._taken()
            if grid is None:
                continue
            self.number += 1
            self.solution = self.solution or grid
            if self.number == self._limit:
                return
        yield from self._taken()
        self.ended = not self.search.gave_up

    def _taken(self) -> list[Event]:
        events = self._events.copy()
        self._events.clear()
        return events
