"""The kernel of the checker: unit propagation, and the rule RUP.

    literal     here a number from 2: 2 * variable, and 2 * variable + 1 for its negation
    value       1 for a true literal, -1 for a false one, 0 for an open one
    trail       the true literals in the order in which they became true
    root        the part of the trail that follows from the clauses alone; it only grows
    watch       one of the first two literals of a clause. Watches 2c and 2c + 1 belong to clause
                c, and a literal has a list of its watches: when it becomes false, each clause
                looks for another literal that is not false (Moskewicz et al., "Chaff", DAC 2001)
    step        a lemma, or the deletion of a clause

A lemma is accepted by *reverse unit propagation* if making all its literals false leads to a
conflict (Goldberg and Novikov, "Verification of proofs of unsatisfiability for CNF formulas",
DATE 2003). The steps are checked forward, each against the clauses before it.

A kernel is plain Python on integers and arrays of integers. Without Numba it runs on lists.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from harness.base.files import cache_folder
from harness.puzzles.search import COMPILES, cache_parent, compile_kernel

Integers = Any
"""An array of integers, or a list where kernels are not compiled."""

STEP: Final = 0
"""The number of steps that have been checked."""
ROOT: Final = 1
"""The length of the root."""
CONFLICT: Final = 2
"""Whether the clauses are contradictory by unit propagation alone, and so imply every clause."""
IS_SET_UP: Final = 3
"""Whether the clauses of the formula have been added."""
PROGRESS: Final = 4
"""How many numbers the progress has."""

PAUSED: Final = 0
ACCEPTED: Final = 1
REFUSED: Final = 2
INCOMPLETE: Final = 3
"""What `check` returns: it has to be called again; the formula is contradictory; the step whose
number is at STEP is not RUP; all steps are right, but none is the empty clause."""

_MASK: Final = 2**62 - 1
_MIXER: Final = 0x9E3779B1


@cache
def _folder() -> Path | None:
    """The folder for compiled code of this file, in NUMBA_CACHE_DIR if set; None without Numba."""
    sources = (Path(__file__), Path(compile_kernel.__code__.co_filename))
    return cache_folder("proofs", sources, cache_parent()) if COMPILES else None


_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])


def compiled(function: _Kernel) -> _Kernel:
    """`function` compiled at its first call, or `function` itself without Numba."""
    return compile_kernel(function, _folder())


def encoded(literals: NDArray[np.int32]) -> NDArray[np.int32]:
    """Literals of DIMACS, as the kernel numbers them."""
    return 2 * abs(literals) + (literals < 0)


def as_integers(values: NDArray[Any]) -> Integers:
    """A copy of an array, as a kernel takes it; the kernel may change the copy."""
    return values.copy() if COMPILES else values.tolist()


def zeros(number: int) -> Integers:
    """This number of zeros, as a kernel takes them."""
    return as_integers(np.zeros(number, np.int64))


class Memory(NamedTuple):
    """The arrays of a check. Clauses of the formula and steps are numbered in one sequence."""

    values: Integers
    """int8: the value of each literal."""
    trail: Integers
    """int32: a slot for each variable."""
    first: Integers
    """int64: where the implications of each literal begin, and the end of the last."""
    implied: Integers
    """int32: what the clauses of two literals of the formula imply. A literal that implies
    itself stands for a deleted clause."""
    first_watch: Integers
    """int32: the first watch of each literal, -1 for none."""
    next_watch: Integers
    """int32: the next watch in the list of each watch, -1 for none."""
    buckets: Integers
    """int32: the first clause of each bucket in the table of clauses that can be deleted, -1 for
    none; a single bucket if there are no deletions."""
    next_clause: Integers
    """int32: the next clause in the same bucket, -1 for none."""
    marks: Integers
    """int32: for each literal the last clause read that has it, -1 for none."""
    literals: Integers
    """int32: the literals of clauses and steps."""
    starts: Integers
    """int64: where the literals of each clause and step begin."""
    ends: Integers
    """int64: where the literals of each clause and step end."""
    is_live: Integers
    """int8: 1 for a clause that is watched."""
    work: Integers
    """int64[1]: the number of implications, watches and literals that were visited."""


@compiled
def make_true(literal: int, tail: int, memory: Memory) -> int:
    """Put a literal on the trail, and return the new length of the trail."""
    memory.values[literal] = 1
    memory.values[literal ^ 1] = -1
    memory.trail[tail] = literal
    return tail + 1


@compiled
def propagate(head: int, tail: int, memory: Memory) -> int:
    """Propagate the trail from `head` on, and return its new length, or ~length after a conflict.

    Clauses of two literals of the formula come first: most clauses of a puzzle are of this kind.
    """
    values, trail, literals = memory.values, memory.trail, memory.literals
    first_watch, next_watch = memory.first_watch, memory.next_watch
    waiting = head
    work = 0
    while True:
        while waiting < tail:
            literal = trail[waiting]
            waiting += 1
            work += memory.first[literal + 1] - memory.first[literal]
            for index in range(memory.first[literal], memory.first[literal + 1]):
                other = memory.implied[index]
                if values[other] < 0:
                    memory.work[0] += work
                    return ~tail
                if values[other] == 0:
                    tail = make_true(other, tail, memory)
        if head == tail:
            memory.work[0] += work
            return tail
        opposite = trail[head] ^ 1
        head += 1
        before = -1
        watch = first_watch[opposite]
        while watch >= 0:
            following = next_watch[watch]
            clause = watch >> 1
            begin = memory.starts[clause]
            leaves = not memory.is_live[clause]
            work += 1
            if not leaves:
                other = literals[begin + 1 - (watch & 1)]
                if values[other] <= 0:
                    for index in range(begin + 2, memory.ends[clause]):
                        candidate = literals[index]
                        work += 1
                        if values[candidate] >= 0:
                            literals[index] = opposite
                            literals[begin + (watch & 1)] = candidate
                            next_watch[watch] = first_watch[candidate]
                            first_watch[candidate] = watch
                            leaves = True
                            break
                    if not leaves:
                        if values[other] < 0:
                            memory.work[0] += work
                            return ~tail
                        tail = make_true(other, tail, memory)
            if not leaves:
                before = watch
            elif before < 0:
                first_watch[opposite] = following
            else:
                next_watch[before] = following
            watch = following


@compiled
def add(clause: int, tail: int, memory: Memory) -> int:
    """Add a clause at the root, and return the trail's new length, or ~length after a conflict.

    A clause with at most one literal that is not false is never watched: it is satisfied, makes
    its literal true, or is a conflict, and the root does not lose a literal.
    """
    values, literals = memory.values, memory.literals
    begin = memory.starts[clause]
    free = 0
    for index in range(begin, memory.ends[clause]):
        literal = literals[index]
        if values[literal] >= 0:
            literals[index] = literals[begin + free]
            literals[begin + free] = literal
            free += 1
            if free == 2:
                break
    if free == 0:
        return ~tail
    if free == 1:
        literal = literals[begin]
        return tail if values[literal] else make_true(literal, tail, memory)
    memory.is_live[clause] = 1
    for number in range(2):
        literal = literals[begin + number]
        memory.next_watch[2 * clause + number] = memory.first_watch[literal]
        memory.first_watch[literal] = 2 * clause + number
    if len(memory.buckets) > 1:
        bucket = bucket_of(clause, memory)
        memory.next_clause[clause] = memory.buckets[bucket]
        memory.buckets[bucket] = clause
    return tail


@compiled
def bucket_of(clause: int, memory: Memory) -> int:
    """The bucket of a clause, which does not depend on the order of its literals."""
    total = 0
    for index in range(memory.starts[clause], memory.ends[clause]):
        literal = int(memory.literals[index])
        total = (total + literal * (literal ^ _MIXER)) & _MASK
    return int(total % len(memory.buckets))


@compiled
def delete(step: int, memory: Memory) -> bool:
    """Delete the last clause that has the literals of this step, and return whether there was one.

    The root keeps what has followed from the clause.
    """
    literals, starts, ends, marks = memory.literals, memory.starts, memory.ends, memory.marks
    size = ends[step] - starts[step]
    bucket = bucket_of(step, memory)
    before = -1
    clause = memory.buckets[bucket]
    while clause >= 0:
        is_equal = ends[clause] - starts[clause] == size
        if is_equal:
            for index in range(starts[clause], ends[clause]):
                if marks[literals[index]] != step:
                    is_equal = False
                    break
        if is_equal:
            memory.is_live[clause] = 0
            if before < 0:
                memory.buckets[bucket] = memory.next_clause[clause]
            else:
                memory.next_clause[before] = memory.next_clause[clause]
            return True
        before = clause
        clause = memory.next_clause[clause]
    if size != 2:
        return False
    first, other = literals[starts[step]], literals[starts[step] + 1]
    return forget(first, other, memory) and forget(other, first, memory)


@compiled
def forget(first: int, other: int, memory: Memory) -> bool:
    """Remove an implication of `other` by the negation of `first`; return whether it existed."""
    for index in range(memory.first[first ^ 1], memory.first[(first ^ 1) + 1]):
        if memory.implied[index] == other:
            memory.implied[index] = first ^ 1
            return True
    return False


@compiled
def read(clause: int, memory: Memory) -> int:
    """Mark the literals of a clause, drop repeated ones, and return how many are left."""
    literals, marks = memory.literals, memory.marks
    end = memory.starts[clause]
    for index in range(memory.starts[clause], memory.ends[clause]):
        literal = literals[index]
        if marks[literal] != clause:
            marks[literal] = clause
            literals[end] = literal
            end += 1
    memory.ends[clause] = end
    return int(end - memory.starts[clause])


@compiled
def set_up(units: Integers, clauses: int, progress: Integers, memory: Memory) -> None:
    """Add the clauses of the formula at the root.

    Args:
        units: the literals of its clauses of one literal.
        clauses: the number of its clauses with other than one or two literals.
        progress: see `check`; updated.
        memory: the arrays; written.
    """
    tail = 0
    for index in range(len(units)):
        if memory.values[units[index]] < 0:
            progress[CONFLICT] = 1
        elif memory.values[units[index]] == 0:
            tail = make_true(units[index], tail, memory)
    for clause in range(clauses):
        read(clause, memory)
        tail = add(clause, tail, memory)
        if tail < 0:
            progress[CONFLICT] = 1
            tail = ~tail
    if not progress[CONFLICT]:
        tail = propagate(0, tail, memory)
        if tail < 0:
            progress[CONFLICT] = 1
            tail = ~tail
    progress[ROOT] = tail
    progress[IS_SET_UP] = 1


@compiled
def is_rup(lemma: int, root: int, memory: Memory) -> bool:
    """Whether making all literals of a lemma false leads to a conflict by unit propagation."""
    values, trail = memory.values, memory.trail
    tail = root
    is_implied = False
    for index in range(memory.starts[lemma], memory.ends[lemma]):
        literal = memory.literals[index]
        if values[literal] > 0:
            is_implied = True
            break
        if values[literal] == 0:
            tail = make_true(literal ^ 1, tail, memory)
    if not is_implied:
        tail = propagate(root, tail, memory)
        if tail < 0:
            is_implied = True
            tail = ~tail
    for index in range(root, tail):
        values[trail[index]] = 0
        values[trail[index] ^ 1] = 0
    memory.work[0] += tail - root
    return is_implied


@compiled
def check(
    units: Integers,
    clauses: int,
    is_deletion: Integers,
    budget: int,
    progress: Integers,
    memory: Memory,
) -> int:
    """Check steps until the end, a step that is not RUP, or the end of the budget.

    A formula that is contradictory by unit propagation alone needs no step. Every other proof must
    contain the empty clause; steps after it are not read. Deletions of unit clauses, and of
    clauses that do not exist, are ignored, and the root keeps what followed from a deleted
    clause, as in drat-trim: as every lemma must be RUP, extra clauses make no wrong proof pass.

    Args:
        units: the literals of the formula's clauses of one literal.
        clauses: the number of its clauses with other than one or two literals. Their numbers
            come before those of the steps.
        is_deletion: for each step whether it deletes a clause.
        budget: the work after which this call pauses; see `Memory.work`.
        progress: see STEP, ROOT, CONFLICT and IS_SET_UP; updated.
        memory: the arrays; kept between calls.

    Returns:
        PAUSED, ACCEPTED, REFUSED or INCOMPLETE.
    """
    if not progress[IS_SET_UP]:
        set_up(units, clauses, progress, memory)
        if progress[CONFLICT]:
            return ACCEPTED
    most = memory.work[0] + budget
    while progress[STEP] < len(is_deletion):
        if memory.work[0] > most:
            return PAUSED
        lemma = clauses + progress[STEP]
        root = progress[ROOT]
        size = read(lemma, memory)
        memory.work[0] += size + 1
        if is_deletion[progress[STEP]]:
            if size > 1:
                delete(lemma, memory)
        elif not progress[CONFLICT]:
            if not is_rup(lemma, root, memory):
                return REFUSED
            if size == 0:
                return ACCEPTED
            tail = add(lemma, root, memory)
            if tail > root:
                tail = propagate(root, tail, memory)
            if tail < 0:
                progress[CONFLICT] = 1
                tail = ~tail
            progress[ROOT] = tail
        elif size == 0:
            return ACCEPTED
        progress[STEP] += 1
    return INCOMPLETE
