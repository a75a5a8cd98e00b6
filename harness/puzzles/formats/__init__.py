"""Puzzle formats: reading with the position of every error, and writing.

Each module handles one format. `read_file` and `stream_file` detect it; `read_text` reads
lines and grids.
"""

from harness.puzzles.formats.format import Format, Head, ReadSettings, Symbols
from harness.puzzles.formats.grids import boxed, parse_puzzle, read_text
from harness.puzzles.formats.reading import read_file, stream_file
from harness.puzzles.formats.stream import ParsedPuzzle, TextSource

__all__ = [
    "Format",
    "Head",
    "ParsedPuzzle",
    "ReadSettings",
    "Symbols",
    "TextSource",
    "boxed",
    "parse_puzzle",
    "read_file",
    "read_text",
    "stream_file",
]
