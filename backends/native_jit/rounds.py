"""The rules for plain 9x9, each on the whole grid at once, in rounds to a fixpoint.

With AVX-512 a round waits for results more than for free units of the CPU. So boxes and bands
both see the state before the round, and neither waits for the other, which costs an eighth more
rounds; and the rule for full mini-rows is a part of each round. Other CPUs have more
instructions to do: there the bands see what the boxes left, and that rule runs at the fixpoint.
"""

from typing import Final

from .layer import (
    ALL_NINE,
    LAYOUT,
    WHOLE,
    Layer,
    Layers,
    all_or_three,
    any_empty,
    any_left,
    below1,
    below1_right1,
    below1_right2,
    below2,
    below2_right1,
    below2_right2,
    beside1,
    beside2,
    cells,
    everywhere,
    right1,
    right2,
    rule,
    singles,
    smaller,
    unless_empty,
    without_first,
)

Ways = tuple[Layer, Layer, Layer, Layer, Layer, Layer]

IS_WIDE: Final = LAYOUT is WHOLE
"""Whether a layer is one register."""

CONTRADICTION: Final = 0
SOLVED: Final = 1
OPEN_STILL: Final = 2


@rule
def leave_boxes(x: Layer, y: Layer, z: Layer) -> tuple[Layers, Layer]:
    """Remove the value of each decided cell from the other cells of its box.

    Returns the layers, and the values that two cells of a box have, in a mini-column of the box.
    """
    xs, ys, zs = singles(x), singles(y), singles(z)
    decisions = xs | ys | zs
    beside = right1(decisions)
    in_box = decisions | beside | right2(decisions)
    twice = (xs & ys) | (xs & zs) | (ys & zs) | (decisions & beside)
    return (xs | (x & ~in_box), ys | (y & ~in_box), zs | (z & ~in_box)), twice


@rule
def in_mini_rows(x: Layer) -> Layer:
    """The values of each mini-row, in each of its cells."""
    return x | right1(x) | right2(x)


@rule
def ways_of_bands(x: Layer, y: Layer, z: Layer) -> tuple[Ways, Layers]:
    """The values that can take each of the six ways through their band.

    A value takes some row in box A, another in B and the third in C: it can be in a mini-row of
    A if one of the other rows has it in B and the remaining one in C, or vice versa.

    Returns the ways down from the mini-rows of each layer, and the ways up; and the values that
    their row has in one mini-row only, in that mini-row.
    """
    x_has, y_has, z_has = in_mini_rows(x), in_mini_rows(y), in_mini_rows(z)
    x1, y1, z1 = beside1(x_has), beside1(y_has), beside1(z_has)
    x2, y2, z2 = beside2(x_has), beside2(y_has), beside2(z_has)
    down = x_has & y1 & z2, y_has & z1 & x2, z_has & x1 & y2
    up = x_has & z1 & y2, y_has & x1 & z2, z_has & y1 & x2
    return (*down, *up), (x_has & ~(x1 | x2), y_has & ~(y1 | y2), z_has & ~(z1 | z2))


@rule
def ways_of_stacks(x: Layer, y: Layer, z: Layer) -> tuple[Layer, Layer]:
    """The same for stacks: the ways to the right from each mini-column, and to the left."""
    has = x | y | z
    return (
        has & below1_right1(has) & below2_right2(has),
        has & below1_right2(has) & below2_right1(has),
    )


@rule
def only_if_full(x: Layer, limits: Layer) -> Layer:
    """Three values confined to a mini-row of their row, or to a mini-column, exclude all others."""
    return x & all_or_three(limits)


@rule
def propagate(x: Layer, y: Layer, z: Layer) -> tuple[Layers, int, int, Ways, tuple[Layer, Layer]]:
    """Apply all rules to a fixpoint.

    Returns the state, its status, the number of rounds, and the ways of bands and of stacks.
    """
    rounds = 0
    while True:
        rounds += 1
        x_before, y_before, z_before = x, y, z
        (x, y, z), twice = leave_boxes(x, y, z)

        # A candidate stays if its value can take a way there. This covers both kinds of locked
        # candidates, and propagates decided cells along rows and columns.
        layers = (x_before, y_before, z_before) if IS_WIDE else (x, y, z)
        ways, (x_confined, y_confined, z_confined) = ways_of_bands(*layers)
        a, b, c, d, e, f = ways
        x, y, z = x & (a | d), y & (b | e), z & (c | f)
        right, left = ways_of_stacks(x, y, z)
        has = right | left

        # A value is decided if it has one cell in its mini-column and one mini-column in its
        # column. This finds the hidden singles of rows and boxes too: for a value with one place
        # in a row, the ways of its band have removed the other rows of that box, so it has one
        # place in the box; then the other boxes of the stack lose its column.
        limits = has & ~(below1(has) | below2(has))
        x_hidden = x & limits & ~(y | z)
        y_hidden = y & limits & ~(x | z)
        z_hidden = z & limits & ~(x | y)
        x, y, z = x & has, y & has, z & has
        if IS_WIDE:
            x = only_if_full(only_if_full(x, x_confined), limits)
            y = only_if_full(only_if_full(y, y_confined), limits)
            z = only_if_full(only_if_full(z, z_confined), limits)
        x, y, z = unless_empty(x_hidden, x), unless_empty(y_hidden, y), unless_empty(z_hidden, z)

        # Contradiction: a cell without a candidate.
        if any_empty(smaller(smaller(x, y), z)):
            return (x, y, z), CONTRADICTION, rounds, ways, (right, left)
        if any_left((x ^ x_before) | (y ^ y_before) | (z ^ z_before)):
            continue
        # Contradiction: a box that decides two cells for a value, a cell with two hidden singles,
        # or a box without a value. A value without a way is removed from its line.
        clash = without_first(x_hidden) | without_first(y_hidden) | without_first(z_hidden)
        missing = in_mini_rows(has) ^ everywhere(ALL_NINE)
        if any_left(cells(twice | clash | missing)):
            return (x, y, z), CONTRADICTION, rounds, ways, (right, left)
        if not any_left(cells(without_first(x) | without_first(y) | without_first(z))):
            return (x, y, z), SOLVED, rounds, ways, (right, left)
        if not IS_WIDE:
            ways, (x_confined, y_confined, z_confined) = ways_of_bands(x, y, z)
            x = only_if_full(only_if_full(x, x_confined), limits)
            y = only_if_full(only_if_full(y, y_confined), limits)
            z = only_if_full(only_if_full(z, z_confined), limits)
            if any_left((x ^ x_before) | (y ^ y_before) | (z ^ z_before)):
                continue
        return (x, y, z), OPEN_STILL, rounds, ways, (right, left)
