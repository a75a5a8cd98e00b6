"""Puzzle formats: reading with the position of every error, and writing.

Each module handles one format. `read_file` and `stream_file` detect it; `read_text` reads
lines and grids.
"""

from harness.puzzles.formats.conventions import Symbols
from harness.puzzles.formats.draw import boxed
from harness.puzzles.formats.format import Format, Head, Reading
from harness.puzzles.formats.reader import read_file, stream_file
from harness.puzzles.formats.source import ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.formats.text import parse_puzzle, read_text

__all__ = [
    "Format",
    "Head",
    "ParsedPuzzle",
    "Reading",
    "Source",
    "Symbols",
    "boxed",
    "parse_puzzle",
    "read_file",
    "read_text",
    "stream_file",
]
