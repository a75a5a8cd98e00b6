"""A process that reads what is drawn into cells.

    python -m harness.workbench.stroke_reader

It reads drawings from standard input, a line of JSON each, and writes the probabilities of a blank
and of each value to standard output. It ends with its input.
"""

import sys
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from harness.errors import HarnessError
from harness.images.classifier import read_strokes

Point = tuple[float, float]


class Drawing(Struct, frozen=True, forbid_unknown_fields=True):
    """What is drawn into a cell."""

    strokes: Annotated[list[list[Point]], Meta(max_length=200)]
    """The strokes; x and y of their points, from 0 at the left and the top of the cell to 1."""
    size: Annotated[int, Meta(ge=1, le=25)] = 9
    """Cells a side of the board."""


class Read(Struct, frozen=True):
    """What a drawing shows."""

    probabilities: list[float] = []
    """Of a blank, and of each value from 1."""
    error: str = ""


def main() -> None:
    """Read the drawings of standard input."""
    for line in sys.stdin.buffer:
        drawing = msgspec.json.decode(line, type=Drawing)
        try:
            read = Read(read_strokes(drawing.strokes, drawing.size, letters=True))
        except HarnessError as error:
            read = Read(error=str(error))
        sys.stdout.buffer.write(msgspec.json.encode(read) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
