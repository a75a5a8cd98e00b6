"""The rules of the any-shape kernel for constraints: what each leaves to its cells.

relation    a table has the values of one cell that each set of values of the other allows
sum         groups of different cells with a coefficient each; a group has the sets of values
            that fit it, and the sums of groups meet in the totals, as bits of a number
count       cells that can and cells that must have one of some values
line        states from both ends, as bits
"""

from typing import Final, NamedTuple

import numpy as np

from .board import Board, Start, rare_rule, rule
from .sets import values_within
from .singles import count_failure, remove_places, remove_rarely
from .words import (
    changed_among_16,
    common_among_16,
    first_of,
    get,
    get_weight,
    last_of,
    meeting_among_16,
    mirror,
    put,
    put_weight,
    shifted_right,
    size_of,
    subsets_among_16,
    supersets_among_16,
    union_among_16,
)

COUNT: Final = 0
CAGE: Final = 1
SUM: Final = 2
LINE: Final = 3

BITS: Final = 62
"""Constraints per number in the bits of those that wait, and bits of a set of sums."""
GROUP: Final = 3
"""Numbers of a group in the memory: its sums as bits, the sums of all groups before it, and where
the blocks of sets that fit begin."""
BLOCK: Final = 16
"""Cells or sets that are examined at once."""
TABULATED: Final = 10
"""Maximum number of values for which a relation has a row for each set of values."""
WEIGHT: Final = 64
"""The number that stands for a weight of 1."""


class Constraints(NamedTuple):
    """The constraints of a shape, in compiled code."""

    words: int
    """How many numbers hold the bits of the constraints that wait."""
    weights: int
    """Where the first weights of all words begin in `lists`."""
    of_cell: int
    """Where the constraints of each cell begin in `lists`, as bits."""
    starts: int
    """Where the starts of all constraints begin in `lists`."""
    peers: int
    """Where the peers of each cell begin in `lists`, as bits."""
    lists: Start
    """All numbers."""
    sets: Start
    """Sets of values, and their sums."""
    last_states: Start
    """The candidates that each cell had when its constraints were last applied."""
    memory: Start
    """The constraints that wait, as bits; then room for one rule."""


# The rules.


@rare_rule
def restrict(board: Board, at: int, cell: int, marks: int, waiting: int) -> int:
    """Leave a cell only allowed candidates; return the number of words in the queue, or -1."""
    candidates = get(board.states, at + cell)
    others = candidates & ~marks
    if not others:
        return waiting
    remaining = candidates & marks
    put(board.states, at + cell, remaining)
    if not remaining:
        count_failure(board, cell)
        return -1
    if not remaining & (remaining - 1):
        put(board.queue, waiting, cell)
        waiting += 1
    return remove_places(board, at, cell, others, waiting)


@rule
def fail(board: Board, constraints: Constraints, first: int, number: int) -> int:
    """Count a failure at these cells; always -1."""
    weight = get_weight(board.weights, board.stride)
    for index in range(first, first + number - 1):
        cell = get(constraints.lists, index)
        put_weight(board.weights, cell, get_weight(board.weights, cell) + weight)
    count_failure(board, get(constraints.lists, first + number - 1))
    return -1


@rule
def support_of(board: Board, constraints: Constraints, table: int, candidates: int) -> int:
    """The values that a table of pairs allows beside these candidates."""
    if board.size <= TABULATED:
        return get(constraints.sets, table + candidates)
    marks = 0
    while candidates:
        marks |= get(constraints.sets, table + first_of(candidates))
        candidates &= candidates - 1
    return marks


@rule
def take_as_applied(board: Board, constraints: Constraints, at: int, all_: bool) -> None:
    """Record that all constraints have been applied to a state, or that none has."""
    for cell in range(board.cells):
        put(constraints.last_states, cell, get(board.states, at + cell) if all_ else 0)
    for word in range(constraints.words):
        put(constraints.memory, word, 0)


@rule
def begin_weights(board: Board, constraints: Constraints) -> None:
    """Give each word its initial weight."""
    for word in range(board.words):
        first = np.float32(get(constraints.lists, constraints.weights + word))
        put_weight(board.weights, word, first / np.float32(WEIGHT))


@rule
def has_unseen(board: Board, constraints: Constraints, at: int) -> bool:
    """Whether a cell has changed since its constraints were applied."""
    differs = 0
    for cell in range(board.cells):
        differs |= get(constraints.last_states, cell) ^ get(board.states, at + cell)
    return differs != 0


@rare_rule
def follow_relations(board: Board, constraints: Constraints, at: int) -> int:
    """Apply the relations of changed cells to a fixpoint; their other constraints wait."""
    lists, words = constraints.lists, constraints.words
    waiting = 0
    block = 0
    while block < board.cells:
        changes = changed_among_16(board.states, at + block, constraints.last_states, block)
        changes &= (1 << min(BLOCK, board.cells - block)) - 1
        following = block + BLOCK
        while changes:
            cell = block + first_of(changes)
            changes &= changes - 1
            candidates = get(board.states, at + cell)
            put(constraints.last_states, cell, candidates)
            for word in range(words):
                own = get(lists, constraints.of_cell + cell * words + word)
                put(constraints.memory, word, get(constraints.memory, word) | own)
            first = get(lists, cell)
            for index in range(first, get(lists, cell + 1), 2):
                other = get(lists, index)
                marks = support_of(board, constraints, get(lists, index + 1), candidates)
                if get(board.states, at + other) & ~marks:
                    waiting = restrict(board, at, other, marks, waiting)
                    if waiting < 0:
                        count_failure(board, cell)
                        return -1
                    following = min(following, other - other % BLOCK)
        block = following
    return waiting


@rule
def follow_constraints(board: Board, constraints: Constraints, at: int) -> int:
    """Apply the constraints of changed cells until a word has one alternative left.

    Returns the number of words in the queue, 0 if no constraint removes anything, or -1.
    """
    while True:
        waiting = follow_relations(board, constraints, at)
        if waiting:
            return waiting
        word = 0
        while word < constraints.words and not get(constraints.memory, word):
            word += 1
        if word == constraints.words:
            return 0
        bits = get(constraints.memory, word)
        put(constraints.memory, word, bits & (bits - 1))
        start = get(constraints.lists, constraints.starts + BITS * word + first_of(bits))
        kind = get(constraints.lists, start)
        if kind == CAGE:
            waiting = follow_cage(board, constraints, at, start + 1)
        elif kind == SUM:
            waiting = follow_sum(board, constraints, at, start + 1)
        elif kind == COUNT:
            waiting = follow_count(board, constraints, at, start + 1)
        else:
            waiting = follow_line(board, constraints, at, start + 1)
        if waiting:
            return waiting


@rare_rule
def need(
    board: Board,
    constraints: Constraints,
    at: int,
    first: int,
    number: int,
    value: int,
    waiting: int,
) -> int:
    """One of these cells has the value: remove it from cells that differ from all that can."""
    lists = constraints.lists
    last, can = 0, 0
    for index in range(first, first + number):
        if get(board.states, at + get(lists, index)) >> value & 1:
            last = get(lists, index)
            can += 1
    if can == 0:
        return fail(board, constraints, first, number)
    if can == 1:
        return restrict(board, at, last, 1 << value, waiting)
    numbers = (board.cells + BITS - 1) // BITS
    for word in range(numbers):
        common = (1 << BITS) - 1
        for index in range(first, first + number):
            cell = get(lists, index)
            if get(board.states, at + cell) >> value & 1:
                common &= get(lists, constraints.peers + cell * numbers + word)
        while common:
            cell = BITS * word + first_of(common)
            common &= common - 1
            if get(board.states, at + cell) >> value & 1:
                waiting = remove_rarely(board, at, cell, value, waiting)
                if waiting < 0:
                    return -1
    return waiting


# A group: its coefficient, the start of its sets of values, the blocks of these, the start of their
# sums, the number of its houses, the number of its cells, the cells, and for each house its number
# and the set of the places of the cells. A group of one cell has no sets.

HEAD: Final = 6


@rule
def group_end(constraints: Constraints, group: int) -> int:
    """The index after a group."""
    houses, cells = get(constraints.lists, group + 4), get(constraints.lists, group + 5)
    return group + HEAD + cells + 2 * houses


@rule
def values_of_group(board: Board, constraints: Constraints, at: int, group: int) -> int:
    """The candidates of all cells of a group."""
    every = 0
    first = group + HEAD
    for index in range(first, first + get(constraints.lists, group + 5)):
        every |= get(board.states, at + get(constraints.lists, index))
    return every


@rule
def needed_by_houses(board: Board, constraints: Constraints, at: int, group: int) -> int:
    """The values that a house can place only in the cells of a group, as bits."""
    lists = constraints.lists
    first = group + HEAD + get(lists, group + 5)
    values = 0
    for index in range(first, first + 2 * get(lists, group + 4), 2):
        places = get(constraints.sets, get(lists, index + 1))
        values |= values_within(board, at, get(lists, index), places)
    return values


@rule
def fitting(
    board: Board,
    constraints: Constraints,
    at: int,
    group: int,
    sets: int,
    every: int,
    required_values: int,
) -> int:
    """Which sets of a block have a value for each cell of a group, and all its required values."""
    fits = subsets_among_16(constraints.sets, sets, every)
    fits &= supersets_among_16(constraints.sets, sets, required_values)
    first = group + HEAD
    index = first
    end = first + get(constraints.lists, group + 5)
    while fits and index < end:
        candidates = get(board.states, at + get(constraints.lists, index))
        fits &= meeting_among_16(constraints.sets, sets, candidates)
        index += 1
    return fits


@rare_rule
def leave_to_group(
    board: Board,
    constraints: Constraints,
    at: int,
    group: int,
    marks: int,
    required_values: int,
    waiting: int,
) -> int:
    """Leave the cells of a group only these values; the cells need the required ones.

    A house that has all the cells places the required values nowhere else.
    """
    lists = constraints.lists
    houses, cells = get(lists, group + 4), get(lists, group + 5)
    first = group + HEAD
    for index in range(first, first + cells):
        cell = get(lists, index)
        if get(board.states, at + cell) & ~marks:
            waiting = restrict(board, at, cell, marks, waiting)
            if waiting < 0:
                return -1
    for index in range(first + cells, first + cells + 2 * houses, 2):
        house = get(lists, index)
        inside = get(constraints.sets, get(lists, index + 1))
        values = required_values
        while values:
            value = first_of(values)
            values &= values - 1
            places = get(board.states, at + board.cells + house * board.size + value) & ~inside
            while places:
                cell = get(board.house_cells, house * board.size + first_of(places))
                places &= places - 1
                waiting = remove_rarely(board, at, cell, value, waiting)
                if waiting < 0:
                    return -1
    while required_values and not houses and cells > 1:
        waiting = need(board, constraints, at, first, cells, first_of(required_values), waiting)
        if waiting < 0:
            return -1
        required_values &= required_values - 1
    return waiting


@rare_rule
def follow_cage(board: Board, constraints: Constraints, at: int, group: int) -> int:
    """Apply a group whose sets of values all have an allowed total."""
    every = values_of_group(board, constraints, at, group)
    required_values = needed_by_houses(board, constraints, at, group)
    sets = get(constraints.lists, group + 1)
    marks, common = 0, (1 << board.size) - 1
    for block in range(sets, sets + BLOCK * get(constraints.lists, group + 2), BLOCK):
        fits = fitting(board, constraints, at, group, block, every, required_values)
        if fits:
            marks |= union_among_16(constraints.sets, block, fits)
            common &= common_among_16(constraints.sets, block, fits)
    if not marks:
        return fail(board, constraints, group + HEAD, get(constraints.lists, group + 5))
    return leave_to_group(board, constraints, at, group, marks, common & ~required_values, 0)


@rare_rule
def fail_sum(board: Board, constraints: Constraints, group: int, number: int) -> int:
    """Count a failure at the cells of groups; always -1."""
    for _ in range(number):
        fail(board, constraints, group + HEAD, get(constraints.lists, group + 5))
        group = group_end(constraints, group)
    return -1


@rule
def distances(bits: int, step: int, descending: bool, room: int) -> int:
    """The distances of the bits from the first one, or from the last one, times a step.

    They are returned as bits, without those beyond `room`.
    """
    first = last_of(bits) if descending else first_of(bits)
    if step == 1:
        distances = shifted_right(mirror(bits), 63 - first) if descending else bits >> first
        return distances & (2 << room) - 1
    distances = 0
    while bits:
        distance = step * abs(first_of(bits) - first)
        bits &= bits - 1
        if distance <= room:
            distances |= 1 << distance
    return distances


@rule
def at_distances(bits: int, step: int, descending: bool, good: int) -> int:
    """The bits at these distances."""
    first = last_of(bits) if descending else first_of(bits)
    if step == 1:
        return shifted_right(mirror(good), 63 - first) if descending else good << first
    result = 0
    while good:
        distance = first_of(good) // step
        good &= good - 1
        result |= 1 << (first - distance if descending else first + distance)
    return result


@rule
def spread_up(bits: int, by: int) -> int:
    """All sums of a number in `bits` and one in `by`, which contains 0."""
    sums = bits
    if not by & (by + 1):  # 0, 1, ... up to a number
        remaining = last_of(by)
        step = 1
        while remaining >= step:
            sums |= sums << step
            remaining -= step
            step *= 2
        return sums | sums << remaining
    by &= by - 1
    while by:
        sums |= bits << first_of(by)
        by &= by - 1
    return sums


@rule
def spread_down(bits: int, by: int) -> int:
    """All differences of a number in `bits` and one in `by` that are not negative."""
    differences = 0
    if not by & (by + 1):
        differences = bits
        remaining = last_of(by)
        step = 1
        while remaining >= step:
            differences |= differences >> step
            remaining -= step
            step *= 2
        return differences | differences >> remaining
    while by:
        differences |= bits >> first_of(by)
        by &= by - 1
    return differences


@rare_rule
def follow_sum(board: Board, constraints: Constraints, at: int, start: int) -> int:
    """Apply a sum: the sums of groups, each times its coefficient, add up to one of the totals.

    The sum of a group is a bit above its smallest possible sum, that of the values 1, 2, ...
    """
    lists, sets, memory = constraints.lists, constraints.sets, constraints.memory
    number, totals = get(lists, start), get(lists, start + 1)
    at_totals = start + 2
    first_group = at_totals + totals
    least_total, greatest_total = get(lists, at_totals), get(lists, first_group - 1)
    # Bounds that ignore which cell has which value.
    low = high = widest = 0
    group = first_group
    for place in range(number):
        coefficient, cells = get(lists, group), get(lists, group + 5)
        every = values_of_group(board, constraints, at, group)
        put(memory, constraints.words + GROUP * place, every)
        if size_of(every) < cells:
            return fail(board, constraints, group + HEAD, cells)
        least = greatest = 0
        if cells == 1:
            least, greatest = first_of(every) + 1, last_of(every) + 1
        else:
            rest = every
            for _ in range(cells):
                least += first_of(rest) + 1
                rest &= rest - 1
                greatest += last_of(every) + 1
                every ^= 1 << last_of(every)
        least, greatest = coefficient * least, coefficient * greatest
        low += min(least, greatest)
        high += max(least, greatest)
        widest = max(widest, abs(greatest - least))
        group = group_end(constraints, group)
    if low > greatest_total or high < least_total:
        return fail_sum(board, constraints, first_group, number)
    if totals == 1 and greatest_total - low >= widest and high - least_total >= widest:
        return 0
    # The sums of each group.
    low = high = 0
    group = first_group
    free = constraints.words + GROUP * number
    for place in range(number):
        own = constraints.words + GROUP * place
        coefficient, cells = get(lists, group), get(lists, group + 5)
        bits = every = get(memory, own)
        if cells > 1:
            bits = 0
            required_values = needed_by_houses(board, constraints, at, group)
            own_sets, own_sums = get(lists, group + 1), get(lists, group + 3)
            put(memory, own + 2, free)
            for block in range(get(lists, group + 2)):
                fits = fitting(
                    board, constraints, at, group, own_sets + BLOCK * block, every, required_values
                )
                put(memory, free, fits)
                free += 1
                if fits:
                    bits |= union_among_16(sets, own_sums + BLOCK * block, fits)
        if not bits:
            return fail(board, constraints, group + HEAD, cells)
        put(memory, own, bits)
        base = cells * (cells + 1) // 2
        least = coefficient * (base + first_of(bits))
        greatest = coefficient * (base + last_of(bits))
        low += min(least, greatest)
        high += max(least, greatest)
        group = group_end(constraints, group)
    # The totals within reach.
    least_total, greatest_total = 1 << 60, -(1 << 60)
    for index in range(at_totals, first_group):
        total = get(lists, index)
        if low <= total <= high:
            least_total, greatest_total = min(least_total, total), max(greatest_total, total)
    if greatest_total < least_total:
        return fail_sum(board, constraints, first_group, number)
    # Partial sums count from the smallest or from the largest one, whichever is nearer.
    up, down = greatest_total - low, high - least_total
    from_high = down < up
    room = min(down, up)
    has_bits = room < BITS
    backward = 0
    if has_bits:
        for index in range(at_totals, first_group):
            total = get(lists, index)
            if least_total <= total <= greatest_total:
                backward |= 1 << (high - total if from_high else total - low)
    group = first_group
    forward = 1
    for place in range(number):
        own = constraints.words + GROUP * place
        coefficient, bits = get(lists, group), get(memory, own)
        descending = (coefficient < 0) != from_high
        put(memory, own + 1, forward)
        if has_bits:
            by = distances(bits, abs(coefficient), descending, room)
            forward = spread_up(forward, by) & (2 << room) - 1
        group = group_end(constraints, group)
    if has_bits and not forward & backward:
        return fail_sum(board, constraints, first_group, number)
    # Backwards, so that each group is left the sums that the others complete.
    waiting = 0
    for place in range(number - 1, -1, -1):
        group = first_group
        for _ in range(place):
            group = group_end(constraints, group)
        own = constraints.words + GROUP * place
        coefficient, cells = get(lists, group), get(lists, group + 5)
        bits, forward = get(memory, own), get(memory, own + 1)
        descending = (coefficient < 0) != from_high
        good = 0
        if has_bits:
            by = distances(bits, abs(coefficient), descending, room)
            good = by & spread_down(backward, forward)
            backward = spread_down(backward, by)
            if not good:
                return fail(board, constraints, group + HEAD, cells)
            good = at_distances(bits, abs(coefficient), descending, good)
        else:
            most = room // abs(coefficient)
            good = bits
            if descending and last_of(bits) > most:
                good &= -(1 << last_of(bits) - most)
            elif not descending and first_of(bits) + most < BITS:
                good &= (2 << first_of(bits) + most) - 1
        if cells == 1:
            waiting = restrict(board, at, get(lists, group + HEAD), good, waiting)
        else:
            own_sets, own_sums = get(lists, group + 1), get(lists, group + 3)
            marks, common = 0, (1 << board.size) - 1
            free = get(memory, own + 2)
            for block in range(get(lists, group + 2)):
                fits = get(memory, free + block)
                if fits:
                    fits &= meeting_among_16(sets, own_sums + BLOCK * block, good)
                if fits:
                    marks |= union_among_16(sets, own_sets + BLOCK * block, fits)
                    common &= common_among_16(sets, own_sets + BLOCK * block, fits)
            waiting = leave_to_group(board, constraints, at, group, marks, common, waiting)
        if waiting < 0:
            return -1
    return waiting


@rare_rule
def follow_count(board: Board, constraints: Constraints, at: int, start: int) -> int:
    """Apply a count: the number of cells that have one of some values.

    In `lists`: least, most, other numbers as bits, the values, the number of cells, the cells; for
    one value the number of ways to cover the cells with houses that have no cell in common, and for
    each way the number of houses, and each house with the places of the cells.
    """
    lists, states = constraints.lists, board.states
    least, most, numbers = get(lists, start), get(lists, start + 1), get(lists, start + 2)
    values = get(constraints.sets, get(lists, start + 3))
    number = get(lists, start + 4)
    first = start + 5
    can = must = 0
    for index in range(first, first + number):
        candidates = get(states, at + get(lists, index))
        can += int(candidates & values != 0)
        must += int(candidates & ~values == 0)
    if numbers:
        numbers &= (2 << can) - (1 << must)
        if not numbers:
            return fail(board, constraints, first, number)
        least, most = first_of(numbers), last_of(numbers)
    if must > most or can < least:
        return fail(board, constraints, first, number)
    waiting = 0
    if can == least or must == most:
        marks = values if can == least else ~values
        for index in range(first, first + number):
            cell = get(lists, index)
            if get(states, at + cell) & marks:
                waiting = restrict(board, at, cell, marks, waiting)
                if waiting < 0:
                    return -1
        return waiting
    index = first + number
    end = index + 1
    value = first_of(values)
    for _ in range(get(lists, index)):
        begin = end + 1
        end = begin + 2 * get(lists, end)
        waiting = count_in_houses(board, constraints, at, value, least, most, begin, end, waiting)
        if waiting < 0:
            return fail(board, constraints, first, number)
    if least and must < least and get(lists, index):
        return need(board, constraints, at, first, number, value, waiting)
    return waiting


@rule
def count_in_houses(
    board: Board,
    constraints: Constraints,
    at: int,
    value: int,
    least: int,
    most: int,
    begin: int,
    end: int,
    waiting: int,
) -> int:
    """Apply a count to houses: each has the value once, inside the counted cells or outside."""
    lists = constraints.lists
    can = must = 0
    for index in range(begin, end, 2):
        inside = get(constraints.sets, get(lists, index + 1))
        places = get(board.states, at + board.cells + get(lists, index) * board.size + value)
        can += int(places & inside != 0)
        must += int(places & ~inside == 0)
    if must > most or can < least:
        return -1
    if can > least and must < most:
        return waiting
    for index in range(begin, end, 2):
        house = get(lists, index)
        inside = get(constraints.sets, get(lists, index + 1))
        places = get(board.states, at + board.cells + house * board.size + value)
        if not places & inside or not places & ~inside:
            continue
        places &= ~inside if can == least else inside
        while places:
            cell = get(board.house_cells, house * board.size + first_of(places))
            places &= places - 1
            waiting = remove_rarely(board, at, cell, value, waiting)
            if waiting < 0:
                return -1
    return waiting


@rare_rule
def follow_line(board: Board, constraints: Constraints, at: int, start: int) -> int:
    """Apply a line: keep values on a path of its automaton from the start to the end.

    In `lists`: the number of cells; for each cell the cell, the number of states before it, and the
    start of their moves, `size` for each state: the state after a value, or -1.
    """
    lists, memory = constraints.lists, constraints.memory
    number = get(lists, start)
    put(memory, constraints.words, 1)
    here = constraints.words
    for layer in range(start + 1, start + 1 + 3 * number, 3):
        candidates = get(board.states, at + get(lists, layer))
        states, moves = get(lists, layer + 1), get(lists, layer + 2)
        there = here + (states + BITS - 1) // BITS
        after_states = get(lists, layer + 4)
        for word in range(there, there + (after_states + BITS - 1) // BITS):
            put(memory, word, 0)
        for word in range(here, there):
            bits = get(memory, word)
            while bits:
                row = moves + (BITS * (word - here) + first_of(bits)) * board.size
                bits &= bits - 1
                values = candidates
                while values:
                    after = get(lists, row + first_of(values))
                    values &= values - 1
                    if after >= 0:
                        to = there + after // BITS
                        put(memory, to, get(memory, to) | 1 << after % BITS)
        here = there
    waiting = 0
    for layer in range(start + 1 + 3 * (number - 1), start, -3):
        cell = get(lists, layer)
        candidates = get(board.states, at + cell)
        states, moves = get(lists, layer + 1), get(lists, layer + 2)
        there = here
        here -= (states + BITS - 1) // BITS
        marks = 0
        for word in range(here, there):
            bits = alive = get(memory, word)
            while bits:
                bit = first_of(bits)
                row = moves + (BITS * (word - here) + bit) * board.size
                bits &= bits - 1
                values = candidates
                leads_on = 0
                while values:
                    value = first_of(values)
                    values &= values - 1
                    after = get(lists, row + value)
                    if after >= 0 and get(memory, there + after // BITS) >> after % BITS & 1:
                        leads_on |= 1 << value
                marks |= leads_on
                if not leads_on:
                    alive ^= 1 << bit
            put(memory, word, alive)
        if not marks:
            for each in range(start + 1, start + 1 + 3 * number, 3):
                count_failure(board, get(lists, each))
            return -1
        waiting = restrict(board, at, cell, marks, waiting)
        if waiting < 0:
            return -1
    return waiting
