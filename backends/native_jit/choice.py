"""The choice of a guess: a value with two ways in the line with the fewest ways.

The ways of band b are in the first two boxes of band b of one layer, those of stack s in the
first two boxes of stack s of another: six cells, each with the values that may take that way.
Cell r of the first box has the way that takes row r there and goes down one row per box; cell r
of the second box has the way that takes row r there and goes up. A stack has columns in place
of rows.

Branching on a value's way through a band follows tdoku (Tom Dillon, "How to write a Sudoku
solver", 2019, BSD-2): it needs half the nodes of branching on the candidates of a cell.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from .layer import (
    ALL_NINE,
    CELLS,
    LANES,
    LAYOUT,
    Layer,
    lanes_with,
    less_one,
    load,
    only,
    right1,
    right2,
    rule,
    sizes,
    smallest_of,
    times_8,
    times_256,
    unless_empty,
    without_first,
)
from .rounds import Ways

down0 = only(lambda band, stack, c: stack == 0 and c == 0)
down1 = only(lambda band, stack, c: stack == 0 and c == 1)
down2 = only(lambda band, stack, c: stack == 0 and c == 2)
up0 = only(lambda band, stack, c: stack == 1 and c == 0)
up1 = only(lambda band, stack, c: stack == 1 and c == 1)
up2 = only(lambda band, stack, c: stack == 1 and c == 2)
rightwards = only(lambda band, stack, c: band == 0)
leftwards = only(lambda band, stack, c: band == 1)
of_bands = only(lambda band, stack, c: stack == 0 and c == 0)
of_stacks = only(lambda band, stack, c: band == 0 and c == 1)
smallest = smallest_of([(line, 0, 0) for line in range(3)] + [(0, line, 1) for line in range(3)])


@rule
def with_two(a: Layer, b: Layer, c: Layer, d: Layer, e: Layer, f: Layer) -> Layer:
    """The values that exactly two of six layers have; lanes without one: those of at least two."""
    first, second = a ^ b ^ c, d ^ e ^ f
    first_twos, second_twos = (a & b) | (a & c) | (b & c), (d & e) | (d & f) | (e & f)
    one_each = first & second
    two = (first_twos ^ second_twos ^ one_each) & ~(first ^ second)
    two &= ~(first_twos & second_twos & one_each)
    return unless_empty(two, first_twos | second_twos | one_each)


@rule
def keys(two: Layer, ways: Layer) -> Layer:
    """The order of the lines, without `LINES`: 256 (ways - 10) + 8 (first value, from 0) + line.

    A line with 9 ways is decided and has no value with two ways, which counts as value 16: its
    key is negative, and as an unsigned number larger than any other.
    """
    first = two & ~without_first(two)
    return times_256(ways) + times_8(sizes(less_one(first)))


@rule
def prospects(ways: Ways, right: Layer, left: Layer) -> tuple[Layer, Layer, Layer]:
    """The order of the lines, and the values of all ways of bands and of stacks."""
    a, b, c, d, e, f = ways
    in_bands = (sizes(a) + sizes(b) + sizes(c)) + (sizes(d) + sizes(e) + sizes(f))
    right_1, right_2, left_1, left_2 = right1(right), right2(right), right1(left), right2(left)
    in_stacks = sizes(right) + sizes(left)
    in_stacks += right1(in_stacks) + right2(in_stacks)
    order = of_bands(keys(with_two(a, b, c, d, e, f), in_bands)) | of_stacks(
        keys(with_two(right, right_1, right_2, left, left_1, left_2), in_stacks)
    )
    bands = down0(a) | down1(b) | down2(c) | up0(d) | up1(e) | up2(f)
    return order + load(LINES, 0), bands, rightwards(right) | leftwards(left)


@rule
def choose(order: Layer, bands: Layer, stacks: Layer) -> tuple[int, int, int, int]:
    """The ways of a value to try: one with two ways in the line with the fewest, or else with more.

    Args:
        order: the order of the lines, less those that are `TAKEN`.
        bands: the values of the ways of bands, as `prospects` returns them.
        stacks: the values of the ways of stacks.

    Returns the line, the number in `KEPT` of the first way of bands or of stacks, the lanes of
    the ways as bits, and the bit of the value. There is at most one way if no line is left.
    """
    key = smallest(order)
    line, value = key & 7, 1 << (key >> 3 & 15)
    in_band = lanes_with(bands, value) & LANES_OF_LINE[0, line]
    in_stack = lanes_with(stacks, value) & LANES_OF_LINE[1, line]
    return line, FIRST_WAY[line], in_band | in_stack, value


def _lines() -> NDArray[np.int16]:
    """The part of the keys that the line decides."""
    lines = np.zeros(LANES, np.int16)
    for line in range(3):
        lines[LAYOUT.lane((line, 0, 0))] = line - 10 * 256
        lines[LAYOUT.lane((0, line, 1))] = 3 + line - 10 * 256
    return lines


def _lanes_of_ways() -> NDArray[np.int64]:
    """int64[6, 6], the lane of each line and way."""
    lanes = np.zeros((6, 6), np.int64)
    for line in range(3):
        for way in range(6):
            turn, along = divmod(way, 3)
            lanes[line, way] = LAYOUT.lane((line, turn, along))
            lanes[3 + line, way] = LAYOUT.lane((turn, line, along))
    return lanes


def _kept_by_ways() -> NDArray[np.int16]:
    """The states that keep a value in the cells of a way only, in its line.

    Returns:
        int16[2 * LANES * STATE]: a state for each lane, first for bands, then for stacks.
    """
    layers = np.full((2, LANES, 3, LANES), ALL_NINE, np.int16)
    for line in range(6):
        for way in range(6):
            turn, along = divmod(way, 3)
            of_way = layers[line // 3, _WAYS[line, way]]
            for step in range(3):
                here = (along + (1 + turn) * (step - turn)) % 3
                for row in range(3):
                    for band, stack, c in CELLS:
                        if line < 3:
                            is_off = band == line and stack == step and row != here
                        else:
                            is_off = stack == line - 3 and band == step and c != here
                        if is_off:
                            of_way[row, LAYOUT.lane((band, stack, c))] = 0
    return layers.ravel()


def _last_in_order() -> NDArray[np.int16]:
    """For each line a layer that makes the line the last in the order."""
    layers = np.zeros((8, LANES), np.int16)
    for line in range(3):
        layers[line, LAYOUT.lane((line, 0, 0))] = layers[3 + line, LAYOUT.lane((0, line, 1))] = -1
    return layers.ravel()


LINES: Final = _lines()
TAKEN: Final = _last_in_order()
_WAYS: Final = _lanes_of_ways()
LANES_OF_LINE: Final = np.zeros((2, 8), np.int64)
"""The lanes of the ways of each line as bits: those of bands, and those of stacks."""
LANES_OF_LINE[0, :3], LANES_OF_LINE[1, 3:6] = np.bitwise_or.reduce(
    np.int64(1) << _WAYS, axis=1
).reshape(2, 3)
FIRST_WAY: Final = np.repeat(np.array([0, LANES]), [3, 5])
"""The place in `KEPT` of the first lane, for each line."""
KEPT: Final = _kept_by_ways()
