"""Puzzle texts: reading them with the place of every mistake, and writing them.

Each module is one format. `read_text` and `read_file` find out which it is.
"""

from harness.puzzles.formats.draw import boxed
from harness.puzzles.formats.reader import read_file, read_text
from harness.puzzles.formats.source import Read

__all__ = ["Read", "boxed", "read_file", "read_text"]
