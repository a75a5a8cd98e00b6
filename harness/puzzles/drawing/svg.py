"""A puzzle as an SVG drawing: one file without scripts, style sheets and fonts of its own."""

from collections.abc import Iterator

from harness.puzzles.drawing.layout import candidate_grid, features_in_words, values_in
from harness.puzzles.drawing.sheet import CANDIDATE_WIDTH, SMALLEST_CELL, Sheet
from harness.puzzles.puzzle import Grid, Pencilmarks, Puzzle
from harness.puzzles.shape import Shape


def svg(
    puzzle: Puzzle,
    grid: Grid | None = None,
    title: str = "",
    candidates: Pencilmarks | None = None,
) -> str:
    """A drawing of `puzzle` as SVG.

    Boxes and regions have thick borders, diagonals a line, windows and disjoint groups
    a shade. Givens are bold, and candidates of pencilmarks small.

    Args:
        puzzle: a puzzle of any shape.
        grid: its solution; the values of blank cells are blue.
        title: the title of the drawing, by default the name of the shape.
        candidates: what blank cells show as bits, by default the pencilmarks of the puzzle.
    """
    marks = puzzle.pencilmarks if candidates is None else candidates
    sheet = Sheet(puzzle.shape, _side(puzzle.shape, marks))
    facts = [f"{puzzle.shape}, {puzzle.clues} givens", *features_in_words(puzzle.shape)]
    parts = (
        *sheet.shades(),
        *sheet.diagonals(),
        *sheet.lines(),
        *_values(sheet, puzzle, grid, marks),
    )
    return sheet.document(title or str(puzzle.shape), facts, parts)


def _side(shape: Shape, marks: Pencilmarks | None) -> int:
    """The side of a cell, in which all candidates have room."""
    if marks is None:
        return SMALLEST_CELL
    return max(SMALLEST_CELL, CANDIDATE_WIDTH * max(candidate_grid(shape)))


def _values(
    sheet: Sheet, puzzle: Puzzle, grid: Grid | None, marks: Pencilmarks | None
) -> Iterator[str]:
    for cell, given in enumerate(puzzle.givens):
        value = given or (grid[cell] if grid is not None else 0)
        if value:
            yield sheet.value(cell, value, is_given=bool(given))
        elif marks is not None:
            yield from sheet.candidates(cell, values_in(marks[cell]))
