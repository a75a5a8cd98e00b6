"""Candidates of a board as a short text, for links and drawings.

For each cell, row by row, ``.`` stands for no candidates; otherwise a number in base 32 with
as many digits as the size needs (one for each five values, rounded up), whose bit ``v - 1`` is the
value ``v``. Dots at the end may be left out. The digits are 0-9 and a-v.
"""

import re
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.puzzle import Pencilmarks
from harness.puzzles.shape import Shape

_BITS: Final = 5
"""Bits of a digit."""


def candidates_in(text: str, shape: Shape) -> Pencilmarks:
    """The candidates of each cell as bits; 0 for a cell without.

    Raises:
        PuzzleError: the text is malformed.
    """
    width = -(-shape.size // _BITS)
    number = re.compile(f"[0-9a-v]{{{width}}}")
    found: list[int] = []
    at = 0
    while at < len(text):
        if len(found) == shape.size**2:
            raise PuzzleError(
                f"candidates of more than {shape.size**2} cells for {shape}",
                expected=f"{shape.size**2} cells",
            )
        if text[at] == ".":
            found.append(0)
            at += 1
            continue
        match = number.match(text, at)
        bits = int(match[0], 32) if match else 0
        if not 0 < bits < 2**shape.size:
            digits = "a digit" if width == 1 else f"{width} digits"
            raise PuzzleError(
                f"malformed candidates {text[at : at + width]!r}",
                where=shape.cell_name(len(found)),
                expected=f". or {digits} of base 32",
            )
        found.append(bits)
        at += width
    return (*found, *(0,) * (shape.size**2 - len(found)))
