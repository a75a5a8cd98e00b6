"""Puzzles of candidates: in one line (sukaku), and as grids of groups of symbols.

The symbol of a value stands at its place, and a filler where the cell cannot have the
value: 729 symbols for a 9x9.

The format `candidates` is what many programs print: groups of candidates between borders, ``u``
before a value that a player has placed. A group of a single symbol is a given.
"""

import re
from functools import partial
from math import isqrt
from typing import Final

from harness.base.errors import PuzzleError
from harness.base.text import shortened
from harness.puzzles.formats.format import FILLERS, Format, Head, ReadSettings, letters_only
from harness.puzzles.formats.grids import bordered
from harness.puzzles.formats.lines import comment_problem, read_each_line, write_each_line
from harness.puzzles.formats.stream import NO_FIELDS, ParsedPuzzle, TextLine, located
from harness.puzzles.puzzle import Puzzle, values_in
from harness.puzzles.shape import LETTERED, VALUES, Shape, symbol_of

# Candidates in one line (sukaku): size symbols for each cell, as tdoku and SukakuExplainer read.


_SUKAKU_SIDES: Final = {size**3: size for size in range(2, LETTERED + 1)}


def candidates_in(text: str, shape: Shape | None) -> Puzzle | None:
    """The puzzle in `text` if it is certainly a line of candidates; None otherwise.

    It certainly is one if `shape` has that number of candidates, or if each symbol stands at
    the place of its value and each cell has a candidate.
    """
    if shape is not None:
        if shape.size > LETTERED:
            return _of_numbers(text, shape) if " " in text else None
        if len(text) != shape.size**3:
            return None
        return read_candidates(TextLine(text, 1, 0, "puzzle"), ReadSettings(shape))
    size = _SUKAKU_SIDES.get(len(text))
    if size is None or not is_certain(text, size):
        return None
    return read_candidates(TextLine(text, 1, 0, "puzzle"), ReadSettings(Shape.of_side(size)))


_LIST: Final = re.compile(r"[0-9],+[0-9]")


def _of_numbers(text: str, shape: Shape) -> Puzzle | None:
    """The puzzle of a shape above 36x36 if a cell of `text` has a list; None otherwise.

    Raises:
        PuzzleError: a cell is neither a value nor a list of different ones in order nor a blank.
    """
    cells = text.split(" ")
    if len(cells) != shape.size**2 or not ("," in cells or _LIST.search(text)):
        return None
    values = [str(value) for value in range(1, shape.size + 1)]
    for cell, content in enumerate(cells):
        symbols = {*content.split(",")}
        if content not in (".", ",", ",".join(value for value in values if value in symbols)):
            raise PuzzleError(
                f"{shortened(content, 40)!r} is not a value, a list of candidates or a blank",
                where=shape.cell_name(cell),
                expected=f"different values up to {shape.size} in order, such as 1,{shape.size}",
            )
    return Puzzle.of_line(text, shape)


def is_certain(text: str, size: int) -> bool:
    """Whether `text` is a line of candidates of a grid of `size`, and no puzzle of another size.

    Each symbol stands at the place of its value, each cell has a candidate, and the puzzle
    that the text may be (8x8 for 64 symbols, 27x27 for 729) has a value twice in a row.
    """
    return _is_possible(text, size) and not _is_puzzle(text)


def _is_possible(text: str, size: int) -> bool:
    groups = (text[at : at + size] for at in range(0, len(text), size))
    return all(
        group.strip(FILLERS)
        and all(c in FILLERS or c.upper() == v for c, v in zip(group, VALUES, strict=False))
        for group in groups
    )


def _is_puzzle(text: str) -> bool:
    """Whether `text` may be a puzzle with a symbol for each cell."""
    side = isqrt(len(text))
    if side * side != len(text):
        return False
    rows = (text[at : at + side] for at in range(0, len(text), side))
    givens = ([symbol for symbol in row if symbol not in FILLERS] for row in rows)
    return all(len({*row}) == len(row) for row in givens)


def read_candidates(line: TextLine, reading: ReadSettings) -> Puzzle:
    """The puzzle whose candidates are the symbols of `line`.

    Raises:
        PuzzleError: a wrong length, or a symbol that is not at its place; with its column.
    """
    text = line.text
    shape = reading.shape
    if shape is None and len(text) in _SUKAKU_SIDES:
        with located(line.place()):
            shape = Shape.of_side(_SUKAKU_SIDES[len(text)])
    if shape is None or len(text) != shape.size**3:
        raise line.error(
            f"{len(text)} candidates" + (f" for {shape}" if shape else ""),
            f"{shape.size**3} symbols" if shape else "729 symbols for a 9x9",
            min(len(text), shape.size**3) if shape else len(text),
        )
    size = shape.size
    marks = []
    for cell in range(size * size):
        bits = 0
        for at in range(size):
            symbol = text[cell * size + at]
            if symbol.upper() == VALUES[at]:
                bits |= 1 << at
            elif symbol not in FILLERS:
                raise line.error(
                    f"{symbol!r} at the place of {VALUES[at]} in {shape.cell_name(cell)}",
                    f"{VALUES[at]}, or . for a value that the cell cannot have",
                    cell * size + at,
                )
        marks.append(bits)
    return Puzzle(shape, (0,) * size**2, tuple(marks))


def _read(line: TextLine, reading: ReadSettings, name: str) -> ParsedPuzzle:
    match = re.search(r"[\s,;#%]", line.text)
    comment = line.text[match.start() :].lstrip(" \t,;|#/%") if match else ""
    puzzle = read_candidates(line.part(0, match and match.start()), reading)
    fields = {"comment": comment} if comment else NO_FIELDS
    return ParsedPuzzle(puzzle, line.place(), name, fields=fields)


def _text_sukaku(parsed: ParsedPuzzle) -> str:
    values = VALUES[: parsed.puzzle.shape.size]
    marks = (
        symbol if bits >> at & 1 else "."
        for bits in parsed.puzzle.allowed
        for at, symbol in enumerate(values)
    )
    comment = parsed.fields.get("comment")
    return "".join(marks) + (f" {comment}" if comment else "")


def _is_determined(shape: Shape) -> bool:
    """Whether a line of candidates determines the shape; 64 symbols may be an 8x8."""
    return shape.spec == f"{shape.size}x{shape.size}" and shape.size != 4


_write_sukaku = partial(
    write_each_line, text=_text_sukaku, determines=_is_determined, symbols=False
)


def _detect(head: Head) -> bool:
    text = head.first.split(maxsplit=1)[0] if head.first else ""
    if head.shape is not None:
        return len(text) == head.shape.size**3
    size = _SUKAKU_SIDES.get(len(text))
    if size is None or not _is_possible(text, size):
        return False
    if _is_puzzle(text):
        side = isqrt(len(text))
        raise head.rows[0].error(
            f"a line of {len(text)} symbols may be a puzzle of {side}x{side} "
            f"or the candidates of {size}x{size}",
            f"--shape {side}x{side} or --shape {size}x{size}",
        )
    return True


SUKAKU: Final = Format(
    name="sukaku",
    title="the candidates of all cells in one line, 729 symbols for a 9x9",
    read=partial(read_each_line, parse=_read),
    write=_write_sukaku,
    can_hold=lambda parsed: letters_only(parsed.puzzle.shape) or comment_problem(parsed),
    detect=_detect,
    keeps=frozenset({"comment"}),
    holds="every shape up to 36x36, and pencilmarks",
)


# Grids of candidates: a group of symbols for each cell, with borders or without.


def text_of_candidates(parsed: ParsedPuzzle) -> str:
    """The lines of a grid of candidates with borders."""
    texts = ["".join(map(symbol_of, values_in(bits))) for bits in parsed.puzzle.allowed]
    width = max(map(len, texts))
    return bordered([text.ljust(width) for text in texts], parsed.puzzle.shape, width)
