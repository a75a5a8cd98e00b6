"""Jigsaws: the cells and then the region of each cell, 162 symbols for a 9x9."""

from collections import Counter
from collections.abc import Iterable, Iterator
from math import isqrt
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats.format import Format, Head, Reading, no_pencilmarks
from harness.puzzles.formats.line import read_cells
from harness.puzzles.formats.lines import read_each_line, write_each_line
from harness.puzzles.formats.source import Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.puzzle import Grid
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import LARGEST, VALUES, value_of

_SIDES: Final = {2 * size * size: size for size in range(2, LARGEST + 1)}


def _parse(line: Line, reading: Reading, name: str) -> ParsedPuzzle:
    size = _SIDES.get(len(line.text))
    if size is None:
        raise PuzzleError(
            f"a line of {len(line.text)} symbols",
            where=line.place(len(line.text)),
            expected="cells and regions: 162 symbols for a 9x9",
        )
    cells = size * size
    try:
        shape = Shape.parse(f"jigsaw:{line.text[cells:]}")
    except PuzzleError as error:
        raise error.at(line.place(cells)) from None
    if reading.shape not in (None, shape):
        raise PuzzleError(
            "other regions than those of the chosen shape",
            where=line.place(cells),
            expected="the regions of the shape, or no --shape",
        )
    puzzle = read_cells(line.part(0, cells), Reading(shape, reading.symbols))
    if _is_solved_by(puzzle.givens, line.text[cells:]):
        raise PuzzleError(
            "the solution of the puzzle instead of regions",
            where=line.place(cells),
            expected="the region of each cell, or puzzle:1:solution",
        )
    return ParsedPuzzle(puzzle, line.place(), name)


def _is_solved_by(givens: Grid, regions: str) -> bool:
    """Whether `regions` are the values of a solution: no two in a row or column, all givens."""
    size = isqrt(len(regions))
    lines = [
        part
        for at in range(size)
        for part in (regions[at * size : (at + 1) * size], regions[at::size])
    ]
    return (
        any(givens)
        and all(len(set(part)) == size for part in lines)
        and all(
            given in (0, value_of(region)) for given, region in zip(givens, regions, strict=True)
        )
    )


def _read(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    return read_each_line(source, reading, _parse)


def regions_of(shape: Shape) -> str | None:
    """The region of each cell of a shape of rows, columns and regions; None for others."""
    size = shape.size
    if len(shape.houses) != 3 * size or shape.pairs:
        return None
    found = [""] * size**2
    for number, house in enumerate(h for h in shape.houses if h.kind not in ("row", "column")):
        for cell in house.cells:
            found[cell] += VALUES[number % size]
    regions = "".join(found)
    try:
        return regions if Shape.parse(f"jigsaw:{regions}") == shape else None
    except PuzzleError:
        return None


def _text(parsed: ParsedPuzzle) -> str:
    return f"{parsed.puzzle.line}{regions_of(parsed.puzzle.shape)}"


def _write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    # The regions are in the lines, so a file needs no other comment than one on symbols.
    for parsed in puzzles:
        yield from write_each_line([parsed], _text, lambda _: True)


def _can_hold(parsed: ParsedPuzzle) -> str | None:
    regions = regions_of(parsed.puzzle.shape)
    if regions is None:
        return f"holds rows, columns and regions only, not {parsed.puzzle.shape}"
    if _is_solved_by(parsed.puzzle.givens, regions):
        return "holds no regions that are a solution of the puzzle"
    return no_pencilmarks(parsed)


def _detect(head: Head) -> bool:
    size = _SIDES.get(len(head.first))
    if size is None or size < 4:  # no smaller one is found in files
        return False
    return set(Counter(head.first[size * size :]).values()) == {size}


FORMAT: Final = Format(
    name="jigsaw",
    title="jigsaws in one line: the cells, then their regions",
    read=_read,
    write=_write,
    can_hold=_can_hold,
    detect=_detect,
    holds="boxes or regions, without pencilmarks",
)
