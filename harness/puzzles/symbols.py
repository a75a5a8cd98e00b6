"""The symbols of values in text.

Values 1 to 9 are digits and 10 to 35 the letters A to Z, as in the article
"Судоку как CSP"; lower case is read as upper case. ``@`` is value 36, which only a
36x36 grid has.
"""

from typing import Final

VALUES: Final = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ@"
"""``VALUES[v - 1]`` is the symbol of value v."""

BLANKS: Final = ".0"
"""The symbols of a blank cell; a puzzle uses one of them."""

LARGEST: Final = len(VALUES)

_VALUE_OF: Final = (
    {symbol: value for value, symbol in enumerate(VALUES, 1)}
    | {symbol.lower(): value for value, symbol in enumerate(VALUES, 1)}
    | dict.fromkeys(BLANKS, 0)
)


def value_of(symbol: str) -> int | None:
    """The value of `symbol`: 0 for a blank, None if it is not a symbol."""
    return _VALUE_OF.get(symbol)


def symbol_of(value: int) -> str:
    """The symbol of `value`, ``.`` for 0."""
    return VALUES[value - 1] if value else "."


def describe(size: int) -> str:
    """The symbols of a grid of `size`, for error messages."""
    if size <= 9:
        return f"1-{size}"
    if size == 10:
        return "1-9 or A"
    if size < LARGEST:
        return f"1-9 or A-{VALUES[size - 1]}"
    return "1-9, A-Z or @"
