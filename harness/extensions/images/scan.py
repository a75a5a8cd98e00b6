"""What one image shows, before any reading is chosen: probabilities and symbols.

A value of 10 or more is a numeral in some puzzles and a letter in others, so the numeral and the
letter have a class each.
"""

from typing import Annotated, Final

from msgspec import Meta, Struct

# The symbols that the classifier knows.


LETTERS: Final = tuple("ABCDEFGHIJKLMNOP")
"""The values 10 to 25, as the formats of the harness write them."""
BLANK: Final = ""
SYMBOLS: Final = (BLANK, *map(str, range(1, 26)), *LETTERS)
"""The symbol of each class; class v is the numeral of the value v."""
LARGEST: Final = 25
"""The largest value."""


def letter_class(value: int) -> int:
    """The class of the letter of a value of 10 or more."""
    return LARGEST + value - 9


# What one image shows, before any reading is chosen.


Share = Annotated[float, Meta(ge=-0.5, le=1.5)]
Probability = Annotated[float, Meta(ge=0, le=1)]
MOST_CELLS: Final = 25**2
MOST_BYTES: Final = 20 * 10**6
"""Maximum size of a file in bytes."""


class Scan(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """A board: its shape, its corners and the probabilities of the values of each cell.

    The process that decodes images sends it, and the receiver checks it.
    """

    shape: Annotated[str, Meta(max_length=2000)]
    """The definition of the shape."""
    is_shape_clear: bool
    """Whether the lines of the board, or the user, determine the shape."""
    corners: Annotated[list[tuple[Share, Share]], Meta(min_length=4, max_length=4)]
    """x and y of the corners, as shares of width and height, clockwise from the upper left of the
    board as it is read."""
    probabilities: Annotated[
        list[Annotated[list[Probability], Meta(min_length=3, max_length=26)]],
        Meta(min_length=4, max_length=MOST_CELLS),
    ]
    """For each cell, row by row, the probabilities of a blank and of the values from 1."""
    handwritten: Annotated[list[Probability], Meta(min_length=4, max_length=MOST_CELLS)]
    """For each cell the probability that its ink is handwritten; 0 for a blank."""
    has_letters: bool
    """Whether values from 10 are letters."""
    score: Annotated[float, Meta(ge=-2, le=2)]
    """How well a grid fits the lines: 1 is best."""


class ScanRefused(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Why an image cannot be read: the parts of an `InputError`."""

    what: Annotated[str, Meta(max_length=1000)]
    expected: Annotated[str, Meta(max_length=1000)] = ""
