"""Candidates in one line (sukaku): size symbols for each cell, as tdoku and SukakuExplainer read.

The symbol of a value stands at its place, and a filler where the cell cannot have the
value: 729 symbols for a 9x9.
"""

from collections.abc import Iterable, Iterator
from math import isqrt
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats.conventions import FILLERS, Symbols
from harness.puzzles.formats.directives import directives
from harness.puzzles.formats.format import Format, Head, Reading
from harness.puzzles.formats.line import comment_problem
from harness.puzzles.formats.lines import read_each_line
from harness.puzzles.formats.source import NO_FIELDS, Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import LARGEST, VALUES

_SIDES: Final = {size**3: size for size in range(2, LARGEST + 1)}


def candidates_in(text: str, shape: Shape | None) -> Puzzle | None:
    """The puzzle in `text` if it is certainly a line of candidates; None otherwise.

    It certainly is one if `shape` has that number of candidates, or if each symbol stands at
    the place of its value and each cell has a candidate.
    """
    if shape is not None:
        if len(text) != shape.size**3:
            return None
        return read_candidates(Line(text, 1, 0, "puzzle"), Reading(shape))
    size = _SIDES.get(len(text))
    if size is None or not is_certain(text, size):
        return None
    return read_candidates(Line(text, 1, 0, "puzzle"), Reading(Shape.of_side(size)))


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


def read_candidates(line: Line, reading: Reading) -> Puzzle:
    """The puzzle whose candidates are the symbols of `line`.

    Raises:
        PuzzleError: a wrong length, or a symbol that is not at its place; with its column.
    """
    text = line.text
    shape = reading.shape
    if shape is None and len(text) in _SIDES:
        try:
            shape = Shape.of_side(_SIDES[len(text)])
        except PuzzleError as error:
            raise error.at(line.place()) from None
    if shape is None or len(text) != shape.size**3:
        raise PuzzleError(
            f"{len(text)} candidates" + (f" for {shape}" if shape else ""),
            where=line.place(min(len(text), shape.size**3) if shape else len(text)),
            expected=f"{shape.size**3} symbols" if shape else "729 symbols for a 9x9",
        )
    size = shape.size
    marks = []
    for cell in range(size * size):
        of = 0
        for at in range(size):
            symbol = text[cell * size + at]
            if symbol.upper() == VALUES[at]:
                of |= 1 << at
            elif symbol not in FILLERS:
                raise PuzzleError(
                    f"{symbol!r} at the place of {VALUES[at]} in {shape.cell_name(cell)}",
                    where=line.place(cell * size + at),
                    expected=f"{VALUES[at]}, or . for a value that the cell cannot have",
                )
        marks.append(of)
    return Puzzle(shape, (0,) * size**2, tuple(marks))


def _read(line: Line, reading: Reading, name: str) -> ParsedPuzzle:
    end = next((at for at, c in enumerate(line.text) if c.isspace() or c in ",;#%"), None)
    comment = "" if end is None else line.text[end:].lstrip(" \t,;|#/%")
    puzzle = read_candidates(line.part(0, end), reading)
    fields = {"comment": comment} if comment else NO_FIELDS
    return ParsedPuzzle(puzzle, line.place(), name, fields=fields)


def read(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    """The puzzles of `source`, one per line.

    Raises:
        PuzzleError: a puzzle is malformed; with file, line and column.
    """
    return read_each_line(source, reading, _read)


def write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    """The candidates of `puzzles`, a line each."""
    before: Shape | None = None
    for parsed in puzzles:
        puzzle = parsed.puzzle
        shape = puzzle.shape
        if shape != before:
            plain = shape.spec == f"{shape.size}x{shape.size}"
            named = before is not None or not plain or shape.size == 4  # 64 symbols: 8x8?
            yield directives(shape, named).removesuffix(f"# symbols: {Symbols.LETTERS}\n")
            before = shape
        marks = (
            VALUES[value] if of >> value & 1 else "."
            for of in puzzle.allowed
            for value in range(shape.size)
        )
        comment = parsed.fields.get("comment")
        yield "".join(marks) + (f" {comment}\n" if comment else "\n")


def can_hold(parsed: ParsedPuzzle) -> str | None:
    """The reason why the format cannot hold a puzzle; None if it can."""
    return comment_problem(parsed)


def _detect(head: Head) -> bool:
    text = head.first.split(maxsplit=1)[0] if head.first else ""
    if head.shape is not None:
        return len(text) == head.shape.size**3
    size = _SIDES.get(len(text))
    if size is None or not _is_possible(text, size):
        return False
    if _is_puzzle(text):
        side = isqrt(len(text))
        raise PuzzleError(
            f"a line of {len(text)} symbols may be a puzzle of {side}x{side} "
            f"or the candidates of {size}x{size}",
            where=head.rows[0].place(),
            expected=f"--shape {side}x{side} or --shape {size}x{size}",
        )
    return True


FORMAT: Final = Format(
    name="sukaku",
    title="the candidates of all cells in one line, 729 symbols for a 9x9",
    read=read,
    write=write,
    can_hold=can_hold,
    detect=_detect,
    keeps=frozenset({"comment"}),
    holds="every shape and pencilmarks",
)
