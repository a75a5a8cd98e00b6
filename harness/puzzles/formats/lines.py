"""One puzzle per line: size^2 symbols, row by row, and what formats of lines share.

``# symbols: hex`` names the symbols of values above 9. What the user chooses comes before
what a comment says.

A blank is one of ``. 0 * _ - X x``; a puzzle uses one of them. The text after a puzzle
begins with a blank, a comma, a semicolon, a bar, ``#`` or ``//``, and is kept as its comment.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import repeat
from operator import itemgetter
from typing import Any, Final

from harness.base.errors import PuzzleError
from harness.base.text import number_of, short_repr, shortened
from harness.puzzles.formats.format import (
    FILLERS,
    Format,
    ReadSettings,
    Symbols,
    symbols_in_words,
    symbols_named,
    table,
)
from harness.puzzles.formats.stream import (
    NO_FIELDS,
    ParsedPuzzle,
    TextBlock,
    TextLine,
    TextSource,
    located,
)
from harness.puzzles.formats.tokens import Cells, CellStyle, Unit, is_comment, is_text
from harness.puzzles.puzzle import Grid, Puzzle, line_of, values_of_line
from harness.puzzles.shape import LARGEST, LETTERED, Shape, value_of
from harness.puzzles.solution_count import SolutionCount

# Symbols to values, with the column of every error.


@lru_cache(maxsize=4)  # the readers of a line have the same question
def _numbers(line: TextLine, delimiter: str) -> Cells:
    return CellStyle(Unit.NUMBERS, delimiter).cells(line, LARGEST**2)


def numbers_in(line: TextLine, shape: Shape | None, delimiter: str = "") -> Cells:
    """The numbers of a line that is a whole puzzle; none if it has a symbol for each cell."""
    least = shape.size**2 if shape and shape.size <= LETTERED else _LEAST_CELLS
    between = delimiter or " \t|,"
    text = line.raw if delimiter == "\t" else line.text
    if sum(map(text.count, between)) < least - 1:
        return []
    cells = _numbers(line, delimiter)
    if len(cells) > LETTERED**2 or (shape and shape.size > LETTERED):
        return cells  # no line of symbols is as long
    is_whole = len(cells) == shape.size**2 if shape else len(cells) > LETTERED
    return cells if is_whole and max(len(cell) for _, cell in cells) <= 3 else []


_LEAST_CELLS: Final = LETTERED + 1
"""The fewest numbers of a puzzle in one line; fewer are a row of a grid."""


class BlankSymbol:
    """The blank symbol of a puzzle; a second one is an error.

    Two blank symbols in one puzzle mean that the text is damaged, or that one of them
    is a value.
    """

    def __init__(self) -> None:
        self.symbol: str | None = None

    def note(self, symbol: str, line: TextLine, column: int) -> None:
        """Record a blank at `column` of `line`.

        Raises:
            PuzzleError: the puzzle uses another blank symbol.
        """
        if self.symbol not in (None, symbol):
            names = [repr(seen) if seen else "an empty field" for seen in (self.symbol, symbol)]
            also = f", or --symbols {Symbols.ZERO} if 0 is a value" if "'0'" in names else ""
            raise line.error(
                f"two blank symbols, {' and '.join(names)}",
                f"one blank symbol per puzzle{also}",
                column,
            )
        self.symbol = symbol


_SYMBOLS: Final = frozenset(filter(value_of, map(chr, range(128)))) | {*FILLERS, ""}
_DASHLESS: Final = _SYMBOLS - {"-"}


def check_symbols(line: TextLine, columns: Sequence[tuple[int, str]], dashes: bool = True) -> None:
    """Check that all characters are symbols, and dashes blanks if `dashes`.

    Raises:
        PuzzleError: a character is not a symbol; with its column in `line`.
    """
    known = _SYMBOLS if dashes else _DASHLESS
    if {symbol for _, symbol in columns} <= known:
        return
    import unicodedata  # only an error needs it

    for column, symbol in columns:
        if symbol not in known:
            expected = "digits, letters, and . or 0 for a blank"
            name = "" if symbol.isascii() else f", {unicodedata.name(symbol, 'unnamed').lower()}"
            error = line.error(f"invalid symbol {short_repr(symbol)}{name}", expected, column)
            raise unless_text(line, error)


def unless_text(line: TextLine, error: PuzzleError) -> PuzzleError:
    """The error of a line; if the line is ordinary text, that it has no puzzle."""
    letters = sum(map(len, _LETTERS.findall(line.text)))
    is_wordy = 2 * letters > len(line.text) and not fits(len(line.text))
    return _no_puzzle(line) if is_wordy or is_text(line) else error


_LETTERS: Final = re.compile(r"[a-z]{3,}")


def _no_puzzle(line: TextLine) -> PuzzleError:
    return line.error(
        f"no puzzle is recognized in {short_repr(line.raw.strip() or line.text)}",
        "a puzzle, such as a line of 81 digits with . for blanks, or a grid of 9 rows",
    )


def cell_values(
    line: TextLine,
    columns: Cells,
    shape: Shape,
    blank: BlankSymbol,
    symbols: Symbols = Symbols.LETTERS,
    width: int = 0,
) -> list[int]:
    """The values of the symbols at these columns of `line`, or of numbers with a `width`.

    Raises:
        PuzzleError: a symbol is not a value of `shape`, or is a second blank symbol.
    """
    values = []
    values_of = table(symbols, shape.size, width)
    for column, symbol in columns:
        value = values_of.get(symbol)
        if value is None:
            blanks = "." if symbols in (Symbols.HEX, Symbols.ZERO) else ". or 0"
            known = symbols_in_words(symbols, shape.size, numbers=width > 0)
            expected = f"{known}, or {blanks} for a blank"
            letters = table(Symbols.ALPHABET, shape.size) if shape.size <= 9 else {}
            if letters.get(symbol) and symbols is Symbols.LETTERS:
                expected += f", or --symbols {Symbols.ALPHABET}"
            problem = f"{short_repr(symbol)} is not a value of {shape}"
            raise line.error(problem, expected, column)
        if not value and symbol != blank.symbol:
            blank.note(symbol, line, column)
        values.append(value)
    return values


def number_in(cell: str, shape: Shape) -> int:
    """The value of a number or a blank.

    Raises:
        PuzzleError: it is not a value of `shape`.
    """
    return cell_values(TextLine(cell, 1, 0, ""), [(0, cell)], shape, BlankSymbol(), width=1)[0]


def width_of(numbers: Iterable[tuple[int, str]]) -> int:
    """The digits of each of these cells, if all have as many; 1 if they differ."""
    widths = {len(cell) for _, cell in numbers if cell}
    return widths.pop() if len(widths) == 1 else 1


# Comments that say how the puzzles below them are read: ``# shape: latin7``.


SHAPE: Final = r"[^\s;]+(?:[ \t]*;.*\S)?"
"""A pattern of the definition of a shape, which may have blanks after a semicolon."""
_DIRECTIVE: Final = re.compile(rf"#\s*(shape|symbols):\s*({SHAPE})\s*")


def is_same(first: Shape, second: Shape) -> bool:
    """Whether shapes are equal and have the same constraints, even if these change nothing."""
    return first == second and first.constraints == second.constraints


def directives(shape: Shape, with_shape: bool, symbols: bool = True) -> str:
    """The comments that a file of puzzles of `shape` needs to be read back.

    Args:
        shape: the shape of the puzzles that follow.
        with_shape: whether the puzzles alone do not determine it.
        symbols: whether they have symbols that other conventions have too.
    """
    with_letters = symbols and 9 < shape.size <= LETTERED
    letters = f"# symbols: {Symbols.LETTERS}\n" if with_letters else ""
    return f"# shape: {shape.definition}\n{letters}" if with_shape else letters


# Text beside a puzzle that may state rules.


_RULE_IN_WORDS: Final = re.compile(
    r"knight|(?:\b|anti-?)king(?=s?\b)|killer|jigsaw|windoku|hyper|diagonal|\bx[ -]?sudoku"
    r"|sudoku[ -]?x\b|thermo|sandwich|kropki|consecutive|palindrom|whisper|renban|skyscraper"
    r"|disjoint|irregular|\b(?:must|cannot|can't|differ|touch|adjacent|between|sums?|repeat)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def rule_words(text: str) -> list[str]:
    """The words of a text that may name rules, in lower case."""
    return [re.sub("[ -]", "", word.lower()) for word in _RULE_IN_WORDS.findall(text)]


def rules_in(text: str, shape: Shape) -> list[str]:
    """The `rule_words` of a text, besides those of the constraints of `shape`."""
    known = shape.definition.replace("diagonal", "diagonal sudokux xsudoku")
    return [word for word in rule_words(text) if word not in known]


# Digits that a player has placed: read as givens, and named by the field ``placed``.


def placed_field(shape: Shape, cells: Iterable[int]) -> dict[str, str]:
    """The field that names the `cells` of placed digits; empty if there are none."""
    names = " ".join(map(shape.cell_name, cells))
    return {"placed": names} if names else {}


def with_note(puzzles: Iterable[ParsedPuzzle], reading: ReadSettings) -> Iterator[ParsedPuzzle]:
    """The `puzzles`, and after the last one notes of placed digits and of texts with rules."""
    number, names = 0, ""
    rules: dict[str, None] = {}
    for parsed in puzzles:
        fields = parsed.fields
        if cells := fields.get("placed", "").split():
            number, names = number + len(cells), names or ", ".join(cells)
        texts = fields if parsed.name.isdecimal() else {"name": parsed.name, **fields}
        if any(map(rule_words, texts.values())) and len(rules) < _MOST_RULES:
            for key, text in texts.items():
                if key not in ("author", "rules") and rules_in(text, parsed.puzzle.shape):
                    rules[f"{key} {shortened(text, 100)!r}"] = None
        yield parsed
    if rules and not reading.shape:
        reading.understand(f"no rule is read from text that may state one: {'; '.join(rules)}")
    if number:
        are = "is" if number == 1 else "are"
        digits = f"{number_of(number, 'digit')} that a player placed {are} taken as given"
        reading.understand(f"{digits}: {shortened(names, 60)}")


_MOST_RULES: Final = 10
"""Texts with rules in a note."""


# What a text has beside its puzzles.


class Remarks:
    """The lines beside the puzzles: how those below are read, text, and the number of puzzles."""

    def __init__(self, reading: ReadSettings) -> None:
        self._chosen = reading
        self.reading = reading
        """How the puzzles after the comments seen so far are read."""
        self._lines: list[TextLine] = []
        self._error: PuzzleError | None = None
        self._total: TextLine | None = None

    def direct(self, line: TextLine) -> None:
        """Follow a comment, if it is a directive; pass over one that may state a rule.

        Raises:
            PuzzleError: no shape or no convention has this name.
        """
        match = _DIRECTIVE.fullmatch(line.raw.strip())
        if not match:
            self._lines += [line] * bool(rule_words(line.raw))
            return
        with located(line.place()):
            if match[1] == "shape":
                shape = self._chosen.shape or Shape.parse(match[2])
                self.reading = replace(self.reading, shape=shape)
            else:
                symbols = self._chosen.symbols or symbols_named(match[2])
                self.reading = replace(self.reading, symbols=symbols)

    def add(self, line: TextLine) -> None:
        """Pass over a comment or other text."""
        self._lines.append(line)

    def explain(self, line: TextLine, error: PuzzleError, before: int) -> bool:
        """Pass over a line that is text or the number of puzzles; False for any other line.

        Args:
            line: a line that cannot be read as a puzzle.
            error: why it cannot be read.
            before: the number of puzzles before it.
        """
        is_total = not before and self._total is None and _TOTAL.fullmatch(line.text)
        if is_text(line):
            self.add(line)
        elif is_total:
            self._total = line
        else:
            return False
        self._error = self._error or error
        return True

    def end(self, number: int, symbols: Collection[str] = ()) -> None:
        """Say what is passed over, after `number` puzzles with these `symbols`.

        Raises:
            PuzzleError: the text has no puzzle, or another number of puzzles than it says.
        """
        if not number:
            if self._lines or self._error:
                self.reading.refuse(self._error or _no_puzzle(self._lines[0]))
            return
        for line in self._lines:
            is_mixed = line.text not in (line.text.lower(), line.text.upper())
            is_row = not (is_mixed or is_comment(line) or line.text.endswith(":"))
            if number > 1 and _SOLUTION.match(line.text):
                problem = f"a grid that may be a solution below {short_repr(line.text)}"
                self.reading.refuse(line.error(problem, "puzzles only"))
            if line.text and is_row and symbols and {*filter(str.isalpha, line.text)} <= {*symbols}:
                self.reading.refuse(_no_puzzle(line))  # perhaps a row with a mistake
        if self._lines:
            first, *others = self._lines
            every = f"{len(self._lines)} lines of text, the first " if others else ""
            named = [first, *(line for line in others if rule_words(line.raw))]
            texts = (
                f"{shortened(line.raw.strip(), 300)!r} in line {line.number}" for line in named
            )
            self.reading.understand(f"passed over {every}{', '.join(texts)}")
        if self._total and int(self._total.text) == number:
            self.reading.understand(f"passed over the number of puzzles, {number}")
        elif self._total:
            problem = f"{self._total.text} before {number_of(number, 'puzzle')}"
            self.reading.refuse(self._total.error(problem, f"a puzzle, or their number {number}"))


_SOLUTION: Final = re.compile(r"\W*(?:solution|solved|answer)", re.IGNORECASE)
_TOTAL: Final = re.compile(r"[0-9]{1,7}")


# Formats with one puzzle per line: what their readers and writers share.


def read_each_line(
    source: TextSource,
    reading: ReadSettings,
    parse: Callable[[TextLine, ReadSettings, str], ParsedPuzzle],
) -> Iterator[ParsedPuzzle]:
    """The puzzles of `source`, which `parse` reads from a line, how to read it and a number.

    Raises:
        PuzzleError: a puzzle is malformed; with file, line and column.
    """
    reader = _LineReader(reading, parse)
    yield from reader.read(source.lines())
    reader.end()


class _LineReader:
    """Reads puzzles that have a line each, as the comments before them say."""

    def __init__(
        self, reading: ReadSettings, parse: Callable[[TextLine, ReadSettings, str], ParsedPuzzle]
    ) -> None:
        self.remarks = Remarks(reading)
        self.number = 0
        """The number of the last puzzle."""
        self._parse = parse

    def read(self, lines: Iterable[TextLine]) -> Iterator[ParsedPuzzle]:
        """The puzzles of the next lines.

        Raises:
            PuzzleError: a puzzle is malformed; with file, line and column.
        """
        for line in lines:
            if not line.text:
                if line.comment:
                    self.remarks.direct(line)
                continue
            if is_comment(line):
                self.remarks.add(line)
                continue
            reading = self.remarks.reading
            try:
                parsed = self._parse(line, reading, str(self.number + 1))
            except PuzzleError as error:
                if not self.remarks.explain(line, error, self.number):
                    self.number += 1
                    reading.refuse(error if error.where else error.at(line.place()))
            else:
                self.number += 1
                yield parsed

    def end(self) -> None:
        """Check the number of puzzles, and say what is passed over.

        Raises:
            PuzzleError: there is no puzzle, or the text states a different number of puzzles.
        """
        self.remarks.end(self.number)


def _with_constraints(shape: Shape) -> object:
    return shape, shape.constraints


def write_each_line(
    puzzles: Iterable[ParsedPuzzle],
    text: Callable[[ParsedPuzzle], str],
    determines: Callable[[Shape], bool],
    symbols: bool = True,
    same: Callable[[Shape], object] = _with_constraints,
    between: str = "",
    doubt: Callable[[Puzzle], object] = lambda _: None,
) -> Iterator[str]:
    """The lines that `text` makes, with comments that name shapes and symbols.

    Args:
        puzzles: what is written.
        text: the line of a puzzle, or its lines.
        determines: whether the lines alone determine a shape.
        symbols: whether they have symbols that other conventions have too.
        same: what puzzles have in common that need no new comment.
        between: what stands between puzzles.
        doubt: why a puzzle may be of another shape than its text has; None if it is certain.
    """
    before: object = None
    for parsed in puzzles:
        shape = parsed.puzzle.shape
        doubts = doubt(parsed.puzzle) is not None
        common = same(shape), doubts
        if before is not None:
            yield between
        if common != before:
            yield directives(shape, before is not None or doubts or not determines(shape), symbols)
        before = common
        yield f"{text(parsed)}\n"


write_each_grid: Final = partial(
    write_each_line,
    determines=lambda shape: shape.spec == f"{shape.size}x{shape.size}",
    between="\n",
    doubt=lambda puzzle: puzzle.size_doubt,
)
"""The grids that `text` makes, with blank lines between them and comments as in lines."""


# One puzzle per line: size^2 symbols, row by row, perhaps with a text after it.


_TAIL: Final = re.compile(r"[\s,;|#]|//")
_BEFORE_COMMENT: Final = " \t,;|#/"
_NINE: Final = frozenset("123456789.")
_NINE_ZERO: Final = frozenset("1234567890")


def read_cells(line: TextLine, reading: ReadSettings, delimiter: str = "") -> Puzzle:
    """The puzzle whose cells are the symbols or the numbers of `line`.

    Raises:
        PuzzleError: the line cannot be read, or two conventions read different puzzles.
    """
    text = line.text
    shape = reading.shape
    if len(text) == 81 and (shape is None or shape.size == 9):
        characters = set(text)
        if characters <= _NINE or characters <= _NINE_ZERO:
            return Puzzle(shape or Shape.parse("9x9"), values_of_line(text.replace("0", ".")))
    numbers = numbers_in(line, shape, delimiter)
    columns = numbers or list(enumerate(text[: LETTERED**2 + 1]))
    length, noun = (len(numbers), "number") if numbers else (len(text), "character")
    if not numbers:
        check_symbols(line, columns)
    if shape is None:
        try:
            if not numbers and length > LETTERED**2:
                raise PuzzleError("", expected=f"{LETTERED**2} for {LETTERED}x{LETTERED}")
            shape = Shape.of_length(length)
        except PuzzleError as error:
            problem = f"no shape fits a line of {number_of(length, noun)}"
            failure = line.error(problem, error.expected, len(text))
            raise unless_text(line, failure) from None
    cells = shape.size**2
    if length != cells:
        column = columns[cells][0] if numbers and length > cells else min(len(text), cells)
        problem = f"a line of {number_of(length, noun)} for {shape}"
        raise line.error(problem, f"{cells} {noun}s", column)
    if numbers:
        symbols, width = reading.symbols or Symbols.LETTERS, width_of(numbers)
    else:
        symbols, width = reading.symbols_for([text], shape.size, line.place()), 0
    values = cell_values(line, columns, shape, BlankSymbol(), symbols, width)
    puzzle = Puzzle(shape, tuple(values))
    if reading.shape or reading.is_trial:
        return puzzle
    with located(line.place()):
        return puzzle.of_certain_size()


def split(line: TextLine, shape: Shape | None, delimiter: str = "") -> tuple[TextLine, str]:
    """The part of `line` with the puzzle, and the comment after it.

    The comment is empty, and the part is the whole line, if the part before a separator
    does not have the length of a puzzle.
    """
    match = _TAIL.search(line.text)
    if match and fits(match.start(), shape.size if shape else None):
        return line.part(0, match.start()), line.text[match.start() :].lstrip(_BEFORE_COMMENT)
    cells, _, comment = line.text.partition("#")
    numbers = line.part(0, len(cells.rstrip()))
    is_whole = numbers_in(numbers, shape, delimiter)
    return (numbers, comment.lstrip(_BEFORE_COMMENT)) if is_whole else (line, "")


@lru_cache(maxsize=1024)
def fits(length: int, size: int | None = None) -> bool:
    """Whether a puzzle of this size, or of any, has a line of this length."""
    if size is not None:
        return length == size * size
    if length > LETTERED**2:
        return False
    try:
        Shape.of_length(length)
    except PuzzleError:
        return False
    return True


def read_lines(source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
    """The puzzles of `source`, one per line.

    Raises:
        PuzzleError: a puzzle is malformed; with file, line and column.
    """
    reader = _LineReader(reading, _read)
    for block in source.blocks():
        shape = reader.remarks.reading.shape or Shape.parse("9x9")
        if shape.size == 9 and (plain := _plain_lines(block)):
            grids = (tuple(line.translate(SYMBOL_VALUES)) for line in plain)
            yield from puzzles_of(block, shape, grids, reader.number)
            reader.number += len(plain)
        elif not block.data.isspace():
            yield from reader.read(block.lines())
    reader.end()


def parse_lines(
    lines: Iterable[TextLine], reading: ReadSettings, delimiter: str = ""
) -> Iterator[ParsedPuzzle]:
    """The puzzles of `lines`, one per line.

    Raises:
        PuzzleError: a puzzle is malformed; with file, line and column.
    """
    reader = _LineReader(reading, partial(_read, delimiter=delimiter))
    yield from reader.read(lines)
    reader.end()


def _read(line: TextLine, reading: ReadSettings, name: str, delimiter: str = "") -> ParsedPuzzle:
    cells, comment = split(line, reading.shape, delimiter) if delimiter != "\t" else (line, "")
    puzzle = read_cells(cells, reading, delimiter)
    if comment and len(second := re.split(r"[\s,;|]", comment.strip())[0]) == len(cells.text) > 15:
        return ParsedPuzzle(puzzle, line.place(), name, _solution(line, second, puzzle, reading))
    fields = {"comment": comment} if comment else NO_FIELDS
    return ParsedPuzzle(puzzle, line.place(), name, fields=fields)


def _solution(line: TextLine, text: str, puzzle: Puzzle, reading: ReadSettings) -> SolutionCount:
    """The solution after a puzzle in its line.

    Raises:
        PuzzleError: it is another puzzle, or no solution of the puzzle.
    """
    start = line.text.index(text, len(text))
    part = line.part(start, start + len(text))
    if not all(read_cells(part, replace(reading, shape=puzzle.shape)).givens):
        raise part.error("a second puzzle in a line", "one puzzle, or a puzzle and its solution", 0)
    reading.understand("a second grid in a line is its solution")
    return read_solution(part, puzzle, reading)


# Lines of 81 symbols and nothing else are read many times faster than others: a whole block
# is checked at once, and its puzzles need no further check.

_ZERO_LINE: Final = b"0123456789\n"
_DOT_LINE: Final = b".123456789\n"
SYMBOL_VALUES: Final = bytes(max(byte - 48, 0) if byte != 46 else 0 for byte in range(256))
"""The value of each symbol, a table for `bytes.translate`."""
_LENGTHS: Final = {81}


def _plain_lines(block: TextBlock) -> list[bytes] | None:
    """The lines of a block of plain 9x9 puzzles; None if it has anything else."""
    data = block.data
    if data.translate(None, _DOT_LINE) and data.translate(None, _ZERO_LINE):
        return None
    lines = data.removesuffix(b"\n").split(b"\n")
    return lines if {*map(len, lines)} == _LENGTHS else None


def puzzles_of(
    block: TextBlock,
    shape: Shape,
    grids: Iterable[Grid],
    before: int,
    names: Iterable[str] = repeat(""),
    counts: Iterable[SolutionCount | None] = repeat(None),
    sources: Iterable[str] = repeat(""),
    fields: Iterable[Mapping[str, str]] = repeat(NO_FIELDS),
) -> Iterator[ParsedPuzzle]:
    """The puzzles of lines that are known to be right, without the checks of `Puzzle`.

    Args:
        block: the lines.
        shape: the shape of all puzzles.
        grids: the givens of each.
        before: the number of puzzles before the block.
        names: their names; the number of a puzzle stands for an empty one.
        counts: their expected numbers of solutions.
        sources: their sources; empty for none.
        fields: their further fields.
    """
    new = object.__new__
    place, number = f"{block.source}:", block.number
    for at, (givens, name, count, source, further) in enumerate(
        zip(grids, names, counts, sources, fields, strict=False)
    ):
        puzzle = new(Puzzle)
        content = puzzle.__dict__
        content["shape"] = shape
        content["givens"] = givens
        content["pencilmarks"] = None
        parsed = new(ParsedPuzzle)
        content = parsed.__dict__
        content["puzzle"] = puzzle
        content["place"] = f"{place}{number + at}"
        content["name"] = name or str(before + at + 1)
        content["expected_count"] = count
        content["source"] = source or None
        content["fields"] = further
        yield parsed


def _text(parsed: ParsedPuzzle) -> str:
    comment = parsed.fields.get("comment")
    separator = " # " if parsed.puzzle.shape.size > LETTERED else " "
    return f"{parsed.puzzle.line}{separator}{comment}" if comment else parsed.puzzle.line


def may_be_row(shape: Shape) -> bool:
    """Whether a puzzle in one line is as long as the row of a larger grid."""
    return shape.size**2 <= LETTERED


def by_length(shape: Shape) -> bool:
    """Whether the number of cells determines the shape."""
    return not shape.constraints and _is_usual(shape)


@lru_cache(maxsize=256)
def _is_usual(shape: Shape) -> bool:
    # A shape whose constraints demand nothing is equal to one without, and must not come here.
    try:
        return is_same(Shape.of_length(shape.size**2), shape)
    except PuzzleError:
        return False


def _can_hold_in_lines(parsed: ParsedPuzzle) -> str | None:
    """Why a line cannot hold the puzzle; None if it can."""
    if parsed.puzzle.pencilmarks is not None:
        return "holds no pencilmarks"
    return comment_problem(parsed)


def comment_problem(parsed: ParsedPuzzle) -> str | None:
    """Why a line cannot hold the comment of the puzzle; None if it can."""
    comment = parsed.fields.get("comment", "")
    if comment.strip(_BEFORE_COMMENT) and comment == comment.strip().lstrip(_BEFORE_COMMENT):
        return None if comment.isprintable() else "holds comments of printable characters only"
    return "holds comments without blanks and separators around them only" if comment else None


LINE: Final = Format(
    name="line",
    shared_suffixes=(".txt",),
    title="one puzzle per line, perhaps with a comment after it",
    read=read_lines,
    write=partial(
        write_each_line,
        text=_text,
        determines=lambda shape: by_length(shape) and not may_be_row(shape),
    ),
    can_hold=_can_hold_in_lines,
    keeps=frozenset({"comment"}),
    holds="every shape, without pencilmarks",
)


# Solutions that a file gives for its puzzles.


def solution_line(grid: Grid, puzzle: Puzzle) -> str:
    """The line of `grid`, which must be a solution of `puzzle`.

    Raises:
        PuzzleError: it is none, with the first cell or house that shows this.
    """
    marks, shape = puzzle.pencilmarks, puzzle.shape

    def value_at(cell: int) -> str:
        return f"the solution has {shape.symbol(grid[cell])} at {shape.cell_name(cell)}"

    for cell, (clue, value) in enumerate(zip(puzzle.givens, grid, strict=True)):
        if not value or clue not in (0, value):
            where = f", where the puzzle has {shape.symbol(clue)}" if clue else ""
            hint = " (are the columns swapped?)" if all(puzzle.givens) else ""
            problem = f"{value_at(cell)}{where}{hint}"
            raise PuzzleError(problem, expected="" if clue else "a complete grid")
        if marks is not None and not marks[cell] >> value - 1 & 1:
            raise PuzzleError(value_at(cell), expected="one of its pencilmarks")
    differ = all(grid[first] != grid[second] for first, second in shape.pairs)
    if differ and all(len({*values_of(grid)}) == shape.size for values_of in _houses(shape)):
        rule = shape.broken_by(grid)
        if rule is None:
            return line_of(grid)
        raise PuzzleError(f"the solution breaks {rule}", expected="a solution of the puzzle")
    from harness.puzzles.sanity import check  # only an error needs it

    duplicate = check(Puzzle(shape, grid)).duplicates[0]
    if duplicate.house.startswith("pair "):
        problem = f"the solution has {duplicate.value} at {' and '.join(duplicate.cells)}"
        raise PuzzleError(problem, expected=f"different values there in {shape.spec}")
    problem = f"the solution has {duplicate.value} twice in {duplicate.house}"
    raise PuzzleError(problem, expected="every value once in each house")


@lru_cache(maxsize=64)
def _houses(shape: Shape) -> tuple[Any, ...]:
    return tuple(itemgetter(*house.cells) for house in shape.houses)


def read_solution(line: TextLine, puzzle: Puzzle, reading: ReadSettings) -> SolutionCount:
    """The expected count of a puzzle whose unique solution is the text of `line`.

    Raises:
        PuzzleError: the text is no solution of the puzzle; with line and column.
    """
    solved = read_cells(line, ReadSettings(puzzle.shape, reading.symbols))
    with located(line.place(0)):
        return SolutionCount.from_number(1, True, solution_line(solved.givens, puzzle))
