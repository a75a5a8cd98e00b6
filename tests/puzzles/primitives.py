"""Random primitives over a few cells, and their meaning by enumeration."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

from harness.puzzles.constraints.primitives import (
    Automaton,
    Distinct,
    Line,
    Primitive,
    Relation,
    Sum,
    ValueCount,
    minimal,
)

SIZE = 4
CELLS = 4


def allows(primitive: Primitive, values: Sequence[int]) -> bool:
    """Whether a primitive allows these values of the cells."""
    if isinstance(primitive, Relation):
        return values[primitive.second] in members(primitive.table[values[primitive.first] - 1])
    if isinstance(primitive, Sum):
        terms = zip(primitive.coefficients, primitive.cells, strict=True)
        return sum(factor * values[cell] for factor, cell in terms) in primitive.totals
    if isinstance(primitive, Distinct):
        return len({values[cell] for cell in primitive.cells}) == len(primitive.cells)
    if isinstance(primitive, ValueCount):
        number = [values[cell] in members(primitive.values) for cell in primitive.cells].count(True)
        return primitive.least <= number <= primitive.most
    return accepts(primitive.automaton, [values[cell] for cell in primitive.cells])


def accepts(automaton: Automaton, line: Sequence[int]) -> bool:
    """Whether an automaton accepts a line of values."""
    state = 0
    for value in line:
        state = automaton.transitions[state][value - 1]
        if state == -1:
            return False
    return automaton.accepting[state]


def members(bits: int) -> list[int]:
    """The values of a set of bits."""
    return [value for value in range(1, SIZE + 1) if bits >> value - 1 & 1]


def choices(domains: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All values of the cells within their domains."""
    return product(*map(members, domains))


every_choice = list(choices([(1 << SIZE) - 1] * CELLS))

# Random ones, made from a seed: the strategies of hypothesis prefer the smallest.


_Made = TypeVar("_Made")


def _from_seed(make: Callable[[Random], _Made]) -> st.SearchStrategy[_Made]:
    return st.integers(0, 2**64).map(lambda seed: make(Random(seed)))


def _set(random: Random, share: float = 0.6) -> int:
    return sum(1 << value for value in range(SIZE) if random.random() < share)


def _cells(random: Random, least: int = 1) -> tuple[int, ...]:
    return tuple(random.sample(range(CELLS), random.randint(least, CELLS)))


def _relation(random: Random) -> Relation:
    first, second = random.sample(range(CELLS), 2)
    if random.random() < 0.2:
        return Relation(
            first, second, tuple((1 << SIZE) - 1 - (1 << value) for value in range(SIZE))
        )
    return Relation(first, second, tuple(_set(random) for _ in range(SIZE)))


def _sum(random: Random, choice: Sequence[int] = (-10, -1, 1, 2, 3)) -> Sum:
    """A sum with one to three totals that can be reached."""
    cells = tuple(sorted(_cells(random)))
    factors = tuple(random.choice(choice) for _ in cells)
    totals = {sum(f * random.randint(1, SIZE) for f in factors) for _ in range(3)}
    goals = random.sample(sorted(totals), random.randint(1, len(totals)))
    return Sum(cells, factors, tuple(sorted(goals)))


def _count(random: Random) -> ValueCount:
    cells = _cells(random)
    least, most = sorted(random.choices(range(len(cells) + 1), k=2))
    return ValueCount(cells, _set(random), least, most)


def _table(random: Random, most: int = 5) -> tuple[list[list[int]], list[bool]]:
    number = random.randint(1, most)
    rows = [[random.randint(-1, number - 1) for _ in range(SIZE)] for _ in range(number)]
    return rows, [random.random() < 0.5 for _ in rows]


def _line(random: Random) -> Line:
    return Line(_cells(random, least=2), minimal(*_table(random)))


def _line_with_repeats(random: Random) -> Line:
    cells = random.choices(range(CELLS), k=random.randint(1, 5))
    return Line(tuple(cells), minimal(*_table(random)))


domains = _from_seed(lambda random: [_set(random, 0.7) or 1 << SIZE - 1 for _ in range(CELLS)])
relations, sums = _from_seed(_relation), _from_seed(_sum)
counts, lines = _from_seed(_count), _from_seed(_line)
cages = _from_seed(lambda random: _sum(random, (1,)))
lines_with_repeats = _from_seed(_line_with_repeats)
groups = _from_seed(lambda random: Distinct(_cells(random)))
primitives = relations | sums | cages | counts | lines | lines_with_repeats
tables = _from_seed(_table)
"""The moves of automata, which may have useless states, and the accepting states."""
small_tables = _from_seed(lambda random: _table(random, 3))
