"""Symbols to values, with the column of every mistake."""

from harness.errors import InputError
from harness.puzzles.formats.source import Line
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import BLANKS, describe, value_of


class BlankSymbol:
    """The one blank symbol of a puzzle; a second one is an error.

    Two fillers in one puzzle mean that something went wrong with the text, for
    instance that one of them is a value.
    """

    def __init__(self) -> None:
        self._seen: str | None = None

    def note(self, symbol: str, line: Line, column: int) -> None:
        """Take note of a blank at `column` of `line`."""
        if self._seen not in (None, symbol):
            raise InputError(
                f"{symbol!r} stands for a blank where {self._seen!r} already does",
                where=line.place(column),
                expected="one blank symbol in a puzzle",
            )
        self._seen = symbol


def check_symbols(line: Line, columns: list[tuple[int, str]]) -> None:
    """Raise at the first of these characters that is no symbol of any shape.

    Raises:
        InputError: with the column in `line`.
    """
    for column, symbol in columns:
        if value_of(symbol) is None:
            raise InputError(
                f"{symbol!r} is no symbol of a puzzle",
                where=line.place(column),
                expected="digits, letters, and . or 0 for a blank",
            )


def cell_values(
    line: Line, columns: list[tuple[int, str]], shape: Shape, blank: BlankSymbol
) -> list[int]:
    """The values of the symbols at these columns of `line`.

    Raises:
        InputError: a symbol is no value of `shape`, or is a second blank symbol.
    """
    values = []
    for column, symbol in columns:
        value = value_of(symbol)
        if value is None or value > shape.size:
            raise InputError(
                f"{symbol!r} is no value of {shape}",
                where=line.place(column),
                expected=f"{describe(shape.size)}, or . or 0 for a blank",
            )
        if symbol in BLANKS:
            blank.note(symbol, line, column)
        values.append(value)
    return values
