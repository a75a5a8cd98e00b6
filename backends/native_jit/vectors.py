"""The kernel for plain 9x9: a search on whole layers at once.

    band        three rows: three boxes side by side       (top, middle, bottom)
    stack       three columns: three boxes one below the other
    line        a band or a stack: 0 to 2 are the bands, 3 to 5 the stacks
    layer       a row of each band: layer x has their first rows, y the second, z the third
    mini-row    the three cells of a row in one box, which one layer has; a *mini-column*
                likewise, which has a cell in each layer
    way         the path of a value through a line: a different row in each of its three
                boxes, hence six ways

The state of a puzzle is the candidates of all cells, as three layers. One *round* applies
every rule to the whole grid (`rounds`). Rounds repeat to a fixpoint; then follows a guess: a
value with two ways in the line with the fewest ways (`choice`).

`docs/compiled-solver.md` has diagrams.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from . import progress as place
from .choice import KEPT, TAKEN, choose, prospects
from .layer import (
    ALL_NINE,
    CELLS,
    LANES,
    LAYOUT,
    STATE,
    bottom_givens,
    everywhere,
    load,
    load_state,
    middle_givens,
    store_state,
    to_values,
    top_givens,
)
from .recall import WORTHWHILE, recall, remember
from .rounds import CONTRADICTION, SOLVED, propagate
from .words import size_of

SIGNATURE: Final = (
    "int64(uint8[::1], int64[::1], int64[::1], int64[::1], boolean[::1], uint8[::1], "
    "int16[::1], int16[::1], int64[::1])"
)
STATES: Final = 6 * 9 * 5 + 1
"""Capacity of the stack: a guess decides one of 6 x 9 ways and leaves at most 5 others."""
AT_ONCE: Final = 3
"""Maximum number of guesses at once: one for each earlier guess while none has failed. Puzzles
with several solutions gain an eighth, others lose a hundredth."""


def first_state(candidates: NDArray[np.int64]) -> NDArray[np.int16]:
    """The state with these candidates of each cell, as bits, row by row."""
    state = np.full(STATE, ALL_NINE, np.int16)
    for row in range(3):
        for band, stack, c in CELLS:
            lane = LANES * row + LAYOUT.lane((band, stack, c))
            state[lane] = candidates[27 * band + 9 * row + 3 * stack + c]
    return state


def run(
    puzzles: NDArray[np.uint8],
    request: NDArray[np.int64],
    progress: NDArray[np.int64],
    numbers: NDArray[np.int64],
    exact: NDArray[np.bool_],
    witnesses: NDArray[np.uint8],
    states: NDArray[np.int16],
    keys: NDArray[np.int16],
    notes: NDArray[np.int64],
) -> int:
    """Search a batch of puzzles and return the reason for stopping; see `progress`.

    Args:
        puzzles: the givens, 81 values per puzzle, 0 for a blank.
        request: limits and sizes; see `progress`.
        progress: the progress so far; updated.
        numbers: the number of solutions of each puzzle; written.
        exact: whether each number is the total; written.
        witnesses: the first solution of each puzzle, 81 values each; written.
        states: the stack of open states, with capacity for `STATES`.
        keys: states whose number of solutions may be used again; see `recall`.
        notes: the numbers of solutions of these states.
    """
    limit, node_limit = request[place.LIMIT], request[place.NODE_LIMIT]
    budget = request[place.BUDGET]
    number, top, own_nodes = progress[place.PUZZLE], progress[place.OPEN], progress[place.OWN_NODES]
    streak = progress[place.STREAK]
    remembers = limit >= WORTHWHILE
    nodes = guesses = rounds = 0
    why = place.FINISHED
    while number < request[place.PUZZLES]:
        if own_nodes < 0:
            x = top_givens(puzzles, 81 * number)
            y = middle_givens(puzzles, 81 * number)
            z = bottom_givens(puzzles, 81 * number)
            store_state(states, 0, (x, y, z))
            top = 1
            own_nodes = streak = 0
            numbers[number] = 0
            notes[place.SERIAL] += 1
            notes[place.WAITING] = 0
        else:
            x, y, z = load_state(states, max(top - 1, 0))
        left_early = False
        while top:
            if own_nodes == node_limit:
                left_early = True
                break
            if nodes == budget:
                why = place.PAUSED
                break
            if remembers:
                remember(keys, notes, top, numbers[number])
            nodes += 1
            own_nodes += 1
            top -= 1
            (x, y, z), outcome, more_rounds, ways, (right, left) = propagate(x, y, z)
            rounds += more_rounds
            if outcome == CONTRADICTION:
                streak = -1
                x, y, z = load_state(states, max(top - 1, 0))
                continue
            if outcome == SOLVED:
                if numbers[number] == 0:
                    to_values(witnesses, 81 * number, x, y, z)
                numbers[number] += 1
                if numbers[number] == limit:
                    left_early = True
                    break
                x, y, z = load_state(states, max(top - 1, 0))
                continue
            if remembers and numbers[number]:
                number_known = recall(keys, notes, (x, y, z), top, numbers[number])
                if number_known >= 0:
                    numbers[number] = min(numbers[number] + number_known, limit)
                    if numbers[number] == limit:
                        left_early = True
                        break
                    x, y, z = load_state(states, max(top - 1, 0))
                    continue
            guesses += 1
            more = min(streak, AT_ONCE)
            streak += streak >= 0
            order, bands, stacks = prospects(ways, right, left)
            line, way, lanes, value = choose(order, bands, stacks)
            while True:
                others = everywhere(ALL_NINE ^ value)
                x_open, y_open, z_open = x, y, z
                while lanes:
                    at = (way + size_of((lanes & -lanes) - 1)) * STATE
                    lanes &= lanes - 1
                    x = x_open & (load(KEPT, at) | others)
                    y = y_open & (load(KEPT, at + LANES) | others)
                    z = z_open & (load(KEPT, at + 2 * LANES) | others)
                    store_state(states, top, (x, y, z))
                    top += 1
                more -= 1
                if more <= 0:
                    break
                order |= load(TAKEN, line * LANES)
                line, way, lanes, value = choose(order, bands, stacks)
                if size_of(lanes) != 2:
                    break
                top -= 1  # the next guess continues from the last state
        if why != place.FINISHED:
            break
        exact[number] = not left_early
        top = 0
        own_nodes = -1
        number += 1
    progress[place.PUZZLE], progress[place.OPEN], progress[place.OWN_NODES] = number, top, own_nodes
    progress[place.STREAK] = streak
    progress[place.NODES] += nodes
    progress[place.GUESSES] += guesses
    progress[place.ROUNDS] += rounds
    return why
