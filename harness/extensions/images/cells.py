"""The ink of each cell: separated from lines and specks, cut out and scaled."""

from dataclasses import dataclass
from typing import Final, NamedTuple

import cv2
import numpy as np

from harness.extensions.images.board import CELL, AnyArray, Floats, Grey

PATCH: Final = 28
"""Pixels of a side of an isolated glyph."""
_RIM: Final = 4
"""Pixels of a cell beside a line that are never looked at."""
_CENTRE: Final = slice(round(0.2 * CELL), round(0.8 * CELL))
_TRACE: Final = 0.65
"""Contrast of what may be ink, as a share of that of the faintest ink."""


@dataclass(frozen=True, slots=True, eq=False)
class Inks:
    """The isolated ink of the cells that have any."""

    cells: tuple[int, ...]
    """Indices of these cells, row by row from 0."""
    patches: Grey
    """For each of them an array of `PATCH` x `PATCH` pixels, 255 for full ink."""
    looks: Floats
    """For each of them its height in pixels and its contrast, from 0 to 1."""
    is_faint: AnyArray
    """For each of them whether it may be a smudge or a note: faint, or small and outside the
    middle."""
    unclear: tuple[int, ...]
    """Cells with a dark mark that is too faint or no glyph, and no candidates: probably blank."""


def inks(board: Grey, size: int) -> Inks:
    """The isolated ink of the cells of a rectified board of `size` cells a side."""
    smooth = np.asarray(cv2.GaussianBlur(board, (0, 0), 0.7))  # noise makes outlines ragged
    if not _is_dark(_tiles(smooth, size)):
        smooth = np.asarray(255 - smooth)
    ink = _ink(_tiles(smooth, size), _tiles(_paper(smooth), size))
    peaks = np.quantile(ink[:, _CENTRE, _CENTRE].reshape(len(ink), -1), 0.97, axis=1)
    # The faintest ink: a share of the brightness of the paper, and of the usual contrast.
    least = max(0.07, 0.2 * float(np.quantile(peaks, 0.9)))
    has_pairs = size > 9
    strengths = [float(np.quantile(_inner(cell_ink)[_CENTRE, _CENTRE], 0.985)) for cell_ink in ink]
    blank = [strength for strength in strengths if strength < _TRACE * least]
    # The contrast of a glyph that may be very faint ink, above that of blank cells.
    noise = 5.0 * float(np.median(blank)) if blank else 1.0
    glyph_of = {
        cell: _isolate(ink[cell], min(least, strength), has_pairs=has_pairs)
        for cell, strength in enumerate(strengths)
        if strength >= min(_TRACE * least, max(noise, 0.03))
    }
    every = {cell: glyph for cell, glyph in glyph_of.items() if glyph}
    candidates = _candidates(every, has_pairs=has_pairs)
    glyphs = {
        cell: glyph
        for cell, glyph in every.items()
        if not glyph.is_speck and cell not in candidates and strengths[cell] >= min(least, noise)
    }
    tall = float(np.median([glyph.tallest for glyph in glyphs.values()])) if glyphs else 0.0
    patches = [glyph.patch for glyph in glyphs.values()]
    looks = [(glyph.height, glyph.contrast) for glyph in glyphs.values()]
    # Stronger ink is certainly no smudge; a lower glyph outside the middle may be a note.
    usual = least * 1.5
    is_faint = [
        strengths[cell] < usual or (glyph.is_beside and glyph.tallest < 0.75 * tall)
        for cell, glyph in glyphs.items()
    ]
    others = glyph_of.keys() - glyphs.keys() - candidates
    return Inks(
        tuple(glyphs),
        np.array(patches, np.uint8).reshape(-1, PATCH, PATCH),
        np.array(looks, np.float32).reshape(-1, 2),
        np.array(is_faint, bool),
        tuple(cell for cell in sorted(others) if strengths[cell] >= _TRACE * least),
    )


class _Glyph(NamedTuple):
    """The ink of a cell."""

    patch: Grey
    height: float
    contrast: float
    tallest: float
    """The height of the tallest part."""
    parts: int
    is_speck: bool
    is_beside: bool
    """Whether it is outside the middle of the cell."""


def _candidates(glyphs: dict[int, _Glyph], *, has_pairs: bool) -> set[int]:
    """The cells with candidates, which are lower than values; none if few cells have several."""
    values = [glyph.tallest for glyph in glyphs.values() if not glyph.is_speck]
    usual = float(np.quantile(values, 0.9)) if values else 0.0
    # Marks that are much lower than usual may be candidates.
    low = {cell for cell, glyph in glyphs.items() if glyph.is_speck or glyph.tallest < 0.55 * usual}
    several = sum(glyphs[cell].parts > 1 + has_pairs for cell in low)
    # A board with candidates has at least three cells with several low parts.
    return low if several >= 3 else set()


def _tiles(image: Grey, size: int) -> Grey:
    inner = image[CELL : CELL * (size + 1), CELL : CELL * (size + 1)]
    tiles = inner.reshape(size, CELL, size, CELL).swapaxes(1, 2)
    return np.asarray(tiles.reshape(size**2, CELL, CELL))


def _paper(image: Grey) -> Grey:
    """The brightness of the paper: strokes are filled, the edge of a shadow stays."""
    widest = CELL // 2 + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (widest, widest))
    return np.asarray(cv2.morphologyEx(image, cv2.MORPH_CLOSE, kernel))


def _is_dark(tiles: Grey) -> bool:
    """Whether the ink is darker than the paper.

    In a cell with a glyph, more pixels differ much from the paper on the side of the ink. Some
    cells have a scratch or a reflection on the other side, so the majority of cells decides.
    """
    inner = tiles[:, 6:-6, 6:-6].reshape(len(tiles), -1).astype(np.float32)
    darkest, paper, lightest = np.quantile(inner, (0.04, 0.5, 0.96), axis=1)
    dark, light = paper - darkest, lightest - paper
    clear = np.maximum(dark, light) >= 0.5 * float(np.quantile(np.maximum(dark, light), 0.9))
    return float(np.median((dark - light)[clear])) >= 0


def _ink(tiles: Grey, paper: Grey) -> Floats:
    """How much of the light each pixel lacks, from 0 to 1, above what is usual in its cell."""
    light = paper.astype(np.float32)
    ink = (light - tiles) / (light + 8)
    inner = ink[:, _RIM:-_RIM, _RIM:-_RIM].reshape(len(ink), -1)
    usual = np.quantile(inner, 0.5, axis=1)[:, None, None]
    return np.asarray(np.clip(ink - usual, 0, 1), dtype=np.float32)


def _inner(ink: Floats) -> Floats:
    """The ink of a cell without its rim."""
    inner = ink.copy()
    inner[:_RIM] = inner[-_RIM:] = 0
    inner[:, :_RIM] = inner[:, -_RIM:] = 0
    return inner


def _isolate(ink: Floats, least: float, *, has_pairs: bool) -> _Glyph | None:
    """The glyph of a cell; None without one."""
    inner = _inner(ink)
    peak = float(np.quantile(inner[_CENTRE, _CENTRE], 0.985))
    # Thin strokes of a small glyph are much fainter than thick ones.
    strong = inner > max(0.5 * least, 0.45 * peak)
    weak = inner > max(0.5 * least, 0.26 * peak)
    parts = _glyph(weak.astype(np.uint8), strong, has_pairs=has_pairs)
    if parts is None:
        return None
    keep, heights = parts
    rows, columns = np.flatnonzero(keep.any(axis=1)), np.flatnonzero(keep.any(axis=0))
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    central = max(abs(top + bottom - CELL), abs(left + right - CELL)) < 0.3 * CELL
    # Lower marks in the middle of a cell are specks, and elsewhere specks or pencil marks.
    # Old-style digits are low: 1 and 2 lack the height of capitals.
    is_speck = bottom - top < (0.19 if central else 0.28) * CELL
    wide = cv2.dilate(keep, np.ones((3, 3), np.uint8))
    glyph = np.clip(inner / peak, 0, 1) * wide
    box = glyph[max(0, top - 1) : bottom + 1, max(0, left - 1) : right + 1]
    patch = scaled_ink(box)
    return _Glyph(
        patch, float(bottom - top), peak, float(heights.max()), len(heights), is_speck, not central
    )


def _glyph(mask: Grey, strong: AnyArray, *, has_pairs: bool) -> tuple[Grey, AnyArray] | None:
    """The connected sets of pixels that belong to a glyph, and their heights; None without any."""
    number, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    inside = np.bincount(labels[_CENTRE, _CENTRE].ravel(), minlength=number)
    dark = np.bincount(labels[strong], minlength=number)
    central, beside = [], []
    for label in range(1, number):
        left, top, width, height, area = (int(value) for value in stats[label])
        if area < 0.004 * CELL**2 or not dark[label]:
            continue
        ends = max(left + width, top + height)
        at_rim = min(left, top) <= _RIM or ends >= CELL - _RIM
        least_inside = 0.3 if min(width, height) < 0.2 * CELL else 0.15
        if inside[label] and not (at_rim and inside[label] < least_inside * area):
            central.append((area, label))
        elif width < height < 0.75 * CELL:
            beside.append(label)
    if not central:
        return None
    largest, main = max(central)
    keep = [label for area, label in central if area >= 0.08 * largest]
    if has_pairs:  # 1 of 15 may be close to a line
        top, height = int(stats[main][cv2.CC_STAT_TOP]), int(stats[main][cv2.CC_STAT_HEIGHT])
        most = 0.2 * height
        keep += [
            label
            for label in beside
            if abs(int(stats[label][cv2.CC_STAT_TOP]) - top) < most
            and abs(int(stats[label][cv2.CC_STAT_HEIGHT]) - height) < most
        ]
    return np.isin(labels, keep).astype(np.uint8), stats[keep, cv2.CC_STAT_HEIGHT]


def scaled_ink(box: Floats) -> Grey:
    """Ink of any size, from 0 to 1, scaled to the usual size in the middle of a patch."""
    height, width = box.shape
    # The longer side of the ink has 22 pixels.
    factor = 22 / max(height, width)
    new = (max(1, round(width * factor)), max(1, round(height * factor)))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    small = cv2.resize(box, new, interpolation=method)
    patch = np.zeros((PATCH, PATCH), dtype=np.float32)
    top, left = (PATCH - new[1]) // 2, (PATCH - new[0]) // 2
    patch[top : top + new[1], left : left + new[0]] = small
    return np.round(255 * patch).astype(np.uint8)
