"""Lines that hold more than a puzzle: count, solution, fields, regions, rating, or killer cages.

In ``puzzle:count:solution``, a solution may follow the count 1 only.

A line of the puzzle bank has a digest of 12 hexadecimal digits, the 81 cells with 0 for a blank,
and a rating such as `` 7.1`` of Sukaku Explainer.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from math import isqrt
from typing import Final

from harness.base.errors import PuzzleError
from harness.puzzles import LETTERED, VALUES, Grid, Puzzle, Shape, SolutionCount, value_of
from harness.puzzles.constraints import Constraint
from harness.puzzles.formats import (
    Format,
    Head,
    ParsedPuzzle,
    ReadSettings,
    TextLine,
    TextSource,
    by_length,
    is_printable,
    letters_only,
    located,
    no_pencilmarks,
    only_plain,
    read_cells,
    read_each_line,
    read_solution,
    with_columns,
    write_each_line,
)

# ``puzzle:count:solution``, the format of the tests of tdoku.


_FORM: Final = re.compile(r"(?=[^:]*[0-9.])[^:\s]{4,}:[0-9]*(:[^:\s]*)?")


def _parse_counted(line: TextLine, reading: ReadSettings, name: str) -> ParsedPuzzle:
    parts = line.text.split(":")
    if len(parts) not in (2, 3):
        raise line.error(f"{len(parts)} fields", "puzzle:count:solution", len(parts[0]))
    puzzle = read_cells(line.part(0, len(parts[0])), reading)
    start = len(parts[0]) + 1
    with located(line.place(start)):
        count = SolutionCount.parse(parts[1])
    if len(parts) == 3 and parts[2]:
        start += len(parts[1]) + 1
        if (count.least, count.most) != (1, 1):
            problem = f"the solution of a puzzle with {count}"
            raise line.error(problem, "no solution, or the count 1", start)
        count = read_solution(line.part(start), puzzle, reading)
    return ParsedPuzzle(puzzle, line.place(), name, count)


def _text_counted(parsed: ParsedPuzzle) -> str:
    count = parsed.expected_count
    assert count is not None
    return f"{parsed.puzzle.line}:{count.least}:{count.solution or ''}"


def _can_hold_counted(parsed: ParsedPuzzle) -> str | None:
    if parsed.expected_count is None or not parsed.expected_count.exact:
        return "holds puzzles with a known number of solutions only"
    return no_pencilmarks(parsed)


COUNTED: Final = Format(
    name="counted",
    title="puzzle:count:solution, as in the tests of tdoku",
    read=partial(read_each_line, parse=_parse_counted),
    write=partial(write_each_line, text=_text_counted, determines=by_length),
    can_hold=_can_hold_counted,
    detect=lambda head: bool(_FORM.fullmatch(head.first)),
    keeps=frozenset({"count", "solution"}),
    holds="every shape, without pencilmarks, with a number of solutions",
)


# ``puzzle,field,field,...`` below a header with the names of the fields, as in the forums.


_HEADER: Final = "#!sudoku"


def _read_forum(source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
    names: list[str] = []

    def parse(item: tuple[int, TextLine]) -> ParsedPuzzle:
        number, line = item
        cells, *values = line.text.split(",")
        puzzle = read_cells(line.part(0, len(cells)), reading)
        # The header may name the column of the puzzles first.
        keys = names[1:] if len(names) == len(values) + 1 else names
        if len(values) > len(keys):
            keys = [*keys, *(f"field{at}" for at in range(len(keys) + 1, len(values) + 1))]
        pairs = zip(keys, map(str.strip, values), strict=False)
        fields = {name: value for name, value in pairs if value}
        return ParsedPuzzle(puzzle, line.place(), str(number), fields=fields)

    def lines() -> Iterator[TextLine]:
        for line in source.lines():
            if line.raw.startswith(_HEADER):
                names[:] = [part.strip() for part in line.raw[len(_HEADER) :].split(",")[1:]]
            if line.text:
                yield line

    return reading.each(enumerate(lines(), 1), parse)


def _write_forum(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    names, every = with_columns(puzzles)

    def text(parsed: ParsedPuzzle) -> str:
        values = [parsed.fields.get(name, "") for name in names]
        return ",".join([parsed.puzzle.line, *values])

    for number, parsed in enumerate(every):
        if not number:
            yield ",".join([f"{_HEADER} -c1", *names]) + "\n"
        yield from write_each_line([parsed], text, by_length)


def _can_hold_forum(parsed: ParsedPuzzle) -> str | None:
    for text in [*parsed.fields, *parsed.fields.values()]:
        if "," in text or not text or not is_printable(text):
            return "holds printable texts without commas and blanks around them only"
    if not by_length(parsed.puzzle.shape) or parsed.puzzle.shape.size > 9:
        return f"holds boxed shapes up to 9x9 only, not {parsed.puzzle.shape}"
    return no_pencilmarks(parsed)


FORUM: Final = Format(
    name="forum",
    title="puzzle,field,field,... with a header #!sudoku, as in the forums",
    read=_read_forum,
    write=_write_forum,
    can_hold=_can_hold_forum,
    detect=lambda head: bool(head.lines) and head.lines[0].raw.startswith(_HEADER),
    keeps=frozenset({"fields"}),
    holds="boxed shapes up to 9x9",
)


# Jigsaws: the cells and then the region of each cell, 162 symbols for a 9x9.


_SIDES: Final = {2 * size * size: size for size in range(2, LETTERED + 1)}


def _parse_jigsaw(line: TextLine, reading: ReadSettings, name: str) -> ParsedPuzzle:
    length = len(line.text)
    if not (size := _SIDES.get(length)):
        expected = "cells and regions: 162 symbols for a 9x9"
        raise line.error(f"a line of {length} symbols", expected, length)
    cells = size * size
    with located(line.place(cells)):
        shape = Shape.parse(f"jigsaw:{line.text[cells:]}")
    if reading.shape not in (None, shape):
        problem = "regions that differ from those of the chosen shape"
        raise line.error(problem, "the regions of that shape, or no --shape", cells)
    puzzle = read_cells(line.part(0, cells), ReadSettings(shape, reading.symbols))
    if _is_solved_by(puzzle.givens, line.text[cells:]):
        expected = "the region of each cell, or puzzle:1:solution"
        raise line.error("the solution of the puzzle instead of regions", expected, cells)
    return ParsedPuzzle(puzzle, line.place(), name)


def _is_solved_by(givens: Grid, regions: str) -> bool:
    """Whether `regions`, read as values, repeat none in a row or column and keep all givens.

    False if there are no givens.
    """
    size = isqrt(len(regions))
    rows = [regions[at : at + size] for at in range(0, size**2, size)]
    is_latin = all(len(set(line)) == size for line in (*rows, *zip(*rows, strict=True)))
    pairs = zip(givens, regions, strict=True)
    return any(givens) and is_latin and all(clue in (0, value_of(part)) for clue, part in pairs)


def regions_of(shape: Shape) -> str | None:
    """The symbols of the cells' regions, if the shape has only rows, columns and regions.

    None for other shapes and above 36x36.
    """
    is_plain = len(shape.houses) == 3 * shape.size and not (shape.pairs or shape.constraints)
    if shape.size > LETTERED or not is_plain or 0 in shape.region_of:
        return None
    regions = "".join(VALUES[region - 1] for region in shape.region_of)
    try:
        return regions if Shape.parse(f"jigsaw:{regions}") == shape else None
    except PuzzleError:
        return None


def _text_jigsaw(parsed: ParsedPuzzle) -> str:
    return f"{parsed.puzzle.line}{regions_of(parsed.puzzle.shape)}"


def _write_jigsaw(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    # The lines hold the regions, so the only comment that a file may need is on symbols.
    for parsed in puzzles:
        yield from write_each_line([parsed], _text_jigsaw, lambda _: True)


def _can_hold_jigsaw(parsed: ParsedPuzzle) -> str | None:
    shape = parsed.puzzle.shape
    regions = regions_of(shape)
    if regions is None:
        return letters_only(shape) or f"holds rows, columns and regions only, not {shape}"
    if _is_solved_by(parsed.puzzle.givens, regions):
        return "holds no regions that are a solution of the puzzle"
    return no_pencilmarks(parsed)


def _detect_jigsaw(head: Head) -> bool:
    size = _SIDES.get(len(head.first), 0)
    is_large = size >= 4  # smaller sizes are not detected
    return is_large and {*Counter(head.first[size * size :]).values()} == {size}


JIGSAW: Final = Format(
    name="jigsaw",
    title="jigsaws in one line: the cells, then their regions",
    read=partial(read_each_line, parse=_parse_jigsaw),
    write=_write_jigsaw,
    can_hold=_can_hold_jigsaw,
    detect=_detect_jigsaw,
    holds="boxes or regions up to 36x36, without pencilmarks",
)


# The puzzle bank of Sudoku Exchange: records of 100 bytes.


_NAME: Final = re.compile(r"[0-9a-f]{12}")
_RATING: Final = re.compile(r"[0-9]{1,2}\.[0-9]")
_RECORD: Final = re.compile(rf"{_NAME.pattern} +[0-9.]{{81}} +{_RATING.pattern}")
_EXPECTED: Final = "12 hexadecimal digits, a blank, 81 digits, a blank and a rating such as 7.1"


def _parse_bank(line: TextLine, reading: ReadSettings, _: str) -> ParsedPuzzle:
    parts = line.text.split()
    if len(parts) != 3:
        raise line.error(f"a record of {len(parts)} fields", _EXPECTED, 0)
    if not _NAME.fullmatch(parts[0]) or not _RATING.fullmatch(parts[2]):
        raise line.error("a malformed record", _EXPECTED, 0)
    start = line.text.index(parts[1], 12)
    cells = line.part(start, start + len(parts[1]))
    puzzle = read_cells(cells, ReadSettings(reading.shape or Shape.parse("9x9")))
    return ParsedPuzzle(puzzle, line.place(), parts[0], fields={"rating": parts[2]})


def _text_bank(parsed: ParsedPuzzle) -> str:
    cells = parsed.puzzle.line.replace(".", "0")
    name = parsed.name
    if not _NAME.fullmatch(name):
        name = hashlib.sha1(cells.encode(), usedforsecurity=False).hexdigest()[:12]
    return f"{name} {cells} {parsed.fields['rating']:>4}"


def _can_hold_bank(parsed: ParsedPuzzle) -> str | None:
    if not _RATING.fullmatch(parsed.fields.get("rating", "")):
        return "holds puzzles with a rating from 0.0 to 99.9 only"
    return only_plain("9x9", parsed)


BANK: Final = Format(
    name="bank",
    title="the puzzle bank of Sudoku Exchange: digest, puzzle and rating in 100 bytes",
    read=partial(read_each_line, parse=_parse_bank),
    write=partial(write_each_line, text=_text_bank, determines=lambda _: True),
    can_hold=_can_hold_bank,
    detect=lambda head: _RECORD.fullmatch(head.first) is not None,
    keeps=frozenset({"name", "rating"}),
    names=_NAME,
    holds="9x9 with a rating",
)


# Killer Sudoku as posted in forums. The long text has ``3x3:``, ``d`` for diagonals, ``:k:``, and
# for each cell 256 times the total of its cage plus the number of the cage, or 0 outside of cages.
# The short text has a symbol for each of the 81 cells: the direction of the next cell of its cage,
# or the total in the last cell.


_STEPS: Final = {symbol: (at // 3 - 1, at % 3 - 1) for at, symbol in enumerate("`^'< >,v.")}
"""The rows and columns to the next cell: each symbol stands where it points, around a blank."""
_TOTALS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghij"
_SHORT: Final = re.compile(r"(?=.*[<>^v])[0-9A-Za-j<>^v`',.]{81}")
_LONG: Final = re.compile("3x3:(d?):k:")
_CAGES: Final = 255


def _parse_killer(line: TextLine, reading: ReadSettings, name: str) -> ParsedPuzzle:
    long = _LONG.match(line.text)
    cages = _numbered_cages(line, long.end()) if long else _pointed_cages(line)
    constraints = [
        Constraint("killer", str(total) if total else "", (tuple(cells),)) for total, cells in cages
    ]
    shape = Shape.parse("9x9+diagonal" if long and long[1] else "9x9").with_constraints(constraints)
    reading.require_shape(shape)
    return ParsedPuzzle(Puzzle(shape, (0,) * 81), line.place(), name)


def _numbered_cages(line: TextLine, start: int) -> list[tuple[int, list[int]]]:
    words = line.text[start:].removesuffix(":").split(":")
    if len(words) != 81 or not all(re.fullmatch("[0-9]{1,6}", word) for word in words):
        expected = "81 numbers: 256 times the total of a cage plus its number"
        raise line.error(f"{len(words)} cells", expected, start)
    cages: dict[int, tuple[int, list[int]]] = {}
    for cell, word in enumerate(words):
        total, number = divmod(int(word), _CAGES + 1)
        if total and cages.setdefault(number, (total, []))[0] != total:
            problem = f"cage {number} with the totals {cages[number][0]} and {total}"
            raise line.error(problem, "one total per cage", start)
        if total:
            cages[number][1].append(cell)
    return [*cages.values()]


def _pointed_cages(line: TextLine) -> list[tuple[int, list[int]]]:
    if not _SHORT.fullmatch(line.text):
        expected = "81 totals and directions < > ^ v ` ' , . or 3x3::k: and 81 numbers"
        raise line.error("not a killer", expected, 0)
    cages: dict[int, list[int]] = {}
    for cell in range(81):
        end, steps = cell, 0
        while step := _STEPS.get(line.text[end]):
            row, column = end // 9 + step[0], end % 9 + step[1]
            steps += 1
            if not (0 <= row < 9 and 0 <= column < 9) or steps > 80:
                problem = "directions in a circle" if steps > 80 else "a direction out of the grid"
                raise line.error(problem, "directions that lead to a total", end)
            end = 9 * row + column
        cages.setdefault(end, []).append(cell)
    return [(_TOTALS.index(line.text[end]), cells) for end, cells in cages.items()]


def _text_killer(parsed: ParsedPuzzle) -> str:
    shape = parsed.puzzle.shape
    numbers = [0] * 81
    for number, constraint in enumerate(shape.constraints, 1):
        for cell in constraint.cells:
            numbers[cell] = (_CAGES + 1) * int(constraint.value) + number
    start = "3x3:d:k:" if "+diagonal" in shape.plain else "3x3::k:"
    return start + "".join(f"{number}:" for number in numbers)


def _can_hold_killer(parsed: ParsedPuzzle) -> str | None:
    shape = parsed.puzzle.shape
    cells = [cell for constraint in shape.constraints for cell in constraint.cells]
    totals = [cage.kind == "killer" and cage.value.isdecimal() for cage in shape.constraints]
    if shape.plain not in ("9x9", "9x9+diagonal") or not all(totals):
        return f"holds 9x9 with cages that have a total only, not {shape}"
    if len(set(cells)) < len(cells) or len(shape.constraints) > _CAGES:
        return f"holds at most {_CAGES} cages that share no cells"
    return "holds no givens" if any(parsed.puzzle.givens) else no_pencilmarks(parsed)


KILLER: Final = Format(
    name="killer",
    title="killers of forums in one line: 3x3::k: and numbers, or directions (read, not written)",
    read=partial(read_each_line, parse=_parse_killer),
    write=partial(write_each_line, text=_text_killer, determines=lambda _: True),
    can_hold=_can_hold_killer,
    detect=lambda head: bool(_LONG.match(head.first) or _SHORT.fullmatch(head.first)),
    holds="9x9 with cages that share no cells, perhaps with diagonals, without givens",
)
