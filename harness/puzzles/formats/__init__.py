"""Puzzle formats: reading with the position of every error, and writing.

Each module handles one format. `read_text` and `read_file` detect it.
"""

from harness.puzzles.formats.draw import boxed
from harness.puzzles.formats.reader import read_file
from harness.puzzles.formats.source import ParsedPuzzle
from harness.puzzles.formats.text import parse_puzzle, read_text

__all__ = ["ParsedPuzzle", "boxed", "parse_puzzle", "read_file", "read_text"]
