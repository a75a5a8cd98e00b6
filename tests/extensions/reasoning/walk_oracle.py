"""Eppstein's rules written a second time: closures of sets of states, without the harness.

A graph is a set of triples of two cells and a label, in both directions. States are pairs of a
cell and the label by which a walk enters it.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from harness.puzzles import Shape
from tests.extensions.reasoning.oracle import different

Cell = int
Edge = tuple[Cell, Cell, int]
Fact = tuple[Cell, int]
Domains = list[set[int]]


def domains_of(candidates: Sequence[int]) -> Domains:
    return [{v + 1 for v in range(bits.bit_length()) if bits >> v & 1} for bits in candidates]


def bilocation(shape: Shape, domains: Domains) -> set[Edge]:
    edges = set()
    for house in shape.houses:
        for value in range(1, shape.size + 1):
            places = [cell for cell in house.cells if value in domains[cell]]
            if len(places) == 2 and all(len(domains[cell]) > 1 for cell in places):
                edges |= {(places[0], places[1], value), (places[1], places[0], value)}
    return edges


def bivalue(shape: Shape, domains: Domains) -> set[Edge]:
    return {
        (first, other, value)
        for first, other in different(shape)
        if len(domains[first]) == len(domains[other]) == 2
        for value in domains[first] & domains[other]
    }


def onward(edges: set[Edge], state: Fact) -> set[Fact]:
    return {(to, label) for at, to, label in edges if at == state[0] and label != state[1]}


def levels(edges: set[Edge], cell: Cell, label: int) -> dict[Fact, int]:
    """The states that walks reach, with the fewest links, for a first link with the label."""
    return spread(edges, {(to, value) for at, to, value in edges if (at, value) == (cell, label)})


def spread(edges: set[Edge], first: set[Fact]) -> dict[Fact, int]:
    lengths: dict[Fact, int] = {}
    length = 1
    while first:
        lengths |= dict.fromkeys(first, length)
        first = {after for state in first for after in onward(edges, state)} - set(lengths)
        length += 1
    return lengths


def cyclic(edges: set[Edge]) -> set[Edge]:
    """The edges on closed nonrepetitive walks."""
    return {
        edge
        for edge in edges
        if any(cell == edge[0] and label != edge[2] for cell, label in spread(edges, {edge[1:]}))
    }


def closing(edges: set[Edge]) -> set[Fact]:
    """Cells and labels of walks whose first and last label are equal."""
    return {(at, value) for at, _, value in edges if (at, value) in levels(edges, at, value)}


def nonrepetitive(shape: Shape, domains: Domains) -> set[Fact]:
    removals = set()
    edges = cyclic(bilocation(shape, domains))
    for cell, values in enumerate(domains):
        labels = {label for at, _, label in edges if at == cell}
        if len(labels) == 2:
            removals |= {(cell, value) for value in values - labels}
    return removals


def bivalue_nonrepetitive(shape: Shape, domains: Domains) -> set[Fact]:
    apart = different(shape)
    return {
        (cell, label)
        for first, other, label in cyclic(bivalue(shape, domains))
        for cell, values in enumerate(domains)
        if label in values and (cell, first) in apart and (cell, other) in apart
    }


def without(shape: Shape, domains: Domains) -> Callable[[Fact], dict[Fact, int]]:
    """A function: what follows from the absence of a candidate, with the fewest links."""
    strong, weak = bilocation(shape, domains), bivalue(shape, domains)

    def facts(absent: Fact) -> dict[Fact, int]:
        cell, value = absent
        lengths = levels(strong, cell, value)
        if len(domains[cell]) == 2:
            (other,) = domains[cell] - {value}
            for (at, label), length in levels(weak, cell, other).items():
                (after,) = domains[at] - {label}
                lengths[at, after] = min(length, lengths.get((at, after), length))
            lengths[cell, other] = 0
        return lengths

    return facts


def conflict(first: Fact, other: Fact, apart: set[tuple[int, int]]) -> bool:
    if first[0] == other[0]:
        return first[1] != other[1]
    return first[1] == other[1] and (first[0], other[0]) in apart


def undecided_facts(domains: Domains) -> Iterable[Fact]:
    return ((c, v) for c, values in enumerate(domains) if len(values) > 1 for v in sorted(values))


def conflicting_paths(shape: Shape, domains: Domains) -> dict[Fact, int | None]:
    """Candidates to place, with the fewest links of two arms; None for a house without a cell."""
    apart, follows = different(shape), without(shape, domains)
    distances: dict[Fact, int | None] = {}
    for absent in undecided_facts(domains):
        facts = follows(absent)
        pairs = [
            facts[first] + facts[other]
            for first, other in combinations(facts, 2)
            if conflict(first, other, apart)
        ]
        if pairs:
            distances[absent] = min(pairs)
        elif facts and leaves_no_cell(shape, domains, absent, set(facts)):
            distances[absent] = None
    return distances


def leaves_no_cell(shape: Shape, domains: Domains, absent: Fact, facts: set[Fact]) -> bool:
    apart = different(shape)
    for house in shape.houses:
        for value in range(1, shape.size + 1):
            places = [(cell, value) for cell in house.cells if value in domains[cell]]
            if len(places) > 1 and all(
                place == absent or any(conflict(place, fact, apart) for fact in facts)
                for place in places
            ):
                return True
    return False


def path(shape: Shape, domains: Domains) -> set[Fact]:
    apart, follows = different(shape), without(shape, domains)
    return {
        (cell, value)
        for first, value in undecided_facts(domains)
        for other, same in follows((first, value))
        if same == value and other != first
        for cell, values in enumerate(domains)
        if value in values and (cell, first) in apart and (cell, other) in apart
    }
