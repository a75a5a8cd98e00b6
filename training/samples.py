"""Samples: the isolated ink of the cells of rendered boards, with the symbols in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.random import Generator

from harness.extensions.images.board import AnyArray, Grey, rectify
from harness.extensions.images.cells import inks
from harness.extensions.images.scan import SYMBOLS
from harness.extensions.images.scanning import scaled
from harness.puzzles import Puzzle, Shape
from training.boards import Glyphs, Look, Rendered, render, text_of
from training.distortions import Distortion, distorted
from training.fonts import any_font
from training.handwriting import hand_glyphs

_CLASS: Final = {symbol: number for number, symbol in enumerate(SYMBOLS)}


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Isolated inks and their classes."""

    patches: Grey
    classes: AnyArray
    """Indices into `harness.extensions.images.scan.SYMBOLS`."""
    handwritten: AnyArray
    """1 for handwritten, 0 for printed ink, -1 for neither."""

    def selected(self, chosen: AnyArray) -> "Samples":
        """The samples that a mask or indices choose."""
        return Samples(self.patches[chosen], self.classes[chosen], self.handwritten[chosen])

    @staticmethod
    def joined(parts: "list[Samples]") -> "Samples":
        """All samples of several parts."""
        return Samples(
            np.concatenate([part.patches for part in parts]),
            np.concatenate([part.classes for part in parts]),
            np.concatenate([part.handwritten for part in parts]),
        )


@dataclass(frozen=True, slots=True)
class Mixture:
    """Numbers of boards."""

    digits: int
    """9x9, printed."""
    handwritten: int
    """9x9, with handwritten digits."""
    mixed: int
    """9x9, where some digits are printed and the others handwritten."""
    numerals: int
    """25x25 with 1 to 25."""
    letters: int
    """25x25 with 1 to 9 and A to P."""


def samples(
    fonts: list[list[Path]],
    how_many: Mixture,
    random: Generator,
    *,
    held_out: bool,
    digits: Path | None = None,
) -> Samples:
    """Samples of this many boards.

    Args:
        fonts: font files by typeface; each typeface is as frequent as any other.
        how_many: numbers of boards.
        random: the source of randomness.
        held_out: whether handwritten digits are those of tests.
        digits: the folder with the package `mnist`; without one all handwritten digits are small.
    """

    def printed() -> Glyphs:
        return any_font(fonts, random)

    def handwritten() -> Glyphs:
        small = digits is None or random.random() < 0.25
        return hand_glyphs(random, held_out=held_out, folder=None if small else digits)

    kinds = [
        *(("9x9", (printed,), number % 2 == 1, False) for number in range(how_many.digits)),
        *(("9x9", (handwritten,), False, False) for _ in range(how_many.handwritten)),
        *(
            ("9x9", (printed, handwritten), number % 6 == 5, False)
            for number in range(how_many.mixed)
        ),
        *(
            ("25x25", (printed if number % 6 else handwritten,), False, False)
            for number in range(how_many.numerals)
        ),
        *(("25x25", (printed,), False, True) for _ in range(how_many.letters)),
    ]
    return Samples.joined(
        [
            _board(
                shape,
                [(made(), made is handwritten) for made in makers],
                random,
                dark,
                letters=letters,
            )
            for shape, makers, dark, letters in kinds
        ]
    )


def _board(
    shape_name: str,
    pens: Sequence[tuple[Glyphs, bool]],
    random: Generator,
    dark: bool,
    *,
    letters: bool = False,
) -> Samples:
    """The inks of a board, whose digits are from one of the `pens`: glyphs, and whether by hand."""
    shape = Shape.parse(shape_name)
    size = shape.size
    values = random.integers(1, size + 1, size**2)
    filled = random.random(size**2) < 0.75
    puzzle = Puzzle(shape, tuple(int(v) if f else 0 for v, f in zip(values, filled, strict=True)))
    of_hand: list[bool] = []
    smaller = float(random.uniform(0.5, 1)) if len(pens) > 1 else 1.0
    fainter = float(random.uniform(0.45, 1))

    def glyphs(text: str, height: int) -> Grey:
        drawn, by_hand = pens[int(random.integers(len(pens)))]
        of_hand.append(by_hand)
        if not by_hand:
            return drawn(text, height)
        varied = smaller * random.uniform(0.85, 1.15)
        image = drawn(text, max(6, round(varied * height)))
        return np.asarray(np.round(image * fainter), dtype=np.uint8)

    style = _look(glyphs, size, random, dark, letters)
    seen = distorted(render(puzzle, style, random), _camera(size, random), random)
    grey = scaled(seen.image)
    factor = grey.shape[0] / seen.image.shape[0]
    error = random.normal(0, 0.012 * style.cell, (4, 2))
    corners = ((seen.corners + error) * factor).astype(np.float32)
    patches = inks(rectify(_specked(grey, Rendered(grey, corners), random), corners, size), size)
    classes = [
        _CLASS[text_of(puzzle.givens[cell], letters=letters)] if puzzle.givens[cell] else 0
        for cell in patches.cells
    ]
    pen = iter(of_hand)
    hands = [int(next(pen)) if value else -1 for value in puzzle.givens]
    return Samples(
        patches.patches,
        np.array(classes, dtype=np.int64),
        np.array([hands[cell] for cell in patches.cells], dtype=np.int64),
    )


def _look(glyphs: Glyphs, size: int, random: Generator, dark: bool, letters: bool) -> Look:
    cell = int(random.integers(26, 70) if size == 9 else random.integers(26, 46))
    ink, paper = int(random.integers(0, 110)), int(random.integers(190, 256))
    line, thin_line = int(random.integers(0, 120)), int(random.integers(0, 190))
    if dark:
        ink, paper, line, thin_line = 255 - ink, 255 - paper, 255 - line, 255 - thin_line

    def bolder(text: str, height: int) -> Grey:
        image = glyphs(text, height)
        return stroke(image) if change else image

    change = random.random() < 0.3
    kernel = np.ones((2, 2), np.uint8)
    thinner = random.random() < 0.4

    def stroke(image: Grey) -> Grey:
        if thinner and min(image.shape) > 12:
            return np.asarray(cv2.erode(image, kernel))
        return np.asarray(cv2.dilate(image, kernel))

    return Look(
        bolder,
        cell=cell,
        height=float(random.uniform(0.42, 0.78) if size == 9 else random.uniform(0.42, 0.66)),
        thin=int(random.integers(1, max(2, cell // 20) + 1)),
        thick=int(random.integers(2, max(3, cell // 10) + 1)),
        ink=ink,
        paper=paper,
        line=line,
        thin_line=thin_line,
        margin=cell,
        letters=letters,
        jitter=float(random.uniform(0, 0.1)),
    )


def _camera(size: int, random: Generator) -> Distortion:
    if random.random() < 0.25:  # a screenshot or a scan
        return Distortion(noise=float(random.uniform(0, 3)), quality=int(random.integers(50, 100)))
    return Distortion(
        angle=float(random.uniform(-12, 12)),
        tilt=float(random.uniform(0, 32)),
        towards=float(random.uniform(0, 360)),
        scale=float(random.uniform(0.65, 1.4) if size == 9 else random.uniform(0.9, 1.4)),
        light=float(random.uniform(0, 0.5)),
        shadow=float(random.uniform(0, 0.5)) * (random.random() < 0.5),
        blur=float(random.uniform(0, 1.5)),
        noise=float(random.uniform(0, 12)),
        quality=int(random.integers(35, 95)),
    )


def _specked(grey: Grey, board: Rendered, random: Generator) -> Grey:
    """The image with some scratches and specks on the board."""
    image = grey.copy()
    low, high = board.corners.min(axis=0), board.corners.max(axis=0)
    span = float((high - low).max())
    for _ in range(int(random.integers(0, 14))):
        start = random.uniform(low, high)
        end = start + random.normal(0, 0.03 * span, 2)
        colour = int(random.integers(0, 256))
        cv2.line(
            image,
            (int(start[0]), int(start[1])),
            (int(end[0]), int(end[1])),
            colour,
            int(random.integers(1, 4)),
            cv2.LINE_AA,
        )
    return image
