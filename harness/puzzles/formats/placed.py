"""Digits that a player has placed: read as givens, and named by the field ``placed``."""

from collections.abc import Iterable

from harness.puzzles.formats.source import ParsedPuzzle
from harness.puzzles.shape import Shape


def placed_field(shape: Shape, cells: Iterable[int]) -> dict[str, str]:
    """The field that names the `cells` of placed digits; empty if there are none."""
    names = " ".join(map(shape.cell_name, cells))
    return {"placed": names} if names else {}


def placed_cells(parsed: ParsedPuzzle) -> set[int]:
    """The cells of placed digits."""
    names = set(parsed.fields.get("placed", "").split())
    shape = parsed.puzzle.shape
    return {cell for cell in range(shape.size**2) if shape.cell_name(cell) in names}


def placed_problem(parsed: ParsedPuzzle) -> str | None:
    """The reason why a format with placed digits cannot hold a puzzle; None if it can."""
    cells = placed_cells(parsed)
    if len(cells) == len(parsed.fields.get("placed", "").split()) and all(
        parsed.puzzle.givens[cell] for cell in cells
    ):
        return None
    return "holds placed digits in cells with a digit only"
