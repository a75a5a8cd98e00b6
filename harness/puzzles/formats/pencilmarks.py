"""Grids of candidates: a group of symbols for each cell, with borders or without.

The format `candidates` is what many programs print: groups of candidates between borders. The
format `sdx` of SudoCue has a row per line, ``u`` before a value that a player has placed.
A group of a single symbol is a given.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats.conventions import Symbols, decided, table
from harness.puzzles.formats.directives import Directives, directives
from harness.puzzles.formats.format import Format, Head, Reading
from harness.puzzles.formats.grid import is_border, is_signature
from harness.puzzles.formats.placed import placed_cells, placed_field, placed_problem
from harness.puzzles.formats.source import NO_FIELDS, Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
from harness.text import number_of

_GROUP: Final = re.compile(r"[^\s|:*\u2502\u2551]+")
_ALL: Final = (".", "0", "_")
"""A group of a cell that may have every value."""


def _groups(line: Line) -> list[tuple[int, str]]:
    """The groups of a row with their columns."""
    return [(match.start(), match[0]) for match in _GROUP.finditer(line.text)]


def _read_grid(
    rows: list[Line], shape: Shape, reading: Reading, placed: bool
) -> tuple[Puzzle, list[int]]:
    """The puzzle of a grid, and the cells of placed digits."""
    symbols = reading.symbols
    if symbols is None:
        texts = (g.lstrip("u" * placed) for row in rows for _, g in _groups(row) if g not in _ALL)
        symbols = decided(texts, shape.size, rows[0].place())
    values_of = table(symbols, shape.size)
    marks: list[int] = []
    players: list[int] = []
    for row in rows:
        for column, group in _groups(row):
            start = 1 if placed and group[0] == "u" and len(group) == 2 else 0
            players += [len(marks)] * start
            of = (1 << shape.size) - 1 if group in _ALL else 0
            for at, symbol in enumerate(group[start:] if not of else ""):
                value = values_of.get(symbol)
                if not value or of >> value - 1 & 1:
                    what = f"{symbol!r} occurs twice" if value else f"invalid symbol {symbol!r}"
                    raise PuzzleError(
                        what,
                        where=row.place(column + start + at),
                        expected=f"different candidates of {shape}",
                    )
                of |= 1 << value - 1
            marks.append(of)
    return Puzzle(shape, (0,) * shape.size**2, tuple(marks)), players


def _reader(source: Source, reading: Reading, placed: bool) -> Iterator[ParsedPuzzle]:
    found = Directives(reading)
    rows: list[Line] = []
    shape: Shape | None = None
    number = 0
    refused = False
    for line in source.lines():
        if line.comment:
            found.note(line)
        if not line.text or is_border(line) or is_signature(line):
            if not line.text and not line.comment and rows:
                reading.refuse(_incomplete(rows, shape))
                rows = []
            refused = False
            continue
        if refused:
            continue
        try:
            shape = shape if rows else found.reading.shape or _side(line)
            assert shape is not None
            width = len(_groups(line))
            if width != shape.size:
                raise PuzzleError(
                    f"a row of {width} groups for {shape}",
                    where=line.place(),
                    expected=f"{shape.size} groups of candidates",
                )
            rows.append(line)
            if len(rows) < shape.size:
                continue
            complete, rows = rows, []
            number += 1
            puzzle, players = _read_grid(complete, shape, found.reading, placed)
        except PuzzleError as error:
            reading.refuse(error)
            refused, rows = bool(rows), []
        else:
            fields = placed_field(shape, players) or NO_FIELDS
            yield ParsedPuzzle(puzzle, complete[0].place(), str(number), fields=fields)
    if rows:
        reading.refuse(_incomplete(rows, shape))


def _side(line: Line) -> Shape:
    try:
        return Shape.of_side(len(_groups(line)))
    except PuzzleError as error:
        raise error.at(line.place()) from None


def _incomplete(rows: list[Line], shape: Shape | None) -> PuzzleError:
    return PuzzleError(
        f"the grid ends after {number_of(len(rows), 'row')}",
        where=rows[-1].place(),
        expected=f"{shape.size} rows for {shape}" if shape else "a row for each column",
    )


def _texts(puzzle: Puzzle) -> list[str]:
    size = puzzle.shape.size
    return [
        "".join(symbol_of(value + 1) for value in range(size) if of >> value & 1)
        for of in puzzle.allowed
    ]


def _write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    before: Shape | None = None
    for parsed in puzzles:
        shape = parsed.puzzle.shape
        size = shape.size
        if before is not None:
            yield "\n"
        if shape != before:
            named = before is not None or shape.spec != f"{size}x{size}"
            yield directives(shape, named)
        before = shape
        texts = _texts(parsed.puzzle)
        width = max(map(len, texts))
        height, breadth = shape.box or (size, size)
        border = "+".join("-" * (breadth * (width + 1) + 1) for _ in range(size // breadth))
        for row in range(size):
            if row and row % height == 0:
                yield f"{border[1:-1]}\n"
            cells = [text.ljust(width) for text in texts[row * size : (row + 1) * size]]
            stacks = (cells[at : at + breadth] for at in range(0, size, breadth))
            yield " | ".join(" ".join(stack) for stack in stacks).rstrip() + "\n"


def _can_hold(parsed: ParsedPuzzle) -> str | None:
    marks = parsed.puzzle.pencilmarks
    return "holds no cell without candidates" if marks and not all(marks) else None


def _is_candidates(head: Head) -> bool:
    rows = [row for row in head.rows if not is_border(row)]
    if not rows:
        return False
    size = len(_groups(rows[0]))
    if not 4 <= size <= 36:
        return False
    groups = [g for row in rows[:size] for _, g in _groups(row)]
    if len(groups) != size * min(size, len(rows)) or max(map(len, groups)) < 2:
        return False
    if any(group in _ALL for group in groups):  # several digits in a cell are rather a mistake
        return False
    values_of = table(Symbols.LETTERS, size)
    numbers = ([values_of.get(c, 0) for c in g] for g in groups)
    return all(of[0] and all(a < b for a, b in pairwise(of)) for of in numbers)


def _read_candidates(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    return _reader(source, reading, placed=False)


CANDIDATES: Final = Format(
    name="candidates",
    title="a grid of the candidates of all cells, with or without borders",
    read=_read_candidates,
    write=_write,
    can_hold=_can_hold,
    detect=_is_candidates,
    holds="every shape and pencilmarks; each cell has a candidate",
)


def _read_sdx(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    shape = reading.shape or Shape.parse("9x9")
    return _reader(source, Reading(shape, reading.symbols, reading.refuse), placed=True)


def _write_sdx(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        texts = _texts(parsed.puzzle)
        for cell in placed_cells(parsed):
            texts[cell] = f"u{texts[cell]}"
        for row in range(0, 81, 9):
            yield " ".join(texts[row : row + 9]) + "\n"


def _can_hold_sdx(parsed: ParsedPuzzle) -> str | None:
    if parsed.puzzle.shape != Shape.parse("9x9"):
        return f"holds 9x9 only, not {parsed.puzzle.shape}"
    return _can_hold(parsed) or placed_problem(parsed)


SDX: Final = Format(
    name="sdx",
    title="SudoCue: the candidates in the middle of solving",
    read=_read_sdx,
    write=_write_sdx,
    can_hold=_can_hold_sdx,
    suffixes=(".sdx",),
    keeps=frozenset({"placed"}),
    holds="9x9 and pencilmarks; each cell has a candidate",
    single=True,
)
