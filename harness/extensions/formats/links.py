"""Links of sites that hold a sudoku in the link, and game IDs of Simon Tatham's Solo.

=====================  ===========================================================================
SudokuExchange         ``?s=`` and digits, or symbols for a digit and the blanks after it
lisudoku               ``?import=`` and digits, or LZString of JSON with constraints
penpa-edit             ``p=`` and deflated text: givens, and thick lines around the regions
puzz.link, pzprv3      ``?sudoku/9/9/`` and values in base 16; ``g`` to ``z`` are 1 to 20 blanks
Solo                   ``3x3:`` and numbers; ``a`` to ``z`` are 1 to 26 blanks, and ``_`` is between
                       numbers; for ``j`` (jigsaw) and ``k`` (killer) also the lines between cells
=====================  ===========================================================================

A drawing or a rule that may be a constraint is an error, and so is every link of another site.
"""

import json
import re
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final
from urllib.parse import unquote

from harness.base.errors import PuzzleError
from harness.base.files import parse_json
from harness.base.text import number_of, short_repr, shortened
from harness.extensions.formats import fpuzzles, iss, sudokupad, sudokuwiki
from harness.extensions.formats.fpuzzles import Object, malformed, object_of
from harness.puzzles import LETTERED, Shape
from harness.puzzles.formats import (
    Format,
    Head,
    ParsedPuzzle,
    ReadSettings,
    TextLine,
    only_plain,
    rule_words,
)

_Edge = tuple[int, int]
"""Two cells beside each other, the first one before the second one."""


def _edges(size: int) -> list[_Edge]:
    """The edges between columns row by row, then those between rows column by column."""
    across = [(cell, cell + 1) for cell in range(size**2) if (cell + 1) % size]
    down = [
        (cell, cell + size) for at in range(size) for cell in range(at, size * (size - 1), size)
    ]
    return across + down


def _areas(size: int, walls: set[_Edge]) -> list[int]:
    """The number of the area of each cell, where `walls` are the edges between areas."""
    areas = [*range(size**2)]
    for first, second in set(_edges(size)) - walls:
        joined = {areas[first], areas[second]}
        areas = [min(joined) if area in joined else area for area in areas]
    numbers = {area: number for number, area in enumerate(sorted({*areas}))}
    return [numbers[area] for area in areas]


def _cells_of(
    text: str, symbol: re.Pattern[str], values: Callable[[re.Match[str]], list[int]], number: int
) -> list[int]:
    """The values of the cells of a text, in which each `symbol` stands for some cells."""
    cells: list[int] = []
    end = 0
    while end < len(text) and (match := symbol.match(text, end)):
        end = match.end()
        cells += values(match)
    if end < len(text):
        raise PuzzleError(f"{text[end]!r} among the cells", expected=f"{number} cells")
    if len(cells) != number:
        raise PuzzleError(number_of(len(cells), "cell"), expected=f"{number} cells")
    return cells


# Game IDs of Solo (spec_to_grid and spec_to_dsf in solo.c).


_SOLO: Final = re.compile(
    r"([0-9]{1,2})(?:x([0-9]{1,2})|(?=j))((?:j|x|k|a|r[24]|md?[248]|d[tbiaeu])*):(?!:)([a-z0-9_,]*)"
)
_PARAMETERS: Final = r"[0-9]{1,2}(?:x[0-9]{1,2}|j)[a-z0-9]*"
_SEED: Final = re.compile(rf"{_PARAMETERS}#[0-9]+")
_GAME: Final = re.compile(
    rf"^({_SOLO.pattern}|{_SEED.pattern}|{_PARAMETERS}:(?=\D*\d)(?=\d*\D)[a-z0-9_,]{{4,}})$"
)
"""A game ID, a seed for one, or what may be a game ID with a mistake."""


def _numbers(text: str, size: int) -> list[int]:
    """The number of each cell, 0 for a blank."""

    def values(match: re.Match[str]) -> list[int]:
        return [0] * (ord(match[1]) - 96) if match[1] else [int(match[2])] if match[2] else []

    return _cells_of(text, re.compile("([a-z])|_|([1-9][0-9]{0,3})"), values, size**2)


def _solo(text: str, _: ReadSettings) -> Object:
    """The puzzle of a game ID: boxes or ``j``, ``x`` for diagonals, ``k`` for cages."""
    match = _SOLO.fullmatch(text)
    if not match:
        is_seed = _SEED.fullmatch(text)
        problem = "a random seed, from which only Solo makes a puzzle" if is_seed else "no game ID"
        raise PuzzleError(
            problem, expected="a game ID of Solo, such as 3x3: and letters and digits"
        )
    rows, columns = int(match[1]), int(match[2] or 1)
    flags = re.sub("[rmd]d?[0-9a-z]", "", match[3])
    size = rows * columns
    if not 2 <= size <= LETTERED:
        raise PuzzleError(f"a size of {size}", expected=f"2 to {LETTERED}")
    cells, *parts = match[4].split(",")
    if len(parts) != ("j" in flags) + 2 * ("k" in flags):
        expected = "the cells, for j also lines, and for k also lines and totals"
        raise PuzzleError(f"{len(parts)} commas in the game ID", expected=expected)
    givens = _numbers(cells, size)
    if "j" in flags:
        areas = _areas(size, _walls(parts.pop(0), size))
    else:
        areas = [number - 1 for number in Shape.parse(f"box{rows}x{columns}").region_of]
    data = object_of(givens, areas)
    if "x" in flags:
        data |= dict.fromkeys(fpuzzles.diagonals(size), True)
    if parts:
        areas, totals = _areas(size, _walls(parts[0], size)), _numbers(parts[1], size)
        data["killercage"] = [_cage(area, areas, totals, size) for area in range(max(areas) + 1)]
    return data


def _cage(area: int, areas: list[int], totals: list[int], size: int) -> Object:
    cells = [cell for cell in range(size**2) if areas[cell] == area]
    clues = [totals[cell] for cell in cells if totals[cell]]
    if len(clues) != 1:
        raise PuzzleError(f"a cage with {len(clues)} totals", expected="one total")
    return {"cells": [_name(*divmod(cell, size)) for cell in cells], "value": clues[0]}


def _name(row: int, column: int) -> str:
    return f"R{row + 1}C{column + 1}"


def _walls(text: str, size: int) -> set[_Edge]:
    """The edges with a line, where a symbol before each says how many have none."""
    edges = _edges(size)
    walls, at = set(), -1
    for symbol in text:
        if not (symbol == "_" or "a" <= symbol <= "x"):
            problem = f"{symbol!r} in the lines of the regions, which is read in several ways"
            raise PuzzleError(problem, expected="_ and a to x")
        at += "_abcdefghijklmnopqrstuvwx".index(symbol) + 1
        walls.update(edges[at : at + 1])
    if at != len(edges):
        raise PuzzleError(f"lines after {at} edges", expected=f"{len(edges)} edges")
    return walls


# SudokuExchange, puzz.link and lisudoku.


def _exchange(text: str, _: ReadSettings) -> Object:
    """The 9x9 of a link of SudokuExchange (expandPuzzleDigits)."""
    givens = sudokupad.cells_of(text.replace(".", "0"), sudokupad.DIGITS_AND_BLANKS)
    if len(givens) != 81:
        problem = f"{len(givens or text)} cells after ?s="
        raise PuzzleError(problem, expected="81 digits, or the short form of SudokuExchange")
    return object_of(givens)


def _puzz_link(text: str, _: ReadSettings) -> Object:
    """The puzzle after ``sudoku/``: columns, rows and cells (decodeNumber16)."""

    def values(match: re.Match[str]) -> list[int]:
        if match[1]:
            return [0] * (ord(match[1]) - 102)
        return [int(match[2] or match[3] or "0", 16)]  # a dot is an unknown digit

    columns, _slash, body = text.rstrip("/").partition("/")
    rows, _slash, cells = body.partition("/")
    if columns != rows or columns not in ("4", "6", "9", "16", "25"):
        problem = f"a grid of {short_repr(columns)} columns and {short_repr(rows)} rows"
        raise PuzzleError(problem, expected="a sudoku of 4x4, 6x6, 9x9, 16x16 or 25x25")
    symbol = re.compile(r"([g-z])|-([0-9a-f]{2})|([0-9a-f])|\.")
    return object_of(_cells_of(cells, symbol, values, int(rows) ** 2))


_SWITCHES: Final = fpuzzles.named(
    "primaryDiagonal=diagonal- secondaryDiagonal=diagonal+ antiKnight=antiknight antiKing=antiking"
)
"""The keys of f-puzzles for the switches of lisudoku."""


def _lisudoku(text: str, _: ReadSettings) -> Object:
    """The puzzle of lisudoku: digits, or its JSON (the package sudoku-formats)."""
    if text.isdecimal():
        return object_of([*map(int, text)])
    data = parse_json(fpuzzles.decompress(text), "payload", PuzzleError)
    with malformed("lisudoku"):
        data = {re.sub("_(.)", lambda match: match[1].upper(), key): data[key] for key in data}
        return _of_lisudoku({key: value for key, value in data.items() if value})


def _of_lisudoku(data: Object) -> Object:
    """The object of f-puzzles for one of lisudoku; what is unknown stays, and is refused there."""

    def names(cells: Iterable[Object]) -> list[str]:
        return [_name(cell["row"], cell["col"]) for cell in cells]

    size = data.pop("gridSize")
    grid: list[list[Object]] = [[{} for _ in range(size)] for _ in range(size)]
    for number in data.pop("fixedNumbers", ()):
        place = number["position"]
        grid[place["row"]][place["col"]] |= {"value": number["value"], "given": True}
    for area, cells in enumerate(data.pop("regions", ())):
        for place in cells:
            grid[place["row"]][place["col"]]["region"] = area
    result: Object = {"size": size, "grid": grid}
    for key in ("thermometer", "renban", "palindrome"):
        lines = data.pop("thermos" if key == "thermometer" else f"{key}s", ())
        result[key] = [{"lines": [names(cells)]} for cells in lines]
    for name in ("odd", "even"):
        result[name] = [{"cell": cell} for cell in names(data.pop(f"{name}Cells", ()))]
    result["extraregion"] = [{"cells": names(cells)} for cells in data.pop("extraRegions", ())]
    result["killercage"] = [
        {"cells": names(cage["region"]), "value": cage["sum"]}
        for cage in data.pop("killerCages", ())
    ]
    result["arrow"] = [
        {"cells": names(circle), "lines": [[names(circle)[-1], *names(arrow["arrowCells"])]]}
        for arrow in data.pop("arrows", ())
        for circle in [arrow["circleCells"]]
    ]
    dots = {"Consecutive": "difference", "Double": "ratio"}
    for dot in data.pop("kropkiDots", ()):
        cells = names([dot["cell1"], dot["cell2"]])
        result.setdefault(dots[dot["dotType"]], []).append({"cells": cells})
    if data.pop("kropkiNegative", False):
        result |= {"nonconsecutive": True, "negative": ["ratio"]}
    return result | {_SWITCHES.get(name, name): value for name, value in data.items()}


# penpa-edit: a drawing. Its digits, thick lines between cells and diagonals are understood.


_SHORT: Final = fpuzzles.named(
    "9=qa Q=pu_q A=pu_a G=grid M=edit_mode S=surface L=line E=lineE W=wall C=cage N=number "
    "Y=symbol P=special B=board R=command_redo U=command_undo 8=command_replay 1=numberS "
    "F=freeline 2=freelineE T=thermo 3=arrows D=direction 0=squareframe 5=polygon 4=deletelineE "
    "6=killercages 7=nobulbthermo _=__a"
)
"""The names for which ``z`` and a symbol stand (COMPRESS_SUB in class_p.js)."""
_READ: Final = ("number", "lineE", "command_redo", "command_undo", "command_replay")
"""The parts of a layer that are no drawings, or that are read."""
_THICK: Final = (2, 21)
_DIAGONAL: Final = 12


def _inflated(text: str) -> str:
    """The text of a payload: deflated, in Base64."""
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        data = b64decode(text.replace(" ", "+") + "=" * (-len(text) % 4), validate=True)
        inflated = inflater.decompress(data, fpuzzles.MOST).decode()
    except (ValueError, zlib.error):
        inflated = ""
    if not inflated or not inflater.eof:
        raise PuzzleError("the payload is damaged", expected="the whole link of penpa-edit")
    return inflated


def _penpa(text: str, reading: ReadSettings) -> Object:
    """The puzzle of a square grid with digits, and thick lines around its regions."""
    names = {symbol: f'"{name}"' for symbol, name in _SHORT.items()} | {"Z": "z", "O": "null"}
    lines = re.sub("z(.)", lambda match: names.get(match[1], ""), _inflated(text)).split("\n")
    with malformed("penpa-edit"):
        return _drawn(lines, reading)


def _drawn(lines: list[str], reading: ReadSettings) -> Object:
    head = [text.replace("%2C", ",") for text in lines[0].split(",")]
    columns, rows = int(head[1]), int(head[2])
    top, bottom, left, right = json.loads(lines[1])
    size = rows - top - bottom
    if head[0] not in ("square", "sudoku") or size != columns - left - right:
        raise PuzzleError(f"a grid {head[0]!r} of {columns}x{rows}", expected="a square grid")
    layer = json.loads(lines[3])
    drawings = [key for key in layer if key not in _READ and re.search("[0-9]", str(layer[key]))]
    if drawings or (len(head) > 21 and json.loads(_inflated(head[21])).get("url")):
        problem = f"drawings ({drawings[0] if drawings else 'an image'}), which may be constraints"
        raise PuzzleError(problem, expected="digits, and thick lines around regions only")
    width, points = columns + 4, (columns + 4) * (rows + 4)
    givens = [0] * size**2
    for point, (digit, _colour, style) in layer["number"].items():
        row, column = int(point) // width - top - 2, int(point) % width - left - 2
        if style not in ("1", "10") or not str(digit).isdecimal() or {row, column} - {*range(size)}:
            raise PuzzleError(f"the text {short_repr(digit)}", expected="digits in cells only")
        givens[row * size + column] = int(digit)
    walls: set[_Edge] = set()
    lengths = dict.fromkeys(fpuzzles.diagonals(size), 0)
    for ends, style in layer["lineE"].items():
        places = sorted(divmod(int(point) - points, width) for point in ends.split(","))
        (row, column), (end, last) = ((row - top - 1, column - left - 1) for row, column in places)
        step, cell = (end - row, last - column), row * size + column
        if {row, column, end, last} - {*range(size + 1)}:
            step = (0, 0)
        if style in _THICK and step in ((1, 0), (0, 1)):
            if 0 < (column if step[0] else row) < size:
                walls.add((cell - (1 if step[0] else size), cell))
        elif style == _DIAGONAL and (step, row) in (((1, 1), column), ((1, -1), size - column)):
            lengths["diagonal-" if step[1] > 0 else "diagonal+"] += 1
        elif style:
            raise PuzzleError(
                "lines that may be constraints", expected="thick lines around regions"
            )
    if not walls or {*lengths.values()} - {0, size}:
        raise PuzzleError("no thick lines around regions", expected=f"{size} regions")
    if len(lines) > 4 and re.search("[0-9]", str(json.loads(lines[4] or "{}").get("number", ""))):
        reading.understand("passed over the answers in a link of penpa-edit")
    text_at = {"title": 15, "author": 16, "ruleset": 18}
    texts = {key: re.sub("^(Title|Author): ?", "", head[at]) for key, at in text_at.items()}
    for code, symbol in (("%2D", "\n"), ("%2E", "&"), ("%2F", "=")):
        texts["ruleset"] = texts["ruleset"].replace(code, symbol)
    switches = {key: length > 0 for key, length in lengths.items()}
    return object_of(givens, _areas(size, walls), **texts, **switches)


# Files: a link or a game ID per line.


_SITES: Final = (
    (re.compile(r"sudokuexchange\.com/[^#]*[?&]s=([^&#]*)"), _exchange),
    (re.compile(r"lisudoku\.xyz/\w+/?\?import=([^&#]*)"), _lisudoku),
    (re.compile(r"/penpa-edit/?(?:index\.html)?[#?](?:[^&]*&)*?p=([^&#]*)"), _penpa),
    (re.compile(r"\?sudoku(?:_edit|_play)?/([^?&#]*)"), _puzz_link),
    (re.compile(r"/solo(?:\.html)?#(.*)"), _solo),
    (_GAME, _solo),
    (re.compile(r"//.*[/=]([0-9.]{81})(?![\w.])"), _exchange),
    (re.compile(r"^(N4Ig[\w+/=%-]*)$"), _lisudoku),
)
"""Where the puzzle is in a link, and what reads it."""


def _parse(line: TextLine, reading: ReadSettings, number: str) -> ParsedPuzzle:
    for pattern, decode in _SITES:
        if match := pattern.search(line.text):
            payload = line.part(*match.span(1))
            address = line.text.replace(payload.text, "")
            if rule_words(address):
                reading.understand(f"no rule is read from the address {shortened(address, 100)!r}")
            with fpuzzles.placed_at(payload):
                data = decode(unquote(payload.text), reading)
                return fpuzzles.puzzle_of(data, reading, line, number)
    host = fpuzzles.host_of(Head("", [line], [line]))
    problem = f"no sudoku in the link to {host}" if host else f"no link in {short_repr(line.text)}"
    expected = (
        "a link with the whole puzzle, of f-puzzles, SudokuPad, sudokuwiki, SudokuExchange, "
        "lisudoku, penpa-edit, puzz.link, Solo or Interactive Sudoku Solver; for a puzzle on a "
        "server, open the link in a browser and copy the puzzle"
    )
    raise line.error(problem, expected, 0)


def _detect(head: Head) -> bool:
    """Whether a file has game IDs, or links that are not those of another format."""
    first = head.first
    if first.startswith("N4Ig"):
        try:
            return re.search('"grid_?size"', fpuzzles.decompress(unquote(first)), re.I) is not None
        except PuzzleError:
            return False
    if any(_GAME.search(row.text) for row in head.rows):
        return True
    others = (fpuzzles.FORMAT, sudokupad.FORMAT, sudokuwiki.FORMAT, iss.FORMAT)
    return fpuzzles.has_links_only(head) and not any(other.detect(head) for other in others)


FORMAT: Final = Format(
    name="links",
    title="links of SudokuExchange, lisudoku, penpa-edit and puzz.link, and game IDs of Solo",
    read=partial(fpuzzles.read_links, parse=_parse),
    write=lambda puzzles: (
        f"https://sudokuexchange.com/play/?s={parsed.puzzle.line.replace('.', '0')}\n"
        for parsed in puzzles
    ),
    can_hold=partial(only_plain, "9x9"),
    detect=_detect,
    holds="9x9 without pencilmarks; more is read",
)
