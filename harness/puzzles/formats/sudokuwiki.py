"""Links to sudokuwiki.org, one per line: 81 digits, or a packed position ``S9B``.

A packed position has two digits to the base of 36 for each cell: 1 to 9 for a given, 10 to
18 for a value that was placed, and 18 plus the candidates as bits for others.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats.format import Format, Head, Reading
from harness.puzzles.formats.line import read_cells
from harness.puzzles.formats.lines import read_each_line
from harness.puzzles.formats.source import Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape

_LINK: Final = "https://www.sudokuwiki.org/sudoku.htm?bd="
_PACKED: Final = re.compile(r"[A-Za-z][0-9][BCbc](?=[0-9A-Za-z]{100})")
_SIZE: Final = 9
_EVERY: Final = (1 << _SIZE) - 1
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


def _parse(line: Line, reading: Reading, name: str) -> ParsedPuzzle:
    nine = Shape.parse("9x9")
    if reading.shape not in (None, nine):
        raise PuzzleError(f"the format has no {reading.shape}", where=line.place(), expected="9x9")
    start = line.text.find("bd=") + 3 if "bd=" in line.text else 0
    end = next((at for at in range(start, len(line.text)) if line.text[at] in "&#"), None)
    cells = line.part(start, end)
    if not _PACKED.match(cells.text):
        if len(cells.text) != _SIZE**2:
            raise PuzzleError(
                f"a position of {len(cells.text)} symbols",
                where=line.place(start),
                expected="81 digits, or S9B and 162 symbols",
            )
        return ParsedPuzzle(read_cells(cells, Reading(nine)), line.place(), name)
    if cells.text[:3].upper() != "S9B":
        raise PuzzleError(
            f"the kind {cells.text[:3]}", where=line.place(start), expected="S9B, a plain 9x9"
        )
    puzzle, placed = _unpacked(cells.part(3), nine)
    fields = {"placed": " ".join(map(nine.cell_name, placed))} if placed else {}
    return ParsedPuzzle(puzzle, line.place(), name, fields=fields)


def _unpacked(line: Line, shape: Shape) -> tuple[Puzzle, list[int]]:
    if len(line.text) != 2 * _SIZE**2:
        raise PuzzleError(
            f"{len(line.text)} symbols after S9B", where=line.place(0), expected="162 symbols"
        )
    givens: list[int] = []
    marks: list[int] = []
    placed: list[int] = []
    for at in range(0, len(line.text), 2):
        pair = line.text[at : at + 2]
        number = int(pair, 36) if re.fullmatch("[0-9A-Za-z]{2}", pair) else 0
        if not 1 <= number <= 2 * _SIZE + _EVERY:
            raise PuzzleError(
                f"{pair!r} is no cell",
                where=line.place(at),
                expected="01 to 09 for a given, 0a to 0i for a placed value, up to ep for others",
            )
        value = (number - 1) % _SIZE + 1 if number <= 2 * _SIZE else 0
        if _SIZE < number <= 2 * _SIZE:
            placed.append(at // 2)
        givens.append(value)
        marks.append(1 << value - 1 if value else number - 2 * _SIZE)
    return Puzzle(shape, tuple(givens), tuple(marks)), placed


def _read(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    return read_each_line(source, reading, _parse)


def _write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        puzzle, placed = parsed.puzzle, set(parsed.fields.get("placed", "").split())
        if puzzle.pencilmarks is None and not placed:
            yield f"{_LINK}{puzzle.line}\n"
            continue
        numbers = (
            (value + (_SIZE if puzzle.shape.cell_name(cell) in placed else 0))
            if value
            else 2 * _SIZE + of
            for cell, (value, of) in enumerate(zip(puzzle.givens, puzzle.allowed, strict=True))
        )
        packed = "".join(_DIGITS[number // 36] + _DIGITS[number % 36] for number in numbers)
        yield f"{_LINK}S9B{packed}\n"


def _can_hold(parsed: ParsedPuzzle) -> str | None:
    puzzle = parsed.puzzle
    if puzzle.shape != Shape.parse("9x9"):
        return f"holds 9x9 only, not {puzzle.shape}"
    if not all(puzzle.allowed):
        return "holds no cell without candidates"
    values = {puzzle.shape.cell_name(cell): value for cell, value in enumerate(puzzle.givens)}
    if not all(values.get(name) for name in parsed.fields.get("placed", "").split()):
        return "holds placed digits in cells with a digit only"
    return None


def _detect(head: Head) -> bool:
    return ("sudokuwiki" in head.first and "bd=" in head.first) or bool(_PACKED.match(head.first))


FORMAT: Final = Format(
    name="sudokuwiki",
    title="links to sudokuwiki.org, and packed positions S9B",
    read=_read,
    write=_write,
    can_hold=_can_hold,
    detect=_detect,
    keeps=frozenset({"placed"}),
    holds="9x9 and pencilmarks; each cell has a candidate",
)
