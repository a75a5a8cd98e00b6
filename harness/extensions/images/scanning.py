"""An image to a scan: decoding, the board, its shape and the probabilities of its cells.

Pillow reads the header first, so that a file that would need too much memory is refused before
it is decoded.
"""

import io
import warnings
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from PIL import Image as Pillow
from PIL import ImageOps, UnidentifiedImageError

from harness.base.errors import InputError
from harness.extensions.images.board import (
    CELL,
    AnyArray,
    Floats,
    Grey,
    PhotographedBoard,
    find_board,
)
from harness.extensions.images.cells import Inks, inks
from harness.extensions.images.classifier import (
    compare,
    handwriting,
    has_letters,
    symbol_probabilities,
    value_probabilities,
)
from harness.extensions.images.scan import LARGEST, MOST_BYTES, Scan
from harness.puzzles import VALUES, Shape, box_of

# The bytes of an image file as grey values.


MOST_PIXELS: Final = 40 * 10**6
FORMATS: Final = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF")
"""Pillow knows many more formats; fewer decoders are fewer ways to attack."""
EXPECTED: Final = "a PNG, JPEG, WebP, BMP, GIF or TIFF file"
LONGEST_SIDE: Final = 1600
"""Larger images are scaled down: more pixels cost time and show no more of a digit."""
SMALLEST_SIDE: Final = 24


def decode(data: bytes, name: str = "image") -> Grey:
    """The grey values of an image file, at most `LONGEST_SIDE` pixels wide and high.

    The orientation in EXIF is applied, transparent pixels are white, and of an animation only
    the first frame is read.

    Args:
        data: the content of the file.
        name: the file, for errors.

    Returns:
        An array of rows and columns, 0 for black to 255 for white.

    Raises:
        InputError: the file is too large, too small, not an image of these formats, or damaged.
    """
    if not data:
        raise InputError("the file is empty", where=name, expected=EXPECTED)
    if len(data) > MOST_BYTES:
        raise InputError(
            f"{len(data):,} bytes", where=name, expected=f"an image of at most {MOST_BYTES:,} bytes"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # damaged metadata does not matter
            return _decode(data, name)
    except InputError:  # which is a ValueError too
        raise
    except UnidentifiedImageError:
        raise InputError("not an image", where=name, expected=EXPECTED) from None
    except (OSError, ValueError, SyntaxError, ArithmeticError, LookupError, TypeError) as error:
        # The decoders of Pillow raise many kinds of errors for damaged files.
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise InputError(f"damaged image: {reason}", where=name, expected=EXPECTED) from None
    except (Pillow.DecompressionBombError, MemoryError):
        raise _too_large(name) from None


def _decode(data: bytes, name: str) -> Grey:
    with Pillow.open(io.BytesIO(data), formats=FORMATS) as image:
        width, height = image.size
        if width * height > MOST_PIXELS:
            raise _too_large(name, f"{width} x {height} pixels")
        if min(width, height) < SMALLEST_SIDE:
            raise InputError(
                f"{width} x {height} pixels",
                where=name,
                expected=f"an image of at least {SMALLEST_SIDE} x {SMALLEST_SIDE} pixels",
            )
        # A JPEG can be decoded at an eighth, a quarter or half of its size.
        image.draft("L", (LONGEST_SIDE, LONGEST_SIDE))
        grey = _grey_of(ImageOps.exif_transpose(image))
    return scaled(grey)


def _grey_of(image: Pillow.Image) -> Grey:
    if image.mode in ("I", "I;16", "I;16B", "I;16L", "F"):  # 16 bits and more
        values = np.nan_to_num(np.asarray(image, dtype=np.float32))
        spread = float(values.max() - values.min())
        return np.asarray((values - values.min()) * (255 / (spread or 1)), dtype=np.uint8)
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        with_alpha = image.convert("RGBA")
        white = Pillow.new("RGBA", with_alpha.size, "white")
        image = Pillow.alpha_composite(white, with_alpha)
    return np.asarray(image.convert("L"), dtype=np.uint8)


def scaled(grey: Grey) -> Grey:
    """`grey` in the size in which boards are looked for."""
    factor = LONGEST_SIDE / max(grey.shape)
    if factor < 1:
        height, width = (max(1, round(side * factor)) for side in grey.shape)
        return np.asarray(cv2.resize(grey, (width, height), interpolation=cv2.INTER_AREA))
    return grey


def _too_large(name: str, problem: str = "too many pixels") -> InputError:
    expected = f"an image of at most {MOST_PIXELS:,} pixels"
    return InputError(problem, where=name, expected=expected)


# The shape of a board from its thick lines: boxes, or regions of a jigsaw.


_REACH: Final = 10
"""Pixels beside a line that are looked at."""
_CLEARLY_THICKER: Final = 1.3


def shape_of(board: PhotographedBoard) -> tuple[Shape, bool]:
    """The shape of a board: boxes or regions where thick lines show them, or the usual boxes.

    Returns:
        The shape, and whether the lines show it; otherwise it is the usual shape of the size.
    """
    size = board.size
    values = board.rectified.astype(np.float32)
    values = 255 - values if board.is_light else values
    # Between each cell and the one on its right, and the one below it, transposed.
    upright, level = _of_columns(values, size), _of_columns(values.T, size)
    regions = _regions(upright, level, size)
    if regions is not None:
        return _jigsaw(regions, size), True
    best = max(
        ((_order(upright, level, rows, size // rows), rows) for rows in _heights(size)),
        default=(0.0, 0),
    )
    if best[0] >= 0.9:  # in nearly all pairs the line between boxes is thicker
        return Shape.parse(_box_name(best[1], size // best[1])), True
    usual = f"{size}x{size}" if box_of(size) else f"latin{size}"
    return Shape.parse(usual), False


def _heights(size: int) -> list[int]:
    """The heights that boxes of a board can have."""
    return [rows for rows in range(2, size) if size % rows == 0 and size // rows > 1]


def _box_name(rows: int, columns: int) -> str:
    size = rows * columns
    return f"{size}x{size}" if box_of(size) == (rows, columns) else f"box{rows}x{columns}"


def _of_columns(values: Floats, size: int) -> Floats:
    """The thickness of the lines between the columns of each row, in pixels of full black."""
    widths = np.zeros((size, size - 1), dtype=np.float32)
    centres = (np.arange(size - 1) + 2) * CELL
    columns = centres[:, None] + np.arange(-_REACH, _REACH + 1)
    for row in range(size):
        top = (row + 1) * CELL
        strips = values[top + CELL // 5 : top + CELL - CELL // 5, columns]
        paper = np.quantile(strips, 0.8, axis=(0, 2), keepdims=True)
        dark = np.clip((paper - strips) / (paper + 8) - 0.04, 0, 1)
        widths[row] = [_width(profile) for profile in np.quantile(dark, 0.4, axis=0)]
    return widths


def _width(profile: Floats) -> float:
    """The ink of the line near the middle of a profile across it, without a digit beside it."""
    peak = _REACH - 4 + int(profile[_REACH - 4 : _REACH + 5].argmax())
    end = 0.25 * profile[peak]
    low, high = peak, peak + 1
    while low > 0 and end < profile[low - 1] <= profile[low] + 0.1:
        low -= 1
    while high < len(profile) and end < profile[high] <= profile[high - 1] + 0.1:
        high += 1
    return float(profile[low:high].sum())


def _regions(upright: Floats, level: Floats, size: int) -> AnyArray | None:
    """The region of each cell; None if thick lines do not divide the board into equal parts."""
    every = np.sort(np.concatenate([upright.ravel(), level.ravel()]))
    # At least a twelfth of the lines are thick, and at least a twelfth are thin.
    few = max(1, len(every) // 12)
    gaps = every[few : -few + 1 or None][1:] / np.maximum(every[few : -few + 1 or None][:-1], 0.15)
    for at in np.argsort(-gaps)[:3]:
        if gaps[at] < _CLEARLY_THICKER - 0.15:
            break
        limit = float((every[few + at] + every[few + at + 1]) / 2)
        thin, thick = every[every <= limit], every[every > limit]
        if np.median(thick) < _CLEARLY_THICKER * np.median(thin):
            continue
        region = _numbers_of(upright > limit, limit < level.T, size)
        if (np.bincount(region) == size).all() and region.max() + 1 == size:
            return region
    return None


def _numbers_of(right: AnyArray, below: AnyArray, size: int) -> AnyArray:
    """The number of the region of each cell, where a thick line divides regions."""
    image = np.zeros((2 * size - 1, 2 * size - 1), dtype=np.uint8)
    image[::2, ::2] = 1
    image[::2, 1::2] = ~right
    image[1::2, ::2] = ~below
    labels = cv2.connectedComponents(image, connectivity=4)[1][::2, ::2].ravel()
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels.tolist()))}
    return np.array([numbers[label] for label in labels.tolist()])


def _jigsaw(region: AnyArray, size: int) -> Shape:
    for rows in _heights(size):
        shape = Shape.parse(_box_name(rows, size // rows))
        boxes = shape.cells_of_kind("box")
        if all(len({int(region[cell]) for cell in cells}) == 1 for cells in boxes):
            return shape
    return Shape.parse("jigsaw:" + "".join(VALUES[int(number)] for number in region).lower())


def _order(upright: Floats, level: Floats, rows: int, columns: int) -> float:
    """How clearly lines between boxes are thicker than the others: 1 if all of them are."""
    order = []
    for widths, step in ((upright, columns), (level, rows)):
        lines = np.arange(1, widths.shape[1] + 1)
        edges, others = widths[:, lines % step == 0], widths[:, lines % step != 0]
        if not others.size or not edges.size:
            return 0.0
        # By this ratio a line is thicker than another.
        clear = edges.ravel()[:, None] > 1.12 * others.ravel()[None]
        order.append(float(clear.mean()))
    return min(order)


# An image to a scan: the board, its shape and the probabilities of its cells.


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """The cells of a board in one orientation."""

    turns: int
    ink: Inks
    symbols: Floats
    handwritten: Floats
    confidence: float
    """The mean probability of the likeliest symbols."""


def _confidence(symbols: Floats) -> float:
    """The mean probability of the likeliest symbols; 1 without any ink."""
    return float(symbols.max(axis=1).mean()) if len(symbols) else 1.0


def scan(data: bytes, shape: Shape | None = None, name: str = "image") -> Scan:
    """Scan the bytes of an image file; see `fence` for untrusted files.

    Args:
        data: the content of the file.
        shape: the shape of the board; None to recognise it.
        name: the file, for errors.

    Raises:
        InputError: the file is not an image, is too large or damaged, or shows no board.
    """
    return scan_of(decode(data, name), shape, name)


def scan_of(grey: Grey, shape: Shape | None = None, name: str = "image") -> Scan:
    """Scan grey values; the other arguments are those of `scan`.

    Raises:
        InputError: the shape is too large, or the image shows no such board.
    """
    if shape is not None and shape.size > LARGEST:
        expected = f"a shape of at most {LARGEST} rows"
        raise InputError(f"{shape} has {shape.size} rows", where="shape", expected=expected)
    board = find_board(grey, shape.size if shape else None, name)
    read = _orient(board)
    ink, size = read.ink, board.size
    shown, is_clear = (shape, True) if shape else shape_of(_turn(board, read.turns))
    letters = has_letters(read.symbols, size)
    # On a board that is nearly full, a cell without ink is more likely an overlooked value:
    # printed givens alone leave no traces, and a person who fills a board leaves no cell out.
    odds = (len(ink.cells) + 1) / (size**2 - len(ink.cells) + 1)
    # Odds on a half-full board: without ink, for a trace without a glyph, for faint ink.
    values = np.tile(_mostly_blank(0.000002 * odds**2, size), (size**2, 1))
    values[list(ink.unclear)] = _mostly_blank(0.0075 * odds**2, size)
    rows = value_probabilities(read.symbols, size, letters=letters)
    rows = compare(rows, ink.patches, read.handwritten)
    value = 1.7 * odds / (1 + 1.7 * odds)
    rows[ink.is_faint] *= value
    rows[ink.is_faint, 0] += 1 - value
    rows[:, 0] *= min(1.0, 1 / odds)
    rows /= rows.sum(axis=1, keepdims=True)
    values[list(ink.cells)] = rows
    handwritten = np.zeros(size**2, dtype=np.float32)
    handwritten[list(ink.cells)] = read.handwritten
    height, width = grey.shape
    corners = np.roll(board.corners, -read.turns, axis=0) / np.array([width, height])
    return Scan(
        shape=shown.definition,
        is_shape_clear=is_clear,
        corners=[(float(x), float(y)) for x, y in corners.clip(-0.5, 1.5)],
        probabilities=[[round(float(p), 6) for p in row.clip(0, 1)] for row in values],
        handwritten=[round(float(p), 6) for p in handwritten],
        has_letters=letters,
        score=board.score,
    )


def _mostly_blank(odds: float, size: int) -> Floats:
    """Probabilities of a cell without a glyph, for the odds of its right value against a blank.

    Nothing shows which value is right, so that each has these odds.
    """
    return np.array([1, *[odds] * size], dtype=np.float32) / np.float32(1 + size * odds)


def _orient(board: PhotographedBoard) -> _Read:
    """The cells as they are, or after quarter turns if that makes the symbols much clearer."""
    upright = _read(board, 0)
    if upright.confidence >= 0.97:
        return upright
    # Turned patches show which way is up; the ink of that way is then cut out again.
    turnings = {
        turns: _confidence(
            symbol_probabilities(np.rot90(upright.ink.patches, turns, (1, 2)))[:, :-1]
        )
        for turns in (1, 2, 3)
    }
    turns = max(turnings, key=turnings.__getitem__)
    if turnings[turns] < upright.confidence:
        return upright
    best = _read(board, turns)
    return best if best.confidence > upright.confidence + 0.04 else upright


def _read(board: PhotographedBoard, turns: int) -> _Read:
    ink = inks(_turn(board, turns).rectified, board.size)
    classes = symbol_probabilities(ink.patches)
    hands = handwriting(classes[:, -1], ink.looks)
    symbols = classes[:, :-1]
    return _Read(turns, ink, symbols, hands, _confidence(symbols))


def _turn(board: PhotographedBoard, turns: int) -> PhotographedBoard:
    """The board after quarter turns against the clock: its upper right corner is upper left."""
    image = np.ascontiguousarray(np.rot90(board.rectified, turns))
    return replace(board, rectified=image, corners=np.roll(board.corners, -turns, axis=0))


def use_one_thread() -> None:
    """Keep OpenCV from starting a thread for each core."""
    cv2.setNumThreads(1)
