# ruff: noqa: ARG001  all reductions have the same arguments
"""Kinds of constraints: killer cages, arrows, thermometers, dots and further variants of Sudoku.

A constraint in text is a kind, perhaps a value, and cells, in lists that ``/`` separates:

    killer 15: R1C1 R1C2 R2C1
    arrow: R1C3 / R1C2 R1C1
    nonconsecutive

Each kind reduces to primitives (`harness.puzzles.primitives`). Where programs disagree about the
meaning of a kind, the title of the kind decides; N is the size of the grid.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, pairwise
from typing import Final, NamedTuple

from harness.errors import PuzzleError, meant
from harness.puzzles.primitives import (
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
from harness.text import number_of, printable, shortened

Cells = tuple[int, ...]

# Constraints.


@dataclass(frozen=True, slots=True)
class Constraint:
    """A named constraint of a puzzle: its kind, value and cells."""

    kind: str
    """A key of `KINDS`."""
    value: str = ""
    """``15`` in ``killer 15: R1C1 R1C2``; empty without one."""
    lists: tuple[Cells, ...] = ()
    """The cells, row by row from 0; one list for most kinds, none for the whole grid."""

    @property
    def cells(self) -> Cells:
        """The cells of all lists."""
        return tuple(chain.from_iterable(self.lists))

    def text(self, size: int) -> str:
        """The constraint as `constraint_of` reads it, in a grid of this `size`."""
        head = f"{self.kind} {self.value}" if self.value else self.kind
        lists = (" ".join(f"R{c // size + 1}C{c % size + 1}" for c in of) for of in self.lists)
        return f"{head}: {' / '.join(lists)}" if self.lists else head


def constraint_of(text: str, size: int) -> Constraint:
    """The constraint in a text such as ``killer 15: R1C1 R1C2``, in a grid of this `size`.

    Raises:
        PuzzleError: the kind is unknown, or a cell or the value is malformed.
    """
    head, colon, written = text.strip().partition(":")
    name, _, value = head.strip().lower().partition(" ")
    shown = printable(shortened(text.strip(), 60))
    if name not in KINDS:
        raise PuzzleError(
            f"unknown kind of constraint {shortened(name, 40)!r}{meant(name, KINDS)}",
            expected=", ".join(KINDS),
        )
    lists = []
    for part in written.split("/") if colon else ():
        cells = []
        for word in part.split():
            match = _CELL.fullmatch(word)
            row, column = (int(match[1]), int(match[2])) if match else (0, 0)
            if not (1 <= row <= size and 1 <= column <= size):
                last = f"R{size}C{size}"
                raise PuzzleError(
                    f"unknown cell {printable(word):.20}", where=shown, expected=f"R1C1 to {last}"
                )
            cells.append((row - 1) * size + column - 1)
        lists.append(tuple(cells))
    return checked(Constraint(name, value.strip(), tuple(lists)), size)


def checked(made: Constraint, size: int) -> Constraint:
    """A constraint whose kind takes its value and its numbers of lists and cells.

    Raises:
        PuzzleError: it does not.
    """
    kind, lists = KINDS[made.kind], made.lists
    shown = printable(shortened(made.text(size), 60))
    most = len(lists) if kind.most_lists is None else kind.most_lists
    if not kind.least_lists <= len(lists) <= most:
        wanted = f"{kind.least_lists} lists of cells" if kind.least_lists else "no cells"
        if kind.least_lists == 1:
            wanted = "one list of cells"
        what = f"{number_of(len(lists), 'list')} of cells"
        raise PuzzleError(what, where=shown, expected=wanted)
    for of in lists:
        if not kind.least_cells <= len(of) <= (kind.most_cells or len(of)):
            wanted = f"{kind.least_cells}{'' if kind.most_cells else ' or more'}"
            raise PuzzleError(f"{len(of)} cells", where=shown, expected=wanted)
    if bool(made.value) is not kind.has_value and kind.has_value is not None:
        expected = kind.example if kind.has_value else "no value"
        raise PuzzleError(f"the value {made.value!r:.40}", where=shown, expected=expected)
    return made


_CELL: Final = re.compile(r"[rR]([0-9]{1,3})[cC]([0-9]{1,3})")


class Field(NamedTuple):
    """The grid in which constraints stand."""

    size: int
    region_of: tuple[int, ...]
    """The number of the box or region of each cell, from 1; 0 without one."""
    constraints: tuple[Constraint, ...]
    """All of them."""

    def neighbours(self) -> Iterator[tuple[int, int]]:
        """All pairs of cells with a common side."""
        for cell in range(self.size**2):
            if (cell + 1) % self.size:
                yield cell, cell + 1
            if cell + self.size < self.size**2:
                yield cell, cell + self.size

    def of_kind(self, *kinds: str) -> Iterator[Constraint]:
        """The constraints of these kinds."""
        return (of for of in self.constraints if of.kind in kinds)

    def unmarked(self, *kinds: str) -> Iterator[tuple[int, int]]:
        """The pairs of `neighbours` without a constraint of these kinds."""
        marks = chain.from_iterable(pairwise(of.cells) for of in self.of_kind(*kinds))
        marked = set(map(frozenset, marks))
        return (pair for pair in self.neighbours() if frozenset(pair) not in marked)

    def where(self, constraint: Constraint) -> str:
        """The constraint, for error messages."""
        return printable(shortened(constraint.text(self.size), 60))


def reduced(field: Field) -> Iterator[tuple[Constraint, tuple[Primitive, ...]]]:
    """All constraints, each with its primitives.

    Raises:
        PuzzleError: a value is malformed, or a constraint cannot stand on its cells.
    """
    for constraint in field.constraints:
        yield constraint, tuple(KINDS[constraint.kind].reduce(constraint, field))


# Values of constraints.


def _number(of: Constraint, field: Field, least: int, most: int, default: int | None = None) -> int:
    if not of.value and default is not None:
        return default
    number = int(of.value) if re.fullmatch(r"[0-9]{1,6}", of.value) else -1
    if not least <= number <= most:
        expected = f"a number from {least} to {most}"
        raise PuzzleError(f"the value {of.value!r:.40}", where=field.where(of), expected=expected)
    return number


def _numbers(of: Constraint, field: Field, text: str, least: int, most: int) -> list[int]:
    words = text.split(",")
    if not all(re.fullmatch(r"-?[0-9]{1,6}", w) and least <= int(w) <= most for w in words):
        expected = f"numbers from {least} to {most}, separated by commas"
        raise PuzzleError(f"the value {of.value!r:.40}", where=field.where(of), expected=expected)
    return [int(word) for word in words]


_MOST_TOTAL: Final = 10**6

# Cages, sums and arrows.


def _killer(of: Constraint, field: Field) -> Iterator[Primitive]:
    (cells,) = of.lists
    _require_different(of, field)
    yield Distinct(cells)
    if of.value:
        totals = _numbers(of, field, of.value, 1, _MOST_TOTAL)
        yield sum_of(((1, cell) for cell in cells), totals)


def _require_different(of: Constraint, field: Field) -> None:
    for cells in of.lists:
        if len(set(cells)) < len(cells):
            raise PuzzleError(
                "a cell occurs twice", where=field.where(of), expected="each cell once"
            )


def _distinct(of: Constraint, field: Field) -> Iterator[Primitive]:
    _require_different(of, field)
    yield Distinct(of.cells)


def _sum(of: Constraint, field: Field) -> Iterator[Primitive]:
    totals, _, written = of.value.partition("*")
    coefficients = [1] * len(of.cells)
    if written:
        coefficients = _numbers(of, field, written, -1000, 1000)
        if len(coefficients) != len(of.cells):
            raise PuzzleError(
                f"{len(coefficients)} coefficients",
                where=field.where(of),
                expected=f"{len(of.cells)}, one for each cell",
            )
    terms = zip(coefficients, of.cells, strict=True)
    yield sum_of(terms, _numbers(of, field, totals, -_MOST_TOTAL, _MOST_TOTAL))


def _arrow(of: Constraint, field: Field) -> Iterator[Primitive]:
    circle, shaft = of.lists
    if any(one >= other for one, other in pairwise(circle)):
        raise PuzzleError(
            "the cells of the circle", where=field.where(of), expected="reading order"
        )
    digits = [(-(10 ** (len(circle) - 1 - at)), cell) for at, cell in enumerate(circle)]
    yield sum_of([*digits, *((1, cell) for cell in shaft)], [0])
    if field.size > 9:
        for cell in circle[1:]:
            yield ValueCount((cell,), (1 << 9) - 1, 1, 1)


def _double_arrow(of: Constraint, field: Field) -> Iterator[Primitive]:
    first, *between, last = of.cells
    yield sum_of([(-1, first), (-1, last), *((1, cell) for cell in between)], [0])


def _equal(one: Iterable[int], other: Iterable[int]) -> Primitive:
    return sum_of([*((1, cell) for cell in one), *((-1, cell) for cell in other)], [0])


def _little_killer(of: Constraint, field: Field) -> Iterator[Primitive]:
    yield sum_of(((1, cell) for cell in of.cells), [_number(of, field, 1, _MOST_TOTAL)])


def _region_sum(of: Constraint, field: Field) -> Iterator[Primitive]:
    segments: list[list[int]] = []
    region = -1
    for cell in of.cells:
        if not field.region_of[cell]:
            where, expected = field.where(of), "cells of boxes or regions"
            raise PuzzleError("a cell is in no box or region", where=where, expected=expected)
        if field.region_of[cell] != region:
            segments.append([])
            region = field.region_of[cell]
        segments[-1].append(cell)
    yield from (_equal(one, other) for one, other in pairwise(segments))


def _equal_sums(of: Constraint, field: Field) -> Iterator[Primitive]:
    yield from (_equal(one, other) for one, other in pairwise(of.lists))


def _zipper(of: Constraint, field: Field) -> Iterator[Primitive]:
    cells = of.cells
    pairs: list[Sequence[int]] = [(cells[at], cells[-1 - at]) for at in range(len(cells) // 2)]
    if len(cells) % 2:
        pairs.append((cells[len(cells) // 2],))
    yield from (_equal(one, other) for one, other in pairwise(pairs))


# Pairs of cells.


_Allows = Callable[[int, int], bool]


def _related(
    field: Field, pairs: Iterable[tuple[int, int]], allows: _Allows
) -> Iterator[Primitive]:
    """The relation on each pair; a cell beside itself has a value that stands in both places."""
    table = relation_of(field.size, allows)
    for one, other in pairs:
        if one != other:
            yield Relation(one, other, table)
        else:
            alone = sum(1 << v for v in range(field.size) if table[v] >> v & 1)
            yield ValueCount((one,), alone, 1, 1)


def _chain(allows: _Allows) -> "Reduction":
    """Each cell and the next one."""
    return lambda of, field: _related(field, pairwise(of.cells), allows)


def _difference(of: Constraint, field: Field) -> Iterator[Primitive]:
    distance = _number(of, field, 0, field.size - 1, 1)
    return _related(field, pairwise(of.cells), lambda a, b: abs(a - b) == distance)


def _ratio(of: Constraint, field: Field) -> Iterator[Primitive]:
    ratio = _number(of, field, 1, field.size, 2)
    return _related(field, pairwise(of.cells), lambda a, b: a == ratio * b or b == ratio * a)


_XV: Final = {"x": 10, "v": 5}


def _xv(of: Constraint, field: Field) -> Iterator[Primitive]:
    total = _XV.get(of.value.lower())
    if total is None:
        where = field.where(of)
        raise PuzzleError(f"the value {of.value!r:.40}", where=where, expected="x or v")
    return _related(field, pairwise(of.cells), lambda a, b: a + b == total)


def _whisper(of: Constraint, field: Field) -> Iterator[Primitive]:
    least = _number(of, field, 1, field.size - 1, (field.size + 1) // 2)
    return _related(field, pairwise(of.cells), lambda a, b: abs(a - b) >= least)


def _renban(of: Constraint, field: Field) -> Iterator[Primitive]:
    _require_different(of, field)
    number = len(of.cells)
    yield Distinct(of.cells)
    pairs = combinations(of.cells, 2)
    yield from _related(field, pairs, lambda a, b: 0 < abs(a - b) < number)


def _nabner(of: Constraint, field: Field) -> Iterator[Primitive]:
    return _related(field, combinations(of.cells, 2), lambda a, b: abs(a - b) >= 2)


def _palindrome(of: Constraint, field: Field) -> Iterator[Primitive]:
    pairs = [(of.cells[at], of.cells[-1 - at]) for at in range(len(of.cells) // 2)]
    return _related(field, pairs, lambda a, b: a == b)


def _clone(of: Constraint, field: Field) -> Iterator[Primitive]:
    one, other = of.lists
    if len(one) != len(other):
        where, expected = field.where(of), "lists of equal length"
        raise PuzzleError(f"{len(one)} and {len(other)} cells", where=where, expected=expected)
    return _related(field, zip(one, other, strict=True), lambda a, b: a == b)


def _cycle(
    of: Constraint, field: Field, number: int, class_of: Callable[[int], int]
) -> Iterator[Primitive]:
    """Any `number` cells in a row are of different classes."""
    cells = of.cells
    for at in range(1, number):
        near = zip(cells, cells[at:], strict=False)
        if at < len(cells):
            yield from _related(field, near, lambda a, b: class_of(a) != class_of(b))
    equal = zip(cells, cells[number:], strict=False)
    yield from _related(field, equal, lambda a, b: class_of(a) == class_of(b))


def _modular(of: Constraint, field: Field) -> Iterator[Primitive]:
    modulus = _number(of, field, 2, field.size, 3)
    return _cycle(of, field, modulus, lambda value: value % modulus)


def _entropic(of: Constraint, field: Field) -> Iterator[Primitive]:
    if field.size % 3:
        where, expected = field.where(of), "a size that is a multiple of 3"
        raise PuzzleError(f"{field.size} values make no thirds", where=where, expected=expected)
    return _cycle(of, field, 3, lambda value: (value - 1) // (field.size // 3))


def _extreme(allows: _Allows) -> "Reduction":
    """Marked cells against their neighbours that are not marked the same way."""

    def reduce(of: Constraint, field: Field) -> Iterator[Primitive]:
        marked = {cell for other in field.of_kind(of.kind) for cell in other.cells}
        own = set(of.cells)
        for one, other in field.neighbours():
            if one in own and other not in marked:
                yield from _related(field, [(one, other)], allows)
            elif other in own and one not in marked:
                yield from _related(field, [(other, one)], allows)

    return reduce


def _indexer(of: Constraint, field: Field) -> Iterator[Primitive]:
    """A cell in column C with the value V: column V of its row has the value C."""
    size = field.size
    for cell in of.cells:
        row, column = divmod(cell, size)
        if of.kind == "column-indexer":
            line, place = range(row * size, (row + 1) * size), column + 1
        elif of.kind == "row-indexer":
            line, place = range(column, size * size, size), row + 1
        else:
            region = field.region_of[cell]
            inside = [c for c in range(size * size) if field.region_of[c] == region]
            if not region or len(inside) != size:
                where, expected = field.where(of), "cells of boxes or regions"
                raise PuzzleError("a cell is in no box or region", where=where, expected=expected)
            line, place = inside, inside.index(cell) + 1  # type: ignore[assignment]
        for value, other in enumerate(line, 1):
            if cell != other:
                yield from _related(field, [(cell, other)], _both_or_neither(value, place))


def _both_or_neither(value: int, place: int) -> _Allows:
    return lambda a, b: (a == value) is (b == place)


def _pair(of: Constraint, field: Field) -> Iterator[Primitive]:
    rows = of.value.split(",")
    size = field.size
    if len(rows) != size or not all(re.fullmatch(r"[0-9a-f]{1,9}", row) for row in rows):
        expected = f"{size} rows in hexadecimal, a bit for each value of the second cell"
        raise PuzzleError("the table", where=field.where(of), expected=expected)
    table = [int(row, 16) for row in rows]
    allows: _Allows = lambda a, b: bool(table[a - 1] >> b - 1 & 1)  # noqa: E731
    for cells in of.lists:
        pairs = pairwise(cells) if of.kind == "pair" else combinations(cells, 2)
        yield from _related(field, pairs, allows)


def table_text(table: Sequence[int]) -> str:
    """The value of the kinds ``pair`` and ``pairs`` for this table of `Relation`."""
    return ",".join(f"{row:x}" for row in table)


# Rules for all neighbours, and for all cells.


def _nonconsecutive(of: Constraint, field: Field) -> Iterator[Primitive]:
    return _related(field, field.neighbours(), lambda a, b: abs(a - b) != 1)


def _all_differences(of: Constraint, field: Field) -> Iterator[Primitive]:
    pairs = field.unmarked("difference", "ratio")
    return _related(field, pairs, lambda a, b: abs(a - b) != 1)


def _all_ratios(of: Constraint, field: Field) -> Iterator[Primitive]:
    ratios = {int(dot.value or 2) for dot in field.of_kind("ratio")} or {2}
    pairs = field.unmarked("difference", "ratio")
    return _related(field, pairs, lambda a, b: not any(a == r * b or b == r * a for r in ratios))


def _all_dots(of: Constraint, field: Field) -> Iterator[Primitive]:
    pairs = field.unmarked("difference", "ratio")
    return _related(field, pairs, lambda a, b: abs(a - b) != 1 and a != 2 * b and b != 2 * a)


def _all_xv(of: Constraint, field: Field) -> Iterator[Primitive]:
    return _related(field, field.unmarked("xv"), lambda a, b: a + b not in _XV.values())


def _self_taxicab(of: Constraint, field: Field) -> Iterator[Primitive]:
    size = field.size
    for one, other in combinations(range(size * size), 2):
        steps = abs(one // size - other // size) + abs(one % size - other % size)
        if steps <= size:
            yield from _related(field, [(one, other)], _not_both(steps))


def _not_both(value: int) -> _Allows:
    return lambda a, b: not a == b == value


# Values in cells.


def _parity(remainder: int) -> "Reduction":
    def reduce(of: Constraint, field: Field) -> Iterator[Primitive]:
        values = sum(1 << v - 1 for v in range(1, field.size + 1) if v % 2 == remainder)
        yield from (ValueCount((cell,), values, 1, 1) for cell in of.cells)

    return reduce


def _contains(of: Constraint, field: Field) -> Iterator[Primitive]:
    _require_different(of, field)
    exactly = of.kind == "contains-exactly"
    for value, times in Counter(_numbers(of, field, of.value, 1, field.size)).items():
        most = times if exactly else len(of.cells)
        yield ValueCount(of.cells, 1 << value - 1, times, most)


def _counting_circles(of: Constraint, field: Field) -> Iterator[Primitive]:
    _require_different(of, field)
    for value in range(1, field.size + 1):
        yield Line(of.cells, _counter(field.size, value, value, (0, value)))


def _counter(size: int, value: int, most: int, ends: Sequence[int]) -> Automaton:
    """Accepts lines with as many of a value as one of `ends`."""

    def step(number: int, other: int) -> int | None:
        return number if other != value else number + 1 if number < most else None

    return automaton_of(size, 0, step, lambda number: number in ends)


def _count_distinct(of: Constraint, field: Field) -> Iterator[Primitive]:
    """States: the number, 0 before the cell that has it; and the values so far as bits."""
    if bool(of.value) is not (len(of.lists) == 1):
        where, expected = field.where(of), "a value or a cell before the cells, such as R1C1 /"
        raise PuzzleError("the number of different values", where=where, expected=expected)
    if len(of.lists) == 2 and len(of.lists[0]) > 1:
        raise PuzzleError("the first list", where=field.where(of), expected="one cell")

    def step(state: tuple[int, int], value: int) -> tuple[int, int] | None:
        wanted, seen = state
        if not wanted:
            return value, 0
        seen |= 1 << value
        return (wanted, seen) if seen.bit_count() <= wanted else None

    start = _number(of, field, 1, field.size, 0), 0
    accepts = lambda state: state[1].bit_count() == state[0] > 0  # noqa: E731
    yield Line(of.cells, automaton_of(field.size, start, step, accepts))


def _same_values(of: Constraint, field: Field) -> Iterator[Primitive]:
    lengths = {len(cells) for cells in of.lists}
    if len(lengths) > 1:
        where, expected = field.where(of), "lists of equal length"
        raise PuzzleError("lists of different lengths", where=where, expected=expected)
    most = lengths.pop()
    if most == 1:
        yield from _related(field, pairwise(of.cells), lambda a, b: a == b)
        return
    for one, other in pairwise(of.lists):
        cells = tuple(chain.from_iterable(zip(one, other, strict=True)))
        for value in range(1, field.size + 1):

            def step(state: tuple[int, int], other: int, value: int = value) -> tuple[int, int]:
                more, turn = state
                return more + turn * (other == value), -turn

            accepts = lambda state: state == (0, 1)  # noqa: E731
            yield Line(cells, automaton_of(field.size, (0, 1), _within(step, most), accepts))


def _within(
    step: Callable[..., tuple[int, int]], most: int
) -> Callable[..., tuple[int, int] | None]:
    def bounded(state: tuple[int, int], value: int) -> tuple[int, int] | None:
        after = step(state, value)
        return after if abs(after[0]) <= most else None

    return bounded


# Values along cells.


def _between(of: Constraint, field: Field) -> Iterator[Primitive]:
    """States: the first end, and the largest or smallest value after it on one side."""

    def step(state: tuple[int, ...], value: int) -> tuple[int, ...] | None:
        if not state:
            return (value,)
        first, *rest = state
        if len(rest) < 2:
            if value == first:
                return None
            return (first, 1 if value > first else -1, value)
        side, furthest = rest
        if (value - first) * side <= 0:
            return None
        return first, side, max(value * side, furthest * side) * side

    # The last cell of the line is the other end: it lies beyond all values before it.
    yield Line(of.cells, _with_last(field.size, (), step, _beyond))


_Guess = tuple[tuple[int, ...] | None, bool]


def _beyond(state: tuple[int, ...], last: int) -> bool:
    if len(state) < 3:
        return False
    _, side, furthest = state
    return (last - furthest) * side > 0


def _with_last(
    size: int,
    start: tuple[int, ...],
    step: Callable[[tuple[int, ...], int], tuple[int, ...] | None],
    ends: Callable[[tuple[int, ...], int], bool],
) -> Automaton:
    """An automaton that treats the last value of a line in another way: `ends` accepts it."""

    # A state has the line so far, unless it must have ended, and whether it may have ended.
    def step_or_end(state: _Guess, value: int) -> _Guess | None:
        if (going := state[0]) is None:
            return None
        after, ended = step(going, value), ends(going, value)
        return None if after is None and not ended else (after, ended)

    begin: _Guess = (start, False)
    return automaton_of(size, begin, step_or_end, lambda state: state[1])


def _lockout(of: Constraint, field: Field) -> Iterator[Primitive]:
    distance = _number(of, field, 1, field.size - 1, 4)
    cells = of.cells

    def step(state: tuple[int, ...], value: int) -> tuple[int, ...] | None:
        if not state:
            return (value, 0, field.size + 1)
        first, below, above = state
        if value == first:
            return None
        return (
            first,
            max(below, value if value < first else 0),
            min(above, value if value > first else above),
        )

    def ends(state: tuple[int, ...], last: int) -> bool:
        if not state:
            return False
        first, below, above = state
        return below < last <= first - distance or first + distance <= last < above

    yield Line(cells, _with_last(field.size, (), step, ends))


def _sandwich(of: Constraint, field: Field) -> Iterator[Primitive]:
    size = field.size
    total = _number(of, field, 0, _MOST_TOTAL)

    def step(state: int, value: int) -> int | None:
        """-1 before the first crust, -2 after the second, else the sum so far."""
        if value in (1, size):
            if state == -1:
                return 0
            return -2 if state == total else None
        if state < 0:
            return state
        return state + value if state + value <= total else None

    cells = min(of.cells, of.cells[::-1])  # the same from both ends
    yield Line(cells, automaton_of(size, -1, step, lambda state: state == -2))


def _lunchbox(of: Constraint, field: Field) -> Iterator[Primitive]:
    """States: smallest and largest value, which is first, and the sums between and after them."""
    _require_different(of, field)
    total = _number(of, field, 0, _MOST_TOTAL)

    def step(state: tuple[int, ...], value: int) -> tuple[int, ...] | None:
        if not state:
            return value, value, 0, 0, 0
        low, high, rises, between, after = state
        if value in (low, high):
            return None
        if low < value < high:
            after += value
        else:
            # A new end on the side of the last one puts that one between the ends.
            top = value > high
            passes = low < high and top == rises
            between = between + after + (high if top else low) if passes else after
            low, high, rises, after = min(low, value), max(high, value), top, 0
        if between + after > sum(range(low + 1, high)):
            return None  # a value occurs twice
        return low, high, rises, min(between, total + 1), min(after, total + 1)

    start: tuple[int, ...] = ()
    accepts = lambda state: bool(state) and state[3] == total and state[0] < state[1]  # noqa: E731
    yield Distinct(of.cells)
    yield Line(of.cells, automaton_of(field.size, start, step, accepts))


def _x_sum(of: Constraint, field: Field) -> Iterator[Primitive]:
    total = _number(of, field, 1, _MOST_TOTAL)
    number = len(of.cells)

    def step(state: tuple[int, int], value: int) -> tuple[int, int] | None:
        left, so_far = state if state != (-1, 0) else (value, 0)
        if left == 0:
            return state
        if left > number or so_far + value > total:
            return None
        return left - 1, so_far + value

    yield Line(of.cells, automaton_of(field.size, (-1, 0), step, lambda state: state == (0, total)))


def _skyscraper(of: Constraint, field: Field) -> Iterator[Primitive]:
    seen = _number(of, field, 1, field.size)

    def step(state: tuple[int, int], value: int) -> tuple[int, int] | None:
        highest, number = state
        if value <= highest:
            return state
        return (value, number + 1) if number < seen else None

    yield Line(of.cells, automaton_of(field.size, (0, 0), step, lambda state: state[1] == seen))


def _numbered_room(of: Constraint, field: Field) -> Iterator[Primitive]:
    clue = _number(of, field, 1, field.size)
    first, *rest = of.cells
    if clue != 1:
        yield ValueCount((first,), (1 << field.size) - 2, 1, 1)
    for place, cell in enumerate(rest, 2):
        yield from _related(field, [(first, cell)], _at_place(place, clue))
    beyond = sum(1 << v - 1 for v in range(1, field.size + 1) if v <= len(of.cells))
    yield ValueCount((first,), beyond, 1, 1)


def _at_place(place: int, clue: int) -> _Allows:
    return lambda a, b: a != place or b == clue


def _sum_line(of: Constraint, field: Field) -> Iterator[Primitive]:
    total = _number(of, field, 1, _MOST_TOTAL, 10)

    def step(state: int, value: int) -> int | None:
        return (state + value) % total if state + value <= total else None

    yield Line(of.cells, automaton_of(field.size, 0, step, lambda state: state == 0))


def _automaton(of: Constraint, field: Field) -> Iterator[Primitive]:
    """``a1.b2!``: states separated by ``,``; see `automaton_text`."""
    rows, accepting = [], []
    states = of.value.split(",")
    for state in states:
        accepting.append(state.endswith("!"))
        row = [-1] * field.size
        for move in filter(None, state.rstrip("!").split(".")):
            match = re.fullmatch(r"([0-9a-f]{1,9})>([0-9]{1,6})", move)
            if not match or int(match[2]) >= len(states) or int(match[1], 16) >> field.size:
                expected = (
                    "states with moves such as 1f>2, values in hexadecimal and the next state"
                )
                raise PuzzleError(
                    f"the move {move!r:.20}", where=field.where(of), expected=expected
                )
            for value in range(field.size):
                if int(match[1], 16) >> value & 1:
                    row[value] = int(match[2])
        rows.append(row)
    automaton = minimal(rows, accepting)
    yield from (Line(cells, automaton) for cells in of.lists)


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


# The kinds.


Reduction = Callable[[Constraint, Field], Iterator[Primitive]]


class Kind(NamedTuple):
    """A kind of constraints."""

    title: str
    """Its meaning in a sentence."""
    reduce: Reduction
    example: str
    has_value: bool | None = False
    """Whether a constraint has a value; None if it may have one."""
    least_cells: int = 1
    """Of each list of cells."""
    most_cells: int | None = None
    least_lists: int = 1
    most_lists: int | None = 1


def _kind(title: str, reduce: Reduction, example: str, **more: object) -> Kind:
    return Kind(title, reduce, example, **more)  # type: ignore[arg-type]


KINDS: Final[dict[str, Kind]] = {
    "killer": _kind(
        "the cells differ, and add up to the value if there is one; several totals: 10,11",
        _killer,
        "killer 15: R1C1 R1C2",
        has_value=None,
    ),
    "sum": _kind(
        "the cells, each times its coefficient if there are any, add up to the value",
        _sum,
        "sum 0*1,1,-1: R1C1 R1C2 R1C3",
        has_value=True,
    ),
    "arrow": _kind(
        "the first list, read as a number, is the sum of the second",
        _arrow,
        "arrow: R1C3 / R1C2 R1C1",
        least_lists=2,
        most_lists=2,
    ),
    "double-arrow": _kind(
        "both ends together are the sum of the cells between them",
        _double_arrow,
        "double-arrow: R1C1 R1C2 R1C3",
        least_cells=3,
    ),
    "little-killer": _kind(
        "a diagonal adds up to the value",
        _little_killer,
        "little-killer 6: R1C2 R2C1",
        has_value=True,
    ),
    "region-sum": _kind(
        "the parts of a line in each box or region have equal sums",
        _region_sum,
        "region-sum: R1C1 R1C2 R4C2",
    ),
    "equal-sums": _kind(
        "all lists have equal sums",
        _equal_sums,
        "equal-sums: R1C1 R1C2 / R3C3",
        least_lists=2,
        most_lists=None,
    ),
    "zipper": _kind(
        "cells at equal distance from the middle have equal sums, which a middle cell has as value",
        _zipper,
        "zipper: R1C1 R1C2 R1C3",
    ),
    "thermometer": _kind(
        "values increase along the cells",
        _chain(lambda a, b: a < b),
        "thermometer: R1C1 R1C2 R1C3",
    ),
    "slow-thermometer": _kind(
        "values never decrease along the cells",
        _chain(lambda a, b: a <= b),
        "slow-thermometer: R1C1 R1C2 R1C3",
    ),
    "greater": _kind(
        "each cell is greater than the next",
        _chain(lambda a, b: a > b),
        "greater: R1C1 R1C2",
    ),
    "difference": _kind(
        "the difference of neighbours is the value, or 1; a white dot",
        _difference,
        "difference 2: R1C1 R1C2",
        has_value=None,
        least_cells=2,
    ),
    "ratio": _kind(
        "the ratio of neighbours is the value, or 2; a black dot",
        _ratio,
        "ratio 3: R1C1 R1C2",
        has_value=None,
        least_cells=2,
    ),
    "xv": _kind(
        "neighbours add up to 10 (x) or 5 (v)",
        _xv,
        "xv x: R1C1 R1C2",
        has_value=True,
        least_cells=2,
    ),
    "whisper": _kind(
        "neighbours on the line differ by the value or more, or by (N + 1) / 2 rounded down",
        _whisper,
        "whisper 5: R1C1 R1C2",
        has_value=None,
    ),
    "renban": _kind("consecutive values in any order", _renban, "renban: R1C1 R1C2 R1C3"),
    "nabner": _kind("no two cells are equal or consecutive", _nabner, "nabner: R1C1 R1C2 R1C3"),
    "palindrome": _kind(
        "the same values from both ends", _palindrome, "palindrome: R1C1 R1C2 R1C3"
    ),
    "clone": _kind(
        "cells at the same place of both lists are equal",
        _clone,
        "clone: R1C1 R1C2 / R5C5 R5C6",
        least_lists=2,
        most_lists=2,
    ),
    "same-values": _kind(
        "all lists have the same values, each as often",
        _same_values,
        "same-values: R1C1 R1C2 / R5C5 R5C6",
        least_lists=2,
        most_lists=None,
    ),
    "modular": _kind(
        "any three cells in a row, or as many as the value, differ modulo that number",
        _modular,
        "modular 3: R1C1 R1C2 R1C3",
        has_value=None,
    ),
    "entropic": _kind(
        "any three cells in a row have a low, a middle and a high value",
        _entropic,
        "entropic: R1C1 R1C2 R1C3",
    ),
    "distinct": _kind("the cells differ", _distinct, "distinct: R1C1 R2C2 R3C3"),
    "odd": _kind("odd values", _parity(1), "odd: R1C1 R5C5"),
    "even": _kind("even values", _parity(0), "even: R1C1 R5C5"),
    "minimum": _kind(
        "smaller than each neighbour that is no minimum",
        _extreme(lambda a, b: a < b),
        "minimum: R1C1",
    ),
    "maximum": _kind(
        "greater than each neighbour that is no maximum",
        _extreme(lambda a, b: a > b),
        "maximum: R1C1",
    ),
    "quadruple": _kind(
        "four cells hold each value at least as often as listed",
        _contains,
        "quadruple 1,2,2: R1C1 R1C2 R2C1 R2C2",
        has_value=True,
        least_cells=4,
        most_cells=4,
    ),
    "contains": _kind(
        "the cells hold each value at least as often as listed",
        _contains,
        "contains 1,2,2: R1C1 R1C2 R5C5",
        has_value=True,
    ),
    "contains-exactly": _kind(
        "the cells hold each listed value exactly as often as listed",
        _contains,
        "contains-exactly 1,2,2: R1C1 R1C2 R5C5",
        has_value=True,
    ),
    "count-distinct": _kind(
        "the number of different values is the value, or that of a cell before the others",
        _count_distinct,
        "count-distinct: R1C1 / R1C2 R5C5",
        has_value=None,
        most_lists=2,
    ),
    "counting-circles": _kind(
        "each value stands in no circle or in as many as itself",
        _counting_circles,
        "counting-circles: R1C1 R2C5",
    ),
    "row-indexer": _kind(
        "a cell in row R with the value V: row V of its column has the value R",
        _indexer,
        "row-indexer: R1C1",
    ),
    "column-indexer": _kind(
        "a cell in column C with the value V: column V of its row has the value C",
        _indexer,
        "column-indexer: R1C1",
    ),
    "box-indexer": _kind(
        "a cell at place P of its box with the value V: place V of the box has the value P",
        _indexer,
        "box-indexer: R1C1",
    ),
    "between": _kind(
        "values strictly between the ends of the line",
        _between,
        "between: R1C1 R1C2 R1C3",
        least_cells=3,
    ),
    "lockout": _kind(
        "ends differ by 4 or by the value or more; the others are outside of their range",
        _lockout,
        "lockout 4: R1C1 R1C2 R1C3",
        has_value=None,
        least_cells=2,
    ),
    "sandwich": _kind(
        "the values between 1 and N add up to the value",
        _sandwich,
        "sandwich 9: R1C1 R1C2 R1C3 R1C4 R1C5 R1C6 R1C7 R1C8 R1C9",
        has_value=True,
    ),
    "lunchbox": _kind(
        "the cells differ, and those between the smallest and the largest add up to the value",
        _lunchbox,
        "lunchbox 7: R1C1 R1C2 R1C3",
        has_value=True,
        least_cells=2,
    ),
    "x-sum": _kind(
        "the first cells, as many as the first value, add up to the value",
        _x_sum,
        "x-sum 9: R1C1 R1C2 R1C3 R1C4 R1C5 R1C6 R1C7 R1C8 R1C9",
        has_value=True,
    ),
    "skyscraper": _kind(
        "the number of values that are greater than all before them",
        _skyscraper,
        "skyscraper 3: R1C1 R1C2 R1C3 R1C4 R1C5 R1C6 R1C7 R1C8 R1C9",
        has_value=True,
    ),
    "numbered-room": _kind(
        "the first cell is the place of the value",
        _numbered_room,
        "numbered-room 3: R1C1 R1C2 R1C3 R1C4 R1C5 R1C6 R1C7 R1C8 R1C9",
        has_value=True,
    ),
    "sum-line": _kind(
        "the line divides into parts that each add up to 10, or to the value",
        _sum_line,
        "sum-line 10: R1C1 R1C2 R1C3",
        has_value=None,
    ),
    "automaton": _kind(
        "an automaton accepts the values along the cells of each list",
        _automaton,
        "automaton 1ff>1,1ff>0!: R1C1 R1C2 R1C3",
        has_value=True,
        most_lists=None,
    ),
    "pair": _kind(
        "a table allows the values of each cell and the next in its list",
        _pair,
        "pair 1,2,4,8,10,20,40,80,100: R1C1 R5C5",
        has_value=True,
        most_lists=None,
    ),
    "pairs": _kind(
        "a table allows the values of any two cells of a list",
        _pair,
        "pairs 1,2,4,8,10,20,40,80,100: R1C1 R5C5",
        has_value=True,
        most_lists=None,
    ),
    "nonconsecutive": _kind(
        "neighbours are not consecutive",
        _nonconsecutive,
        "nonconsecutive",
        least_lists=0,
        most_lists=0,
    ),
    "all-differences": _kind(
        "neighbours without a dot are not consecutive",
        _all_differences,
        "all-differences",
        least_lists=0,
        most_lists=0,
    ),
    "all-ratios": _kind(
        "neighbours without a dot have none of the ratios of the dots, or not 2",
        _all_ratios,
        "all-ratios",
        least_lists=0,
        most_lists=0,
    ),
    "all-dots": _kind(
        "neighbours without a dot are not consecutive, and their ratio is not 2",
        _all_dots,
        "all-dots",
        least_lists=0,
        most_lists=0,
    ),
    "all-xv": _kind(
        "neighbours without x or v add up to neither 10 nor 5",
        _all_xv,
        "all-xv",
        least_lists=0,
        most_lists=0,
    ),
    "self-taxicab": _kind(
        "equal values are never as many steps apart as their value",
        _self_taxicab,
        "self-taxicab",
        least_lists=0,
        most_lists=0,
    ),
}
"""The kinds by name, in the order in which the name of a shape has them."""
