"""Symbols to values, with the column of every error."""

from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats.conventions import FILLERS, Symbols, described, table
from harness.puzzles.formats.source import Line
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import describe, value_of

_DASHLESS: Final = FILLERS.replace("-", "")
"""The symbols of a blank cell in a grid, where dashes are borders."""


class BlankSymbol:
    """The blank symbol of a puzzle; a second one is an error.

    Two blank symbols in one puzzle mean that the text is damaged, or that one of them
    is a value.
    """

    def __init__(self) -> None:
        self._seen: str | None = None

    def note(self, symbol: str, line: Line, column: int) -> None:
        """Record a blank at `column` of `line`.

        Raises:
            PuzzleError: the puzzle uses another blank symbol.
        """
        if self._seen not in (None, symbol):
            raise PuzzleError(
                f"two blank symbols, {self._seen!r} and {symbol!r}",
                where=line.place(column),
                expected="one blank symbol per puzzle",
            )
        self._seen = symbol


def check_symbols(line: Line, columns: list[tuple[int, str]], fillers: str = _DASHLESS) -> None:
    """Check that all characters are symbols.

    Raises:
        PuzzleError: a character is not a symbol; with its column in `line`.
    """
    for column, symbol in columns:
        if value_of(symbol) is None and symbol not in fillers:
            raise PuzzleError(
                f"invalid symbol {symbol!r}",
                where=line.place(column),
                expected="digits, letters, and . or 0 for a blank",
            )


def cell_values(
    line: Line,
    columns: list[tuple[int, str]],
    shape: Shape,
    blank: BlankSymbol,
    symbols: Symbols = Symbols.LETTERS,
) -> list[int]:
    """The values of the symbols at these columns of `line`.

    Raises:
        PuzzleError: a symbol is not a value of `shape`, or is a second blank symbol.
    """
    values = []
    values_of = table(symbols, shape.size)
    for column, symbol in columns:
        value = values_of.get(symbol)
        if value is None:
            known = (
                describe(shape.size)
                if symbols is Symbols.LETTERS
                else described(symbols, shape.size)
            )
            raise PuzzleError(
                f"{symbol!r} is not a value of {shape}",
                where=line.place(column),
                expected=f"{known}, or . {'' if symbols is Symbols.HEX else 'or 0 '}for a blank",
            )
        if not value:
            blank.note(symbol, line, column)
        values.append(value)
    return values
