"""Comma-separated values: the files of Kaggle and Hugging Face.

A block of rows is checked at once. Where anything is out of the ordinary, such as a quotation
mark, another shape or a solution that is none, `plain_rows` returns None, and the reader of
single rows reads the block and finds the error.

A file of the format `csv` begins with the names of its columns. These mean the same:

===========  ==========================================
puzzle       ``puzzle``, ``puzzles``, ``quizzes``, ``quiz``, ``question``; without these, one of
             `_OTHERS` such as ``board``, or a column for each cell: ``r1c1``, ``c1``, ``0``
solution     ``solution``, ``solutions``, ``answer``; beside one of `_OTHERS`, ``solved``
name         ``id``, ``name``
shape        ``shape``
count        ``count``
source       ``source``
symbols      ``symbols``: those of values above 9
===========  ==========================================

All others, such as ``rating``, are kept under their names; ``clues`` is checked. A column without
a name, such as the index of pandas, is called ``column1`` after its position. Semicolons or
tabs may be between the columns instead.
"""

import csv
import io
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, groupby, islice, product, repeat
from math import isqrt
from operator import add, itemgetter
from typing import Final, TypeVar

from harness.base.errors import PuzzleError, one_of, suggestion
from harness.base.text import short_repr, shortened
from harness.puzzles.formats.candidates import read_candidates
from harness.puzzles.formats.format import (
    EVERYTHING,
    Format,
    Head,
    ReadSettings,
    Symbols,
    is_printable,
    letters_only,
    may_be_rule,
    refuse_rules,
    symbols_named,
)
from harness.puzzles.formats.lines import (
    SYMBOL_VALUES,
    puzzles_of,
    read_cells,
    read_solution,
)
from harness.puzzles.formats.plain import only, read_plain
from harness.puzzles.formats.stream import (
    NO_FIELDS,
    ParsedPuzzle,
    TextBlock,
    TextLine,
    TextSource,
    located,
)
from harness.puzzles.formats.tokens import is_border
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import LARGEST, LETTERED, Shape
from harness.puzzles.solution_count import SolutionCount

# Columns of a file for the further fields of its puzzles.


AHEAD: Final = 10_000
"""Puzzles that decide which columns a file has."""


def with_columns(puzzles: Iterable[ParsedPuzzle]) -> tuple[list[str], Iterator[ParsedPuzzle]]:
    """The fields of the first `AHEAD` puzzles, each once in their order, and all puzzles.

    Raises:
        PuzzleError: a later puzzle has another field; raised when that puzzle is due.
    """
    every = iter(puzzles)
    first = list(islice(every, AHEAD))
    names = {name: None for parsed in first for name in parsed.fields}

    def later() -> Iterator[ParsedPuzzle]:
        for parsed in every:
            if unknown := parsed.fields.keys() - names.keys():
                problem = f"the field {min(unknown)}"
                expected = f"those of the first {AHEAD:,} puzzles: {', '.join(names) or 'none'}"
                raise PuzzleError(problem, where=parsed.place, expected=expected)
            yield parsed

    return list(names), chain(first, later())


# Rows of comma-separated values with plain 9x9 puzzles, read many times faster than others.


_CELLS: Final = 81
_SYMBOLS: Final = (b".123456789", b"0123456789")
_DIGITS: Final = b"123456789"
_ODD: Final = (b'"', b"\r", b"\t", b"\v", b"\f")
"""What no block of plain rows contains: quotation marks and blanks of other kinds."""
_BLANKS: Final = (b" ,", b", ", b" \n", b"\n ")
"""Blanks around values."""
_EVERY: Final = sum(1 << value for value in range(1, 10))
# The fields of `SolutionCount`, which is frozen and has slots, are set without its __init__.
_set_least, _set_most, _set_solution = (
    SolutionCount.__dict__[name].__set__ for name in ("least", "most", "solution")
)


def plain_rows(
    block: TextBlock, meaning: "_Meaning", shape: Shape, before: int
) -> tuple[int, Iterator[ParsedPuzzle]] | None:
    """The number of rows of a block and their puzzles; None if a row is not plain.

    Args:
        block: whole lines of the file.
        meaning: what the columns of the file mean.
        shape: a shape of nine rows.
        before: the number of rows before the block.
    """
    data = block.data
    if not data.isascii() or data[:1] in b" \n" or any(odd in data for odd in _ODD):
        return None
    if b" " in data and (data.endswith(b" ") or any(blank in data for blank in _BLANKS)):
        return None
    rows = [row.split(",") for row in data.decode("ascii").removesuffix("\n").split("\n")]
    if {*map(len, rows)} != {len(meaning.names)}:
        return None
    columns = list(zip(*rows, strict=True))
    puzzles = _join(columns[meaning.columns["puzzle"]])
    if puzzles is None or all(puzzles.translate(None, symbols) for symbols in _SYMBOLS):
        return None
    values = puzzles.translate(SYMBOL_VALUES)
    if "clues" in meaning.other and not _are_clues(values, columns[meaning.other["clues"]]):
        return None
    solutions: Sequence[str] | None = None
    if "solution" in meaning.columns:
        solutions = columns[meaning.columns["solution"]]
        solved = _join(solutions)
        if solved is None or solved.translate(None, _DIGITS):
            return None
        if not _are_solutions(values, solved.translate(SYMBOL_VALUES), shape):
            return None
    return len(rows), _puzzles(columns, values, solutions, meaning, shape, block, before)


def _join(cells: Sequence[str]) -> bytes | None:
    """The cells of a column one after another; None if they are not 81 symbols each."""
    return "".join(cells).encode("ascii") if {*map(len, cells)} == {_CELLS} else None


def _are_clues(values: bytes, texts: Sequence[str]) -> bool:
    """Whether these are the numbers of clues of the puzzles; empty texts are no numbers."""
    starts = range(0, len(values), _CELLS)
    return all(
        not text or text == str(_CELLS - values.count(0, start, start + _CELLS))
        for start, text in zip(starts, texts, strict=True)
    )


def _are_solutions(values: bytes, solved: bytes, shape: Shape) -> bool:
    """Whether all grids `solved` are solutions of the puzzles with these `values`.

    A house has every value if the sum of 2^value over its nine cells has nine bits: nine powers
    of two whose sum has nine bits are different.
    """
    import numpy as np

    if shape.pairs:
        return False
    givens = np.frombuffer(values, np.uint8)
    grids = np.frombuffer(solved, np.uint8)
    if ((givens != grids) & (givens != 0)).any():
        return False
    powers = np.ldexp(np.float32(1), grids.astype(np.int32)).astype(np.float32)
    houses = np.frombuffer(_houses(shape), np.uint8).reshape(_CELLS, -1).astype(np.float32)
    return bool((powers.reshape(-1, _CELLS) @ houses == _EVERY).all())


@lru_cache(maxsize=16)
def _houses(shape: Shape) -> bytes:
    """The cells of each house, a column of zeros and ones for each."""
    return bytes(cell in house.cells for cell in range(_CELLS) for house in shape.houses)


def _puzzles(
    columns: Sequence[Sequence[str]],
    values: bytes,
    solutions: Sequence[str] | None,
    meaning: "_Meaning",
    shape: Shape,
    block: TextBlock,
    before: int,
) -> Iterator[ParsedPuzzle]:
    """The puzzles of rows that are known to be right."""
    rows = len(values) // _CELLS

    def column(name: str) -> Iterable[str]:
        return columns[meaning.columns[name]] if name in meaning.columns else repeat("")

    return puzzles_of(
        block,
        shape,
        zip(*[iter(values)] * _CELLS, strict=True),
        before,
        column("name"),
        repeat(None) if solutions is None else map(_unique, solutions),
        column("source"),
        _fields(columns, meaning.other, rows),
    )


def _unique(solution: str) -> SolutionCount:
    """The count of a puzzle with this solution only, without the checks of `SolutionCount`."""
    count: SolutionCount = object.__new__(SolutionCount)
    _set_least(count, 1)
    _set_most(count, 1)
    _set_solution(count, solution)
    return count


def _fields(
    columns: Sequence[Sequence[str]], places: Mapping[str, int], rows: int
) -> Iterable[Mapping[str, str]]:
    """The further fields of each row, without those that are empty."""
    texts = [columns[place] for place in places.values()]
    keys = tuple(places)
    if any("" in column for column in texts):
        return (
            {key: text for key, text in zip(keys, row, strict=True) if text}
            for row in zip(*texts, strict=True)
        )
    match keys:  # dict(zip(...)) takes a third of the time of the whole row
        case ():
            return repeat(NO_FIELDS, rows)
        case (key,):
            return ({key: text} for text in texts[0])
        case (first, second):
            return ({first: a, second: b} for a, b in zip(*texts, strict=True))
        case _:
            return (dict(zip(keys, row, strict=True)) for row in zip(*texts, strict=True))


# Comma-separated values: the files of Kaggle and Hugging Face.


_COLUMNS: Final = {
    "puzzle": "puzzle",
    "puzzles": "puzzle",
    "quizzes": "puzzle",
    "quiz": "puzzle",
    "question": "puzzle",
    "solution": "solution",
    "solutions": "solution",
    "answer": "solution",
    "id": "name",
    "name": "name",
    "shape": "shape",
    "count": "count",
    "source": "source",
    "symbols": "symbols",
}
_OTHERS: Final = (
    *("board", "sudoku", "grid", "unsolved", "problem", "given", "givens"),
    *("start", "initial", "unsolved_sudoku"),
)
"""Columns with puzzles in files without one that `_COLUMNS` has."""
_MEANINGS: Final = (
    _COLUMNS,
    _COLUMNS | dict.fromkeys(_OTHERS, "puzzle") | {"solved": "solution"},
    _COLUMNS | {"clues": "puzzle", "solved": "solution"},
)
"""The meaning of each column; the first with puzzles holds."""
_ANSWERS: Final = ("solution", "solutions", "answer", "shape", "count", "symbols")
"""Columns that decide how an answer is judged; a misspelt one is an error."""
_CHECKED: Final = ("clues", "rating")
"""Further columns that have a meaning, in any case."""
_WRITTEN: Final = ("id", "shape", "symbols", "puzzle", "count", "solution", "source")
_OF_FORUMS: Final = "#!sudoku"
"""The beginning of the header of another format: that of files of the forums."""
_COUNT: Final = re.compile(r"(>=)?\d{1,12}")
"""A number of solutions: shorter than any solution."""
_FLAG: Final = re.compile("yes|no|true|false|[ynt01f]", re.IGNORECASE)
"""Whether a player has solved a puzzle."""
_WHOLE: Final = re.compile(r"(?<=\d)\.0+$", re.ASCII)
"""What pandas adds to a whole number in a column with missing values."""
_SHORTENED: Final = re.compile(r"[0-9]([.,][0-9]+)?E\+?[0-9]+", re.IGNORECASE)
"""A number in the notation of spreadsheets."""
_NAMES: Final = re.compile(r'"?[A-Za-z_][\w .-]{0,30}"?', re.ASCII)
"""The name of a column."""
_DELIMITERS: Final = ",;\t"
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a file and the names of its columns."""

    cells: list[str]
    line: TextLine
    number: int

    def part(self, column: int) -> TextLine:
        """The cell in this column with its position, if it is on the first line of the row."""
        line, start = self.line, 0
        for cell in self.cells[:column]:
            start = line.text.find(cell, start) + len(cell)
        cell = self.cells[column]
        indent = line.indent + max(line.text.find(cell, max(start, 0)), 0)
        return TextLine(cell, line.number, indent, line.source)


def _width(row: _Row) -> int:
    return len(row.cells)


class _Rows:
    """The rows of a source, without empty ones; or blocks of rows that are read at once."""

    def __init__(self, source: TextSource) -> None:
        header = next((line.raw for line in source.first_lines() if line.raw.strip()), "")
        self.delimiter = (
            _delimiter(header)
            or _delimiter(header, _runs)
            or _delimiter_of_solutions(header)
            or ","
        )
        self._name = source.name
        self._blocks = source.blocks()
        self._lines: deque[TextLine] = deque()
        self._last = TextLine("", 1, 0, source.name)
        self.number = -1
        """The number of the last row; the header has the number 0."""

    def blocks(self) -> Iterator[TextBlock]:
        """The blocks of the source from the next one on."""
        yield from self._blocks

    def of_block(self, block: TextBlock) -> Iterator[_Row]:
        """The rows of `block`, and of the next blocks if a row does not end in it.

        Raises:
            PuzzleError: a quotation mark is not closed.
        """
        self._lines.extend(block.lines())
        try:
            for cells in csv.reader(self._texts(), delimiter=self.delimiter, strict=True):
                if any(cell.strip() for cell in cells):
                    self.number += 1
                    yield _Row([cell.strip() for cell in cells], self._last, self.number)
                if not self._lines:
                    return
        except csv.Error as error:
            problem = f"invalid CSV: {error}"
            raise self._last.error(problem, "values between commas") from None

    def _texts(self) -> Iterator[str]:
        while True:
            while self._lines:
                line = self._lines.popleft()
                self._last = TextLine(line.raw, line.number, 0, self._name)
                yield line.raw + "\n"
            block = next(self._blocks, None)
            if block is None:
                return
            self._lines.extend(block.lines())


def _read_csv(source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
    rows = _Rows(source)
    meaning: _Meaning | None = None
    for block in rows.blocks():
        plain = meaning and meaning.plain(block, reading, rows)
        if plain:
            number, puzzles = plain
            rows.number += number
            yield from puzzles
            continue
        single = rows.of_block(block)
        if meaning is None:
            header = next(single, None)
            if header and (runs := _frame_columns(header.cells, reading.shape)):
                every = chain(single, chain.from_iterable(map(rows.of_block, rows.blocks())))
                table = [*islice(every, LARGEST + 1)]
                if [*map(len, runs)] == [len(table)] and {*map(_width, table)} == {_width(header)}:
                    reading.understand(_around_frame(runs[0], table))
                    yield from _read_frame(runs[0], table, reading)
                    return
                single = chain(table, every)
            meaning = _Meaning.from_header(header) if header else None
            if header and meaning:
                reading.understand(f"header: {meaning.of_cells(header.cells)}")
        if meaning is not None:
            yield from reading.each(single, partial(_parse, reading=reading, meaning=meaning))


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What the columns of a file mean."""

    columns: dict[str, int]
    """Columns by their meaning."""
    other: dict[str, int]
    """Further columns by name."""
    names: Sequence[str]
    """The names of all columns in lower case."""
    cells: Sequence[int] | None
    """The columns of the single cells of a puzzle, if each has its own."""

    @staticmethod
    def from_header(header: _Row) -> "_Meaning":
        """The meaning of the columns with this header.

        Raises:
            PuzzleError: no column has puzzles, two mean the same or have one name, or a name
                is misspelt.
        """
        names = [cell.lower() for cell in header.cells]
        meanings, cells = _meanings(names), None
        if "puzzle" not in meanings and (cells := _cell_columns(names)):
            meanings[cells[0]] = "puzzle"
        if "solutions" in names and "count" not in meanings and "solution" in names:
            meanings[names.index("solutions")] = "count"  # as in the records of the harness
        for meaning in dict.fromkeys(filter(None, meanings)):
            if meanings.count(meaning) > 1:
                same = [n for n, own in zip(names, meanings, strict=True) if own == meaning]
                problem = f"the columns {' and '.join(same)} mean the same"
                raise header.line.error(problem, "one of them")
        if "puzzle" not in meanings and _are_puzzle_and_solution(header.cells):
            expected = "a first line such as puzzle,solution"
            raise header.line.error("no header above the puzzles and solutions", expected)
        if "puzzle" not in meanings:
            headers = [name for name, meaning in _MEANINGS[1].items() if meaning == "puzzle"]
            similar = next(filter(None, (suggestion(name, headers) for name in names)), "")
            expected = f"{one_of(headers)}, or a column for each cell such as r1c1 to r9c9"
            raise header.line.error(f"no column with puzzles{similar}", expected)
        columns = {meaning: meanings.index(meaning) for meaning in meanings if meaning}
        other: dict[str, int] = {}
        for at, (name, meaning) in enumerate(zip(header.cells, meanings, strict=True)):
            if not meaning and not (cells and at in cells):
                if similar := _misspelt(name):
                    problem = f"unknown column {short_repr(name)}{similar}"
                    raise header.line.error(problem, "one of these, or another name")
                key = name or f"column{at + 1}"
                key = key.lower() if key.lower() in _CHECKED else key
                if other.setdefault(key, at) != at:
                    problem = f"two columns called {short_repr(key)}"
                    raise header.line.error(problem, "different names")
        return _Meaning(columns, other, names, cells)

    def of_cells(self, cells: Sequence[str]) -> str:
        """The columns in words: ``puzzle = quizzes, solution = solutions; field: level``."""
        names = [f"{meaning} = {cells[at]}" for meaning, at in self.columns.items()]
        if self.cells:
            at = [*self.columns].index("puzzle")
            names[at] += f" to {cells[self.cells[-1]]}"
        columns = ", ".join(names)
        if not self.other:
            return columns
        return f"{columns}; other field{'s' * (len(self.other) > 1)}: {', '.join(self.other)}"

    def plain(
        self, block: TextBlock, reading: ReadSettings, rows: _Rows
    ) -> tuple[int, Iterator[ParsedPuzzle]] | None:
        """The number of rows of a block of plain 9x9 puzzles and these; None for others."""
        shape = reading.shape or Shape.parse("9x9")
        is_ruled = any(map(may_be_rule, self.other))
        if self.columns.keys() & {"shape", "count", "symbols"} or shape.size != 9 or is_ruled:
            return None
        if rows.delimiter != "," or self.cells:
            return None
        return plain_rows(block, self, shape, rows.number)


def _meanings(names: Sequence[str]) -> list[str]:
    """The meaning of each column; empty for a further field."""
    every = [[columns.get(name, "") for name in names] for columns in _MEANINGS]
    return next((meanings for meanings in every if "puzzle" in meanings), every[0])


def _runs(names: Sequence[str]) -> list[range]:
    """The columns with names that count: ``c1`` to ``c81``, ``r1c1`` to ``r9c9``, 0 to 8."""
    runs, start = [], 0
    for pattern, run in groupby(map(_kind_and_numbers, names), itemgetter(0)):
        numbers = [own for _, own in run]
        length, first = len(numbers), numbers[0]
        places = product(range(isqrt(length)), repeat=2) if len(first) == 2 else zip(range(length))
        is_by_row = not re.match(r"(c|col|column|x)_?#.*#", pattern)
        is_cell = pattern == "#" and names[start] != str(first[0])  # 01 is a cell
        if (
            length > 3
            and first
            and is_by_row
            and not is_cell
            and numbers == [[*map(add, first, place)] for place in places]
        ):
            runs.append(range(start, start + length))
        start += length
    return runs


def _cell_columns(names: Sequence[str]) -> list[int] | None:
    """The columns of the cells of a puzzle, if each has its own; their names may have any order."""
    columns = range(len(names))
    order = sorted(columns, key=lambda at: _kind_and_numbers(names[at]))
    order = order if len(names) > LETTERED else [*columns]
    runs = _runs([names[at] for at in order])
    squares = [run for run in runs if len(run) > 15 and isqrt(len(run)) ** 2 == len(run)]
    return [order[at] for at in squares[0]] if len(squares) == 1 else None


def _kind_and_numbers(name: str) -> tuple[str, list[int]]:
    """A name without its numbers, and these: those of ``r1c2`` are 1 and 2."""
    return re.sub("[0-9]+", "#", name), [*map(int, re.findall("[0-9]{1,4}", name))]


def _frame_columns(names: Sequence[str], shape: Shape | None) -> list[range]:
    """The columns with names that count, as many as the puzzle of a chosen `shape` has."""
    return [run for run in _runs(names) if shape is None or len(run) == shape.size]


def _around_frame(columns: range, rows: Sequence[_Row]) -> str:
    """What a table has around its cells: names of columns, and perhaps labels of rows."""
    labels = [" ".join(row.cells[: columns.start] + row.cells[columns.stop :]) for row in rows]
    is_ordered = labels == sorted(labels, key=lambda label: (len(label), label))
    order = "" if is_ordered else ", which are out of order"
    text = f" and the labels of rows{order}: {shortened(', '.join(labels), 60)}"
    return f"passed over the names of columns{text if any(labels) else ''}"


def _read_frame(
    columns: range, rows: Sequence[_Row], reading: ReadSettings
) -> Iterator[ParsedPuzzle]:
    """The puzzle whose rows are those of a table with names of columns, and perhaps an index."""
    texts = [""] * rows[-1].line.number
    for row in rows:
        texts[row.line.number - 1] = ",".join(_WHOLE.sub("", row.cells[at]) for at in columns)
    source = TextSource.of_text("\n".join(texts), rows[0].line.source)
    return read_plain(source, reading)


def _misspelt(name: str) -> str:
    """The columns of `_ANSWERS` that a name of one word resembles, for an error; or nothing."""
    return suggestion(name, _ANSWERS) if name.isalpha() else ""


def _parse(row: _Row, reading: ReadSettings, meaning: _Meaning) -> ParsedPuzzle:
    columns, width = meaning.columns, len(meaning.names)
    if len(row.cells) != width:
        expected = f"{width} values, as many as columns"
        raise row.line.error(f"a row of {len(row.cells)} values", expected)
    texts = {meaning: row.cells[at] for meaning, at in columns.items()}
    is_flag = _FLAG.fullmatch(texts.get("solution", ""))
    if is_flag and meaning.names[columns["solution"]] == "solved":
        reading.understand("passed over the column solved, which has no solutions")
        del texts["solution"]
    if "count" not in texts and _COUNT.fullmatch(texts.get("solution", "")):
        # A column "solutions" of the records of the harness.
        columns = columns | {"count": columns["solution"]}
        texts["count"] = texts.pop("solution")
    settings = reading
    if reading.shape is None and texts.get("shape"):
        settings = replace(settings, shape=_parsed(row.part(columns["shape"]), Shape.parse))
    if reading.symbols is None and texts.get("symbols"):
        symbols = _parsed(row.part(columns["symbols"]), symbols_named)
        settings = replace(settings, symbols=symbols)
    puzzle = _puzzle(row, settings, meaning)
    fields = {name: row.cells[at] for name, at in meaning.other.items() if row.cells[at]}
    if settings.shape is None and any(map(may_be_rule, fields)):
        with located(row.line.place()):
            refuse_rules(fields, puzzle.shape)
    count = None
    if texts.get("count"):
        part = row.part(columns["count"])
        count = _parsed(replace(part, text=_WHOLE.sub("", part.text)), SolutionCount.parse)
    if texts.get("solution"):
        settings = replace(settings, shape=puzzle.shape)
        part, settings = _flat(row.part(columns["solution"]), settings)
        unique = read_solution(part, puzzle, settings)
        if count is not None and (count.least, count.most) != (1, 1):
            problem = f"the solution of a puzzle with {count}"
            raise row.part(columns["solution"]).error(problem, "no solution, or the count 1", 0)
        count = unique
    clues = fields.get("clues")
    if clues is not None and _WHOLE.search(clues):
        clues = fields["clues"] = _WHOLE.sub("", clues)
    if clues is not None and not (clues.isdecimal() and int(clues[-9:]) == puzzle.clues):
        problem = f"clues is {shortened(clues)}, which is not true of the puzzle"
        raise row.part(meaning.other["clues"]).error(problem, str(puzzle.clues), 0)
    name = texts.get("name") or str(row.number)
    source = texts.get("source") or None
    return ParsedPuzzle(puzzle, row.line.place(), name, count, source, fields)


def _puzzle(row: _Row, reading: ReadSettings, meaning: _Meaning) -> Puzzle:
    """The puzzle of a row, in one cell or in a cell for each of its own.

    Raises:
        PuzzleError: it is malformed.
    """
    if meaning.cells:
        shape = reading.shape or Shape.of_length(len(meaning.cells))
        cells = (_WHOLE.sub("", row.cells[at]) for at in meaning.cells)
        line = replace(row.line, text=",".join(cells), indent=0)
        with located(row.line.place()):
            return read_cells(line, replace(reading, shape=shape), ",")
    part, settings = _flat(row.part(meaning.columns["puzzle"]), reading)
    if settings.shape and len(part.text) == settings.shape.size**3:
        return read_candidates(part, settings)
    is_nine = settings.shape is None or settings.shape.size == 9
    if re.fullmatch(r"[0-9]{15}0{18,}", part.text) and part.text.strip("0"):
        problem = "zeros only after 15 digits; spreadsheets round numbers"
        raise part.error(problem, "all digits, in a column that is formatted as text", 0)
    if is_nine and part.text.isdecimal() and 72 <= len(part.text) < 81:
        problem = f"a line of {len(part.text)} digits; spreadsheets drop zeros before a number"
        raise part.error(problem, "81 digits, in a column that is formatted as text", 0)
    return read_cells(part, settings)


def _flat(part: TextLine, reading: ReadSettings) -> tuple[TextLine, ReadSettings]:
    """A cell, an array or a grid in it as one line, and how that is read.

    Raises:
        PuzzleError: it is malformed, or a number that a spreadsheet shortened.
    """
    if _SHORTENED.fullmatch(part.text):
        problem = f"a spreadsheet shortened a number to {part.text}"
        raise part.error(problem, "all digits, in a column that is formatted as text", 0)
    if not re.match(r"[\[({]|.*\n", part.text):
        return part, reading
    source = TextSource.of_text(part.text, "cell")
    with located(lambda place: f"{part.place()}: {place}"):
        puzzle = only(read_plain(source, reading)).puzzle
    symbols = Symbols.LETTERS
    return replace(part, text=puzzle.line), replace(reading, shape=puzzle.shape, symbols=symbols)


def _parsed(part: TextLine, parse: Callable[[str], Item]) -> Item:
    """What `parse` makes of the text of `part`; an error has its position."""
    with located(part.place(0)):
        return parse(part.text)


def _write_csv(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    names, every = with_columns(puzzles)
    for number, parsed in enumerate(every):
        if not number:
            yield _row([*_WRITTEN, *names])
        count = parsed.expected_count
        count_text = "" if count is None else str(count.notation)
        yield _row(
            [
                parsed.name,
                parsed.puzzle.shape.definition,
                Symbols.LETTERS if parsed.puzzle.shape.size > 9 else "",
                parsed.puzzle.line,
                count_text,
                (count and count.solution) or "",
                parsed.source or "",
                *(parsed.fields.get(name, "") for name in names),
            ]
        )


def _row(cells: list[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def _can_hold_csv(parsed: ParsedPuzzle) -> str | None:
    texts = [parsed.name, parsed.source or "", *parsed.fields, *parsed.fields.values()]
    if not is_printable(*texts):
        return "holds printable texts without blanks around them only"
    if parsed.puzzle.pencilmarks is not None and (problem := letters_only(parsed.puzzle.shape)):
        return f"{problem}, with pencilmarks"
    for key in parsed.fields:
        if key.lower() in _COLUMNS or not key:
            return f"holds no further field called {shortened(key, 40)!r}, the name of a column"
        if similar := _misspelt(key):
            return f"holds no further field called {short_repr(key)}{similar}"
    if not parsed.name:
        return "holds puzzles with a name only"
    return None


def _detect_csv(head: Head) -> bool:
    if not head.rows or head.lines[0].raw.startswith(_OF_FORUMS) or head.starts("[", "{"):
        return False
    is_table = head.suffix in (".csv", ".tsv")
    names = _names(head.first, _delimiter(head.first, _runs) or ",")
    rows = head.rows[-1].number - head.rows[0].number
    is_frame = head.is_whole and rows == len(head.rows) - 1 and not any(map(is_border, head.rows))
    if is_frame and [*map(len, _frame_columns(names, head.shape))] == [rows]:
        return True
    if (delimiter := _delimiter(head.first)) is not None:
        names, row = _names(head.first, delimiter), "".join(row.raw for row in head.rows[1:2])
        if any(_COLUMNS.get(name) == "puzzle" for name in names):
            return True
        if cells := _cell_columns(names):
            # The numbers of columns are no row of a grid of numbers, which has larger ones below.
            below = " ".join(row.text for row in head.rows[1:])
            values = re.findall("[0-9]+", below) if names[cells[0]].isdecimal() else ()
            return all(int(value[:9]) <= isqrt(len(cells)) for value in values)
        has_fields = len(names) > 1 and ('"' in row or row.count(delimiter) == len(names) - 1)
        return has_fields or (is_table and (len(names) > 1 or len(row) > LETTERED))
    return is_table and (_delimiter_of_solutions(head.first) is not None or _are_names(head.first))


def _names(header: str, delimiter: str) -> list[str]:
    return [name.strip().strip('"').lower() for name in header.split(delimiter)]


def _delimiter(
    header: str, columns: Callable[[Sequence[str]], object] = _cell_columns
) -> str | None:
    """The character between the names of columns; None if none has puzzles, or cells."""
    for delimiter in _DELIMITERS:
        names = _names(header, delimiter)
        if "puzzle" in _meanings(names) or columns(names):
            return delimiter
    return None


def _are_names(row: str) -> bool:
    """Whether a first row has names of columns, even though none is known to have puzzles."""
    for delimiter in _DELIMITERS:
        names = [name.strip() for name in row.split(delimiter)]
        if len(names) > 1 and any(names) and all(map(_NAMES.fullmatch, filter(None, names))):
            return True
    return False


def _delimiter_of_solutions(row: str) -> str | None:
    """The character between a puzzle and its solution; None if the row lacks one of them."""
    delimiters = (d for d in _DELIMITERS if _are_puzzle_and_solution(row.split(d)))
    return next(delimiters, None)


def _are_puzzle_and_solution(cells: Sequence[str]) -> bool:
    """Whether a first row has two lines of symbols rather than the names of columns."""
    puzzle, solution, *_ = [*cells, "", ""]
    return len(puzzle) == len(solution) > 15 and isqrt(len(puzzle)) ** 2 == len(puzzle)


CSV: Final = Format(
    name="csv",
    shared_suffixes=(".csv",),
    title="comma-separated values with a header, as on Kaggle",
    read=_read_csv,
    write=_write_csv,
    can_hold=_can_hold_csv,
    detect=_detect_csv,
    keeps=EVERYTHING,
    holds="every shape and pencilmarks",
)
