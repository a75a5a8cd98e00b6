"""Eppstein's cycle rules on the bilocation and the bivalue graph."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.extensions.reasoning.board import (
    Board,
    Elimination,
    Link,
    Placement,
    Rule,
    all_of,
    cells_of,
    conditional,
)
from harness.extensions.reasoning.graphs import (
    BilocationGraph,
    BivalueGraph,
    LinkGraph,
    closed_walk,
    cycle_through,
)
from harness.puzzles import Shape, values_in

# Reasons of rules that use a closed walk.


@dataclass(frozen=True, slots=True)
class ClosedWalk:
    """A walk that returns to its first cell; what it proves is in the words of a subclass."""

    walk: tuple[Link, ...]
    """The links; the last one returns to the source of the first."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of the walk, each once, in its order."""
        return cells_of(self.walk)

    @property
    def walks(self) -> tuple[tuple[Link, ...], ...]:
        """The walk, for a drawing."""
        return (self.walk,)


@dataclass(frozen=True, slots=True)
class NonrepetitiveCycle(ClosedWalk):
    """A closed walk whose labels differ at each cell, including the first.

    Each link gives its value to one of its two cells. Either all sources have the values of
    their links, or all targets have them.
    """

    def words(self, shape: Shape) -> str:
        """The reason in words: the cells with their links, and the two cases that follow.

        ``R1C1 -3- R1C2 (row 1)`` is a link with the label 3 in row 1.
        """
        name = shape.cell_name
        after = (self.walk[-1], *self.walk[:-1])
        forward = [f"{name(link.source)} is {shape.symbol(link.value)}" for link in self.walk]
        other = [f"{name(link.target)} is {shape.symbol(link.value)}" for link in after]
        links = " ".join(_leg(link, shape) for link in self.walk)
        cycle = f"{name(self.walk[0].source)} {links}"
        return f"the cycle {cycle} leaves two cases: {all_of(forward)}, or {all_of(other)}"


def _leg(link: Link, shape: Shape) -> str:
    """The label of a link, its target and its house: ``-3- R1C2 (row 1)``."""
    house = f" ({link.house})" if link.house is not None else ""
    return f"-{shape.symbol(link.value)}- {shape.cell_name(link.target)}{house}"


# Eppstein's nonrepetitive cycle rule on the bilocation graph.


class NonrepetitiveCycleRule(Rule):
    """The cells of a nonrepetitive cycle have the labels of the cycle.

    There are as many links as cells, and each link gives its label to a cell. So a cell where
    all links on cycles have one of two labels has one of these two. A cycle of two links is a
    hidden pair. Where there are more than two labels, the repetitive cycle rule places one.
    """

    name = "nonrepetitive cycle"
    reasons_last = False

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The other candidates in cells of a cycle, by the first cell with such candidates.

        Each conclusion has a shortest cycle through a cell, and the candidates of all its cells.
        """
        graph = BilocationGraph(board)
        others = _others(board, graph)
        earlier: set[int] = set()
        for cell, (link, _) in others.items():
            walk = None if cell in earlier else cycle_through(graph, link)
            if walk is not None:
                reason = NonrepetitiveCycle(walk)
                cells = sorted(others.keys() & set(reason.cells))
                earlier.update(cells)
                removals = ((c, value) for c in cells for value in others[c][1])
                yield Elimination(tuple(removals), reason)


def _others(board: Board, graph: BilocationGraph) -> dict[int, tuple[Link, list[int]]]:
    """The cells with two labels of cycles and other candidates: a link, and these candidates."""
    others_of = {}
    for cell in sorted(graph.links):
        cyclic = [link for link in graph.links[cell] if graph.is_cyclic(link)]
        labels = {link.value for link in cyclic}
        values = board.candidates[cell]
        if len(labels) == 2:
            others = [value for value in values_in(values) if value not in labels]
            if others:
                others_of[cell] = (cyclic[0], others)
    return others_of


# Eppstein's nonrepetitive cycle rule on the bivalue graph.


class BivalueNonrepetitiveCycleRule(Rule):
    """Each link of a nonrepetitive cycle has its label in one of its two cells.

    So a peer of both cells does not have this value.
    """

    name = "bivalue nonrepetitive cycle"
    reasons_last = False

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The candidates that cycles exclude, by the first link that excludes one.

        Each conclusion has a shortest cycle through a link, and the candidates that all links
        of the cycle exclude.
        """
        graph = BivalueGraph(board)
        earlier: set[tuple[int, int]] = set()
        for link in graph.every_link:
            exclusions = _exclusions(board, link) if graph.is_cyclic(link) else set()
            walk = None if exclusions <= earlier else cycle_through(graph, link)
            if walk is not None:
                removals = set().union(*(_exclusions(board, each) for each in walk))
                earlier |= removals
                yield Elimination(tuple(sorted(removals)), NonrepetitiveCycle(walk))


def _exclusions(board: Board, link: Link) -> set[tuple[int, int]]:
    """The candidates in peers of both cells that have the value of the link."""
    peers = board.shape.peers
    common = set(peers[link.source]).intersection(peers[link.target])
    bit = 1 << link.value - 1
    return {(cell, link.value) for cell in common if board.candidates[cell] & bit}


# Eppstein's repetitive cycle rules on both graphs.


@dataclass(frozen=True, slots=True)
class RepetitiveCycle(ClosedWalk):
    """A closed walk from a cell, which refutes the supposition from which it starts.

    In the bilocation graph, suppose that the cell does not have the value: the walk gives it the
    value. In the bivalue graph, suppose that it has the value: the walk gives it the other one. The
    first and the last link have the value; all other consecutive labels differ.
    """

    def words(self, shape: Shape) -> str:
        """The reason in words, link by link."""
        supposition = "if not" if self.walk[0].is_strong else "if it were"
        return f"{supposition}, {conditional(self.walk, shape)}"


def _repetitive_cycles(graph: LinkGraph) -> Iterator[tuple[int, int, RepetitiveCycle]]:
    """Each cell and value with a shortest walk that closes there, by cell, then by value."""
    for cell, value in sorted(graph.closing()):
        walk = closed_walk(graph, cell, value)
        assert walk is not None
        yield cell, value, RepetitiveCycle(walk)


class RepetitiveCycleRule(Rule):
    """A cell has a value if a walk that starts from its absence ends with its presence.

    Suppose that the cell does not have the value. The first link then gives the value to its
    target, which therefore does not have the label of the second link, and so on; the last link
    gives the value to the cell.
    """

    name = "repetitive cycle"
    reasons_last = False

    def conclusions(self, board: Board) -> Iterator[Placement]:
        """The cells on such walks with their values, by cell, then by value."""
        for cell, value, reason in _repetitive_cycles(BilocationGraph(board)):
            yield Placement(cell, value, reason)


class BivalueRepetitiveCycleRule(Rule):
    """A cell does not have a value if a walk that starts from its presence ends with its absence.

    Suppose that the cell has the value. The target of the first link then has its other
    candidate, which is the label of the second link, and so on; the last link gives the cell
    its other candidate.
    """

    name = "bivalue repetitive cycle"
    reasons_last = False

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The cells on such walks without their values, by cell, then by value."""
        for cell, value, reason in _repetitive_cycles(BivalueGraph(board)):
            yield Elimination(((cell, value),), reason)
