"""Finding out which format a text is in, and reading it."""

import sys
from collections.abc import Iterator
from math import isqrt
from pathlib import Path

from harness.errors import InputError
from harness.puzzles.formats.grid import is_border, read_grids, row_length
from harness.puzzles.formats.line import read_line
from harness.puzzles.formats.records import read_json, read_toml
from harness.puzzles.formats.source import Line, Read, content_lines
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import LARGEST, value_of

_RECORDS = {".toml": read_toml, ".json": read_json}


def read_file(path: Path | str, shape: Shape | None = None) -> list[Read]:
    """The puzzles in the file at `path`, or on standard input for ``-``.

    A name that ends in ``.toml`` or ``.json`` holds records, any other holds
    lines or grids. Without a `shape` each puzzle's follows from its length.

    Raises:
        InputError: the file cannot be read or holds no puzzle, or a puzzle in
            it is malformed; with file, line and column.
    """
    name = "standard input" if str(path) == "-" else str(path)
    try:
        text = sys.stdin.read() if str(path) == "-" else Path(path).read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError("no such file", where=name) from None
    except IsADirectoryError:
        raise InputError("a folder", where=name, expected="a file of puzzles") from None
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(error.encoding).split("\n")
        raise InputError(
            "bytes that are not UTF-8",
            where=f"{name}:{len(before)}:{len(before[-1]) + 1}",
            expected="a text of puzzles",
        ) from None
    except (OSError, ValueError) as error:  # a NUL in a path is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be read: {reason}", where=name) from None
    read = list(_RECORDS.get(Path(path).suffix.lower(), read_text)(text, shape, name))
    if not read:
        raise InputError("holds no puzzle", where=name, expected="at least one puzzle")
    return read


def read_text(text: str, shape: Shape | None = None, where: str = "text") -> Iterator[Read]:
    """The puzzles in `text`, as lines or as grids.

    Raises:
        InputError: a puzzle is malformed; with `where`, line and column.
    """
    lines = content_lines(text, where)
    if _is_grids(lines, shape):
        for first, puzzle in read_grids(lines, shape):
            yield Read(puzzle, first.place(), str(first.number))
    else:
        for line in lines:
            if line.text:
                yield Read(read_line(line, shape), line.place(), str(line.number))


def _is_grids(lines: list[Line], shape: Shape | None) -> bool:
    """Whether these lines are rows of grids rather than a puzzle each."""
    rows = [line for line in lines if line.text]
    if not rows:
        return False
    first = rows[0]
    if is_border(first):
        return True
    length = row_length(first)
    if length > LARGEST:
        return False
    if length != len(first.text):
        return True
    if shape is not None:
        return abs(length - shape.size) < abs(length - shape.size**2)
    if not _could_be_line(length):
        return True
    if [len(line.text) for line in rows[:length]] != [length] * length:
        return False
    # 16 lines of 16 symbols, or 36 of 36: a value too large for a line decides.
    side = isqrt(length)
    if any((value_of(symbol) or 0) > side for line in rows[:length] for symbol in line.text):
        return True
    raise InputError(
        f"{length} lines of {length} symbols may be puzzles of {side}x{side} "
        f"or one grid of {length}x{length}",
        where=first.place(),
        expected=f"the shape by name: --shape {side}x{side} or --shape {length}x{length}",
    )


def _could_be_line(length: int) -> bool:
    try:
        Shape.of_length(length)
    except InputError:
        return False
    return True
