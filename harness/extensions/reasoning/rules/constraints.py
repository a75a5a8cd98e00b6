"""Rules for the constraints of variants: counts, pairs, cages and other sums, and lines.

A rule sees some primitives of the constraints (`harness.puzzles.constraints`). The last rule sees
sums and lines: a value of a cell needs values of the other cells that fit the constraint.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from operator import and_
from typing import Final

from harness.extensions.reasoning.board import (
    Board,
    Candidate,
    Conclusion,
    Elimination,
    Placement,
    Rule,
    any_of,
    cell_names,
    losses,
    peer_sets,
    removals,
)
from harness.puzzles import Shape, values_in
from harness.puzzles.constraints import (
    Constraint,
    Line,
    Relation,
    Sum,
    ValueCount,
    bits_of,
    members,
    union,
)
from harness.puzzles.search import Filter, filters_of, fitting, layers_of, sets_of

# Constraints in the words of reasons.


def named(constraint: Constraint, shape: Shape) -> str:
    """A constraint in a sentence: ``cage 15 at R1C1``, ``nonconsecutive``."""
    kind = "cage" if constraint.kind == "killer" else constraint.kind.replace("-", " ")
    value = constraint.value.partition("*")[0]
    if value and len(value) <= 12:
        kind = f"{kind} {value}"
    return f"{kind} at {shape.cell_name(constraint.cells[0])}" if constraint.lists else kind


@dataclass(frozen=True, slots=True)
class About:
    """What the reasons have in common: a constraint, and those of its cells that matter."""

    constraint: Constraint
    own: tuple[int, ...]

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells that matter, and the cell in the name of the constraint."""
        return tuple(dict.fromkeys((*self.own, *self.constraint.cells[:1])))


# What the rules read from a shape.


@dataclass(frozen=True, slots=True)
class Cage:
    """Cells that differ and add up to one of some totals."""

    constraint: Constraint
    cells: tuple[int, ...]
    sets: tuple[int, ...]
    """The sets of values that add up to one of the totals, as bits."""


@dataclass(frozen=True, slots=True)
class Balance:
    """The sum of cells inside a region minus that of cells outside, known from cages."""

    region: str
    """``row 1``, ``rows 1 to 3``."""
    region_cells: tuple[int, ...]
    cages: tuple[tuple[Constraint, Sum], ...]
    """Sums of plain values with one total."""
    inside: tuple[int, ...]
    """Cells of the region that are in no cage."""
    outside: tuple[int, ...]
    """Cells of the cages that are not in the region."""
    amount: int
    """The sum of the cells inside minus the sum of the cells outside."""


class _Demands:
    """The constraints of a shape, grouped by their primitives."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        each = [(by, primitive) for by, primitives in shape.reductions for primitive in primitives]
        self.relations = [(by, relation) for by, relation in each if isinstance(relation, Relation)]
        self.counts = [(by, count) for by, count in each if isinstance(count, ValueCount)]
        self.sums = [(by, equation) for by, equation in each if isinstance(equation, Sum)]
        self.cages: list[Cage] = []
        self.filters: list[tuple[Constraint, Filter]] = []
        size, peers = shape.size, shape.peers
        for by, primitive in each:
            sets = sets_of(primitive, size, peers) if isinstance(primitive, Sum) else None
            if sets is not None:
                self.cages.append(Cage(by, primitive.cells, sets))
            elif isinstance(primitive, Sum | Line):
                self.filters += ((by, filter_) for filter_ in filters_of([primitive], size, peers))

    @cached_property
    def balances(self) -> list[Balance]:
        """The balances with the fewest cells first."""
        return balances_of(self._shape, self.sums)


def _demands(shape: Shape) -> _Demands:
    return _demands_of(shape.definition if shape.constraints else "9x9")


@lru_cache(maxsize=8)
def _demands_of(definition: str) -> _Demands:
    """The demands by definition: equal shapes may write their constraints differently."""
    return _Demands(Shape.parse(definition))


# Innies and outies: what a region and its cages leave.


def balances_of(shape: Shape, sums: Iterable[tuple[Constraint, Sum]]) -> list[Balance]:
    """The balances of boxes, regions and up to four rows or columns side by side.

    The cages are those inside the region; or these and one that crosses its border; or all
    that have a cell in it. Cages that overlap earlier ones are left out. A balance has at most
    five cells; rules later skip the cells that have a value.
    """
    certain = [cage for cage in sums if {*cage[1].coefficients} == {1} and len(cage[1].totals) == 1]
    certain.sort(key=lambda cage: cage[0].kind != "killer")
    balances: dict[tuple[tuple[int, ...], tuple[int, ...]], Balance] = {}
    for region, number, cells in _regions(shape):
        inside = _apart(cage for cage in certain if cells.issuperset(cage[1].cells))
        touching = [cage for cage in certain if cells.intersection(cage[1].cells)]
        crossing = [cage for cage in touching if cage not in inside]
        choices = [inside, *(_apart([*inside, cage]) for cage in crossing), _apart(touching)]
        for cages in choices:
            cage_cells = {cell for _, equation in cages for cell in equation.cells}
            rest, beyond = tuple(sorted(cells - cage_cells)), tuple(sorted(cage_cells - cells))
            if cages and 0 < len(rest) + len(beyond) <= 5:
                total = number * shape.size * (shape.size + 1) // 2
                amount = total - sum(equation.totals[0] for _, equation in cages)
                balance = Balance(region, tuple(sorted(cells)), tuple(cages), rest, beyond, amount)
                balances.setdefault((rest, beyond), balance)
    return sorted(balances.values(), key=lambda balance: len(balance.inside) + len(balance.outside))


def _apart(sums: Iterable[tuple[Constraint, Sum]]) -> list[tuple[Constraint, Sum]]:
    """The sums that do not overlap earlier ones."""
    apart: list[tuple[Constraint, Sum]] = []
    cells: set[int] = set()
    for constraint, equation in sums:
        if cells.isdisjoint(equation.cells):
            cells.update(equation.cells)
            apart.append((constraint, equation))
    return apart


def _regions(shape: Shape) -> Iterator[tuple[str, int, set[int]]]:
    """Regions with their number of houses and their cells, single houses first."""
    for house in shape.houses:
        yield str(house), 1, set(house.cells)
    for kind in ("row", "column"):
        lines = [house for house in shape.houses if house.kind == kind]
        for number in range(2, min(4, shape.size // 2) + 1):
            for first in range(len(lines) - number + 1):
                group = lines[first : first + number]
                cells = {cell for house in group for cell in house.cells}
                yield f"{kind}s {group[0].number} to {group[-1].number}", number, cells


# Value count: cells that must have one of some values, or cannot.


@dataclass(frozen=True, slots=True)
class Counted(About):
    """As many cells as allowed have one of some values, or only as many as needed can."""

    values: int
    having: tuple[int, ...]
    """The cells that have one of the values, or can."""
    number: int
    is_full: bool
    """Whether no further cell may have one of the values."""

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        values = any_of(map(shape.symbol, values_in(self.values)))
        name = named(self.constraint, shape)
        if len(self.own) == 1:
            return f"{name} allows only {values} there"
        cells = cell_names(self.having, shape) if self.having else "no cell"
        if self.is_full:
            return f"{name} has {self.number} with {values}: {cells}"
        return f"{name} needs {self.number} with {values}, and only {cells} can"


class CountRule(Rule):
    """Cells must have a value if only as many can as are needed; others lose it if no more may.

    An odd or even cell is the case of one cell.
    """

    name = "value count"
    sees = (ValueCount,)

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The removals by constraint."""
        candidates = board.candidates
        for constraint, count in _demands(board.shape).counts:
            can = tuple(cell for cell in count.cells if candidates[cell] & count.values)
            must = tuple(cell for cell in can if not candidates[cell] & ~count.values)
            if count.least and len(can) <= count.least:
                is_full, having, number = False, can, count.least
                values = count.values if len(can) == count.least else 0
                removals = losses(board, [(cell, values) for cell in can or count.cells])
            elif len(must) >= count.most:
                is_full, having, number = True, must, count.most
                others = [(cell, ~count.values) for cell in count.cells if cell not in must]
                excess = [(cell, 0) for cell in must if len(must) > count.most]
                removals = losses(board, [*others, *excess])
            else:
                continue
            if removals:
                cells, values = count.cells, count.values
                yield Elimination(
                    removals, Counted(constraint, cells, values, having, number, is_full)
                )


# Pair table: a value needs a matching value of the other cell.


@dataclass(frozen=True, slots=True)
class Partners(About):
    """The candidates of one cell leave only some values to the other."""

    values: tuple[int, ...]
    """The candidates of the first cell."""
    partners: tuple[int, ...]
    """The values that the second cell can have together with these."""

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The candidates of the first cell."""
        return (tuple((self.own[0], value) for value in self.values),)

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        first, other = map(shape.cell_name, self.own)
        beside = any_of(map(shape.symbol, self.values))
        partners = any_of(map(shape.symbol, self.partners)) if self.partners else "nothing"
        return f"{first} is {beside}, and {named(self.constraint, shape)} leaves {other} {partners}"


class PairTable(Rule):
    """A candidate is removed if the constraint allows it with no candidate of the other cell."""

    name = "pair table"
    sees = (Relation,)

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The removals by constraint and pair of cells."""
        for constraint, relation in _demands(board.shape).relations:
            for way in (relation, relation.converse()):
                if board.values[way.second]:
                    continue
                values = values_in(board.candidates[way.first])
                partners = union(way.table[value - 1] for value in values)
                if removals := losses(board, [(way.second, partners)]):
                    after = tuple(values_in(partners & ((1 << board.shape.size) - 1)))
                    cells = (way.first, way.second)
                    yield Elimination(removals, Partners(constraint, cells, tuple(values), after))


# Thermometer bound: values along a line that increase.


@dataclass(frozen=True, slots=True)
class Bound(About):
    """A cell of a thermometer bounds another one."""

    values: tuple[int, int]
    """The smallest value of each cell, or the largest."""
    is_least: bool

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        phrase = "at least" if self.is_least else "at most"
        source, target = (
            f"{shape.cell_name(cell)} is {phrase} {shape.symbol(value)}"
            for cell, value in zip(self.own, self.values, strict=True)
        )
        return f"on {named(self.constraint, shape)}, {source}, so {target}"


_STEPS: Final = {"thermometer": (1, 1), "slow-thermometer": (1, 0), "greater": (-1, 1)}
"""The kinds of lines along which values rise: their direction, and the smallest step."""


class ThermometerBound(Rule):
    """Each step along a thermometer adds at least 1, along a slow one at least 0."""

    name = "thermometer bound"
    sees = (Relation,)

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The removals by thermometer, those of low values first."""
        for constraint in board.shape.constraints:
            if constraint.kind in _STEPS:
                direction, step = _STEPS[constraint.kind]
                rising = constraint.cells[::direction]
                yield from self._along(board, constraint, rising, step, is_least=True)
                yield from self._along(board, constraint, rising[::-1], step, is_least=False)

    @staticmethod
    def _along(
        board: Board, constraint: Constraint, cells: Sequence[int], step: int, *, is_least: bool
    ) -> Iterator[Elimination]:
        sign = 1 if is_least else -1
        source, value, steps = cells[0], 0, 0
        for number, cell in enumerate(cells):
            values = values_in(board.candidates[cell])
            if not values:
                return
            own = values[0] if is_least else values[-1]
            if number and sign * own < sign * (value + sign * step * steps):
                limit = value + sign * step * steps
                every = (1 << board.shape.size) - 1
                below = (1 << max(0, limit - (1 if is_least else 0))) - 1
                if removals := losses(board, [(cell, every & ~below if is_least else below)]):
                    reason = Bound(constraint, (source, cell), (value, limit), is_least)
                    yield Elimination(removals, reason)
            else:
                source, value, steps = cell, own, 0
            steps += 1


# Cages by the sets of values that have their total.


@dataclass(frozen=True, slots=True)
class Sets(About):
    """The sets of values that a cage can hold."""

    sets: tuple[int, ...]

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        name, sets = named(self.constraint, shape), self.sets
        if not sets:
            return f"{name} holds no set of the candidates"
        if len(sets) > 5:
            return f"{name} holds one of {len(sets)} sets of values"
        texts = ("-".join(map(shape.symbol, values_in(values))) for values in sets)
        return f"{name} holds {any_of(texts)}"


def _fitting(cage: Cage, board: Board) -> tuple[int, ...]:
    """The sets with a value for each cell and a cell for each value."""
    return tuple(fitting(cage.sets, [board.candidates[cell] for cell in cage.cells]))


class CageCombination(Rule):
    """The cells of a cage have only values of the sets that have its total and fit its cells."""

    name = "cage combination"
    sees = (Sum,)

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The removals by cage."""
        for cage in _demands(board.shape).cages:
            sets = _fitting(cage, board)
            if removals := losses(board, [(cell, union(sets)) for cell in cage.cells]):
                yield Elimination(removals, Sets(cage.constraint, cage.cells, sets))


@dataclass(frozen=True, slots=True)
class InEachSet(Sets):
    """All sets that a cage can hold contain a value, so one of some cells has it."""

    value: int
    places: tuple[int, ...]

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The value in the cells of the cage that can have it."""
        return (tuple((cell, self.value) for cell in self.places),)

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        cells = any_of(map(shape.cell_name, self.places))
        return f"{Sets.words(self, shape)}, so {cells} is {shape.symbol(self.value)}"


class CageValue(Rule):
    """A value of every set that a cage can hold is in no other cell that sees all its places."""

    name = "cage value"
    sees = (Sum,)

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The removals by cage and value."""
        peers, candidates = peer_sets(board.shape), board.candidates
        for cage in _demands(board.shape).cages:
            sets = _fitting(cage, board)
            for index in members(reduce(and_, sets)) if sets else ():
                places = tuple(cell for cell in cage.cells if candidates[cell] >> index & 1)
                if any(board.values[cell] for cell in places):
                    continue
                others = reduce(and_, (peers[cell] for cell in places)) & ~bits_of(cage.cells)
                if removals := _with(board, others, index + 1):
                    reason = InEachSet(cage.constraint, cage.cells, sets, index + 1, places)
                    yield Elimination(removals, reason)


def _with(board: Board, cells: int, value: int) -> tuple[Candidate, ...]:
    """The candidates `value` of those of `cells` that are blank."""
    return tuple(
        pair
        for pair in removals(cells, value)
        if not board.values[pair[0]] and board.candidates[pair[0]] >> value - 1 & 1
    )


# Pair value: one of two cells has a value.


@dataclass(frozen=True, slots=True)
class OneOfTwo(About):
    """Each pair of values that two cells can have contains one value."""

    pairs: tuple[tuple[int, int], ...]
    value: int

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The value in both cells."""
        return (tuple((cell, self.value) for cell in self.own),)

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        clause = any_of("-".join(map(shape.symbol, pair)) for pair in self.pairs)
        return f"{cell_names(self.own, shape)} are {clause} by {named(self.constraint, shape)}"


class PairValue(Rule):
    """A value of every pair that two cells can have is in no cell that sees both."""

    name = "pair value"
    sees = (Relation,)

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The removals by constraint, pair of cells and value."""
        peers, candidates = peer_sets(board.shape), board.candidates
        for constraint, relation in _demands(board.shape).relations:
            if board.values[relation.first] or board.values[relation.second]:
                continue
            differ = peers[relation.first] >> relation.second & 1
            pairs = tuple(
                (value, other)
                for value in values_in(candidates[relation.first])
                for other in values_in(relation.table[value - 1] & candidates[relation.second])
                if not (differ and value == other)
            )
            if not 0 < len(pairs) <= 6:  # more are hard to keep in mind
                continue
            for value in pairs[0]:
                if all(value in pair for pair in pairs):
                    both = peers[relation.first] & peers[relation.second]
                    if removals := _with(board, both, value):
                        reason = OneOfTwo(constraint, relation.cells, pairs, value)
                        yield Elimination(removals, reason)


# Sum bound: the other cells leave a range.


@dataclass(frozen=True, slots=True)
class Range(About):
    """What the other cells of a sum add up to, each times its coefficient."""

    least: int
    most: int

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        span = f"{self.least} to {self.most}" if self.least < self.most else f"{self.least}"
        return f"the other cells of {named(self.constraint, shape)} amount to {span}"


class SumBound(Rule):
    """The smallest and the largest sum of the other cells bound a cell of a sum."""

    name = "sum bound"
    sees = (Sum,)

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The removals by sum and cell."""
        for constraint, equation in _demands(board.shape).sums:
            candidates = [values_in(board.candidates[cell]) for cell in equation.cells]
            if not equation.totals or not all(candidates):
                continue
            spans = [
                sorted((k * values[0], k * values[-1]))
                for k, values in zip(equation.coefficients, candidates, strict=True)
            ]
            least, most = (sum(span[end] for span in spans) for end in (0, 1))
            for cell, k, values, span in zip(
                equation.cells, equation.coefficients, candidates, spans, strict=True
            ):
                low, high = least - span[0], most - span[1]
                remaining = sum(
                    1 << value - 1
                    for value in values
                    if k * value + high >= equation.totals[0]
                    and k * value + low <= equation.totals[-1]
                )
                if removals := losses(board, [(cell, remaining)]):
                    yield Elimination(removals, Range(constraint, equation.cells, low, high))


# Innies and outies as rules.


@dataclass(frozen=True, slots=True)
class Remainder:
    """What a region and its cages leave to one or two cells."""

    balance: Balance
    unknown: tuple[int, ...]
    """One or two cells."""
    signs: tuple[int, ...]
    """1 for a cell inside the region, -1 for a cell outside."""
    amount: int
    """The sum of the cells with these signs."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of the region and of the cages."""
        balance = self.balance
        of_cages = (cell for _, cage in balance.cages for cell in cage.cells)
        return tuple(dict.fromkeys([*balance.region_cells, *of_cages]))

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        balance = self.balance
        sums = sum(cage.totals[0] for _, cage in balance.cages)
        outside = f", with {cell_names(balance.outside, shape)} outside," if balance.outside else ""
        total = balance.amount + sums
        text = f"the cells of {balance.region} add up to {total}"
        text += f", the cages there{outside} to {sums}"
        if len(balance.inside) + len(balance.outside) > len(self.unknown):
            text += "; other cells have values"
        if len(self.unknown) == 1:
            return text
        first, other = map(shape.cell_name, self.unknown)
        if self.signs[0] == self.signs[1]:
            return f"{text}; so {first} and {other} add up to {abs(self.amount)}"
        return f"{text}; so {first} less {other} is {self.amount * self.signs[0]}"


def _remainders(board: Board, number: int) -> Iterator[Remainder]:
    """The balances that have this number of cells without a value."""
    for balance in _demands(board.shape).balances:
        terms = [*((cell, 1) for cell in balance.inside), *((cell, -1) for cell in balance.outside)]
        unknown = [(cell, sign) for cell, sign in terms if not board.values[cell]]
        if len(unknown) == number:
            sum_of_values = sum(board.values[cell] * sign for cell, sign in terms)
            cells, signs = zip(*unknown, strict=True)
            yield Remainder(balance, cells, signs, balance.amount - sum_of_values)


class Innie(Rule):
    """One cell that the cages of a region leave has the rest of the region's sum.

    The sum of a house is the sum of all values; regions are houses, and up to four rows or columns
    side by side. The cell is inside for `Innie` and outside for `Outie`.
    """

    name = "innie"
    sees = (Sum,)
    sign = 1

    def conclusions(self, board: Board) -> Iterator[Conclusion]:
        """The values by region; the removal of all candidates if a value is impossible."""
        for remainder in _remainders(board, 1):
            if remainder.signs[0] != self.sign:
                continue
            (cell,), value = remainder.unknown, remainder.amount * self.sign
            if 1 <= value <= board.shape.size and board.candidates[cell] >> value - 1 & 1:
                yield Placement(cell, value, remainder)
            elif removals := losses(board, [(cell, 0)]):
                yield Elimination(removals, remainder)


class Outie(Innie):
    """One cell outside a region, in a cage that crosses its border, has the difference."""

    name = "outie"
    sign = -1


class InniesAndOuties(Rule):
    """Two cells that a region and its cages leave have a sum or a difference."""

    name = "innies and outies"
    sees = (Sum,)

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The removals by region."""
        for remainder in _remainders(board, 2):
            (first, other), (sign, other_sign) = remainder.unknown, remainder.signs
            differ = other in board.shape.peers[first]
            remaining = [0, 0]
            for value in values_in(board.candidates[first]):
                partner = (remainder.amount - sign * value) * other_sign
                if (
                    1 <= partner <= board.shape.size
                    and board.candidates[other] >> partner - 1 & 1
                    and not (differ and partner == value)
                ):
                    remaining[0] |= 1 << value - 1
                    remaining[1] |= 1 << partner - 1
            if removals := losses(board, [(first, remaining[0]), (other, remaining[1])]):
                yield Elimination(removals, remainder)


# Constraint support: sums and lines, by all values of their cells.


@dataclass(frozen=True, slots=True)
class NoSupport(About):
    """No candidates of the other cells fit the constraint."""

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        return f"with it, no candidates of the other cells fit {named(self.constraint, shape)}"


class ConstraintSupport(Rule):
    """A candidate is removed if no candidates of the other cells satisfy the constraint with it.

    Cages are checked by arrangements of values in their cells, other sums by partial sums, and
    lines by the states of their automata; the numbers of all three are bounded.
    """

    name = "constraint support"
    sees = (Sum, Line)

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The removals by constraint."""
        demands = _demands(board.shape)
        for cage in demands.cages:
            masks = _arrangements(cage, board)
            if removals := losses(board, zip(cage.cells, masks, strict=True)):
                yield Elimination(removals, NoSupport(cage.constraint, cage.cells))
        for constraint, filter_ in demands.filters:
            supports = filter_.supports(board.candidates)
            if removals := losses(board, zip(filter_.cells, supports, strict=True)):
                yield Elimination(removals, NoSupport(constraint, filter_.cells))


def _arrangements(cage: Cage, board: Board) -> list[int]:
    """The values of each cell in some arrangement of a set in the cells of a cage."""
    sets = {*_fitting(cage, board)}
    domains = [board.candidates[cell] & union(sets) for cell in cage.cells]

    def step(values: int, _: int, value: int) -> int | None:
        return None if values >> value - 1 & 1 else values | 1 << value - 1

    layers = layers_of(domains, step, sets.__contains__)
    masks = [union(1 << value - 1 for _, value, _ in moves) for moves in layers]
    return masks or [0] * len(domains)
