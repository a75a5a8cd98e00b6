"""One puzzle per line: size^2 symbols, row by row."""

from harness.errors import PuzzleError
from harness.puzzles.formats.cells import BlankSymbol, cell_values, check_symbols
from harness.puzzles.formats.source import Line
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import LARGEST


def read_line(line: Line, shape: Shape | None) -> Puzzle:
    """The puzzle on `line`; without a `shape` the length determines it.

    Raises:
        PuzzleError: an invalid symbol, a wrong length, a value out of range, or two
            blank symbols; with file, line and column.
    """
    text = line.text
    columns = list(enumerate(text[: LARGEST**2 + 1]))  # a longer line fits no shape
    check_symbols(line, columns)
    if shape is None:
        try:
            shape = Shape.of_length(len(text))
        except PuzzleError as error:
            raise PuzzleError(
                f"no shape fits a line of {_characters(len(text))}",
                where=line.place(len(text)),
                expected=error.expected,
            ) from None
    cells = shape.size**2
    if len(text) != cells:
        raise PuzzleError(
            f"a line of {_characters(len(text))} for {shape}",
            where=line.place(min(len(text), cells)),
            expected=f"{cells} characters",
        )
    values = cell_values(line, columns, shape, BlankSymbol())
    return Puzzle(shape, tuple(values))


def _characters(number: int) -> str:
    return f"{number} character{'' if number == 1 else 's'}"
