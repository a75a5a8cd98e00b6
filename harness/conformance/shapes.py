"""The shapes of the conformance suite, and a complete grid of each."""

from functools import cache
from typing import Final

from harness.puzzles.generate import pattern_grid
from harness.puzzles.house import House
from harness.puzzles.puzzle import Grid
from harness.puzzles.shape import Shape

SHAPES: Final = (
    "4x4",
    "diagonal4",
    "jigsaw4",
    "6x6",
    "box3x2",
    "9x9",
    "16x16",
    "latin5",
    "25x25",
)
"""The default shapes of an examination."""
THOROUGH_SHAPES: Final = (*SHAPES, "latin4", "8x8", "latin9", "box5x2", "12x12")
"""The default shapes of a thorough examination by `harness backends test`."""

_DIAGONAL: Final = "1234341243212143"
_JIGSAW: Final = "1234412334122341"
_REGIONS: Final = "AAABABBBCCCDCDDD"
_GRIDS: Final = {"diagonal4": _DIAGONAL, "jigsaw4": _JIGSAW}


@cache
def shape_named(spec: str) -> Shape:
    """The shape `spec`: a name for `Shape.parse`, ``diagonal4`` or ``jigsaw4``.

    The latter two have other houses: both diagonals of a 4x4, and four irregular regions
    instead of boxes.

    Raises:
        PuzzleError: no shape has this name.
    """
    square = Shape.parse("4x4")
    if spec == "diagonal4":
        diagonals = (
            House("diagonal", 1, (0, 5, 10, 15)),
            House("diagonal", 2, (3, 6, 9, 12)),
        )
        return Shape(spec, 4, (*square.houses, *diagonals), square.box)
    if spec == "jigsaw4":
        cells = [tuple(c for c in range(16) if _REGIONS[c] == region) for region in "ABCD"]
        regions = (House("region", number, part) for number, part in enumerate(cells, 1))
        return Shape(spec, 4, (*Shape.parse("latin4").houses, *regions))
    return Shape.parse(spec)


def known_grid(shape: Shape) -> Grid:
    """A fixed complete grid of `shape`.

    Raises:
        PuzzleError: no grid is known because of houses other than rows, columns and boxes.
    """
    if line := _GRIDS.get(shape.spec):
        return tuple(map(int, line))
    return pattern_grid(shape)
