"""Grids of whole numbers separated by blanks, one row per line; 0, ``.`` or ``_`` for a blank.

A line such as ``3, 4`` before a grid gives the rows and columns of its boxes.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats.directives import Directives
from harness.puzzles.formats.format import Format, Head, Reading, no_pencilmarks
from harness.puzzles.formats.grid import is_border
from harness.puzzles.formats.source import Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.text import number_of

_CELL: Final = re.compile(r"[^\s|,]+")
_BOX: Final = re.compile(r"([0-9]{1,2})\s*,\s*([0-9]{1,2})")
_BLANKS: Final = ("0", ".", "_")


def value_of(cell: str, shape: Shape, where: str) -> int:
    """The value of a number or a blank.

    Raises:
        PuzzleError: it is not a value of `shape`.
    """
    if cell in _BLANKS:
        return 0
    if re.fullmatch(r"[0-9]{1,2}", cell) and 1 <= int(cell) <= shape.size:
        return int(cell)
    raise PuzzleError(
        f"{cell[:40]!r} is not a value of {shape}",
        where=where,
        expected=f"1 to {shape.size}, or 0 for a blank",
    )


def _row(line: Line, shape: Shape) -> list[int]:
    cells = list(_CELL.finditer(line.text))
    if len(cells) != shape.size:
        raise PuzzleError(
            f"a row of {len(cells)} numbers for {shape}",
            where=line.place(),
            expected=f"{shape.size} numbers",
        )
    return [value_of(cell[0], shape, line.place(cell.start())) for cell in cells]


def _read(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    found = Directives(reading)
    boxed: Shape | None = None
    shape: Shape | None = None
    rows: list[list[int]] = []
    first = Line("", 0, 0, source.name)
    number = 0
    refused = False
    for line in source.lines():
        if line.comment and not rows:
            found.note(line)
        if not line.text or is_border(line):
            refused = refused and bool(line.text)
            continue
        if refused:
            continue
        try:
            if not rows and (box := _BOX.fullmatch(line.text)):
                boxed = Shape.parse(f"box{box[1]}x{box[2]}")
                continue
            if not rows:
                first = line
                size = len(_CELL.findall(line.text))
                shape = found.reading.shape or boxed or Shape.of_side(size)
            assert shape is not None
            rows.append(_row(line, shape))
            if len(rows) < shape.size:
                continue
            puzzle = Puzzle(shape, tuple(value for row in rows for value in row))
        except PuzzleError as error:
            reading.refuse(error if error.where else error.at(line.place()))
            refused, rows, boxed = bool(rows), [], None
        else:
            number += 1
            yield ParsedPuzzle(puzzle, first.place(), str(number))
            rows, boxed = [], None
    if rows:
        reading.refuse(
            PuzzleError(
                f"the grid ends after {number_of(len(rows), 'row')}",
                where=first.place(),
                expected=f"{shape.size if shape else 0} rows for {shape}",
            )
        )


def _write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    before: Shape | None = None
    for parsed in puzzles:
        shape = parsed.puzzle.shape
        if before is not None:
            yield "\n"
        if shape != before and (before is not None or shape.spec != f"{shape.size}x{shape.size}"):
            yield f"# shape: {shape.definition}\n"
        before = shape
        width = len(str(shape.size))
        for row in parsed.puzzle.rows():
            yield " ".join(str(value).rjust(width) for value in row).strip() + "\n"


def _detect(head: Head) -> bool:
    rows = [row for row in head.rows if not is_border(row)]
    if rows and _BOX.fullmatch(rows[0].text):
        return True
    cells = [_CELL.findall(row.text) for row in rows[:1]]
    size = len(cells[0]) if cells else 0
    if not 10 <= size <= 36:
        return False
    every = [cell for row in rows[:size] for cell in _CELL.findall(row.text)]
    return any(len(cell) == 2 for cell in every) and all(
        cell in _BLANKS or (re.fullmatch(r"[0-9]{1,2}", cell) and int(cell) <= size)
        for cell in every
    )


FORMAT: Final = Format(
    name="numbers",
    title="one row of whole numbers per line, separated by blanks",
    read=_read,
    write=_write,
    can_hold=no_pencilmarks,
    detect=_detect,
    holds="every shape, without pencilmarks",
)
