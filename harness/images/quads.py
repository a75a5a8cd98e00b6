"""Quadrilaterals that may be the outline of a board."""

from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np

from harness.images.types import Floats, Grey

_SMALLEST_SHARE: Final = 0.02
"""A board covers at least this share of the image."""
_MOST_OF_A_MASK: Final = 6
"""Outlines that are looked at in one binary image, the largest first."""
_INSET: Final = 0.004
_CLOSINGS: Final = (1, 3)


def quads(grey: Grey) -> Iterator[Floats]:
    """Quadrilaterals, as arrays of four corners: x and y, clockwise from the upper left.

    They are the outlines of the largest connected sets of dark or of light pixels, with
    thresholds that follow the light, and the whole image.
    """
    height, width = grey.shape
    seen: list[Floats] = []
    for mask in _masks(grey):
        for quad in _outlines(mask, _SMALLEST_SHARE * height * width):
            close = 0.01 * max(height, width)
            if not any(np.abs(quad - other).max() < close for other in seen):
                seen.append(quad)
                yield quad
    x, y = _INSET * width, _INSET * height
    yield np.array(
        [[x, y], [width - 1 - x, y], [width - 1 - x, height - 1 - y], [x, height - 1 - y]],
        dtype=np.float32,
    )


def _masks(grey: Grey) -> Iterator[Grey]:
    side = max(grey.shape)
    smooth = cv2.GaussianBlur(grey, (3, 3), 0) if side < 900 else cv2.GaussianBlur(grey, (5, 5), 0)
    for image in (smooth, cv2.bitwise_not(smooth)):
        for share, offset in ((0.03, 7), (0.08, 10), (0.015, 4)):
            block = max(7, int(side * share) | 1)
            mask = cv2.adaptiveThreshold(
                image, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, block, offset
            )
            for closing in _CLOSINGS:
                if closing > 1:
                    kernel = np.ones((closing, closing), np.uint8)
                    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, kernel)
                yield np.asarray(mask)


def _outlines(mask: Grey, smallest: float) -> Iterator[Floats]:
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    hulls = []
    for contour in contours:
        _, _, width, height = cv2.boundingRect(contour)
        if width * height >= smallest and max(width, height) < 4 * min(width, height):
            hull = cv2.convexHull(contour)
            hulls.append((cv2.contourArea(hull), hull))
    hulls.sort(key=lambda found: -found[0])
    for area, hull in hulls[:_MOST_OF_A_MASK]:
        if area < smallest:
            return
        corners = _four_corners(hull)
        if corners is not None and cv2.contourArea(corners) > 0.8 * area:
            yield clockwise(corners)


def _four_corners(hull: Grey) -> Floats | None:
    """The corners of a convex outline, None if it has not four sides.

    The sides are fitted to the points of the outline, because the corners themselves may be
    round or covered.
    """
    length = cv2.arcLength(hull, True)
    for share in (0.01, 0.02, 0.03, 0.05, 0.08):
        polygon = cv2.approxPolyDP(hull, share * length, True)
        if len(polygon) == 4:
            corners = np.asarray(polygon.reshape(4, 2), dtype=np.float32)
            return _fitted(corners, _dense(hull))
        if len(polygon) < 4:
            break
    return None


def _dense(hull: Grey) -> Floats:
    """Points on a hull, about one for each pixel."""
    points = hull.reshape(-1, 2).astype(np.float32)
    ends = np.roll(points, -1, axis=0)
    pieces = []
    for start, end in zip(points, ends, strict=True):
        number = max(1, int(np.hypot(*(end - start))))
        steps = np.arange(number, dtype=np.float32)[:, None] / number
        pieces.append(start + steps * (end - start))
    return np.concatenate(pieces).astype(np.float32)


def _fitted(corners: Floats, points: Floats) -> Floats:
    lines = []
    for at in range(4):
        start, end = corners[at], corners[(at + 1) % 4]
        along = end - start
        length = float(np.hypot(*along)) or 1.0
        offsets = points - start
        position = offsets @ along / length**2
        distance = np.abs(offsets[:, 0] * along[1] - offsets[:, 1] * along[0]) / length
        near = points[(distance < 0.02 * length + 2) & (position > 0.08) & (position < 0.92)]
        if len(near) < 8:
            return corners
        x0, y0 = near.mean(axis=0)
        direction = np.linalg.svd(near - near.mean(axis=0), full_matrices=False)[2][0]
        lines.append(np.cross([x0, y0, 1.0], [x0 + direction[0], y0 + direction[1], 1.0]))
    found = []
    for at in range(4):
        crossing = np.cross(lines[at - 1], lines[at])
        if abs(crossing[2]) < 1e-9:
            return corners
        found.append(crossing[:2] / crossing[2])
    fitted = np.array(found, dtype=np.float32)
    shift = np.abs(fitted - corners).max()
    return fitted if shift < 0.1 * float(np.ptp(corners)) else corners


def clockwise(corners: Floats) -> Floats:
    """The corners from the upper left one on; the upper side is the one nearest to level."""
    centre = corners.mean(axis=0)
    angles = np.arctan2(corners[:, 1] - centre[1], corners[:, 0] - centre[0])
    ordered = corners[np.argsort(angles)]

    def slope(first: int) -> float:
        dx, dy = ordered[(first + 1) % 4] - ordered[first]
        return float(abs(np.arctan2(dy, dx)))

    first = min(range(4), key=slope)
    return np.roll(ordered, -first, axis=0)
