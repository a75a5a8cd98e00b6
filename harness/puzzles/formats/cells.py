"""Symbols to values, with the column of every error."""

from harness.errors import PuzzleError
from harness.puzzles.formats.source import Line
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import BLANKS, describe, value_of


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


def check_symbols(line: Line, columns: list[tuple[int, str]]) -> None:
    """Check that all characters are symbols.

    Raises:
        PuzzleError: a character is not a symbol; with its column in `line`.
    """
    for column, symbol in columns:
        if value_of(symbol) is None:
            raise PuzzleError(
                f"invalid symbol {symbol!r}",
                where=line.place(column),
                expected="digits, letters, and . or 0 for a blank",
            )


def cell_values(
    line: Line, columns: list[tuple[int, str]], shape: Shape, blank: BlankSymbol
) -> list[int]:
    """The values of the symbols at these columns of `line`.

    Raises:
        PuzzleError: a symbol is not a value of `shape`, or is a second blank symbol.
    """
    values = []
    for column, symbol in columns:
        value = value_of(symbol)
        if value is None or value > shape.size:
            raise PuzzleError(
                f"{symbol!r} is not a value of {shape}",
                where=line.place(column),
                expected=f"{describe(shape.size)}, or . or 0 for a blank",
            )
        if symbol in BLANKS:
            blank.note(symbol, line, column)
        values.append(value)
    return values
