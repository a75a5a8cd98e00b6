"""Puzzle files."""

from pathlib import Path

from harness.errors import PuzzleError
from harness.files import LARGEST_BYTES, read_file_text
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
    text = read_file_text(Path(path), LARGEST_BYTES, PuzzleError)
    parsed = list(_RECORDS.get(Path(path).suffix.lower(), read_text)(text, shape, name))
    if not parsed:
        raise PuzzleError("no puzzle in the file", where=name, expected="at least one puzzle")
    return parsed
