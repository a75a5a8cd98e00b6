"""Compiled propagation and search on any shape with up to 62 values, and random integers.

A kernel is plain Python that Numba can compile. It sees only integers of at most 62 bits
and arrays of them, so it computes the same with Numba, on arrays, and without, on lists.
All the code that depends on Numba is in this module and in `harness.puzzles.search.compilation`.

The generator is xoshiro128++ (Blackman and Vigna, "Scrambled linear pseudorandom number
generators", ACM Transactions on Mathematical Software 47, 2021): additions, shifts and
rotations of four words of 32 bits.

    candidates  the possible values of a cell, as bits: bit 0 stands for value 1
    tables      a header, then the houses, peers and constraints of the shape; see the indices
                below
    states      one state for each depth of the search: the candidates of all cells, then
                its branch: the cell, or the house that is branched on, and what is left;
                then for each constraint the sum of the candidates that it has seen
    work        a stack of decided cells, then the number of failures at each cell, then room
                for constraints

The rules are naked and hidden singles. The constraints of a shape remove further candidates.
The search branches on the cell with the fewest candidates, among equals on the cell with the
most failures (Boussemart et al., "Boosting systematic search by weighting constraints", ECAI
2004); if that has three candidates or more, on a value with two places in a house, if any.
"""

import hashlib
from collections.abc import Callable, Iterable, MutableSequence, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from harness.base.files import cache_folder
from harness.puzzles.search.compilation import COMPILES, cache_parent, compile_kernel

# Kernels: functions of integers and arrays of integers, compiled if Numba is installed.


if COMPILES:
    import numba
    import numpy as np
    from llvmlite import ir
    from numba.extending import intrinsic, overload

Integers = Any
"""An array of 64-bit integers if kernels are compiled, otherwise a list."""

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])


def compiled(function: _Kernel) -> _Kernel:
    """`function` compiled at its first call, or `function` itself without Numba."""
    return compile_kernel(function, _cache_folder() if COMPILES else None)


def integers(values: Iterable[int]) -> Integers:
    """These integers as kernels take them."""
    return np.fromiter(values, np.int64) if COMPILES else list(values)


def zeros(number: int) -> Integers:
    """This number of zeros as kernels take them."""
    return np.zeros(number, np.int64) if COMPILES else [0] * number


def plain(values: Integers) -> list[int]:
    """The integers of a kernel as a Python list."""
    return values.tolist() if COMPILES else list(values)


def size_of(bits: int) -> int:
    """The number of bits that are set."""
    return bits.bit_count()


def index_of(bit: int) -> int:
    """The index of a single bit, from 0."""
    return bit.bit_length() - 1


def _define_bit_operations() -> None:
    """Give Numba the instructions for `size_of` and `index_of`."""

    def ctpop(_: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return numba.types.int64(numba.types.int64), generate

    def cttz(_: Any, bit: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.IntType(1)(0))

        return numba.types.int64(numba.types.int64), generate

    ctpop_, cttz_ = intrinsic(ctpop), intrinsic(cttz)
    overload(size_of)(lambda bits: lambda bits: ctpop_(bits))
    overload(index_of)(lambda bit: lambda bit: cttz_(bit))


if COMPILES:
    _define_bit_operations()


@cache
def _cache_folder() -> Path | None:
    """The folder for compiled kernels, inside NUMBA_CACHE_DIR if that is set."""
    return cache_folder("puzzles", Path(__file__).parents[1].rglob("*.py"), cache_parent())


# Random integers that are the same on every machine and in every version of Python.


_WORD: Final = 0xFFFFFFFF
_Item = TypeVar("_Item")


@compiled
def next_word(state: Integers) -> int:
    """The next 32 random bits."""
    first, second, third, fourth = state[0], state[1], state[2], state[3]
    total = (first + fourth) & _WORD
    word: int = ((((total << 7) & _WORD) | (total >> 25)) + first) & _WORD
    third ^= first
    fourth ^= second
    state[1] = second ^ third
    state[0] = first ^ fourth
    state[2] = third ^ ((second << 9) & _WORD)
    state[3] = ((fourth << 11) & _WORD) | (fourth >> 21)
    return word


@compiled
def below(state: Integers, number: int) -> int:
    """A random integer from 0 to `number` - 1, each with the same probability.

    The method is that of Lemire, "Fast random integer generation in an interval" (ACM
    Transactions on Modeling and Computer Simulation 29, 2019).
    """
    product = next_word(state) * number
    low = product & _WORD
    if low < number:
        least = (_WORD + 1 - number) % number
        while low < least:
            product = next_word(state) * number
            low = product & _WORD
    return product >> 32


class Prng:
    """A source of random integers."""

    def __init__(self, *seed: object) -> None:
        """The source of this `seed`; parts with equal texts make equal sources."""
        digest = hashlib.sha256("\0".join(map(str, seed)).encode()).digest()
        words = (int.from_bytes(digest[at : at + 4], "little") for at in range(0, 16, 4))
        self.state: Any = integers(words)
        """The state, as kernels take it."""

    def below(self, number: int) -> int:
        """A random integer from 0 to `number` - 1; `number` is at most 2^31."""
        return int(below(self.state, number))

    def choice(self, items: Sequence[_Item]) -> _Item:
        """A random item."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Put `items` into random order (Fisher and Yates)."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]

    def order(self, number: int) -> list[int]:
        """The integers from 0 to `number` - 1 in random order."""
        items = list(range(number))
        self.shuffle(items)
        return items

    def sample(self, number: int, total: int) -> list[int]:
        """`number` different integers from 0 to `total` - 1, in random order."""
        return self.order(total)[:number]


# Propagation and depth-first search on any shape with up to 62 values.


# The header of the tables
SIZE: Final = 0
CELLS: Final = 1
HOUSES: Final = 2
"""The number of houses."""
_AT_HOUSES: Final = 3
"""Where the cells of all houses begin in the tables, `size` cells each."""
AT_HOUSES_OF: Final = 4
"""Where the houses of each cell begin, as bits; house 62 and later ones share bits."""
_AT_FIRST_PEER: Final = 5
"""Where the starts of each cell's peers begin, and their end."""
CONSTRAINTS: Final = 6
"""The number of constraints."""
AT_CONSTRAINTS: Final = 7
"""Where the starts of the constraints begin."""
HEADER: Final = 8

# A constraint: its kind, the number of its cells, the three numbers below, then its cells.
RELATION: Final = 0
"""The tables of the first and the second cell: for each value those of the other cell."""
SETS: Final = 1
"""The sets of values for cells that differ: their start and number."""
SUM: Final = 2
"""The amount of each value in each cell, the number of sums, and whether each may be the last."""
LINE: Final = 3
"""The state after each state and value, the number of states, and whether each may be the last."""
KIND_OF: Final = 0
NUMBER_OF: Final = 1
DATA: Final = 2
MORE: Final = 3
_ACCEPTING: Final = 4
_CELLS_OF: Final = 5
_UNCHANGED: Final = -1
CONTRADICTION: Final = -2
"""Results of `constrain`."""

BITS: Final = 62
"""The bits of a set of houses, and the most values of a cell."""

# The request
LIMIT: Final = 0
"""The number of solutions after which the search ends."""
NODE_LIMIT: Final = 1
RANDOM: Final = 2
"""1 for random branches and a random solution, 0 for a fixed order and the first solution."""
TALLY: Final = 3
"""The number of pairs of cells whose values are counted, see `search`."""
REQUEST: Final = 4

# The report
GUESSES: Final = 0
"""The number of states that needed a branch."""
UNDECIDED: Final = 1
"""1 if the node limit ended the search, otherwise 0."""
REFUTED_AT_ONCE: Final = 2
"""1 if the rules alone refute the puzzle, otherwise 0."""
REPORT: Final = 3

BRANCH: Final = 3
"""Numbers of a state after its candidates: cell or house, alternatives left, value."""


@compiled
def _allow_related(tables: Integers, states: Integers, at: int, entry: int, work: Integers) -> None:
    """Write the values that a relation leaves to its two cells behind the failures in `work`."""
    cells = tables[CELLS]
    for place in range(2):
        table = tables[entry + MORE - place]
        remaining = states[at + tables[entry + _CELLS_OF + 1 - place]]
        domain = 0
        while remaining:
            value = remaining & -remaining
            remaining ^= value
            domain |= tables[table + index_of(value)]
        work[2 * cells + place] = domain


@compiled
def _allow_sets(tables: Integers, states: Integers, at: int, entry: int, work: Integers) -> None:
    """Write the values that sets leave to their cells behind the failures in `work`.

    A value of every set that fits is in one of the cells; with one place left, it goes there.
    """
    first, end = entry + _CELLS_OF, entry + _CELLS_OF + tables[entry + NUMBER_OF]
    every = 0
    for index in range(first, end):
        every |= states[at + tables[index]]
    domain = 0
    common = every
    for place in range(tables[entry + DATA], tables[entry + DATA] + tables[entry + MORE]):
        values = tables[place]
        if values & ~every:
            continue
        fits = True
        for index in range(first, end):
            if not states[at + tables[index]] & values:
                fits = False
                break
        if fits:
            domain |= values
            common &= values
    once = 0
    more = 0
    for index in range(first, end):
        more |= once & states[at + tables[index]]
        once |= states[at + tables[index]]
    common &= domain & ~more
    out = 2 * tables[CELLS]
    for index in range(first, end):
        only = states[at + tables[index]] & common
        if only & (only - 1):
            only = domain = 0
        work[out + index - first] = only or domain


@compiled
def _allow_sums(tables: Integers, states: Integers, at: int, entry: int, work: Integers) -> None:
    """Write the values that a sum leaves to its cells behind the failures in `work`.

    Its partial sums are bits of one number.
    """
    size, number, count = tables[SIZE], tables[entry + NUMBER_OF], tables[entry + MORE]
    out = 2 * tables[CELLS]
    room = out + number
    work[room] = 1
    for place in range(number):
        moves = tables[entry + DATA] + place * size
        remaining = states[at + tables[entry + _CELLS_OF + place]]
        sums = 0
        while remaining:
            value = remaining & -remaining
            remaining ^= value
            amount = tables[moves + index_of(value)]
            if amount < count:
                sums |= (work[room + place] & ((1 << (count - amount)) - 1)) << amount
        work[room + place + 1] = sums
    alive = 0
    for total in range(count):
        alive |= tables[tables[entry + _ACCEPTING] + total] << total
    for back in range(number):
        place = number - 1 - back
        moves = tables[entry + DATA] + place * size
        remaining = states[at + tables[entry + _CELLS_OF + place]]
        before = 0
        domain = 0
        while remaining:
            value = remaining & -remaining
            remaining ^= value
            amount = tables[moves + index_of(value)]
            if amount < count:
                after = alive >> amount
                before |= after
                if after & work[room + place]:
                    domain |= value
        work[out + place] = domain
        alive = before


@compiled
def _allow_walks(tables: Integers, states: Integers, at: int, entry: int, work: Integers) -> None:
    """Write the values that a sum or a line leaves to its cells behind the failures in `work`.

    A walk goes from state 0 through a state for each cell to one that may be the last. The
    states of a sum are partial sums.
    """
    size, number = tables[SIZE], tables[entry + NUMBER_OF]
    data, count = tables[entry + DATA], tables[entry + MORE]
    is_sum = tables[entry + KIND_OF] == SUM
    by_place = size if is_sum else 0
    by_state = 0 if is_sum else size
    accepting = tables[entry + _ACCEPTING]
    out = 2 * tables[CELLS]
    room = out + number
    for index in range(room, room + (number + 1) * count):
        work[index] = 0
    work[room] = 1
    for place in range(number):
        candidates = states[at + tables[entry + _CELLS_OF + place]]
        here = room + place * count
        for state in range(count):
            if not work[here + state]:
                continue
            moves = data + place * by_place + state * by_state
            remaining = candidates
            while remaining:
                value = remaining & -remaining
                remaining ^= value
                after = tables[moves + index_of(value)]
                if is_sum:
                    after += state
                if 0 <= after < count:
                    work[here + count + after] = 1
    here = room + number * count
    for state in range(count):
        work[here + state] &= tables[accepting + state]
    for back in range(number):
        place = number - 1 - back
        candidates = states[at + tables[entry + _CELLS_OF + place]]
        here = room + place * count
        domain = 0
        for state in range(count):
            if not work[here + state]:
                continue
            moves = data + place * by_place + state * by_state
            goes_on = 0
            remaining = candidates
            while remaining:
                value = remaining & -remaining
                remaining ^= value
                after = tables[moves + index_of(value)]
                if is_sum:
                    after += state
                if 0 <= after < count and work[here + count + after]:
                    goes_on = 1
                    domain |= value
            work[here + state] = goes_on
        work[out + place] = domain


@compiled
def constrain(tables: Integers, states: Integers, at: int, work: Integers) -> int:
    """Apply constraints to the state at `at` once, up to the first that decides a cell.

    Returns:
        The number of decided cells in `work`, or `_UNCHANGED`, or `CONTRADICTION`.
    """
    cells = tables[CELLS]
    at_sums = at + cells + BRANCH
    result: int = _UNCHANGED
    waiting = 0
    for number in range(tables[CONSTRAINTS]):
        entry = tables[tables[AT_CONSTRAINTS] + number]
        first, end = entry + _CELLS_OF, entry + _CELLS_OF + tables[entry + NUMBER_OF]
        total = 0
        for index in range(first, end):
            total += states[at + tables[index]]
        if states[at_sums + number] == total:
            continue
        states[at_sums + number] = total
        kind = tables[entry + KIND_OF]
        if kind == RELATION:
            _allow_related(tables, states, at, entry, work)
        elif kind == SETS:
            _allow_sets(tables, states, at, entry, work)
        elif kind == SUM and tables[entry + MORE] <= BITS:
            _allow_sums(tables, states, at, entry, work)
        else:
            _allow_walks(tables, states, at, entry, work)
        for index in range(first, end):
            cell = tables[index]
            candidates = states[at + cell]
            remaining = candidates & work[2 * cells + index - first]
            if remaining == candidates:
                continue
            if not remaining:
                for place in range(first, end):
                    work[cells + tables[place]] += 1
                return CONTRADICTION
            result = 0
            states[at + cell] = remaining
            if not remaining & (remaining - 1):
                work[waiting] = cell
                waiting += 1
        if waiting:
            return waiting
    return result


@compiled
def propagate(
    tables: Integers, states: Integers, at: int, work: Integers, waiting: int, dirty: int
) -> bool:
    """Apply rules and constraints to the state at `at` to a fixpoint; False for a contradiction.

    Args:
        tables: the shape.
        states: the states.
        at: the start of the state.
        work: decided cells whose peers may still have their values, then the failures, then
            the room of constraints.
        waiting: the number of these cells.
        dirty: the houses in which a value may have one place left, as bits.
    """
    size, cells, houses = tables[SIZE], tables[CELLS], tables[HOUSES]
    at_houses, at_houses_of = tables[_AT_HOUSES], tables[AT_HOUSES_OF]
    at_first_peer = tables[_AT_FIRST_PEER]
    every = (1 << size) - 1
    while True:
        while waiting:
            waiting -= 1
            cell = work[waiting]
            value = states[at + cell]
            for index in range(tables[at_first_peer + cell], tables[at_first_peer + cell + 1]):
                peer = tables[index]
                candidates = states[at + peer]
                if candidates & value:
                    remaining = candidates ^ value
                    if not remaining:
                        work[cells + peer] += 1
                        return False
                    states[at + peer] = remaining
                    if not remaining & (remaining - 1):
                        work[waiting] = peer
                        waiting += 1
                    dirty |= tables[at_houses_of + peer]
        looked_at = dirty
        dirty = 0
        for house in range(houses):
            if not looked_at >> (house % BITS) & 1:
                continue
            first = at_houses + house * size
            once = 0
            more = 0
            singles = 0
            for index in range(first, first + size):
                candidates = states[at + tables[index]]
                more |= once & candidates
                once |= candidates
                if not candidates & (candidates - 1):
                    singles |= candidates
            if once != every:
                for index in range(first, first + size):
                    work[cells + tables[index]] += 1
                return False
            once &= ~(more | singles)
            if not once:
                continue
            for index in range(first, first + size):
                cell = tables[index]
                value = states[at + cell] & once
                if value:
                    if value & (value - 1):
                        work[cells + cell] += 1
                        return False
                    states[at + cell] = value
                    work[waiting] = cell
                    waiting += 1
                    dirty |= tables[at_houses_of + cell]
        if waiting:
            continue
        if not tables[CONSTRAINTS]:
            return True
        waiting = constrain(tables, states, at, work)
        if waiting < 0:
            return waiting == _UNCHANGED
        dirty = (1 << BITS) - 1


@compiled
def _choose_branch(tables: Integers, states: Integers, at: int, work: Integers, first: int) -> bool:
    """Write the branch of the state at `at` behind it; False if all cells are decided.

    The comparison starts at cell `first`.
    """
    size, cells = tables[SIZE], tables[CELLS]
    best, fewest, most_failures = -1, BITS + 1, -1
    cell = first
    for _ in range(cells):
        candidates = states[at + cell]
        if candidates & (candidates - 1):
            number = size_of(candidates)
            failures = work[cells + cell]
            if number < fewest or (number == fewest and failures > most_failures):
                best, fewest, most_failures = cell, number, failures
        cell += 1
        if cell == cells:
            cell = 0
    if best < 0:
        return False
    states[at + cells] = best
    states[at + cells + 1] = states[at + best]
    if fewest == 2:
        return True
    at_houses = tables[_AT_HOUSES]
    most_failures = -1
    for house in range(tables[HOUSES]):
        start = at_houses + house * size
        once = 0
        twice = 0
        more = 0
        failures = 0
        for index in range(start, start + size):
            candidates = states[at + tables[index]]
            failures += work[cells + tables[index]]
            more |= twice & candidates
            twice |= once & candidates
            once |= candidates
        twice &= ~more
        if twice and failures > most_failures:
            most_failures = failures
            value = twice & -twice
            places = 0
            for index in range(size):
                if states[at + tables[start + index]] & value:
                    places |= 1 << index
            states[at + cells] = -1 - house
            states[at + cells + 1] = places
            states[at + cells + 2] = value
    return True


@compiled
def begin(tables: Integers, start: Integers, states: Integers, work: Integers) -> bool:
    """Write the first state of a search and propagate it; False for a contradiction.

    Args:
        tables: the shape.
        start: the candidates of each cell.
        states: room for a state.
        work: two numbers for each cell, and the room of constraints.
    """
    cells = tables[CELLS]
    for constraint in range(tables[CONSTRAINTS]):
        states[cells + BRANCH + constraint] = -1
    waiting = 0
    possible = True
    for cell in range(cells):
        states[cell] = start[cell]
        work[cells + cell] = 0
        if not start[cell] & (start[cell] - 1):
            possible = possible and start[cell] != 0
            work[waiting] = cell
            waiting += 1
    return possible and propagate(tables, states, 0, work, waiting, (1 << BITS) - 1)


@compiled
def _follow(
    tables: Integers, states: Integers, at: int, work: Integers, candidate: int, width: int
) -> bool:
    """Write the state after the one at `at` and propagate it; False for a contradiction.

    Args:
        tables: the shape.
        states: the states.
        at: the start of the state, which has a branch.
        work: as for `propagate`.
        candidate: the alternative of the branch, a value or a place as a bit.
        width: the size of a state.
    """
    cells = tables[CELLS]
    cell = states[at + cells]
    value = candidate
    if cell < 0:
        house = -1 - cell
        cell = tables[tables[_AT_HOUSES] + house * tables[SIZE] + index_of(candidate)]
        value = states[at + cells + 2]
    following = at + width
    for other in range(cells):
        states[following + other] = states[at + other]
    for other in range(cells + BRANCH, width):
        states[following + other] = states[at + other]
    states[following + cell] = value
    work[0] = cell
    return propagate(tables, states, following, work, 1, tables[tables[AT_HOUSES_OF] + cell])


@compiled
def search(
    tables: Integers,
    start: Integers,
    request: Integers,
    random: Integers,
    states: Integers,
    work: Integers,
    solution: Integers,
    pairs: Integers,
    tally: Integers,
    report: Integers,
) -> int:
    """Search the solutions of a puzzle, and return the number found.

    Args:
        tables: the shape.
        start: the candidates of each cell.
        request: limits and order, see above.
        random: the state of the source of random integers.
        states: room for a state for each cell and one more.
        work: two numbers for each cell, and the room of constraints.
        solution: the values of a solution; written if one is found. With random branches
            each solution found has the same probability.
        pairs: pairs of cells, the first and the second one in turn.
        tally: for each pair, each value of its first and each value of its second cell the
            number of solutions with both; added to.
        report: what was found, see above; written.
    """
    size, cells = tables[SIZE], tables[CELLS]
    limit, node_limit, is_random = request[LIMIT], request[NODE_LIMIT], request[RANDOM]
    tallies = request[TALLY]
    solutions = 0
    nodes = 1
    guesses = 0
    gave_up = 0
    width = cells + BRANCH + tables[CONSTRAINTS]
    possible = begin(tables, start, states, work)
    at = 0 if possible else -1
    fresh = True
    while at >= 0:
        if fresh:
            first = below(random, cells) if is_random else 0
            if _choose_branch(tables, states, at, work, first):
                guesses += 1
            else:
                solutions += 1
                if solutions == 1 or (is_random and below(random, solutions) == 0):
                    for cell in range(cells):
                        solution[cell] = index_of(states[at + cell]) + 1
                for pair in range(tallies):
                    first_value = index_of(states[at + pairs[2 * pair]])
                    other = index_of(states[at + pairs[2 * pair + 1]])
                    tally[(pair * size + first_value) * size + other] += 1
                if solutions == limit:
                    break
                states[at + cells + 1] = 0
        remaining = states[at + cells + 1]
        if not remaining:
            at -= width
            fresh = False
            continue
        if nodes == node_limit:
            gave_up = 1
            break
        nodes += 1
        if is_random:
            for _ in range(below(random, size_of(remaining))):
                remaining &= remaining - 1
        candidate = remaining & -remaining
        states[at + cells + 1] ^= candidate
        fresh = _follow(tables, states, at, work, candidate, width)
        if fresh:
            at += width
    report[GUESSES] = guesses
    report[UNDECIDED] = gave_up
    report[REFUTED_AT_ONCE] = 0 if possible else 1
    return solutions
