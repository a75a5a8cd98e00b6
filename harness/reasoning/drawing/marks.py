"""The fills of a reason: its houses, its cells, and its candidates."""

from collections.abc import Iterable, Iterator
from typing import Final

from harness.puzzles.drawing.sheet import Sheet
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Reason
from harness.reasoning.links import HasWalks, Link
from harness.reasoning.marks import Candidate, HasCandidates, HasHouses

WALKS: Final = (("#1f5fbf", "#e4edfa"), ("#b3500a", "#fbeadb"), ("#6b3fa0", "#efe8f7"))
"""The colours of the first, second and third walk or group, and of their cells."""
_CELL: Final = "#f3eecb"
"""The colour of cells of a reason without walks."""
_HOUSES: Final = ("#fbf8e8", "#eaf1fb")
"""The colours of the houses of a reason, and of those that lose candidates."""
_CROSSING: Final = "#e3eadb"
"""The colour of cells that are in houses of both kinds."""
_ONE_GROUP: Final = ("#f4cf5d", "#8a6d00")
_GROUPS: Final = (("#a9cbf7", "#1f5fbf"), ("#f8c48f", "#b3500a"), ("#d3bff0", "#6b3fa0"))
"""Fill and border of the candidates of a reason with one group, and with several."""


def colours_of(number: int) -> tuple[str, str]:
    """The colours of the walk or group with this number from 0, and of its cells."""
    return WALKS[min(number, len(WALKS) - 1)]


def walks_of(reason: Reason) -> tuple[tuple[Link, ...], ...]:
    """The walks of a reason, if it is made of walks."""
    return reason.walks if isinstance(reason, HasWalks) else ()


def candidates_of(reason: Reason, board: Board) -> list[list[Candidate]]:
    """The candidates of a reason that the board has, by their groups."""
    groups = reason.candidates if isinstance(reason, HasCandidates) else ()
    return [
        [(cell, value) for cell, value in group if board.candidates[cell] >> value - 1 & 1]
        for group in groups
    ]


def cell_fills(reason: Reason, board: Board) -> dict[int, str]:
    """The colour of each cell that a reason is about.

    The cells of walks and of groups of candidates have the colour of their walk or group, and
    other cells of the reason have one colour. Its houses are lighter.
    """
    fills = _house_fills(reason)
    fills |= dict.fromkeys(reason.cells, _CELL)
    walks = walks_of(reason)
    if any(walks):
        # Only the cells of walks: the reason may include all cells of a house.
        fills = {}
        for number, walk in enumerate(walks):
            for link in walk:
                fills.setdefault(link.source, colours_of(number)[1])
                fills.setdefault(link.target, colours_of(number)[1])
    groups = candidates_of(reason, board)
    if len(groups) > 1:
        for cell, numbers in _groups_of_cells(groups).items():
            fills[cell] = colours_of(*numbers)[1] if len(numbers) == 1 else _CELL
    return fills


def candidate_marks(reason: Reason, board: Board, sheet: Sheet) -> Iterator[str]:
    """Discs behind the candidates of the first group, squares behind those of the second.

    The third group has discs again. Every group has a colour of its own.
    """
    groups = candidates_of(reason, board)
    radius = 0.58 * sheet.candidate_font
    seen: set[Candidate] = set()
    for number, group in enumerate(groups):
        look = _ONE_GROUP if len(groups) == 1 else _GROUPS[min(number, len(_GROUPS) - 1)]
        style = f'class="candidate" fill="{look[0]}" stroke="{look[1]}" stroke-width="1.2"'
        for cell, value in group:
            if (cell, value) in seen:
                continue
            seen.add((cell, value))
            x, y = sheet.place(cell, value)
            if number % 2:
                edge = 0.9 * radius
                yield (
                    f'<path d="M{x - edge:.1f} {y - edge:.1f}h{2 * edge:.1f}v{2 * edge:.1f}'
                    f'h{-2 * edge:.1f}z" {style}/>'
                )
            else:
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {style}/>'


def _house_fills(reason: Reason) -> dict[int, str]:
    fills: dict[int, str] = {}
    groups = reason.houses if isinstance(reason, HasHouses) else ()
    for number, houses in enumerate(groups):
        colour = _HOUSES[min(number, len(_HOUSES) - 1)]
        earlier = frozenset(fills)
        for house in houses:
            for cell in house.cells:
                fills[cell] = _CROSSING if cell in earlier else colour
    return fills


def _groups_of_cells(groups: Iterable[Iterable[Candidate]]) -> dict[int, list[int]]:
    """The numbers of the groups that have a candidate of each cell."""
    found: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        for cell in {cell for cell, _ in group}:
            found.setdefault(cell, []).append(number)
    return found
