"""Images of boards as applications and paper show them, for benchmarks.images and tests.

The applications are invented; their styles have the features of real ones.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import cos, pi, sin
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.random import Generator
from PIL import Image, ImageDraw, ImageFont

from harness.puzzles import Puzzle, Shape
from training.boards import Look, Rendered, font_glyphs, render
from training.distortions import Distortion, distorted
from training.fonts import any_font

Fonts = list[list[Path]]
"""Font files by typeface; if empty, the font of Pillow is used."""

# Screenshots of applications.


@dataclass(frozen=True, slots=True)
class Application:
    """How an application draws a board; lengths are shares of a cell."""

    page: str = "#ffffff"
    paper: str = "#ffffff"
    ink: str = "#202124"
    entry: str = "#2b62d9"
    """Colour of the values that a person typed."""
    thin: str = "#bdc1c6"
    thick: str = "#202124"
    thin_width: float = 0.02
    thick_width: float = 0.06
    border: bool = True
    boxes: tuple[str, ...] = ()
    """Colours of the boxes, in turn."""
    houses: str = ""
    """Colour of the houses of the selected cell."""
    selected: str = ""
    same: str = ""
    """Colour of the cells with the value of the selected one."""
    marks: str = ""
    """Colour of candidates in small digits."""
    dots: float = 0.0
    """Length of the dots of thin lines."""
    tiles: float = 0.0
    """Gap between cells that are tiles."""
    header: bool = False
    keypad: bool = False
    beside: bool = False
    """Whether the keypad is beside the board, with a frame for each digit."""


APPLICATIONS: Final = {
    "light, houses of the selected cell": Application(
        page="#f7f9fc", houses="#e2ebf7", selected="#bbdefb", same="#c3d7ea", header=True,
        keypad=True, thin="#c0c6d4", thick="#344861", ink="#344861",
    ),
    "light, candidates": Application(marks="#6b7280", selected="#fff3bf", thin="#9aa0a6"),
    "dark": Application(
        page="#121212", paper="#1e1e1e", ink="#e8eaed", entry="#8ab4f8", thin="#3c4043",
        thick="#9aa0a6", header=True, keypad=True,
    ),
    "dark, houses and candidates": Application(
        page="#0b1220", paper="#101a2c", ink="#dbe4f0", entry="#67b7ff", thin="#2c3b55",
        thick="#7187ad", houses="#18263f", selected="#25406b", same="#2a3f63", marks="#8fa3bf",
    ),
    "coloured boxes": Application(
        boxes=("#fde2e4", "#e2ece9", "#dfe7fd", "#fff1e6", "#f0efeb", "#cddafd", "#fad2e1",
               "#bee1e6", "#eae4e9"),
        thin="#ffffff", thick="#8d99ae", thin_width=0.03,
    ),
    "boxes in two colours": Application(
        boxes=("#f3e9dc", "#dbc9ae"), ink="#3b2f2f", entry="#a33b20", thin="#c2ab8b",
        thick="#6f5b3e", page="#fffaf2", thick_width=0.04,
    ),
    "no outer border": Application(border=False, thin="#d0d0d0", thick="#404040"),
    "dotted lines": Application(dots=0.08, thin="#707070", thick="#000000", thin_width=0.03),
    "tiles": Application(
        page="#c9d3df", paper="#ffffff", tiles=0.06, thick="#c9d3df", thin="#c9d3df",
        selected="#ffe08a", header=True,
    ),
    "wide page, keypad in frames": Application(
        page="#eeeeee", beside=True, header=True, thin="#999999", thick="#111111",
        houses="#f4f4d8", marks="#888888",
    ),
}  # fmt: skip
"""Ten styles by name."""


def screenshot(
    application: Application, puzzle: Puzzle, fonts: Fonts, random: Generator
) -> Rendered:
    """A board of 9 x 9 cells in an application; a third of its values are drawn as typed ones."""
    screen = _Screen(application, int(random.integers(32, 72)), fonts, random)
    screen.draw(puzzle)
    image = np.asarray(screen.image)
    kept = {"quality": int(random.integers(70, 95))} if random.random() < 0.3 else {}
    left, top, side = screen.left, screen.top, 9 * screen.cell
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32) * side + [left, top]
    seen = Rendered(image, corners.astype(np.float32))
    return distorted(seen, Distortion(**kept), random) if kept else seen


class _Screen:
    """An image of an application while it is drawn."""

    def __init__(self, style: Application, cell: int, fonts: Fonts, random: Generator) -> None:
        self._style = style
        self.cell = cell
        typeface = fonts[int(random.integers(len(fonts)))] if fonts else [None]
        self._font = typeface[int(random.integers(len(typeface)))]
        self._random = random
        self.left = int(random.uniform(0.1, 0.7) * cell) if style.border else round(0.4 * cell)
        self.top = self.left + (round(2.2 * cell) if style.header else 0)
        width = 9 * cell + 2 * self.left + (round(5.5 * cell) if style.beside else 0)
        height = 9 * cell + self.top + self.left + (3 * cell if style.keypad else 0)
        self.image = Image.new("RGB", (width, height), style.page)
        self._draw = ImageDraw.Draw(self.image)

    def draw(self, puzzle: Puzzle) -> None:
        """Draw all parts."""
        chosen = int(self._random.integers(81))
        self._cells(puzzle, chosen)
        self._lines()
        for at, value in enumerate(puzzle.givens):
            y, x = divmod(at, 9)
            if value:
                ink = self._style.entry if self._random.random() < 1 / 3 else self._style.ink
                self._text(str(value), x + 0.5, y + 0.5, 0.62, ink)
            elif self._style.marks and self._random.random() < 0.7:
                for mark in range(1, 10):
                    if self._random.random() < 0.35:
                        row, column = divmod(mark - 1, 3)
                        place = x + (2 * column + 1) / 6, y + (2 * row + 1) / 6
                        self._text(str(mark), *place, 0.24, self._style.marks)
        if self._style.header:
            self._text("Medium", 1.5, -1.4, 0.45, self._style.ink)
            self._text("03:57", 7.5, -1.4, 0.45, self._style.ink)
            self._text("Mistakes 1/3", 4.5, -0.7, 0.3, self._style.ink)
        if self._style.keypad:
            for value in range(1, 10):
                self._text(str(value), value - 0.5, 10.6, 0.8, self._style.entry)
            self._text("Undo     Erase     Notes     Hint", 4.5, 11.7, 0.3, self._style.ink)
        if self._style.beside:
            self._keypad_beside()

    def _place(self, x: float, y: float) -> tuple[int, int]:
        return round(self.left + x * self.cell), round(self.top + y * self.cell)

    def _text(self, text: str, x: float, y: float, height: float, colour: str) -> None:
        points = max(6, round(1.3 * height * self.cell))
        if self._font is None:
            font = ImageFont.load_default(points)
        else:
            font = ImageFont.truetype(str(self._font), points)
        self._draw.text(self._place(x, y), text, fill=colour, font=font, anchor="mm")

    def _cells(self, puzzle: Puzzle, chosen: int) -> None:
        style = self._style
        value = puzzle.givens[chosen]
        for at in range(81):
            y, x = divmod(at, 9)
            box = y // 3 * 3 + x // 3
            colour = style.boxes[box % len(style.boxes)] if style.boxes else style.paper
            if style.houses and at in puzzle.shape.peers[chosen]:
                colour = style.houses
            if style.same and value and puzzle.givens[at] == value:
                colour = style.same
            if style.selected and at == chosen:
                colour = style.selected
            gap = style.tiles / 2
            edges = [gap * (2.5 if place % 3 == 0 else 1) for place in (x, y, x + 1, y + 1)]
            start = self._place(x + edges[0], y + edges[1])
            end = self._place(x + 1 - edges[2], y + 1 - edges[3])
            corner = 0.12 * self.cell if style.tiles else 0
            self._draw.rounded_rectangle((*start, *end), corner, fill=colour)

    def _lines(self) -> None:
        style = self._style
        if style.tiles:
            return
        for thick in (False, True):
            width = max(1, round((style.thick_width if thick else style.thin_width) * self.cell))
            for at in range(10):
                if (at % 3 == 0) != thick or (at in (0, 9) and not style.border):
                    continue
                for upright in (False, True):
                    self._line(at, upright, width, style.thick if thick else style.thin, thick)

    def _line(self, at: int, upright: bool, width: int, colour: str, thick: bool) -> None:
        step = 0.0 if thick else self._style.dots
        starts = np.arange(0, 9, 2 * step) if step else [0.0]
        for start in starts:
            end = start + step if step else 9.0
            (x0, y0), (x1, y1) = (
                self._place(at, side) if upright else self._place(side, at) for side in (start, end)
            )
            across = (width // 2, 0) if upright else (0, width // 2)
            place = (x0 - across[0], y0 - across[1], x0 - across[0] + width - 1, y1)
            if not upright:
                place = (x0, y0 - across[1], x1, y0 - across[1] + width - 1)
            self._draw.rectangle(place, fill=colour)

    def _keypad_beside(self) -> None:
        for value in range(9):
            row, column = divmod(value, 3)
            x, y = 9.6 + 1.5 * column, 1.5 * row
            frame = (*self._place(x, y), *self._place(x + 1.4, y + 1.4))
            self._draw.rectangle(frame, outline=self._style.thick, width=2)
            self._text(str(value + 1), x + 0.7, y + 0.7, 0.7, self._style.entry)
        for number, text in enumerate(("New game", "Check", "Print")):
            self._text(text, 11.7, 5.5 + number, 0.35, self._style.ink)


# Paper.


def _paper(puzzle: Puzzle, fonts: Fonts, random: Generator, style: Look | None = None) -> Rendered:
    """A page as a printer makes it, straight from above."""
    style = style or _printed(fonts, random)
    return render(puzzle, style, random)


def _printed(fonts: Fonts, random: Generator) -> Look:
    return Look(
        any_font(fonts, random) if fonts else font_glyphs(None),
        cell=int(random.integers(40, 64)),
        height=float(random.uniform(0.45, 0.7)),
        thin=int(random.integers(1, 3)),
        thick=int(random.integers(3, 6)),
        ink=int(random.integers(0, 70)),
        line=int(random.integers(0, 90)),
        paper=int(random.integers(205, 250)),
        margin=int(random.integers(30, 110)),
        text=random.random() < 0.5,
        jitter=0.03,
    )


def _snapped(page: Rendered, random: Generator, angle: float = 5.0, tilt: float = 12.0) -> Rendered:
    """A page as a phone photographs it when held nearly straight."""
    how = Distortion(
        angle=float(random.uniform(-angle, angle)),
        tilt=float(random.uniform(0, tilt)),
        towards=float(random.uniform(0, 360)),
        blur=float(random.uniform(0.3, 0.9)),
        noise=float(random.uniform(1, 5)),
        quality=int(random.integers(60, 95)),
    )
    return distorted(page, how, random)


def thin_lines(puzzle: Puzzle, fonts: Fonts, random: Generator) -> Rendered:
    """Hairlines that are hardly darker than the paper, and box lines that are little thicker."""
    style = _printed(fonts, random)
    light = style.paper - int(random.integers(40, 80))
    return _snapped(
        _paper(puzzle, fonts, random, replace(style, thin=1, thick=2, thin_line=light)), random
    )


def dotted_lines(puzzle: Puzzle, fonts: Fonts, random: Generator) -> Rendered:
    """Thin lines that are rows of dots."""
    style = _printed(fonts, random)
    whole, without = (
        render(puzzle, replace(style, text=False, jitter=0, thin_line=line), random).image
        for line in (style.line, style.paper)
    )
    y, x = np.mgrid[: whole.shape[0], : whole.shape[1]]
    step = int(random.integers(3, 6))
    is_dot = (x // step + y // step) % 2 == 0
    page = np.where(is_dot, whole, without)
    low, high = style.margin, style.margin + puzzle.shape.size * style.cell
    corners = np.array([[low, low], [high, low], [high, high], [low, high]], dtype=np.float32)
    return _snapped(Rendered(np.asarray(page, dtype=np.uint8), corners), random)


def glare(puzzle: Puzzle, fonts: Fonts, random: Generator) -> Rendered:
    """The reflection of a lamp on glossy paper, in which ink and lines are hardly darker."""
    seen = _snapped(_paper(puzzle, fonts, random), random)
    height, width = seen.image.shape
    y, x = np.mgrid[:height, :width] / np.float32(max(height, width))
    turn = random.uniform(0, pi)
    centre = random.uniform(0.25, 0.75, 2)
    along = (x - centre[0]) * cos(turn) + (y - centre[1]) * sin(turn)
    across = (y - centre[1]) * cos(turn) - (x - centre[0]) * sin(turn)
    share = np.exp(-((along / 0.25) ** 2) - (across / random.uniform(0.06, 0.14)) ** 2)
    share = (random.uniform(0.5, 0.8) * share).clip(0, 1)
    image = (seen.image * (1 - share) + 255 * share).round().astype(np.uint8)
    return Rendered(image, seen.corners)


def hand_shadow(puzzle: Puzzle, fonts: Fonts, random: Generator) -> Rendered:
    """The shadow of a hand with its fingers."""
    seen = _snapped(_paper(puzzle, fonts, random), random)
    height, width = seen.image.shape
    mask = np.zeros((height, width), dtype=np.float32)
    palm = (int(width * random.uniform(0, 1)), int(height * random.uniform(0.7, 1)))
    cv2.circle(mask, palm, width // 5, 1.0, -1)
    first = random.uniform(-pi, -pi / 2)
    for finger in range(4):
        turn = first + finger * pi / 9
        length = random.uniform(0.35, 0.6) * width
        tip = (int(palm[0] + length * cos(turn)), int(palm[1] + length * sin(turn)))
        cv2.line(mask, palm, tip, 1.0, width // 14)
    edge = float(random.uniform(1, 10))
    mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), edge))
    image = (seen.image * (1 - random.uniform(0.3, 0.6) * mask)).round().astype(np.uint8)
    return Rendered(image, seen.corners)


def curved(puzzle: Puzzle, fonts: Fonts, random: Generator) -> Rendered:
    """Paper that bends by up to a third of a cell, as beside the fold of a book."""
    page = _paper(puzzle, fonts, random)
    height, width = page.image.shape
    y, x = np.mgrid[:height, :width].astype(np.float32)
    cell = (page.corners[1, 0] - page.corners[0, 0]) / puzzle.shape.size
    bend = random.uniform(0.1, 0.33) * cell * random.choice([-1, 1])
    if random.random() < 0.5:
        y = y + bend * np.sin(pi * x / width)
    else:
        x = x + bend * np.sin(pi * y / height)
    bent = cv2.remap(
        page.image,
        x.astype(np.float32),
        y.astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return _snapped(Rendered(np.asarray(bent), page.corners), random)


def cut_border(puzzle: Puzzle, fonts: Fonts, random: Generator) -> Rendered:
    """An image whose edge cuts off the outer line of the board, at one side or two."""
    seen = _snapped(_paper(puzzle, fonts, random), random, angle=0.7, tilt=2)
    cell = float(np.ptp(seen.corners[:, 0])) / puzzle.shape.size
    (left, top), (right, bottom) = seen.corners.min(axis=0), seen.corners.max(axis=0)
    inside = int(cell * random.uniform(0.03, 0.1))
    low, high = [0, 0], [seen.image.shape[1], seen.image.shape[0]]
    for side in random.choice(4, int(random.integers(1, 3)), replace=False):
        if side < 2:
            low[side] = int((left, top)[side]) + inside
        else:
            high[side - 2] = int((right, bottom)[side - 2]) - inside
    image = np.ascontiguousarray(seen.image[low[1] : high[1], low[0] : high[0]])
    return Rendered(image, (seen.corners - low).astype(np.float32))


def several_grids(puzzle: Puzzle, fonts: Fonts, random: Generator) -> Rendered:
    """A page with the puzzle, smaller boards with solutions, and text."""
    style = replace(_printed(fonts, random), cell=48, text=False, margin=20)
    large = _paper(puzzle, fonts, random, style).image
    solution = Puzzle(
        Shape.parse("9x9"), tuple((row * 3 + row // 3 + column) % 9 + 1 for row in range(9)
                                  for column in range(9)),
    )  # fmt: skip
    small = [
        render(solution, replace(style, cell=int(random.integers(18, 30)), margin=12), random).image
        for _ in range(int(random.integers(1, 5)))
    ]
    page = np.full((large.shape[0] + 330, max(1150, large.shape[1])), style.paper, dtype=np.uint8)
    left = int(random.integers(0, page.shape[1] - large.shape[1]))
    first = 0 if random.random() < 0.5 else 330
    page[first : first + large.shape[0], left : left + large.shape[1]] = large
    x, y = 0, 330 - first and large.shape[0] + 10
    for image in small:
        if x + image.shape[1] <= page.shape[1]:
            page[y : y + image.shape[0], x : x + image.shape[1]] = image
            x += image.shape[1] + 10
    low = np.array([left + 20, first + 20])
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * 9 * 48
    return _snapped(Rendered(page, (square + low).astype(np.float32)), random)


def turned(puzzle: Puzzle, fonts: Fonts, random: Generator) -> Rendered:
    """An image that was turned as a whole, by any angle."""
    return _snapped(_paper(puzzle, fonts, random), random, angle=180, tilt=8)


def coloured(puzzle: Puzzle, fonts: Fonts, random: Generator) -> Rendered:
    """Boxes in colours, on photographed paper."""
    style = APPLICATIONS["coloured boxes"]
    colours = tuple(
        f"#{''.join(f'{int(channel):02x}' for channel in random.integers(150, 256, 3))}"
        for _ in range(9)
    )
    seen = screenshot(replace(style, boxes=colours, thin="#777777"), puzzle, fonts, random)
    grey = np.asarray(Image.fromarray(seen.image).convert("L"))
    return _snapped(Rendered(grey, seen.corners), random)


def dark(puzzle: Puzzle, fonts: Fonts, random: Generator) -> Rendered:
    """The dark screen of a phone, photographed by another phone."""
    style = APPLICATIONS[("dark", "dark, houses and candidates")[int(random.integers(2))]]
    seen = screenshot(style, puzzle, fonts, random)
    grey = np.asarray(Image.fromarray(seen.image).convert("L"))
    return _snapped(Rendered(grey, seen.corners), random)


Scene = Callable[[Puzzle, Fonts, Generator], Rendered]

SCENES: Final[dict[str, Scene]] = {
    "thin and faint lines": thin_lines,
    "dotted lines": dotted_lines,
    "boxes in colours": coloured,
    "a dark screen": dark,
    "glare": glare,
    "the shadow of a hand": hand_shadow,
    "bent paper": curved,
    "a border that is cut off": cut_border,
    "several boards on a page": several_grids,
    "turned by any angle": turned,
}
"""Pages and screens that are photographed, by what makes them difficult."""
