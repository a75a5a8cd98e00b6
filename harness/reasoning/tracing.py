"""The events of a search while it runs, without keeping them."""

from collections.abc import Iterator
from typing import Final, Protocol, runtime_checkable

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


class _Stopped(Exception):
    """Ends a search between two events."""


class Tracing:
    """A search that yields its events; its numbers grow while it runs."""

    def __init__(self, solver: Traceable, puzzle: Puzzle, limit: int = 1) -> None:
        """Trace the search of `solver` for up to `limit` solutions of `puzzle`."""
        self._events: Final[list[Event]] = []
        self._limit: Final = limit
        self.search: Final = solver.search_of(puzzle, self._record)
        self.number = 0
        """The solutions found."""
        self.solution: Grid | None = None
        """The first of them."""
        self.complete = False
        """Whether the search visited all boards, so that there are no more solutions."""
        self.stopped = False
        """Whether `stop` ended the search."""

    def stop(self) -> None:
        """End the search at its next event; a signal handler may call this."""
        self.stopped = True

    def _record(self, event: Event) -> None:
        """Keep an event of the search, and end the search if it is to stop.

        Raises:
            _Stopped: `stop` was called.
        """
        self._events.append(event)
        if self.stopped:
            raise _Stopped

    def __iter__(self) -> Iterator[Event]:
        """Run the search and yield each event."""
        visits = self.search.visits()
        while not self.stopped and not self.complete and self.number < self._limit:
            try:
                grid = next(visits, ())
            except _Stopped:
                grid = None
            if grid:
                self.number += 1
                self.solution = self.solution or grid
            self.complete = grid == () and not self.search.gave_up
            yield from self._taken()
            if grid == ():
                return

    def _taken(self) -> list[Event]:
        """The events since the last visit."""
        events = self._events.copy()
        self._events.clear()
        return events
