"""The bilocation and the bivalue graph of a board, and walks in them.

The source is Eppstein, "Nonrepetitive paths and cycles in graphs with application to Sudoku"
(arXiv cs/0507053, 2005).

The vertices of the bilocation graph are the cells with several candidates. An edge with the label
d joins two cells if some house has no other cell for d: one of the two has d. Two cells may have
edges with several labels. The vertices of the bivalue graph are the cells with two candidates. An
edge with the label d joins two peers that both have the candidate d: at most one of the two has d.

A walk is nonrepetitive if consecutive labels differ; it may visit cells and edges again. So the
search visits pairs of a cell and the label by which the walk enters it, which takes linear time,
while a search for simple paths would not.

What walks reach is the union of what their links enter and of what the walks that go on from
there reach. The sets of all cells and labels are extended until none grows any more.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from harness.extensions.reasoning.board import Board, Link, State, house_of_both
from harness.puzzles.constraints import members, union


class LinkGraph:
    """A multigraph: its vertices are cells, and each edge has a value as its label.

    Several edges may join two cells; their labels differ.
    """

    def __init__(self, board: Board) -> None:
        """The graph of `board`, as it is when the graph is made."""
        self.links: dict[int, list[Link]] = {}
        """The links that leave each cell; cells without one are absent."""
        self.leaving: dict[State, list[Link]] = {}
        """The links that leave each cell by each label."""
        self.value_after: dict[State, int] = {}
        """The value that a walk gives to a cell that it enters by a label."""
        for link in self._links_on(board):
            self.links.setdefault(link.source, []).append(link)
            self.leaving.setdefault((link.source, link.value), []).append(link)
            self.value_after[link.target, link.value] = link.target_value

    def _links_on(self, board: Board) -> Iterator[Link]:
        """The links of `board`; each edge occurs in both directions."""
        raise NotImplementedError

    @property
    def edges(self) -> int:
        """The number of edges."""
        return sum(map(len, self.links.values())) // 2

    @property
    def every_link(self) -> list[Link]:
        """All links, sorted by the cell that they leave."""
        return [link for cell in sorted(self.links) for link in self.links[cell]]

    # What nonrepetitive walks reach, and which of them close.

    def _after(self, link: Link) -> list[State]:
        """The cell at the end of a link with each label by which a walk may leave it."""
        return [state for state in self._states[link.target] if state[1] != link.value]

    @cached_property
    def _states(self) -> dict[int, list[State]]:
        """For each cell, the cell with each of its labels."""
        states: dict[int, list[State]] = {}
        for state in self.leaving:
            states.setdefault(state[0], []).append(state)
        return states

    @cached_property
    def _following(self) -> dict[State, list[State]]:
        """For each cell and label, those by which a walk goes on that leaves the cell by it."""
        return {
            state: [after for link in links for after in self._after(link)]
            for state, links in self.leaving.items()
        }

    def reached(self, own: Callable[[State], int]) -> dict[State, int]:
        """For each cell and label, what is reached by walks that leave the cell by the label.

        Args:
            own: the set that a walk reaches where it enters a cell by a label, as bits.

        Returns:
            The union of `own` over all states that the walks enter.
        """
        entered = {state: own(state) for state in self.leaving}
        sets = {
            state: union(entered[link.target, link.value] for link in links)
            for state, links in self.leaving.items()
        }
        is_complete = False
        while not is_complete:
            is_complete = True
            for state, following in self._following.items():
                total = sets[state]
                for after in following:
                    total |= sets[after]
                if total != sets[state]:
                    sets[state] = total
                    is_complete = False
        return sets

    @cached_property
    def _bits(self) -> dict[State, int]:
        return {state: 1 << number for number, state in enumerate(self.leaving)}

    @cached_property
    def _entered(self) -> dict[State, int]:
        """For each cell and label, the states that walks enter, as bits."""
        return self.reached(self._bits.__getitem__)

    def is_cyclic(self, link: Link) -> bool:
        """Whether a closed nonrepetitive walk follows the link."""
        ends = union(
            self._bits[state] for state in self._states[link.source] if state[1] != link.value
        )
        return any(self._entered[state] & ends for state in self._after(link))

    def closing(self) -> set[State]:
        """The cells and labels for which a walk leaves the cell and returns to it by the label."""
        return {state for state, bit in self._bits.items() if self._entered[state] & bit}


class BilocationGraph(LinkGraph):
    """The bilocation graph: the links of a cell are in the order of houses, then values."""

    def _links_on(self, board: Board) -> Iterator[Link]:
        candidates = board.candidates
        edges: set[tuple[int, int, int]] = set()
        for house in board.shape.houses:
            once = twice = more = 0
            for cell in house.cells:
                values = candidates[cell]
                more |= twice & values
                twice |= once & values
                once |= values
            for index in members(twice & ~more):
                bit, value = 1 << index, index + 1
                first, second = (cell for cell in house.cells if candidates[cell] & bit)
                edge = (first, second, value)
                if candidates[first] == bit or candidates[second] == bit or edge in edges:
                    continue
                edges.add(edge)
                yield Link(first, second, value, value, house)
                yield Link(second, first, value, value, house)


class BivalueGraph(LinkGraph):
    """The bivalue graph: the links of a cell are in the order of targets, then values."""

    def _links_on(self, board: Board) -> Iterator[Link]:
        candidates, shape = board.candidates, board.shape
        bivalue = {cell for cell, values in enumerate(candidates) if values.bit_count() == 2}
        for source in sorted(bivalue):
            for target in filter(bivalue.__contains__, shape.peers[source]):
                for index in members(candidates[source] & candidates[target]):
                    value_after = (candidates[target] ^ 1 << index).bit_length()
                    house = house_of_both(shape, source, target)
                    yield Link(source, target, index + 1, value_after, house)


def other_value(candidates: int, value: int) -> int | None:
    """The candidate other than `value` in a cell with two `candidates`, given as bits.

    None if the cell has more or fewer candidates, or does not have `value`.
    """
    rest = candidates ^ 1 << value - 1
    is_one_of_two = candidates.bit_count() == 2 and rest.bit_count() == 1
    return rest.bit_length() if is_one_of_two else None


# Shortest nonrepetitive walks in a graph of links.


class WalkSearch:
    """A breadth-first search for the states that nonrepetitive walks reach."""

    def __init__(self, graph: LinkGraph, first: Iterable[Link]) -> None:
        """Search `graph` for walks that begin with one of the links `first`."""
        self._graph = graph
        self._entered: dict[State, tuple[Link, State | None]] = {}
        self._waiting: deque[State] = deque()
        self.length: dict[State, int] = {}
        """The number of links of a shortest walk to each state found so far."""
        for link in first:
            self._enter(link, None)

    def states(self) -> Iterator[State]:
        """The states that walks reach, each once, nearest first."""
        while self._waiting:
            state = cell, label = self._waiting.popleft()
            yield state
            for link in self._graph.links[cell]:
                if link.value != label:
                    self._enter(link, state)

    def first_of(self, is_end: Callable[[State], bool]) -> tuple[Link, ...] | None:
        """A shortest walk to a state for which `is_end` is true; None if there is none."""
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


def closed_walk(graph: LinkGraph, cell: int, value: int) -> tuple[Link, ...] | None:
    """A shortest walk from `cell` to itself whose first and last label are `value`.

    All other consecutive labels differ. None if there is no such walk.
    """
    search = WalkSearch(graph, graph.leaving.get((cell, value), ()))
    return search.first_of(lambda state: state == (cell, value))


def cycle_through(graph: LinkGraph, first: Link) -> tuple[Link, ...] | None:
    """A shortest closed nonrepetitive walk that begins with `first`; None if there is none.

    The labels of its first and last link differ too.
    """
    search = WalkSearch(graph, (first,))
    return search.first_of(lambda state: state[0] == first.source and state[1] != first.value)
