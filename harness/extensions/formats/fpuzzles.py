"""Links of f-puzzles, one per line, their compression LZString, and what formats of links share.

LZString is LZ78 over UTF-16 code units: new units are sent in 8 or 16 bits, and codes grow by a
bit whenever the dictionary has doubled. The lowest bit comes first.

The payload is compressed JSON: ``size``, ``grid`` with ``value``, ``given``, ``region`` and
``givenPencilMarks`` of each cell, and constraints. Diagonals, anti-knight, anti-king, disjoint
groups and regions become part of the shape; a key with a value that is neither a constraint nor
known as a drawing is an error, and so are rules in words that may be a constraint. A file may also
be that JSON itself.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice, pairwise
from math import isqrt
from string import ascii_lowercase, ascii_uppercase, digits
from struct import iter_unpack
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote

from harness.base.errors import PuzzleError, one_of
from harness.base.files import parse_json
from harness.base.text import encodable, short_repr, shortened
from harness.extensions.formats.programs import placed_cells, placed_problem
from harness.extensions.formats.rules import check_rules
from harness.puzzles import (
    LETTERED,
    VALUES,
    Puzzle,
    Shape,
    SolutionCount,
    box_of,
    values_in,
    values_of_line,
)
from harness.puzzles.constraints import Cells, Constraint, check_constraint
from harness.puzzles.formats import (
    Format,
    Head,
    ParsedPuzzle,
    ReadSettings,
    TextLine,
    TextSource,
    letters_only,
    placed_field,
    read_each_line,
    rule_words,
    solution_line,
    with_candidates,
)

# The compression LZString (pieroxy.net/blog/pages/lz-string), with Base64.


_BITS_OF: Final = {
    symbol: f"{value:06b}"
    for value, symbol in enumerate(ascii_uppercase + ascii_lowercase + digits + "+/")
}
_SYMBOL_OF: Final = {bits: symbol for symbol, bits in _BITS_OF.items()}
_NEW_8, _NEW_16, _END = 0, 1, 2
MOST: Final = 2**22
"""The most characters to which a payload may expand."""


def compress(text: str) -> str:
    """`text` compressed, in Base64."""
    words: list[str] = []  # bits
    code_of: dict[tuple[int, int], int] = {}  # of a word and a unit after it; -1: of no word
    new: dict[int, int] = {}  # units that have not been sent, by their codes
    table_size = 2  # the number of codes that the reader knows

    def flush(word: int) -> None:
        nonlocal table_size
        width = table_size.bit_length()
        if (unit := new.pop(word, None)) is None:
            numbers = [(word, width)]
        elif unit < 256:
            numbers = [(_NEW_8, width), (unit, 8)]
        else:
            numbers = [(_NEW_16, width), (unit, 16)]
        words.extend(f"{number:0{bits}b}"[::-1] for number, bits in numbers)
        table_size += len(numbers)

    word = -1
    for (unit,) in iter_unpack("<H", text.encode("utf-16-le", "surrogatepass")):
        if (-1, unit) not in code_of:
            new[len(code_of) + 3] = unit
            code_of[-1, unit] = len(code_of) + 3
        if (word, unit) not in code_of:
            flush(word)
            code_of[word, unit] = len(code_of) + 3
            word = -1
        word = code_of[word, unit]
    if word >= 0:
        flush(word)
    words.append(f"{_END:0{table_size.bit_length()}b}"[::-1])
    bits = "".join(words)
    # The reference implementation always ends with a symbol that is not full.
    bits += "0" * (6 - len(bits) % 6)
    symbols_text = "".join(_SYMBOL_OF[bits[at : at + 6]] for at in range(0, len(bits), 6))
    return symbols_text + "=" * (-len(symbols_text) % 4)


def decompress(symbols_text: str) -> str:
    """The text from which `compress` made `symbols_text`.

    LZString has no checksum. But a text has only one compressed form, apart from zeros at its
    end, so compressing the text again reveals most damage.

    Raises:
        PuzzleError: `symbols_text` is damaged, or expands to more than `MOST` characters.
    """
    symbols = symbols_text.translate(str.maketrans("-_ ", "+/+")).rstrip("=")
    text = _expand(symbols)
    if compress(text).rstrip("=A") != symbols.rstrip("A"):
        raise _damage("compressing its text again gives other symbols")
    return text


def _expand(symbols: str) -> str:
    """The text of symbols, which may be damaged."""
    if wrong := set(symbols) - _BITS_OF.keys():
        raise _damage(f"{min(wrong)!r} is not Base64")
    bits = iter("".join(map(_BITS_OF.__getitem__, symbols)))

    def take(number: int) -> int:
        taken = "".join(islice(bits, number))
        if len(taken) < number:
            raise _damage("it ends early")
        return int(taken[::-1], 2)

    words = ["", "", ""]
    pieces: list[str] = []
    size = 0
    before = ""
    while True:
        code = take(len(words).bit_length())
        if code == _END:
            data = "".join(pieces).encode("utf-16-le", "surrogatepass")
            return data.decode("utf-16-le", "replace")
        if code in (_NEW_8, _NEW_16):
            word = chr(take(16 if code == _NEW_16 else 8))
            words.append(word)
        elif not before:
            raise _damage("it begins with a repetition")
        elif code < len(words):
            word = words[code]
        elif code == len(words):
            word = before + before[0]
        else:
            raise _damage("it repeats what has not occurred")
        pieces.append(word)
        size += len(word)
        if size > MOST or len(word) * len(words) > 64 * MOST:
            problem = f"the payload expands to more than {MOST:,} characters"
            raise PuzzleError(problem, expected="a smaller puzzle")
        if before:
            words.append(before + word[0])
        before = word


def _damage(why: str) -> PuzzleError:
    expected = "LZString in Base64, whole and in one line"
    return PuzzleError(f"the payload is damaged: {why}", expected=expected)


# Links in texts: bare, in Markdown, between brackets, or with words beside them.


_HOST: Final = re.compile(
    r"(?:^(?:[\"']?https?://)?|(?<=[\s(<\[*`\"])https?://)((?:[\w-]+\.)+[a-z]{2,9})(?=[:/?#]|$)",
    re.I,
)
_LINK_IN_TEXT: Final = re.compile(r"(?:^|(?<=[\s(<\[*`\"]|^'))https?://\S+", re.IGNORECASE)
_CLOSING: Final = {"(": ")", "<": ">", "[": "]", "*": "*", "`": "`", '"': '"', "'": "'"}
_NO_WORD: Final = re.compile(r"\S{25}|[{}|\\]|=(?!\"$)|(?<!=)\"|[0-9.]{6}")
LINK: Final = re.compile(r"https?://|[a-z.-]+\.(app|com)/", re.IGNORECASE)
LONGEST_LINK: Final = 120
"""The most characters of a link before its payload."""
SHORTEST_PAYLOAD: Final = 40
"""The fewest characters of a payload; a shorter text is a name, which needs the network."""


def _hosts(head: Head) -> Iterator[str | None]:
    """The host in each line, empty for a line of words; None for any other line."""
    for row in head.rows:
        match = _HOST.search(row.text, 0, LONGEST_LINK)
        if match and match.end() == len(row.text) and "://" not in row.text:
            match = None  # a row of letters with points for blanks
        is_other = _NO_WORD.search(row.text, 0, match.start() if match else len(row.text))
        if is_other or not (match or re.search(r"[^\W\d_]{2}", row.text)):
            yield None
        else:
            yield match[1].lower() if match else ""


def host_of(head: Head) -> str:
    """The host of the first link, if there are only words before it; empty if there is none."""
    return next((host for host in _hosts(head) if host != ""), None) or ""


def has_links_only(head: Head) -> bool:
    """Whether every line of a beginning is a link or words, and one is a link."""
    hosts = [*_hosts(head)]
    return None not in hosts and any(hosts)


def link_of(line: TextLine) -> TextLine:
    """The link in `line`, without the text around it; the whole line if a link begins it.

    Raises:
        PuzzleError: the line has two links.
    """
    links = [*_LINK_IN_TEXT.finditer(line.text)]
    if len(links) > 1:
        raise line.error(f"{len(links)} links in a line", "one link per line", links[1].start())
    if not links or not (start := links[0].start()):
        return line  # a payload may have blanks, which stand for +
    text = links[0][0]
    end = text.rfind(_CLOSING.get(line.text[start - 1], " "))
    return line.part(start, start + (end if end > 0 else len(text.rstrip(".,;:!?"))))


def read_links(
    source: TextSource,
    reading: ReadSettings,
    parse: Callable[[TextLine, ReadSettings, str], ParsedPuzzle],
    load: Callable[[str], Any] | None = None,
) -> Iterator[ParsedPuzzle]:
    """The puzzles of a file with links, or of a file that is the object of a payload.

    Args:
        source: the file.
        reading: how it is read.
        parse: reads a link, from how to read it and a number.
        load: makes the text of a file that begins with a brace an object of f-puzzles.

    Raises:
        PuzzleError: a puzzle is malformed; with file, line and column.
    """
    first = next((line for line in source.first_lines() if line.text), None)
    if load and first and first.text.startswith("{"):

        def read(text: TextLine) -> ParsedPuzzle:
            with placed_at(text):
                return puzzle_of(load(text.text), reading, text, "1")

        whole = TextLine(source.text(), first.number, 0, source.name)
        yield from reading.each([whole], read)
    else:

        def read_line(line: TextLine, reading: ReadSettings, number: str) -> ParsedPuzzle:
            link = link_of(line)
            around = line.text.replace(link.text, "", 1).strip()
            if re.search(r"\w", around):
                text = f": {shortened(around, 100)}" if rule_words(around) else ""
                reading.understand(f"passed over the text around links{text}")
            return parse(link, reading, number)

        yield from read_each_line(source, reading, read_line)


def has_object(head: Head, beginning: str) -> bool:
    """Whether a file is an object in which this pattern occurs, apart from blanks."""
    text = "".join("".join(row.text.split()) for row in head.rows)
    return re.match(rf"\{{.*{beginning}", text) is not None


# Links of f-puzzles, one per line; SudokuPad has the same payloads.


def named(text: str) -> dict[str, str]:
    """A table of names: ``xsum=x-sum odd`` has ``x-sum`` for ``xsum``, and ``odd`` for itself."""
    words = (word.partition("=") for word in text.split())
    return {name: other or name for name, _, other in words}


_VARIANTS: Final = named("antiknight antiking disjointgroups=disjoint")
_HELD: Final = ("diagonal", *_VARIANTS.values())
_TEXTS: Final = {"author": "author", "ruleset": "rules"}
_DRAWN: Final = frozenset(
    {
        *("size", "title", "author", "ruleset", "grid", "solution", "highlightConflicts"),
        *("text", "circle", "rectangle", "line", "cage", "disabledlogic", "truecandidatesoptions"),
        *("successMessage", "msgcorrect", "metadata", "activeConstraints"),
    }
)
"""Keys that constrain nothing."""
_OF_CELL: Final = frozenset(
    {
        *("value", "given", "region", "givenPencilMarks"),
        *("centerPencilMarks", "cornerPencilMarks"),  # of the player
        *("c", "cArray", "highlight", "highlightArray"),  # colours
        "parity",  # of another editor
    }
)
"""Keys of a cell: for the puzzle, the marks of the player, and colours."""


def payload_of(line: TextLine) -> TextLine:
    """The part of a link with the payload.

    Raises:
        PuzzleError: the link has no payload.
    """
    text = line.text
    start = 0
    if match := re.search("load=|fpuzzles", text[:LONGEST_LINK]):
        start = match.end()
    elif LINK.match(text):
        raise short_link(line, text.rfind("/", 0, LONGEST_LINK) + 1, "?load=")
    elif len(text) < SHORTEST_PAYLOAD:
        raise line.error(f"no link in {short_repr(text)}", "a link, or # before a comment", 0)
    return line.until("&#?", start)


def short_link(line: TextLine, column: int, before: str) -> PuzzleError:
    """The error for a link without a payload; `before` is what would precede the payload."""
    expected = (
        f"a link with the whole puzzle: .../{before} and the payload; "
        "open the link in a browser and export the puzzle"
    )
    problem = "a short link, which needs the network: its puzzle lies on a server"
    return line.error(problem, expected, column)


def read_payload(
    payload: TextLine, line: TextLine, reading: ReadSettings, number: str
) -> ParsedPuzzle:
    """The puzzle of a payload of f-puzzles.

    Args:
        payload: the part of `line` that holds the payload.
        line: the whole line.
        reading: the settings of the reader.
        number: the number of the puzzle in its file.

    Raises:
        PuzzleError: the payload is damaged, or has a constraint that no shape can have.
    """
    with placed_at(payload):
        data = parse_json(expand(payload), "payload", PuzzleError)
        return puzzle_of(data, reading, line, number)


def expand(payload: TextLine) -> str:
    """The text of a payload, perhaps with words after it.

    Raises:
        PuzzleError: the payload is damaged.
    """
    text = unquote(payload.text)
    try:
        return decompress(text)
    except PuzzleError:
        if " " not in text:
            raise
    return decompress(text.partition(" ")[0])


@contextmanager
def placed_at(payload: TextLine) -> Iterator[None]:
    """Let errors inside a payload name its place in the file."""
    try:
        yield
    except PuzzleError as error:
        problem = f"{error.where}: {error.what}" if error.where else error.what
        raise payload.error(problem, error.expected, 0) from None


@contextmanager
def malformed(site: str) -> Iterator[None]:
    """Let an object that is not as those of `site` are be an error of the puzzle."""
    try:
        yield
    except PuzzleError:
        raise
    except (ValueError, IndexError, TypeError, KeyError, AttributeError, OverflowError) as error:
        problem = f"a malformed puzzle of {site}: {short_repr(str(error))}"
        raise PuzzleError(problem, expected=f"a link that {site} makes") from None


Object = dict[str, Any]
"""A puzzle as f-puzzles has it: those of most sites are read as such objects."""


def object_of(givens: list[int], areas: list[int] | None = None, **further: Any) -> Object:
    """The object with these givens, 0 for a blank, in boxes or these areas."""
    size = isqrt(len(givens))
    if size**2 != len(givens) or not 2 <= size <= LETTERED:
        raise PuzzleError(f"{len(givens)} cells", expected="the cells of a square grid")
    cells: list[Object] = [{"value": value, "given": True} for value in givens]
    for cell, area in zip(cells, areas or (), strict=False):
        cell["region"] = area
    grid = [cells[at : at + size] for at in range(0, size**2, size)]
    return {"size": size, "grid": grid, **further}


def puzzle_of(data: Any, reading: ReadSettings, line: TextLine, number: str) -> ParsedPuzzle:
    """The puzzle of an object of f-puzzles in `line`; see `read_payload`."""
    grid = data.get("grid") if isinstance(data, dict) else None
    if not isinstance(grid, list) or type(size := data.get("size", len(grid))) is not int:
        raise PuzzleError("no grid", expected="an object of f-puzzles")
    cells = _cells(grid, size)
    shape = _shape(data, cells, size)
    reading.require_shape(shape)
    rules = data.get("ruleset")
    check_rules(rules if isinstance(rules, str) else "", shape)
    if _has_drawings(data):
        reading.understand("drawings of f-puzzles that belong to no constraint are ignored")
    every = (1 << size) - 1
    givens, marks, players = [], [], []
    for cell, content in enumerate(cells):
        value, where = content.get("value") or 0, shape.cell_name(cell)
        if not _are_values([value or 1], size):
            problem = f"{short_repr(value)} is not a value of {shape}"
            raise PuzzleError(problem, where=where, expected=f"1 to {size}")
        if value and not content.get("given"):
            players.append(cell)
        candidates = content.get("givenPencilMarks") or []
        if not _are_values(candidates, size):
            expected = f"a list of values from 1 to {size}"
            raise PuzzleError("invalid givenPencilMarks", where=where, expected=expected)
        bits = sum(1 << mark - 1 for mark in set(candidates))
        givens.append(value)
        marks.append(1 << value - 1 if value else bits or every)
    puzzle = Puzzle(shape, tuple(givens), tuple(marks))
    texts = {key: text for key in ("title", *_TEXTS) if isinstance(text := data.get(key), str)}
    fields = {_TEXTS.get(key, key): one_line(text) for key, text in texts.items() if text.strip()}
    name = fields.pop("title", "") or number
    count = count_of(data.get("solution"), puzzle)
    fields |= placed_field(shape, players)
    return ParsedPuzzle(puzzle, line.place(), name, count, None, fields)


def _are_values(values: Any, size: int) -> bool:
    """Whether `values` is a list of values of a grid of this size."""
    are_numbers = isinstance(values, list) and {*map(type, values)} <= {int}
    return are_numbers and all(1 <= value <= size for value in values)


def _cells(grid: Any, size: int) -> list[Object]:
    if not 2 <= size <= LETTERED:
        raise PuzzleError(f"a size of {size}", expected=f"2 to {LETTERED}")
    rows = grid if isinstance(grid, list) else []
    lengths = [len(row) if isinstance(row, list) else 0 for row in rows]
    if lengths != [size] * size:
        raise PuzzleError("a malformed grid", expected=f"{size} rows of {size} cells")
    cells = [cell for row in rows for cell in row]
    if not all(isinstance(cell, dict) for cell in cells):
        raise PuzzleError("a malformed cell", expected="objects")
    if unknown := {key for cell in cells for key in cell} - _OF_CELL:
        problem = f"the property {short_repr(min(unknown))} of a cell"
        raise PuzzleError(problem, expected=one_of(sorted(_OF_CELL)))
    return cells


def _shape(data: dict[str, Any], cells: list[dict[str, Any]], size: int) -> Shape:
    keys = {*_VARIANTS, *_KEY_OF.values(), "negative", "nonconsecutive", *diagonals(size)}
    if unknown := [key for key, value in data.items() if value and key not in keys | _DRAWN]:
        problem = f"the constraint {short_repr(unknown[0])}"
        expected = f"no such field if it states no rule, or {one_of(sorted(keys))}"
        raise PuzzleError(problem, expected=expected)
    names = [name for key, name in _VARIANTS.items() if data.get(key)]
    if all(map(data.get, diagonals(size))):
        names.append("diagonal")
    base, regions = _regions(cells, size)
    further = [Constraint("distinct", "", (region,)) for region in regions]
    further += _constraints(data, size)
    for cell, content in enumerate(cells):
        if parity := content.get("parity"):
            if parity not in ("Odd", "Even"):
                raise PuzzleError(f"the parity {short_repr(parity)}", expected="Odd or Even")
            further.append(Constraint(parity.lower(), "", ((cell,),)))
    return Shape.parse("+".join([base, *names])).with_constraints(further)


def _regions(cells: list[dict[str, Any]], size: int) -> tuple[str, list[Cells]]:
    """The name of the base shape, and its regions as groups if some cells are in no region.

    A cell without the property ``region`` is in its box, or in its row if the size is a prime; a
    cell whose ``region`` is null is in no region.
    """
    rows = [cell // size + 1 for cell in range(size**2)]
    boxes = Shape.parse(f"{size}x{size}").region_of if box_of(size) else rows
    regions = [content.get("region", boxes[cell] - 1) for cell, content in enumerate(cells)]
    numbers = [region for region in regions if region is not None]
    if {*map(type, numbers)} - {int} or {*numbers} - {*range(LETTERED)}:
        raise PuzzleError("malformed regions", expected="the number of a region in each cell")
    if None not in regions:
        return base_of(regions), []
    cells_of: dict[int, Cells] = {}
    for cell, region in enumerate(regions):
        if region is not None:
            cells_of[region] = (*cells_of.get(region, ()), cell)
    if {*map(len, cells_of.values())} - {size}:
        raise PuzzleError("malformed regions", expected=f"regions of {size} cells")
    return f"latin{size}", [*cells_of.values()]


def _has_drawings(data: Object) -> bool:
    """Whether there are lines, or cages with a text, that belong to no constraint."""
    lists = {key: data[key] for key in ("line", "cage") if isinstance(data.get(key), list)}
    drawings = [(key, item) for key, items in lists.items() for item in items if type(item) is dict]
    return any(
        not {"fromConstraint", "fromRangskSolver", "isNewConstraint"} & item.keys()
        and (key == "line" or not re.fullmatch("(DR[0-9]+)?", str(item.get("value") or "").strip()))
        for key, item in drawings
    )


def one_line(text: str) -> str:
    """`text` with single blanks and without line breaks."""
    return encodable(" ".join(text.split()))


def base_of(regions: list[int]) -> str:
    """The name of the shape whose boxes are these `regions`, given for each cell."""
    return usual(Shape.parse("jigsaw:" + "".join(VALUES[region] for region in regions))).definition


def usual(shape: Shape) -> Shape:
    """The Latin square or the shape with boxes that equals `shape`; else `shape` itself."""
    size = shape.size
    boxes = (f"box{rows}x{size // rows}" for rows in range(2, size // 2 + 1) if size % rows == 0)
    return next(
        (standard for standard in map(Shape.parse, (f"latin{size}", *boxes)) if standard == shape),
        shape,
    )


def areas_of(groups: Iterable[Iterable[int]]) -> list[int]:
    """The number of the group of each cell, where each cell is in one group."""
    area_of = {cell: number for number, cells in enumerate(groups) for cell in cells}
    return [area_of[cell] for cell in sorted(area_of)]


class Parts(NamedTuple):
    """What a shape has beside its rows, its columns and its constraints."""

    regions: tuple[int, ...] | None
    """The number of the box or region of each cell, from 1; None without any."""
    variants: frozenset[str]
    groups: tuple[tuple[int, ...], ...]
    """Further cells that differ: houses, and pairs."""


_VARIANT_OF: Final = {"diagonal": "diagonal", "window": "windoku", "group": "disjoint"}
"""The variant with each kind of house."""


def parts_of(shape: Shape, expressible: Iterable[str]) -> Parts | None:
    """The parts of a shape, or None if a row or a column is not a house.

    Args:
        shape: the shape.
        expressible: the variants that may stay; the houses of others are groups.
    """
    plain = shape.without_constraints
    lines = {house.cells for house in Shape.parse(f"latin{shape.size}").houses}
    if not lines <= {house.cells for house in plain.houses}:
        return None
    names = plain.definition.split("+")[1:]
    variants = frozenset(names).intersection(expressible)
    groups = [
        house.cells
        for house in plain.houses
        if house.cells not in lines
        and house.kind not in ("box", "region")
        and _VARIANT_OF.get(house.kind) not in variants
    ]
    regions = plain.region_of if all(plain.region_of) else None
    return Parts(regions, variants, (*groups, *(() if names else plain.pairs)))


def count_of(solution: Any, puzzle: Puzzle) -> SolutionCount | None:
    """The count 1 with `solution`, if that is a list of all values; None for anything else."""
    size = puzzle.shape.size
    if not _are_values(solution, size) or len(solution) != size**2:
        return None  # editors leave unknown cells empty
    return SolutionCount.from_number(1, True, solution_line(tuple(solution), puzzle))


# Constraints: the keys of f-puzzles and of the extension that adds lines, indexers and clues.


_LINES: Final = named(
    "thermometer slowthermometer=slow-thermometer whispers=whisper renban regionsumline=region-sum "
    "palindrome zipperline=zipper betweenline=between entropicline=entropic modularline=modular "
    "nabner doublearrow=double-arrow"
)
"""The kinds of lines by key."""
_GROUPS: Final = named(
    "killercage=killer extraregion=distinct rowindexer=row-indexer columnindexer=column-indexer "
    "boxindexer=box-indexer"
)
"""The kinds of groups of cells."""
_DOTS: Final = named("difference ratio xv")
_MARKS: Final = named("odd even minimum maximum")
"""The kinds of marks in single cells."""
_CLUES: Final = named("sandwichsum=sandwich xsum=x-sum skyscraper")
"""The kinds of clues outside of the grid, for a row or a column."""
_NEGATIVE: Final = named("ratio=all-ratios xv=all-xv")
"""The rules that no dots or letters are missing."""
_KEY_OF: Final = {
    kind: key for keys in (_LINES, _GROUPS, _DOTS, _MARKS, _CLUES) for key, kind in keys.items()
} | {
    "arrow": "arrow",
    "little-killer": "littlekillersum",
    "clone": "clone",
    "quadruple": "quadruple",
}
_STEPS: Final = {"UL": (-1, -1), "UR": (-1, 1), "DL": (1, -1), "DR": (1, 1)}
_STRAIGHT: Final = {"R": (0, 1), "L": (0, -1), "D": (1, 0), "U": (-1, 0)}
_CELL: Final = re.compile(r"R([0-9]{1,3})C([0-9]{1,3})")


class _Item:
    """An object of f-puzzles: a constraint, or several lines."""

    def __init__(self, key: str, content: Any, size: int) -> None:
        self.key = key
        self.size = size
        if not isinstance(content, dict):
            raise PuzzleError(f"malformed {key}", expected="a list of objects")
        self.content: Object = content

    def error(self, problem: str, expected: str) -> PuzzleError:
        """An error with the key and the first cell that the object names."""
        cell = _CELL.search(json.dumps(self.content))
        where = f"{self.key} at {cell[0]}" if cell else self.key
        return PuzzleError(problem, where=where, expected=expected)

    def place(self, name: Any) -> tuple[int, int]:
        """The row and the column of a cell, from 1; 0 and `size` + 1 are outside."""
        match = _CELL.fullmatch(name) if isinstance(name, str) else None
        row, column = (int(match[1]), int(match[2])) if match else (-1, -1)
        if not (0 <= row <= self.size + 1 and 0 <= column <= self.size + 1):
            last = f"R{self.size}C{self.size}"
            raise self.error(f"{short_repr(name)} is not a cell", f"R1C1 to {last}")
        return row, column

    def cell(self, name: Any) -> int:
        """The cell with this name."""
        row, column = self.place(name)
        if not (1 <= row <= self.size and 1 <= column <= self.size):
            raise self.error(f"{name} outside of the grid", "cells of the grid")
        return (row - 1) * self.size + column - 1

    def list_of(self, name: str) -> list[Any]:
        """The list that is the property `name`; empty if the property is missing."""
        value = self.content.get(name)
        if not isinstance(value, list | None):
            raise self.error(f"{short_repr(value)} as {name}", "a list")
        return value or []

    def cells_of(self, names: Any) -> Cells:
        """The cells with these names."""
        if not isinstance(names, list):
            raise self.error(f"{short_repr(names)} as cells", "a list of cells")
        return tuple(map(self.cell, names))

    @property
    def cells(self) -> Cells:
        return self.cells_of(self.list_of("cells"))

    @property
    def value(self) -> str:
        """The value: a whole number, ``x`` or ``v``; empty if it is missing."""
        value = self.content.get("value")
        text = "" if value is None else str(value).strip().lower()
        if self.key == "xv":
            pattern, expected = "[xv]?", "x or v, or no value"
        elif self.key in {"killercage", "whispers", "littlekillersum", *_DOTS, *_CLUES}:
            pattern, expected = "([0-9]{1,6})?", "a whole number, or no value"
        else:
            pattern, expected = "", "no value"
        if not re.fullmatch(pattern, text):
            raise self.error(f"the value {short_repr(value)}", expected)
        return str(int(text)) if text.isdecimal() else text


def _lines(item: _Item) -> Iterator[Constraint]:
    kind = _LINES[item.key]
    for names in item.list_of("lines"):
        cells = item.cells_of(names)
        # One cell constrains nothing, and neither do two with no cell between them.
        if len(cells) > (2 if kind == "between" else 1):
            yield Constraint(kind, item.value, (cells,))


def _group(item: _Item) -> Iterator[Constraint]:
    total = item.value if item.value != "0" else ""  # 0 stands for no total
    if item.cells:
        yield Constraint(_GROUPS[item.key], total, (item.cells,))


def _digital_root(item: _Item) -> Iterator[Constraint]:
    """``DR7`` in a cage that is only drawn: the total is 7 modulo 9."""
    match = re.fullmatch("DR([0-9]{1,3})", str(item.content.get("value")).strip())
    if match and item.cells:
        totals = _totals_of(int(match[1]), len(item.cells), item.size)
        if not totals:
            expected = f"the digital root of {len(item.cells)} different values"
            raise item.error(f"the value {match[0]}", expected)
        yield Constraint("killer", ",".join(map(str, totals)), (item.cells,))


def _totals_of(root: int, number: int, size: int) -> list[int]:
    """The totals with the digital root `root` that `number` different values can have."""
    least, most = sum(range(1, number + 1)), sum(range(size - number + 1, size + 1))
    return [total for total in range(root, most + 1, 9) if total >= least]


def _dot(item: _Item) -> Iterator[Constraint]:
    if len(item.cells) != 2:
        raise item.error(f"{len(item.cells)} cells", "two cells")
    if item.value or item.key != "xv":
        yield Constraint(_DOTS[item.key], item.value, (item.cells,))


def _arrow(item: _Item) -> Iterator[Constraint]:
    for names in item.list_of("lines"):
        start, *shaft = item.cells_of(names) or (-1,)
        if start not in item.cells or not shaft:
            raise item.error("an arrow without a circle or a shaft", "a line from its circle")
        yield Constraint("arrow", "", (item.cells, tuple(shaft)))


def _little_killer(item: _Item) -> Iterator[Constraint]:
    row, column = item.place(item.content.get("cell"))
    direction = item.content.get("direction")
    if direction not in [*_STEPS]:  # `direction` may be of any type
        raise item.error(f"the direction {short_repr(direction)}", one_of([*_STEPS]))
    cells = diagonal_from(row, column, direction, item.size)
    if not cells or (item.list_of("cells") and {*item.cells} != {*cells}):
        raise item.error("cells that do not match the direction", "the cells of a diagonal")
    if item.value:
        yield Constraint("little-killer", item.value, (cells,))


def diagonal_from(row: int, column: int, direction: str, size: int) -> Cells:
    """The cells from this one on in a direction; if it is outside, the next one is the first."""
    down, right = _STEPS[direction]
    if not (1 <= row <= size and 1 <= column <= size):
        row, column = row + down, column + right
    cells = []
    while 1 <= row <= size and 1 <= column <= size:
        cells.append((row - 1) * size + column - 1)
        row, column = row + down, column + right
    return tuple(cells)


def _clue(item: _Item) -> Iterator[Constraint]:
    row, column = item.place(item.content.get("cell"))
    size = item.size
    is_row = 1 <= row <= size
    if is_row is (1 <= column <= size):
        raise item.error(f"a clue at {item.content.get('cell')}", "a cell beside a row or a column")
    line = range((row - 1) * size, row * size) if is_row else range(column - 1, size * size, size)
    if item.value:
        cells = tuple(line)[:: -1 if max(row, column) > size else 1]
        yield Constraint(_CLUES[item.key], item.value, (cells,))


def _clone(item: _Item) -> Iterator[Constraint]:
    yield Constraint("clone", "", (item.cells, item.cells_of(item.list_of("cloneCells"))))


def _quadruple(item: _Item) -> Iterator[Constraint]:
    if values := item.list_of("values"):
        if not all(re.fullmatch("[0-9]{1,3}", str(value)) for value in values):
            raise item.error(f"the values {short_repr(values)}", "numbers")
        yield Constraint("quadruple", ",".join(map(str, values)), (item.cells,))


_READERS: Final[dict[str, Callable[[_Item], Iterator[Constraint]]]] = {
    **dict.fromkeys(_LINES, _lines),
    **dict.fromkeys(_GROUPS, _group),
    **dict.fromkeys(_DOTS, _dot),
    **dict.fromkeys(_CLUES, _clue),
    "cage": _digital_root,
    "arrow": _arrow,
    "littlekillersum": _little_killer,
    "clone": _clone,
    "quadruple": _quadruple,
}


def _constraints(data: dict[str, Any], size: int) -> Iterator[Constraint]:
    """The constraints of an object of f-puzzles.

    Raises:
        PuzzleError: a constraint is malformed.
    """
    items = {key: [*_items_of(data, key, size)] for key in (*_READERS, *_MARKS)}
    constraints = [
        made for key, read in _READERS.items() for item in items[key] for made in read(item)
    ]
    for key, kind in _MARKS.items():
        if cells := tuple(item.cell(item.content.get("cell")) for item in items[key]):
            constraints.append(Constraint(kind, "", (cells,)))
    if data.get("nonconsecutive"):
        has_dots = items["difference"] or items["ratio"]
        constraints.append(Constraint("all-differences" if has_dots else "nonconsecutive"))
    negative = data.get("negative") or []
    if not isinstance(negative, list) or any(name not in [*_NEGATIVE] for name in negative):
        raise PuzzleError(f"negative is {short_repr(negative)}", expected=" or ".join(_NEGATIVE))
    if "xv" in negative and not all(item.value for item in items["xv"]):
        raise PuzzleError("xv without a letter beside the negative xv", expected="x or v")
    constraints += [Constraint(_NEGATIVE[name]) for name in negative]
    constraints += [
        Constraint("distinct", "", (cells,))
        for key, cells in diagonals(size).items()
        if data.get(key) and not all(map(data.get, diagonals(size)))
    ]
    return (check_constraint(constraint, size) for constraint in constraints)


def _items_of(data: Object, key: str, size: int) -> Iterator[_Item]:
    contents = data.get(key) or []
    if not isinstance(contents, list):
        raise PuzzleError(f"malformed {key}", expected="a list of objects")
    return (_Item(key, content, size) for content in contents)


def diagonals(size: int) -> dict[str, Cells]:
    """The key and the cells of the diagonal that rises to the right, and of the other one."""
    falling, rising = range(0, size * size, size + 1), range(size - 1, size * size - 1, size - 1)
    return {"diagonal+": tuple(rising), "diagonal-": tuple(falling)}


_Written = Iterator[tuple[str, Any]]


def _objects_of(constraint: Constraint, shape: Shape) -> _Written:
    """The keys and objects that express a constraint of `shape`; True stands for a switch.

    Raises:
        PuzzleError: f-puzzles has no such constraint.
    """
    key = _KEY_OF.get(constraint.kind, "")
    value = {"value": constraint.value.upper()} if constraint.value else {}
    names = [[shape.cell_name(cell) for cell in cells] for cells in constraint.lists]
    key_of = {cells: key for key, cells in diagonals(shape.size).items()}
    if constraint.kind == "distinct" and constraint.lists[0] in key_of:
        yield key_of[constraint.lists[0]], True
    elif constraint.kind == "killer" and "," in constraint.value:
        yield _cage_of(constraint, names[0], shape)
    elif key in _LINES and (constraint.kind != "modular" or constraint.value in ("", "3")):
        yield key, {"lines": names} | (value if constraint.kind == "whisper" else {})
    elif key in _GROUPS:
        yield key, {"cells": names[0]} | value
    elif key in _DOTS:
        yield from ((key, {"cells": [*pair]} | value) for pair in pairwise(names[0]))
    elif key in _MARKS:
        yield from ((key, {"cell": name}) for name in names[0])
    elif key in _CLUES or key == "littlekillersum":
        yield _clue_of(constraint, shape)
    elif key == "arrow":
        yield key, {"lines": [[names[0][-1], *names[1]]], "cells": names[0]}
    elif key == "clone":
        yield key, {"cells": names[0], "cloneCells": names[1]}
    elif key == "quadruple":
        yield key, {"cells": names[0], "values": [*map(int, constraint.value.split(","))]}
    else:
        yield from _switches(constraint, shape)


def _switches(constraint: Constraint, shape: Shape) -> _Written:
    """The keys of a rule for the whole grid, from which dots exempt their pairs."""
    kind, dots = constraint.kind, [*shape.constraint_field.of_kind("difference", "ratio")]
    negative = {kind: name for name, kind in _NEGATIVE.items()}
    if kind in negative:
        yield "negative", negative[kind]
    elif kind == "all-dots" and all(dot.kind != "ratio" or dot.value in ("", "2") for dot in dots):
        yield from (("nonconsecutive", True), ("negative", "ratio"))
    elif kind == "all-differences" or (kind == "nonconsecutive" and not dots):
        yield "nonconsecutive", True
    else:
        raise _not_held(constraint, shape)


def _cage_of(constraint: Constraint, names: list[str], shape: Shape) -> tuple[str, Any]:
    totals = [int(total) for total in constraint.value.split(",")]
    root = totals[0] % 9
    if len(names) > shape.size or totals != _totals_of(root, len(names), shape.size):
        raise _not_held(constraint, shape)
    return "cage", {"cells": names, "value": f"DR{root}"}


def _clue_of(constraint: Constraint, shape: Shape) -> tuple[str, Any]:
    """The key and the object of a clue beside its first cell, if it reads back as `constraint`."""
    row, column = constraint.lists[0][0] // shape.size + 1, constraint.lists[0][0] % shape.size + 1
    key = _KEY_OF[constraint.kind]
    is_diagonal = key == "littlekillersum"
    for direction, (down, right) in (_STEPS if is_diagonal else _STRAIGHT).items():
        clue: Object = {"cell": f"R{row - down}C{column - right}", "value": constraint.value}
        if is_diagonal:
            names = [shape.cell_name(cell) for cell in constraint.lists[0]]
            clue |= {"cells": names, "direction": direction}
        with suppress(PuzzleError):
            if [*_READERS[key](_Item(key, clue, shape.size))] == [constraint]:
                return key, clue
    raise _not_held(constraint, shape)


def _not_held(constraint: Constraint, shape: Shape) -> PuzzleError:
    return PuzzleError(f"holds no {shortened(constraint.text(shape.size), 60)}")


def _data(parsed: ParsedPuzzle) -> dict[str, Any]:
    """The object of f-puzzles for a puzzle."""
    puzzle, shape = parsed.puzzle, parsed.puzzle.shape
    parts = parts_of(shape, _HELD)
    assert parts is not None
    is_usual = parts.regions == Shape.parse("9x9").region_of
    players = placed_cells(parsed)
    cells: list[dict[str, Any]] = []
    every = (1 << shape.size) - 1
    for cell, (value, entry) in enumerate(zip(puzzle.givens, puzzle.allowed, strict=True)):
        content: dict[str, Any] = {}
        if value:
            content["value"] = value
            if cell not in players:
                content["given"] = True
        elif entry != every:
            content["givenPencilMarks"] = values_in(entry)
        if not is_usual:
            content["region"] = parts.regions[cell] - 1 if parts.regions else None
        cells.append(content)
    size = shape.size
    data: dict[str, Any] = {"size": size}
    if parsed.name:
        data["title"] = parsed.name
    data |= {key: parsed.fields[name] for key, name in _TEXTS.items() if name in parsed.fields}
    data["grid"] = [cells[at : at + size] for at in range(0, size**2, size)]
    if "diagonal" in parts.variants:
        data |= dict.fromkeys(diagonals(size), True)
    data |= {key: True for key, name in _VARIANTS.items() if name in parts.variants}
    groups = [Constraint("distinct", "", (cells,)) for cells in parts.groups]
    for constraint in (*groups, *shape.constraints):
        for key, entry in _objects_of(constraint, shape):
            if entry is True:
                data[key] = True
            else:
                data.setdefault(key, []).append(entry)
    if parsed.expected_count and parsed.expected_count.solution:
        data["solution"] = list(values_of_line(parsed.expected_count.solution))
    return data


def write_links(puzzles: Iterable[ParsedPuzzle], link: str, with_escapes: bool) -> Iterator[str]:
    """A line for each puzzle: `link` and the payload, with percent escapes if `with_escapes`."""
    for parsed in puzzles:
        payload = compress(json.dumps(_data(parsed), separators=(",", ":")))
        yield f"{link}{quote(payload, safe='') if with_escapes else payload}\n"


def _can_hold(parsed: ParsedPuzzle) -> str | None:
    """Why a payload cannot hold the puzzle; None if it can."""
    shape = parsed.puzzle.shape
    if parts_of(shape, _HELD) is None:
        return f"holds shapes whose rows and columns are houses only, not {shape}"
    try:
        for constraint in shape.constraints:
            list(_objects_of(constraint, shape))
        check_rules(parsed.fields.get("rules", ""), shape)
    except PuzzleError as error:
        return error.what if error.what.startswith("holds") else f"refuses {error.what}"
    if problem := letters_only(shape) or with_candidates(parsed):
        return problem
    texts = [parsed.name, *(parsed.fields.get(name, "") for name in _TEXTS.values())]
    if any(text != " ".join(text.split()) for text in texts) or not parsed.name:
        return "needs a name, and texts without line breaks or double blanks"
    return placed_problem(parsed)


def _detect(head: Head) -> bool:
    """Whether a file has links of f-puzzles, a payload without its link, or its JSON."""
    if head.first.startswith("N4Ig"):  # {" in LZString
        try:
            return '"grid"' in decompress(unquote(head.first.partition(" ")[0]))
        except PuzzleError:
            return len(head.first) >= LONGEST_LINK  # the reader names the damage
    return host_of(head).endswith("f-puzzles.com") or has_object(head, r'"grid":\[\[\{')


FORMAT: Final = Format(
    name="fpuzzles",
    title="links of f-puzzles, or its JSON",
    read=partial(
        read_links,
        parse=lambda line, *how: read_payload(payload_of(line), line, *how),
        load=partial(parse_json, where="object", kind=PuzzleError),
    ),
    write=partial(write_links, link="https://www.f-puzzles.com/?load=", with_escapes=False),
    can_hold=_can_hold,
    detect=_detect,
    keeps=frozenset({"name", "solution", "placed", *_TEXTS.values()}),
    holds="boxes and regions, constraints that f-puzzles has, and pencilmarks",
)
