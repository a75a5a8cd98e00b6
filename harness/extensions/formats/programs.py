"""Files of HoDoKu, Sadman Sudoku, SudoCue, Simple Sudoku and Project Euler.

A line of HoDoKu is
``:technique:candidates:givens:deleted candidates:eliminations:placements:extra``; a ``+`` stands
before a digit that was placed, and a candidate is its digit, row and column: ``418``.

An .sdk file has one puzzle, nine rows of nine cells, below lines such as ``#A`` and the name of
the author; in newer files the rows follow ``[Puzzle]``, and a section ``[State]`` with the
progress of a player is ignored. An .sdm file has a puzzle per line, an .sdx file the candidates of
a row per line, ``u`` before a value that a player has placed, an .ss file a puzzle with borders.
See http://sudocue.net/fileformats.php.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from harness.base.errors import PuzzleError
from harness.puzzles import Puzzle, Shape, values_in
from harness.puzzles.formats import (
    Format,
    Head,
    ParsedPuzzle,
    ReadSettings,
    TextLine,
    TextSource,
    format_named,
    is_printable,
    layout_of,
    only_of,
    only_plain,
    placed_field,
    read_cells,
    read_each_line,
    read_grids,
    with_candidates,
)

# The library of HoDoKu: a line for each position and what a technique does there.


_NAMES: Final = ("technique", "candidates", "", "", "eliminations", "placements", "extra")
_NINE: Final = Shape.parse("9x9")


def _parse_hodoku(line: TextLine, reading: ReadSettings, name: str) -> ParsedPuzzle:
    if reading.shape not in (None, _NINE):
        raise line.error(f"the format has no {reading.shape}", "9x9")
    parts = line.text.split(":")
    if parts[0] or not 4 <= len(parts) <= 8:
        expected = ":technique:candidates:givens:deleted:eliminations:placements:extra"
        raise line.error(f"{len(parts) - 1} fields", expected, len(parts[0]))
    parts += [""] * (8 - len(parts))
    start = len(":".join(parts[:3])) + 1
    end = start + len(parts[3])
    puzzle, players = _position(line.part(start, end))
    if parts[4].strip():
        puzzle = _without(puzzle, line.part(end + 1, end + 1 + len(parts[4])))
    fields = {key: text for key, text in zip(_NAMES, parts[1:], strict=True) if key and text}
    return ParsedPuzzle(puzzle, line.place(), name, fields=fields | placed_field(_NINE, players))


def _position(line: TextLine) -> tuple[Puzzle, list[int]]:
    """The puzzle in a field of givens, and the cells of placed digits."""
    players: list[int] = []
    symbols = ""
    for column, symbol in enumerate(line.text):
        if symbol == "+":
            if not line.text[column + 1 : column + 2].strip(".0"):
                raise line.error("no digit after +", "a digit from 1 to 9", column)
            players.append(len(symbols))
        else:
            symbols += symbol
    if len(symbols) != 81:
        raise line.error(f"givens of {len(symbols)} cells", "81 cells", 0)
    try:
        return read_cells(TextLine(symbols, 1, 0, "cell"), ReadSettings(_NINE)), players
    except PuzzleError as error:
        column = int(error.where.rpartition(":")[2]) - 1
        column += sum(cell <= column for cell in players)
        raise error.at(line.place(column)) from None


def _without(puzzle: Puzzle, line: TextLine) -> Puzzle:
    """`puzzle` without the candidates that `line` lists."""
    marks = list(puzzle.allowed)
    for match in re.finditer(r"\S+", line.text):
        start = match.start()
        if not re.fullmatch("[1-9]{3}", match[0]):
            expected = "digit, row and column, such as 418"
            raise line.error(f"{match[0]!r} is not a candidate", expected, start)
        digit, row, column = map(int, match[0])
        cell = row * 9 + column - 10
        if puzzle.givens[cell]:
            problem = f"{_NINE.cell_name(cell)} has a digit"
            raise line.error(problem, "a candidate of a blank cell", start)
        marks[cell] &= ~(1 << digit - 1)
    return Puzzle(_NINE, puzzle.givens, tuple(marks))


def _write_hodoku(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        puzzle, fields = parsed.puzzle, parsed.fields
        players = set(fields.get("placed", "").split())
        givens = "".join(
            f"{'+' if _NINE.cell_name(cell) in players else ''}{value}" if value else "."
            for cell, value in enumerate(puzzle.givens)
        )
        deletions = " ".join(
            f"{value}{cell // 9 + 1}{cell % 9 + 1}"
            for cell, bits in enumerate(puzzle.allowed)
            if not puzzle.givens[cell]
            for value in range(1, 10)
            if not bits >> value - 1 & 1
        )
        parts = [fields.get(name, "") for name in _NAMES]
        parts[2], parts[3] = givens, deletions
        yield ":" + ":".join(parts) + "\n"


def _can_hold_hodoku(parsed: ParsedPuzzle) -> str | None:
    fields = parsed.fields
    if problem := only_of("9x9", parsed):
        return problem
    for name in filter(None, _NAMES):
        text = fields.get(name, "")
        if ":" in text or not is_printable(text):
            return f"holds no {name} with a colon, control characters or blanks around it"
    return placed_problem(parsed)


def placed_cells(parsed: ParsedPuzzle) -> set[int]:
    """The cells of placed digits."""
    names, shape = set(parsed.fields.get("placed", "").split()), parsed.puzzle.shape
    return {cell for cell in range(shape.size**2) if shape.cell_name(cell) in names}


def placed_problem(parsed: ParsedPuzzle) -> str | None:
    """Why a format with placed digits cannot hold the puzzle; None if it can."""
    cells = placed_cells(parsed)
    if len(cells) == len(parsed.fields.get("placed", "").split()) and all(
        parsed.puzzle.givens[cell] for cell in cells
    ):
        return None
    return "holds placed digits in cells with a digit only"


HODOKU: Final = Format(
    name="hodoku",
    title="the library of HoDoKu: positions with a technique",
    read=partial(read_each_line, parse=_parse_hodoku),
    write=_write_hodoku,
    can_hold=_can_hold_hodoku,
    detect=lambda head: bool(re.match(r":[^:]*:[^:]*:[^:\s]{9,}(?::|$)", head.first)),
    keeps=frozenset({*filter(None, _NAMES), "placed"}),
    holds="9x9 and pencilmarks",
)


# The files of Sadman Sudoku, SudoCue and Simple Sudoku: .sdk, .sdm, .sdx and .ss.


_FIELDS: Final = ("author", "description", "comment", "date", "source", "level", "url")
_KINDS: Final = dict(zip("ADCBSLU", _FIELDS, strict=True))
_SECTION: Final = "[puzzle]"


def _of_nine(reading: ReadSettings) -> ReadSettings:
    """The settings for a format of 9x9 puzzles: the shape is 9x9 unless the user chose another."""
    return reading if reading.shape else replace(reading, shape=_NINE)


def _read_sdk(source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
    fields: dict[str, str] = {}
    rows: list[TextLine] = []
    others: list[str] = []
    is_puzzle = True
    for row in source.lines():
        text = row.raw.strip()
        if text.startswith("[") and text.endswith("]"):
            is_puzzle = text.lower() == _SECTION
            others += [] if is_puzzle else [text]
        elif row.comment and text[1:2] in _KINDS:
            fields[_KINDS[text[1]]] = text[2:].strip()
        elif is_puzzle:
            rows.append(row)
    if others:
        reading.understand(f"passed over {' and '.join(others)}, the progress of a player")
    nine = _of_nine(reading)
    head = Head("", rows, [row for row in rows if row.text], nine, True)
    puzzles = list(layout_of(head).parse(rows, nine))
    if len(puzzles) > 1:
        problem = f"{len(puzzles)} puzzles"
        raise PuzzleError(problem, where=puzzles[1].place, expected="one puzzle per file")
    origin = fields.pop("source", None) or None
    yield from (replace(parsed, source=origin, fields=fields) for parsed in puzzles)


def _write_sdk(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        values = {**parsed.fields, **({"source": parsed.source} if parsed.source else {})}
        for letter, kind in _KINDS.items():
            if kind in values:
                yield f"#{letter}{values[kind]}\n"
        yield from (f"{row}\n" for row in _rows_of(parsed))


def _rows_of(parsed: ParsedPuzzle) -> list[str]:
    """The digits of each row, with points for blanks."""
    return [parsed.puzzle.line[at : at + 9] for at in range(0, 81, 9)]


def _can_hold_sdk(parsed: ParsedPuzzle) -> str | None:
    texts = [parsed.fields.get(kind, "") for kind in _FIELDS]
    if not is_printable(*texts, parsed.source or ""):
        return "holds printable texts without blanks around them only"
    return only_plain("9x9", parsed)


SDK: Final = Format(
    name="sdk",
    title="Sadman Sudoku and SudoCue: one puzzle with author, level and other fields",
    read=_read_sdk,
    write=_write_sdk,
    can_hold=_can_hold_sdk,
    detect=lambda head: head.first.lower() == _SECTION,
    suffixes=(".sdk",),
    keeps=frozenset(_FIELDS),
    holds="9x9",
    single=True,
)


def _read_nine(source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
    nine = _of_nine(reading)
    return layout_of(Head.from_source(source, nine)).read(source, nine)


SDM: Final = Format(
    name="sdm",
    title="SudoCue: a puzzle of 81 digits per line",
    read=_read_nine,
    write=lambda puzzles: (f"{parsed.puzzle.line.replace('.', '0')}\n" for parsed in puzzles),
    can_hold=partial(only_plain, "9x9"),
    suffixes=(".sdm",),
    holds="9x9",
)


def _write_sdx(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        texts = ["".join(map(str, values_in(bits))) for bits in parsed.puzzle.allowed]
        for cell in placed_cells(parsed):
            texts[cell] = f"u{texts[cell]}"
        for row in range(0, 81, 9):
            yield " ".join(texts[row : row + 9]) + "\n"


SDX: Final = Format(
    name="sdx",
    title="SudoCue: the candidates in the middle of solving",
    read=lambda source, reading: format_named("candidates").read(source, _of_nine(reading)),
    write=_write_sdx,
    can_hold=lambda parsed: (
        only_of("9x9", parsed) or with_candidates(parsed) or placed_problem(parsed)
    ),
    suffixes=(".sdx",),
    keeps=frozenset({"placed"}),
    holds="9x9 and pencilmarks; each cell has a candidate",
    single=True,
)


def _write_ss(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    border = "*-----------*\n"
    for number, parsed in enumerate(puzzles):
        rows = [f"|{row[:3]}|{row[3:6]}|{row[6:]}|\n" for row in _rows_of(parsed)]
        bands = ("".join(rows[at : at + 3]) for at in (0, 3, 6))
        yield ("\n" if number else "") + border + "|---+---+---|\n".join(bands) + border


SS: Final = Format(
    name="ss",
    title="Simple Sudoku: a grid with borders",
    read=_read_nine,
    write=_write_ss,
    can_hold=partial(only_plain, "9x9"),
    detect=lambda head: head.suffix == ".ss",
    suffixes=(".ss",),
    holds="9x9",
)


# Project Euler 96: ``Grid 01`` before nine rows of nine digits, 0 for a blank.


_TITLE: Final = re.compile(r"grid\s+([^\s=<:].*)", re.IGNORECASE)


def _sections(source: TextSource) -> Iterator[list[TextLine]]:
    """The lines from one title to the next."""
    lines: list[TextLine] = []
    for line in source.lines():
        if _TITLE.fullmatch(line.text) and lines:
            yield lines
            lines = []
        if line.text:
            lines.append(line)
    if lines:
        yield lines


def _parse_euler(lines: list[TextLine], reading: ReadSettings) -> ParsedPuzzle:
    title = _TITLE.fullmatch(lines[0].text)
    if not title:
        raise lines[0].error("no title", "'Grid 01'")
    settings = _of_nine(reading)
    puzzles = list(read_grids(lines[1:], ReadSettings(settings.shape, settings.symbols)))
    if len(puzzles) != 1:
        where = puzzles[1].place if puzzles else lines[0].place()
        raise PuzzleError(
            f"{len(puzzles)} puzzles below a title", where=where, expected="one puzzle"
        )
    return replace(puzzles[0], name=title[1])


def _read_euler(source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
    return reading.each(_sections(source), lambda lines: _parse_euler(lines, reading))


def _write_euler(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        name = parsed.name
        yield f"Grid {name.zfill(2) if name.isascii() and name.isdigit() else name}\n"
        for row in parsed.puzzle.rows():
            yield "".join(map(str, row)) + "\n"


def _can_hold_euler(parsed: ParsedPuzzle) -> str | None:
    name = parsed.name
    if not is_printable(name) or not _TITLE.fullmatch(f"Grid {name}"):
        return "holds printable names without blanks around them and =, < or : before them only"
    return only_plain("9x9", parsed)


EULER: Final = Format(
    name="euler",
    title="Project Euler 96: a title above each puzzle",
    read=_read_euler,
    write=_write_euler,
    can_hold=_can_hold_euler,
    detect=lambda head: bool(_TITLE.fullmatch(head.first)),
    keeps=frozenset({"name"}),
    holds="9x9",
)
