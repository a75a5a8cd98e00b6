"""The symbols of values above 9 in files from elsewhere.

Several conventions share letters, so a text may be readable in more than one of them. The
symbols of a puzzle decide if exactly one convention reads them, or all read the same
values; otherwise `decided` raises an error.
"""

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from typing import Final

from harness.errors import PuzzleError, one_of
from harness.puzzles.symbols import LARGEST, VALUES
from harness.text import shortened

FILLERS: Final = ".0*_-Xx"
"""The symbols of a blank cell in lines; a puzzle uses one of them."""
_ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_HEX: Final = "0123456789ABCDEF"


class Symbols(StrEnum):
    """A convention for the symbols of values."""

    LETTERS = "letters"
    """1 to 9, then A = 10: that of the harness."""
    HEX = "hex"
    """0 to 9, then A to F, for the values 1 to 16 of a 16x16."""
    ALPHABET = "alphabet"
    """A = 1 to Z = 26."""
    NUMBERS = "numbers"
    """Whole numbers, separated by blanks."""


def symbols_named(name: str) -> Symbols:
    """The convention called `name`.

    Raises:
        PuzzleError: none has this name.
    """
    if name not in [*Symbols]:
        raise PuzzleError(f"unknown symbols {shortened(name, 40)!r}", expected=one_of([*Symbols]))
    return Symbols(name)


@lru_cache(maxsize=256)
def table(symbols: Symbols, size: int) -> dict[str, int]:
    """The value of each symbol of a grid of `size`, 0 for a blank; empty if it has none."""
    if symbols is Symbols.LETTERS:
        values = VALUES[:size]
    elif symbols is Symbols.HEX and size == len(_HEX):
        values = _HEX
    elif symbols is Symbols.ALPHABET and size <= len(_ALPHABET):
        values = _ALPHABET[:size]
    else:
        return {}
    found = {symbol: value for value, symbol in enumerate(values, 1)}
    found |= {symbol.lower(): value for symbol, value in found.items()}
    return dict.fromkeys((f for f in FILLERS if f not in found), 0) | found


def decided(texts: Iterable[str], size: int, where: str) -> Symbols:
    """The convention of the symbols in `texts`, the cells of a puzzle of `size`.

    Args:
        texts: the symbols, in pieces.
        size: the number of rows; up to 9 all conventions with digits are the same.
        where: the place of the puzzle in an error.

    Raises:
        PuzzleError: two conventions read different puzzles.
    """
    if size <= 9:
        return Symbols.LETTERS
    text = "".join(texts)
    readings: dict[tuple[int, ...], Symbols] = {}
    for symbols in (Symbols.LETTERS, Symbols.HEX, Symbols.ALPHABET):
        values = _values(text, symbols, size)
        if values is not None:
            readings.setdefault(values, symbols)
    if len(readings) > 1:
        names = list(readings.values())
        raise PuzzleError(
            f"the symbols may be those of {' or '.join(names)}",
            where=where,
            expected=" or ".join(f"--symbols {name}" for name in names),
        )
    return next(iter(readings.values()), Symbols.LETTERS)


def _values(text: str, symbols: Symbols, size: int) -> tuple[int, ...] | None:
    """The values of `text` in a convention; None if it has other symbols or two blanks."""
    values_of = table(symbols, size)
    used = set(text)
    if not used <= values_of.keys() or sum(not values_of[s] for s in used) > 1:
        return None
    values = tuple(values_of[symbol] for symbol in text)
    # Zeros that are blanks are read as a complete grid of hexadecimal digits: such a grid has
    # each value in each row.
    is_full = symbols is Symbols.HEX and 0 not in values and len(values) == size * size
    if is_full and any(len({*values[at : at + size]}) < size for at in range(0, size * size, size)):
        return None
    return values


def described(symbols: Symbols, size: int) -> str:
    """The symbols of a grid of `size`, for error messages."""
    if symbols is Symbols.HEX:
        return "0-9 or A-F"
    if symbols is Symbols.ALPHABET:
        return f"A-{_ALPHABET[min(size, LARGEST) - 1]}"
    return f"1-{size}"
