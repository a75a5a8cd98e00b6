"""The shapes of the conformance suite, and a complete grid of each."""

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from random import Random
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.candidates import Candidates
from harness.puzzles.generate import pattern_grid
from harness.puzzles.puzzle import Grid, Puzzle, values_of_line
from harness.puzzles.shape import Shape

JIGSAW: Final = "jigsaw:1112122233343444"
"""A 4x4 jigsaw with four irregular regions."""
SHAPES: Final = (
    "4x4",
    "4x4+diagonal",
    JIGSAW,
    "6x6",
    "box3x2",
    "9x9",
    "16x16",
    "latin5",
    "6x6+antiking",
    "25x25",
)
"""The default shapes of an examination."""
THOROUGH_SHAPES: Final = (
    *SHAPES,
    "latin4",
    "8x8+antiknight",
    "8x8",
    "latin9",
    "9x9+windoku",
    "box5x2",
    "12x12",
)
"""The default shapes of a thorough examination by `harness backends test`."""

_GRIDS: Final = {"4x4+diagonal": "1234341243212143", JIGSAW: "1234412334122341"}
_ATTEMPTS: Final = 10
"""The number of searches for a complete grid."""
_CHOICES: Final = 600
"""The number of choices after which a search gives up."""


def shape_named(spec: str) -> Shape:
    """The shape `spec`, a name for `Shape.parse`.

    Raises:
        PuzzleError: no shape has this name.
    """
    return Shape.parse(spec)


def known_grid(shape: Shape) -> Grid:
    """A fixed complete grid of `shape`.

    Raises:
        PuzzleError: the shape has no complete grid, or none was found.
    """
    return _known_grid(shape)


@cache
def _known_grid(shape: Shape) -> Grid:
    if line := _GRIDS.get(shape.definition):
        return values_of_line(line)
    if not shape.pairs:
        with suppress(PuzzleError):
            return pattern_grid(shape)
    return _rotated_grid(shape) or _searched_grid(shape)


def _rotated_grid(shape: Shape) -> Grid | None:
    """A grid whose rows are rotations of the first; None if none is found soon."""
    size, peers, choices = shape.size, shape.peers, 0
    earlier = [[peer for peer in peers[cell] if peer < cell] for cell in range(size**2)]
    grid: list[int] = []

    def filled() -> bool:
        nonlocal choices
        if len(grid) == size**2:
            return True
        for offset in range(size):
            choices += 1
            start = len(grid)
            grid.extend((column + offset) % size + 1 for column in range(size))
            cells = range(start, start + size)
            fits = all(grid[peer] != grid[cell] for cell in cells for peer in earlier[cell])
            if choices < _CHOICES and fits and filled():
                return True
            del grid[start:]
        return False

    return tuple(grid) if filled() and _is_complete(shape, grid) else None


def _is_complete(shape: Shape, grid: Sequence[int]) -> bool:
    return all(len({grid[cell] for cell in house.cells}) == shape.size for house in shape.houses)


def _searched_grid(shape: Shape) -> Grid:
    """A grid that Algorithm X finds, with several random orders of the candidates."""
    candidates = Candidates(Puzzle(shape, (0,) * shape.size**2))
    for attempt in range(_ATTEMPTS):
        order = list(range(len(candidates)))
        if attempt:
            Random(attempt).shuffle(order)  # noqa: S311  a grid, not a secret
        try:
            found = _cover(candidates, order)
        except TimeoutError:
            continue
        if found is None:
            raise PuzzleError(f"{shape} has no complete grid", expected="another shape")
        return candidates.grid(found)
    raise PuzzleError(f"no complete grid of {shape} was found", expected="another shape")


def _cover(candidates: Candidates, order: Sequence[int]) -> Sequence[int] | None:
    """One candidate of each group, from the group of fewest candidates; None if none exist.

    Raises:
        TimeoutError: the search took too many choices.
    """
    members = candidates.members()
    choices = 0

    def covered(open_groups: dict[int, set[int]], chosen: Sequence[int]) -> Sequence[int] | None:
        nonlocal choices
        if not open_groups:
            return chosen
        choices += 1
        if choices > _CHOICES:
            raise TimeoutError
        fewest = min(open_groups, key=lambda group: len(open_groups[group]))
        for candidate in sorted(open_groups[fewest], key=order.__getitem__):
            groups = members[candidate]
            out = {other for group in groups for other in candidates.groups[group]}
            left = {n: held - out for n, held in open_groups.items() if n not in groups}
            if all(left.values()) and (found := covered(left, [*chosen, candidate])) is not None:
                return found
        return None

    # The groups of pairs have a candidate for "neither", so they are no choice of their own.
    slack = {c for c, (_, value) in enumerate(candidates.meaning) if not value}
    open_groups = {n: set(g) for n, g in enumerate(candidates.groups) if slack.isdisjoint(g)}
    return covered(open_groups, ())
