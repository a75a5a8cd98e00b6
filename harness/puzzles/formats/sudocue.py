"""The files of Sadman Sudoku, SudoCue and Simple Sudoku: .sdk, .sdm and .ss.

A file .sdk has one puzzle, nine rows of nine cells, below lines such as ``#A`` and the name
of the author; in newer ones the rows follow ``[Puzzle]``, and a section ``[State]`` with the
progress of a player is ignored. A file .sdm has a puzzle per line, and one .ss a puzzle with
borders. See http://sudocue.net/fileformats.php.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats import grid, line
from harness.puzzles.formats.format import Format, Head, Reading, only_plain
from harness.puzzles.formats.grid import read_grids
from harness.puzzles.formats.source import Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.shape import Shape

_KINDS: Final = {
    "A": "author",
    "D": "description",
    "C": "comment",
    "B": "date",
    "S": "source",
    "L": "level",
    "U": "url",
}
_SECTIONS: Final = ("[puzzle]", "[state]")


def _nine(reading: Reading) -> Reading:
    """How a file of 9x9 puzzles is read."""
    return Reading(reading.shape or Shape.parse("9x9"), reading.symbols, reading.refuse)


def _read_sdk(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    fields: dict[str, str] = {}
    rows: list[Line] = []
    section = _SECTIONS[0]
    for row in source.lines():
        text = row.raw.strip()
        if text.lower() in _SECTIONS:
            section = text.lower()
        elif text.startswith("[") and text.endswith("]"):
            section = text
        elif row.comment and text[1:2] in _KINDS:
            fields[_KINDS[text[1]]] = text[2:].strip()
        elif section == _SECTIONS[0]:
            rows.append(row)
    found = list(read_grids(rows, _nine(reading)))
    if len(found) > 1:
        raise PuzzleError(
            f"{len(found)} puzzles", where=found[1][0].place(), expected="one puzzle per file"
        )
    for first, puzzle in found:
        origin = fields.pop("source", None)
        yield ParsedPuzzle(puzzle, first.place(), "1", None, origin or None, fields)


def _write_sdk(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        values = dict(parsed.fields)
        if parsed.source:
            values["source"] = parsed.source
        for letter, kind in _KINDS.items():
            if kind in values:
                yield f"#{letter}{values[kind]}\n"
        for row in parsed.puzzle.rows():
            yield "".join(str(value or ".") for value in row) + "\n"


def _can_hold_sdk(parsed: ParsedPuzzle) -> str | None:
    kept = [parsed.fields.get(kind, "") for kind in _KINDS.values()]
    if any(text != text.strip() or not text.isprintable() for text in [*kept, parsed.source or ""]):
        return "holds printable texts without blanks around them only"
    return only_plain("9x9", parsed)


SDK: Final = Format(
    name="sdk",
    title="Sadman Sudoku and SudoCue: one puzzle with author, level and others",
    read=_read_sdk,
    write=_write_sdk,
    can_hold=_can_hold_sdk,
    detect=lambda head: head.first.lower() == _SECTIONS[0],
    suffixes=(".sdk",),
    keeps=frozenset({"source", *_KINDS.values()}),
    holds="9x9",
    single=True,
)


def _read_sdm(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    return line.read(source, _nine(reading))


def _write_sdm(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    return (f"{parsed.puzzle.line.replace('.', '0')}\n" for parsed in puzzles)


def _nine_only(parsed: ParsedPuzzle) -> str | None:
    return only_plain("9x9", parsed)


SDM: Final = Format(
    name="sdm",
    title="SudoCue: a puzzle of 81 digits per line",
    read=_read_sdm,
    write=_write_sdm,
    can_hold=_nine_only,
    suffixes=(".sdm",),
    holds="9x9",
)


def _read_ss(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    return grid.read(source, _nine(reading))


def _write_ss(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    border = "*-----------*\n"
    between = ""
    for parsed in puzzles:
        yield between + border
        for number, row in enumerate(parsed.puzzle.rows()):
            if number in (3, 6):
                yield "|---+---+---|\n"
            symbols = "".join(str(value or ".") for value in row)
            yield f"|{symbols[:3]}|{symbols[3:6]}|{symbols[6:]}|\n"
        yield border
        between = "\n"


def _is_ss(head: Head) -> bool:
    return head.suffix == ".ss"


SS: Final = Format(
    name="ss",
    title="Simple Sudoku: a grid with borders",
    read=_read_ss,
    write=_write_ss,
    can_hold=_nine_only,
    detect=_is_ss,
    suffixes=(".ss",),
    holds="9x9",
)
