"""Shortest nonrepetitive walks in a graph of links.

A walk is nonrepetitive if consecutive labels differ; it may visit cells and edges again. So
the search visits pairs of a cell and the label by which the walk enters it, which takes linear
time, while a search for simple paths would not. Source: Eppstein, "Nonrepetitive paths and
cycles in graphs with application to Sudoku" (arXiv cs/0507053, 2005).
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from harness.reasoning.links import Link, LinkGraph, State

_EVERY: Final = 0
"""All links that leave a cell are followed."""


class Search:
    """A breadth-first search for the states that nonrepetitive walks reach."""

    def __init__(self, graph: LinkGraph, first: Iterable[Link]) -> None:
        """Search `graph` for walks that begin with one of the links `first`."""
        self._graph = graph
        self._entered: dict[State, tuple[Link, State | None]] = {}
        self._waiting: deque[State] = deque()
        self._except: dict[int, int] = {}
        """For each visited cell the label whose links are not yet followed, or `_EVERY`."""
        self.length: dict[State, int] = {}
        """The number of links of a shortest walk to each state found so far."""
        for link in first:
            self._enter(link, None)

    def states(self) -> Iterator[State]:
        """The states that walks reach, each once, the nearest first."""
        while self._waiting:
            state = self._waiting.popleft()
            yield state
            for link in self._onward(*state):
                self._enter(link, state)

    def first_of(self, is_end: Callable[[State], bool]) -> tuple[Link, ...] | None:
        """A shortest walk to a state with this property, None if there is none."""
        end = next(filter(is_end, self.states()), None)
        return None if end is None else self.walk_to(end)

    def walk_to(self, end: State) -> tuple[Link, ...]:
        """A shortest walk to a state that the search has found."""
        links = []
        state: State | None = end
        while state is not None:
            link, state = self._entered[state]
            links.append(link)
        return tuple(reversed(links))

    def _enter(self, link: Link, before: State | None) -> None:
        state = (link.target, link.value)
        if state not in self._entered:
            self._entered[state] = link, before
            self.length[state] = 1 if before is None else self.length[before] + 1
            self._waiting.append(state)

    def _onward(self, cell: int, label: int) -> list[Link]:
        """The links that the walk may follow next and that the search has not yet followed.

        The first visit of a cell leaves out one label, and the second one makes up for it, so
        that the search follows each link once.
        """
        missing = self._except.get(cell)
        if missing == _EVERY:
            return []
        if missing is None:
            self._except[cell] = label
            return [link for link in self._graph.links[cell] if link.value != label]
        self._except[cell] = _EVERY
        return self._graph.leaving[cell, missing]


def closed_walk(graph: LinkGraph, cell: int, value: int) -> tuple[Link, ...] | None:
    """A shortest walk from `cell` to itself whose first and last label are `value`.

    All other consecutive labels differ. None if there is no such walk.
    """
    search = Search(graph, graph.leaving.get((cell, value), ()))
    return search.first_of(lambda state: state == (cell, value))


def cycle_through(graph: LinkGraph, first: Link) -> tuple[Link, ...] | None:
    """A shortest closed nonrepetitive walk that begins with `first`; None if there is none.

    The labels of its first and last link differ too.
    """
    search = Search(graph, (first,))
    return search.first_of(lambda state: state[0] == first.source and state[1] != first.value)
