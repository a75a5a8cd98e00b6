"""Primitive constraints, to which every named constraint of a puzzle reduces.

==============  ==========================================================================
`Relation`      the values of two cells are a pair that a table allows
`Sum`           the values of cells, each times a coefficient, add up to one of some totals
`Distinct`      cells hold different values
`ValueCount`    the number of cells with one of some values is within bounds
`Line`          an automaton accepts the values along cells
==============  ==========================================================================

Houses are groups of N different cells, and `Shape.pairs` holds the pairs of the other groups, so
every backend that supports pairs supports `Distinct`. Sets of values are bits: 0b101 for 1 and 3.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Final, TypeVar

from harness.base.errors import PuzzleError

MOST_STATES: Final = 20_000
"""Maximum number of states of an automaton."""

_State = TypeVar("_State", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Relation:
    """The values of two different cells are a pair in a table."""

    first: int
    second: int
    table: tuple[int, ...]
    """``table[u - 1]``: the values of `second` that are allowed beside the value u of `first`."""

    @property
    def cells(self) -> tuple[int, int]:
        """Both cells."""
        return self.first, self.second

    def __repr__(self) -> str:
        """The text that enters the digests of shapes, and so the identifiers of puzzles."""
        return f"Relation(one={self.first}, other={self.second}, table={self.table})"

    def converse(self) -> "Relation":
        """The same relation with the cells exchanged."""
        return Relation(self.second, self.first, transpose(self.table))


@dataclass(frozen=True, slots=True)
class Sum:
    """The values of different cells, each times its coefficient, add up to one of the totals."""

    cells: tuple[int, ...]
    coefficients: tuple[int, ...]
    totals: tuple[int, ...]
    """Ascending."""


@dataclass(frozen=True, slots=True)
class Distinct:
    """Cells hold different values."""

    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ValueCount:
    """The number of cells that hold one of some values is from `least` to `most`."""

    cells: tuple[int, ...]
    values: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Automaton:
    """A deterministic finite automaton over values, without useless states."""

    transitions: tuple[tuple[int, ...], ...]
    """``transitions[q][v - 1]``: the state after value v in state q; -1 if v is refused."""
    accepting: tuple[bool, ...]
    """Whether a line may end in each state. The first state is 0."""


@dataclass(frozen=True, slots=True)
class Line:
    """An automaton accepts the values along cells; a cell may occur more than once."""

    cells: tuple[int, ...]
    automaton: Automaton


Primitive = Relation | Sum | Distinct | ValueCount | Line


def keeps(primitive: Primitive, grid: Sequence[int]) -> bool:
    """Whether a complete grid satisfies a primitive."""
    match primitive:
        case Relation(first, second, table):
            return bool(table[grid[first] - 1] & 1 << grid[second] - 1)
        case Sum(cells, coefficients, totals):
            terms = zip(cells, coefficients, strict=True)
            return sum(grid[cell] * factor for cell, factor in terms) in totals
        case Distinct(cells):
            return len({grid[cell] for cell in cells}) == len(cells)
        case ValueCount(cells, values, least, most):
            return least <= sum(values >> grid[cell] - 1 & 1 for cell in cells) <= most
        case Line(cells, automaton):
            state = 0
            for cell in cells:
                state = automaton.transitions[state][grid[cell] - 1]
                if state < 0:
                    return False
            return automaton.accepting[state]


def bits_of(numbers: Iterable[int]) -> int:
    """A set of numbers from 0, such as cells, as bits."""
    bits = 0
    for number in numbers:
        bits |= 1 << number
    return bits


def members(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set, ascending: the elements of a set."""
    while bits:
        lowest = bits & -bits
        bits ^= lowest
        yield lowest.bit_length() - 1


def union(sets: Iterable[int]) -> int:
    """The elements of all sets, as bits."""
    bits = 0
    for elements in sets:
        bits |= elements
    return bits


def transpose(table: Sequence[int]) -> tuple[int, ...]:
    """A table of pairs with the cells exchanged."""
    values = range(len(table))
    return tuple(sum(1 << u for u in values if table[u] >> v & 1) for v in values)


def relation_of(size: int, allows: Callable[[int, int], bool]) -> tuple[int, ...]:
    """The table of the pairs of values from 1 to `size` that `allows` accepts."""
    values = range(1, size + 1)
    return tuple(sum(1 << w - 1 for w in values if allows(u, w)) for u in values)


def sum_of(terms: Iterable[tuple[int, int]], totals: Iterable[int]) -> Sum:
    """The sum of terms, each a coefficient and a cell; those of the same cell are added."""
    coefficients: dict[int, int] = {}
    for coefficient, cell in terms:
        coefficients[cell] = coefficients.get(cell, 0) + coefficient
    cells = tuple(sorted(cell for cell, factor in coefficients.items() if factor))
    return Sum(cells, tuple(coefficients[cell] for cell in cells), tuple(sorted({*totals})))


def automaton_of(
    size: int,
    start: _State,
    step: Callable[[_State, int], _State | None],
    accepts: Callable[[_State], bool],
) -> Automaton:
    """The smallest automaton with this behaviour.

    Args:
        size: the largest value.
        start: the first state.
        step: the state after a value; None if the value is refused.
        accepts: whether a line may end in a state.

    Raises:
        PuzzleError: there are more than `MOST_STATES` states.
    """
    number = {start: 0}
    states = [start]
    transitions: list[tuple[int, ...]] = []
    for state in states:  # grows as states are reached
        row = []
        for value in range(1, size + 1):
            following = step(state, value)
            if following is not None and following not in number:
                if len(states) == MOST_STATES:
                    raise PuzzleError(
                        "the automaton is too large", expected=f"at most {MOST_STATES} states"
                    )
                number[following] = len(states)
                states.append(following)
            row.append(-1 if following is None else number[following])
        transitions.append(tuple(row))
    return _minimal(tuple(transitions), tuple(accepts(state) for state in states))


def minimal(transitions: Sequence[Sequence[int]], accepting: Sequence[bool]) -> Automaton:
    """The smallest automaton that accepts the same lines.

    An automaton that accepts no line keeps its first state, without transitions.
    """
    classes = _classes(transitions, accepting)
    order = {classes[0]: 0, classes[-1]: -1}
    waiting = [0]
    moves: list[tuple[int, ...]] = []
    for state in waiting:  # grows as classes are reached
        for after in transitions[state]:
            if classes[after] not in order:
                order[classes[after]] = len(waiting)
                waiting.append(after)
        moves.append(tuple(order[classes[after]] for after in transitions[state]))
    return Automaton(tuple(moves), tuple(accepting[state] for state in waiting))


_minimal: Final = lru_cache(maxsize=128)(minimal)
"""Cached, since the lines of many puzzles share few automata."""


def _classes(rows: Sequence[Sequence[int]], accepting: Sequence[bool]) -> list[int]:
    """The class of each state: states of a class accept the same lines from there on.

    Hopcroft, "An n log n algorithm for minimizing states in a finite automaton" (1971). The
    state -1, from which no line is accepted, comes last.
    """
    symbols = range(len(rows[0]))
    before: list[list[list[int]]] = [[[] for _ in range(len(rows) + 1)] for _ in symbols]
    for state, row in enumerate([*rows, [-1] * len(symbols)]):
        for symbol, after in enumerate(row):
            before[symbol][after].append(state)
    ends = {state for state, accepts in enumerate(accepting) if accepts}
    blocks = [ends, {*range(len(rows) + 1)} - ends]
    classes = [int(state not in ends) for state in range(len(rows) + 1)]
    waiting = {(block, symbol) for block in range(2) for symbol in symbols}
    while waiting:
        block, symbol = waiting.pop()
        parts: dict[int, set[int]] = {}
        for after in blocks[block]:
            for state in before[symbol][after]:
                parts.setdefault(classes[state], set()).add(state)
        for index, part in parts.items():
            if len(part) == len(blocks[index]):
                continue
            new = len(blocks)
            blocks[index] -= part
            blocks.append(part)
            for state in part:
                classes[state] = new
            smaller = new if len(part) <= len(blocks[index]) else index
            waiting |= {(new if (index, s) in waiting else smaller, s) for s in symbols}
    return classes


def move(primitive: Primitive, to: Sequence[int]) -> Primitive:
    """The primitive with each cell c at ``to[c]``."""
    if isinstance(primitive, Relation):
        return Relation(to[primitive.first], to[primitive.second], primitive.table)
    if isinstance(primitive, Sum):
        cells = (to[cell] for cell in primitive.cells)
        return sum_of(zip(primitive.coefficients, cells, strict=True), primitive.totals)
    return replace(primitive, cells=tuple(to[cell] for cell in primitive.cells))


def relabel(primitive: Primitive, values: Sequence[int]) -> Primitive | None:
    """The primitive with ``values[v]`` in place of each value v.

    None for large automata, and for sums unless `values` reverses the order of the values.

    Args:
        primitive: the primitive.
        values: a permutation of the values from 1, after a 0.
    """
    size = len(values) - 1
    if list(values) == list(range(size + 1)):
        return primitive
    new = [value - 1 for value in values[1:]]
    if isinstance(primitive, Relation):
        table = [0] * size
        for value, partners in enumerate(primitive.table):
            table[new[value]] = bits_of(new[partner] for partner in members(partners))
        return replace(primitive, table=tuple(table))
    if isinstance(primitive, Sum):
        if any(value + other != size + 1 for value, other in enumerate(values) if value):
            return None
        every = (size + 1) * sum(primitive.coefficients)
        return replace(primitive, totals=tuple(every - t for t in primitive.totals[::-1]))
    if isinstance(primitive, ValueCount):
        return replace(primitive, values=bits_of(new[v] for v in members(primitive.values)))
    if isinstance(primitive, Line):
        if len(primitive.automaton.accepting) > _MOST_RELABELLED:
            return None
        rows = [[0] * size for _ in primitive.automaton.transitions]
        for row, old in zip(rows, primitive.automaton.transitions, strict=True):
            for value, after in enumerate(old):
                row[new[value]] = after
        return replace(primitive, automaton=minimal(rows, primitive.automaton.accepting))
    return primitive


_MOST_RELABELLED: Final = 500
"""Maximum number of states of an automaton that `relabel` rebuilds."""


def normal_form(size: int, primitives: Iterable[Primitive]) -> tuple[Primitive, ...]:
    """Primitives with the same solutions, and at most one `Relation` for each pair of cells.

    `Distinct` groups that are parts of others are left out; relations have the lower cell first. A
    relation that only requires two cells to differ becomes a `Distinct` group.
    """
    every = (1 << size) - 1
    differ = tuple(every ^ 1 << value for value in range(size))
    tables: dict[tuple[int, int], tuple[int, ...]] = {}
    groups: dict[tuple[int, ...], None] = {}
    others: dict[Primitive, None] = {}
    for primitive in primitives:
        if isinstance(primitive, Relation):
            relation = primitive if primitive.first < primitive.second else primitive.converse()
            table = tables.get((relation.first, relation.second), (every,) * size)
            common = tuple(a & b for a, b in zip(table, relation.table, strict=True))
            tables[relation.first, relation.second] = common
        elif isinstance(primitive, Distinct):
            groups[tuple(sorted(primitive.cells))] = None
        elif isinstance(primitive, Sum) and not primitive.cells:
            if 0 not in primitive.totals:  # no value fits any cell
                others[ValueCount((0,), 0, 1, 1)] = None
        else:
            others[primitive] = None
    for pair in [pair for pair, table in tables.items() if table == differ]:
        groups[pair] = None
        del tables[pair]
    sets = [set(cells) for cells in groups]
    distinct = (
        Distinct(cells)
        for cells in groups
        if len(cells) > 1 and not any(set(cells) < other for other in sets)
    )
    relations = (Relation(*pair, t) for pair, t in tables.items() if t != (every,) * size)
    return (*distinct, *relations, *others)


def pairs_of(primitives: Iterable[Primitive]) -> set[tuple[int, int]]:
    """The pairs of cells within `Distinct` groups, in the order of their group."""
    return {
        pair
        for primitive in primitives
        if isinstance(primitive, Distinct)
        for pair in combinations(primitive.cells, 2)
    }
