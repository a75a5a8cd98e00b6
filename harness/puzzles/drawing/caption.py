"""Text around the grid of an SVG drawing: the names of rows and columns, and a caption."""

import textwrap
from collections.abc import Iterator
from html import escape
from typing import Final

from harness.text import printable

_TEXT: Final = "#111111"
_NAME: Final = "#666666"
_CHARACTER: Final = 0.6
"""The width of a character, by the size of its type; few characters are wider on average."""
_LEADING: Final = 1.35
_SMALLEST: Final = 13.0


def name_room(side: int) -> int:
    """The room beside a grid for the names of lines whose cells have this side."""
    return round(0.5 * side)


def line_names(size: int, side: int) -> Iterator[str]:
    """The names R1, R2 and so on at the left of a grid at the origin, C1, C2 and so on above."""
    font = 0.85 * _font(side)
    for at in range(size):
        middle = (at + 0.5) * side
        yield _name(f"C{at + 1}", middle, -0.14 * side, font, "middle")
        yield _name(f"R{at + 1}", -0.09 * side, middle + 0.36 * font, font, "end")


def caption_height(text: str, size: int, side: int) -> int:
    """The height of a caption below a grid; 0 without text."""
    lines = len(_wrapped(text, size, side))
    return round((lines + 0.5) * _LEADING * _font(side)) if lines else 0


def caption(text: str, size: int, side: int) -> Iterator[str]:
    """The lines of a text below a grid at the origin, not wider than the grid."""
    font = _font(side)
    for number, line in enumerate(_wrapped(text, size, side), 1):
        yield (
            f'<text class="caption" x="0" y="{size * side + number * _LEADING * font:.1f}" '
            f'font-size="{font:.1f}" text-anchor="start" fill="{_TEXT}">{escape(line)}</text>'
        )


def _font(side: int) -> float:
    """The size of the type, by the side of a cell."""
    return max(_SMALLEST, 0.22 * side)


def _wrapped(text: str, size: int, side: int) -> list[str]:
    width = max(1, int(size * side / (_CHARACTER * _font(side))))
    return textwrap.wrap(printable(text), width, break_on_hyphens=False)


def _name(text: str, x: float, y: float, font: float, anchor: str) -> str:
    return (
        f'<text class="name" x="{x:.1f}" y="{y:.1f}" font-size="{font:.1f}" '
        f'text-anchor="{anchor}" fill="{_NAME}">{text}</text>'
    )
