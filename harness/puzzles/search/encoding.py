"""Primitives of a puzzle over its candidates: groups, clauses and linear rows.

    literal       a candidate, or a further variable that the candidates determine
    group         exactly one of its literals holds
    at most       at most one of its literals holds
    clause        one of its literals holds, each perhaps negated: -3 is "not literal 3"
    row           a linear sum of literals is within bounds

Numbers of literals begin with 1. A solver takes either clauses or rows:

==============  ==========================================  ===============================
primitive       clauses                                     rows
==============  ==========================================  ===============================
`Relation`      values of both cells that exclude each other are in sets "at most"; in clauses,
                a value also needs one of the values that it allows (support; Gent, "Arc
                consistency in SAT", ECAI 2002)
`Sum`, cells    a literal for each combination of values: exactly one holds, and for each value
that differ     exactly one of its cells and of the combinations without it
`Sum`           states of partial sums                      one row
`ValueCount`    a clause, or states of partial counts       one row
`Line`          states of the automaton, each with the      flow from state to state, a literal
                next one through a value, both ways         for each value in each state
==============  ==========================================  ===============================

A combination literal serves a cage better than a sum of values, see docs/variants.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import combinations
from typing import Final, NamedTuple

from harness.puzzles.constraints import Line, Primitive, Relation, Sum, ValueCount, union
from harness.puzzles.puzzle import values_in
from harness.puzzles.search.propagation import (
    Domains,
    Moves,
    are_plain_and_differ,
    combinations_of,
    layers_of,
    layers_of_line,
)

COMMANDED: Final = 4
"""The number of literals that one commander stands for."""


class Row(NamedTuple):
    """``least <= sum of coefficients * literals <= most``."""

    literals: list[int]
    coefficients: list[int]
    least: int
    most: int


@dataclass(slots=True)
class Encoding:
    """What primitives demand of literals."""

    literals: int
    """The number of the last literal."""
    groups: list[list[int]] = field(default_factory=list)
    at_most: list[list[int]] = field(default_factory=list)
    clauses: list[list[int]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The number of clauses and rows."""
        return len(self.clauses) + len(self.rows)

    def new(self) -> int:
        """A further literal."""
        self.literals += 1
        return self.literals

    def commanders(self, group: list[int]) -> list[int]:
        """A few commanders of a group, whose clauses it adds; the group itself if it is short.

        Each stands for `COMMANDED` literals: at most one of them holds, and the commander holds if
        one does. If exactly one literal of the group holds, it determines the commanders (Klieber
        and Kwon, "Efficient CNF encoding for selecting 1 from N objects", 2007).
        """
        while len(group) > COMMANDED + 1:
            commanders = []
            for start in range(0, len(group), COMMANDED):
                part = group[start : start + COMMANDED]
                commander = self.new()
                commanders.append(commander)
                self.clauses += (list(pair) for pair in combinations([-x for x in part], 2))
                self.clauses += ([-literal, commander] for literal in part)
            group = commanders
        return group


# Encoding.


@dataclass
class Encoder:
    """Encodes primitives over the candidates of a puzzle."""

    number: Mapping[tuple[int, int], int]
    """The literal of each candidate, a cell and a value."""
    domains: Domains
    """The possible values of each cell; a cell with one value may have no literal."""
    peers: Sequence[Sequence[int]]
    """For each cell the cells that differ from it."""
    _: KW_ONLY
    linear: bool = False
    """Whether sums, numbers of values and automata become rows; otherwise all is in clauses."""
    combine: bool = True
    """Whether sums of cells that differ have combination literals."""

    def __post_init__(self) -> None:
        self.encoding = Encoding(max(self.number.values(), default=0))

    def encode(self, primitives: Iterable[Primitive]) -> Encoding:
        """The primitives as groups, clauses and rows; `Distinct` is left to the caller."""
        for primitive in primitives:
            if isinstance(primitive, Relation):
                self._relation(primitive)
            elif isinstance(primitive, Sum):
                self._sum(primitive)
            elif isinstance(primitive, ValueCount):
                self._count(primitive)
            elif isinstance(primitive, Line):
                self._layers(primitive.cells, layers_of_line(primitive, self.domains))
        return self.encoding

    def _candidates(self, cell: int) -> dict[int, int]:
        """The literal of each value of a cell; empty for a cell with one value and no literal."""
        values = values_in(self.domains[cell])
        number = self.number
        return {value: number[cell, value] for value in values if (cell, value) in number}

    def _relation(self, relation: Relation) -> None:
        first, second = self._candidates(relation.first), self._candidates(relation.second)
        if not first or not second:
            return  # propagation has applied it
        table = {u: relation.table[u - 1] & self.domains[relation.second] for u in first}
        exclusions = {u: self.domains[relation.second] & ~row for u, row in table.items()}
        for values in {values for values in exclusions.values() if values}:
            beside = [first[u] for u, of_u in exclusions.items() if not values & ~of_u]
            self.encoding.at_most.append(beside + [second[w] for w in values_in(values)])
        if self.linear:
            return
        for u, row in table.items():
            self.encoding.clauses.append([-first[u], *(second[w] for w in values_in(row))])
        for w, literal in second.items():
            supports = [first[u] for u, row in table.items() if row >> w - 1 & 1]
            self.encoding.clauses.append([-literal, *supports])

    def _sum(self, primitive: Sum) -> None:
        fixed_cells = [cell for cell in primitive.cells if not self._candidates(cell)]
        coefficient = dict(zip(primitive.cells, primitive.coefficients, strict=True))
        base = sum(coefficient[cell] * self.domains[cell].bit_length() for cell in fixed_cells)
        cells = [cell for cell in primitive.cells if cell not in fixed_cells]
        totals = [total - base for total in primitive.totals]
        if not cells:
            return  # propagation has applied it
        if self.combine and are_plain_and_differ(primitive, self.peers):
            sets = combinations_of([self.domains[cell] for cell in cells], totals)
            if sets is not None:
                self._combinations(cells, sets)
                return
        if self.linear:
            self._linear_sum(cells, coefficient, totals)
            return
        terms = _near_zero([(coefficient[cell], cell) for cell in cells])

        def step(so_far: int, at: int, value: int) -> int:
            return so_far + terms[at][0] * value

        domains = [self.domains[cell] for _, cell in terms]
        moves = layers_of(domains, step, totals.__contains__)
        self._layers([cell for _, cell in terms], moves)

    def _combinations(self, cells: list[int], sets: list[int]) -> None:
        """Demand exactly one of the sets of values, and each of its values in one of the cells."""
        encoding = self.encoding
        literals = [encoding.new() for _ in sets]
        encoding.groups.append(literals)
        for value in values_in(union(self.domains[cell] for cell in cells)):
            places = [self._candidates(cell).get(value) for cell in cells]
            without = [
                y for y, values in zip(literals, sets, strict=True) if not values >> value - 1 & 1
            ]
            encoding.groups.append([place for place in places if place] + without)

    def _linear_sum(
        self, cells: list[int], coefficient: Mapping[int, int], totals: list[int]
    ) -> None:
        terms = [
            (literal, coefficient[cell] * value)
            for cell in cells
            for value, literal in self._candidates(cell).items()
        ]
        least = most = totals[0]
        if len(totals) > 1:
            choices = [(self.encoding.new(), -total) for total in totals]
            self.encoding.groups.append([literal for literal, _ in choices])
            terms += choices
            least = most = 0
        literals, factors = [list(column) for column in zip(*terms, strict=True)] or ([], [])
        self._row(literals, factors, least, most)

    def _count(self, count: ValueCount) -> None:
        literals, certain = [], 0
        for cell in count.cells:
            candidates = self._candidates(cell)
            literals += [literal for v, literal in candidates.items() if count.values >> v - 1 & 1]
            certain += not candidates and bool(self.domains[cell] & count.values)
        open_cells = [cell for cell in count.cells if self._candidates(cell)]
        least, most = count.least - certain, min(count.most - certain, len(open_cells))
        if least <= 0 and most >= len(open_cells):
            return
        if self.linear:
            self._row(literals, [1] * len(literals), max(least, 0), most)
        elif least == 1 and most == len(open_cells):
            self.encoding.clauses.append(literals)
        elif most == 0:
            self.encoding.clauses += [[-literal] for literal in literals]
        else:

            def step(number: int, _: int, value: int) -> int | None:
                following = number + (count.values >> value - 1 & 1)
                return following if following <= most else None

            domains = [self.domains[cell] for cell in open_cells]
            self._layers(open_cells, layers_of(domains, step, lambda n: n >= least))

    def _layers(self, cells: Sequence[int], layers: list[Moves]) -> None:
        """Encode the moves from state to state, one layer for each cell."""
        if len(layers) < len(cells):
            self.encoding.groups.append([])  # no line is accepted
        elif self.linear:
            self._flow(cells, layers)
        else:
            self._states(cells, layers)

    def _flow(self, cells: Sequence[int], layers: list[Moves]) -> None:
        arriving: dict[int, list[int]] = {}
        for at, (cell, moves) in enumerate(zip(cells, layers, strict=True)):
            candidates = self._candidates(cell)
            leaving: dict[int, list[int]] = {}
            through: dict[int, list[int]] = {value: [] for value in candidates}
            following: dict[int, list[int]] = {}
            for before, value, after in moves:
                literal = self.encoding.new() if at or not candidates else candidates[value]
                leaving.setdefault(before, []).append(literal)
                following.setdefault(after, []).append(literal)
                if at and candidates:
                    through[value].append(literal)
            if at:
                for value, literals in through.items():
                    self._balance(literals, [candidates[value]])
                for state, literals in leaving.items():
                    self._balance(literals, arriving[state])
            elif not candidates:
                self.encoding.groups += leaving.values()
            else:
                exits = {value for _, value, _ in moves}
                for value, literal in candidates.items():
                    if value not in exits:
                        self._row([literal], [1], 0, 0)
            arriving = following

    def _balance(self, first: list[int], second: list[int]) -> None:
        factors = [1] * len(first) + [-1] * len(second)
        self._row([*first, *second], factors, 0, 0)

    def _row(self, literals: list[int], factors: list[int], least: int, most: int) -> None:
        if literals:
            self.encoding.rows.append(Row(literals, factors, least, most))
        elif not least <= 0 <= most:
            self.encoding.groups.append([])  # nothing can meet it

    def _states(self, cells: Sequence[int], layers: list[Moves]) -> None:
        clauses = self.encoding.clauses
        states: dict[int, int] = {}
        for at, (cell, moves) in enumerate(zip(cells, layers, strict=True)):
            candidates = self._candidates(cell)
            # The first state is certain, and it is certain that the last one accepts.
            is_last = at == len(cells) - 1
            ends = dict.fromkeys(after for _, _, after in moves)
            following = {} if is_last else {after: self.encoding.new() for after in ends}
            target = {(before, value): after for before, value, after in moves}
            sources: dict[tuple[int, int], list[int]] = {}
            for before, value, after in moves:
                sources.setdefault((after, value), []).append(before)
            for before in dict.fromkeys(before for before, _, _ in moves):
                unless = [-states[before]] if at else []
                for value, literal in candidates.items():
                    if (before, value) not in target:
                        clauses.append([*unless, -literal])
                    elif not is_last:
                        then = following[target[before, value]]
                        clauses.append([*unless, -literal, then])
                if not candidates and not is_last:
                    (after,) = {after for source, _, after in moves if source == before}
                    clauses.append([*unless, following[after]])
            for (after, value), befores in sources.items() if at and not is_last else ():
                unless = [-candidates[value]] if candidates else []
                clauses.append([-following[after], *unless, *(states[state] for state in befores)])
            for after, literal in following.items() if candidates else ():
                clauses.append([-literal, *(candidates[v] for s, v in sources if s == after)])
            if not is_last:
                clauses.append([*following.values()])
                clauses += (
                    [-first, -second] for first, second in combinations(following.values(), 2)
                )
            states = following


def _near_zero(terms: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Terms in an order that keeps partial sums near zero, so that there are few different ones."""
    waiting = sorted(terms)
    order = []
    middle = 0
    while waiting:
        # The first is the most negative one, the last the most positive.
        order.append(waiting.pop(0 if middle >= 0 else -1))
        middle += order[-1][0]
    return order
