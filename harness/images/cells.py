"""The ink of each cell: separated from lines and specks, cut out and scaled."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from harness.images.board import CELL
from harness.images.types import AnyArray, Floats, Grey

PATCH: Final = 28
"""Pixels of a side of an isolated glyph."""
_GLYPH: Final = 22
"""Pixels of its longer side."""
_RIM: Final = 4
"""Pixels of a cell beside a line that are never looked at."""
_CENTRE: Final = slice(round(0.2 * CELL), round(0.8 * CELL))
_LEAST_HEIGHT: Final = 0.28 * CELL
"""Lower marks are specks or pencil marks."""
_LEAST_AREA: Final = 0.004 * CELL**2
_LEAST_CONTRAST: Final = 0.07
"""Of ink, as a share of the brightness of the paper."""
_FAINTEST: Final = 0.3
"""Contrast of the faintest ink, as a share of the usual one."""


@dataclass(frozen=True, slots=True, eq=False)
class Inks:
    """The isolated ink of the cells that have any."""

    cells: tuple[int, ...]
    """Indices of these cells, row by row from 0."""
    patches: Grey
    """For each of them an array of `PATCH` x `PATCH` pixels, 255 for full ink."""


def inks(rectified: Grey, size: int) -> Inks:
    """The isolated ink of the cells of a rectified board of `size` cells a side."""
    tiles = _tiles(rectified, size)
    tiles = tiles if _is_dark(tiles) else 255 - tiles
    ink = _ink(tiles)
    peaks = np.quantile(ink[:, _CENTRE, _CENTRE].reshape(len(ink), -1), 0.97, axis=1)
    usual = float(np.quantile(peaks, 0.9))
    least = max(_LEAST_CONTRAST, _FAINTEST * usual)
    found = [(cell, _isolated(ink[cell], least)) for cell in range(size**2)]
    patches = [(cell, patch) for cell, patch in found if patch is not None]
    if not patches:
        return Inks((), np.zeros((0, PATCH, PATCH), dtype=np.uint8))
    return Inks(tuple(cell for cell, _ in patches), np.stack([patch for _, patch in patches]))


def _tiles(rectified: Grey, size: int) -> Grey:
    smooth = cv2.GaussianBlur(rectified, (0, 0), 0.7)  # noise makes outlines ragged
    inner = smooth[CELL : CELL * (size + 1), CELL : CELL * (size + 1)]
    tiles = inner.reshape(size, CELL, size, CELL).swapaxes(1, 2)
    return np.asarray(tiles.reshape(size**2, CELL, CELL))


def _is_dark(tiles: Grey) -> bool:
    """Whether the ink is darker than the paper.

    In a cell with a glyph more pixels are far from the paper on the side of the ink. Some cells
    have a scratch or a reflection on the other side, so that most cells decide.
    """
    inner = tiles[:, 6:-6, 6:-6].reshape(len(tiles), -1).astype(np.float32)
    darkest, paper, lightest = np.quantile(inner, (0.04, 0.5, 0.96), axis=1)
    dark, light = paper - darkest, lightest - paper
    clear = np.maximum(dark, light) >= 0.5 * float(np.quantile(np.maximum(dark, light), 0.9))
    return float(np.median((dark - light)[clear])) >= 0


def _ink(tiles: Grey) -> Floats:
    """How much of the light each pixel lacks, from 0 to 1; the light varies within a cell."""
    values = tiles.astype(np.float32)
    inner = values[:, 4:-4, 4:-4]
    paper = np.quantile(inner.reshape(len(tiles), -1), 0.6, axis=1)[:, None, None]
    return np.asarray(np.clip((paper - values) / (paper + 8), 0, 1), dtype=np.float32)


def _isolated(ink: Floats, least: float) -> Grey | None:
    """The glyph of a cell, None without one."""
    cut = ink.copy()
    cut[:_RIM] = cut[-_RIM:] = 0
    cut[:, :_RIM] = cut[:, -_RIM:] = 0
    peak = float(np.quantile(cut[_CENTRE, _CENTRE], 0.985))
    if peak < least:
        return None
    # Thin strokes of a small glyph are much fainter than thick ones.
    strong = cut > max(0.5 * least, 0.45 * peak)
    weak = cut > max(0.5 * least, 0.26 * peak)
    keep = _glyph(weak.astype(np.uint8), strong)
    if keep is None:
        return None
    rows, columns = np.flatnonzero(keep.any(axis=1)), np.flatnonzero(keep.any(axis=0))
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    if bottom - top < _LEAST_HEIGHT:
        return None
    wide = cv2.dilate(keep, np.ones((3, 3), np.uint8))
    glyph = np.clip(cut / peak, 0, 1) * wide
    box = glyph[max(0, top - 1) : bottom + 1, max(0, left - 1) : right + 1]
    return scaled_ink(box)


def _glyph(mask: Grey, strong: AnyArray) -> Grey | None:
    """The connected sets of pixels that belong to a glyph, None without one."""
    number, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    inside = np.bincount(labels[_CENTRE, _CENTRE].ravel(), minlength=number)
    dark = np.bincount(labels[strong], minlength=number)
    chosen = []
    for label in range(1, number):
        left, top, width, height, area = (int(value) for value in stats[label])
        at_rim = (
            left <= _RIM
            or top <= _RIM
            or left + width >= CELL - _RIM
            or top + height >= CELL - _RIM
        )
        if at_rim and inside[label] < (0.3 if min(width, height) < 0.2 * CELL else 0.15) * area:
            continue  # a part of a line
        if area >= _LEAST_AREA and inside[label] and dark[label]:
            chosen.append((area, label))
    if not chosen:
        return None
    largest = max(chosen)[0]
    labels_kept = [label for area, label in chosen if area >= 0.08 * largest]
    return np.isin(labels, labels_kept).astype(np.uint8)


def scaled_ink(box: Floats) -> Grey:
    """Ink of any size, from 0 to 1, as a patch in which it is as large as possible."""
    height, width = box.shape
    factor = _GLYPH / max(height, width)
    new = (max(1, round(width * factor)), max(1, round(height * factor)))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    small = cv2.resize(box, new, interpolation=method)
    patch = np.zeros((PATCH, PATCH), dtype=np.float32)
    top, left = (PATCH - new[1]) // 2, (PATCH - new[0]) // 2
    patch[top : top + new[1], left : left + new[0]] = small
    return np.round(255 * patch).astype(np.uint8)
