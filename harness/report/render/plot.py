"""Step curves for a terminal: letters on a grid, readable without colour."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor, log10
from typing import Final

SEVERAL: Final = "*"
"""The mark of a place that several curves share."""

_HEIGHT: Final = 16
"""Rows of the plot."""
_NARROWEST: Final = 20
_WIDEST: Final = 120

Curve = Sequence[tuple[float, int]]
"""Steps: from a time in seconds on, this number of instances is answered; both increase."""


def plot(curves: Mapping[str, Curve], total: int, width: int, height: int = _HEIGHT) -> list[str]:
    """Draw curves of numbers of instances over time on a logarithmic axis.

    Args:
        curves: the curves by their marks of one character; at least one step in all.
        total: the number of all instances, which the line at the top marks.
        width: columns of the lines.
        height: rows between the axis and the line at the top.
    """
    times = [time for curve in curves.values() for time, _ in curve]
    first, last = log10(min(times)), log10(max(times))
    last = max(last, first + 1e-3)
    margin = len(f"{total:,}") + 2
    columns = min(_WIDEST, max(_NARROWEST, width - margin - 1))

    def column_of(time: float) -> int:
        return round((log10(time) - first) / (last - first) * (columns - 1))

    def row_of(count: int) -> int:
        """The row from the bottom; 0 is the axis."""
        return ceil(count * height / total)

    grid = [[" "] * columns for _ in range(height + 1)]
    grid[height] = ["-"] * columns
    for mark, curve in curves.items():
        for column, row in _cells([(column_of(t), row_of(n)) for t, n in curve]):
            taken = grid[row][column] not in (" ", "-", mark)
            grid[row][column] = SEVERAL if taken else mark
    ticks = {row_of(count): f"{count:,}" for count in _counts(total)}
    lines = [f"{f'all {total:,} instances':>{margin + columns}}"]
    for row in range(height, 0, -1):
        label = ticks.get(row, "")
        line = "".join(grid[row]).rstrip()
        lines.append(f"{label:>{margin - 2}} {'+' if label else '|'}{line}")
    lines += _time_axis(first, last, margin, columns)
    return lines


def _cells(corners: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The cells of a curve of steps: each step goes up, then to the right."""
    seen: set[tuple[int, int]] = set()
    at_column, at_row = corners[0][0], 0
    for column, row in corners:
        level = [(c, at_row) for c in range(at_column + 1, column + 1) if at_row]
        rise = [(column, r) for r in range(max(1, at_row), row + 1)]
        for cell in [*level, *rise]:
            if cell not in seen:
                seen.add(cell)
                yield cell
        at_column, at_row = column, row


def _counts(total: int) -> list[int]:
    """Round numbers of instances for the axis, about four, and the total."""
    raw = max(1.0, total / 4)
    power = 10 ** floor(log10(raw))
    step = next(int(f * power) for f in (1, 2, 5, 10) if f * power >= raw)
    return [*(n for n in range(step, total, step) if total - n >= step / 2), total]


def _time_axis(first: float, last: float, margin: int, columns: int) -> list[str]:
    """The axis and its labels: 1 and 3 of each decade, as many as fit."""
    axis, labels = ["-"] * columns, [" "] * (margin + columns + 8)
    free = 0
    for decade in range(floor(first) - 1, ceil(last) + 1):
        for lead in (1, 3):
            place = log10(lead) + decade
            if not first <= place <= last:
                continue
            column = round((place - first) / (last - first) * (columns - 1))
            text = _tick(lead * 10.0**decade)
            start = min(margin + column - len(text) // 2, margin + columns - len(text))
            if start >= free:
                axis[column] = "+"
                labels[start : start + len(text)] = text
                free = start + len(text) + 1
    title = "instances answered within a time each"
    return [
        f"{'0':>{margin - 2}} +{''.join(axis)}",
        "".join(labels).rstrip(),
        f"{title:^{margin + columns}}".rstrip(),
    ]


def _tick(seconds: float) -> str:
    """``300us``, ``1ms``: a duration without decimals."""
    for unit, size in (("us", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * size:
            return f"{seconds / size:g}{unit}"
    return f"{seconds:g}s"
