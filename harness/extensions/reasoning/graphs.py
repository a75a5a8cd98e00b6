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

Each cell and label of a graph of links has two nodes: the walk enters the cell by the label, and
the walk leaves the cell by the label. A walk that enters by a label leaves by any other one. So
walks in the directed graph are the nonrepetitive walks, and an edge is on a closed one if both
ends of its arc are in the same strongly connected component. Eppstein builds a graph of the same
kind with fewer arcs.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from harness.extensions.reasoning.board import Board, Link, LinkGraph, State, house_of_both


class BilocationGraph(LinkGraph):
    """The bilocation graph of a board, as it was when the graph was made."""

    def __init__(self, board: Board) -> None:
        """The graph of `board`; the links of a cell are in the order of houses, then values."""
        super().__init__(_bilocation_links(board))


def _bilocation_links(board: Board) -> Iterator[Link]:
    candidates = board.candidates
    edges: set[tuple[int, int, int]] = set()
    for house in board.shape.houses:
        once = twice = more = 0
        for cell in house.cells:
            values = candidates[cell]
            more |= twice & values
            twice |= once & values
            once |= values
        twice &= ~more
        while twice:
            bit = twice & -twice
            twice ^= bit
            value = bit.bit_length()
            first, second = (cell for cell in house.cells if candidates[cell] & bit)
            edge = (first, second, value)
            if candidates[first] == bit or candidates[second] == bit or edge in edges:
                continue
            edges.add(edge)
            yield Link(first, second, value, value, house)
            yield Link(second, first, value, value, house)


class BivalueGraph(LinkGraph):
    """The bivalue graph of a board, as it was when the graph was made."""

    def __init__(self, board: Board) -> None:
        """The graph of `board`; the links of a cell are in the order of targets, then values."""
        super().__init__(_bivalue_links(board))


def other_value(candidates: int, value: int) -> int | None:
    """The candidate other than `value` in a cell with two `candidates`, given as bits.

    None if the cell has more or fewer candidates, or does not have `value`.
    """
    rest = candidates ^ 1 << value - 1
    is_one_of_two = candidates.bit_count() == 2 and rest.bit_count() == 1
    return rest.bit_length() if is_one_of_two else None


def _bivalue_links(board: Board) -> Iterator[Link]:
    candidates, shape = board.candidates, board.shape
    bivalue = {cell for cell, values in enumerate(candidates) if values.bit_count() == 2}
    for source in sorted(bivalue):
        for target in shape.peers[source]:
            common = candidates[source] & candidates[target] if target in bivalue else 0
            if common:
                house = house_of_both(shape, source, target)
            while common:
                bit = common & -common
                common ^= bit
                after = (candidates[target] ^ bit).bit_length()
                yield Link(source, target, bit.bit_length(), after, house)


# Shortest nonrepetitive walks in a graph of links.


_EVERY: Final = 0
"""The value in `WalkSearch._except` of a cell whose links have all been followed."""


class WalkSearch:
    """A breadth-first search for the states that nonrepetitive walks reach."""

    def __init__(self, graph: LinkGraph, first: Iterable[Link]) -> None:
        """Search `graph` for walks that begin with one of the links `first`."""
        self._graph = graph
        self._entered: dict[State, tuple[Link, State | None]] = {}
        self._waiting: deque[State] = deque()
        self._except: dict[int, int] = {}
        """For each visited cell, the label whose links are not yet followed, or `_EVERY`."""
        self.length: dict[State, int] = {}
        """The number of links of a shortest walk to each state found so far."""
        for link in first:
            self._enter(link, None)

    def states(self) -> Iterator[State]:
        """The states that walks reach, each once, nearest first."""
        while self._waiting:
            state = self._waiting.popleft()
            yield state
            for link in self._onward(*state):
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

    def _onward(self, cell: int, label: int) -> list[Link]:
        """The links that the walk may follow next and that the search has not yet followed.

        The first visit of a cell leaves out the links of one label, and the second visit
        follows these, so that the search follows each link at most once.
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
    search = WalkSearch(graph, graph.leaving.get((cell, value), ()))
    return search.first_of(lambda state: state == (cell, value))


def cycle_through(graph: LinkGraph, first: Link) -> tuple[Link, ...] | None:
    """A shortest closed nonrepetitive walk that begins with `first`; None if there is none.

    The labels of its first and last link differ too.
    """
    search = WalkSearch(graph, (first,))
    return search.first_of(lambda state: state[0] == first.source and state[1] != first.value)


# Strongly connected components of a directed graph, and what follows from its nodes.


class Components:
    """The strongly connected components of a graph.

    Source: Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing
    1, 1972. Time and space are linear in nodes and arcs.
    """

    def __init__(self, successors: Sequence[Sequence[int]]) -> None:
        """The components of the graph whose node n has arcs to the nodes `successors[n]`."""
        self._successors = successors
        self.component_of = [-1] * len(successors)
        """The number of each node's component. Arcs lead to equal or smaller numbers."""
        self.members: list[list[int]] = []
        """The nodes of each component."""
        self._reached = [0] * len(successors)
        """When the search reached each node, from 1."""
        self._lowest = [0] * len(successors)
        self._clock = 0
        self._stack: list[int] = []
        for node in range(len(successors)):
            if not self._reached[node]:
                self._search(node)

    def _search(self, root: int) -> None:
        """Depth-first search from `root`, without recursion."""
        path = [(root, iter(self._successors[root]))]
        self._visit(root)
        while path:
            node, arcs = path[-1]
            for following in arcs:
                if not self._reached[following]:
                    self._visit(following)
                    path.append((following, iter(self._successors[following])))
                    break
                if self.component_of[following] < 0:
                    self._lowest[node] = min(self._lowest[node], self._reached[following])
            else:
                path.pop()
                if path:
                    before = path[-1][0]
                    self._lowest[before] = min(self._lowest[before], self._lowest[node])
                if self._lowest[node] == self._reached[node]:
                    self._close(node)

    def _visit(self, node: int) -> None:
        self._clock += 1
        self._reached[node] = self._lowest[node] = self._clock
        self._stack.append(node)

    def _close(self, first: int) -> None:
        """Make a component of `first` and all nodes that were reached after it."""
        nodes = [self._stack.pop()]
        while nodes[-1] != first:
            nodes.append(self._stack.pop())
        for node in nodes:
            self.component_of[node] = len(self.members)
        self.members.append(nodes)

    def unions(self, own: Sequence[int]) -> list[int]:
        """For each component the union of the sets `own` of all nodes that it reaches.

        A component reaches its own nodes. Sets are bits.
        """
        totals: list[int] = []
        for number, nodes in enumerate(self.members):
            total = 0
            following: set[int] = set()
            for node in nodes:
                total |= own[node]
                following.update(self.component_of[after] for after in self._successors[node])
            following.discard(number)
            for after in following:
                total |= totals[after]
            totals.append(total)
        return totals


# The states of nonrepetitive walks as a directed graph: which walks close, what they reach.


class States:
    """The states of the nonrepetitive walks of a graph of links."""

    def __init__(self, graph: LinkGraph) -> None:
        self.graph = graph
        self._number = {state: number for number, state in enumerate(graph.leaving)}
        """The node at which a walk enters a cell by a label."""
        self._leave = len(self._number)
        """The offset from the node that enters a cell by a label to the node that leaves by it."""
        self._components = Components(self._successors())

    def _successors(self) -> list[list[int]]:
        labels: dict[int, list[int]] = {}
        for cell, label in self._number:
            labels.setdefault(cell, []).append(self._number[cell, label] + self._leave)
        after_entering = [
            [node for node in labels[cell] if node != number + self._leave]
            for (cell, _), number in self._number.items()
        ]
        after_leaving = [
            [self._number[link.target, link.value] for link in links]
            for links in self.graph.leaving.values()
        ]
        return after_entering + after_leaving

    def is_cyclic(self, link: Link) -> bool:
        """Whether a closed nonrepetitive walk follows the link."""
        component_of = self._components.component_of
        leaving = self._number[link.source, link.value] + self._leave
        return component_of[leaving] == component_of[self._number[link.target, link.value]]

    def reached(self, own: Callable[[State], int]) -> dict[State, int]:
        """For each cell and label, what is reached by walks that leave the cell by the label.

        Args:
            own: the set that a walk reaches where it enters a cell by a label, as bits.

        Returns:
            The union of `own` over all states that the walks enter.
        """
        sets = [own(state) for state in self._number] + [0] * self._leave
        unions = self._components.unions(sets)
        component_of = self._components.component_of
        return {
            state: unions[component_of[number + self._leave]]
            for state, number in self._number.items()
        }

    def closing(self) -> set[State]:
        """The cells and labels for which a walk leaves the cell and returns to it by the label."""
        order = {state: 1 << number for state, number in self._number.items()}
        labels = self.reached(order.__getitem__)
        return {state for state, bit in order.items() if labels[state] & bit}
