"""Renders boards: a puzzle, lines and glyphs on a page, seen straight from above."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.random import Generator
from PIL import Image, ImageDraw, ImageFont

from harness.extensions.images.board import Floats, Grey
from harness.puzzles import Puzzle, Shape, symbol_of

Glyphs = Callable[[str, int], Grey]
"""The ink of a text in this height, 255 for full ink; rows and columns."""

TEXT: Final = (
    "Fill in the grid so that every row, every column and every box contains each value once. "
    "Difficulty: moderate. The solution of yesterday's puzzle is on page 42. No. 1734, 1 9 6 3. "
)


@dataclass(frozen=True, slots=True)
class Look:
    """How a board is drawn; lengths are in pixels, colours are grey values."""

    glyphs: Glyphs
    cell: int = 48
    height: float = 0.6
    """Height of a digit as a share of the cell."""
    thin: int = 1
    thick: int = 3
    ink: int = 0
    line: int = 0
    thin_line: int | None = None
    """Colour of thin lines, if another one than that of thick lines."""
    paper: int = 255
    margin: int = 60
    """Of the page around the board."""
    letters: bool = False
    """Whether values from 10 are letters."""
    text: bool = False
    """Whether there is text on the page around the board."""
    jitter: float = 0.0
    """Shift of the glyphs, as a share of the cell."""
    shaded_box: bool = False
    """Whether every other box has a grey background."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """An image of a board."""

    image: Grey
    corners: Floats
    """x and y of the corners of the board, clockwise from the upper left."""


def font_glyphs(path: Path | None, weight: float = 0.5) -> Glyphs:
    """The glyphs of a font file; without one those of the font that Pillow brings.

    Args:
        path: the file.
        weight: 0 to 1, from light to bold, for a variable font.
    """

    @lru_cache(maxsize=256)
    def glyph(text: str, height: int) -> Grey:
        points = 2 * height
        for _ in range(3):
            font = _font(path, points, weight)
            left, top, right, bottom = font.getbbox("1234567890")
            points = max(6, round(points * height / max(1.0, bottom - top)))
        font = _font(path, points, weight)
        left, top, right, bottom = font.getbbox(text)
        size = (max(1, round(right - left)), max(1, round(bottom - top)))
        image = Image.new("L", size)
        ImageDraw.Draw(image).text((-left, -top), text, fill=255, font=font)
        return np.asarray(image)

    return glyph


@lru_cache(maxsize=4096)
def _font(path: Path | None, points: int, weight: float) -> ImageFont.FreeTypeFont:
    if path is None:
        font = ImageFont.load_default(points)
        assert isinstance(font, ImageFont.FreeTypeFont)
        return font
    font = ImageFont.truetype(str(path), points)
    try:
        axes = font.get_variation_axes()
    except OSError:  # not a variable font
        return font
    font.set_variation_by_axes(
        [
            axis["minimum"] + weight * (axis["maximum"] - axis["minimum"])
            if axis["name"] in (b"Weight", "Weight")
            else axis["default"]
            for axis in axes
        ]
    )
    return font


def text_of(value: int, *, letters: bool) -> str:
    """A value as it is printed: a numeral, or from 10 on a letter."""
    return symbol_of(value) if letters else str(value)


def render(puzzle: Puzzle, style: Look, random: Generator) -> Rendered:
    """The image of a puzzle."""
    size, cell, margin = puzzle.shape.size, style.cell, style.margin
    side = size * cell
    page = side + 2 * margin
    image = Image.new("L", (page, page), style.paper)
    draw = ImageDraw.Draw(image)
    if style.text:
        _write(draw, page, margin, style, random)
    if style.shaded_box:
        _shade(draw, puzzle.shape, style)
    _lines(draw, puzzle.shape, style)
    canvas = np.asarray(image, dtype=np.float32).copy()
    for at, value in enumerate(puzzle.givens):
        if value:
            row, column = divmod(at, size)
            _put(canvas, text_of(value, letters=style.letters), row, column, style, random)
    low, high = margin, margin + side
    corners = np.array([[low, low], [high, low], [high, high], [low, high]], dtype=np.float32)
    return Rendered(np.clip(np.round(canvas), 0, 255).astype(np.uint8), corners)


def _write(
    draw: ImageDraw.ImageDraw, page: int, margin: int, style: Look, random: Generator
) -> None:
    points = max(8, min(margin // 4, 22))
    font = _font(None, points, 0.5)
    start = int(random.integers(len(TEXT)))
    words = (TEXT[start:] + TEXT) * 4
    columns = max(1, page // (points // 2))
    for number, y in enumerate(range(points // 2, page - points, round(1.5 * points))):
        if y < margin - 1.6 * points or y > page - margin + 0.6 * points:
            line = words[number * 7 % len(TEXT) :][:columns]
            draw.text((points, y), line, fill=style.ink, font=font)


def _shade(draw: ImageDraw.ImageDraw, shape: Shape, style: Look) -> None:
    grey = round(0.87 * style.paper + 0.13 * style.line)
    for house in shape.houses:
        if house.kind == "box" and house.number % 2:
            for at in house.cells:
                row, column = divmod(at, shape.size)
                x, y = style.margin + column * style.cell, style.margin + row * style.cell
                draw.rectangle((x, y, x + style.cell, y + style.cell), fill=grey)


def _lines(draw: ImageDraw.ImageDraw, shape: Shape, style: Look) -> None:
    size, cell, margin = shape.size, style.cell, style.margin
    region = [0] * size**2
    for house in shape.houses:
        if house.kind in ("box", "region"):
            for at in house.cells:
                region[at] = house.number
    thin_line = style.line if style.thin_line is None else style.thin_line
    thick: list[tuple[int, int, int, int]] = []
    for row in range(size):
        for column in range(size + 1):
            at = row * size + column
            edge = column in (0, size) or region[at] != region[at - 1]
            for x0, y0, x1, y1 in (
                (column, row, column, row + 1),  # an upright line
                (row, column, row + 1, column),  # and its mirror image
            ):
                upright = x0 == x1
                if not upright and 0 < column < size:
                    edge = region[column * size + row] != region[(column - 1) * size + row]
                place = (x0, y0, x1, y1)
                if edge or column in (0, size):
                    thick.append(place)
                else:
                    _line(draw, place, style.thin, thin_line, cell, margin)
    for place in thick:
        _line(draw, place, style.thick, style.line, cell, margin)


def _line(
    draw: ImageDraw.ImageDraw,
    place: tuple[int, int, int, int],
    width: int,
    colour: int,
    cell: int,
    margin: int,
) -> None:
    x0, y0, x1, y1 = (margin + cell * at for at in place)
    before, after = width // 2, (width - 1) // 2
    draw.rectangle((x0 - before, y0 - before, x1 + after, y1 + after), fill=colour)


def _put(canvas: Floats, text: str, row: int, column: int, style: Look, random: Generator) -> None:
    """Draw a text into a cell."""
    cell = style.cell
    ink = style.glyphs(text, max(5, round(style.height * cell)))
    most = round(0.86 * cell)
    if max(ink.shape) > most:
        factor = most / max(ink.shape)
        height, width = (max(1, round(length * factor)) for length in ink.shape)
        ink = np.asarray(Image.fromarray(ink).resize((width, height), Image.Resampling.LANCZOS))
    height, width = ink.shape
    shift = style.jitter * cell
    dx, dy = random.uniform(-shift, shift, 2) if shift else (0.0, 0.0)
    x = style.margin + column * cell + round((cell - width) / 2 + dx)
    y = style.margin + row * cell + round((cell - height) / 2 + dy)
    under = canvas[y : y + height, x : x + width]
    share = ink.astype(np.float32)[: under.shape[0], : under.shape[1]] / 255
    under += share * (style.ink - under)
