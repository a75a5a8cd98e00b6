"""Curves between candidates with labels, laid where few other things are."""

from dataclasses import dataclass
from math import hypot
from typing import Final

from harness.puzzles.drawing.sheet import Point, Sheet
from harness.reasoning.drawing.room import Room

_BENDS: Final = (0.12, -0.12, 0.22, -0.22, 0.04, -0.04, 0.34, -0.34, 0.5, -0.5)
"""How far the curve is from the straight line, as a share of its length up to `_FULL` cells."""
_FULL: Final = 2.5
_PLACES: Final = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82)
"""Where a label may be on its curve."""
_SAMPLES: Final = tuple(number / 14 for number in range(2, 13))
_LABEL: Final = 0.46
_GAP: Final = 0.6
"""The radius of a label, and the distance of a curve from its candidates, by their type."""
_LINE: Final = 2.5
"""The radius of the room around each point of a curve."""

LABEL_COST: Final = 1000
LINE_COST: Final = 1
TEXT_COST: Final = 2


@dataclass(frozen=True, slots=True)
class Curve:
    """A quadratic Bézier curve with a place for its label."""

    start: Point
    control: Point
    end: Point
    label: Point

    @property
    def path(self) -> str:
        """The data of an SVG path."""
        (x1, y1), (x2, y2), (x3, y3) = self.start, self.control, self.end
        return f"M{x1:.1f} {y1:.1f}Q{x2:.1f} {y2:.1f} {x3:.1f} {y3:.1f}"

    def head(self, size: float) -> str:
        """The corners of an arrowhead at the end, for an SVG polygon."""
        (x, y), (cx, cy) = self.end, self.control
        length = hypot(x - cx, y - cy) or 1.0
        dx, dy = (x - cx) / length * size, (y - cy) / length * size
        corners = ((x, y), (x - dx - dy / 2, y - dy + dx / 2), (x - dx + dy / 2, y - dy - dx / 2))
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)


class Curves:
    """Lays curves one after the other, each where it overlaps least with what is there."""

    def __init__(self, room: Room, sheet: Sheet) -> None:
        """Curves on `sheet`, where `room` has what is there; each curve is added to it."""
        self._room = room
        self._size, self._side = sheet.shape.size, sheet.side
        self.radius = _LABEL * sheet.candidate_font
        """The radius of a label."""
        self._gap = _GAP * sheet.candidate_font

    def lay(self, start: Point, end: Point, *, labelled: bool = True) -> Curve:
        """The curve between two candidates that overlaps least; it takes its room.

        If the curve is not `labelled`, its label takes no room.
        """
        best: tuple[float, Curve] | None = None
        for rank, bend in enumerate(_BENDS):
            start_, control, end_ = self._bent(start, end, bend)
            points = [_point(start_, control, end_, t) for t in _SAMPLES]
            cost = sum(self._cost(point, _LINE) for point in points) + rank / 4
            if best is not None and cost >= best[0]:
                continue
            for number, t in enumerate(_PLACES if labelled else _PLACES[:1]):
                label = _point(start_, control, end_, t)
                total = cost + number / 8
                if labelled:
                    total += self._cost(label, self.radius)
                if best is None or total < best[0]:
                    best = total, Curve(start_, control, end_, label)
        assert best is not None
        self._take(best[1], labelled=labelled)
        return best[1]

    def _cost(self, at: Point, radius: float) -> int:
        is_inside = all(radius <= along <= self._size * self._side - radius for along in at)
        return self._room.cost(at, radius) + (0 if is_inside else LABEL_COST)

    def _bent(self, start: Point, end: Point, bend: float) -> tuple[Point, Point, Point]:
        (x1, y1), (x2, y2) = start, end
        dx, dy = x2 - x1, y2 - y1
        bend *= min(1.0, _FULL * self._side / (hypot(dx, dy) or 1.0))
        control = (x1 + x2) / 2 - bend * 2 * dy, (y1 + y2) / 2 + bend * 2 * dx
        return self._towards(start, control), control, self._towards(end, control)

    def _towards(self, at: Point, other: Point) -> Point:
        """The point at the distance of the gap."""
        dx, dy = other[0] - at[0], other[1] - at[1]
        share = min(0.4, self._gap / (hypot(dx, dy) or 1.0))
        return at[0] + share * dx, at[1] + share * dy

    def _take(self, curve: Curve, *, labelled: bool) -> None:
        for t in _SAMPLES:
            self._room.take(_point(curve.start, curve.control, curve.end, t), _LINE, LINE_COST)
        if labelled:
            self._room.take(curve.label, self.radius, LABEL_COST)


def _point(start: Point, control: Point, end: Point, t: float) -> Point:
    """The point of the curve at `t`, from 0 to 1."""
    a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t**2
    return (
        a * start[0] + b * control[0] + c * end[0],
        a * start[1] + b * control[1] + c * end[1],
    )
