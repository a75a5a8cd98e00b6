"""Data of MiniZinc (.dzn) and of pycsp3 (JSON): one puzzle per file."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from harness.errors import PuzzleError
from harness.files import parse_json
from harness.puzzles.formats.format import Format, Head, Reading, boxed_only, no_pencilmarks
from harness.puzzles.formats.numbers import value_of
from harness.puzzles.formats.source import ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.text import short_repr

_SHAPE: Final = re.compile(r"%\s*shape:\s*(\S+)\s*")
_COMMENT: Final = re.compile(r"%[^\n]*")
_ARRAY: Final = re.compile(
    r"\b[A-Za-z_]\w*\s*=\s*(?:array2d\s*\([^\[\]]{0,200}\[(?!\|)|\[\|)([^\]]*?)\|?\s*\]", re.ASCII
)
_SIDE: Final = re.compile(r"\bS\s*=\s*([0-9]{1,2})\s*;", re.ASCII)
_CELL: Final = re.compile(r"[^\s,|]+")


def _read_dzn(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    text = source.text()
    bare = _COMMENT.sub(lambda match: " " * len(match[0]), text)
    arrays = list(_ARRAY.finditer(bare))
    if len(arrays) != 1:
        raise PuzzleError(
            f"{len(arrays)} two-dimensional arrays",
            where=source.name,
            expected="one: x = array2d(1..9, 1..9, [...]) or x = [|...|]",
        )
    start = arrays[0].start(1)
    cells = list(_CELL.finditer(arrays[0][1]))
    try:
        shape = reading.shape or _named(text, bare) or Shape.of_length(len(cells))
    except PuzzleError as error:
        raise error.at(_place(source.name, text, start)) from None
    if len(cells) != shape.size**2:
        raise PuzzleError(
            f"{len(cells)} cells for {shape}",
            where=_place(source.name, text, start),
            expected=f"{shape.size**2} cells",
        )
    values = [
        value_of(cell[0], shape, _place(source.name, text, start + cell.start())) for cell in cells
    ]
    place = _place(source.name, text, arrays[0].start())
    yield ParsedPuzzle(Puzzle(shape, tuple(values)), place, "1")


def _named(text: str, bare: str) -> Shape | None:
    if match := _SHAPE.search(text):
        return Shape.parse(match[1])
    if match := _SIDE.search(bare):
        return Shape.parse(f"box{match[1]}x{match[1]}")
    return None


def _place(name: str, text: str, at: int) -> str:
    before = text[:at]
    return f"{name}:{before.count(chr(10)) + 1}:{at - before.rfind(chr(10))}"


def _write_dzn(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        shape = parsed.puzzle.shape
        if shape.spec != f"{shape.size}x{shape.size}" or shape.size == 27:
            yield f"% shape: {shape.definition}\n"
        yield f"n = {shape.size};\nx = array2d(1..n, 1..n, [\n"
        for row in parsed.puzzle.rows():
            yield "  " + ", ".join(str(value or "_") for value in row) + ",\n"
        yield "]);\n"


DZN: Final = Format(
    name="dzn",
    title="data of MiniZinc with the cells in an array",
    read=_read_dzn,
    write=_write_dzn,
    can_hold=no_pencilmarks,
    suffixes=(".dzn",),
    holds="every shape, without pencilmarks",
    single=True,
)


def _read_pycsp3(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    data: Any = parse_json(source.text(), source.name, PuzzleError)
    clues = data.get("clues") if isinstance(data, dict) else None
    if not isinstance(clues, list) or not all(isinstance(row, list) for row in clues):
        raise PuzzleError("no clues", where=source.name, expected='"clues": a list of rows')
    size = data.get("n", len(clues))
    if type(size) is int and size != len(clues) and size**2 != len(clues):
        raise PuzzleError(
            f"n is {short_repr(size)}", where=source.name, expected=f"{len(clues)}, as many as rows"
        )
    try:
        puzzle = Puzzle.from_rows(clues, reading.shape)
    except PuzzleError as error:
        raise error.at(f"{source.name}: {error.where or 'clues'}") from None
    yield ParsedPuzzle(puzzle, source.name, "1")


def _write_pycsp3(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        rows = ",\n".join(f"    {json.dumps(row)}" for row in parsed.puzzle.rows())
        yield f'{{\n  "n": {parsed.puzzle.shape.size},\n  "clues": [\n{rows}\n  ]\n}}\n'


def _is_pycsp3(head: Head) -> bool:
    text = "".join(line.raw for line in head.lines[:100])
    return text.lstrip().startswith("{") and '"clues"' in text and '"puzzle"' not in text


PYCSP3: Final = Format(
    name="pycsp3",
    title="data of pycsp3 in JSON: n and clues",
    read=_read_pycsp3,
    write=_write_pycsp3,
    can_hold=boxed_only,
    detect=_is_pycsp3,
    holds="boxed shapes",
    single=True,
)
