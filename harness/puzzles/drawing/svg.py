"""A puzzle as an SVG drawing: one file without scripts, style sheets and fonts of its own."""

from collections.abc import Iterator

from harness.puzzles.drawing.layout import candidate_grid, candidates_of, features_in_words
from harness.puzzles.drawing.sheet import CANDIDATE_WIDTH, SMALLEST_CELL, Sheet
from harness.puzzles.puzzle import Grid, Puzzle


def svg(puzzle: Puzzle, grid: Grid | None = None, title: str = "") -> str:
    """A drawing of `puzzle` as SVG.

    Boxes and regions have thick borders, diagonals a line, windows and disjoint groups
    a shade. Givens are bold, and candidates of pencilmarks small.

    Args:
        puzzle: a puzzle of any shape.
        grid: its solution; the values of blank cells are blue.
        title: the title of the drawing, by default the name of the shape.
    """
    sheet = Sheet(puzzle.shape, _side(puzzle))
    facts = [f"{puzzle.shape}, {puzzle.clues} givens", *features_in_words(puzzle.shape)]
    parts = (
        *sheet.shades(),
        *sheet.diagonals(),
        *sheet.lines(),
        *_values(sheet, puzzle, grid),
    )
    return sheet.document(title or str(puzzle.shape), facts, parts)


def _side(puzzle: Puzzle) -> int:
    """The side of a cell, in which all candidates have room."""
    if puzzle.pencilmarks is None:
        return SMALLEST_CELL
    return max(SMALLEST_CELL, CANDIDATE_WIDTH * max(candidate_grid(puzzle.shape)))


def _values(sheet: Sheet, puzzle: Puzzle, grid: Grid | None) -> Iterator[str]:
    for cell, given in enumerate(puzzle.givens):
        value = given or (grid[cell] if grid is not None else 0)
        if value:
            yield sheet.value(cell, value, is_given=bool(given))
        else:
            yield from sheet.candidates(cell, candidates_of(puzzle, cell))
