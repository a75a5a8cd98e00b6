"""An image to a scan: the board, its shape and the probabilities of its cells."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from harness.errors import InputError
from harness.images.board import Board, find_board
from harness.images.cells import inks
from harness.images.classifier import has_letters, symbol_probabilities, value_probabilities
from harness.images.decoding import decode
from harness.images.regions import FoundShape, shape_of
from harness.images.scan import Scan
from harness.images.symbols import LARGEST
from harness.images.types import Floats, Grey
from harness.puzzles.shape import Shape

_NO_INK: Final = 0.9998
"""Probability of a blank where no ink is found."""
_NO_GLYPH: Final = 0.97
"""Probability of a blank where something dark is no glyph."""
_CONFIDENT: Final = 0.97
"""Mean probability of the likeliest symbols of an upright board."""
_BETTER: Final = 0.04


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """The cells of a board in one orientation."""

    turns: int
    cells: tuple[int, ...]
    unclear: tuple[int, ...]
    symbols: Floats

    @property
    def confidence(self) -> float:
        """The mean probability of the likeliest symbols; 1 without any ink."""
        return float(self.symbols.max(axis=1).mean()) if len(self.symbols) else 1.0


def scan(data: bytes, shape: Shape | None = None, name: str = "image") -> Scan:
    """Scan the bytes of an image file; see `harness.images.fence` for files of strangers.

    Args:
        data: the content of the file.
        shape: the shape of the board; None to recognise it.
        name: the file, for errors.

    Raises:
        InputError: the file is not an image, is too large or damaged, or shows no board.
    """
    return scan_of(decode(data, name), shape, name)


def scan_of(grey: Grey, shape: Shape | None = None, name: str = "image") -> Scan:
    """Scan an image; the arguments are those of `scan`.

    Raises:
        InputError: the image shows no board.
    """
    if shape is not None and shape.size > LARGEST:
        expected = f"a shape of at most {LARGEST} rows"
        raise InputError(f"{shape} has {shape.size} rows", where="shape", expected=expected)
    board = find_board(grey, shape.size if shape else None, name)
    read = _oriented(board)
    size = board.size
    found = FoundShape(shape, is_clear=True) if shape else shape_of(_turned(board, read.turns))
    letters = has_letters(read.symbols, size)
    values = np.full((size**2, size + 1), (1 - _NO_INK) / size, dtype=np.float32)
    values[:, 0] = _NO_INK
    values[list(read.unclear)] = (1 - _NO_GLYPH) / size
    values[list(read.unclear), 0] = _NO_GLYPH
    values[list(read.cells)] = value_probabilities(read.symbols, size, letters=letters)
    height, width = grey.shape
    corners = np.roll(board.corners, -read.turns, axis=0) / np.array([width, height])
    return Scan(
        shape=found.shape.definition,
        is_shape_clear=found.is_clear,
        corners=[(float(x), float(y)) for x, y in corners.clip(-0.5, 1.5)],
        probabilities=[[round(float(p), 6) for p in row.clip(0, 1)] for row in values],
        has_letters=letters,
        score=board.score,
    )


def _oriented(board: Board) -> _Read:
    """The cells as they are, or after quarter turns if that makes the symbols much clearer."""
    upright = _read(board, 0)
    if upright.confidence >= _CONFIDENT:
        return upright
    best = max((_read(board, turns) for turns in (1, 2, 3)), key=lambda read: read.confidence)
    return best if best.confidence > upright.confidence + _BETTER else upright


def _read(board: Board, turns: int) -> _Read:
    found = inks(_turned(board, turns).rectified, board.size)
    symbols = symbol_probabilities(found.patches)
    return _Read(turns, found.cells, found.unclear, symbols)


def _turned(board: Board, turns: int) -> Board:
    """The board after quarter turns against the clock: its upper right corner is upper left."""
    image = np.ascontiguousarray(np.rot90(board.rectified, turns))
    corners = np.roll(board.corners, -turns, axis=0)
    return Board(board.size, corners, image, board.is_light, board.score)


def use_one_thread() -> None:
    """Keep OpenCV from starting a thread for each core."""
    cv2.setNumThreads(1)
