"""The symbols that the classifier knows.

A value from 10 on is a numeral in some puzzles and a letter in others, so that each has a class
of its own.
"""

from typing import Final

NUMERALS: Final = tuple(str(value) for value in range(1, 26))
LETTERS: Final = tuple("ABCDEFGHIJKLMNOP")
"""The values 10 to 25, as the formats of the harness write them."""
BLANK: Final = ""
SYMBOLS: Final = (BLANK, *NUMERALS, *LETTERS)
"""The symbol of each class; class v is the numeral of the value v."""
LARGEST: Final = 25
"""The largest value."""


def letter_class(value: int) -> int:
    """The class of the letter of a value from 10 on."""
    return LARGEST + value - 9
