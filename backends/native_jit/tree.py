"""The kernel that writes the decision tree of a search as a proof, for any shape up to 63 values.

    node        a state of the search; its decision is the literal "this cell has this value"
    path        the decisions that lead to a node
    lemma       the clause that the decisions of a path do not hold at once
    held        the lemmas that are not deleted

It guesses as `houses` does and draws conclusions from singles alone. Unit propagation finds what
these rules find, so the lemma of a leaf follows: its path leads to a conflict with the rules, or
with the clause that forbids the solution. The lemma of another node follows from those of its
alternatives; the last alternative needs none, because it holds once the others are excluded. A
lemma replaces those below it, which are deleted.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .board import Board, rule
from .guess import best_word, blame, cell_of, copy_state, value_of
from .houses import MEMORY, NO_GUESS, TABLES, TRUE, apply_guess, guess_code, write_solution
from .singles import follow_singles
from .words import first_of, get, put, start_of

Numbers = NDArray[np.int64]

SIGNATURE: Final = (
    "int64(int64, int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], "
    f"uint8[::1], uint8[::1], {MEMORY}, {TABLES})"
).format("int64")

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
def write_number(text: NDArray[np.uint8], at: int, number: int) -> int:
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
    text: NDArray[np.uint8], at: int, literals: Numbers, start: int, end: int, is_deletion: bool
) -> int:
    """Write the step whose clause has these literals negated; the next place."""
    if is_deletion:
        text[at] = 100
        text[at + 1] = 32
        at += 2
    for index in range(start, end):
        text[at] = 45
        at = write_number(text, at + 1, literals[index])
    text[at] = 48
    text[at + 1] = 10
    return at + 2


@rule
def open_child(nodes: Numbers, child: int, depth: int, literal: int, is_last: bool) -> None:
    """Put a node on the stack that has not been visited."""
    at = child * NODE
    nodes[at + DEPTH] = depth
    nodes[at + LITERAL] = literal
    nodes[at + IS_LAST] = int(is_last)
    nodes[at + BELOW] = -1


def run(
    limit: int,
    progress: Numbers,
    nodes: Numbers,
    path: Numbers,
    held: Numbers,
    held_start: Numbers,
    text: NDArray[np.uint8],
    solutions: NDArray[np.uint8],
    states: Numbers,
    weights: NDArray[np.float32],
    queue: NDArray[np.int32],
    changed: Numbers,
    sizes: Numbers,
    first_slot: NDArray[np.int32],
    slots: NDArray[np.int32],
    common: Numbers,
    house_cells: NDArray[np.int32],
    first_partner: NDArray[np.int32],
    partners: NDArray[np.int32],
) -> Any:
    """Search until the end, the limit, or a full buffer; return the reason for stopping.

    Args:
        limit: the number of solutions at which the search ends.
        progress: the progress so far; updated.
        nodes: the nodes on the stack.
        path: a buffer for one number per decision.
        held: the literals of the lemmas that are held, negated.
        held_start: where each begins, and the end of the last.
        text: the buffer of the proof; written.
        solutions: the buffer of the solutions, `cells` values each; written.
        states: the states of the nodes on the stack, in words of 64 bits.
        weights: as for `houses`, like all others.
        queue: .
        changed: .
        sizes: .
        first_slot: .
        slots: .
        common: .
        house_cells: .
        first_partner: .
        partners: .
    """
    board = Board(
        *(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]),
        *(start_of(states), start_of(weights), start_of(queue), start_of(changed)),
        *(start_of(first_slot), start_of(slots), start_of(common), start_of(house_cells)),
        *(start_of(first_partner), start_of(partners)),
    )
    size, cells, stride = board.size, board.cells, board.stride
    top, number, written = progress[OPEN], progress[HELD], progress[WRITTEN]
    buffered = progress[BUFFERED]
    why = FINISHED
    while top:
        node = (top - 1) * NODE
        at = (top - 1) * stride
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
            code = get(board.states, at + stride - 1)
            waiting = apply_guess(board, at, code)
            if waiting >= 0:
                waiting = follow_singles(board, at, waiting)
            if waiting < 0 and code != NO_GUESS:
                blame(board, code >> 8, code >> 2 & 63)
            word = best_word(board, at) if waiting >= 0 else -1
            if word >= 0:
                nodes[node + BELOW] = number
                is_first = True
                alternatives = get(board.states, at + word)
                while alternatives:
                    cell = cell_of(board, word, first_of(alternatives))
                    value = value_of(board, word, first_of(alternatives))
                    alternatives &= alternatives - 1
                    copy_state(board, at, top * stride)
                    put(board.states, (top + 1) * stride - 1, guess_code(cell, value, TRUE))
                    open_child(nodes, top, depth + 1, cell * size + value + 1, is_first)
                    is_first = False
                    top += 1
                continue
            if waiting >= 0:
                write_solution(board, at, solutions, buffered)
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
