"""What follows if a cell has not a candidate, by walks in the bilocation and bivalue graphs.

Without the candidate d, the cell v gives d to its neighbours in the bilocation graph by edges
with the label d; walks go on from there. If v has two candidates, it has the other one, and
walks in the bivalue graph begin with that.

A fact is a cell and a value. Sets of facts are bits.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import merge
from typing import Final

from harness.puzzles.shape import Shape
from harness.reasoning.bilocation import BilocationGraph
from harness.reasoning.bivalue import BivalueGraph, other_value
from harness.reasoning.board import Board
from harness.reasoning.links import Link, LinkGraph, State, conditional
from harness.reasoning.states import States
from harness.reasoning.walks import Search

Fact = tuple[int, int]
"""A cell and its value."""


@dataclass(frozen=True, slots=True)
class Arm:
    """A walk that begins with the absence of a candidate, and the fact at its end."""

    cell: int
    value: int
    walk: tuple[Link, ...]
    """Empty if the cell has only one other candidate, which is the fact."""

    def words(self, shape: Shape) -> str:
        """The facts of the walk in words, from the first to the last."""
        links = conditional(self.walk, shape)
        if self.walk and self.walk[0].is_strong:
            return links
        cell, value = (
            (self.walk[0].source, self.walk[0].value) if self.walk else (self.cell, self.value)
        )
        first = Link(cell, cell, value, value, None)
        return ", ".join(filter(None, (conditional((first,), shape), links)))


class Facts:
    """Sets of facts as bits: a fact is a candidate of a blank cell of a board."""

    def __init__(self, board: Board) -> None:
        self._peers: Final = board.shape.peers
        self.of_value: Final[list[int]] = [0]
        """For each value from 1, the facts that a cell has it."""
        self._facts: list[Fact] = []
        self._bit: dict[Fact, int] = {}
        cells = [(c, of) for c, of in enumerate(board.candidates) if not board.values[c]]
        for value in range(1, board.shape.size + 1):
            first = 1 << len(self._facts)
            for cell in (cell for cell, of in cells if of >> value - 1 & 1):
                self._bit[cell, value] = 1 << len(self._facts)
                self._facts.append((cell, value))
            self.of_value.append((1 << len(self._facts)) - first)

    def bit(self, cell: int, value: int) -> int:
        """The set of one fact."""
        return self._bit[cell, value]

    def excluded_by(self, cell: int, value: int) -> int:
        """The facts that are false if this one is true."""
        bit, values = self._bit, range(1, len(self.of_value))
        others = sum(bit.get((cell, other), 0) for other in values if other != value)
        return others | sum(bit.get((peer, value), 0) for peer in self._peers[cell])

    def each(self, facts: int) -> Iterator[Fact]:
        """The facts of a set, by value, then by cell."""
        while facts:
            bit = facts & -facts
            facts ^= bit
            yield self._facts[bit.bit_length() - 1]


class Absences:
    """What follows from the absence of each candidate of a board."""

    def __init__(self, board: Board) -> None:
        self.board: Final = board
        self.facts: Final = Facts(board)
        self.graphs: Final = (BilocationGraph(board), BivalueGraph(board))
        self._true: list[dict[State, int]] = []
        self._false: list[dict[State, int]] = []
        for graph in self.graphs:
            states = States(graph)
            self._true.append(states.reached(self._of_each(graph, self.facts.bit)))
            self._false.append(states.reached(self._of_each(graph, self.facts.excluded_by)))

    @staticmethod
    def _of_each(graph: LinkGraph, of: Callable[[int, int], int]) -> Callable[[State], int]:
        """The function `of` the fact that a walk enters at a state."""
        return lambda state: of(state[0], graph.value_after[state])

    def candidates(self) -> Iterator[Fact]:
        """The candidates whose absence has a consequence, by cell, then by value."""
        strong, _ = self._true
        for cell, of in enumerate(self.board.candidates):
            is_bivalue = of.bit_count() == 2
            for value in range(1, of.bit_length() + 1):
                if (cell, value) in strong or (is_bivalue and of >> value - 1 & 1):
                    yield cell, value

    def true_without(self, cell: int, value: int) -> int:
        """The facts that follow from the absence of a candidate."""
        strong, weak = self._true
        found = strong.get((cell, value), 0)
        other = other_value(self.board.candidates[cell], value)
        if other is not None:
            found |= weak.get((cell, other), 0) | self.facts.bit(cell, other)
        return found

    def false_without(self, cell: int, value: int) -> int:
        """The facts that the facts of `true_without` exclude."""
        strong, weak = self._false
        found = strong.get((cell, value), 0)
        other = other_value(self.board.candidates[cell], value)
        if other is not None:
            found |= weak.get((cell, other), 0) | self.facts.excluded_by(cell, other)
        return found

    def arms(self, cell: int, value: int) -> "Arms":
        """The shortest walks from the absence of a candidate to all facts that follow."""
        return Arms(self.graphs, cell, value, other_value(self.board.candidates[cell], value))


class Arms:
    """The shortest walks from the absence of a candidate to the facts that follow."""

    def __init__(
        self, graphs: tuple[LinkGraph, LinkGraph], cell: int, value: int, other: int | None
    ) -> None:
        """Search both graphs from the absence of `value` in `cell`, whose `other` value it has."""
        self.length: dict[Fact, int] = {}
        """The number of links to each fact found so far."""
        self._graphs = graphs
        self._ends: dict[Fact, tuple[Search, State] | None] = {}
        self._first = (cell, value), other

    def facts(self) -> Iterator[Fact]:
        """The facts, each once, the nearest first."""
        (cell, value), other = self._first
        searches = [Search(self._graphs[0], self._graphs[0].leaving.get((cell, value), ()))]
        if other is not None:
            self.length[cell, other] = 0
            self._ends[cell, other] = None
            yield cell, other
            weak = self._graphs[1]
            searches.append(Search(weak, weak.leaving.get((cell, other), ())))
        found = (self._found(*pair) for pair in zip(self._graphs, searches, strict=False))
        for length, fact, search, state in merge(*found, key=lambda item: item[0]):
            if fact not in self._ends:
                self.length[fact] = length
                self._ends[fact] = search, state
                yield fact

    @staticmethod
    def _found(graph: LinkGraph, search: Search) -> Iterator[tuple[int, Fact, Search, State]]:
        for state in search.states():
            fact = (state[0], graph.value_after[state])
            yield search.length[state], fact, search, state

    def to(self, fact: Fact) -> Arm:
        """The arm to a fact that the iterator has yielded."""
        end = self._ends[fact]
        return Arm(*fact, () if end is None else end[0].walk_to(end[1]))
