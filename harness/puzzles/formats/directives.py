"""Comments that say how the puzzles below them are read: ``# shape: latin7``.

``# symbols: hex`` names the symbols of values above 9. What the user chooses comes before
what a comment says.
"""

import re
from dataclasses import replace
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats.conventions import Symbols, symbols_named
from harness.puzzles.formats.format import Reading
from harness.puzzles.formats.source import Line
from harness.puzzles.shape import Shape

_DIRECTIVE: Final = re.compile(r"#\s*(shape|symbols):\s*(\S+)\s*")


class Directives:
    """How the puzzles after the comments seen so far are read."""

    def __init__(self, reading: Reading) -> None:
        self._chosen = reading
        self.reading = reading

    def note(self, line: Line) -> None:
        """Follow a comment, if it is a directive.

        Raises:
            PuzzleError: no shape or no convention has this name.
        """
        match = _DIRECTIVE.fullmatch(line.raw.strip())
        if not match:
            return
        try:
            if match[1] == "shape":
                shape = self._chosen.shape or Shape.parse(match[2])
                self.reading = replace(self.reading, shape=shape)
            else:
                symbols = self._chosen.symbols or symbols_named(match[2])
                self.reading = replace(self.reading, symbols=symbols)
        except PuzzleError as error:
            raise error.at(line.place()) from None


def directives(shape: Shape, named: bool) -> str:
    """The comments that a file of puzzles of `shape` needs to be read back.

    Args:
        shape: the shape of the puzzles that follow.
        named: whether the puzzles alone do not determine it.
    """
    symbols = f"# symbols: {Symbols.LETTERS}\n" if shape.size > 9 else ""
    return f"# shape: {shape.definition}\n{symbols}" if named else symbols
