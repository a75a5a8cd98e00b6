"""Data of MiniZinc (.dzn) and of pycsp3 (JSON): one puzzle per file."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
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
    r"\b[A-Za-z_]\w*+\s*+=\s*+(?:array2d\s*+\(([^\[\]]{0,200}+)\[(?!\|)|\[\|)", re.ASCII
)
"""The start of an array, up to its first cell."""
_SIDE: Final = re.compile(r"\bS\s*=\s*([0-9]{1,2})\s*;", re.ASCII)
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*+\s*+=", re.ASCII)
_RANGE: Final = re.compile(r"\s*(\w+)\s*\.\.\s*(\w+)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Array:
    """A two-dimensional array."""

    start: int
    """Where its name is in the text."""
    sets: str | None
    """The index sets of ``array2d``; None for rows between bars."""
    rows: list[list[tuple[int, str]]]
    """The places and texts of the cells: rows between bars, or a single list."""


def _arrays(bare: str, name: str) -> Iterator[_Array]:
    """The arrays of a text without comments, in linear time.

    Raises:
        PuzzleError: one has no end.
    """
    at = 0
    while match := _ARRAY.search(bare, at):
        end = bare.find("]", match.end())
        if end < 0:
            raise PuzzleError(
                "no end of the array", where=_place(name, bare, match.start()), expected="]"
            )
        if match[1] is None:
            rows = list(_parts(bare, match.end(), end, "|"))
        else:
            rows = [(match.end(), end)]
        cells = [
            [
                (first + len(text) - len(text.lstrip()), text.strip())
                for first, last in _parts(bare, *row, ",")
                for text in [bare[first:last]]
            ]
            for row in rows
        ]
        yield _Array(match.start(), match[1], cells)
        at = end


def _parts(text: str, start: int, end: int, separator: str) -> Iterator[tuple[int, int]]:
    """The starts and ends of the parts of a text; a separator may end the last."""
    while start < end:
        at = text.find(separator, start, end)
        stop = end if at < 0 else at
        if at < 0 and not text[start:end].strip():
            return
        yield start, stop
        start = stop + 1


def _read_dzn(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    text = source.text()
    bare = _COMMENT.sub(lambda match: " " * len(match[0]), text)
    arrays = list(islice(_arrays(bare, source.name), 2))
    if len(arrays) != 1:
        raise PuzzleError(
            f"{'several' if arrays else 'no'} two-dimensional arrays",
            where=source.name,
            expected="one: x = array2d(1..9, 1..9, [...]) or x = [|...|]",
        )
    (array,) = arrays
    place = _place(source.name, text, array.start)
    cells = [cell for row in array.rows for cell in row]
    for at, cell in cells:
        if len(cell.split()) != 1:
            raise PuzzleError(
                f"{cell[:40]!r} is not a cell",
                where=_place(source.name, text, at),
                expected="values or _ with commas between them",
            )
    try:
        if array.sets is None:
            _check_rows(array, source.name, text)
        shape = reading.shape or _named(text, bare, source.name) or Shape.of_length(len(cells))
        if len(cells) != shape.size**2:
            raise PuzzleError(f"{len(cells)} cells for {shape}", expected=f"{shape.size**2} cells")
        if array.sets is not None:
            _check_sets(array.sets, shape, bare)
    except PuzzleError as error:
        raise (error if error.where else error.at(place)) from None
    values = []
    for at, cell in cells:
        try:
            values.append(value_of(cell, shape, ""))
        except PuzzleError as error:
            raise error.at(_place(source.name, text, at)) from None
    yield ParsedPuzzle(Puzzle(shape, tuple(values)), place, "1")


def _check_rows(array: _Array, name: str, text: str) -> None:
    """Check that the rows between bars are a square.

    Raises:
        PuzzleError: they are none.
    """
    width = len(array.rows[0]) if array.rows else 0
    for row in array.rows:
        if len(row) != width:
            raise PuzzleError(
                f"a row of {len(row)} cells",
                where=_place(name, text, row[0][0] if row else array.start),
                expected=f"{width} cells, as in the first row",
            )
    if len(array.rows) != width:
        raise PuzzleError(
            f"{len(array.rows)} rows of {width} cells", expected="as many rows as cells in a row"
        )


def _check_sets(sets: str, shape: Shape, bare: str) -> None:
    """Check the index sets of ``array2d`` if the file says what they are.

    Raises:
        PuzzleError: they have other sizes than `shape`.
    """
    parts = sets.split(",")
    size = shape.size
    if len(parts) != 3 or parts[2].strip():
        raise PuzzleError("malformed index sets", expected=f"array2d(1..{size}, 1..{size}, [...])")
    for part in parts[:2]:
        if not (ends := _RANGE.fullmatch(part)):
            continue
        low, high = (_number(end, bare) for end in ends.groups())
        if low is not None and high is not None and high - low + 1 != size:
            raise PuzzleError(
                f"the index sets {short_repr(sets.strip(' ,'))} for {shape}",
                expected=f"two of {size} values",
            )


def _number(text: str, bare: str) -> int | None:
    """The value of a number, or of a name that the file gives a number."""
    if text.isdigit():
        return int(text) if len(text) < 10 else None
    found = re.findall(rf"\b{text}\s*+=\s*+([0-9]{{1,9}})\s*+;", bare, re.ASCII)
    return int(found[0]) if len(found) == 1 else None


def _named(text: str, bare: str, name: str) -> Shape | None:
    """The shape that a comment names, or the side of a box; None if there is neither.

    Raises:
        PuzzleError: there is no such shape; with the position of its name.
    """
    if match := _SHAPE.search(text):
        spec = match[1]
    elif match := _SIDE.search(bare):
        spec = f"box{match[1]}x{match[1]}"
    else:
        return None
    try:
        return Shape.parse(spec)
    except PuzzleError as error:
        raise error.at(_place(name, text, match.start(1))) from None


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


def _is_dzn(head: Head) -> bool:
    text = "".join(line.raw for line in head.lines[:100])
    first = next((raw for line in head.lines if (raw := line.raw.strip()) and raw[0] != "%"), "")
    return _ASSIGNMENT.match(first) is not None and _ARRAY.search(text) is not None


DZN: Final = Format(
    name="dzn",
    title="data of MiniZinc with the cells in an array",
    read=_read_dzn,
    write=_write_dzn,
    can_hold=no_pencilmarks,
    detect=_is_dzn,
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
