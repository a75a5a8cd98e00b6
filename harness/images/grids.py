"""The lines of a grid in a rectified image.

A line is dark and narrow. The closing of an image along a row of pixels fills what is narrower
than its window, so that the difference (a black hat) shows upright lines and the upright strokes
of digits, whatever the light. A line differs from a stroke in that it crosses the whole board.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from harness.images.types import AnyArray, Floats, Grey

SIZES: Final = (4, 6, 8, 9, 10, 12, 16, 25)
"""The numbers of cells a side that are recognised."""
SIDE: Final = 600
"""Pixels of a side of a board while its lines are looked for."""
MARGIN: Final = 30
"""Pixels around it."""
_WINDOW: Final = 21
"""Pixels of the widest line, plus one."""
_ALONG: Final = 9
_STEP: Final = 3
"""Every third pixel along a line is enough to see whether it crosses the board."""
_FAINTEST: Final = 0.035
"""Contrast of the faintest line with its surroundings."""


@dataclass(frozen=True, slots=True)
class Ridges:
    """What is dark and narrow, in units of the brightness around it."""

    upright: Floats
    level: Floats
    """Transposed: the lines are columns, as in `upright`."""

    @property
    def directions(self) -> tuple[Floats, Floats]:
        """Both arrays."""
        return self.upright, self.level


def ridges(rectified: Grey) -> Ridges:
    """The dark narrow parts of a rectified board with its margin."""
    return Ridges(_upright(rectified), _upright(np.ascontiguousarray(rectified.T)))


def _upright(image: Grey) -> Floats:
    smooth = cv2.blur(image, (1, _ALONG)).astype(np.float32)
    filled = cv2.morphologyEx(smooth, cv2.MORPH_CLOSE, np.ones((1, _WINDOW), np.uint8))
    return np.asarray((filled - smooth) / (filled + 24), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a grid fits."""

    size: int
    """Cells a side."""
    score: float
    """1 for lines that are everywhere where they are expected and nowhere else."""
    border: float
    """1 for a border all around, 0 for none."""


def fits(found: Ridges, sizes: tuple[int, ...]) -> list[Fit]:
    """How well grids of these `sizes` fit."""
    masks = [ridge[::_STEP] > _threshold(ridge) for ridge in found.directions]
    return [_fit(masks, size) for size in sizes]


def _threshold(ridge: Floats) -> float:
    inner = ridge[::5, ::5]
    middle, upper = np.quantile(inner, (0.5, 0.75))
    return float(max(_FAINTEST, middle + 3 * (upper - middle)))


def _fit(masks: list[AnyArray], size: int) -> Fit:
    cell = SIDE / size
    reach = max(2, round(0.1 * cell))
    lines, gaps, borders = [], [], []
    inside = slice(MARGIN // _STEP, (MARGIN + SIDE) // _STEP)
    for mask in masks:
        wide = cv2.dilate(mask.astype(np.uint8), np.ones((1, 2 * reach + 1), np.uint8))
        crossed = wide[inside].mean(axis=0)
        positions = MARGIN + np.round(np.arange(size + 1) * cell).astype(int)
        lines.append(crossed[positions[1:-1]])
        borders.append(crossed[positions[[0, -1]]])
        middles = (positions[1:] + positions[:-1]) // 2
        gaps.append(crossed[middles])
    every = np.sort(np.concatenate(lines))
    weakest = float(every[: max(1, len(every) // 4)].mean())
    gap = np.sort(np.concatenate(gaps))
    border = float(np.mean(np.concatenate(borders)))
    score = 0.45 * float(every.mean()) + 0.45 * weakest + 0.1 * border - float(gap.mean())
    return Fit(size, score, border)


def crossings(found: Ridges, size: int) -> tuple[Floats, Floats, Floats]:
    """Where the lines of a grid cross.

    Returns:
        Three arrays with a row for each crossing: where it is expected, where it is (x and y),
        and how clear both of its lines are (0 for no line).
    """
    cell = SIDE / size
    reach = max(3, int(0.28 * cell))
    measured, clear = zip(
        *(_positions(ridge, size, cell, reach) for ridge in found.directions), strict=True
    )
    grid = MARGIN + np.arange(size + 1) * cell
    expected = np.stack(np.meshgrid(grid, grid), axis=-1).astype(np.float32)
    found_at = np.stack([measured[0].T, measured[1]], axis=-1).astype(np.float32)
    clarity = np.minimum(clear[0].T, clear[1])
    return expected.reshape(-1, 2), found_at.reshape(-1, 2), clarity.reshape(-1)


def _positions(ridge: Floats, size: int, cell: float, reach: int) -> tuple[Floats, Floats]:
    """Position and clarity of each line (rows) at each crossing (columns)."""
    positions = np.zeros((size + 1, size + 1), dtype=np.float32)
    clarity = np.zeros((size + 1, size + 1), dtype=np.float32)
    tops = MARGIN + np.arange(size + 1) * cell
    half = 0.5 * cell
    for line in range(size + 1):
        centre = MARGIN + line * cell
        first = max(0, round(centre) - reach)
        strip = ridge[:, first : round(centre) + reach + 1]
        for crossing in range(size + 1):
            low = max(0, int(tops[crossing] - half))
            piece = strip[low : int(tops[crossing] + half) + 1]
            profile = np.minimum(piece, 0.4).mean(axis=0)
            peak = int(profile.argmax())
            near = slice(max(0, peak - 3), peak + 4)
            weights = np.maximum(profile[near] - 0.5 * profile[peak], 1e-6)
            offset = float((np.arange(near.start, near.start + len(weights)) * weights).sum())
            positions[line, crossing] = first + offset / float(weights.sum())
            clarity[line, crossing] = float(profile[peak] - np.median(profile))
    return positions, clarity
