"""Strongly connected components of a directed graph, and what follows from its nodes."""

from collections.abc import Sequence


class Components:
    """The strongly connected components of a graph.

    Source: Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing
    1, 1972. Time and space are linear in nodes and arcs.
    """

    def __init__(self, successors: Sequence[Sequence[int]]) -> None:
        """The components of the graph whose node n has arcs to the nodes `successors[n]`."""
        self._successors = successors
        self.of = [-1] * len(successors)
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
                if self.of[following] < 0:
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
            self.of[node] = len(self.members)
        self.members.append(nodes)

    def unions(self, own: Sequence[int]) -> list[int]:
        """For each component the union of the sets `own` of all nodes that it reaches.

        A component reaches its own nodes. Sets are bits.
        """
        found: list[int] = []
        for number, nodes in enumerate(self.members):
            total = 0
            following: set[int] = set()
            for node in nodes:
                total |= own[node]
                following.update(self.of[after] for after in self._successors[node])
            following.discard(number)
            for after in following:
                total |= found[after]
            found.append(total)
        return found
