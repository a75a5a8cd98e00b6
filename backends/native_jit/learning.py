"""The kernel `learning`: search by conflict-driven clause learning.

A conflict gives a clause that forbids its cause (Marques-Silva and Sakallah, "GRASP", IEEE
Transactions on Computers 1999), minimized (Sörensson and Biere, SAT 2009). Restarts are frequent
while clauses have more levels than usual (Audemard and Simon, CP 2012), and in alternation rare,
as in CaDiCaL (Biere, Fleury et al., SAT Competition 2020).

While restarts are frequent, which is better for proofs, a decision is the variable with the
largest part in recent conflicts (Eén and Sörensson, "An extensible SAT-solver", SAT 2003), true or
false as it was last. While they are rare, which is better for solutions, it is a candidate of the
group that `guess` would take, if possible a candidate that was true when the most literals held.

A solution is forbidden by its decisions, as a clause that is kept.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from .board import BLOCK, Start, rare_rule, rule
from .clauses import (
    ARENA_END,
    ASSIGNED,
    BEST,
    CLAUSE,
    CLAUSES,
    CONFLICTS,
    FIRST_TICKS,
    FOUND,
    GROUP,
    HEADER,
    HEAP,
    IMPLIED,
    IN_CLAUSE,
    LEVEL,
    LEVELS,
    LUBY,
    MARKED,
    MODES,
    NEXT_MODE,
    NEXT_REDUCE,
    NEXT_RESTART,
    NO_REASON,
    NOT_IMPLIED,
    OTHER,
    OVERFLOW,
    POOL_END,
    RECENT,
    RECENT_REST,
    REDUCES,
    RESOLVED,
    SHOWN,
    SIZE,
    STABLE,
    STAMP,
    STARTED,
    STEP,
    STEPS,
    TICKS,
    TO_KEEP,
    TRUE,
    UNASSIGNED,
    USED,
    USUAL,
    USUAL_REST,
    VARIABLE,
    WEIGHT,
    Memory,
    add_weight,
    assign,
    backtrack,
    bump,
    pop,
    propagate,
    watch,
)
from .singles import GROWTH
from .words import advance, get, get_weight, put, put_weight, score_of, start_of

BEST_LEVELS: Final = 2
"""Clauses with at most this number of levels are kept."""
OFTEN_USED: Final = 6
"""Clauses with at most this number of levels are kept twice as long after a use."""
DECAY: Final = np.float32(0.95)
"""The activity that a conflict adds, over that of the next conflict."""
RECENT_PART: Final = np.float32(0.03)
USUAL_PART: Final = np.float32(1e-4)
MARGIN: Final = np.float32(1.1)
"""Recent levels over usual ones at which a frequent restart is due."""
SHORTEST_RUN: Final = 2
"""Conflicts between frequent restarts."""
LONG_RUN: Final = 1024
"""Conflicts between rare restarts, times the numbers of M. Luby et al. (1993)."""
FIRST_MODE: Final = 1000
"""Conflicts before restarts become rare for the first time."""
REDUCE: Final = 300
"""Conflicts between reductions of the clauses, times their number."""
TARGET: Final = 2
"""The target of a variable that was true when the most literals held; 3 for one that was false."""
CLASSES: Final = 64
"""Classes of levels, and of literals, by which `reduce` ranks clauses; the last has no end."""

# The reason why the kernel returns.
FINISHED: Final = 0
LIMIT_REACHED: Final = 1
PAUSED: Final = 2
FULL: Final = 3
"""The arena or the pool is full; if OVERFLOW is set, the search cannot continue."""
SOLUTION: Final = 4
"""A solution is found, and the limit is not reached."""

SIGNATURE: Final = (
    "int64(int64, int64, int64[::1], int64[::1], int64[::1], int32[::1], uint8[::1], float32[::1], "
    "int32[::1], int32[::1], int32[::1])"
)


# Learning a clause from a conflict.


@rule
def note(memory: Memory, start: Start, size: int, sign: int) -> None:
    """Write a lemma, or the deletion of one, to the buffer of the proof."""
    if memory.proof_size:
        end = get(memory.numbers, STEPS)
        put(memory.proof, end, sign * size)
        for at in range(size):
            put(memory.proof, end + 1 + at, get(start, at))
        put(memory.numbers, STEPS, end + 1 + size)


@rule
def mark(memory: Memory, variable: int, role: int) -> None:
    """Set the role of a variable, to be cleared when the clause is learned."""
    put(memory.roles, variable, role)
    number = get(memory.numbers, MARKED)
    put(memory.mark_list, number, variable)
    put(memory.numbers, MARKED, number + 1)


@rule
def length_of(memory: Memory, reason: int) -> int:
    """The number of literals of a reason; those of a clause or group include the implied one."""
    kind, index = reason & 3, reason >> 2
    if kind == CLAUSE:
        return get(memory.arena, index + SIZE)
    if kind == GROUP:
        return get(memory.first_member, index + 1) - get(memory.first_member, index)
    return 1


@rule
def literal_of(memory: Memory, reason: int, at: int) -> int:
    """A literal of a reason."""
    kind, index = reason & 3, reason >> 2
    if kind == CLAUSE:
        return get(memory.arena, index + HEADER + at)
    if kind == GROUP:
        return 2 * get(memory.members, get(memory.first_member, index) + at)
    return 2 * index + 1


@rule
def levels_of(memory: Memory, clause: int, size: int) -> int:
    """The number of levels of the literals of a clause."""
    stamp = get(memory.numbers, STAMP) + 1
    put(memory.numbers, STAMP, stamp)
    levels = 0
    for at in range(size):
        level = get(memory.level, get(memory.arena, clause + HEADER + at) >> 1)
        if level and get(memory.stamp, level) != stamp:
            put(memory.stamp, level, stamp)
            levels += 1
    return levels


@rule
def use(memory: Memory, clause: int) -> None:
    """Record that a clause was used."""
    if get(memory.arena, clause + USED) == TO_KEEP:
        return
    old = get(memory.arena, clause + LEVELS)
    if old > BEST_LEVELS:
        new = levels_of(memory, clause, get(memory.arena, clause + SIZE))
        if new < old:
            put(memory.arena, clause + LEVELS, new)
            old = new
    put(memory.arena, clause + USED, 2 if old <= OFTEN_USED else 1)


@rare_rule
def is_implied(memory: Memory, literal: int, stamp: int) -> bool:
    """Whether a literal of the clause follows from the others (Sörensson and Biere, SAT 2009)."""
    top = 0
    put(memory.stack, 0, literal >> 1)
    put(memory.stack, 1, 0)
    while top >= 0:
        variable, at = get(memory.stack, 2 * top), get(memory.stack, 2 * top + 1)
        reason = get(memory.reason, variable)
        length = length_of(memory, reason)
        fails = False
        deeper = False
        while at < length:
            other = literal_of(memory, reason, at) >> 1
            at += 1
            if other == variable:
                continue
            role = get(memory.roles, other)
            level = get(memory.level, other)
            if level == 0 or IN_CLAUSE <= role <= IMPLIED:
                continue
            if (
                role == NOT_IMPLIED
                or get(memory.reason, other) == NO_REASON
                or get(memory.stamp, level) != stamp
            ):
                fails = True
                break
            put(memory.stack, 2 * top + 1, at)
            top += 1
            put(memory.stack, 2 * top, other)
            put(memory.stack, 2 * top + 1, 0)
            deeper = True
            break
        if fails:
            for each in range(top, -1, -1):
                assigned_literal = get(memory.stack, 2 * each)
                if not get(memory.roles, assigned_literal):
                    mark(memory, assigned_literal, NOT_IMPLIED)
            return False
        if deeper:
            continue
        if not get(memory.roles, variable):
            mark(memory, variable, IMPLIED)
        top -= 1
    return True


@rare_rule
def analyze(memory: Memory, conflict: int) -> int:
    """Learn the clause of the first unique implication point; return its size.

    Its first literal becomes true; its second has the highest level of the others.
    """
    level = get(memory.numbers, LEVEL)
    put(memory.numbers, MARKED, 0)
    at = get(memory.numbers, ASSIGNED) - 1
    waiting = 0
    size = 1
    reason = conflict
    pivot = memory.variables
    second = get(memory.numbers, OTHER)
    while True:
        if reason & 3 == CLAUSE:
            use(memory, reason >> 2)
        elif reason & 3 == GROUP:
            add_weight(memory, reason >> 2)
        for place in range(length_of(memory, reason)):
            variable = literal_of(memory, reason, place) >> 1
            if variable == pivot:
                continue
            own = get(memory.level, variable)
            if own and not get(memory.roles, variable):
                mark(memory, variable, IN_CLAUSE)
                bump(memory, variable)
                if own == level:
                    waiting += 1
                else:
                    literal = literal_of(memory, reason, place)
                    put(memory.new_clause, size, literal)
                    size += 1
        if second:
            reason = (second - 1) << 2 | VARIABLE
            second = 0
            continue
        while get(memory.roles, get(memory.trail, at) >> 1) != IN_CLAUSE:
            at -= 1
        literal = get(memory.trail, at)
        at -= 1
        waiting -= 1
        pivot = literal >> 1
        if not waiting:
            break
        put(memory.roles, pivot, RESOLVED)
        reason = get(memory.reason, pivot)
    put(memory.new_clause, 0, literal ^ 1)
    stamp = get(memory.numbers, STAMP) + 1
    put(memory.numbers, STAMP, stamp)
    for place in range(1, size):
        put(memory.stamp, get(memory.level, get(memory.new_clause, place) >> 1), stamp)
    target = 1
    for place in range(1, size):
        other = get(memory.new_clause, place)
        if get(memory.reason, other >> 1) == NO_REASON or not is_implied(memory, other, stamp):
            put(memory.new_clause, target, other)
            target += 1
    size = target
    for place in range(get(memory.numbers, MARKED)):
        put(memory.roles, get(memory.mark_list, place), 0)
    if size > 1:
        highest = 1
        for place in range(2, size):
            if get(memory.level, get(memory.new_clause, place) >> 1) > get(
                memory.level, get(memory.new_clause, highest) >> 1
            ):
                highest = place
        other = get(memory.new_clause, highest)
        put(memory.new_clause, highest, get(memory.new_clause, 1))
        put(memory.new_clause, 1, other)
    return size


@rule
def add_clause(memory: Memory, size: int, uses: int) -> int:
    """Add the learned clause to the others; return its place in the arena."""
    clause = get(memory.numbers, ARENA_END)
    put(memory.arena, clause + SIZE, size)
    for at in range(size):
        put(memory.arena, clause + HEADER + at, get(memory.new_clause, at))
    levels = levels_of(memory, clause, size)
    put(memory.arena, clause + LEVELS, levels)
    put(memory.arena, clause + USED, max(uses, 2 if levels <= OFTEN_USED else 1))
    put(memory.numbers, ARENA_END, clause + HEADER + size)
    put(memory.numbers, CLAUSES, get(memory.numbers, CLAUSES) + 1)
    watch(memory, get(memory.new_clause, 0), clause, get(memory.new_clause, 1))
    watch(memory, get(memory.new_clause, 1), clause, get(memory.new_clause, 0))
    return clause


# All learned clauses.


@rule
def is_satisfied(memory: Memory, clause: int) -> bool:
    """Whether a literal of a clause is true."""
    for at in range(clause + HEADER, clause + HEADER + get(memory.arena, clause + SIZE)):
        if get(memory.value, get(memory.arena, at)) == TRUE:
            return True
    return False


@rare_rule
def collect(memory: Memory) -> None:
    """Delete clauses that are true without a decision or have 0 levels; rebuild the watches."""
    for literal in range(2 * memory.variables):
        put(memory.watch_count, literal, 0)
    end, at, target, clauses = get(memory.numbers, ARENA_END), 0, 0, 0
    while at < end:
        length = HEADER + get(memory.arena, at + SIZE)
        if get(memory.arena, at + LEVELS) == 0 or is_satisfied(memory, at):
            note(memory, advance(memory.arena, at + HEADER), length - HEADER, -1)
        else:
            for place in range(length):
                put(memory.arena, target + place, get(memory.arena, at + place))
            for place in range(target + HEADER, target + HEADER + 2):
                literal = get(memory.arena, place)
                put(memory.watch_count, literal, get(memory.watch_count, literal) + 1)
            target += length
            clauses += 1
        at += length
    put(memory.numbers, ARENA_END, target)
    put(memory.numbers, CLAUSES, clauses)
    first = 0
    for literal in range(2 * memory.variables):
        count = get(memory.watch_count, literal)
        put(memory.watch_first, literal, first)
        put(memory.watch_room, literal, count + (count >> 1) + 2)
        put(memory.watch_count, literal, 0)
        first += 2 * (count + (count >> 1) + 2)
    put(memory.numbers, POOL_END, first)
    if first > memory.pool_size:
        put(memory.numbers, OVERFLOW, 1)
        return
    at = 0
    while at < target:
        own, other = get(memory.arena, at + HEADER), get(memory.arena, at + HEADER + 1)
        watch(memory, own, at, other)
        watch(memory, other, at, own)
        at += HEADER + get(memory.arena, at + SIZE)


@rule
def usefulness(memory: Memory, clause: int) -> int:
    """The class of a clause by its levels and size; -1 if it is to be kept."""
    levels = get(memory.arena, clause + LEVELS)
    if get(memory.arena, clause + USED) or levels <= BEST_LEVELS:
        return -1
    size = get(memory.arena, clause + SIZE)
    return min(levels, CLASSES - 1) * CLASSES + min(size, CLASSES - 1)


@rare_rule
def reduce(memory: Memory) -> None:
    """Mark the worse half of the clauses that were not used lately for deletion: 0 levels."""
    counts = np.zeros(CLASSES * CLASSES, np.int64)
    end, at, candidates = get(memory.numbers, ARENA_END), 0, 0
    while at < end:
        own = usefulness(memory, at)
        if own >= 0:
            counts[own] += 1
            candidates += 1
        at += HEADER + get(memory.arena, at + SIZE)
    most, first = candidates >> 1, CLASSES * CLASSES
    while first > 0 and counts[first - 1] <= most:
        first -= 1
        most -= counts[first]
    at = 0
    while at < end:
        uses = get(memory.arena, at + USED)
        if usefulness(memory, at) >= first:
            put(memory.arena, at + LEVELS, 0)
        elif 0 < uses < TO_KEEP:
            put(memory.arena, at + USED, uses - 1)
        at += HEADER + get(memory.arena, at + SIZE)


# The search.


@rule
def begin(memory: Memory) -> bool:
    """Assign the last candidate of each group; False if a group has none."""
    count = 0
    for group in range(memory.groups):
        remaining, last = get(memory.remaining, group), get(memory.mix, group)
        if remaining == 0:
            return False
        if remaining == 1 and get(memory.value, 2 * last) == UNASSIGNED:
            count = assign(memory, 2 * last, NO_REASON, 0, count)
    put(memory.numbers, ASSIGNED, count)
    put(memory.numbers, NEXT_REDUCE, REDUCE)
    put(memory.numbers, LUBY, 1)
    put(memory.numbers, LUBY + 1, 1)
    put_weight(memory.means, STEP, np.float32(1))
    put_weight(memory.means, WEIGHT, np.float32(1))
    for group in range(memory.groups):
        put_weight(memory.weights, group, np.float32(1))
    put_weight(memory.means, RECENT_REST, np.float32(1))
    put_weight(memory.means, USUAL_REST, np.float32(1))
    return True


@rule
def learn(memory: Memory, size: int, level: int, uses: int) -> int:
    """Add the new clause, go back to a level, and assign its first literal; return its levels."""
    note(memory, memory.new_clause, size, 1)
    because, levels = NO_REASON, 1
    if size > 1:
        clause = add_clause(memory, size, uses)
        because, levels = clause << 2 | CLAUSE, get(memory.arena, clause + LEVELS)
    backtrack(memory, level)
    count = get(memory.numbers, ASSIGNED)
    count = assign(memory, get(memory.new_clause, 0), because, level, count)
    put(memory.numbers, ASSIGNED, count)
    return levels


@rule
def follow(memory: Memory, mean: int, rest: int, part: float, levels: int) -> None:
    """Let a mean follow the levels of learned clauses."""
    old = get_weight(memory.means, mean)
    put_weight(memory.means, mean, old + part * (np.float32(levels) - old))
    put_weight(memory.means, rest, get_weight(memory.means, rest) * (np.float32(1) - part))


@rule
def mean_of(memory: Memory, mean: int, rest: int) -> float:
    """A mean, corrected for its initial zero."""
    weight: float = get_weight(memory.means, mean)
    return weight / (np.float32(1) - get_weight(memory.means, rest))


@rule
def is_due(memory: Memory) -> bool:
    """Whether a restart is due."""
    if get(memory.numbers, CONFLICTS) < get(memory.numbers, NEXT_RESTART):
        return False
    if get(memory.numbers, STABLE):
        return True
    recent = mean_of(memory, RECENT, RECENT_REST)
    return recent > MARGIN * mean_of(memory, USUAL, USUAL_REST)


@rule
def restart(memory: Memory) -> None:
    """Take back all decisions from the first that is less active than the next candidate."""
    while get(memory.numbers, HEAP):
        first = get(memory.heap, 0)
        if get(memory.value, 2 * first) == UNASSIGNED:
            break
        pop(memory)
    if get(memory.numbers, HEAP):
        next_ = get_weight(memory.activity, get(memory.heap, 0))
        level = 0
        while level < get(memory.numbers, LEVEL):
            decision = get(memory.trail, get(memory.decision_at, level)) >> 1
            if get_weight(memory.activity, decision) <= next_:
                backtrack(memory, level)
                break
            level += 1
    run_ = SHORTEST_RUN
    if get(memory.numbers, STABLE):
        u, v = get(memory.numbers, LUBY), get(memory.numbers, LUBY + 1)
        put(memory.numbers, LUBY, u + 1 if u & -u == v else u)
        put(memory.numbers, LUBY + 1, 1 if u & -u == v else 2 * v)
        run_ = LONG_RUN * get(memory.numbers, LUBY + 1)
    put(memory.numbers, NEXT_RESTART, get(memory.numbers, CONFLICTS) + run_)
    put(memory.numbers, BEST, 0)


@rule
def change_mode(memory: Memory) -> None:
    """Change between frequent and rare restarts, each time for a longer share of work."""
    ticks, modes = get(memory.numbers, TICKS), get(memory.numbers, MODES) + 1
    if modes == 1:
        put(memory.numbers, FIRST_TICKS, ticks)
    longer = (modes + 1) // 2
    put(memory.numbers, MODES, modes)
    put(memory.numbers, NEXT_MODE, ticks + longer * longer * get(memory.numbers, FIRST_TICKS))
    put(memory.numbers, STABLE, modes & 1)
    for variable in range(memory.variables):
        put(memory.target, variable, 0)


@rule
def active_literal(memory: Memory) -> int:
    """The most active variable with its last value."""
    variable = pop(memory)
    while get(memory.value, 2 * variable) != UNASSIGNED:
        variable = pop(memory)
    return 2 * variable + get(memory.phase, variable)


@rule
def weighted_literal(memory: Memory) -> int:
    """The target, or else the most active candidate, of the best group as in `guess`."""
    best, group = np.int32(0), 0
    for start in range(0, memory.groups, BLOCK):
        highest = np.int32(0)
        for index in range(start, start + BLOCK):
            highest = max(highest, score_of(memory.weights, memory.remaining, index))
        if highest > best:
            best, group = highest, start
    while score_of(memory.weights, memory.remaining, group) != best:
        group += 1
    target, most = 0, np.float32(-1)
    for at in range(get(memory.first_member, group), get(memory.first_member, group + 1)):
        variable = get(memory.members, at)
        if get(memory.value, 2 * variable) == UNASSIGNED:
            activity = get_weight(memory.activity, variable)
            if get(memory.target, variable) == TARGET:
                activity = np.float32(np.inf)
            if activity > most:
                target, most = variable, activity
    return 2 * target


@rule
def decide(memory: Memory) -> None:
    """Make the next decision: by groups while restarts are rare, until a solution is found."""
    seeks = get(memory.numbers, STABLE) and not get(memory.numbers, FOUND)
    literal = weighted_literal(memory) if seeks else active_literal(memory)
    level, count = get(memory.numbers, LEVEL), get(memory.numbers, ASSIGNED)
    put(memory.decision_at, level, count)
    put(memory.numbers, LEVEL, level + 1)
    count = assign(memory, literal, NO_REASON, level + 1, count)
    put(memory.numbers, ASSIGNED, count)


@rule
def is_full(memory: Memory) -> bool:
    """Whether the arena or the pool may be too small for the next clause."""
    variables = memory.variables
    if get(memory.numbers, ARENA_END) + HEADER + variables > memory.arena_size:
        return True
    room = 8 * get(memory.numbers, CLAUSES) + 16 * variables
    return get(memory.numbers, POOL_END) + room > memory.pool_size


@rule
def keep_target(memory: Memory) -> None:
    """Remember the literals that hold if they are the most since the last restart."""
    count = get(memory.numbers, ASSIGNED)
    if count > get(memory.numbers, BEST):
        put(memory.numbers, BEST, count)
        for at in range(count):
            literal = get(memory.trail, at)
            put(memory.target, literal >> 1, TARGET | literal & 1)


def run(
    limit: int,
    budget: int,
    sizes: NDArray[np.int64],
    starts: NDArray[np.int64],
    numbers: NDArray[np.int64],
    words: NDArray[np.int32],
    marks: NDArray[np.uint8],
    means: NDArray[np.float32],
    arena: NDArray[np.int32],
    pool: NDArray[np.int32],
    proof: NDArray[np.int32],
) -> int:
    """Search until the problem is finished, and return the reason for stopping.

    At `LIMIT_REACHED`, and at `SOLUTION`, all variables are assigned.

    Args:
        limit: solutions to find.
        budget: the work until a pause, in units of one clause visited.
        sizes: the number of variables and of groups.
        starts: where each array of `Memory` begins in `words`, `marks` or `means`.
        numbers: the scalars of the search; updated.
        words: the arrays of 32 bits.
        marks: the arrays of 8 bits.
        means: the arrays of floats.
        arena: the learned clauses.
        pool: the watches.
        proof: the buffer of the proof; empty for no proof.
    """
    word, mark_, mean = start_of(words), start_of(marks), start_of(means)
    memory = Memory(
        *(sizes[0], sizes[1], len(arena), len(pool), len(proof)),
        *(start_of(numbers), start_of(arena), start_of(pool), start_of(proof)),
        *(advance(mean, starts[0]), advance(mean, starts[1]), advance(mean, starts[2])),
        *(advance(mark_, starts[3]), advance(mark_, starts[4])),
        *(advance(mark_, starts[5]), advance(mark_, starts[6])),
        *(advance(word, starts[7]), advance(word, starts[8]), advance(word, starts[9])),
        *(advance(word, starts[10]), advance(word, starts[11]), advance(word, starts[12])),
        *(advance(word, starts[13]), advance(word, starts[14]), advance(word, starts[15])),
        *(advance(word, starts[16]), advance(word, starts[17]), advance(word, starts[18])),
        *(advance(word, starts[19]), advance(word, starts[20]), advance(word, starts[21])),
        *(advance(word, starts[22]), advance(word, starts[23]), advance(word, starts[24])),
        *(advance(word, starts[25]), advance(word, starts[26]), advance(word, starts[27])),
    )
    if not numbers[STARTED]:
        numbers[STARTED] = 1
        if not begin(memory):
            return FINISHED
    end = numbers[TICKS] + budget
    while True:
        if is_full(memory):
            return FULL
        conflict = propagate(memory)
        if numbers[OVERFLOW]:
            return FULL
        if conflict:
            if numbers[LEVEL] == 0:
                return FINISHED
            numbers[CONFLICTS] += 1
            size = analyze(memory, conflict)
            level = 0
            if size > 1:
                level = get(memory.level, get(memory.new_clause, 1) >> 1)
            levels = learn(memory, size, level, 0)
            put_weight(memory.means, STEP, get_weight(memory.means, STEP) / DECAY)
            put_weight(memory.means, WEIGHT, get_weight(memory.means, WEIGHT) * GROWTH)
            follow(memory, RECENT, RECENT_REST, RECENT_PART, levels)
            follow(memory, USUAL, USUAL_REST, USUAL_PART, levels)
            continue
        if numbers[STABLE]:
            keep_target(memory)
        if numbers[ASSIGNED] == memory.variables:
            if not numbers[SHOWN]:
                numbers[SHOWN] = 1
                numbers[FOUND] += 1
                return LIMIT_REACHED if numbers[FOUND] == limit else SOLUTION
            numbers[SHOWN] = 0
            depth = numbers[LEVEL]
            if depth == 0:
                return FINISHED
            for each in range(depth):
                decision = get(memory.trail, get(memory.decision_at, each))
                put(memory.new_clause, depth - 1 - each, decision ^ 1)
            learn(memory, depth, depth - 1, TO_KEEP)
            continue
        if numbers[TICKS] >= end or 2 * numbers[STEPS] > memory.proof_size:
            return PAUSED
        if numbers[MODES]:
            changes = numbers[TICKS] >= numbers[NEXT_MODE]
        else:
            changes = numbers[CONFLICTS] >= FIRST_MODE
        if changes:
            change_mode(memory)
        if numbers[CONFLICTS] >= numbers[NEXT_REDUCE]:
            numbers[REDUCES] += 1
            numbers[NEXT_REDUCE] = numbers[CONFLICTS] + REDUCE * numbers[REDUCES]
            backtrack(memory, 0)
            reduce(memory)
            collect(memory)
            continue
        if changes or is_due(memory):
            restart(memory)
            continue
        decide(memory)
