"""Propagation of primitives: the values that a constraint leaves to each of its cells.

A filter keeps exactly the values with a support among those of the other cells:

    relation            the rows of the table for the values of the other cell
    sum, cells differ   the combinations of values that fit all cells, except that cells may
                        compete for a value
    sum                 the partial sums from both ends, as bits of an integer (Trick, "A dynamic
                        programming approach for consistency and propagation for knapsack
                        constraints", Annals of Operations Research 118, 2003)
    count               cells that can and cells that must have one of the values
    line                the states from both ends (Pesant, "A regular language membership
                        constraint for finite sequences of variables", CP 2004)
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import combinations
from math import comb
from typing import Final, NamedTuple

from harness.puzzles.constraints import (
    Distinct,
    Line,
    Primitive,
    Relation,
    Sum,
    ValueCount,
    bits_of,
    members,
    sum_of,
    transpose,
    union,
)
from harness.puzzles.puzzle import Puzzle, values_in
from harness.puzzles.shape import Shape

Domains = list[int]
"""The possible values of each cell as bits."""
MOST_COMBINATIONS: Final = 2000
"""Maximum number of combinations of a sum; a sum with more is filtered by its partial sums."""
_MOST_IMPLIED: Final = 10
"""Maximum number of cells of a sum that follows from others."""


class Filter(NamedTuple):
    """A constraint that removes values."""

    cells: tuple[int, ...]
    supports: Callable[[Domains], Iterable[int]]
    """For each cell the values that the constraint leaves, perhaps some that the cell lacks."""


class Sets(NamedTuple):
    """The values of these cells, all different, form one of `sets`."""

    cells: tuple[int, ...]
    sets: tuple[int, ...]


def filters_of(
    primitives: Iterable[Primitive | Sets], size: int, peers: Sequence[Sequence[int]]
) -> list[Filter]:
    """The filters of these primitives; `Distinct` has none, since pairs and houses cover it.

    Args:
        primitives: the constraints of a shape.
        size: the largest value.
        peers: for each cell the cells that differ from it.
    """
    return [
        _filter_of(primitive, size, peers)
        for primitive in primitives
        if not isinstance(primitive, Distinct)
    ]


def propagate_puzzle(puzzle: Puzzle) -> tuple[Domains, bool]:
    """The values of each cell that neither givens of its peers nor constraints exclude.

    Returns:
        The values, and whether each cell has one left.
    """
    shape, givens = puzzle.shape, puzzle.givens
    domains = list(puzzle.allowed)
    for cell, peers in enumerate(shape.peers):
        if not givens[cell]:
            for peer in peers:
                if givens[peer]:
                    domains[cell] &= ~(1 << givens[peer] - 1)
    return domains, propagate(filters_of(shape.primitives, shape.size, shape.peers), domains)


def propagate(filters: Sequence[Filter], domains: Domains) -> bool:
    """Apply filters to a fixpoint; False if a cell has no value left."""
    of_cell: dict[int, list[int]] = {}
    for number, filter_ in enumerate(filters):
        for cell in filter_.cells:
            of_cell.setdefault(cell, []).append(number)
    waiting = dict.fromkeys(range(len(filters)))
    while waiting:
        number = next(iter(waiting))
        del waiting[number]
        filter_ = filters[number]
        for cell, bits in zip(filter_.cells, filter_.supports(domains), strict=False):
            remaining = domains[cell] & bits
            if remaining != domains[cell]:
                domains[cell] = remaining
                if not remaining:
                    return False
                waiting |= dict.fromkeys(of_cell[cell])
    return True


def _filter_of(primitive: Primitive | Sets, size: int, peers: Sequence[Sequence[int]]) -> Filter:
    if isinstance(primitive, Relation):
        return _relation(primitive)
    if isinstance(primitive, ValueCount):
        return Filter(primitive.cells, partial(_by_count, primitive))
    if isinstance(primitive, Line):
        return Filter(primitive.cells, partial(_by_states, primitive))
    if isinstance(primitive, Sum):
        sets = sets_of(primitive, size, peers)
        if sets is None:
            return Filter(primitive.cells, partial(_by_partial_sums, primitive, size))
        primitive = Sets(primitive.cells, sets)
    assert isinstance(primitive, Sets), primitive
    return Filter(primitive.cells, partial(_by_sets, primitive))


def _relation(relation: Relation) -> Filter:
    def support_of(table: Sequence[int]) -> Callable[[int], int]:
        return cache(lambda domain: union(table[value - 1] for value in values_in(domain)))

    forward, backward = support_of(relation.table), support_of(relation.converse().table)
    first, second = relation.first, relation.second
    return Filter(
        (first, second), lambda domains: (backward(domains[second]), forward(domains[first]))
    )


def strengthen(shape: Shape) -> tuple[Shape, list[Primitive | Sets]]:
    """The shape and its primitives, with what follows from them and makes a search shorter.

    If two cells must be equal, the shape gets pairs of each with the peers of the other.
    """
    equal = tuple(1 << value for value in range(shape.size))
    pairs = set()
    for primitive in shape.primitives:
        if isinstance(primitive, Relation) and primitive.table == equal:
            for first, second in (primitive.cells, primitive.cells[::-1]):
                pairs |= {(first, cell) for cell in shape.peers[second] if cell != first}
    pairs = {(a, b) for a, b in pairs if b not in shape.peers[a]}
    if pairs:
        shape = replace(shape, pairs=(*shape.pairs, *pairs))
    return shape, [
        *shape.primitives,
        *_implied_sums(shape),
        *_implied_counts(shape.primitives),
        *_implied_sets(shape.primitives, shape.size),
    ]


def _implied_sets(primitives: Sequence[Primitive], size: int) -> Iterator[Sets]:
    """The possible sets of values of cells that differ and all have relations with each other."""
    relations = {p.cells: p.table for p in primitives if isinstance(p, Relation)}
    for primitive in primitives:
        if not isinstance(primitive, Distinct) or len(primitive.cells) < 3:
            continue
        pairs = [*combinations(primitive.cells, 2)]
        if not all(pair in relations for pair in pairs):
            continue
        tables = {relations[pair] for pair in pairs}
        every = [*tables, *map(transpose, tables)]
        beside = [*map(union, zip(*every, strict=True))]
        sets = _cliques(beside, len(primitive.cells))
        if sets is not None and len(sets) < comb(size, len(primitive.cells)):
            yield Sets(primitive.cells, tuple(sets))


def _cliques(beside: Sequence[int], number: int) -> list[int] | None:
    """The sets of `number` values that are allowed together; None if there are too many."""
    cliques = [(0, (1 << len(beside)) - 1)]
    for _ in range(number):
        cliques = [
            (clique | 1 << value - 1, free & beside[value - 1] & -1 << value)
            for clique, free in cliques
            for value in values_in(free)
        ]
        if len(cliques) > MOST_COMBINATIONS:
            return None
    return [clique for clique, _ in cliques]


def _implied_counts(primitives: Sequence[Primitive]) -> list[ValueCount]:
    """The number of cells with any of several values that the same cells need."""
    counts: dict[tuple[int, ...], dict[int, int]] = {}
    for primitive in primitives:
        if not isinstance(primitive, ValueCount) or not primitive.least:
            continue
        if primitive.values.bit_count() == 1:
            least = counts.setdefault(tuple(sorted(primitive.cells)), {})
            least[primitive.values] = max(primitive.least, least.get(primitive.values, 0))
    return [
        ValueCount(cells, union(least), sum(least.values()), len(cells))
        for cells, least in counts.items()
        if len(least) > 1
    ]


def _implied_sums(shape: Shape) -> list[Sum]:
    """Further sums that follow from sums and the totals of houses.

    The cells of some houses that no chosen sum has, less the cells of these sums outside of the
    houses, have a known total: innies and outies.
    """
    size = shape.size
    sums = [
        (bits_of(primitive.cells), primitive.totals[0], len(primitive.cells) // 2)
        for primitive in shape.primitives
        if isinstance(primitive, Sum)
        and len(primitive.totals) == 1
        and {*primitive.coefficients} == {1}
    ]
    if not sums:
        return []
    cell_sets = {cells for cells, *_ in sums}
    with_sum = union(cell_sets)
    beside = [*map(bits_of, shape.peers)]
    results: dict[tuple[int, int], int] = {}
    for region in _regions(size, tuple(house.cells for house in shape.houses)):
        near = sorted(
            (beyond, cells, own)
            for cells, own, half in sums
            if (beyond := (cells & ~region).bit_count()) <= half
        )
        for most in {0, near[-1][0]} if near else ():
            inside, total = 0, -region.bit_count() * (size + 1) // 2
            for beyond, cells, own in near:
                if beyond <= most and not inside & cells:
                    inside |= cells
                    total += own
            inner, outer = region & ~inside, inside & ~region
            either = inner | outer
            number = either.bit_count()
            if not inside or not 0 < number <= _MOST_IMPLIED or either in cell_sets:
                continue
            if inner.bit_count() >= outer.bit_count():
                inner, outer, total = outer, inner, -total
            if (inner, outer) not in results:
                has_new = number <= size and either & ~with_sum
                if has_new or number <= 4 or _is_near_an_end(inner, outer, total, size, beside):
                    results[inner, outer] = total
    return [
        sum_of([*((1, c) for c in members(more)), *((-1, c) for c in members(less))], [total])
        for (less, more), total in results.items()
    ]


def _is_near_an_end(inner: int, outer: int, total: int, size: int, beside: Sequence[int]) -> bool:
    """Whether the total of the outer less the inner cells is near its smallest or largest value."""
    ends = [0, 0]
    for sign, cells in (1, outer), (-1, inner):
        while cells:
            different, number = cells, 0
            while different:  # a group of cells that all differ
                cell = different & -different
                cells ^= cell
                different &= beside[cell.bit_length() - 1]
                number += 1
            ends[sign < 0] += sign * number * (number + 1) // 2
            ends[sign > 0] += sign * number * (2 * size - number + 1) // 2
    low, high = ends
    return high - low > 4 * min(total - low, high - total)


def _regions(size: int, houses: Sequence[Sequence[int]]) -> Iterator[int]:
    """Houses, and unions of successive disjoint houses, as bits."""
    bits = [*map(bits_of, houses)]
    for first, region in enumerate(bits):
        yield region
        for other in bits[first + 1 : first + size - 1]:
            if region & other:
                break
            region |= other
            yield region


def are_plain_and_differ(primitive: Sum, peers: Sequence[Sequence[int]]) -> bool:
    """Whether a sum has no coefficients but 1, and its cells differ from each other."""
    if any(coefficient != 1 for coefficient in primitive.coefficients):
        return False
    return all(second in peers[first] for first, second in combinations(primitive.cells, 2))


def sets_of(primitive: Sum, size: int, peers: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """The sets of values of a sum whose cells differ; None for others, or if too many."""
    if not are_plain_and_differ(primitive, peers):
        return None
    return _sets_with(size, len(primitive.cells), primitive.totals)


@lru_cache(maxsize=1000)
def _sets_with(size: int, number: int, totals: tuple[int, ...]) -> tuple[int, ...] | None:
    """The sets of this many values with one of these totals; None if there are too many."""
    sets = combinations_of([(1 << size) - 1] * number, totals)
    return None if sets is None else tuple(sets)


def combinations_of(domains: Sequence[int], totals: Iterable[int]) -> list[int] | None:
    """The sets of as many values as cells that have one of the totals and fit the cells.

    Returns:
        The sets as bits; None if there are more than `MOST_COMBINATIONS`.
    """
    values = values_in(union(domains))
    goals = set(totals)
    most = max(goals, default=0)
    sets: list[int] = []

    def extend(subset: int, number: int, total: int, at: int) -> bool:
        remaining = len(domains) - number
        if not remaining:
            if total in goals and all(domain & subset for domain in domains):
                sets.append(subset)
            return len(sets) <= MOST_COMBINATIONS
        for place in range(at, len(values) - remaining + 1):
            value = values[place]
            if total + value * remaining > most:
                break
            if not extend(subset | 1 << value - 1, number + 1, total + value, place + 1):
                return False
        return True

    return sets if extend(0, 0, 0, 0) else None


def fitting(sets: Iterable[int], own: Sequence[int]) -> list[int]:
    """The sets that have a value for each of these domains, and only values of these domains."""
    beyond = ~union(own)
    return [
        values for values in sets if not values & beyond and all(values & domain for domain in own)
    ]


def _by_sets(primitive: Sets, domains: Domains) -> Iterable[int]:
    own = [domains[cell] for cell in primitive.cells]
    return (union(fitting(primitive.sets, own)),) * len(own)


def _by_partial_sums(primitive: Sum, size: int, domains: Domains) -> Iterable[int]:
    """Sums are shifted by the smallest value of each term, so that all are bits of an integer."""
    terms = []
    shift = 0
    for cell, coefficient in zip(primitive.cells, primitive.coefficients, strict=True):
        least = min(coefficient, coefficient * size)
        shift += least
        values = values_in(domains[cell])
        terms.append([(value, coefficient * value - least) for value in values])
    forward = [1]
    for term in terms:
        sums = 0
        for _, amount in term:
            sums |= forward[-1] << amount
        forward.append(sums)
    backward = 0
    for total in primitive.totals:
        if total >= shift:
            backward |= 1 << total - shift
    supports = []
    for term, before in zip(reversed(terms), reversed(forward[:-1]), strict=True):
        possible = following = 0
        for value, amount in term:
            if before & backward >> amount:
                possible |= 1 << value - 1
            following |= backward >> amount
        supports.append(possible)
        backward = following
    return reversed(supports)


def _by_count(count: ValueCount, domains: Domains) -> Iterable[int]:
    can = sum(1 for cell in count.cells if domains[cell] & count.values)
    must = sum(1 for cell in count.cells if not domains[cell] & ~count.values)
    if must > count.most or can < count.least:
        return (0,) * len(count.cells)
    if can == count.least:
        return [count.values if domains[c] & count.values else -1 for c in count.cells]
    if must == count.most:
        return [~count.values if domains[c] & ~count.values else -1 for c in count.cells]
    return (-1,) * len(count.cells)


def _by_states(line: Line, domains: Domains) -> Iterable[int]:
    layers = layers_of_line(line, domains)
    supports = [union(1 << value - 1 for _, value, _ in moves) for moves in layers]
    return supports or (0,) * len(line.cells)


# Moves of automata along cells, layer by layer.


Moves = list[tuple[int, int, int]]
"""Moves: each has the state before a cell, the value of the cell, and the state after it."""


def layers_of_line(line: Line, domains: Domains) -> list[Moves]:
    """The moves of an automaton along cells; see `layers_of`."""
    transitions, accepting = line.automaton.transitions, line.automaton.accepting

    def step(state: int, _: int, value: int) -> int | None:
        after = transitions[state][value - 1]
        return None if after < 0 else after

    return layers_of([domains[cell] for cell in line.cells], step, accepting.__getitem__)


def layers_of(
    domains: Sequence[int],
    step: Callable[[int, int, int], int | None],
    accepts: Callable[[int], bool],
) -> list[Moves]:
    """For each cell along a line, the moves on paths from the state 0 to an accepting state.

    Args:
        domains: the possible values of each cell.
        step: the next state, from a state, the place on the line and a value; None without one.
        accepts: whether a path may end in a state.

    Returns:
        The moves of each layer, with states numbered by layer; empty if there is no path.
    """
    frontier = {0: 0}
    layers: list[Moves] = []
    for at, domain in enumerate(domains):
        following: dict[int, int] = {}
        moves = []
        values = values_in(domain)
        for state, number in frontier.items():
            for value in values:
                after = step(state, at, value)
                if after is not None:
                    number_after = following.setdefault(after, len(following))
                    moves.append((number, value, number_after))
        layers.append(moves)
        frontier = following
    alive = {number for state, number in frontier.items() if accepts(state)}
    for at in reversed(range(len(layers))):
        layers[at] = [move for move in layers[at] if move[2] in alive]
        alive = {before for before, _, _ in layers[at]}
    return layers if alive else []
