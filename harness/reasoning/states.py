"""The states of nonrepetitive walks as a directed graph: which walks close, what they reach.

Each cell and label of a graph of links has two nodes: the walk enters the cell by the label,
and the walk leaves the cell by the label. A walk that entered by a label leaves by any other
one. So walks in the directed graph are the nonrepetitive walks, and an edge is part of a closed
one if both ends of its arc are in the same strongly connected component.

Source: Eppstein, "Nonrepetitive paths and cycles in graphs with application to Sudoku" (arXiv
cs/0507053, 2005), which builds a graph of the same kind with fewer arcs.
"""

from collections.abc import Callable

from harness.reasoning.components import Components
from harness.reasoning.links import Link, LinkGraph, State


class States:
    """The states of the nonrepetitive walks of a graph of links."""

    def __init__(self, graph: LinkGraph) -> None:
        self.graph = graph
        self._number = {state: number for number, state in enumerate(graph.leaving)}
        """The node at which a walk enters a cell by a label."""
        self._leave = len(self._number)
        """What is added to the number when the walk leaves."""
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
        of = self._components.of
        left = self._number[link.source, link.value] + self._leave
        return of[left] == of[self._number[link.target, link.value]]

    def reached(self, own: Callable[[State], int]) -> dict[State, int]:
        """For each cell and label, what walks reach that leave the cell by the label.

        Args:
            own: the set that a walk reaches where it enters a cell by a label, as bits.

        Returns:
            The union of `own` over all states that the walks enter.
        """
        sets = [own(state) for state in self._number] + [0] * self._leave
        unions = self._components.unions(sets)
        of = self._components.of
        return {state: unions[of[number + self._leave]] for state, number in self._number.items()}

    def closing(self) -> set[State]:
        """Cells and labels of walks that leave and enter the cell by the label at last."""
        order = {state: 1 << number for state, number in self._number.items()}
        reached = self.reached(order.__getitem__)
        return {state for state, bit in order.items() if reached[state] & bit}
