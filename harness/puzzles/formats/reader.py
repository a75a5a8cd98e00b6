"""Puzzle files."""

import sys
from pathlib import Path

from harness.errors import PuzzleError
from harness.puzzles.formats.records import read_json, read_toml
from harness.puzzles.formats.source import ParsedPuzzle
from harness.puzzles.formats.text import read_text
from harness.puzzles.shape import Shape

_RECORDS = {".toml": read_toml, ".json": read_json}


def read_file(path: Path | str, shape: Shape | None = None) -> list[ParsedPuzzle]:
    """The puzzles in the file at `path`, or on standard input for ``-``.

    Files named ``*.toml`` or ``*.json`` hold records, all others lines or grids.
    Without a `shape` each puzzle's length determines its own.

    Raises:
        PuzzleError: the file cannot be read, is empty, or holds a malformed puzzle; with
            file, line and column.
    """
    name = "standard input" if str(path) == "-" else str(path)
    try:
        text = sys.stdin.read() if str(path) == "-" else Path(path).read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise PuzzleError("no such file", where=name) from None
    except IsADirectoryError:
        raise PuzzleError("is a directory", where=name, expected="a puzzle file") from None
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(error.encoding).split("\n")
        raise PuzzleError(
            "invalid UTF-8",
            where=f"{name}:{len(before)}:{len(before[-1]) + 1}",
            expected="a text file",
        ) from None
    except (OSError, ValueError) as error:  # a NUL in a path is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise PuzzleError(f"cannot be read: {reason}", where=name) from None
    parsed = list(_RECORDS.get(Path(path).suffix.lower(), read_text)(text, shape, name))
    if not parsed:
        raise PuzzleError("no puzzle in the file", where=name, expected="at least one puzzle")
    return parsed
