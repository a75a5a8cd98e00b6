"""The board of an image."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from harness.errors import InputError
from harness.images.grids import MARGIN, SIDE, SIZES, Fit, crossings, fits, ridges
from harness.images.quads import quads
from harness.images.types import Floats, Grey

CELL: Final = 48
"""Pixels of a side of a cell in `Board.rectified`."""
_LEAST_SCORE: Final = 0.45
_CLEARLY_BETTER: Final = 0.08
"""Of two outlines whose scores differ by less, the larger one is the board."""
_BORDER: Final = 0.6
"""Above this a border is certain; beyond it is the margin of the board, not a row of cells."""
_OFF_THE_LINES: Final = 0.25
"""Cells between a corner of a part of a board and the nearest crossing of its lines."""
_ENOUGH_CELLS: Final = 12
"""Pixels of the image for a cell: with fewer no digit can be read."""


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A board that was found."""

    size: int
    """Cells a side."""
    corners: Floats
    """x and y of the corners in pixels of the working size, clockwise from the upper left."""
    rectified: Grey
    """The board alone, `CELL` pixels for each cell, with a margin of one cell around it."""
    is_light: bool
    """Whether its lines are lighter than the cells, as on a dark screen."""
    score: float
    """How well a grid fits: 1 is best."""


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    corners: Floats
    fit: Fit
    is_light: bool
    area: float


def find_board(grey: Grey, size: int | None = None, name: str = "image") -> Board:
    """The board in an image.

    Args:
        grey: the image.
        size: cells a side; None to recognise one of `SIZES`.
        name: the file, for errors.

    Raises:
        InputError: no board of this size was found, or it has too few pixels.
    """
    sizes = SIZES if size is None else (size,)
    found = [
        candidate
        for corners in quads(grey)
        for candidate in _candidates(grey, corners, sizes)
        if candidate.fit.score > 0.6 * _LEAST_SCORE
    ]
    found.sort(key=lambda candidate: -candidate.fit.score)
    # A small error of the corners matters to the score of a fine grid: the best few are refined.
    refined = sorted(
        (_refined(grey, candidate) for candidate in _varied(found)),
        key=lambda candidate: -candidate.fit.score,
    )
    if not refined or refined[0].fit.score < _LEAST_SCORE:
        wanted = f"{size} x {size}" if size else "4, 6, 8, 9, 10, 12, 16 or 25"
        expected = f"lines around {wanted} cells" + ("" if size else " a side")
        raise InputError("no board was found", where=name, expected=expected)
    chosen = _whole(refined)
    cell = chosen.area**0.5 / chosen.fit.size
    if cell < _ENOUGH_CELLS:
        raise InputError(
            f"a cell of the board has {cell:.0f} x {cell:.0f} pixels",
            where=name,
            expected=f"at least {_ENOUGH_CELLS} x {_ENOUGH_CELLS} pixels",
        )
    return Board(
        size=chosen.fit.size,
        corners=chosen.corners,
        rectified=rectified(grey, chosen.corners, chosen.fit.size),
        is_light=chosen.is_light,
        score=chosen.fit.score,
    )


def rectified(grey: Grey, corners: Floats, size: int) -> Grey:
    """The board with these `corners`, as `Board.rectified`."""
    to_image = _homography(corners, CELL, size * CELL)
    return _warped(grey, to_image, (size + 2) * CELL)


def _whole(found: list[_Candidate]) -> _Candidate:
    """The board among good candidates, the best first, which may be parts of it.

    A box of 4x4 cells in a board of 16x16 cells is a good grid too, and the lines of a small
    grid fit better, because fewer digits are near them.
    """
    best = found[0]
    for one in found:
        good = one.fit.border >= _BORDER and one.fit.score >= _LEAST_SCORE
        if good and _is_part(best, one):
            best = one
    return max(
        (
            one
            for one in found
            if one is best
            or (
                one.area > best.area
                and one.fit.score > best.fit.score - _CLEARLY_BETTER
                and one.fit.border > best.fit.border - 0.1
            )
        ),
        key=lambda one: one.area * (1 + one.fit.score),
    )


def _is_part(part: _Candidate, whole: _Candidate) -> bool:
    """Whether the cells of one candidate are some of the cells of the other."""
    if part.fit.size >= whole.fit.size:
        return False
    to_grid = np.linalg.inv(_homography(whole.corners, 0, whole.fit.size))
    corners = cv2.perspectiveTransform(part.corners.reshape(-1, 1, 2), to_grid).reshape(4, 2)
    crossings_near = np.round(corners)
    on_lines = float(np.abs(corners - crossings_near).max()) < _OFF_THE_LINES
    return on_lines and bool((np.ptp(crossings_near, axis=0) == part.fit.size).all())


_REFINED: Final = 6


def _varied(found: list[_Candidate]) -> list[_Candidate]:
    """The best candidates, and the best of each size."""
    best_of_size = {one.fit.size: one for one in reversed(found)}
    chosen = found[:_REFINED]
    return chosen + [one for one in best_of_size.values() if one not in chosen]


def _candidates(grey: Grey, corners: Floats, sizes: tuple[int, ...]) -> list[_Candidate]:
    area = float(cv2.contourArea(corners))
    if area < 32 * 32:
        return []
    image = _for_lines(grey, corners)
    return [
        _Candidate(corners, max(fits(ridges(view), sizes), key=lambda f: f.score), light, area)
        for light, view in ((False, image), (True, cv2.bitwise_not(image)))
    ]


def _refined(grey: Grey, candidate: _Candidate) -> _Candidate:
    """The candidate with corners that follow from all crossings of its lines."""
    best = candidate
    size = candidate.fit.size
    for _ in range(3):
        image = _for_lines(grey, best.corners)
        found = ridges(cv2.bitwise_not(image) if candidate.is_light else image)
        expected, measured, clarity = crossings(found, size)
        clear = clarity > max(0.01, 0.3 * float(np.median(clarity)))
        if clear.sum() < max(8, len(clear) // 3):
            break
        shift, _ = cv2.findHomography(
            expected[clear], measured[clear], cv2.RANSAC, 0.06 * SIDE / size
        )
        if shift is None:
            break
        ends = np.array(
            [[[MARGIN, MARGIN], [MARGIN + SIDE, MARGIN]],
             [[MARGIN + SIDE, MARGIN + SIDE], [MARGIN, MARGIN + SIDE]]],
            dtype=np.float32,
        ).reshape(-1, 1, 2)  # fmt: skip
        back = _homography(best.corners, MARGIN, SIDE) @ shift
        corners = cv2.perspectiveTransform(ends, back).reshape(4, 2).astype(np.float32)
        if not np.isfinite(corners).all() or not cv2.isContourConvex(corners):
            break
        view = _for_lines(grey, corners)
        view = cv2.bitwise_not(view) if candidate.is_light else view
        fit = fits(ridges(view), (size,))[0]
        if fit.score <= best.fit.score - 0.01:
            break
        area = float(cv2.contourArea(corners))
        best = _Candidate(corners, fit, candidate.is_light, area)
    return best


def _for_lines(grey: Grey, corners: Floats) -> Grey:
    return _warped(grey, _homography(corners, MARGIN, SIDE), SIDE + 2 * MARGIN)


def _homography(corners: Floats, margin: int, side: int) -> Floats:
    """From pixels of a rectified board with a margin to pixels of the image."""
    low, high = margin, margin + side
    square = np.array([[low, low], [high, low], [high, high], [low, high]], dtype=np.float32)
    return np.asarray(cv2.getPerspectiveTransform(square, corners.astype(np.float32)))


def _warped(grey: Grey, to_image: Floats, side: int) -> Grey:
    # Shrinking by more than two would skip pixels, and with them thin lines.
    scale = abs(float(np.linalg.det(to_image[:2, :2]))) ** 0.5
    if scale > 1.6:
        blur = 0.35 * scale
        grey = cv2.GaussianBlur(grey, (0, 0), blur)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpPerspective(
            grey, to_image, (side, side), flags=flags, borderMode=cv2.BORDER_REPLICATE
        )
    )
