"""The room that a drawing has left: circles that are taken, with what an overlap costs."""

from collections.abc import Iterator
from math import floor, hypot

from harness.puzzles.drawing.sheet import Point


class Room:
    """Circles on a sheet, found by the square that has their middle."""

    def __init__(self, largest: float) -> None:
        """An empty sheet for circles whose radius is at most `largest`."""
        self._square = 2 * largest
        self._taken: dict[tuple[int, int], list[tuple[Point, float, int]]] = {}

    def take(self, at: Point, radius: float, cost: int) -> None:
        """Take a circle; to overlap with it costs `cost`."""
        self._taken.setdefault(self._key(at), []).append((at, radius, cost))

    def cost(self, at: Point, radius: float) -> int:
        """The cost of all circles that overlap with this one."""
        return sum(
            cost
            for (x, y), other, cost in self._near(at)
            if hypot(x - at[0], y - at[1]) < radius + other
        )

    def _near(self, at: Point) -> Iterator[tuple[Point, float, int]]:
        column, row = self._key(at)
        for x in (column - 1, column, column + 1):
            for y in (row - 1, row, row + 1):
                yield from self._taken.get((x, y), ())

    def _key(self, at: Point) -> tuple[int, int]:
        return floor(at[0] / self._square), floor(at[1] / self._square)
