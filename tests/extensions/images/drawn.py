"""Rendered boards for the tests, with the font that Pillow brings."""

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backends.native import Native
from harness.contract.options import Options
from harness.extensions.images.board import AnyArray
from harness.puzzles import Puzzle, Shape
from training.boards import Look, Rendered, font_glyphs, render
from training.distortions import Distortion, distorted

PUZZLE = Puzzle.of_line(
    "......6.4..9..6.2....31.5....85.3...1..64...5.6....8.......7......43..9...2...3..",
    Shape.parse("9x9"),
)
"""One solution."""
LOOK = Look(font_glyphs(None), cell=44, margin=40)


def drawn(puzzle: Puzzle = PUZZLE, how: Distortion | None = None, **look: Any) -> Rendered:
    """The image of a puzzle, with changes of `LOOK`."""
    random = np.random.default_rng(0)
    drawing = render(puzzle, replace(LOOK, **look), random)
    return drawing if how is None else distorted(drawing, how, random)


def cases(*values: object, short: int = 1) -> list[Any]:
    """Cases of a test, all but the first ones for the long tests only."""
    return [*values[:short], *(pytest.param(v, marks=pytest.mark.long) for v in values[short:])]


def file_of(image: AnyArray, kind: str = "PNG", **options: Any) -> bytes:
    """The bytes of an image file."""
    file = io.BytesIO()
    Image.fromarray(image).save(file, kind, **options)
    return file.getvalue()


def count(puzzle: Puzzle, limit: int) -> int | None:
    """The number of solutions, by the backend native in this process."""
    return Native(puzzle.shape, Options()).count(puzzle, limit).number


def some_givens(name: str, share: float = 0.4) -> Puzzle:
    """A board of this shape with random givens."""
    random = np.random.default_rng(len(name))
    shape = Shape.parse(name)
    values = random.integers(1, shape.size + 1, shape.size**2)
    mask = random.random(shape.size**2) < share
    return Puzzle(shape, tuple(int(v) if f else 0 for v, f in zip(values, mask, strict=True)))
