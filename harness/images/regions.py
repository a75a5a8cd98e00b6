"""The shape of a board from its thick lines: boxes, or regions of a jigsaw."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from harness.images.board import CELL, Board
from harness.images.types import AnyArray, Floats
from harness.puzzles.house import box_of
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import VALUES

_REACH: Final = 10
"""Pixels beside a line that are looked at."""
_CLEARLY_THICKER: Final = 1.3
_NOT_EQUAL: Final = 1.12
"""The quotient of the thickness of two lines that are not equal."""
_CLEAR_ORDER: Final = 0.9
"""Share of pairs of a line between boxes and another line in which the first is thicker."""


@dataclass(frozen=True, slots=True)
class FoundShape:
    """A shape."""

    shape: Shape
    is_clear: bool
    """Whether the lines show it; otherwise it is the usual shape of the size."""


def shape_of(board: Board) -> FoundShape:
    """The shape of a board: boxes or regions where thick lines show them, or the usual boxes."""
    size = board.size
    upright, level = _thickness(board)
    regions = _regions(upright, level, size)
    if regions is not None:
        return FoundShape(_named(regions, size), is_clear=True)
    best = max(
        ((_order(upright, level, rows, size // rows), rows) for rows in _heights(size)),
        default=(0.0, 0),
    )
    if best[0] >= _CLEAR_ORDER:
        return FoundShape(Shape.parse(_box_name(best[1], size // best[1])), is_clear=True)
    usual = f"{size}x{size}" if box_of(size) else f"latin{size}"
    return FoundShape(Shape.parse(usual), is_clear=False)


def _heights(size: int) -> list[int]:
    """The heights that boxes of a board can have."""
    return [rows for rows in range(2, size) if size % rows == 0 and size // rows > 1]


def _box_name(rows: int, columns: int) -> str:
    size = rows * columns
    return f"{size}x{size}" if box_of(size) == (rows, columns) else f"box{rows}x{columns}"


def _thickness(board: Board) -> tuple[Floats, Floats]:
    """The thickness of the lines between neighbours, in pixels of full black.

    Returns:
        Between each cell and the one on its right (rows, columns - 1), and the one below it
        (columns, rows - 1).
    """
    values = board.rectified.astype(np.float32)
    values = 255 - values if board.is_light else values
    return _of_columns(values, board.size), _of_columns(values.T, board.size)


def _of_columns(values: Floats, size: int) -> Floats:
    found = np.zeros((size, size - 1), dtype=np.float32)
    for row in range(size):
        top = (row + 1) * CELL
        band = values[top + CELL // 5 : top + CELL - CELL // 5]
        for line in range(size - 1):
            centre = (line + 2) * CELL
            strip = band[:, centre - _REACH : centre + _REACH + 1]
            paper = np.quantile(strip, 0.8)
            dark = np.clip((paper - strip) / (paper + 8) - 0.04, 0, 1)
            found[row, line] = _width(np.quantile(dark, 0.4, axis=0))
    return found


def _width(profile: Floats) -> float:
    """The ink of the line near the middle of a profile across it; a digit beside it is none."""
    peak = _REACH - 4 + int(profile[_REACH - 4 : _REACH + 5].argmax())
    end = 0.25 * profile[peak]
    low, high = peak, peak + 1
    while low > 0 and end < profile[low - 1] <= profile[low] + 0.1:
        low -= 1
    while high < len(profile) and end < profile[high] <= profile[high - 1] + 0.1:
        high += 1
    return float(profile[low:high].sum())


def _regions(upright: Floats, level: Floats, size: int) -> AnyArray | None:
    """The region of each cell, None if thick lines do not divide the board into equal parts."""
    every = np.sort(np.concatenate([upright.ravel(), level.ravel()]))
    # Between size * (size - 1) and a twelfth of the lines may be thick.
    few = max(1, len(every) // 12)
    gaps = every[few : -few + 1 or None][1:] / np.maximum(every[few : -few + 1 or None][:-1], 0.15)
    for at in np.argsort(-gaps)[:3]:
        if gaps[at] < _CLEARLY_THICKER - 0.15:
            break
        limit = float((every[few + at] + every[few + at + 1]) / 2)
        thin, thick = every[every <= limit], every[every > limit]
        if np.median(thick) < _CLEARLY_THICKER * np.median(thin):
            continue
        region = _joined(upright > limit, limit < level.T, size)
        if (np.bincount(region) == size).all() and region.max() + 1 == size:
            return region
    return None


def _joined(right: AnyArray, below: AnyArray, size: int) -> AnyArray:
    """The number of the region of each cell, where a thick line divides regions."""
    region = np.full(size**2, -1)
    number = 0
    for start in range(size**2):
        if region[start] >= 0:
            continue
        region[start] = number
        stack = [start]
        while stack:
            row, column = divmod(stack.pop(), size)
            for other, is_open in (
                (row * size + column + 1, column + 1 < size and not right[row, column]),
                (row * size + column - 1, column > 0 and not right[row, column - 1]),
                ((row + 1) * size + column, row + 1 < size and not below[row, column]),
                ((row - 1) * size + column, row > 0 and not below[row - 1, column]),
            ):
                if is_open and region[other] < 0:
                    region[other] = number
                    stack.append(other)
        number += 1
    return region


def _named(region: AnyArray, size: int) -> Shape:
    for rows in _heights(size):
        shape = Shape.parse(_box_name(rows, size // rows))
        boxes = [house.cells for house in shape.houses if house.kind == "box"]
        if all(len({int(region[cell]) for cell in cells}) == 1 for cells in boxes):
            return shape
    return Shape.parse("jigsaw:" + "".join(VALUES[int(of)] for of in region).lower())


def _order(upright: Floats, level: Floats, rows: int, columns: int) -> float:
    """How clearly lines between boxes are thicker than the others: 0.5 for not at all."""
    ordered = []
    for widths, step in ((upright, columns), (level, rows)):
        lines = np.arange(1, widths.shape[1] + 1)
        edges, others = widths[:, lines % step == 0], widths[:, lines % step != 0]
        if not others.size or not edges.size:
            return 0.0
        clear = edges.ravel()[:, None] > _NOT_EQUAL * others.ravel()[None]
        ordered.append(float(clear.mean()))
    return min(ordered)
