"""A puzzle as an SVG drawing: one file without scripts, style sheets and fonts of its own."""

from collections.abc import Iterator
from html import escape
from typing import Final

from harness.puzzles.drawing.layout import (
    candidate_grid,
    candidates_of,
    cells_of_kind,
    diagonals_of,
    features_in_words,
    is_border,
    regions_of,
)
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.symbols import symbol_of
from harness.text import printable

_SMALLEST_CELL: Final = 40
_CANDIDATE_WIDTH: Final = 14
_MARGIN: Final = 4
_GIVEN: Final = "#111111"
_FOUND: Final = "#1f5fbf"
_CANDIDATE: Final = "#555555"
_THIN: Final = "#999999"
_DIAGONAL: Final = "#e3aaaa"
_WINDOW: Final = "#dde6f3"
_SATURATION: Final = 70
_LIGHTNESS: Final = 91
_FONT: Final = "Helvetica, Arial, 'DejaVu Sans', sans-serif"


def svg(puzzle: Puzzle, grid: Grid | None = None, title: str = "") -> str:
    """A drawing of `puzzle` as SVG.

    Boxes and regions have thick borders, diagonals a line, windows and disjoint groups
    a shade. Givens are bold, and candidates of pencilmarks small.

    Args:
        puzzle: a puzzle of any shape.
        grid: its solution; the values of blank cells are blue.
        title: the title of the drawing, by default the name of the shape.
    """
    side = puzzle.shape.size * _side(puzzle) + 2 * _MARGIN
    name = escape(printable(title or str(puzzle.shape)))
    facts = [f"{puzzle.shape}, {puzzle.clues} givens", *features_in_words(puzzle.shape)]
    root = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" '
        f'width="{side}" height="{side}" role="img" font-family="{escape(_FONT)}" '
        'text-anchor="middle">'
    )
    lines = [
        root,
        f"<title>{name}</title>",
        f"<desc>{escape(printable('; '.join(facts)))}</desc>",
        f'<rect width="{side}" height="{side}" fill="white"/>',
        f'<g transform="translate({_MARGIN} {_MARGIN})">',
        *_shades(puzzle),
        *_diagonals(puzzle),
        *_lines(puzzle),
        *_values(puzzle, grid),
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _side(puzzle: Puzzle) -> int:
    """The side of a cell, in which all candidates have room."""
    if puzzle.pencilmarks is None:
        return _SMALLEST_CELL
    return max(_SMALLEST_CELL, _CANDIDATE_WIDTH * max(candidate_grid(puzzle.shape)))


def _corner(puzzle: Puzzle, cell: int) -> tuple[int, int]:
    """The left and the upper side of a cell."""
    row, column = divmod(cell, puzzle.shape.size)
    return column * _side(puzzle), row * _side(puzzle)


def _shades(puzzle: Puzzle) -> Iterator[str]:
    side = _side(puzzle)
    groups = cells_of_kind(puzzle.shape, "group")
    shades = {
        cell: f"hsl({(group - 1) * 360 // puzzle.shape.size}, {_SATURATION}%, {_LIGHTNESS}%)"
        for cell, group in groups.items()
    }
    shades |= dict.fromkeys(cells_of_kind(puzzle.shape, "window"), _WINDOW)
    for cell, shade in sorted(shades.items()):
        x, y = _corner(puzzle, cell)
        yield f'<rect x="{x}" y="{y}" width="{side}" height="{side}" fill="{shade}"/>'


def _diagonals(puzzle: Puzzle) -> Iterator[str]:
    side = _side(puzzle)
    half = side / 2
    for cells in diagonals_of(puzzle.shape):
        (x1, y1), (x2, y2) = _corner(puzzle, cells[0]), _corner(puzzle, cells[-1])
        slope = half if x1 < x2 else -half
        yield (
            f'<line x1="{x1 + half - slope:g}" y1="{y1}" x2="{x2 + half + slope:g}" '
            f'y2="{y2 + side}" stroke="{_DIAGONAL}" stroke-width="2"/>'
        )


def _lines(puzzle: Puzzle) -> Iterator[str]:
    """Thin lines between all cells, then thick ones around regions and the grid."""
    size = puzzle.shape.size
    cell = _side(puzzle)
    side = size * cell
    thin = [f"M{at} 0V{side}M0 {at}H{side}" for at in range(cell, side, cell)]
    yield f'<path d="{"".join(thin)}" stroke="{_THIN}" stroke-width="1" fill="none"/>'
    regions, thick = regions_of(puzzle.shape), []
    for line in range(-1, size):
        for at in range(size):
            if is_border(regions, size, line, at, below=True):
                thick.append(f"M{at * cell} {(line + 1) * cell}h{cell}")
            if is_border(regions, size, at, line, below=False):
                thick.append(f"M{(line + 1) * cell} {at * cell}v{cell}")
    yield (
        f'<path d="{"".join(thick)}" stroke="{_GIVEN}" stroke-width="3" '
        'stroke-linecap="square" fill="none"/>'
    )


def _values(puzzle: Puzzle, grid: Grid | None) -> Iterator[str]:
    for cell, given in enumerate(puzzle.givens):
        value = given or (grid[cell] if grid is not None else 0)
        if value:
            yield _value(puzzle, cell, value, is_given=bool(given))
        else:
            yield from _candidates(puzzle, cell)


def _value(puzzle: Puzzle, cell: int, value: int, *, is_given: bool) -> str:
    x, y = _corner(puzzle, cell)
    side = _side(puzzle)
    look = f'font-weight="bold" fill="{_GIVEN}"' if is_given else f'fill="{_FOUND}"'
    return (
        f'<text x="{x + side / 2:g}" y="{y + 0.69 * side:g}" '
        f'font-size="{0.56 * side:g}" {look}>{escape(symbol_of(value))}</text>'
    )


def _candidates(puzzle: Puzzle, cell: int) -> Iterator[str]:
    rows, columns = candidate_grid(puzzle.shape)
    side = _side(puzzle)
    width, height = (side - 6) / columns, (side - 6) / rows
    font = min(width * 1.25, height * 0.95)
    left, top = _corner(puzzle, cell)
    for value in candidates_of(puzzle, cell):
        row, column = divmod(value - 1, columns)
        x = left + 3 + (column + 0.5) * width
        y = top + 3 + (row + 0.5) * height + 0.36 * font
        yield (
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{font:.1f}" '
            f'fill="{_CANDIDATE}">{escape(symbol_of(value))}</text>'
        )
