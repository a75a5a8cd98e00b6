"""The kernel for plain 9x9: propagation on whole bands at once, and branching on bands.

    band        three rows: three boxes side by side       (top, middle, bottom)
    stack       three columns: three boxes one below the other
    line        a band or a stack: 0 to 2 are the bands, 3 to 5 the stacks
    mini-row    the three cells of a row in one box; a *mini-column* likewise
    way         how a value runs through a line: in each of its three boxes it takes
                another row, so there are six ways

The state of a puzzle is the candidates of all cells, as three bands. One *round* applies
every rule to the whole grid, and rounds follow until nothing changes. Only then comes what
costs more, and at last a guess: on the line with the fewest ways left, a value that has
two. The idea of branching on a value's way through a band is that of tdoku (Tom Dillon,
"How to write a Sudoku solver", 2019, BSD-2): it needs half the nodes of branching on a
cell's candidates.

`docs/native-jit.md` has the pictures.
"""

from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from backends.native_jit.band import (
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
from backends.native_jit.progress import (
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
"""Numbers that a state takes."""
STATES: Final = 6 * 9 * 5 + 1
"""Room for the most open states: a guess decides one of 6 x 9 ways and leaves at most 5 others."""

CONTRADICTION: Final = 0
SOLVED: Final = 1
OPEN_STILL: Final = 2

rule = njit(forceinline=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)


# The rules of a round


@rule
def leave_box(x: Band) -> Band:
    """A decided cell takes its value from the other cells of its box."""
    decided = singles(x)
    beside = right1(decided) | right2(decided)
    in_row = decided | beside
    # Two cells of a box that are decided alike empty each other, and so contradict.
    return x & ~(beside | down1(in_row) | down2(in_row))


@rule
def along_rows(x: Band) -> Band:
    """Each value runs through the band in one of six ways: what fits none of them goes.

    In box A it takes some row, in B another and in C the third: a value of a mini-row of A stays if
    one of the other rows has it in B and the remaining one in C, or the other way round. That
    covers both kinds of locked candidates and carries decided cells along their rows.
    """
    has = x | right1(x) | right2(x)
    return x & ((next1_down1(has) & next2_down2(has)) | (next1_down2(has) & next2_down1(has)))


@rule
def along_columns(x: Band, y: Band, z: Band) -> tuple[Bands, Bands, Band]:
    """The same for the three stacks at once, and all hidden singles.

    A value is decided where it is alone in its mini-column while the mini-column is alone in its
    column. That finds those of rows and boxes too: a value with one place in a row has lost
    the other rows of that box in `along_rows`, and so has one place in the box; then the other
    boxes of the stack lose its column.

    Returns the bands; in each cell the values that must be there; and the values of each
    mini-column of the topmost boxes.
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
    """Three values that have no other place in their row than one mini-row fill it."""
    has = x | right1(x) | right2(x)
    return x & unless_empty(threes(has & ~(next1(has) | next2(has))), has)


@rule
def full_mini_columns(x: Band, y: Band, z: Band) -> Bands:
    """Three values that have no other place in their column than one mini-column fill it."""
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
    """Apply all rules until nothing changes; the state, what became of it, and the rounds."""
    every = everywhere(ALL_NINE)
    rounds = 0
    while True:
        rounds += 1
        x_before, y_before, z_before = x, y, z
        x, y, z = along_rows(leave_box(x)), along_rows(leave_box(y)), along_rows(leave_box(z))
        (x, y, z), (x_hidden, y_hidden, z_hidden), x_fits = along_columns(x, y, z)
        clash = without_first(x_hidden) | without_first(y_hidden) | without_first(z_hidden)
        x, y, z = unless_empty(x_hidden, x), unless_empty(y_hidden, y), unless_empty(z_hidden, z)

        # No solution: a cell in which two values must be, or one without a candidate.
        if any_left(clash) | any_empty(smaller(smaller(x, y), z)):
            return x, y, z, CONTRADICTION, rounds
        if any_left((x ^ x_before) | (y ^ y_before) | (z ^ z_before)):
            continue
        # No solution either: a value that has gone. The filters delete a value that runs through a
        # line in no way, all along the line; in a stack that shows in the topmost box.
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
# The ways of band b lie in its box b, the ways of stack b in box b of another value of the
# same type: six lanes of a box, each with the values that may take that way. Way 2r begins in
# row r of the box and goes down by a row from box to box; way 2r + 1 goes up.

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
    """In each mini-row the values that go down from here on to the next boxes, or up."""
    has = x | right1(x) | right2(x)
    return (
        has & next1_down1(has) & next2_down2(has),
        has & next1_down2(has) & next2_down1(has),
    )


@rule
def ways_of_bands(x: Band, y: Band, z: Band) -> Band:
    """The six ways of each band: in box b those of band b, way 2r + i in its cell (r, i)."""
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
    """The six ways of each stack: in box b those of stack b, way 2c + i in its cell (i, c)."""
    x_has = x | down1(x) | down2(x)
    y_has = y | down1(y) | down2(y)
    z_has = z | down1(z) | down2(z)
    return stack_right(x_has & right1(y_has) & right2(z_has)) | stack_left(
        x_has & right2(y_has) & right1(z_has)
    )


def _lanes_of_ways() -> NDArray[np.int64]:
    """For each line and way its lane in the two values above, stored one after the other."""
    lanes = np.zeros((6, 6), np.int64)
    for box in range(3):
        for way in range(6):
            along, turn = divmod(way, 2)
            lanes[box, way] = LAYOUT.lane((box, along, turn))
            lanes[3 + box, way] = LANES + LAYOUT.lane((box, turn, along))
    return lanes


def _keys() -> NDArray[np.int16]:
    """What added to 8 times the ways of a line makes the key by which lines are compared.

    The first cell of box b stands for band b, or for stack b in the second half: there the key
    is 8 x (ways - 10) + line. A line with 9 ways is decided; its key is below 0, which
    without sign is more than any other. In the third half are the bits that keep other lanes out.
    """
    keys = np.zeros((3, LANES), np.int16)
    keys[2] = -1
    for box in range(3):
        lane = LAYOUT.lane((box, 0, 0))
        keys[:, lane] = box - 80, 3 + box - 80, 0
    return keys.ravel()


def _kept_by_ways() -> NDArray[np.int16]:
    """For each line and way the state with all nine values but none in the line's other ways.

    A value that takes the way stays in these cells alone.
    """
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


@rule
def eightfold(x: Band) -> Band:
    """Eight times each number."""
    x += x
    x += x
    return x + x


@rule
def choose(x: Band, y: Band, z: Band, ways: NDArray[np.int16]) -> tuple[int, int]:
    """The line with the fewest ways left, and a value in it with two or else with more.

    The ways of all lines are written into `ways`.
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
    asked: NDArray[np.int64],
    progress: NDArray[np.int64],
    numbers: NDArray[np.int64],
    exact: NDArray[np.bool_],
    witnesses: NDArray[np.uint8],
    stream: NDArray[np.uint8],
    states: NDArray[np.int16],
) -> int:
    """Work on a batch of puzzles; say why it stops. See `backends.native_jit.progress`.

    Args:
        puzzles: the givens, 81 a puzzle, 0 for a blank.
        asked: what is asked.
        progress: how far it is; brought up to date.
        numbers: for each puzzle the solutions found; written.
        exact: for each puzzle whether that is all; written.
        witnesses: the first solution of each puzzle that has one, 81 values each; written.
        stream: room for solutions one after the other, 81 values each; written.
        states: the stack of open states, room for `STATES`.
    """
    ways = np.empty(2 * LANES, np.int16)
    limit, node_limit, budget, buffer = (
        asked[LIMIT],
        asked[NODE_LIMIT],
        asked[BUDGET],
        asked[BUFFER],
    )
    number, top, own_nodes = progress[PUZZLE], progress[OPEN], progress[OWN_NODES]
    buffered = progress[BUFFERED]
    nodes = guesses = rounds = 0
    why = FINISHED
    while number < asked[PUZZLES]:
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
                way = 5 - back  # the first way is taken first, so it goes onto the stack last
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
