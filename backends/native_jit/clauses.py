"""The memory of the kernel `learning`, and unit propagation in it.

    variable    a candidate of the puzzle: the cell has this value, or not
    literal     2 * variable if the cell has the value, and 2 * variable + 1 if not
    group       candidates; exactly one is true: those of a cell, or the places of a value in a
                house
    rivals      candidates of a value that cannot both be true although they share no house
    clause      a learned clause: its header, then its literals; the first two are watched
                (Moskewicz et al., "Chaff", DAC 2001)
    reason      why a literal is true: a group whose other candidates are false, a variable that is
                true, or a clause whose other literals are false

Groups are not written as clauses. Each counts its candidates that are not false, and keeps the
exclusive or of their numbers, which is the last candidate when one is left.
"""

from typing import Final, NamedTuple

import numpy as np

from .board import Start, rare_rule, rule
from .singles import LEAST, MOST
from .words import get, get_weight, put, put_weight

UNASSIGNED: Final = 0
TRUE: Final = 1
FALSE: Final = 2

NO_REASON: Final = 0
"""The reason of a decision, and of a literal that holds without any decision."""
GROUP: Final = 1
"""Kinds of a reason, in its two lowest bits; the number of the group, variable or clause above."""
VARIABLE: Final = 2
CLAUSE: Final = 3

IN_CLAUSE: Final = 1
"""Roles of a variable in the clause that is being learned: in it, or to be resolved."""
IMPLIED: Final = 2
"""Its literal follows from those of the clause."""
NOT_IMPLIED: Final = 3
RESOLVED: Final = 4

SIZE: Final = 0
"""Indices of a clause's header, the first: the number of its literals."""
LEVELS: Final = 1
"""Levels of its literals when it was learned or last used (Audemard and Simon, IJCAI 2009)."""
USED: Final = 2
"""The number of reductions for which it is kept because it was used."""
TO_KEEP: Final = 3
"""The number at `USED` of a clause that is always kept."""
HEADER: Final = 3

MOST_ACTIVE: Final = np.float32(1e30)
"""The activity at which all activities are divided by this number."""

# Indices of `Memory.numbers`
STARTED: Final = 0
"""1 after the first call."""
HEAD: Final = 1
"""Literals of the trail whose consequences are drawn."""
ASSIGNED: Final = 2
"""Literals of the trail."""
LEVEL: Final = 3
"""Decisions that hold."""
OTHER: Final = 4
"""The second variable of a conflict of two that are true, plus 1; 0 for other conflicts."""
OVERFLOW: Final = 5
"""1 if the pool was full."""
ARENA_END: Final = 6
POOL_END: Final = 7
CLAUSES: Final = 8
HEAP: Final = 9
"""Variables in the heap."""
MARKED: Final = 10
"""Variables in `mark_list`."""
STAMP: Final = 11
"""The number of the last clause whose levels were counted."""
STEPS: Final = 12
"""Numbers in the buffer of the proof."""
FOUND: Final = 13
"""Solutions so far."""
CONFLICTS: Final = 14
"""All conflicts so far."""
TICKS: Final = 15
"""The work so far, in units of one clause visited."""
STABLE: Final = 16
"""1 while restarts are rare, 0 while they are frequent."""
MODES: Final = 17
"""Changes between rare and frequent restarts so far."""
FIRST_TICKS: Final = 18
"""The work until the first change."""
NEXT_MODE: Final = 19
"""The work at which the next change is due."""
NEXT_RESTART: Final = 20
"""The number of conflicts after which a restart may happen; the next, for a reduction."""
NEXT_REDUCE: Final = 21
REDUCES: Final = 22
LUBY: Final = 23
"""Two numbers that make the lengths of runs by D. Knuth's rule (TAOCP 7.2.2.2, exercise 293)."""
BEST: Final = 25
"""Maximum number of literals that held without a conflict since the last restart."""
SHOWN: Final = 26
"""1 if the caller has the present solution."""
NUMBERS: Final = 27

# Indices of `Memory.means`
STEP: Final = 0
"""The activity that a conflict adds."""
RECENT: Final = 1
"""The mean of the levels of learned clauses, over a few dozen of them."""
USUAL: Final = 2
"""The same mean over about ten thousand of them."""
RECENT_REST: Final = 3
"""The share that the initial zero still has in each of the two means."""
USUAL_REST: Final = 4
WEIGHT: Final = 5
"""The weight that a conflict adds to a group."""
MEANS: Final = 6


class Memory(NamedTuple):
    """The sizes of a problem and the starts of its arrays, in compiled code."""

    variables: int
    groups: int
    arena_size: int
    pool_size: int
    proof_size: int
    numbers: Start
    arena: Start
    """The clauses, one after another."""
    pool: Start
    """The watch list of each literal: pairs of a clause and another literal of it."""
    proof: Start
    """Steps of a proof: the number of literals, negative for a deletion, and the literals."""
    weights: Start
    """For each group its part in conflicts, padded to a multiple of `BLOCK`."""
    activity: Start
    """For each variable its part in conflicts."""
    means: Start
    value: Start
    """For each literal `UNASSIGNED`, `TRUE` or `FALSE`."""
    phase: Start
    """For each variable the lowest bit of its last literal."""
    target: Start
    """The same bit, plus 2, from when the most literals held without a conflict; 0 for none."""
    roles: Start
    """For each variable its role in the clause that is being learned; 0 for none."""
    first_group: Start
    """For each variable the index of its first group, and the number of all."""
    groups_of: Start
    first_member: Start
    """For each group the index of its first variable, and the number of all."""
    members: Start
    first_rival: Start
    """For each variable the index of its first rival, and the number of all."""
    rivals: Start
    remaining: Start
    """For each group the number of candidates that are not false."""
    mix: Start
    """For each group the exclusive or of the numbers of these candidates."""
    level: Start
    """For each variable the number of decisions before it."""
    reason: Start
    trail: Start
    """The literals that are true, in their order."""
    decision_at: Start
    """For each level the place of its decision on the trail."""
    watch_first: Start
    """For each literal the start of its list in the pool; the next two: its length, its room."""
    watch_count: Start
    watch_room: Start
    heap: Start
    """Variables; each is at least as active as the two below it."""
    place: Start
    """For each variable its place in the heap plus 1; 0 if it is not there."""
    stamp: Start
    """For each level the number of the last clause that has it."""
    new_clause: Start
    """The literals of the clause that is being learned."""
    mark_list: Start
    """The variables whose role is not zero."""
    stack: Start
    """Variables under examination, each with how many literals of its reason were examined."""


# The heap of variables.


@rule
def rise(memory: Memory, at: int) -> None:
    """Move the variable at a place of the heap upwards to where its activity belongs."""
    variable = get(memory.heap, at)
    activity = get_weight(memory.activity, variable)
    while at > 0:
        above = (at - 1) >> 1
        other = get(memory.heap, above)
        if get_weight(memory.activity, other) >= activity:
            break
        put(memory.heap, at, other)
        put(memory.place, other, at + 1)
        at = above
    put(memory.heap, at, variable)
    put(memory.place, variable, at + 1)


@rule
def pop(memory: Memory) -> int:
    """Remove the most active variable from the heap, and return it."""
    first = get(memory.heap, 0)
    heap = get(memory.numbers, HEAP) - 1
    put(memory.numbers, HEAP, heap)
    put(memory.place, first, 0)
    if heap:
        variable = get(memory.heap, heap)
        activity = get_weight(memory.activity, variable)
        at = 0
        while True:
            below = 2 * at + 1
            if below >= heap:
                break
            other = get(memory.heap, below)
            if below + 1 < heap:
                right = get(memory.heap, below + 1)
                if get_weight(memory.activity, right) > get_weight(memory.activity, other):
                    below += 1
                    other = right
            if get_weight(memory.activity, other) <= activity:
                break
            put(memory.heap, at, other)
            put(memory.place, other, at + 1)
            at = below
        put(memory.heap, at, variable)
        put(memory.place, variable, at + 1)
    return first


@rule
def add_weight(memory: Memory, group: int) -> None:
    """Count a part of a group in a conflict."""
    step = get_weight(memory.means, WEIGHT)
    weight = get_weight(memory.weights, group) + step
    put_weight(memory.weights, group, weight)
    if weight > MOST:
        for each in range(memory.groups):
            put_weight(memory.weights, each, max(get_weight(memory.weights, each) / MOST, LEAST))
        put_weight(memory.means, WEIGHT, step / MOST)


@rule
def bump(memory: Memory, variable: int) -> None:
    """Count a part of a variable in a conflict."""
    step = get_weight(memory.means, STEP)
    activity = get_weight(memory.activity, variable) + step
    put_weight(memory.activity, variable, activity)
    if activity > MOST_ACTIVE:
        for each in range(memory.variables):
            put_weight(memory.activity, each, get_weight(memory.activity, each) / MOST_ACTIVE)
        put_weight(memory.means, STEP, step / MOST_ACTIVE)
    place = get(memory.place, variable)
    if place:
        rise(memory, place - 1)


# Assignments.


@rule
def assign(memory: Memory, literal: int, reason: int, level: int, count: int) -> int:
    """Make a literal true; return the new length of the trail."""
    variable = literal >> 1
    put(memory.value, literal, TRUE)
    put(memory.value, literal ^ 1, FALSE)
    put(memory.level, variable, level)
    put(memory.reason, variable, reason)
    put(memory.trail, count, literal)
    return count + 1


@rule
def watch(memory: Memory, literal: int, clause: int, blocker: int) -> None:
    """Add a clause to the watch list of a literal; a full list moves to the end of the pool."""
    count, room = get(memory.watch_count, literal), get(memory.watch_room, literal)
    first = get(memory.watch_first, literal)
    if count == room:
        end = get(memory.numbers, POOL_END)
        room = 2 * room + 4
        if end + 2 * room > memory.pool_size:
            put(memory.numbers, OVERFLOW, 1)
            return
        for at in range(2 * count):
            put(memory.pool, end + at, get(memory.pool, first + at))
        put(memory.numbers, POOL_END, end + 2 * room)
        put(memory.watch_room, literal, room)
        put(memory.watch_first, literal, end)
        first = end
    put(memory.pool, first + 2 * count, clause)
    put(memory.pool, first + 2 * count + 1, blocker)
    put(memory.watch_count, literal, count + 1)


@rare_rule
def propagate(memory: Memory) -> int:
    """Draw all consequences of the trail; return the reason of a conflict, or 0."""
    head, count = get(memory.numbers, HEAD), get(memory.numbers, ASSIGNED)
    level = get(memory.numbers, LEVEL)
    conflict = 0
    ticks = 0
    put(memory.numbers, OTHER, 0)
    while head < count and not conflict:
        literal = get(memory.trail, head)
        head += 1
        variable = literal >> 1
        first, end = get(memory.first_group, variable), get(memory.first_group, variable + 1)
        if not literal & 1:
            because = variable << 2 | VARIABLE
            for at in range(first, end):
                group = get(memory.groups_of, at)
                start, stop = get(memory.first_member, group), get(memory.first_member, group + 1)
                ticks += (stop - start) >> 3
                for place in range(start, stop):
                    other = get(memory.members, place)
                    value = get(memory.value, 2 * other)
                    if value == UNASSIGNED:
                        count = assign(memory, 2 * other + 1, because, level, count)
                    elif value == TRUE and other != variable:
                        conflict = because
                        put(memory.numbers, OTHER, other + 1)
            for at in range(
                get(memory.first_rival, variable), get(memory.first_rival, variable + 1)
            ):
                other = get(memory.rivals, at)
                value = get(memory.value, 2 * other)
                if value == UNASSIGNED:
                    count = assign(memory, 2 * other + 1, because, level, count)
                elif value == TRUE:
                    conflict = because
                    put(memory.numbers, OTHER, other + 1)
        else:
            for at in range(first, end):
                group = get(memory.groups_of, at)
                remaining = get(memory.remaining, group) - 1
                mix = get(memory.mix, group) ^ variable
                put(memory.remaining, group, remaining)
                put(memory.mix, group, mix)
                if remaining == 1:
                    value = get(memory.value, 2 * mix)
                    if value == UNASSIGNED:
                        because = group << 2 | GROUP
                        count = assign(memory, 2 * mix, because, level, count)
                    elif value == FALSE:
                        conflict = group << 2 | GROUP
                        put(memory.numbers, OTHER, 0)
        if conflict:
            break
        false_literal = literal ^ 1
        first = get(memory.watch_first, false_literal)
        end = first + 2 * get(memory.watch_count, false_literal)
        ticks += 1 + ((end - first) >> 4)
        at = target = first
        while at < end:
            clause, blocker = get(memory.pool, at), get(memory.pool, at + 1)
            at += 2
            if get(memory.value, blocker) == TRUE:
                put(memory.pool, target, clause)
                put(memory.pool, target + 1, blocker)
                target += 2
                continue
            ticks += 1
            literals = clause + HEADER
            other = get(memory.arena, literals) ^ get(memory.arena, literals + 1) ^ false_literal
            value = get(memory.value, other)
            if value == TRUE:
                put(memory.pool, target, clause)
                put(memory.pool, target + 1, other)
                target += 2
                continue
            replacement = 0
            for place in range(literals + 2, literals + get(memory.arena, clause + SIZE)):
                if get(memory.value, get(memory.arena, place)) != FALSE:
                    replacement = place
                    break
            if replacement:
                instead = get(memory.arena, replacement)
                put(memory.arena, literals, other)
                put(memory.arena, literals + 1, instead)
                put(memory.arena, replacement, false_literal)
                watch(memory, instead, clause, other)
                continue
            put(memory.pool, target, clause)
            put(memory.pool, target + 1, other)
            target += 2
            put(memory.arena, literals, other)
            put(memory.arena, literals + 1, false_literal)
            if value == FALSE:
                conflict = clause << 2 | CLAUSE
                while at < end:
                    put(memory.pool, target, get(memory.pool, at))
                    put(memory.pool, target + 1, get(memory.pool, at + 1))
                    target += 2
                    at += 2
            else:
                count = assign(memory, other, clause << 2 | CLAUSE, level, count)
        put(memory.watch_count, false_literal, (target - first) >> 1)
    put(memory.numbers, HEAD, head)
    put(memory.numbers, ASSIGNED, count)
    put(memory.numbers, TICKS, get(memory.numbers, TICKS) + ticks)
    return conflict


@rare_rule
def backtrack(memory: Memory, level: int) -> None:
    """Take back all decisions above a level and what followed from them."""
    start = get(memory.decision_at, level)
    head, count = get(memory.numbers, HEAD), get(memory.numbers, ASSIGNED)
    heap = get(memory.numbers, HEAP)
    for at in range(count - 1, start - 1, -1):
        literal = get(memory.trail, at)
        variable = literal >> 1
        put(memory.phase, variable, literal & 1)
        put(memory.value, literal, UNASSIGNED)
        put(memory.value, literal ^ 1, UNASSIGNED)
        if at < head and literal & 1:
            for place in range(
                get(memory.first_group, variable), get(memory.first_group, variable + 1)
            ):
                group = get(memory.groups_of, place)
                put(memory.remaining, group, get(memory.remaining, group) + 1)
                put(memory.mix, group, get(memory.mix, group) ^ variable)
        if not get(memory.place, variable):
            put(memory.heap, heap, variable)
            put(memory.place, variable, heap + 1)
            rise(memory, heap)
            heap += 1
    put(memory.numbers, HEAP, heap)
    put(memory.numbers, HEAD, min(head, start))
    put(memory.numbers, ASSIGNED, start)
    put(memory.numbers, LEVEL, level)
