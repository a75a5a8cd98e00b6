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

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, combinations
from typing import Final, NamedTuple

from harness.puzzles.primitives import (
    Distinct,
    Line,
    Primitive,
    Relation,
    Sum,
    ValueCount,
    sum_of,
)
from harness.puzzles.puzzle import Puzzle, values_in

Domains = list[int]
"""The possible values of each cell as bits."""
MOST_COMBINATIONS: Final = 2000
"""Of a sum; one with more is filtered by its partial sums."""
MOST_IMPLIED: Final = 12
"""Cells of a sum that follows from others."""


class Filter(NamedTuple):
    """A constraint that removes values."""

    cells: tuple[int, ...]
    allowed: Callable[[Domains], Iterable[int]]
    """For each cell the values that the constraint leaves, perhaps beside others."""


def filters_of(
    primitives: Iterable[Primitive], size: int, peers: Sequence[Sequence[int]]
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


def propagated(puzzle: Puzzle) -> tuple[Domains, bool]:
    """The values of each cell that neither givens of its peers nor constraints exclude.

    Returns:
        The values, and whether each cell has one.
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
    for number, one in enumerate(filters):
        for cell in one.cells:
            of_cell.setdefault(cell, []).append(number)
    waiting = dict.fromkeys(range(len(filters)))
    while waiting:
        number = next(iter(waiting))
        del waiting[number]
        one = filters[number]
        for cell, allowed in zip(one.cells, one.allowed(domains), strict=False):
            left = domains[cell] & allowed
            if left != domains[cell]:
                domains[cell] = left
                if not left:
                    return False
                waiting |= dict.fromkeys(of_cell[cell])
    return True


def _filter_of(of: Primitive, size: int, peers: Sequence[Sequence[int]]) -> Filter:
    if isinstance(of, Relation):
        return _relation(of)
    if isinstance(of, Sum):
        if are_plain_and_differ(of, peers):
            sets = combinations_of([(1 << size) - 1] * len(of.cells), of.totals)
            if sets is not None:
                return Filter(of.cells, lambda domains: _fitting(of.cells, sets, domains))
        return Filter(of.cells, lambda domains: _by_partial_sums(of, size, domains))
    if isinstance(of, ValueCount):
        return Filter(of.cells, lambda domains: _by_count(of, domains))
    assert isinstance(of, Line), of
    return Filter(of.cells, lambda domains: _by_states(of, domains))


def _relation(of: Relation) -> Filter:
    def supported(table: Sequence[int]) -> Callable[[int], int]:
        known: dict[int, int] = {}

        def of_domain(domain: int) -> int:
            found = known.get(domain)
            if found is None:
                found = 0
                for value in values_in(domain):
                    found |= table[value - 1]
                known[domain] = found
            return found

        return of_domain

    forward, backward = supported(of.table), supported(of.reversed().table)
    one, other = of.one, of.other
    return Filter((one, other), lambda domains: (backward(domains[other]), forward(domains[one])))


def implied_sums(
    primitives: Iterable[Primitive],
    size: int,
    houses: Sequence[Sequence[int]],
    peers: Sequence[Sequence[int]],
) -> list[Sum]:
    """Further sums that follow from sums and the totals of houses.

    The cells of some houses that no sum has, less those of sums outside of the houses, have a
    known total: innies and outies.

    Args:
        primitives: the constraints of a shape.
        size: the largest value.
        houses: the cells of each house.
        peers: for each cell the cells that differ from it.
    """
    sums = [
        of
        for of in primitives
        if isinstance(of, Sum) and len(of.totals) == 1 and {*of.coefficients} == {1}
    ]
    known = {of.cells for of in sums}
    all_cells = set(chain.from_iterable(known))
    found: dict[tuple[tuple[int, ...], tuple[int, ...]], Sum] = {}
    for region in _regions(size, houses) if sums else ():
        near = sorted(
            (beyond, -len(of.cells), number, of)
            for number, of in enumerate(sums)
            if 2 * (beyond := len(set(of.cells) - region)) <= len(of.cells)
        )
        for most_beyond in sorted({0, *(beyond for beyond, *_ in near)}):
            covered: set[int] = set()
            total = -len(region) // size * (size * (size + 1) // 2)
            for beyond, _, _, of in near:
                if beyond <= most_beyond and covered.isdisjoint(of.cells):
                    covered.update(of.cells)
                    total += of.totals[0]
            inside, outer = region - covered, covered - region
            number = len(inside) + len(outer)
            if not covered or not 0 < number <= MOST_IMPLIED:
                continue
            sign = 1 if len(outer) > len(inside) else -1
            terms = [*((sign, cell) for cell in outer), *((-sign, cell) for cell in inside)]
            made = sum_of(terms, [sign * total])
            is_new = number <= size and not all_cells.issuperset(made.cells)
            if made.cells not in known and (is_new or _is_worth_it(made, size, peers)):
                found.setdefault((made.cells, made.coefficients), made)
    return [*found.values()]


def _is_worth_it(of: Sum, size: int, peers: Sequence[Sequence[int]]) -> bool:
    """Whether a sum has few cells, or a total near its least or greatest one."""
    if len(of.cells) <= 4:
        return True
    low = high = 0
    for coefficient, cells in groups_of(of, peers):
        number = len(cells)
        least, greatest = number * (number + 1) // 2, number * (2 * size - number + 1) // 2
        low += min(coefficient * least, coefficient * greatest)
        high += max(coefficient * least, coefficient * greatest)
    return high - low > 4 * min(of.totals[0] - low, high - of.totals[0])


def groups_of(
    of: Sum, peers: Sequence[Sequence[int]], most: Callable[[int], bool] = lambda _: True
) -> list[tuple[int, list[int]]]:
    """The cells of a sum as groups of different cells with a coefficient.

    Args:
        of: the sum.
        peers: for each cell the cells that differ from it.
        most: whether a group may have this many cells.
    """
    groups: list[tuple[int, list[int]]] = []
    for cell, coefficient in zip(of.cells, of.coefficients, strict=True):
        for other, cells in groups:
            if (
                other == coefficient
                and most(len(cells) + 1)
                and all(one in peers[cell] for one in cells)
            ):
                cells.append(cell)
                break
        else:
            groups.append((coefficient, [cell]))
    return groups


def _regions(size: int, houses: Sequence[Sequence[int]]) -> list[set[int]]:
    """Houses, and unions of houses one after another that are disjoint."""
    found = []
    for first in range(len(houses)):
        region: set[int] = set()
        for last in range(first, min(first + size - 1, len(houses))):
            if not region.isdisjoint(houses[last]):
                break
            region = region.union(houses[last])
            found.append(region)
    return found


def are_plain_and_differ(of: Sum, peers: Sequence[Sequence[int]]) -> bool:
    """Whether a sum has no coefficients but 1, and its cells differ from each other."""
    if any(coefficient != 1 for coefficient in of.coefficients):
        return False
    return all(other in peers[one] for one, other in combinations(of.cells, 2))


def combinations_of(domains: Sequence[int], totals: Iterable[int]) -> list[int] | None:
    """The sets of as many values as cells with one of the totals, each cell having one of them.

    Returns:
        The sets as bits; None if there are more than `MOST_COMBINATIONS`.
    """
    every = 0
    for of in domains:
        every |= of
    values = values_in(every)
    wanted = set(totals)
    most = max(wanted, default=0)
    found: list[int] = []

    def extend(chosen: int, number: int, total: int, at: int) -> bool:
        left = len(domains) - number
        if not left:
            if total in wanted and all(of & chosen for of in domains):
                found.append(chosen)
            return len(found) <= MOST_COMBINATIONS
        for place in range(at, len(values) - left + 1):
            value = values[place]
            if total + value * left > most:
                break
            if not extend(chosen | 1 << value - 1, number + 1, total + value, place + 1):
                return False
        return True

    return found if extend(0, 0, 0, 0) else None


def _fitting(cells: Sequence[int], sets: Sequence[int], domains: Domains) -> Iterable[int]:
    own = [domains[cell] for cell in cells]
    every = allowed = 0
    for domain in own:
        every |= domain
    for of in sets:
        if not of & ~every and all(domain & of for domain in own):
            allowed |= of
    return (allowed,) * len(own)


def _by_partial_sums(of: Sum, size: int, domains: Domains) -> Iterable[int]:
    """Sums are shifted by the least of each term, so that all are bits of an integer."""
    terms = []
    shift = 0
    for cell, coefficient in zip(of.cells, of.coefficients, strict=True):
        least = min(coefficient, coefficient * size)
        shift += least
        values = values_in(domains[cell])
        terms.append([(value, coefficient * value - least) for value in values])
    forward = [1]
    for term in terms:
        reached = 0
        for _, amount in term:
            reached |= forward[-1] << amount
        forward.append(reached)
    backward = 0
    for total in of.totals:
        if total >= shift:
            backward |= 1 << total - shift
    allowed = []
    for term, before in zip(reversed(terms), reversed(forward[:-1]), strict=True):
        left = following = 0
        for value, amount in term:
            if before & backward >> amount:
                left |= 1 << value - 1
            following |= backward >> amount
        allowed.append(left)
        backward = following
    return reversed(allowed)


def _by_count(of: ValueCount, domains: Domains) -> Iterable[int]:
    can = sum(1 for cell in of.cells if domains[cell] & of.values)
    must = sum(1 for cell in of.cells if not domains[cell] & ~of.values)
    if must > of.most or can < of.least:
        return (0,) * len(of.cells)
    if can == of.least:
        return [of.values if domains[c] & of.values else -1 for c in of.cells]
    if must == of.most:
        return [~of.values if domains[c] & ~of.values else -1 for c in of.cells]
    return (-1,) * len(of.cells)


def _by_states(of: Line, domains: Domains) -> Iterable[int]:
    transitions, accepting = of.automaton.transitions, of.automaton.accepting
    layers = []
    reached = {0}
    for cell in of.cells:
        values = values_in(domains[cell])
        moves = [
            (state, value, after)
            for state in reached
            for value in values
            if (after := transitions[state][value - 1]) >= 0
        ]
        layers.append(moves)
        reached = {after for _, _, after in moves}
    alive = {state for state in reached if accepting[state]}
    allowed = []
    for moves in reversed(layers):
        left, before = 0, set()
        for state, value, after in moves:
            if after in alive:
                left |= 1 << value - 1
                before.add(state)
        allowed.append(left)
        alive = before
    return reversed(allowed)
