"""The kernel that writes the decision tree of a search as a proof, for any shape up to 63 values.

    node        a state of the search; its decision is the literal "this cell has this value"
    path        the decisions that lead to a node
    lemma       the clause that the decisions of a path do not hold at once
    held        the lemmas that are not deleted

It searches as `houses` does, whose rules it uses. Unit propagation finds what these rules find,
so the lemma of a leaf follows: its path leads to a conflict with the rules, or with the clause
that forbids the solution. The lemma of another node follows from those of its alternatives; the
last alternative needs none, because it holds once the others are excluded. A lemma replaces those
below it, which are deleted.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .houses import LARGEST as LARGEST
from .houses import Cells, decide_copy, fewest_candidates, propagate, rule, two_places, value_of

SIGNATURE: Final = (
    "int64(int64, int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], "
    "uint8[::1], uint8[::1], int64[::1], int64[::1], "
    "int64[:,::1], int64[::1], int64[::1], int64[::1], int64[::1])"
)

# The progress, int64
OPEN: Final = 0
"""Number of nodes on the stack."""
HELD: Final = 1
"""Number of lemmas that are held."""
WRITTEN: Final = 2
"""Bytes in the buffer of the text."""
BUFFERED: Final = 3
"""Solutions in their buffer."""
FOUND: Final = 4
"""Solutions so far."""
PROGRESS: Final = 5
"""Length of the progress."""

# The numbers of a node, int64
DEPTH: Final = 0
"""The number of decisions."""
LITERAL: Final = 1
"""The variable of its decision; 0 at the root."""
IS_LAST: Final = 2
"""1 for the last alternative, and 0 for others and for the root."""
BELOW: Final = 3
"""The number of lemmas that were held when its alternatives were opened; -1 before."""
NODE: Final = 4
"""Numbers of a node."""

# The reason why the kernel returns
FINISHED: Final = 0
LIMIT_REACHED: Final = 1
TEXT_FULL: Final = 2
SOLUTIONS_FULL: Final = 3
STACK_FULL: Final = 4
HELD_FULL: Final = 5

LONGEST: Final = 9
"""Bytes of a literal with its blank, or of a final 0 with what surrounds it, at most."""


@rule
def put(text: NDArray[np.uint8], at: int, number: int) -> int:
    """Write a positive number and a blank; the next place."""
    digits = 1
    power = 10
    while power <= number:
        power *= 10
        digits += 1
    for place in range(at + digits - 1, at - 1, -1):
        text[place] = 48 + number % 10
        number //= 10
    text[at + digits] = 32
    return at + digits + 1


@rule
def put_clause(
    text: NDArray[np.uint8], at: int, literals: Cells, start: int, end: int, is_deletion: bool
) -> int:
    """Write the step whose clause has these literals negated; the next place."""
    if is_deletion:
        text[at] = 100
        text[at + 1] = 32
        at += 2
    for index in range(start, end):
        text[at] = 45
        at = put(text, at + 1, literals[index])
    text[at] = 48
    text[at + 1] = 10
    return at + 2


@rule
def open_child(nodes: Cells, child: int, depth: int, literal: int, is_last: bool) -> None:
    """Put a node on the stack that has not been visited."""
    at = child * NODE
    nodes[at + DEPTH] = depth
    nodes[at + LITERAL] = literal
    nodes[at + IS_LAST] = int(is_last)
    nodes[at + BELOW] = -1


def run(
    limit: int,
    progress: Cells,
    states: Cells,
    nodes: Cells,
    path: Cells,
    held: Cells,
    held_start: Cells,
    text: NDArray[np.uint8],
    solutions: NDArray[np.uint8],
    failures: Cells,
    waiting: Cells,
    houses: NDArray[np.int64],
    house_bit: NDArray[np.int64],
    houses_of: Cells,
    peers: Cells,
    first_peer: Cells,
) -> Any:
    """Search until the end, the limit, or a full buffer; return the reason for stopping.

    Args:
        limit: the number of solutions at which the search ends.
        progress: the progress so far; updated.
        states: the states of the nodes on the stack, `cells` + 1 numbers each, the last one the
            cell that the decision decided, or -1.
        nodes: the nodes on the stack.
        path: a buffer for one number per decision.
        held: the literals of the lemmas that are held, negated.
        held_start: where each begins, and the end of the last.
        text: the buffer of the proof; written.
        solutions: the buffer of the solutions, `cells` values each; written.
        failures: the number of failures at each cell; kept.
        waiting: a buffer for one number per cell.
        houses: the cells of each house, one row each.
        house_bit: the bit of each house.
        houses_of: the bits of the houses of each cell.
        peers: the peers of all cells, concatenated.
        first_peer: the start of each cell's peers in `peers`, and the length of `peers`.
    """
    cells, size = len(failures), houses.shape[1]
    top, number, written = progress[OPEN], progress[HELD], progress[WRITTEN]
    buffered = progress[BUFFERED]
    why = FINISHED
    while top:
        node = (top - 1) * NODE
        at = (top - 1) * (cells + 1)
        depth, below = nodes[node + DEPTH], nodes[node + BELOW]
        first = number if below < 0 else below
        words = held_start[number] - held_start[first] + number - first + depth + 1
        if written + words * LONGEST > len(text):
            why = TEXT_FULL
            break
        if held_start[number] + depth > len(held) or number + 2 > len(held_start):
            why = HELD_FULL
            break
        if (buffered + 1) * cells > len(solutions):
            why = SOLUTIONS_FULL
            break
        if (top + size) * NODE > len(nodes):
            why = STACK_FULL
            break
        if depth:
            path[depth - 1] = nodes[node + LITERAL]
        if below < 0:
            guessed = states[at + cells]
            number_waiting = 0
            changed = -1
            if guessed >= 0:
                changed = houses_of[guessed]
                waiting[0] = guessed
                number_waiting = 1
            else:
                for cell in range(cells):
                    if not states[at + cell] & (states[at + cell] - 1):
                        waiting[number_waiting] = cell
                        number_waiting += 1
            rounds = propagate(
                states,
                at,
                waiting,
                number_waiting,
                changed,
                failures,
                houses,
                house_bit,
                houses_of,
                peers,
                first_peer,
            )
            best = fewest_candidates(states, at, failures) if rounds >= 0 else -1
            if best >= 0:
                nodes[node + BELOW] = number
                house, value = two_places(states, at, failures, houses)
                candidates = states[at + best]
                pair = candidates & (candidates - 1)
                if value and pair & (pair - 1):  # the cell has more than two candidates
                    is_first = True
                    for index in range(size):
                        cell = houses[house, index]
                        if states[at + cell] & value:
                            decide_copy(states, at, top * (cells + 1), cells, cell, value)
                            literal = cell * size + value_of(value)
                            open_child(nodes, top, depth + 1, literal, is_first)
                            is_first = False
                            top += 1
                    continue
                is_first = True
                while candidates:
                    value = candidates & -candidates
                    candidates ^= value
                    decide_copy(states, at, top * (cells + 1), cells, best, value)
                    open_child(nodes, top, depth + 1, best * size + value_of(value), is_first)
                    is_first = False
                    top += 1
                continue
            if rounds >= 0:
                for cell in range(cells):
                    solutions[buffered * cells + cell] = value_of(states[at + cell])
                buffered += 1
                progress[FOUND] += 1
                if progress[FOUND] == limit:
                    why = LIMIT_REACHED
                    break
        top -= 1
        if nodes[node + IS_LAST]:
            continue
        written = put_clause(text, written, path, 0, depth, False)
        if not depth:
            break  # the empty clause
        for lemma in range(first, number):
            start, end = held_start[lemma], held_start[lemma + 1]
            written = put_clause(text, written, held, start, end, True)
        number = first
        for index in range(depth):
            held[held_start[number] + index] = path[index]
        held_start[number + 1] = held_start[number] + depth
        number += 1
    progress[OPEN], progress[HELD], progress[WRITTEN] = top, number, written
    progress[BUFFERED] = buffered
    return why
