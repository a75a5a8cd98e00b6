"""The characters that stand for values in text.

1 to 9 are themselves and the letters go on from A = 10 (seed 004 of the source
documents; lower case is read as upper case). The letters end at Z = 35, so the
36th value, which only a 36x36 grid has, is written ``@``.
"""

from typing import Final

VALUES: Final = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ@"
"""``VALUES[v - 1]`` is the symbol of value v."""

BLANKS: Final = ".0"
"""What may stand for an empty cell; one text uses one of them."""

LARGEST: Final = len(VALUES)

_VALUE_OF: Final = (
    {symbol: value for value, symbol in enumerate(VALUES, 1)}
    | {symbol.lower(): value for value, symbol in enumerate(VALUES, 1)}
    | dict.fromkeys(BLANKS, 0)
)


def value_of(symbol: str) -> int | None:
    """The value that `symbol` stands for: 0 for a blank, None if it is no symbol."""
    return _VALUE_OF.get(symbol)


def symbol_of(value: int) -> str:
    """The symbol of `value`, ``.`` for 0."""
    return VALUES[value - 1] if value else "."


def describe(size: int) -> str:
    """The values of a grid of `size` as an error message names them."""
    if size <= 9:
        return f"1-{size}"
    if size == 10:
        return "1-9 or A"
    if size < LARGEST:
        return f"1-9 or A-{VALUES[size - 1]}"
    return "1-9, A-Z or @"
