"""Links to sudokuwiki.org, one per line: 81 digits, or a packed position such as ``S9B``.

A packed position has a number in base 36 for each cell: 1 to 9 for a given, 10 to 18 for a value
that was placed, and 18 plus the candidates as bits for others. Its first letter is its kind: S for
a plain grid, X for diagonals, W for windoku, C for colours (disjoint groups), all with two digits
a number, and J for a jigsaw with three, to which 1024 times the number of the region is added. The
kinds L and M are killers, which are refused.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from string import ascii_lowercase, digits
from typing import Final

from harness.extensions.formats.annotated_lines import regions_of
from harness.extensions.formats.fpuzzles import host_of, read_links
from harness.extensions.formats.programs import placed_cells, placed_problem
from harness.puzzles import VALUES, Puzzle, Shape
from harness.puzzles.formats import (
    Format,
    Head,
    ParsedPuzzle,
    ReadSettings,
    TextLine,
    located,
    placed_field,
    read_cells,
    with_candidates,
)

_PLACED: Final = 9
_MARKS: Final = 18
_REGION: Final = 1 << 10
_DIGITS: Final = digits + ascii_lowercase
_KILLERS: Final = {"L9B": 4 * 81, "M9B": 5 * 81, "L6C": 4 * 36}
"""The prefixes of killers, and the numbers of symbols after them."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of packed positions."""

    prefix: str
    shape: str | None
    """The name of the shape; None if the position has the regions of a jigsaw."""
    page: str | None
    """The page of the site for links; None to write the packed position alone."""
    width: int = 2
    """Digits of a number."""

    @property
    def size(self) -> int:
        return int(self.prefix[1])

    @property
    def length(self) -> int:
        """Symbols after the prefix."""
        return self.width * self.size**2


_KINDS: Final = {
    kind.prefix: kind
    for kind in (
        _Kind("S9B", "9x9", "sudoku.htm"),
        _Kind("S6B", "6x6", None),
        _Kind("X9B", "9x9+diagonal", "SudokuX.aspx"),
        _Kind("W9B", "9x9+windoku", None),
        _Kind("C9B", "9x9+disjoint", None),
        _Kind("J9B", None, "Jigsaw_Sudoku_Player", width=3),
    )
}
_PAGES: Final = (
    (re.compile("sudoku_?x", re.IGNORECASE), "9x9+diagonal"),
    (re.compile("windoku", re.IGNORECASE), "9x9+windoku"),
    (re.compile("colou?r", re.IGNORECASE), "9x9+disjoint"),
)
"""Pages of the site, with the shape of their positions of 81 digits if it is not 9x9."""
_OTHERS: Final = re.compile("jigsaw|killer|kakuro|kenken|str8|futoshiki", re.IGNORECASE)
"""Pages of the site on which 81 digits are not a whole puzzle."""


def _parse(line: TextLine, reading: ReadSettings, name: str) -> ParsedPuzzle:
    start = line.text.find("bd=") + 3 if "bd=" in line.text else 0
    cells = line.until("&#", start)
    prefix = cells.text[:3].upper()
    if kind := _KINDS.get(prefix):
        puzzle, players = _unpack(cells.part(3), kind)
        with located(line.place(start)):
            reading.require_shape(puzzle.shape)
        fields = placed_field(puzzle.shape, players)
        return ParsedPuzzle(puzzle, line.place(), name, fields=fields)
    if prefix[:1].isalpha() and len(cells.text) not in (36, 81):
        killer = f"{prefix} is a killer sudoku, which is not supported"
        problem = killer if prefix in _KILLERS else f"unknown kind {prefix}"
        raise line.error(problem, " or ".join(_KINDS), start)
    shape = reading.shape or _shape_of_page(line, start, len(cells.text))
    return ParsedPuzzle(read_cells(cells, ReadSettings(shape)), line.place(), name)


def _shape_of_page(line: TextLine, start: int, length: int) -> Shape:
    """The shape of digits from column `start`, by the page of the link before them."""
    if length not in (36, 81):
        expected = "81 digits, or S9B and 162 symbols"
        raise line.error(f"a position of {length} symbols", expected, start)
    page = line.text[: max(start - 3, 0)].rpartition("/")[2]
    if _OTHERS.search(page):
        problem = "digits without the constraints of their page"
        raise line.error(problem, "a packed position such as J9B", start)
    spec = next((shape for pattern, shape in _PAGES if pattern.search(page)), "9x9")
    return Shape.parse(spec if length == 81 else "6x6")


def _unpack(line: TextLine, kind: _Kind) -> tuple[Puzzle, list[int]]:
    """The puzzle of a packed position without its prefix, and the cells of placed digits."""
    size, width = kind.size, kind.width
    if len(line.text) != kind.length:
        problem = f"{len(line.text)} symbols after {kind.prefix}"
        raise line.error(problem, f"{kind.length} symbols", 0)
    ranges = (0, size), (_PLACED, size), (_MARKS, (1 << size) - 1)
    numbers: list[int] = []
    regions: list[int] = []
    for at in range(0, len(line.text), width):
        text = line.text[at : at + width]
        number = int(text, 36) if text.isascii() and text.isalnum() else 0
        region, number = divmod(number, _REGION) if kind.shape is None else (0, number)
        is_cell = any(start < number <= start + most for start, most in ranges)
        if not is_cell or region >= len(VALUES):
            kinds = "1 to 9 for a given, a to i for a placed value, more for candidates"
            raise line.error(f"{text!r} is not a cell", f"in base 36, {kinds}", at)
        numbers.append(number)
        regions.append(region)
    with located(line.place(0)):
        shape = Shape.parse(kind.shape or "jigsaw:" + "".join(map(VALUES.__getitem__, regions)))
    givens = [(number - 1) % _PLACED + 1 if number <= _MARKS else 0 for number in numbers]
    marks = [
        1 << value - 1 if value else number - _MARKS
        for value, number in zip(givens, numbers, strict=True)
    ]
    players = [cell for cell, number in enumerate(numbers) if _PLACED < number <= _MARKS]
    return Puzzle(shape, tuple(givens), tuple(marks)), players


def _kind_for(shape: Shape) -> _Kind | None:
    """The kind that has this shape; None if there is none."""
    return None if shape.constraints else _kind_of(shape)


@lru_cache(maxsize=64)
def _kind_of(shape: Shape) -> _Kind | None:
    for kind in _KINDS.values():
        if kind.shape and shape == Shape.parse(kind.shape):
            return kind
    return _KINDS["J9B"] if shape.size == 9 and regions_of(shape) else None


def _write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        puzzle, players = parsed.puzzle, placed_cells(parsed)
        kind = _kind_for(puzzle.shape)
        assert kind is not None
        link = f"https://www.sudokuwiki.org/{kind.page}?bd=" if kind.page else ""
        if puzzle.pencilmarks is None and not players and kind.prefix == "S9B":
            yield f"{link}{puzzle.line}\n"
            continue
        regions = "" if kind.shape else regions_of(puzzle.shape) or ""
        numbers = [
            value + _PLACED * (cell in players) if value else _MARKS + bits
            for cell, (value, bits) in enumerate(zip(puzzle.givens, puzzle.allowed, strict=True))
        ]
        for cell, letter in enumerate(regions):
            numbers[cell] += VALUES.index(letter) * _REGION
        places = range(kind.width - 1, -1, -1)
        payload = "".join(_DIGITS[n // 36**place % 36] for n in numbers for place in places)
        yield f"{link}{kind.prefix}{payload}\n"


def _can_hold(parsed: ParsedPuzzle) -> str | None:
    puzzle = parsed.puzzle
    if _kind_for(puzzle.shape) is None:
        names = ", ".join(kind.shape or "9x9 jigsaws" for kind in _KINDS.values())
        return f"holds {names} only, not {puzzle.shape}"
    return with_candidates(parsed) or placed_problem(parsed)


def _detect(head: Head) -> bool:
    first = head.first
    if "sudokuwiki" in host_of(head) and any("bd=" in row.text for row in head.rows):
        return True
    prefix, position = first[:3].upper(), first[3:]
    lengths = _KILLERS | {kind.prefix: kind.length for kind in _KINDS.values()}
    return len(position) == lengths.get(prefix) and position.isascii() and position.isalnum()


FORMAT: Final = Format(
    name="sudokuwiki",
    title="links to sudokuwiki.org, and packed positions",
    read=partial(read_links, parse=_parse),
    write=_write,
    can_hold=_can_hold,
    detect=_detect,
    keeps=frozenset({"placed"}),
    holds="9x9 with diagonals, windoku, disjoint groups or regions, 6x6, and pencilmarks; "
    "each cell has a candidate",
)
