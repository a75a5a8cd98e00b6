# ruff: noqa: ARG001  all reductions have the same arguments
"""Kinds of constraints: killer cages, arrows, thermometers, dots and further variants of Sudoku.

A constraint in text is a kind, perhaps a value, and cells, in lists that ``/`` separates:

    killer 15: R1C1 R1C2 R2C1
    arrow: R1C3 / R1C2 R1C1
    nonconsecutive

Each kind reduces to primitives (see `primitives`). Where programs disagree about the meaning of a
kind, the title of the kind decides; N is the size of the grid.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, combinations, groupby, pairwise, product
from operator import eq, gt, le, lt, ne
from typing import Final, NamedTuple, TypeVar

from harness.base.errors import PuzzleError, not_among
from harness.base.text import number_of, printable, shortened
from harness.puzzles.constraints.primitives import (
    Automaton,
    Distinct,
    Line,
    Primitive,
    Relation,
    ValueCount,
    automaton_of,
    minimal,
    relation_of,
    sum_of,
)

Cells = tuple[int, ...]
_State = TypeVar("_State", bound=Hashable)

# Constraints.


@dataclass(frozen=True, slots=True)
class Constraint:
    """A named constraint of a puzzle: its kind, value and cells."""

    kind: str
    """A key of `KINDS`."""
    value: str = ""
    """``15`` in ``killer 15: R1C1 R1C2``; empty without a value."""
    lists: tuple[Cells, ...] = ()
    """The cells, row by row from 0; one list for most kinds, none for the whole grid."""

    @property
    def cells(self) -> Cells:
        """The cells of all lists."""
        return tuple(chain.from_iterable(self.lists))

    def text(self, size: int) -> str:
        """The constraint as `constraint_of` reads it, in a grid of this `size`."""
        head = f"{self.kind} {self.value}" if self.value else self.kind
        lists = (
            " ".join(f"R{c // size + 1}C{c % size + 1}" for c in cells) for cells in self.lists
        )
        return f"{head}: {' / '.join(lists)}" if self.lists else head


def constraint_of(text: str, size: int) -> Constraint:
    """The constraint in a text such as ``killer 15: R1C1 R1C2``, in a grid of this `size`.

    Raises:
        PuzzleError: the kind is unknown, a cell is malformed, or `check_constraint` refuses it.
    """
    head, colon, cell_lists = text.strip().partition(":")
    name, _, value = head.strip().lower().partition(" ")
    where = printable(shortened(text.strip(), 60))
    if name not in KINDS:
        problem = f"unknown kind of constraint {shortened(name, 40)!r}"
        kind = "a kind in variants.md, such as killer"
        raise not_among(PuzzleError, problem, name, KINDS, expected=kind)
    lists = []
    for part in cell_lists.split("/") if colon else ():
        cells = []
        for word in part.split():
            match = _CELL.fullmatch(word)
            row, column = (int(match[1]), int(match[2])) if match else (0, 0)
            if not (1 <= row <= size and 1 <= column <= size):
                problem, expected = f"unknown cell {printable(word):.20}", f"R1C1 to R{size}C{size}"
                raise PuzzleError(problem, where=where, expected=expected)
            cells.append((row - 1) * size + column - 1)
        lists.append(tuple(cells))
    return check_constraint(Constraint(name, value.strip(), tuple(lists)), size)


def check_constraint(constraint: Constraint, size: int) -> Constraint:
    """Return `constraint` if its kind allows its value and its numbers of lists and cells.

    Raises:
        PuzzleError: the kind does not allow them.
    """
    kind, lists, where = KINDS[constraint.kind], constraint.lists, _excerpt(constraint, size)
    most = len(lists) if kind.most_lists is None else kind.most_lists
    if not kind.least_lists <= len(lists) <= most:
        names = {0: "no cells", 1: "one list of cells"}
        number = names.get(kind.least_lists, f"{kind.least_lists} lists of cells")
        problem = f"{number_of(len(lists), 'list')} of cells"
        raise PuzzleError(problem, where=where, expected=number)
    for cells in lists:
        if not kind.least_cells <= len(cells) <= (kind.most_cells or len(cells)):
            number = f"{kind.least_cells}{'' if kind.most_cells else ' or more'}"
            raise PuzzleError(f"{len(cells)} cells", where=where, expected=number)
    if bool(constraint.value) is not kind.has_value and kind.has_value is not None:
        expected = kind.example if kind.has_value else "no value"
        raise PuzzleError(f"the value {constraint.value!r:.40}", where=where, expected=expected)
    return constraint


def _excerpt(constraint: Constraint, size: int) -> str:
    """The text of a constraint in an error."""
    return printable(shortened(constraint.text(size), 60))


_CELL: Final = re.compile(r"[rR]([0-9]{1,3})[cC]([0-9]{1,3})")


class Field(NamedTuple):
    """The grid that constraints apply to."""

    size: int
    region_of: tuple[int, ...]
    """The number of the box or region of each cell, from 1; 0 for a cell in none."""
    lines_differ: bool
    """Whether every row and column is a house."""
    constraints: tuple[Constraint, ...]
    """All constraints of the grid."""

    def of_kind(self, *kinds: str) -> Iterator[Constraint]:
        """The constraints of these kinds."""
        return (constraint for constraint in self.constraints if constraint.kind in kinds)

    def pairs_without(self, *kinds: str) -> Iterator[tuple[int, int]]:
        """The pairs of `neighbours` that no constraint of these kinds marks."""
        marks = chain.from_iterable(
            pairwise(constraint.cells) for constraint in self.of_kind(*kinds)
        )
        marked_pairs = set(map(frozenset, marks))
        return (pair for pair in neighbours(self.size) if frozenset(pair) not in marked_pairs)

    def error(self, constraint: Constraint, problem: str, expected: str) -> PuzzleError:
        """The error for a wrong constraint."""
        return PuzzleError(problem, where=_excerpt(constraint, self.size), expected=expected)


def neighbours(size: int) -> Iterator[tuple[int, int]]:
    """All pairs of cells with a common side."""
    for cell in range(size**2):
        if (cell + 1) % size:
            yield cell, cell + 1
        if cell + size < size**2:
            yield cell, cell + size


def reductions(field: Field) -> Iterator[tuple[Constraint, tuple[Primitive, ...]]]:
    """All constraints, each with its primitives.

    Raises:
        PuzzleError: a value is malformed, or a constraint does not fit its cells.
    """
    for constraint in field.constraints:
        sees_others = KINDS[constraint.kind].sees_others
        visible = field if sees_others else field._replace(constraints=())
        yield constraint, _primitives(constraint, visible)


@lru_cache(maxsize=1024)
def _primitives(constraint: Constraint, field: Field) -> tuple[Primitive, ...]:
    try:
        return tuple(KINDS[constraint.kind].reduce(constraint, field))
    except PuzzleError as error:
        raise error if error.where else error.at(_excerpt(constraint, field.size)) from None


# The kinds.


Reduction = Callable[[Constraint, Field], Iterator[Primitive]]


class Kind(NamedTuple):
    """A kind of constraints."""

    title: str
    """Its meaning in a sentence."""
    reduce: Reduction
    example: str
    has_value: bool | None
    """Whether a constraint has a value; None if it may have one."""
    least_cells: int
    """The fewest cells of each list."""
    most_cells: int | None
    least_lists: int
    most_lists: int | None
    sees_others: bool
    """Whether other constraints change the meaning of a constraint."""


KINDS: Final[dict[str, Kind]] = {}
"""The kinds by name, in the order in which the name of a shape lists them."""


def _kind(
    usage: str,
    title: str = "",
    *,
    least_cells: int = 1,
    most_cells: int | None = None,
    lists: tuple[int, int | None] = (1, 1),
    sees_others: bool = False,
) -> Callable[[Reduction], Reduction]:
    """Declare the kind that a function reduces.

    Args:
        usage: an example, with its value in brackets if a constraint may lack it.
        title: the meaning; by default the documentation of the function.
        least_cells: the smallest number of cells of a list.
        most_cells: the largest number of cells of a list.
        lists: the smallest and the largest number of lists.
        sees_others: whether other constraints change the meaning of a constraint.
    """

    def declare(reduce: Reduction) -> Reduction:
        head = usage.partition(":")[0]
        meaning = title or str(reduce.__doc__).partition("\n")[0].rstrip(".")
        example = usage.replace(" []", "").replace("[", "").replace("]", "")
        has_value = None if "[" in head else " " in head
        KINDS[head.partition(" ")[0]] = Kind(
            meaning[0].lower() + meaning[1:],
            *(reduce, example, has_value, least_cells, most_cells, *lists, sees_others),
        )
        return reduce

    return declare


# Values of constraints.


def _number(
    constraint: Constraint, field: Field, least: int, most: int, default: int | None = None
) -> int:
    if not constraint.value and default is not None:
        return default
    value, expected = constraint.value, f"a number from {least} to {most}"
    if not re.fullmatch("[0-9]{1,6}", value) or not least <= int(value) <= most:
        raise field.error(constraint, f"the value {value!r:.40}", expected)
    return int(value)


def _numbers(constraint: Constraint, field: Field, text: str, least: int, most: int) -> list[int]:
    words = text.split(",")
    if not all(re.fullmatch(r"-?[0-9]{1,6}", w) and least <= int(w) <= most for w in words):
        expected = f"numbers from {least} to {most}, separated by commas"
        raise field.error(constraint, f"the value {constraint.value!r:.40}", expected)
    return [int(word) for word in words]


def _along(
    constraint: Constraint,
    field: Field,
    start: _State,
    step: Callable[[_State, int], _State | None],
    accepts: Callable[[_State], bool],
) -> Iterator[Primitive]:
    """An automaton, described as for `automaton_of`, accepts the values along the cells."""
    yield Line(constraint.cells, automaton_of(field.size, start, step, accepts))


_MOST_TOTAL: Final = 10**6 - 1
_MOST_DIGITS: Final = 4
"""Maximum number of digits of the number in the circle of an arrow."""

# Cages, sums and arrows.


@_kind("killer [15]: R1C1 R1C2")
def _killer(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """The cells differ, and add up to the value if there is one."""
    yield from _distinct(constraint, field)
    if constraint.value:
        totals = _numbers(constraint, field, constraint.value, 1, _MOST_TOTAL)
        yield sum_of(((1, cell) for cell in constraint.cells), totals)


def _require_different(constraint: Constraint, field: Field) -> None:
    if any(len({*cells}) < len(cells) for cells in constraint.lists):
        raise field.error(constraint, "a cell occurs twice", "each cell once")


@_kind("sum 0*1,1,-1: R1C1 R1C2 R1C3")
def _sum(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """The cells, each times its coefficient if there are any, add up to the value."""
    totals, _, coefficients = constraint.value.partition("*")
    factors = (
        _numbers(constraint, field, coefficients, -1000, 1000)
        if coefficients
        else [1] * len(constraint.cells)
    )
    if len(factors) != len(constraint.cells):
        expected = f"{len(constraint.cells)}, one for each cell"
        raise field.error(constraint, f"{len(factors)} coefficients", expected)
    terms = zip(factors, constraint.cells, strict=True)
    yield sum_of(terms, _numbers(constraint, field, totals, -_MOST_TOTAL, _MOST_TOTAL))


@_kind("arrow: R1C3 / R1C2 R1C1", lists=(2, 2))
def _arrow(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """The first list, read as a number, is the sum of the second."""
    circle, shaft = constraint.lists
    if any(first >= second for first, second in pairwise(circle)):
        raise field.error(constraint, "the cells of the circle", "reading order")
    if len(circle) > _MOST_DIGITS:
        raise field.error(constraint, f"a circle of {len(circle)} cells", f"at most {_MOST_DIGITS}")
    digits = [(-(10 ** (len(circle) - 1 - at)), cell) for at, cell in enumerate(circle)]
    yield sum_of([*digits, *((1, cell) for cell in shaft)], [0])
    for cell in circle[1:] if field.size > 9 else ():
        yield ValueCount((cell,), (1 << 9) - 1, 1, 1)


def _equal(first: Iterable[int], second: Iterable[int]) -> Primitive:
    return sum_of([*((1, cell) for cell in first), *((-1, cell) for cell in second)], [0])


def _all_equal(parts: Sequence[Sequence[int]]) -> Iterator[Primitive]:
    """The sum of each part is that of the part with the fewest cells."""
    shortest = min(range(len(parts)), key=lambda number: len(parts[number]), default=0)
    for number, part in enumerate(parts):
        if number != shortest:
            yield _equal(part, parts[shortest])


@_kind("double-arrow: R1C1 R1C2 R1C3", least_cells=3)
def _double_arrow(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """Both ends together are the sum of the cells between them."""
    yield _equal(constraint.cells[1:-1], (constraint.cells[0], constraint.cells[-1]))


@_kind("little-killer 6: R1C2 R2C1")
def _little_killer(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """The cells of a diagonal add up to the value, and may be equal."""
    total = _number(constraint, field, 1, _MOST_TOTAL)
    yield sum_of(((1, cell) for cell in constraint.cells), [total])


@_kind("region-sum: R1C1 R1C2 R4C2")
def _region_sum(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """The parts of a line in each box or region have equal sums."""
    if not all(field.region_of[cell] for cell in constraint.cells):
        raise field.error(constraint, "a cell is in no box or region", "cells of boxes or regions")
    parts = [[*cells] for _, cells in groupby(constraint.cells, field.region_of.__getitem__)]
    yield from _all_equal(parts)


@_kind("equal-sums: R1C1 R1C2 / R3C3", lists=(2, None))
def _equal_sums(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """All lists have equal sums."""
    yield from _all_equal(constraint.lists)


@_kind("zipper: R1C1 R1C2 R1C3")
def _zipper(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """Cells at equal distance from the middle have the same sum, the value of a middle cell."""
    cells, half = constraint.cells, len(constraint.cells) // 2
    pairs: list[Cells] = [(cells[at], cells[-1 - at]) for at in range(half)]
    pairs += [(cells[half],)] * (len(cells) % 2)
    yield from _all_equal(pairs)


# Pairs of cells.


_Allows = Callable[[int, int], bool]


def _relations(
    field: Field, pairs: Iterable[tuple[int, int]], allows: _Allows
) -> Iterator[Primitive]:
    """The relation on each pair; a cell with itself keeps values v for which (v, v) is allowed."""
    table = relation_of(field.size, allows)
    alone = sum(1 << v for v in range(field.size) if table[v] >> v & 1)
    for first, second in pairs:
        if first != second:
            yield Relation(first, second, table)
        elif alone.bit_count() < field.size:
            yield ValueCount((first,), alone, 1, 1)


def _chain(usage: str, title: str, allows: _Allows) -> None:
    """Declare a kind that relates each cell and the next one."""
    _kind(usage, title)(
        lambda constraint, field: _relations(field, pairwise(constraint.cells), allows)
    )


_chain("thermometer: R1C1 R1C2 R1C3", "values increase along the cells", lt)
_chain("slow-thermometer: R1C1 R1C2 R1C3", "values never decrease along the cells", le)
_chain("greater: R1C1 R1C2", "each cell is greater than the next", gt)


@_kind("difference [2]: R1C1 R1C2", least_cells=2)
def _difference(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """The difference of neighbours is the value, by default 1; a white dot."""
    distance = _number(constraint, field, 0, field.size - 1, 1)
    return _relations(field, pairwise(constraint.cells), lambda a, b: abs(a - b) == distance)


@_kind("ratio [3]: R1C1 R1C2", least_cells=2)
def _ratio(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """The ratio of neighbours is the value, by default 2; a black dot."""
    ratio = _number(constraint, field, 1, field.size, 2)
    allows: _Allows = lambda a, b: a == ratio * b or b == ratio * a  # noqa: E731
    return _relations(field, pairwise(constraint.cells), allows)


_XV: Final = {"x": 10, "v": 5}


@_kind("xv x: R1C1 R1C2", least_cells=2)
def _xv(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """Neighbours add up to 10 (x) or 5 (v)."""
    if constraint.value.lower() not in _XV:
        raise field.error(constraint, f"the value {constraint.value!r:.40}", "x or v")
    total = _XV[constraint.value.lower()]
    return _relations(field, pairwise(constraint.cells), lambda a, b: a + b == total)


@_kind("whisper [5]: R1C1 R1C2")
def _whisper(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """Neighbours differ by at least the value, by default (N + 1) / 2 rounded down."""
    least = _number(constraint, field, 1, field.size - 1, (field.size + 1) // 2)
    return _relations(field, pairwise(constraint.cells), lambda a, b: abs(a - b) >= least)


@_kind("renban: R1C1 R1C2 R1C3")
def _renban(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """Consecutive values in any order."""
    yield from _distinct(constraint, field)
    pairs, number = combinations(constraint.cells, 2), len(constraint.cells)
    yield from _relations(field, pairs, lambda a, b: 0 < abs(a - b) < number)


@_kind("nabner: R1C1 R1C2 R1C3")
def _nabner(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """No two cells are equal or consecutive."""
    return _relations(field, combinations(constraint.cells, 2), lambda a, b: abs(a - b) >= 2)


@_kind("palindrome: R1C1 R1C2 R1C3")
def _palindrome(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """The same values from both ends."""
    half = len(constraint.cells) // 2
    pairs = zip(constraint.cells[:half], reversed(constraint.cells), strict=False)
    return _relations(field, pairs, eq)


@_kind("clone: R1C1 R1C2 / R5C5 R5C6", lists=(2, 2))
def _clone(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """Cells at the same place of both lists are equal."""
    first, second = constraint.lists
    if len(first) != len(second):
        problem = f"{len(first)} and {len(second)} cells"
        raise field.error(constraint, problem, "lists of equal length")
    return _relations(field, zip(first, second, strict=True), eq)


@_kind("same-values: R1C1 R1C2 / R5C5 R5C6", lists=(2, None))
def _same_values(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """All lists have the same values, each as often."""
    most = len(constraint.lists[0])
    if {*map(len, constraint.lists)} != {most}:
        raise field.error(constraint, "lists of different lengths", "lists of equal length")
    if most == 1:
        yield from _relations(field, pairwise(constraint.cells), eq)
        return
    for (first, second), value in product(pairwise(constraint.lists), range(1, field.size + 1)):

        def step(state: tuple[int, int], entry: int, value: int = value) -> tuple[int, int] | None:
            more, turn = state[0] + state[1] * (entry == value), -state[1]
            return (more, turn) if abs(more) <= most else None

        automaton = automaton_of(field.size, (0, 1), step, lambda state: state == (0, 1))
        yield Line(tuple(chain.from_iterable(zip(first, second, strict=True))), automaton)


def _cycle(
    constraint: Constraint, field: Field, number: int, class_of: Callable[[int], int]
) -> Iterator[Primitive]:
    """Any `number` cells in a row are of different classes."""
    pairs = [
        [*zip(constraint.cells, constraint.cells[at:], strict=False)] for at in range(1, number + 1)
    ]
    for near in pairs[:-1]:
        yield from _relations(field, near, lambda a, b: class_of(a) != class_of(b))
    yield from _relations(field, pairs[-1], lambda a, b: class_of(a) == class_of(b))


@_kind("modular [3]: R1C1 R1C2 R1C3")
def _modular(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """Cells fewer than M places apart differ modulo M, the value, by default 3."""
    modulus = _number(constraint, field, 2, field.size, 3)
    return _cycle(constraint, field, modulus, lambda value: value % modulus)


@_kind("entropic: R1C1 R1C2 R1C3")
def _entropic(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """Any three cells in a row have a low, a middle and a high value."""
    if field.size % 3:
        problem = f"{field.size} values make no thirds"
        raise field.error(constraint, problem, "a size that is a multiple of 3")
    return _cycle(constraint, field, 3, lambda value: (value - 1) // (field.size // 3))


# Values in cells.


@_kind("distinct: R1C1 R2C2 R3C3")
def _distinct(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """The cells differ."""
    _require_different(constraint, field)
    yield Distinct(constraint.cells)


@_kind("even: R1C1 R5C5", "even values")
@_kind("odd: R1C1 R5C5", "odd values")
def _parity(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    values = sum(1 << v for v in range(constraint.kind == "even", field.size, 2))
    yield from (ValueCount((cell,), values, 1, 1) for cell in constraint.cells)


@_kind("maximum: R1C1", "greater than each neighbour that is not a maximum", sees_others=True)
@_kind("minimum: R1C1", "smaller than each neighbour that is not a minimum", sees_others=True)
def _extreme(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    marked_cells = {cell for other in field.of_kind(constraint.kind) for cell in other.cells}
    allows = lt if constraint.kind == "minimum" else gt
    for pair in neighbours(field.size):
        for cell, neighbour in (pair, pair[::-1]):
            if cell in constraint.cells and neighbour not in marked_cells:
                yield from _relations(field, [(cell, neighbour)], allows)


@_kind(
    "contains-exactly 1,2,2: R1C1 R1C2 R5C5",
    "the cells hold each listed value exactly as often as listed",
)
@_kind("contains 1,2,2: R1C1 R1C2 R5C5", "the cells hold each value at least as often as listed")
@_kind(
    "quadruple 1,2,2: R1C1 R1C2 R2C1 R2C2",
    "four cells hold each value at least as often as listed",
    least_cells=4,
    most_cells=4,
)
def _contains(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    _require_different(constraint, field)
    values = _numbers(constraint, field, constraint.value, 1, field.size)
    for value, times in Counter(values).items():
        most = times if constraint.kind == "contains-exactly" else len(constraint.cells)
        yield ValueCount(constraint.cells, 1 << value - 1, times, most)


@_kind("count-distinct []: R1C1 / R1C2 R5C5", lists=(1, 2))
def _count_distinct(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """The number of different values is the value, or that of the one cell in the first list."""
    if bool(constraint.value) is not (len(constraint.lists) == 1):
        expected = "a value or a cell before the cells, such as R1C1 /"
        raise field.error(constraint, "the number of different values", expected)
    if len(constraint.lists) == 2 and len(constraint.lists[0]) > 1:
        raise field.error(constraint, "the first list", "one cell")

    # States: the number, 0 before the cell that has it; and the values so far as bits.
    def step(state: tuple[int, int], value: int) -> tuple[int, int] | None:
        number, values = state
        if not number:
            return value, 0
        values |= 1 << value
        return (number, values) if values.bit_count() <= number else None

    start = _number(constraint, field, 1, field.size, 0), 0
    accepts = lambda state: state[1].bit_count() == state[0] > 0  # noqa: E731
    yield from _along(constraint, field, start, step, accepts)


@_kind("counting-circles: R1C1 R2C5")
def _counting_circles(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """All circles in one constraint: each value is in as many circles as its value, or in none.

    So the values in circles add up to the number of cells.
    """
    _require_different(constraint, field)
    number, size = len(constraint.cells), field.size
    for value in range(1, size + 1):
        sums = 1
        for other in range(1, size + 1):
            sums |= sums << other * (other != value)
        without = sums >> number & 1
        if value <= number and sums >> number - value & 1 and without:

            def step(count: int, other: int, value: int = value) -> int | None:
                return count if other != value else count + 1 if count < value else None

            ends = {0, value}
            yield Line(constraint.cells, automaton_of(size, 0, step, ends.__contains__))
        else:
            times = 0 if without else value
            yield ValueCount(constraint.cells, 1 << value - 1, times, times)


@_kind(
    "box-indexer: R1C1",
    "a cell at place P of its box with the value V: place V of the box has the value P",
)
@_kind(
    "column-indexer: R1C1",
    "a cell in column C with the value V: column V of its row has the value C",
)
@_kind("row-indexer: R1C1", "a cell in row R with the value V: row V of its column has the value R")
def _indexer(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    size = field.size
    for cell in constraint.cells:
        row, column = divmod(cell, size)
        region = field.region_of[cell]
        line: Sequence[int] = {
            "row-indexer": range(column, size * size, size),
            "column-indexer": range(row * size, (row + 1) * size),
        }.get(constraint.kind) or [
            c for c in range(size * size) if field.region_of[c] == region > 0
        ]
        if len(line) != size:
            raise field.error(
                constraint, "a cell is in no box or region", "cells of boxes or regions"
            )
        place = line.index(cell) + 1
        is_house = field.lines_differ or constraint.kind == "box-indexer"
        allows = _both_or_neither if is_house else _at_place
        for value, other in enumerate(line, 1):
            if cell != other:
                yield from _relations(field, [(cell, other)], allows(value, place))


def _both_or_neither(value: int, place: int) -> _Allows:
    return lambda a, b: (a == value) is (b == place)


# Values along cells.


def _between_ends(
    constraint: Constraint, field: Field, start: _Allows, fits: Callable[[int, int, int], bool]
) -> Iterator[Primitive]:
    """A line whose ends restrict the values between them.

    Args:
        constraint: the constraint.
        field: the grid.
        start: whether two values may be in the first and the last cell.
        fits: whether a value may be between two ends: first end, value, last end.
    """
    values = range(1, field.size + 1)

    @cache
    def lasts_around(first: int, value: int) -> int:
        return sum(1 << last for last in values if fits(first, value, last))

    # States: the first value, the last values that fit so far, whether the latest is one.
    def step(state: tuple[int, int, bool], value: int) -> tuple[int, int, bool]:
        first, lasts, _ = state
        if not first:
            return value, sum(1 << last for last in values if start(value, last)), False
        return first, lasts & lasts_around(first, value), bool(lasts >> value & 1)

    return _along(constraint, field, (0, 0, False), step, lambda state: state[2])


@_kind("between: R1C1 R1C2 R1C3", least_cells=3)
def _between(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """Values strictly between the ends of the line."""
    inside = lambda first, value, last: first < value < last or last < value < first  # noqa: E731
    return _between_ends(constraint, field, ne, inside)


@_kind("lockout [4]: R1C1 R1C2 R1C3", least_cells=2)
def _lockout(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """Ends differ by at least the value, by default 4; the others are outside of their range."""
    distance = _number(constraint, field, 1, field.size - 1, 4)
    outside = lambda first, value, last: not min(first, last) <= value <= max(first, last)  # noqa: E731
    return _between_ends(constraint, field, lambda a, b: abs(a - b) >= distance, outside)


_ROW: Final = "R1C1 R1C2 R1C3 R1C4 R1C5 R1C6 R1C7 R1C8 R1C9"


@_kind(f"sandwich 9: {_ROW}")
def _sandwich(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """One cell is 1 and one is N, and the values between them add up to the value."""
    size = field.size
    total = _number(constraint, field, 0, _MOST_TOTAL)

    def step(state: int, value: int) -> int | None:
        """-1 before the first crust, -2 after the second, else the sum so far."""
        if value in (1, size):
            if state == -1:
                return 0
            return -2 if state == total else None
        if state < 0:
            return state
        return state + value if state + value <= total else None

    cells = min(constraint.cells, constraint.cells[::-1])  # the same in both directions
    yield Line(cells, automaton_of(size, -1, step, lambda state: state == -2))
    lines = {cell // size for cell in cells}, {cell % size for cell in cells}
    is_line = len({*cells}) == size and any(len(numbers) == 1 for numbers in lines)
    if not (is_line and field.lines_differ):
        yield from (ValueCount(cells, 1 << crust - 1, 1, 1) for crust in (1, size))


@_kind("lunchbox 7: R1C1 R1C2 R1C3", least_cells=2)
def _lunchbox(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """The cells differ, and those between the smallest and the largest add up to the value."""
    # States: smallest and largest value, which came last, and the sums between and after them.
    _require_different(constraint, field)
    total = _number(constraint, field, 0, _MOST_TOTAL)

    def step(state: tuple[int, ...], value: int) -> tuple[int, ...] | None:
        if not state:
            return value, value, 0, 0, 0
        low, high, rises, between, after = state
        if value in (low, high):
            return None
        if low < value < high:
            after += value
        else:
            # A new end beyond the later end puts that one between the ends.
            top = value > high
            passes = low < high and top == rises
            between = between + after + (high if top else low) if passes else after
            low, high, rises, after = min(low, value), max(high, value), top, 0
        if between + after > sum(range(low + 1, high)):
            return None  # a value occurs twice
        return low, high, rises, min(between, total + 1), min(after, total + 1)

    start: tuple[int, ...] = ()
    accepts = lambda state: bool(state) and state[3] == total and state[0] < state[1]  # noqa: E731
    yield Distinct(constraint.cells)
    yield from _along(constraint, field, start, step, accepts)


@_kind(f"x-sum 9: {_ROW}")
def _x_sum(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """The first X cells, where X is the first value, add up to the value."""
    total = _number(constraint, field, 1, _MOST_TOTAL)
    number = len(constraint.cells)

    def step(state: tuple[int, int], value: int) -> tuple[int, int] | None:
        remaining, so_far = state if state != (-1, 0) else (value, 0)
        if remaining == 0:
            return state
        if remaining > number or so_far + value > total:
            return None
        return remaining - 1, so_far + value

    return _along(constraint, field, (-1, 0), step, lambda state: state == (0, total))


@_kind(f"skyscraper 3: {_ROW}")
def _skyscraper(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """The number of values that are greater than all before them."""
    number_seen = _number(constraint, field, 1, field.size)

    def step(state: tuple[int, int], value: int) -> tuple[int, int] | None:
        highest, number = state
        if value <= highest:
            return state
        return (value, number + 1) if number < number_seen else None

    return _along(constraint, field, (0, 0), step, lambda state: state[1] == number_seen)


@_kind(f"numbered-room 3: {_ROW}")
def _numbered_room(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """The first cell gives the place of the value."""
    clue, first = _number(constraint, field, 1, field.size), constraint.cells[0]
    for place, cell in enumerate(constraint.cells, 1):
        yield from _relations(field, [(first, cell)], _at_place(place, clue))
    yield ValueCount((first,), (1 << min(field.size, len(constraint.cells))) - 1, 1, 1)


def _at_place(place: int, clue: int) -> _Allows:
    return lambda a, b: a != place or b == clue


@_kind("sum-line [10]: R1C1 R1C2 R1C3")
def _sum_line(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """The line divides into parts that each add up to the value, by default 10."""
    total = _number(constraint, field, 1, _MOST_TOTAL, 10)
    if total > field.size * len(constraint.cells):  # more than the cells can add up to
        return iter([sum_of([], [total])])

    def step(state: int, value: int) -> int | None:
        return (state + value) % total if state + value <= total else None

    return _along(constraint, field, 0, step, lambda state: state == 0)


@_kind("automaton 1ff>1,1ff>0!: R1C1 R1C2 R1C3", lists=(1, None))
def _automaton(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """An automaton, as written below the table, accepts the values along the cells of each list."""
    # The value has states separated by ``,``; see `automaton_text`.
    rows, accepting = [], []
    states = constraint.value.split(",")
    for state in states:
        accepting.append(state.endswith("!"))
        row = [-1] * field.size
        for move in filter(None, state.rstrip("!").split(".")):
            match = re.fullmatch(r"([0-9a-f]{1,9})>([0-9]{1,6})", move)
            if not match or int(match[2]) >= len(states) or int(match[1], 16) >> field.size:
                problem = "states with moves such as 1f>2, values in hexadecimal and the next state"
                raise field.error(constraint, f"the move {move!r:.20}", problem)
            for value in range(field.size):
                if int(match[1], 16) >> value & 1:
                    row[value] = int(match[2])
        rows.append(row)
    automaton = minimal(rows, accepting)
    yield from (Line(cells, automaton) for cells in constraint.lists)


def automaton_text(automaton: Automaton) -> str:
    """The value of the kind ``automaton``: the moves of each state, ``!`` after accepting ones."""
    texts = []
    for row, accepts in zip(automaton.transitions, automaton.accepting, strict=True):
        moves: dict[int, int] = {}
        for value, after in enumerate(row):
            if after >= 0:
                moves[after] = moves.get(after, 0) | 1 << value
        text = ".".join(f"{values:x}>{after}" for after, values in moves.items())
        texts.append(f"{text}{'!' if accepts else ''}")
    return ",".join(texts) or "."  # a value must not be empty


# Tables of pairs, and rules for all neighbours or all cells.


@_kind(
    "pairs 1,2,4,8,10,20,40,80,100: R1C1 R5C5",
    "a table allows the values of any two cells of a list",
    lists=(1, None),
)
@_kind(
    "pair 1,2,4,8,10,20,40,80,100: R1C1 R5C5",
    "a table allows the values of each cell and the next in its list",
    lists=(1, None),
)
def _pair(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    rows = constraint.value.split(",")
    size = field.size
    is_table = len(rows) == size and all(re.fullmatch(r"[0-9a-f]{1,9}", row) for row in rows)
    table = [int(row, 16) for row in rows] if is_table else []
    if not is_table or any(row >> size for row in table):
        expected = f"{size} rows in hexadecimal, a bit for each value of the second cell"
        raise field.error(constraint, "the table", expected)
    allows: _Allows = lambda a, b: bool(table[a - 1] >> b - 1 & 1)  # noqa: E731
    for cells in constraint.lists:
        pairs = pairwise(cells) if constraint.kind == "pair" else combinations(cells, 2)
        yield from _relations(field, pairs, allows)


def table_text(table: Sequence[int]) -> str:
    """The value of the kinds ``pair`` and ``pairs`` for this table of `Relation`."""
    return ",".join(f"{row:x}" for row in table)


def _everywhere(usage: str, title: str, allows: _Allows, *kinds: str) -> None:
    """Declare a kind that relates all neighbours that no constraint of these kinds marks."""
    _kind(usage, title, lists=(0, 0), sees_others=bool(kinds))(
        lambda _, field: _relations(field, field.pairs_without(*kinds), allows)
    )


_everywhere("nonconsecutive", "neighbours are not consecutive", lambda a, b: abs(a - b) != 1)
_everywhere(
    "all-differences",
    "neighbours without a dot are not consecutive",
    lambda a, b: abs(a - b) != 1,
    *("difference", "ratio"),
)


@_kind("all-ratios", lists=(0, 0), sees_others=True)
def _all_ratios(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """Neighbours without a dot have none of the ratios of the dots, by default 2."""
    ratios = {int(dot.value or 2) for dot in field.of_kind("ratio")} or {2}
    pairs = field.pairs_without("difference", "ratio")
    return _relations(field, pairs, lambda a, b: not any(a == r * b or b == r * a for r in ratios))


_everywhere(
    "all-dots",
    "neighbours without a dot are not consecutive, and their ratio is not 2",
    lambda a, b: abs(a - b) != 1 and a != 2 * b and b != 2 * a,
    *("difference", "ratio"),
)
_everywhere(
    "all-xv",
    "neighbours without x or v add up to neither 10 nor 5",
    lambda a, b: a + b not in _XV.values(),
    "xv",
)


@_kind("self-taxicab", lists=(0, 0))
def _self_taxicab(constraint: Constraint, field: Field) -> Iterator[Primitive]:
    """Equal values are never as many steps apart as their value."""
    size = field.size
    for first, second in combinations(range(size * size), 2):
        steps = abs(first // size - second // size) + abs(first % size - second % size)
        if steps <= size:
            yield from _relations(field, [(first, second)], _not_both(steps))


def _not_both(value: int) -> _Allows:
    return lambda a, b: not a == b == value
