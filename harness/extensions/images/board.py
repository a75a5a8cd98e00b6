"""The board of an image: its outline and the lines of its grid.

A line is dark and narrow. The closing of an image along a row of pixels fills what is narrower
than its window, so that the difference (a black hat) shows vertical lines and the vertical strokes
of digits, whatever the light. A line differs from a stroke in that it crosses the whole board.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from harness.base.errors import InputError

# The kinds of arrays.


Grey = NDArray[np.uint8]
"""Rows and columns of pixels, 0 for black to 255 for white; or a stack of such arrays."""
Floats = NDArray[np.float32]
"""Measured values: ink, positions, probabilities."""
AnyArray = NDArray[Any]
"""Any other values: masks, labels, classes."""

# Quadrilaterals that may be the outline of a board.


_ALIKE: Final = 0.2
"""Areas are alike if their logarithms differ by less than this from a common value."""
_CLOSINGS: Final = (1, 3)
_BLOCKS: Final = ((0.03, 7), (0.08, 10), (0.015, 4))
"""Sides of the surroundings of a pixel, as shares of the longer side of the image, and how much
darker than their mean ink is."""


def quads(grey: Grey, is_enough: Callable[[], bool]) -> Iterator[Floats]:
    """Quadrilaterals, as arrays of four corners: x and y, clockwise from the upper left.

    They are the outlines of the largest connected sets of dark or of light pixels, with
    thresholds that follow the light, the outlines around boxes of one size, and the whole image.
    If the outlines of dark pixels are enough, no others follow.
    """
    height, width = grey.shape
    # Outlines are looked for in an image whose longer side has at most 1000 pixels.
    factor = min(1.0, 1000 / max(height, width))
    small = cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    distinct: list[Floats] = []
    for number, mask in enumerate(_masks(np.asarray(small))):
        if number == len(_BLOCKS) * len(_CLOSINGS) and is_enough():
            return
        # A board covers at least a fiftieth of the image.
        for quad in _outlines(mask, 0.02 * small.size):
            close = 0.01 * max(small.shape)
            if not any(np.abs(quad - other).max() < close for other in distinct):
                distinct.append(quad)
                yield quad / np.float32(factor)
    for together in _join(distinct):
        yield together / np.float32(factor)
    x, y = 0.004 * width, 0.004 * height
    yield np.array(
        [[x, y], [width - 1 - x, y], [width - 1 - x, height - 1 - y], [x, height - 1 - y]],
        dtype=np.float32,
    )


def _join(quads: list[Floats]) -> Iterator[Floats]:
    """The outlines around boxes of one size, for a board whose own outline is interrupted."""
    areas = np.array([cv2.contourArea(quad) for quad in quads])
    for area in np.unique(np.round(np.log(areas + 1) / _ALIKE)):
        alike = [quads[at] for at in np.flatnonzero(np.abs(np.log(areas + 1) / _ALIKE - area) < 1)]
        if len(alike) >= 4:  # fewer show no board
            corners = _four_corners(cv2.convexHull(np.concatenate(alike)))
            if corners is not None:
                yield clockwise(corners)


def _masks(grey: Grey) -> Iterator[Grey]:
    side = max(grey.shape)
    smooth = cv2.GaussianBlur(grey, (3, 3), 0) if side < 900 else cv2.GaussianBlur(grey, (5, 5), 0)
    for image in (smooth, cv2.bitwise_not(smooth)):
        for share, offset in _BLOCKS:
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
    hulls.sort(key=lambda entry: -entry[0])
    # Of one binary image, only the largest outlines are examined.
    for area, hull in hulls[:6]:
        if area < smallest:
            return
        corners = _four_corners(hull)
        if corners is not None and cv2.contourArea(corners) > 0.8 * area:
            yield clockwise(corners)


def _four_corners(hull: Grey) -> Floats | None:
    """The corners of a convex outline; None if it does not have four sides.

    The sides are fitted to the points of the outline, because the corners themselves may be
    round or covered.
    """
    length = cv2.arcLength(hull, True)
    for share in (0.01, 0.02, 0.03, 0.05, 0.08):
        polygon = cv2.approxPolyDP(hull, share * length, True)
        if len(polygon) == 4:
            corners = np.asarray(polygon.reshape(4, 2), dtype=np.float32)
            return _fit_lines(corners, _dense(hull))
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


def _fit_lines(corners: Floats, points: Floats) -> Floats:
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
    crossings_found = []
    for at in range(4):
        crossing = np.cross(lines[at - 1], lines[at])
        if abs(crossing[2]) < 1e-9:
            return corners
        crossings_found.append(crossing[:2] / crossing[2])
    corners_fit = np.array(crossings_found, dtype=np.float32)
    shift = np.abs(corners_fit - corners).max()
    return corners_fit if shift < 0.1 * float(np.ptp(corners)) else corners


def clockwise(corners: Floats) -> Floats:
    """The corners clockwise from the upper left; the upper side is the one nearest to level."""
    centre = corners.mean(axis=0)
    angles = np.arctan2(corners[:, 1] - centre[1], corners[:, 0] - centre[0])
    cycle = corners[np.argsort(angles)]

    def slope(first: int) -> float:
        dx, dy = cycle[(first + 1) % 4] - cycle[first]
        return float(abs(np.arctan2(dy, dx)))

    first = min(range(4), key=slope)
    return np.roll(cycle, -first, axis=0)


# The lines of a grid in a rectified image.


SIZES: Final = (4, 6, 8, 9, 10, 12, 16, 25)
"""The numbers of cells a side that are recognised."""
SIDE: Final = 600
"""Pixels of a side of a board while its lines are looked for."""
MARGIN: Final = 30
"""Pixels around the board."""
_STEP: Final = 3
"""Every third pixel along a line is enough to see whether it crosses the board."""


Ridges = tuple[Floats, Floats]
"""How dark each narrow dark part is, as a share of the brightness around it: the vertical lines,
and the horizontal ones transposed, so that they are columns, too."""


def _upright(image: Grey) -> Floats:
    share = len(image) / (SIDE + 2 * MARGIN)
    smooth = cv2.blur(image, (1, round(9 * share)))
    # The window has the pixels of the widest line, plus one.
    kernel = np.ones((1, round(21 * share) | 1), np.uint8)
    closing = cv2.morphologyEx(smooth, cv2.MORPH_CLOSE, kernel)
    difference = cv2.subtract(closing, smooth).astype(np.float32)
    return np.asarray(difference / (closing.astype(np.float32) + 24), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a grid fits."""

    size: int
    """Cells a side."""
    score: float
    """1 for lines wherever they are expected and nowhere else."""
    border: float
    """1 for a border all around, 0 for none."""


def fits(edges: Ridges, sizes: tuple[int, ...]) -> list[Fit]:
    """How well grids of these `sizes` fit."""
    masks = []
    for ridge in edges:
        middle, upper = np.quantile(ridge[::5, ::5], (0.5, 0.75))
        # Contrasts of the faintest line, and of a line that is clear among the darkest digits.
        threshold = float(np.clip(middle + 2 * (upper - middle), 0.035, 0.09))
        masks.append(ridge[::_STEP] > threshold)
    return [_fit(masks, size) for size in sizes]


def _fit(masks: list[AnyArray], size: int) -> Fit:
    share = masks[0].shape[1] / (SIDE + 2 * MARGIN)
    cell, margin = SIDE * share / size, MARGIN * share
    reach = max(2, round(0.1 * cell))
    lines, gaps, borders = [], [], []
    inside = slice(int(margin / _STEP), int((margin + SIDE * share) / _STEP))
    for mask in masks:
        wide = cv2.dilate(mask.astype(np.uint8), np.ones((1, 2 * reach + 1), np.uint8))
        strength = wide[inside].mean(axis=0)
        positions = np.round(margin + np.arange(size + 1) * cell).astype(int)
        lines.append(strength[positions[1:-1]])
        borders.append(strength[positions[[0, -1]]])
        # Where lines cross an assumed cell that is two or three cells wide.
        steps = np.round(np.outer(np.diff(positions), (1 / 3, 1 / 2, 2 / 3)))
        between = positions[:-1, None] + steps.astype(int)
        gaps.append(strength[between].mean(axis=0))
    every = np.sort(np.concatenate(lines))
    weakest = float(every[: max(1, len(every) // 4)].mean())
    # Digits may cover a quarter of the middle of a row of cells.
    gap = max(0.0, float(np.mean(gaps, axis=0).max()) - 0.25) / (1 - 0.25)
    border = float(np.mean(np.concatenate(borders)))
    score = 0.7 * float(every.mean()) * weakest + 0.3 * border**2 - gap
    return Fit(size, score, border)


def crossings(edges: Ridges, size: int) -> tuple[Floats, Floats, Floats]:
    """Where the lines of a grid cross.

    Returns:
        Three arrays with a row for each crossing: where it is expected, where it is (x and y),
        and how clear the fainter of its lines is (0 for no line).
    """
    cell = SIDE / size
    reach = max(3, int(0.28 * cell))
    places, clear = zip(*(_positions(ridge, size, cell, reach) for ridge in edges), strict=True)
    grid = MARGIN + np.arange(size + 1) * cell
    expected = np.stack(np.meshgrid(grid, grid), axis=-1).astype(np.float32)
    found_at = np.stack([places[0].T, places[1]], axis=-1).astype(np.float32)
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


# The board of an image.


CELL: Final = 48
"""Pixels per side of a cell in `PhotographedBoard.rectified`."""
_LEAST_SCORE: Final = 0.4
_ENOUGH_CELLS: Final = 12
"""Pixels of the side of a cell in the image: with fewer, no digit can be read."""


@dataclass(frozen=True, slots=True, eq=False)
class PhotographedBoard:
    """A board that was found."""

    size: int
    """Cells a side."""
    corners: Floats
    """x and y of the corners in pixels of the searched image, clockwise from the upper left."""
    rectified: Grey
    """The board alone, `CELL` pixels per side of a cell, with a margin of one cell around it."""
    is_light: bool
    """Whether its lines are lighter than the cells, as on a dark screen."""
    score: float
    """How well a grid fits: 1 is best."""


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    corners: Floats
    fit: Fit
    lines: "_Lines"
    area: float


_Lines = tuple[bool, ...]
"""The lines that are looked for: False for dark ones, True for light ones."""
_DARK: Final = (False,)
_LIGHT: Final = (True,)


def find_board(grey: Grey, size: int | None = None, name: str = "image") -> PhotographedBoard:
    """The board in an image.

    Args:
        grey: the image.
        size: cells a side; None to recognise one of `SIZES`.
        name: the file, for errors.

    Raises:
        InputError: no board of this size was found, or its cells have too few pixels.
    """
    sizes = SIZES if size is None else (size,)
    candidates = _good(grey, sizes, (_DARK, _LIGHT))
    if not candidates or candidates[0].fit.score < _LEAST_SCORE:
        candidates = _good(grey, sizes, ((*_DARK, *_LIGHT),))
    if not candidates or candidates[0].fit.score < _LEAST_SCORE:
        size_text = f"{size} x {size}" if size else "4, 6, 8, 9, 10, 12, 16 or 25"
        expected = f"lines around {size_text} cells" + ("" if size else " a side")
        raise InputError("no board was found", where=name, expected=expected)
    best = _whole(candidates)
    cell = best.area**0.5 / best.fit.size
    if cell < _ENOUGH_CELLS:
        raise InputError(
            f"a cell of the board has {cell:.0f} x {cell:.0f} pixels",
            where=name,
            expected=f"at least {_ENOUGH_CELLS} x {_ENOUGH_CELLS} pixels",
        )
    return PhotographedBoard(
        size=best.fit.size,
        corners=best.corners,
        rectified=_flatten(grey, best),
        is_light=best.lines == _LIGHT,
        score=best.fit.score,
    )


def _good(grey: Grey, sizes: tuple[int, ...], kinds: tuple[_Lines, ...]) -> list[_Candidate]:
    """The best grids with lines of these kinds, best first."""
    candidates: list[_Candidate] = []

    def is_enough() -> bool:
        return any(board.fit.score > 0.6 for board in candidates)

    for corners in quads(grey, is_enough):
        candidates += [
            board
            for board in _candidates(grey, corners, sizes, kinds)
            if board.fit.score > 0.3 * _LEAST_SCORE
        ]
    # A small error of the corners lowers the score of a fine grid, so the best few are refined.
    finalists: list[_Candidate] = []
    for board in _variety(_best_first(candidates)):
        if not any(
            # Much smaller candidates beside a good and better one are parts of the board.
            board.area < 0.25 * other.area and max(board.fit.score, 0.6) < other.fit.score
            for other in finalists
        ):
            finalists.append(_refine(grey, board, sizes))
    finalists = _best_first(finalists)
    if 9 in sizes and finalists and finalists[0].fit.size == 6:
        wider = [
            board
            for part in finalists[:2]
            if part.fit.size == 6
            for corners in _extensions(part.corners, grey.shape)
            for board in _candidates(grey, corners, (9,), (finalists[0].lines,))
        ]
        likely = [board for board in _best_first(wider)[:2] if board.fit.score > _LEAST_SCORE / 3]
        finalists += [_refine(grey, board, (9,)) for board in likely]
    return _best_first(finalists)


def _best_first(boards: list[_Candidate]) -> list[_Candidate]:
    return sorted(boards, key=lambda board: -board.fit.score)


def rectify(grey: Grey, corners: Floats, size: int) -> Grey:
    """The board with these `corners`, as `PhotographedBoard.rectified`."""
    to_image = _homography(corners, CELL, size * CELL)
    return _warp(grey, to_image, (size + 2) * CELL)


def _flatten(grey: Grey, board: _Candidate) -> Grey:
    """The board as `rectified`, with the crossings of lines moved into place: paper bends."""
    size = board.fit.size
    expected, crossing_places, clarity = crossings(_ridges(grey, board), size)
    is_clear = clarity > 0.3 * float(np.median(clarity))
    shifts = (crossing_places - expected) * np.float32(CELL * size / SIDE)
    shifts = _smooth((expected - MARGIN) / np.float32(SIDE), shifts, is_clear)
    # Bent paper moves a crossing by at most 0.28 cells.
    shifts = shifts.clip(-0.28 * CELL, 0.28 * CELL).reshape(size + 1, size + 1, 2)
    side = (size + 2) * CELL
    at = (np.arange(side, dtype=np.float32) / CELL - 1).clip(0, size)
    near = np.maximum(0, 1 - np.abs(at[:, None] - np.arange(size + 1, dtype=np.float32)))
    x, y = (near @ shift @ near.T for shift in shifts.T)
    pixels = np.arange(side, dtype=np.float32)
    points = np.stack([x.T + pixels, y.T + pixels[:, None]], axis=-1)
    to_image = _homography(board.corners, CELL, size * CELL)
    places = cv2.perspectiveTransform(points.astype(np.float32), to_image)
    smooth = _smooth_before(grey, to_image)
    replicate = cv2.BORDER_REPLICATE
    return np.asarray(cv2.remap(smooth, places, None, cv2.INTER_LINEAR, borderMode=replicate))


def _smooth(places: Floats, shifts: Floats, is_clear: AnyArray) -> Floats:
    """The shifts that cubic polynomials of the places give; stray crossings count for little."""
    x, y = places.T
    basis = np.stack([x**a * y**b for a in range(4) for b in range(4 - a)], axis=1)
    weights = is_clear[:, None].astype(np.float32)
    fit = np.zeros_like(shifts)
    for _ in range(8):
        fit = basis @ np.linalg.lstsq(basis * weights, shifts * weights, rcond=None)[0]
        # At a distance of 0.03 cells from a smooth surface, a crossing counts half.
        errors = np.hypot(*(shifts - fit).T)[:, None] / (0.03 * CELL)
        weights = is_clear[:, None] / (1 + errors**2)
    return np.asarray(fit, dtype=np.float32)


def _extensions(part: Floats, image: tuple[int, ...]) -> Iterator[Floats]:
    """The corners of boards of 9 x 9 cells that 3 x 3 or 6 x 6 cells may be a part of.

    The outline of a board may be interrupted or cut off where those of its boxes are not; and 3 x 3
    cells with digits are easily taken for 6 x 6.
    """
    to_image = _homography(part, 0, 1)
    height, width = image
    # A board may be cut off by at most 3 % of the image.
    most = 0.03 * max(height, width)
    for cells in (3, 6):
        for row in range(0, 10 - cells, 3):
            for column in range(0, 10 - cells, 3):
                start = np.array([column, row], dtype=np.float32)
                square = np.array([[0, 0], [9, 0], [9, 9], [0, 9]], dtype=np.float32) - start
                corners = cv2.perspectiveTransform((square / cells)[None], to_image)[0]
                if (np.abs(corners - corners.clip(0, [width, height])) < most).all():
                    yield corners.astype(np.float32)


def _whole(candidates: list[_Candidate]) -> _Candidate:
    """The whole board among good candidates, best first; some may be parts of the board.

    A box of 4x4 cells in a board of 16x16 cells is a good grid too, and the lines of a small
    grid fit better, because fewer digits are near them.
    """
    best = candidates[0]
    for other in candidates:
        # Above 0.6 a border is certain: outside it is the margin of the board, not a row of cells.
        good = other.fit.border >= 0.6 and other.fit.score >= _LEAST_SCORE
        if good and _is_part(best, other):
            best = other
    for other in candidates:  # a page may have small boards beside the large one, such as solutions
        if other.area > 1.5 * best.area and min(other.fit.score, other.fit.border - 0.3) > 0.4:
            best = other
    return max(
        (
            other
            for other in candidates
            if other is best
            or (
                other.area > best.area
                # Of two outlines whose scores hardly differ, the larger one is the board.
                and other.fit.score > best.fit.score - 0.08
                and other.fit.border > best.fit.border - 0.1
            )
        ),
        key=lambda other: other.area * (1 + other.fit.score),
    )


def _is_part(part: _Candidate, whole: _Candidate) -> bool:
    """Whether the cells of one candidate are some of the cells of the other."""
    if part.fit.size >= whole.fit.size:
        return False
    to_grid = np.linalg.inv(_homography(whole.corners, 0, whole.fit.size))
    corners = cv2.perspectiveTransform(part.corners.reshape(-1, 1, 2), to_grid).reshape(4, 2)
    crossings_near = np.round(corners)
    # The corners of a part are near crossings of the board, in cells.
    on_lines = float(np.abs(corners - crossings_near).max()) < 0.25
    return on_lines and bool((np.ptp(crossings_near, axis=0) == part.fit.size).all())


def _variety(candidates: list[_Candidate]) -> list[_Candidate]:
    """The best candidates, the best of each size, and the largest."""
    best_of_size = {board.fit.size: board for board in reversed(candidates)}
    choice = candidates[:4]
    largest = max(candidates, key=lambda board: board.area * board.fit.score, default=None)
    choice += [
        board for board in (*best_of_size.values(), largest) if board and board not in choice
    ]
    # Candidates that are much worse than the best are not refined, except the largest.
    least = candidates[0].fit.score - 0.3 if candidates else 0.0
    return [board for board in choice if board.fit.score > least or board is largest]


def _candidates(
    grey: Grey, corners: Floats, sizes: tuple[int, ...], kinds: tuple[_Lines, ...]
) -> list[_Candidate]:
    area = float(cv2.contourArea(corners))
    if area < 32 * 32:
        return []
    # Candidates are compared in images of half the size.
    image = _for_lines(grey, corners, 0.5)
    return [
        _Candidate(
            corners, max(fits(_ridges_of(image, lines), sizes), key=lambda f: f.score), lines, area
        )
        for lines in kinds
    ]


def _refine(grey: Grey, candidate: _Candidate, sizes: tuple[int, ...]) -> _Candidate:
    """The candidate with corners that follow from all crossings of its lines."""
    edges = _ridges(grey, candidate)
    best = replace(candidate, fit=max(fits(edges, sizes), key=lambda fit: fit.score))
    size = best.fit.size
    for _ in range(3):
        expected, places, clarity = crossings(edges, size)
        clear = clarity > max(0.01, 0.3 * float(np.median(clarity)))
        if clear.sum() < max(8, len(clear) // 3):
            break
        shift, _ = cv2.findHomography(
            expected[clear], places[clear], cv2.RANSAC, 0.06 * SIDE / size
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
        other = replace(best, corners=corners, area=float(cv2.contourArea(corners)))
        edges = _ridges(grey, other)
        fit = fits(edges, (size,))[0]
        if fit.score <= best.fit.score - 0.01:
            break
        # Corners that moved by less than a pixel are final.
        is_settled = float(np.abs(corners - best.corners).max()) < 1.0
        best = replace(other, fit=fit)
        if is_settled:
            break
    return best


def _ridges(grey: Grey, candidate: _Candidate) -> Ridges:
    return _ridges_of(_for_lines(grey, candidate.corners), candidate.lines)


def _ridges_of(image: Grey, lines: _Lines) -> Ridges:
    """The narrow parts of a rectified board with its margin, dark or light ones or both."""
    images = [np.asarray(cv2.bitwise_not(image)) if light else image for light in lines]
    upright = np.maximum.reduce([_upright(each) for each in images])
    return upright, np.maximum.reduce([_upright(np.ascontiguousarray(each.T)) for each in images])


def _for_lines(grey: Grey, corners: Floats, share: float = 1.0) -> Grey:
    margin, side = round(MARGIN * share), round(SIDE * share)
    return _warp(grey, _homography(corners, margin, side), side + 2 * margin)


def _homography(corners: Floats, margin: int, side: int) -> Floats:
    """From pixels of a rectified board with a margin to pixels of the image."""
    low, high = margin, margin + side
    square = np.array([[low, low], [high, low], [high, high], [low, high]], dtype=np.float32)
    return np.asarray(cv2.getPerspectiveTransform(square, corners.astype(np.float32)))


def _warp(grey: Grey, to_image: Floats, side: int) -> Grey:
    smooth, flags = _smooth_before(grey, to_image), cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    replicate = cv2.BORDER_REPLICATE
    size = (side, side)
    return np.asarray(
        cv2.warpPerspective(smooth, to_image, size, flags=flags, borderMode=replicate)
    )


def _smooth_before(grey: Grey, to_image: Floats) -> Grey:
    """The image without the details that shrinking would lose unevenly."""
    # A flat outline can have any shrinking, and wide windows are slow.
    scale = min(8.0, abs(float(np.linalg.det(to_image[:2, :2]))) ** 0.5)
    # Shrinking by more than two would skip pixels, and with them thin lines.
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), 0.35 * scale)) if scale > 1.6 else grey
