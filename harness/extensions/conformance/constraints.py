"""Series of questions about constraints: puzzles that separate a constraint from near misses.

Near misses of a constraint differ from it in one detail: a sum has one more total, a table one
pair fewer, an automaton another accepting state. For each near miss, some question has another
number of solutions with it, so a backend that confuses the two fails this question.

The possible solutions of each question are listed: all grids of a 4x4, and for larger shapes
those that unavoidable sets leave (`harness.extensions.conformance.questions`). Code of the judge,
which backends do not share, decides which of them satisfy the constraint.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial, reduce
from itertools import chain, combinations, product
from operator import and_
from random import Random
from typing import Final

from harness.base.errors import PuzzleError
from harness.contract import Restriction
from harness.extensions.conformance.clauses import FEW, TINY, Case
from harness.extensions.conformance.questions import (
    Group,
    sets_of_pair,
    solved_and_counted,
    with_values,
    without,
)
from harness.extensions.conformance.series import QuestionSeries
from harness.extensions.conformance.shapes import JIGSAW, known_grid
from harness.puzzles import Grid, Puzzle, Shape
from harness.puzzles.constraints import (
    KINDS,
    Automaton,
    Constraint,
    Distinct,
    Line,
    Primitive,
    Relation,
    Sum,
    ValueCount,
    automaton_text,
    constraint_of,
    keeps,
    minimal,
    table_text,
    transpose,
)

# Puzzles whose possible solutions are known.


@dataclass(frozen=True, slots=True)
class Pool:
    """Complete grids of a shape, and givens that leave some of them."""

    shape: Shape
    grids: tuple[Grid, ...]
    puzzles: tuple[tuple[Grid, int], ...]
    """Givens, and the grids with these givens as bits, which are all such grids of the
    shape."""


@cache
def pool_of(spec: str) -> Pool:
    """Puzzles of a shape without constraints, each with 2 to `FEW` solutions."""
    shape = Shape.parse(spec)
    random = Random(spec)  # noqa: S311  puzzles, not secrets
    make = _pool_of_all_grids if shape.size == TINY else _pool_of_exchanges
    return make(shape, random)


def _pool_of_all_grids(shape: Shape, random: Random) -> Pool:
    grids = tuple(_all_grids(shape, ()))
    puzzles: list[tuple[Grid, int]] = []
    while len(puzzles) < 150:
        grid, cells = random.choice(grids), range(shape.size**2)
        clues = set(random.sample(cells, random.randrange(3, shape.size**2 - 3)))
        givens = tuple(value if cell in clues else 0 for cell, value in enumerate(grid))
        remaining = [n for n, other in enumerate(grids) if all(other[c] == grid[c] for c in clues)]
        if 1 < len(remaining) <= FEW:
            puzzles.append((givens, sum(1 << number for number in remaining)))
    return Pool(shape, grids, tuple(puzzles))


def _all_grids(shape: Shape, beginning: Grid) -> Iterator[Grid]:
    cell = len(beginning)
    if cell == shape.size**2:
        yield beginning
        return
    values = {beginning[peer] for peer in shape.peers[cell] if peer < cell}
    for value in range(1, shape.size + 1):
        if value not in values:
            yield from _all_grids(shape, (*beginning, value))


def _pool_of_exchanges(shape: Shape, random: Random) -> Pool:
    full, size = known_grid(shape), shape.size
    pairs = list(combinations(range(1, size + 1), 2))
    number: dict[Grid, int] = {}
    puzzles: list[tuple[Grid, int]] = []
    for pair in random.sample(pairs, min(len(pairs), 36)):
        sets = list(sets_of_pair(shape, full, *pair))
        for some in range(1, min(len(sets), 3) + 1):
            blanks = {cell: 0 for unavoidable in sets[:some] for cell in unavoidable.cells}
            remaining = 0
            for choice in product((False, True), repeat=some):
                others = {
                    cell: unavoidable.other(cell)
                    for unavoidable, is_other in zip(sets, choice, strict=False)
                    for cell in unavoidable.cells
                    if is_other
                }
                grid = with_values(Puzzle(shape, full), others).givens
                remaining |= 1 << number.setdefault(grid, len(number))
            puzzles.append((with_values(Puzzle(shape, full), blanks).givens, remaining))
    return Pool(shape, tuple(number), tuple(puzzles))


# Near misses: primitives that differ in one detail.


def near_misses(primitive: Primitive, size: int) -> Iterator[Primitive]:
    """Primitives that a backend may confuse with this one."""
    vary = partial(replace, primitive)
    match primitive:
        case Relation(table=table):
            yield vary(table=transpose(table))
            for u, w in product(range(size), repeat=2):
                yield vary(table=(*table[:u], table[u] ^ 1 << w, *table[u + 1 :]))
        case Sum(cells, coefficients, totals):
            first, last = totals[0], totals[-1]
            yield vary(totals=tuple(range(first, last + 1)))
            yield vary(totals=tuple(range(first - size**2, last + 1)))
            yield vary(totals=tuple(range(first, last + size**2)))
            for total in totals:
                yield vary(totals=tuple(t for t in totals if t != total))
                yield vary(totals=(*totals, total - 1))
                yield vary(totals=(*totals, total + 1))
            yield vary(coefficients=(1,) * len(cells))
            yield vary(coefficients=tuple(map(abs, coefficients)))
            for at, coefficient in enumerate(coefficients):
                for other in (0, coefficient + 1, -coefficient):
                    yield vary(coefficients=(*coefficients[:at], other, *coefficients[at + 1 :]))
        case ValueCount(cells, values, least, most):
            for change in (-1, 1):
                yield vary(least=least + change)
                yield vary(most=most + change)
            yield vary(least=0)
            yield vary(most=len(cells))
            yield from (vary(values=values ^ 1 << value) for value in range(size))
            yield from (vary(cells=_without(cells, at)) for at in range(len(cells)))
        case Line(cells, automaton):
            yield vary(cells=cells[::-1])
            yield from (vary(cells=_without(cells, at)) for at in range(len(cells)))
            yield from (vary(automaton=other) for other in _similar(automaton))
        case Distinct(cells):
            yield from (Distinct(_without(cells, at)) for at in range(len(cells)))


def _without(cells: tuple[int, ...], at: int) -> tuple[int, ...]:
    return (*cells[:at], *cells[at + 1 :])


def _similar(automaton: Automaton) -> Iterator[Automaton]:
    """Automata with other accepting states, without a transition, or with one more.

    At most 8 states are changed, one at a time.
    """
    vary, accepting = partial(replace, automaton), automaton.accepting
    yield vary(accepting=(True,) * len(accepting))
    yield vary(accepting=tuple(not accepts for accepts in accepting))
    for state in range(0, len(accepting), len(accepting) // 8 + 1):
        accepts = accepting[state]
        yield vary(accepting=(*accepting[:state], not accepts, *accepting[state + 1 :]))
        for value, after in enumerate(automaton.transitions[state]):
            row = list(automaton.transitions[state])
            row[value] = state if after < 0 else -1
            rows = (*automaton.transitions[:state], tuple(row), *automaton.transitions[state + 1 :])
            yield vary(transitions=rows)


# Constraints to ask about.


Maker = Callable[[Random, Pool], Constraint]


def _some(random: Random, pool: Pool, least: int, most: int) -> tuple[int, ...]:
    """Cells, mostly blank ones of one puzzle, in any order."""
    givens, _ = random.choice(pool.puzzles)
    blank = [cell for cell, value in enumerate(givens) if not value]
    number = min(random.randint(least, most), len(blank))
    cells = random.sample(blank, number)
    if number > least and random.random() < 0.2:
        cells[-1] = random.choice([c for c in range(len(givens)) if c not in cells])
    return tuple(cells)


def _relation(random: Random, pool: Pool) -> Constraint:
    size = pool.shape.size
    share = random.choice((0.5, 0.8))
    bits = [[random.random() < share for _ in range(size)] for _ in range(size)]
    table = [sum(bit << at for at, bit in enumerate(row)) for row in bits]
    return Constraint("pair", table_text(table), (_some(random, pool, 2, 3),))


def _sum(random: Random, pool: Pool) -> Constraint:
    size = pool.shape.size
    cells = _some(random, pool, 1, 5)
    if random.random() < 0.5:  # often in one house, so that they differ
        house = random.choice(pool.shape.houses).cells
        cells = tuple(random.sample(house, random.randint(2, min(size - 1, 5))))
    choice = random.choice(((1,), (1,), (1, -1), (1, 2, -3, 10)))
    factors = [random.choice(choice) for _ in cells]
    totals = [
        sum(f * grid[cell] for f, cell in zip(factors, cells, strict=True))
        for grid in random.sample(pool.grids, random.choice((1, 1, 2, min(12, len(pool.grids)))))
    ]
    coefficients = f"*{','.join(map(str, factors))}" if {*factors} != {1} else ""
    return Constraint("sum", ",".join(map(str, sorted({*totals}))) + coefficients, (cells,))


def _count(random: Random, pool: Pool) -> Constraint:
    kind = random.choice(("contains", "contains", "contains", "contains-exactly", "odd", "even"))
    if kind in ("odd", "even"):
        return Constraint(kind, "", (_some(random, pool, 1, 2),))
    cells = _some(random, pool, 2, 5)
    grid = random.choice(pool.grids)
    values = {grid[cell] for cell in random.sample(cells, random.randint(1, 2))}
    counts = sorted(grid[cell] for cell in cells if grid[cell] in values)
    return Constraint(kind, ",".join(map(str, counts)), (cells,))


def _cage(random: Random, pool: Pool) -> Constraint:
    cells = _some(random, pool, 2, 5)
    totals = [sum(grid[cell] for cell in cells) for grid in random.sample(pool.grids, 2)]
    return Constraint("killer", ",".join(map(str, sorted({*totals}))), (cells,))


def _line(random: Random, pool: Pool, least: int = 2, most: int = 5) -> Constraint:
    size, number = pool.shape.size, random.randint(2, 4)
    cells = _some(random, pool, least, most)
    if random.random() < 0.2:
        cells = (*cells, cells[0])
    while True:
        rows = [
            [random.randrange(number) if random.random() < 0.8 else -1 for _ in range(size)]
            for _ in range(number)
        ]
        automaton = minimal(rows, [random.random() < 0.5 for _ in rows])
        if len(automaton.accepting) > 1:
            return Constraint("automaton", automaton_text(automaton), (cells,))


def _distinct(random: Random, pool: Pool) -> Constraint:
    return Constraint("distinct", "", (_some(random, pool, 2, min(4, pool.shape.size)),))


_MAKERS: Final[dict[str, tuple[set[Restriction], Maker]]] = {
    "tables for two cells": ({Restriction.RELATIONS}, _relation),
    "sums": ({Restriction.SUMS}, _sum),
    "cages": ({Restriction.SUMS, Restriction.PAIRS}, _cage),
    "numbers of values": ({Restriction.VALUE_COUNTS}, _count),
    "automata along cells": ({Restriction.AUTOMATA}, _line),
    "automata along many cells": ({Restriction.AUTOMATA}, partial(_line, least=7, most=10)),
    "cells that differ": ({Restriction.PAIRS}, _distinct),
}
"""For each title of a series what a backend must take, and what makes the constraints."""


def _of_kind(kind: str, random: Random, pool: Pool) -> Constraint:
    """A constraint of a named kind on any cells, or on a row, like its example."""
    size, example = pool.shape.size, constraint_of(KINDS[kind].example, 9)
    cells = random.sample(range(size**2), min(len(example.cells), size))
    lists = tuple(tuple(cells.pop() for _ in group[: len(cells)]) for group in example.lists)
    if len(example.cells) == 9:
        lists = (random.choice(pool.shape.houses).cells,)
    value = str(random.randint(1, size + 2)) if example.value.isdigit() else example.value
    return Constraint(kind, value, lists)


# Series.


CONSTRAINED: Final = ("4x4", "6x6", "9x9", "16x16", "6x6+diagonal", JIGSAW)
"""The shapes with questions about constraints."""
_NUMBER: Final = {4: 14, 6: 8, 9: 8, 16: 4}
"""The number of groups of a series, by the size of the shape."""


@cache
def series_of_constraints(spec: str, takes: frozenset[Restriction]) -> tuple[QuestionSeries, ...]:
    """The series about constraints: one for each kind, and others for several in a puzzle.

    Args:
        spec: the shape; only those in `CONSTRAINED` have such series.
        takes: the restrictions that the backend takes.
    """
    if spec not in CONSTRAINED:
        return ()
    makers = {title: make for title, (capability, make) in _MAKERS.items() if capability <= takes}
    series = [_series(spec, title, [make]) for title, make in makers.items()]
    if some := [make for make in makers.values() if make is not _distinct]:
        title, number = "constraints on the same cells", 6 * len(some)
        series.append(_series(spec, title, some, on_same_cells=True, number=number))
    if len(makers) > 1:
        series.append(_series(spec, "several constraints", [*makers.values()]))
    if makers and Restriction.PENCILMARKS in takes:
        cases = (_with_pencilmarks(pool_of(spec), s.groups[-1]) for s in series)
        series.append(QuestionSeries("constraints and pencilmarks", tuple(filter(None, cases))))
    if makers and spec in CONSTRAINED[:3]:
        each = (_series(spec, k, [partial(_of_kind, k)], number=1, most=2) for k in KINDS)
        groups = tuple(chain.from_iterable(s.groups for s in each))
        series.append(QuestionSeries("constraints of every kind", groups))
    return tuple(series)


def _series(
    spec: str,
    title: str,
    makers: Sequence[Maker],
    *,
    on_same_cells: bool = False,
    number: int = 0,
    most: int = 8,
) -> QuestionSeries:
    """A series with a `number` of groups, each of `most` puzzles or fewer."""
    pool, random = pool_of(spec), Random(f"{spec} {title}")  # noqa: S311  not secrets
    groups: list[Group] = []
    for attempt in range(60):
        choice = random.sample(makers, min(len(makers), random.randint(2, 3)))
        if on_same_cells:
            choice = [makers[attempt % len(makers)]] * 2
        constraints = [make(random, pool) for make in choice]
        if on_same_cells:  # another value, or some of the first numbers
            first, other = constraints
            numbers = first.value.split(",")
            fewer = random.sample(numbers, len(numbers) - 1)
            value = ",".join(sorted(fewer)) if attempt // len(makers) % 2 else other.value
            constraints[1] = replace(first, kind=other.kind, value=value)
        with suppress(PuzzleError):  # the kind takes no such size or cells
            groups += [group] if (group := _questions(pool, constraints, most)) else []
        if len(groups) == (number or _NUMBER[pool.shape.size]):
            break
    return QuestionSeries(title, tuple(groups))


def _with_pencilmarks(pool: Pool, group: Group) -> Group:
    """A puzzle of the group with several solutions, and pencilmarks that exclude some of them."""
    case = max(group, key=lambda case: case.solutions)
    puzzle, shape = case.puzzle, case.puzzle.shape
    solutions = [
        grid
        for grid in pool.grids
        if all(clue in (0, value) for clue, value in zip(puzzle.givens, grid, strict=True))
        and all(keeps(primitive, grid) for primitive in shape.primitives)
    ]
    for cell, value in enumerate(solutions[0] if solutions else ()):
        if number := sum(grid[cell] != value for grid in solutions):
            restricted_puzzle = without(puzzle, {cell: [value]})
            title = f"{case.title}, {shape.cell_name(cell)} without {value}"
            return solved_and_counted(title, restricted_puzzle, number, number + 1)
    return ()


def _questions(pool: Pool, constraints: Sequence[Constraint], most: int) -> Group:
    """A few puzzles that separate the constraints from their near misses; perhaps none."""
    shape = pool.shape.with_constraints(constraints)
    own = shape.primitives
    masks = [_keeping(pool, primitive) for primitive in own]
    every = (1 << len(pool.grids)) - 1
    right = reduce(and_, masks, every)
    if right == every:
        return ()
    misses = {
        reduce(and_, (*masks[:at], *masks[at + 1 :]), mask)
        for at, p in enumerate(own[:12])
        for mask in (every, *(_keeping(pool, near) for near in near_misses(p, shape.size)))
    }
    misses |= {every} | {
        right & _keeping(pool, Distinct(p.cells)) for p in own if isinstance(p, Sum)
    }
    candidates: list[tuple[Grid, int, set[int]]] = []
    for givens, remaining in pool.puzzles:
        number = (right & remaining).bit_count()
        refutations = {miss for miss in misses if (miss & remaining).bit_count() != number}
        candidates.append((givens, number, refutations))
    questions: list[tuple[Grid, int, set[int]]] = []
    while len(questions) < most:
        best = max(candidates, key=lambda entry: len(entry[2] & misses))
        if not best[2] & misses:
            break
        questions.append(best)
        misses -= best[2]
    texts = [constraint.text(shape.size) for constraint in constraints]
    title = texts[0] if len(texts) == 1 else f"{len(texts)} constraints"
    cases: list[Case] = []
    for givens, number, _ in questions:
        puzzle = Puzzle(shape, givens)
        cases.append(Case(f"{title}, counted", puzzle, number, limit=number + 2))
        cases.append(Case(title, puzzle, number))
        if number:
            cases.append(Case(f"{title}, counted to {number}", puzzle, number, limit=number))
    return tuple(cases)


def _keeping(pool: Pool, primitive: Primitive) -> int:
    """The grids that satisfy a primitive, as bits."""
    choices = _by_values(pool.shape.definition, primitive.cells)
    return sum(bits for grid, bits in choices if keeps(primitive, grid))


@lru_cache(maxsize=256)
def _by_values(spec: str, cells: tuple[int, ...]) -> list[tuple[Grid, int]]:
    """A grid of the pool for each choice of values of the cells, and all grids with them, as bits.

    Near misses differ in few choices of values only, and most grids agree on the cells.
    """
    grids: dict[Grid, tuple[Grid, int]] = {}
    for number, grid in enumerate(pool_of(spec).grids):
        values = tuple([grid[cell] for cell in cells])
        first, bits = grids.get(values, (grid, 0))
        grids[values] = first, bits | 1 << number
    return [*grids.values()]
