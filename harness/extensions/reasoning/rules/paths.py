"""Eppstein's path rule and conflicting paths rule.

Without the candidate d, the cell v gives d to its neighbours in the bilocation graph by edges
with the label d; walks go on from there. If v has two candidates, it has the other one, and
walks in the bivalue graph begin with that value.

A fact is a cell and a value. Sets of facts are bits.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import merge
from typing import Final

from harness.extensions.reasoning.board import (
    Board,
    Elimination,
    Link,
    Placement,
    Rule,
    State,
    cells_of,
    conditional,
)
from harness.extensions.reasoning.graphs import (
    BilocationGraph,
    BivalueGraph,
    LinkGraph,
    WalkSearch,
    other_value,
)
from harness.puzzles import House, Shape
from harness.puzzles.constraints import members

# What follows if a cell does not have a candidate, by walks in the bilocation and bivalue graphs.


Fact = tuple[int, int]
"""A cell and its value."""


@dataclass(frozen=True, slots=True)
class Arm:
    """A walk that begins with the absence of a candidate, and the fact at its end."""

    cell: int
    value: int
    walk: tuple[Link, ...]
    """Empty if the fact is the only other candidate of the cell."""

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


class FactSets:
    """Sets of facts as bits: a fact is a candidate of a blank cell of a board."""

    def __init__(self, board: Board) -> None:
        self._peers: Final = board.shape.peers
        self.of_value: Final[list[int]] = [0]
        """For each value from 1, the facts that a cell has it."""
        self._facts: list[Fact] = []
        self._bit: dict[Fact, int] = {}
        cells = [(c, values) for c, values in enumerate(board.candidates) if not board.values[c]]
        for value in range(1, board.shape.size + 1):
            first = 1 << len(self._facts)
            for cell in (cell for cell, values in cells if values >> value - 1 & 1):
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
        return map(self._facts.__getitem__, members(facts))


class Absences:
    """What follows from the absence of each candidate of a board."""

    def __init__(self, board: Board) -> None:
        self.board: Final = board
        self.facts: Final = FactSets(board)
        self.graphs: Final = (BilocationGraph(board), BivalueGraph(board))
        self._true: list[dict[State, int]] = []
        self._false: list[dict[State, int]] = []
        for graph in self.graphs:
            self._true.append(graph.reached(self._of_each(graph, self.facts.bit)))
            self._false.append(graph.reached(self._of_each(graph, self.facts.excluded_by)))

    @staticmethod
    def _of_each(graph: LinkGraph, facts_of: Callable[[int, int], int]) -> Callable[[State], int]:
        """What `facts_of` gives for the fact that a walk enters at a state."""
        return lambda state: facts_of(state[0], graph.value_after[state])

    def candidates(self) -> Iterator[Fact]:
        """The candidates whose absence has a consequence, by cell, then by value."""
        strong, _ = self._true
        for cell, values in enumerate(self.board.candidates):
            is_bivalue = values.bit_count() == 2
            for value in range(1, values.bit_length() + 1):
                if (cell, value) in strong or (is_bivalue and values >> value - 1 & 1):
                    yield cell, value

    def true_without(self, cell: int, value: int) -> int:
        """The facts that follow from the absence of a candidate."""
        return self._without(cell, value, self._true, self.facts.bit)

    def false_without(self, cell: int, value: int) -> int:
        """The facts that the facts of `true_without` exclude."""
        return self._without(cell, value, self._false, self.facts.excluded_by)

    def _without(
        self,
        cell: int,
        value: int,
        facts_of_graphs: list[dict[State, int]],
        facts_of: Callable[[int, int], int],
    ) -> int:
        """The facts that both graphs give without a candidate, and those of the other value."""
        strong, weak = facts_of_graphs
        facts = strong.get((cell, value), 0)
        other = other_value(self.board.candidates[cell], value)
        if other is not None:
            facts |= weak.get((cell, other), 0) | facts_of(cell, other)
        return facts


class Arms:
    """The shortest walks from the absence of a candidate to the facts that follow."""

    def __init__(self, absences: Absences, cell: int, value: int) -> None:
        """Search from the absence of `value` in `cell`."""
        self.length: dict[Fact, int] = {}
        """The number of links to each fact found so far."""
        self._graphs = absences.graphs
        self._ends: dict[Fact, tuple[WalkSearch, State] | None] = {}
        self._first = (cell, value), other_value(absences.board.candidates[cell], value)

    def facts(self) -> Iterator[Fact]:
        """The facts, each once, nearest first."""
        (cell, value), other = self._first
        searches = [WalkSearch(self._graphs[0], self._graphs[0].leaving.get((cell, value), ()))]
        if other is not None:
            self.length[cell, other] = 0
            self._ends[cell, other] = None
            yield cell, other
            weak = self._graphs[1]
            searches.append(WalkSearch(weak, weak.leaving.get((cell, other), ())))
        streams = (self._ends_of(*pair) for pair in zip(self._graphs, searches, strict=False))
        for length, fact, search, state in merge(*streams, key=lambda item: item[0]):
            if fact not in self._ends:
                self.length[fact] = length
                self._ends[fact] = search, state
                yield fact

    @staticmethod
    def _ends_of(
        graph: LinkGraph, search: WalkSearch
    ) -> Iterator[tuple[int, Fact, WalkSearch, State]]:
        for state in search.states():
            fact = (state[0], graph.value_after[state])
            yield search.length[state], fact, search, state

    def to(self, fact: Fact) -> Arm:
        """The arm to a fact that `facts` has yielded."""
        end = self._ends[fact]
        return Arm(*fact, () if end is None else end[0].walk_to(end[1]))


# Eppstein's path rule on the bilocation and bivalue graphs.


@dataclass(frozen=True, slots=True)
class Path:
    """A walk: if `cell` does not have the value, the cell at the end of the arm has it."""

    cell: int
    arm: Arm

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of the walk, each once, in its order."""
        return cells_of(self.arm.walk)

    @property
    def walks(self) -> tuple[tuple[Link, ...], ...]:
        """The walk, for a drawing."""
        return (self.arm.walk,)

    def words(self, shape: Shape) -> str:
        """The reason in words, link by link."""
        name, value = shape.cell_name, shape.symbol(self.arm.value)
        without = f"if {name(self.cell)} were not {value}, {self.arm.words(shape)}"
        return f"{without}; so {name(self.cell)} or {name(self.arm.cell)} is {value}"


class PathRule(Rule):
    """Peers of both ends of a path do not have the value of its ends.

    If the absence of a value in one cell implies its presence in another, one of the two has
    the value. In the bivalue graph this is an XY-chain.
    """

    name = "path"
    reasons_last = False

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The candidates that paths exclude, by the first cell, then by value, then by length."""
        absences = Absences(board)
        facts, peers = absences.facts, [set(cells) for cells in board.shape.peers]
        holders = [
            {cell for cell, values in enumerate(board.candidates) if values >> value & 1}
            for value in range(board.shape.size)
        ]
        for cell, value in absences.candidates():
            later = facts.of_value[value] & -facts.bit(cell, value) << 1
            near = peers[cell] & holders[value - 1]
            exclusions = {
                (end, value): common
                for end, _ in facts.each(absences.true_without(cell, value) & later)
                if (common := near & peers[end])
            }
            if exclusions:
                arms = Arms(absences, cell, value)
                for end in filter(exclusions.__contains__, arms.facts()):
                    removals = tuple((other, value) for other in sorted(exclusions[end]))
                    yield Elimination(removals, Path(cell, arms.to(end)))


# Eppstein's conflicting paths rule on the bilocation graph, with three extensions.


@dataclass(frozen=True, slots=True)
class ConflictingPaths:
    """Walks that begin with the absence of the value, and end with facts that conflict.

    Two arms end in peers with the same value, or in one cell with two values. If there is a
    house, the facts at the ends of the arms leave no cell of the house for the value.
    """

    arms: tuple[Arm, ...]
    house: House | None = None
    value: int | None = None

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of the arms, each once, then those of the house."""
        of_arms = (cell for arm in self.arms for cell in (*cells_of(arm.walk), arm.cell))
        return tuple(dict.fromkeys((*of_arms, *(self.house.cells if self.house else ()))))

    @property
    def walks(self) -> tuple[tuple[Link, ...], ...]:
        """The walks of the arms, for a drawing."""
        return tuple(arm.walk for arm in self.arms)

    @property
    def houses(self) -> tuple[tuple[House, ...], ...]:
        """The house without a cell for the value, for a drawing."""
        return ((self.house,),) if self.house is not None else ()

    def words(self, shape: Shape) -> str:
        """The reason in words, arm by arm, then the conflict."""
        arms = (f"({number}) {arm.words(shape)}" for number, arm in enumerate(self.arms, 1))
        return f"if not, {'; '.join(arms)}; {self._conflict(shape)}"

    def _conflict(self, shape: Shape) -> str:
        if self.house is not None and self.value is not None:
            return f"{self.house} would have no cell for {shape.symbol(self.value)}"
        first, other = self.arms
        if first.cell == other.cell:
            values = f"{shape.symbol(first.value)} and {shape.symbol(other.value)}"
            return f"{shape.cell_name(first.cell)} cannot be both {values}"
        cells = f"{shape.cell_name(first.cell)} and {shape.cell_name(other.cell)}"
        return f"{cells} cannot both be {shape.symbol(first.value)}"


class ConflictingPathsRule(Rule):
    """A cell has a value if walks that start from its absence end with facts that conflict.

    The basic form has two walks in the bilocation graph that end in peers with the same label.
    These extensions are sound too: the walks may end in one cell with two labels; the ends may
    exclude a value from all cells of a house; and if the cell has two candidates, a walk may
    begin with the other one in the bivalue graph. The two arms are independent: each may have
    one link, and they may have cells in common.
    """

    name = "conflicting paths"
    reasons_last = False

    def conclusions(self, board: Board) -> Iterator[Placement]:
        """The cells with their values, by cell, then by value.

        Each conclusion has arms with as few links as possible; a conflict of two arms comes
        before a house without a cell for a value.
        """
        absences = Absences(board)
        houses = _Houses(absences)
        for cell, value in absences.candidates():
            false = absences.false_without(cell, value)
            if false & absences.true_without(cell, value):
                reason = _shortest_pair(absences, Arms(absences, cell, value))
                yield Placement(cell, value, reason)
                continue
            if houses.is_any_without_cell(false):
                yield Placement(cell, value, houses.shortest(cell, value, false))


def _shortest_pair(absences: Absences, arms: Arms) -> ConflictingPaths:
    """Two conflicting arms with as few links as possible in all."""
    facts = absences.facts
    best: tuple[int, Fact, Fact] | None = None
    earlier = 0
    for fact in arms.facts():
        length = arms.length[fact]
        if best is not None and length >= best[0]:
            break
        for other in facts.each(earlier & facts.excluded_by(*fact)):
            both = length + arms.length[other]
            if best is None or both < best[0]:
                best = both, other, fact
        earlier |= facts.bit(*fact)
    assert best is not None
    return ConflictingPaths((arms.to(best[1]), arms.to(best[2])))


class _Houses:
    """Houses that have no cell for a value where some facts are false."""

    def __init__(self, absences: Absences) -> None:
        self._absences = absences
        board, facts = absences.board, absences.facts
        self._places: list[list[tuple[House, int]]] = []
        """For each value the houses with several cells for it, and the facts that they have it."""
        for value in range(1, board.shape.size + 1):
            holders = {cell for cell, _ in facts.each(facts.of_value[value])}
            places = []
            for house in board.shape.houses:
                cells = [cell for cell in house.cells if cell in holders]
                if len(cells) > 1:
                    places.append((house, sum(facts.bit(cell, value) for cell in cells)))
            self._places.append(places)
        self._known: dict[int, bool] = {}

    def is_any_without_cell(self, false: int) -> bool:
        """Whether a house has no cell for a value if these facts are false."""
        facts_of = self._absences.facts.of_value
        for value, places in enumerate(self._places, 1):
            of_value = false & facts_of[value]
            if of_value not in self._known:
                self._known[of_value] = any(cells & ~of_value == 0 for _, cells in places)
            if self._known[of_value]:
                return True
        return False

    def shortest(self, cell: int, value: int, false: int) -> ConflictingPaths:
        """The house and value that need the fewest links, with an arm for each excluded cell."""
        facts, arms = self._absences.facts, Arms(self._absences, cell, value)
        near = list(arms.facts())
        conflicts: list[tuple[int, set[Fact], House, int]] = []
        for number, places in enumerate(self._places, 1):
            for house, cells in places:
                if cells & ~false == 0:
                    ends = {
                        next(end for end in near if facts.excluded_by(*end) & facts.bit(*place))
                        for place in facts.each(cells & ~facts.bit(cell, value))
                    }
                    links = sum(arms.length[end] for end in ends)
                    conflicts.append((links, ends, house, number))
        _, ends, house, number = min(conflicts, key=lambda item: item[0])
        ends_in_order = [end for end in near if end in ends]
        return ConflictingPaths(tuple(map(arms.to, ends_in_order)), house, number)
