"""Links of f-puzzles, one per line, and their compression LZString.

It is LZ78 over UTF-16 units, in which new units are sent in 8 or 16 bits, with codes that
grow by a bit whenever the dictionary has doubled. Bits go from the lowest to the highest.

The payload is JSON, compressed by `harness.puzzles.formats.fpuzzles`: ``size``, ``grid`` with
``value``, ``given``, ``region`` and ``givenPencilMarks`` of each cell, and constraints. Diagonals,
anti-knight, anti-king, disjoint groups and irregular regions make a shape; a puzzle with
another constraint is an error.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final
from urllib.parse import quote, unquote

from harness.errors import PuzzleError, one_of
from harness.files import parse_json
from harness.puzzles.formats.format import Format, Head, ReadSettings, with_candidates
from harness.puzzles.formats.lines import (
    placed_cells,
    placed_field,
    placed_problem,
    read_each_line,
    solution_line,
)
from harness.puzzles.formats.stream import ParsedPuzzle, TextLine
from harness.puzzles.puzzle import Puzzle, values_in, values_of_line
from harness.puzzles.shape import LARGEST, VALUES, Shape
from harness.puzzles.solution_count import SolutionCount
from harness.text import encodable, short_repr

# The compression LZString (pieroxy.net/blog/pages/lz-string), with Base64.


_ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_BITS_OF: Final = {symbol: f"{value:06b}" for value, symbol in enumerate(_ALPHABET)}
_SYMBOL_OF: Final = {bits: symbol for symbol, bits in _BITS_OF.items()}
_URL_SAFE: Final = str.maketrans("-_ ", "+/+")
_NEW_8, _NEW_16, _END = 0, 1, 2
MOST: Final = 2**22
"""The largest number of characters of a text."""


def compress(text: str) -> str:
    """`text` compressed, in Base64."""
    sent: list[str] = []  # bits
    singles: dict[int, int] = {}
    longer: dict[tuple[int, int], int] = {}  # the code of a word and a unit after it
    new: dict[int, int] = {}  # units that have not been sent, by their codes
    width, room, size = 2, 2, 3

    def grow() -> None:
        nonlocal width, room
        room -= 1
        if room == 0:
            room = 1 << width
            width += 1

    def flush(word: int) -> None:
        unit = new.pop(word, None)
        if unit is None:
            sent.append(_bits(word, width))
        else:
            sent.append(_bits(_NEW_16 if unit >= 256 else _NEW_8, width))
            sent.append(_bits(unit, 16 if unit >= 256 else 8))
            grow()
        grow()

    word = -1
    for unit in _units(text):
        if unit not in singles:
            singles[unit] = size
            new[size] = unit
            size += 1
        if word < 0:
            word = singles[unit]
        elif (word, unit) in longer:
            word = longer[word, unit]
        else:
            flush(word)
            longer[word, unit] = size
            size += 1
            word = singles[unit]
    if word >= 0:
        flush(word)
    sent.append(_bits(_END, width))
    bits = "".join(sent)
    # The reference implementation always ends with a symbol that is not full.
    bits += "0" * (6 - len(bits) % 6)
    packed = "".join(_SYMBOL_OF[bits[at : at + 6]] for at in range(0, len(bits), 6))
    return packed + "=" * (-len(packed) % 4)


def decompress(packed: str) -> str:
    """The text that `compress` made `packed` of.

    LZString has no checksum. But a text has one compressed form, up to zeros at its end, so
    most damages show when the text is compressed again.

    Raises:
        PuzzleError: `packed` is damaged, or expands to more than `MOST` characters.
    """
    symbols = packed.translate(_URL_SAFE).rstrip("=")
    text = _expanded(symbols)
    if compress(text).rstrip("=A") != symbols.rstrip("A"):
        raise _damaged("compression of its text gives other symbols")
    return text


def _expanded(symbols: str) -> str:
    """The text of symbols, which may be damaged."""
    if wrong := set(symbols) - _BITS_OF.keys():
        raise _damaged(f"{min(wrong)!r} is no Base64")
    bits = "".join(map(_BITS_OF.__getitem__, symbols))
    position = 0

    def take(number: int) -> int:
        nonlocal position
        end = position + number
        if end > len(bits):
            raise _damaged("it ends early")
        value = int(bits[position:end][::-1], 2)
        position = end
        return value

    words = ["", "", ""]
    found: list[str] = []
    size = 0
    width, room = 2, 4
    before = ""
    while True:
        code = take(width)
        if code == _END:
            return _text("".join(found))
        if code in (_NEW_8, _NEW_16):
            word = chr(take(16 if code == _NEW_16 else 8))
            words.append(word)
            if before:
                room -= 1
                if room == 0:
                    room = 1 << width
                    width += 1
        elif not before:
            raise _damaged("it begins with a repetition")
        elif code < len(words):
            word = words[code]
        elif code == len(words):
            word = before + before[0]
        else:
            raise _damaged("it repeats what has not occurred")
        found.append(word)
        size += len(word)
        if size > MOST or len(word) * len(words) > 64 * MOST:
            raise PuzzleError(
                f"the payload expands to more than {MOST:,} characters", expected="a smaller puzzle"
            )
        if not before:
            width, room = 3, 4
        else:
            words.append(before + word[0])
            room -= 1
            if room == 0:
                room = 1 << width
                width += 1
        before = word


def _bits(value: int, width: int) -> str:
    """The bits of `value` from the lowest to the highest."""
    return f"{value:0{width}b}"[::-1]


def _damaged(why: str) -> PuzzleError:
    return PuzzleError(f"the payload is damaged: {why}", expected="LZString in Base64")


def _units(text: str) -> list[int]:
    data = text.encode("utf-16-le", "surrogatepass")
    return [data[at] | data[at + 1] << 8 for at in range(0, len(data), 2)]


def _text(units: str) -> str:
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# Links of f-puzzles, one per line; SudokuPad has the same payloads.


_FPUZZLES: Final = "https://www.f-puzzles.com/?load="
_VARIANTS: Final = {
    "antiknight": "antiknight",
    "antiking": "antiking",
    "disjointgroups": "disjoint",
}
_BEFORE: Final = re.compile("load=|fpuzzles")
LINK: Final = re.compile(r"https?://|[a-z.-]+\.(app|com)/", re.IGNORECASE)
LONGEST_LINK: Final = 120
"""Characters of a link before its payload."""
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
    }
)
"""Keys of a cell: of the puzzle, of marks of the player, and of colours."""


def _payload(line: TextLine) -> TextLine:
    """The part of a link with the payload.

    Raises:
        PuzzleError: the link has none.
    """
    text = line.text
    start = 0
    if match := _BEFORE.search(text, 0, LONGEST_LINK):
        start = match.end()
    elif LINK.match(text):
        raise PuzzleError(
            "a short link, which needs the network",
            where=line.place(text.rfind("/", 0, LONGEST_LINK) + 1),
            expected="a link with the whole puzzle: .../?load= and the payload",
        )
    return line.until("&#?", start)


def _parse(line: TextLine, reading: ReadSettings, number: str) -> ParsedPuzzle:
    return read_payload(_payload(line), line, reading, number)


def read_payload(
    payload: TextLine, line: TextLine, reading: ReadSettings, number: str
) -> ParsedPuzzle:
    """The puzzle of a payload of f-puzzles.

    Args:
        payload: the part of `line` that holds it.
        line: the whole line.
        reading: how it is read.
        number: the number of the puzzle in its file.

    Raises:
        PuzzleError: the payload is damaged, or has a constraint that no shape has.
    """
    with placed_at(payload):
        data = parse_json(decompress(unquote(payload.text)), "payload", PuzzleError)
        return _puzzle(data, reading, line, number)


@contextmanager
def placed_at(payload: TextLine) -> Iterator[None]:
    """Let errors inside a payload name its place in the file."""
    try:
        yield
    except PuzzleError as error:
        what = f"{error.where}: {error.what}" if error.where else error.what
        raise PuzzleError(what, where=payload.place(0), expected=error.expected) from None


def _puzzle(data: Any, reading: ReadSettings, line: TextLine, number: str) -> ParsedPuzzle:
    if not isinstance(data, dict) or type(size := data.get("size")) is not int:
        raise PuzzleError("no size", expected="an object of f-puzzles")
    cells = _cells(data.get("grid"), size)
    shape = _shape(data, cells, size)
    reading.require_shape(shape)
    every = (1 << size) - 1
    givens, marks, placed = [], [], []
    for cell, of in enumerate(cells):
        value = of.get("value") or 0
        if type(value) is not int or not 0 <= value <= size:
            raise PuzzleError(
                f"{short_repr(value)} is not a value of {shape}",
                where=shape.cell_name(cell),
                expected=f"1 to {size}",
            )
        if value and not of.get("given"):
            placed.append(cell)
        listed = of.get("givenPencilMarks") or []
        if not isinstance(listed, list) or not all(
            type(mark) is int and 1 <= mark <= size for mark in listed
        ):
            raise PuzzleError(
                "invalid givenPencilMarks",
                where=shape.cell_name(cell),
                expected=f"a list of values from 1 to {size}",
            )
        bits = sum(1 << mark - 1 for mark in set(listed))
        givens.append(value)
        marks.append(1 << value - 1 if value else bits or every)
    puzzle = Puzzle(shape, tuple(givens), tuple(marks))
    fields = {
        name: one_line(text)
        for key, name in _TEXTS.items()
        if isinstance(text := data.get(key), str) and text.strip()
    }
    fields |= placed_field(shape, placed)
    title = data.get("title")
    name = one_line(title) if isinstance(title, str) else ""
    return ParsedPuzzle(puzzle, line.place(), name or number, _count(data, puzzle), None, fields)


def _cells(grid: Any, size: int) -> list[dict[str, Any]]:
    if not 2 <= size <= LARGEST:
        raise PuzzleError(f"a size of {size}", expected=f"2 to {LARGEST}")
    rows = grid if isinstance(grid, list) else []
    if len(rows) != size or any(not isinstance(row, list) or len(row) != size for row in rows):
        raise PuzzleError("a malformed grid", expected=f"{size} rows of {size} cells")
    cells = [cell for row in rows for cell in row]
    if not all(isinstance(cell, dict) for cell in cells):
        raise PuzzleError("a malformed cell", expected="objects")
    if unknown := {key for cell in cells for key in cell} - _OF_CELL:
        raise PuzzleError(
            f"the property {short_repr(min(unknown))} of a cell", expected=one_of(sorted(_OF_CELL))
        )
    return cells


def _shape(data: dict[str, Any], cells: list[dict[str, Any]], size: int) -> Shape:
    names = []
    both = [bool(data.get(key)) for key in ("diagonal+", "diagonal-")]
    if any(both) and not all(both):
        raise PuzzleError("a single diagonal", expected="both diagonals, or none")
    if all(both):
        names.append("diagonal")
    names += [name for key, name in _VARIANTS.items() if data.get(key)]
    known = {*_DRAWN, *_VARIANTS, "diagonal+", "diagonal-"}
    for key, value in data.items():
        if key not in known and value:
            raise PuzzleError(
                f"the constraint {short_repr(key)}", expected=one_of(["diagonals", *_VARIANTS])
            )
    regions = [cell.get("region") for cell in cells]
    if all(region is None for region in regions):
        base = str(Shape.of_side(size))
    elif all(type(region) is int and 0 <= region < LARGEST for region in regions):
        base = base_of([region for region in regions if region is not None], size)
    else:
        raise PuzzleError("malformed regions", expected="the number of a region in each cell")
    return Shape.parse("+".join([base, *names]))


def one_line(text: str) -> str:
    """`text` with single blanks and without line breaks."""
    return encodable(" ".join(text.split()))


def base_of(regions: list[int], size: int) -> str:
    """The name of the shape whose boxes are these `regions`, given for each cell."""
    found = Shape.parse("jigsaw:" + "".join(VALUES[region] for region in regions))
    return next((spec for spec in _boxes(size) if Shape.parse(spec) == found), found.definition)


def _boxes(size: int) -> Iterator[str]:
    for rows in range(2, size // 2 + 1):
        if size % rows == 0:
            yield f"box{rows}x{size // rows}"


def _count(data: dict[str, Any], puzzle: Puzzle) -> SolutionCount | None:
    solution = data.get("solution")
    size = puzzle.shape.size
    if not isinstance(solution, list) or len(solution) != size**2:
        return None
    if not all(type(value) is int and 1 <= value <= size for value in solution):
        return None  # editors leave unknown cells empty
    return SolutionCount.of(1, True, solution_line(tuple(solution), puzzle))


def _data(parsed: ParsedPuzzle) -> dict[str, Any]:
    """The object of f-puzzles for a puzzle."""
    puzzle, shape = parsed.puzzle, parsed.puzzle.shape
    base, *variants = shape.definition.split("+")
    regions = Shape.parse(base).region_of
    placed = placed_cells(parsed)
    cells: list[dict[str, Any]] = []
    every = (1 << shape.size) - 1
    for cell, (value, of) in enumerate(zip(puzzle.givens, puzzle.allowed, strict=True)):
        content: dict[str, Any] = {}
        if value:
            content["value"] = value
            if cell not in placed:
                content["given"] = True
        elif of != every:
            content["givenPencilMarks"] = values_in(of)
        if base != "9x9":
            content["region"] = regions[cell] - 1
        cells.append(content)
    size = shape.size
    data: dict[str, Any] = {"size": size}
    if parsed.name:
        data["title"] = parsed.name
    data |= {key: parsed.fields[name] for key, name in _TEXTS.items() if name in parsed.fields}
    data["grid"] = [cells[at : at + size] for at in range(0, size**2, size)]
    if "diagonal" in variants:
        data["diagonal+"] = data["diagonal-"] = True
    data |= {key: True for key, name in _VARIANTS.items() if name in variants}
    if parsed.expected_count and parsed.expected_count.solution:
        data["solution"] = list(values_of_line(parsed.expected_count.solution))
    return data


def write_links(puzzles: Iterable[ParsedPuzzle], link: str, quoted: bool) -> Iterator[str]:
    """A line for each of `puzzles`: `link` and the payload, perhaps with escapes for links."""
    for parsed in puzzles:
        payload = compress(json.dumps(_data(parsed), separators=(",", ":")))
        yield f"{link}{quote(payload, safe='') if quoted else payload}\n"


def can_hold(parsed: ParsedPuzzle) -> str | None:
    """The reason why a payload cannot hold a puzzle; None if it can."""
    shape = parsed.puzzle.shape
    base, *variants = shape.definition.split("+")
    boxed = Shape.parse(base).box is not None or base.startswith("jigsaw:")
    if not boxed or set(variants) - {"diagonal", *_VARIANTS.values()}:
        return (
            f"holds boxes, regions, diagonal, antiknight, antiking and disjoint only, not {shape}"
        )
    if problem := with_candidates(parsed):
        return problem
    texts = [parsed.name, *(parsed.fields.get(name, "") for name in _TEXTS.values())]
    if any(text != " ".join(text.split()) for text in texts) or not parsed.name:
        return "holds texts without line breaks and double blanks only"
    return placed_problem(parsed)


def _is_fpuzzles(head: Head) -> bool:
    return "f-puzzles.com" in head.first


KEEPS: Final = frozenset({"name", "solution", "placed", *_TEXTS.values()})
HOLDS: Final = "boxes, jigsaws, their variants except windoku, and pencilmarks"
FORMAT: Final = Format(
    name="fpuzzles",
    title="links of f-puzzles",
    read=partial(read_each_line, parse=_parse),
    write=partial(write_links, link=_FPUZZLES, quoted=False),
    can_hold=can_hold,
    detect=_is_fpuzzles,
    keeps=KEEPS,
    holds=HOLDS,
)
