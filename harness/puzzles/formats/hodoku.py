"""The library of HoDoKu: a position and what a technique does there, a line each.

``:technique:candidates:givens:deleted candidates:eliminations:placements:extra``; a ``+``
stands before a digit that was placed, and a candidate is its digit, row and column: ``418``.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats.format import Format, Head, Reading
from harness.puzzles.formats.line import read_cells
from harness.puzzles.formats.lines import read_each_line
from harness.puzzles.formats.placed import placed_field, placed_problem
from harness.puzzles.formats.source import Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape

_TRIPLE: Final = re.compile(r"[1-9]{3}")
_NAMES: Final = ("technique", "candidates", "", "", "eliminations", "placements", "extra")
_EXPECTED: Final = ":technique:candidates:givens:deleted:eliminations:placements:extra"
_NINE: Final = Shape.parse("9x9")


def _parse(line: Line, reading: Reading, name: str) -> ParsedPuzzle:
    if reading.shape not in (None, _NINE):
        raise PuzzleError(f"the format has no {reading.shape}", where=line.place(), expected="9x9")
    parts = line.text.split(":")
    if parts[0] or not 4 <= len(parts) <= 8:
        raise PuzzleError(
            f"{len(parts) - 1} fields", where=line.place(len(parts[0])), expected=_EXPECTED
        )
    parts += [""] * (8 - len(parts))
    starts = [sum(map(len, parts[:at])) + at for at in range(8)]
    puzzle, placed = _position(line.part(starts[3], starts[3] + len(parts[3])))
    if parts[4].strip():
        puzzle = _without(puzzle, line.part(starts[4], starts[4] + len(parts[4])))
    fields = {of: text for of, text in zip(_NAMES, parts[1:], strict=True) if of and text}
    return ParsedPuzzle(puzzle, line.place(), name, fields=fields | placed_field(_NINE, placed))


def _position(line: Line) -> tuple[Puzzle, list[int]]:
    """The puzzle of a field of givens, and the cells of placed digits."""
    placed: list[int] = []
    symbols = ""
    for column, symbol in enumerate(line.text):
        if symbol == "+":
            if not line.text[column + 1 : column + 2].strip(".0"):
                raise PuzzleError(
                    "no digit after +", where=line.place(column), expected="a digit from 1 to 9"
                )
            placed.append(len(symbols))
        else:
            symbols += symbol
    if len(symbols) != 81:
        raise PuzzleError(f"{len(symbols)} cells", where=line.place(0), expected="81 cells")
    try:
        return read_cells(Line(symbols, 1, 0, "cell"), Reading(_NINE)), placed
    except PuzzleError as error:
        column = int(error.where.rpartition(":")[2]) - 1
        column += sum(cell <= column for cell in placed)
        raise error.at(line.place(column)) from None


def _without(puzzle: Puzzle, line: Line) -> Puzzle:
    """`puzzle` without the candidates that `line` lists."""
    marks = list(puzzle.allowed)
    for match in re.finditer(r"\S+", line.text):
        if not _TRIPLE.fullmatch(match[0]):
            raise PuzzleError(
                f"{match[0]!r} is not a candidate",
                where=line.place(match.start()),
                expected="digit, row and column, such as 418",
            )
        digit, row, column = map(int, match[0])
        cell = row * 9 + column - 10
        if puzzle.givens[cell]:
            raise PuzzleError(
                f"{_NINE.cell_name(cell)} has a digit",
                where=line.place(match.start()),
                expected="a candidate of a blank cell",
            )
        marks[cell] &= ~(1 << digit - 1)
    return Puzzle(_NINE, puzzle.givens, tuple(marks))


def _read(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    return read_each_line(source, reading, _parse)


def _write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        puzzle, fields = parsed.puzzle, parsed.fields
        placed = set(fields.get("placed", "").split())
        givens = "".join(
            f"{'+' if _NINE.cell_name(cell) in placed else ''}{value}" if value else "."
            for cell, value in enumerate(puzzle.givens)
        )
        deleted = " ".join(
            f"{value}{cell // 9 + 1}{cell % 9 + 1}"
            for cell, of in enumerate(puzzle.allowed)
            if not puzzle.givens[cell]
            for value in range(1, 10)
            if not of >> value - 1 & 1
        )
        parts = [fields.get(name, "") for name in _NAMES]
        parts[2], parts[3] = givens, deleted
        yield ":" + ":".join(parts) + "\n"


def _can_hold(parsed: ParsedPuzzle) -> str | None:
    fields = parsed.fields
    if parsed.puzzle.shape != _NINE:
        return f"holds 9x9 only, not {parsed.puzzle.shape}"
    for name in filter(None, _NAMES):
        text = fields.get(name, "")
        if ":" in text or text != text.strip() or not text.isprintable():
            return f"holds no {name} with a colon or blanks around it"
    return placed_problem(parsed)


def _detect(head: Head) -> bool:
    parts = head.first.split(":")
    return not parts[0] and len(parts) >= 4 and len(parts[3].replace("+", "")) == 81


FORMAT: Final = Format(
    name="hodoku",
    title="the library of HoDoKu: positions with a technique",
    read=_read,
    write=_write,
    can_hold=_can_hold,
    detect=_detect,
    keeps=frozenset({*filter(None, _NAMES), "placed"}),
    holds="9x9 and pencilmarks",
)
