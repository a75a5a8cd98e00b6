"""The kernel for plain 9x9: propagation on whole bands at once, and branching on bands.

    band        three rows: three boxes side by side       (top, middle, bottom)
    stack       three columns: three boxes one below the other
    line        a band or a stack: 0 to 2 are the bands, 3 to 5 the stacks
    mini-row    the three cells of a row in one box; a *mini-column* likewise
    way         the path of a value through a line: a different row in each of its three
                boxes, hence six ways

The state of a puzzle is the candidates of all cells, as three bands. One *round* applies
every rule to the whole grid. Rounds repeat to a fixpoint; then the more expensive rule
follows, and finally a guess: a value with two ways in the line with the fewest ways.
Branching on a value's way through a band follows tdoku (Tom Dillon, "How to write a
Sudoku solver", 2019, BSD-2): it needs half the nodes of branching on the candidates of a
cell.

`docs/compiled-solver.md` has diagrams.
"""

from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .band import (
    ALL_NINE,
    CELLS,
    LANES,
    LAYOUT,
    any_empty,
    any_left,
    down1,
    down2,
    everywhere,
    from_givens,
    load,
    next1,
    next1_down1,
    next1_down2,
    next2,
    next2_down1,
    next2_down2,
    only,
    right1,
    right2,
    singles,
    sizes,
    smaller,
    smallest,
    store,
    threes,
    to_values,
    unless_empty,
    without_first,
)
from .progress import (
    BUDGET,
    BUFFER,
    BUFFER_FULL,
    BUFFERED,
    FINISHED,
    GUESSES,
    LIMIT,
    NODE_LIMIT,
    NODES,
    OPEN,
    OWN_NODES,
    PAUSED,
    PUZZLE,
    PUZZLES,
    ROUNDS,
)

Band = Any
"""A band in compiled code; see `backends.native_jit.band`."""
Bands = tuple[Band, Band, Band]

SIGNATURE: Final = (
    "int64(uint8[::1], int64[::1], int64[::1], int64[::1], boolean[::1], uint8[::1], uint8[::1], "
    "int16[::1])"
)
STATE: Final = 3 * LANES
"""Numbers per state."""
STATES: Final = 6 * 9 * 5 + 1
"""Capacity of the stack: a guess decides one of 6 x 9 ways and leaves at most 5 others."""

CONTRADICTION: Final = 0
SOLVED: Final = 1
OPEN_STILL: Final = 2

rule = njit(forceinline=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)


# The rules of a round


@rule
def leave_box(x: Band) -> Band:
    """Remove the value of each decided cell from the other cells of its box."""
    decided = singles(x)
    beside = right1(decided) | right2(decided)
    in_row = decided | beside
    # Two decided cells of a box with the same value empty each other: a contradiction.
    return x & ~(beside | down1(in_row) | down2(in_row))


@rule
def along_rows(x: Band) -> Band:
    """Remove candidates that fit none of a value's six ways through the band.

    A value takes some row in box A, another in B and the third in C: it stays in a
    mini-row of A if one of the other rows has it in B and the remaining one in C, or
    vice versa. This covers both kinds of locked candidates and propagates decided cells
    along their rows.
    """
    has = x | right1(x) | right2(x)
    return x & ((next1_down1(has) & next2_down2(has)) | (next1_down2(has) & next2_down1(has)))


@rule
def along_columns(x: Band, y: Band, z: Band) -> tuple[Bands, Bands, Band]:
    """Apply `along_rows` to the columns of all three stacks, and find all hidden singles.

    A value is decided if it has one cell in its mini-column and one mini-column in its
    column. This finds the hidden singles of rows and boxes too: for a value with one
    place in a row, `along_rows` has removed the other rows of that box, so it has one
    place in the box; then the other boxes of the stack lose its column.

    Returns the bands; the hidden singles of each cell; and the values of each mini-column
    of the topmost boxes.
    """
    x_beside, y_beside, z_beside = down1(x) | down2(x), down1(y) | down2(y), down1(z) | down2(z)
    x_has, y_has, z_has = x | x_beside, y | y_beside, z | z_beside
    x1, y1, z1 = right1(x_has), right1(y_has), right1(z_has)
    x2, y2, z2 = right2(x_has), right2(y_has), right2(z_has)
    x_fits = x_has & ((y1 & z2) | (y2 & z1))
    y_fits = y_has & ((x1 & z2) | (x2 & z1))
    z_fits = z_has & ((x1 & y2) | (x2 & y1))
    x_hidden = x & x_fits & ~(x_beside | y_fits | z_fits)
    y_hidden = y & y_fits & ~(y_beside | x_fits | z_fits)
    z_hidden = z & z_fits & ~(z_beside | x_fits | y_fits)
    return (x & x_fits, y & y_fits, z & z_fits), (x_hidden, y_hidden, z_hidden), x_fits


# The rule at a fixpoint


@rule
def full_mini_rows(x: Band) -> Band:
    """Three values confined to one mini-row of their row exclude all others from it."""
    has = x | right1(x) | right2(x)
    return x & unless_empty(threes(has & ~(next1(has) | next2(has))), has)


@rule
def full_mini_columns(x: Band, y: Band, z: Band) -> Bands:
    """Three values confined to one mini-column of their column exclude all others from it."""
    x_has = x | down1(x) | down2(x)
    y_has = y | down1(y) | down2(y)
    z_has = z | down1(z) | down2(z)
    return (
        x & unless_empty(threes(x_has & ~(y_has | z_has)), x_has),
        y & unless_empty(threes(y_has & ~(x_has | z_has)), y_has),
        z & unless_empty(threes(z_has & ~(x_has | y_has)), z_has),
    )


@rule
def propagate(x: Band, y: Band, z: Band) -> tuple[Band, Band, Band, int, int]:
    """Apply all rules to a fixpoint; returns the state, its status and the number of rounds."""
    every = everywhere(ALL_NINE)
    rounds = 0
    while True:
        rounds += 1
        x_before, y_before, z_before = x, y, z
        x, y, z = along_rows(leave_box(x)), along_rows(leave_box(y)), along_rows(leave_box(z))
        (x, y, z), (x_hidden, y_hidden, z_hidden), x_fits = along_columns(x, y, z)
        clash = without_first(x_hidden) | without_first(y_hidden) | without_first(z_hidden)
        x, y, z = unless_empty(x_hidden, x), unless_empty(y_hidden, y), unless_empty(z_hidden, z)

        # Contradiction: a cell with two hidden singles, or without a candidate.
        if any_left(clash) | any_empty(smaller(smaller(x, y), z)):
            return x, y, z, CONTRADICTION, rounds
        if any_left((x ^ x_before) | (y ^ y_before) | (z ^ z_before)):
            continue
        # Contradiction: a value without a way. The filters remove such a value from the whole
        # line; in a stack the topmost box shows it.
        present = x_fits | right1(x_fits) | right2(x_fits)
        if any_left(present ^ every):
            return x, y, z, CONTRADICTION, rounds

        if not any_left(cells(without_first(x) | without_first(y) | without_first(z))):
            return x, y, z, SOLVED, rounds
        x, y, z = full_mini_rows(x), full_mini_rows(y), full_mini_rows(z)
        x, y, z = full_mini_columns(x, y, z)
        if not any_left((x ^ x_before) | (y ^ y_before) | (z ^ z_before)):
            return x, y, z, OPEN_STILL, rounds


# The choice of a guess
#
# The ways of band b are in box b of one band value, those of stack b in box b of another:
# six lanes of a box, each with the values that may take that way. Way 2r begins in row r of
# the box and goes down one row per box; way 2r + 1 goes up.

cells = only(lambda box, r, c: True)
band0_down = only(lambda box, r, c: box == 0 and c == 0)
band1_down = only(lambda box, r, c: box == 1 and c == 0)
band2_down = only(lambda box, r, c: box == 2 and c == 0)
band0_up = only(lambda box, r, c: box == 0 and c == 1)
band1_up = only(lambda box, r, c: box == 1 and c == 1)
band2_up = only(lambda box, r, c: box == 2 and c == 1)
stack_right = only(lambda box, r, c: r == 0)
stack_left = only(lambda box, r, c: r == 1)


@rule
def ways_of_band(x: Band) -> tuple[Band, Band]:
    """For each mini-row the values that may go down from it to the next boxes, and up."""
    has = x | right1(x) | right2(x)
    return (
        has & next1_down1(has) & next2_down2(has),
        has & next1_down2(has) & next2_down1(has),
    )


@rule
def ways_of_bands(x: Band, y: Band, z: Band) -> Band:
    """The six ways of each band: those of band b in box b, way 2r + i in its cell (r, i)."""
    x_down, x_up = ways_of_band(x)
    y_down, y_up = ways_of_band(y)
    z_down, z_up = ways_of_band(z)
    return (
        band0_down(x_down)
        | band0_up(x_up)
        | band1_down(y_down)
        | band1_up(y_up)
        | band2_down(z_down)
        | band2_up(z_up)
    )


@rule
def ways_of_stacks(x: Band, y: Band, z: Band) -> Band:
    """The six ways of each stack: those of stack b in box b, way 2c + i in its cell (i, c)."""
    x_has = x | down1(x) | down2(x)
    y_has = y | down1(y) | down2(y)
    z_has = z | down1(z) | down2(z)
    return stack_right(x_has & right1(y_has) & right2(z_has)) | stack_left(
        x_has & right2(y_has) & right1(z_has)
    )


def _lanes_of_ways() -> NDArray[np.int64]:
    """The lane of each line and way in the two values above, concatenated."""
    lanes = np.zeros((6, 6), np.int64)
    for box in range(3):
        for way in range(6):
            along, turn = divmod(way, 2)
            lanes[box, way] = LAYOUT.lane((box, along, turn))
            lanes[3 + box, way] = LANES + LAYOUT.lane((box, turn, along))
    return lanes


def _keys() -> NDArray[np.int16]:
    """Offsets that turn 8 times the number of ways of a line into its sort key.

    The first cell of box b stands for band b in the first part and for stack b in the
    second: its key is 8 x (ways - 10) + line. A line with 9 ways is decided; its key is
    negative, which is larger than any other as an unsigned number. The third part masks
    all other lanes.
    """
    keys = np.zeros((3, LANES), np.int16)
    keys[2] = -1
    for box in range(3):
        lane = LAYOUT.lane((box, 0, 0))
        keys[:, lane] = box - 80, 3 + box - 80, 0
    return keys.ravel()


def _kept_by_ways() -> NDArray[np.int16]:
    """For each line and way the state that keeps a value in the cells of the way only."""
    kept = np.full((6, 6, STATE), ALL_NINE, np.int16)
    for line in range(6):
        for way in range(6):
            along, turn = divmod(way, 2)
            for step in range(3):
                here = (along + (2 * step if turn else step)) % 3
                for box, r, c in CELLS:
                    if line < 3:  # the boxes of band `line`, beginning with its box number `line`
                        band, off = line, box == (line + step) % 3 and r != here
                    else:
                        band, off = step, box == line - 3 and c != here
                    if off:
                        kept[line, way, LANES * band + LAYOUT.lane((box, r, c))] = 0
    return kept.ravel()


LANE_OF_WAY: Final = _lanes_of_ways()
KEYS: Final = _keys()
KEPT: Final = _kept_by_ways()


def first_state(candidates: NDArray[np.int64]) -> NDArray[np.int16]:
    """The state with these candidates of each cell, as bits, row by row."""
    state = np.full(STATE, ALL_NINE, np.int16)
    for band in range(3):
        lanes = [LANES * band + LAYOUT.lane(cell) for cell in CELLS]
        state[lanes] = candidates[27 * band : 27 * band + 27]
    return state


@rule
def eightfold(x: Band) -> Band:
    """Eight times each number."""
    x += x
    x += x
    return x + x


@rule
def choose(x: Band, y: Band, z: Band, ways: NDArray[np.int16]) -> tuple[int, int]:
    """The line with the fewest ways, and one of its values with two ways, or else with more.

    Writes the ways of all lines to `ways`.
    """
    bands, stacks = ways_of_bands(x, y, z), ways_of_stacks(x, y, z)
    store(ways, 0, bands)
    store(ways, LANES, stacks)
    in_bands, in_stacks = sizes(bands), sizes(stacks)
    in_bands += right1(in_bands)
    in_bands += down1(in_bands) + down2(in_bands)
    in_stacks += down1(in_stacks)
    in_stacks += right1(in_stacks) + right2(in_stacks)
    keys = smaller(eightfold(in_bands) + load(KEYS, 0), eightfold(in_stacks) + load(KEYS, LANES))
    line = smallest(keys | load(KEYS, 2 * LANES)) & 7
    once = twice = more = 0
    for way in range(6):
        values = int(ways[LANE_OF_WAY[line, way]])
        more |= twice & values
        twice |= once & values
        once |= values
    exactly_two = twice & ~more
    values = exactly_two if exactly_two else twice
    return line, values & -values


def run(
    puzzles: NDArray[np.uint8],
    request: NDArray[np.int64],
    progress: NDArray[np.int64],
    numbers: NDArray[np.int64],
    exact: NDArray[np.bool_],
    witnesses: NDArray[np.uint8],
    stream: NDArray[np.uint8],
    states: NDArray[np.int16],
) -> int:
    """Search a batch of puzzles and return the reason for stopping; see `progress`.

    Args:
        puzzles: the givens, 81 values per puzzle, 0 for a blank.
        request: limits and sizes; see `progress`.
        progress: the progress so far; updated.
        numbers: the number of solutions of each puzzle; written.
        exact: whether each number is the total; written.
        witnesses: the first solution of each puzzle, 81 values each; written.
        stream: the stream buffer, 81 values per solution; written.
        states: the stack of open states, with capacity for `STATES`.
    """
    ways = np.empty(2 * LANES, np.int16)
    limit, node_limit, budget, buffer = (
        request[LIMIT],
        request[NODE_LIMIT],
        request[BUDGET],
        request[BUFFER],
    )
    number, top, own_nodes = progress[PUZZLE], progress[OPEN], progress[OWN_NODES]
    buffered = progress[BUFFERED]
    nodes = guesses = rounds = 0
    why = FINISHED
    while number < request[PUZZLES]:
        if own_nodes < 0:
            for band in range(3):
                store(states, band * LANES, from_givens(puzzles, 81 * number + 27 * band))
            top = 1
            own_nodes = 0
            numbers[number] = 0
        left_early = False
        while top:
            if own_nodes == node_limit:
                left_early = True
                break
            if nodes == budget:
                why = PAUSED
                break
            if buffer and buffered == buffer:
                why = BUFFER_FULL
                break
            nodes += 1
            own_nodes += 1
            top -= 1
            at = top * STATE
            x, y, z = load(states, at), load(states, at + LANES), load(states, at + 2 * LANES)
            x, y, z, outcome, more_rounds = propagate(x, y, z)
            rounds += more_rounds
            if outcome == CONTRADICTION:
                continue
            if outcome == SOLVED:
                if numbers[number] == 0:
                    to_values(witnesses, 81 * number, x)
                    to_values(witnesses, 81 * number + 27, y)
                    to_values(witnesses, 81 * number + 54, z)
                if buffer:
                    to_values(stream, 81 * buffered, x)
                    to_values(stream, 81 * buffered + 27, y)
                    to_values(stream, 81 * buffered + 54, z)
                    buffered += 1
                numbers[number] += 1
                if numbers[number] == limit:
                    left_early = True
                    break
                continue
            guesses += 1
            line, value = choose(x, y, z, ways)
            others = everywhere(ALL_NINE ^ value)
            for back in range(6):
                way = 5 - back  # the first way is on top of the stack
                if int(ways[LANE_OF_WAY[line, way]]) & value:
                    at = top * STATE
                    kept = (6 * line + way) * STATE
                    store(states, at, x & (load(KEPT, kept) | others))
                    store(states, at + LANES, y & (load(KEPT, kept + LANES) | others))
                    store(states, at + 2 * LANES, z & (load(KEPT, kept + 2 * LANES) | others))
                    top += 1
        if why != FINISHED:
            break
        exact[number] = not left_early
        top = 0
        own_nodes = -1
        number += 1
    progress[PUZZLE], progress[OPEN], progress[OWN_NODES] = number, top, own_nodes
    progress[BUFFERED] = buffered
    progress[NODES] += nodes
    progress[GUESSES] += guesses
    progress[ROUNDS] += rounds
    return why
