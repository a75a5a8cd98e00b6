"""Numbers of solutions that the 9x9 kernel uses again.

What a puzzle's open cells allow does not depend on how its decided cells were decided: two states
with the same candidates in their open cells have the same number of solutions. So once everything
below a state is searched, the kernel stores its open cells and its number in a table, instead of
what the same place had before. Independent parts of a grid are then counted once each. The
idea is the component cache of model counters (Sang, Bacchus, Beame, Kautz and Pitassi, "Combining
component caching and clause learning for effective model counting", SAT 2004).

A puzzle does not use the numbers of others, so its statistics do not depend on its batch.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from .layer import STATE, Layers, any_left, hash_of, load_state, rule, singles, store_state
from .progress import SERIAL, WAITING

PLACES: Final = 8192
"""Places of the table, a power of two: 1.6 or 2.3 MiB. Eight times as many save a quarter of the
nodes where millions of solutions are counted, but no time."""
DEPTH: Final = 6 * 9 + 1
"""Maximum number of waiting states: each guess on the way decides one of 9 values in 6 lines."""
WORTHWHILE: Final = 16
"""The smallest limit of solutions for which the kernel stores numbers."""

Notes = NDArray[np.int64]
States = NDArray[np.int16]

# The notes, int64, after SERIAL and WAITING
_NUMBERS: Final = 2
"""For each place the serial number of its puzzle, and the number of solutions."""
_WAITING: Final = _NUMBERS + 2 * PLACES
"""For each state that waits: the open states below it, its place, and the solutions before it."""


def new_table() -> tuple[States, Notes]:
    """The keys and notes of an empty table."""
    notes = np.zeros(_WAITING + 3 * DEPTH, np.int64)
    notes[SERIAL] = 1
    return np.empty((PLACES + DEPTH) * STATE, np.int16), notes


@rule
def recall(keys: States, notes: Notes, state: Layers, below: int, solutions: int) -> int:
    """The number of solutions of a state, -1 if it is unknown; then the state waits for it.

    Args:
        keys: the open cells of the states in the table, and of those that wait; updated.
        notes: the serial number, the numbers of solutions and the states that wait; updated.
        state: the state, at the fixpoint.
        below: the number of open states on the stack without this one.
        solutions: the number of solutions so far.
    """
    x, y, z = (
        state[0] ^ singles(state[0]),
        state[1] ^ singles(state[1]),
        state[2] ^ singles(state[2]),
    )
    place = hash_of(x, y, z) & (PLACES - 1)
    if notes[_NUMBERS + 2 * place] == notes[SERIAL]:
        a, b, c = load_state(keys, place)
        if not any_left((a ^ x) | (b ^ y) | (c ^ z)):
            return int(notes[_NUMBERS + 2 * place + 1])
    waiting = notes[WAITING]
    store_state(keys, PLACES + waiting, (x, y, z))
    at = _WAITING + 3 * waiting
    notes[at], notes[at + 1], notes[at + 2] = below, place, solutions
    notes[WAITING] = waiting + 1
    return -1


@rule
def remember(keys: States, notes: Notes, below: int, solutions: int) -> None:
    """Store the numbers of all states that waited for what is above `below` open states."""
    while notes[WAITING]:
        waiting = notes[WAITING] - 1
        at = _WAITING + 3 * waiting
        if notes[at] != below:
            return
        place = notes[at + 1]
        store_state(keys, place, load_state(keys, PLACES + waiting))
        notes[_NUMBERS + 2 * place] = notes[SERIAL]
        notes[_NUMBERS + 2 * place + 1] = solutions - notes[at + 2]
        notes[WAITING] = waiting
