"""Links of SudokuPad that hold the whole puzzle, one per line.

`unzip` reads shortened JSON: ``{ce:[[,{v:5}]],t:'x'}`` means
``{"ce": [[{}, {"v": 5}]], "t": "x"}``; ``t`` and ``f`` after a colon are true and false, and
colours stand without quotation marks. The short names of properties, such as ``ce`` for
``cells``, are kept. Plain JSON is read too.

A link ends with the kind of its payload and the payload: ``fpuzzles`` as in links of f-puzzles;
``scl`` or ``ctc``, an object of SudokuPad in shortened JSON that LZString has compressed; or
``classic``, the digits of a plain grid with the lengths of the runs of blanks.

An object of SudokuPad mostly holds drawings, and its rules are words. It is read if it has
nothing but givens, regions, diagonals, cages with a total, and the switches for anti-knight and
anti-king; an error names what else it has.
"""

import json
import re
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final
from urllib.parse import unquote

from harness.base.errors import PuzzleError, one_of
from harness.base.text import short_repr
from harness.extensions.formats import fpuzzles
from harness.puzzles import LETTERED, VALUES, Puzzle, Shape
from harness.puzzles.formats import Head, ParsedPuzzle, ReadSettings, TextLine

# The shortened JSON of SudokuPad: fewer quotation marks, and no empty objects.


_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<mark>[\[\]{},:])"""
    r"""|'(?P<single>[^'\\]*(?:\\.[^'\\]*)*)'|"(?P<double>[^"\\]*(?:\\.[^"\\]*)*)\""""
    r"""|(?P<bare>[#\w.+-]+))\s*""",
    re.DOTALL,
)
_WORDS: Final[dict[str, Any]] = {"t": True, "true": True, "f": False, "false": False, "null": None}
_NUMBER: Final = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,20})?")
_DEEPEST: Final = 64


def unzip(text: str) -> Any:
    """The value that `text` stands for.

    Raises:
        PuzzleError: `text` is malformed or nested too deeply; the error has the column.
    """
    pieces: list[str] = []  # as JSON
    inside = ""  # the brackets that are open
    before, position = "", 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if not match or len(inside) > _DEEPEST:
            raise _error_at(position)
        position = match.end()
        kind, word = str(match.lastgroup), match[match.lastgroup or 0]
        is_name = inside.endswith("{") and before in ("{", ",")
        if kind != "mark":
            pieces.append(_as_json(kind, word, is_name))
        else:
            if word in ",]" and before in ("[", ",") and not is_name:
                pieces.append("{}")  # a missing item
            elif is_name and before + word == ",}" and pieces[-2] != "{":
                pieces.pop()
            inside = inside + word if word in "[{" else inside[: -1 if word in "]}" else None]
            pieces.append(word)
        before = word if kind == "mark" else ""
    try:
        return json.loads(" ".join(pieces), strict=False)
    except ValueError:
        raise _error_at(position) from None


def _error_at(position: int) -> PuzzleError:
    where, expected = f"column {position + 1}", "a puzzle of SudokuPad"
    return PuzzleError("malformed JSON in the payload", where=where, expected=expected)


def _as_json(kind: str, word: str, is_name: bool) -> str:
    """A name, text, number or word as JSON."""
    if kind == "double":
        return f'"{word}"'
    if kind == "single":
        return '"' + re.sub(r"\\(.)|\"", _for_json, word, flags=re.DOTALL) + '"'
    if is_name:
        return json.dumps(word)
    if _NUMBER.fullmatch(word):
        return json.dumps(float(word) if "." in word else int(word))
    return json.dumps(_WORDS.get(word, word))


def _for_json(match: re.Match[str]) -> str:
    """The JSON for an escape or a double quotation mark within single quotation marks."""
    if match[0] == '"':
        return '\\"'
    return "'" if match[1] == "'" else match[0]


# Links of SudokuPad that hold the whole puzzle, one per line.


_LINK: Final = "https://sudokupad.app/fpuzzles"
_KIND: Final = re.compile(r"(?:^|[/=])(fpuzzles|fpuz|scl|ctc|classic)")
_RUNS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz()[]-.~:@!$&'*,;=_"
_DIGITS_AND_RUNS: Final = {
    **{digit: [int(digit)] for digit in "123456789"},
    **{symbol: [0] * number for number, symbol in enumerate(_RUNS)},
}
"""The cells of digits and of runs of 0 to 69 blanks."""
_AFTER: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwx"
DIGITS_AND_BLANKS: Final = {
    symbol: [at % 10, *[0] * (at // 10)] for at, symbol in enumerate(_AFTER)
}
"""The cells of the symbols for a digit and the blanks after it, 10 digits each."""
_LONGEST_GRID: Final = LETTERED**2
_DIAGONALS: Final = "#34bbe6"
"""The colour of the lines that SudokuPad draws for the diagonals of f-puzzles."""
_LONG: Final = fpuzzles.named(
    "a=arrows c=color c1=borderColor c2=backgroundColor ca=cages ce=cells cs=cellSize l=lines "
    "o=overlays re=regions t=title u=underlays v=value vd=videos wp=wayPoints"
)
"""The names of properties by their short names."""
_HARMLESS: Final = frozenset(
    {
        *("id", "cellSize", "metadata", "settings", "videos", "author", "rules"),
        *("title", "cells", "regions", "lines", "cages"),
    }
)
"""Properties of a puzzle that are not constraints, or that are read."""
_OF_CELL: Final = frozenset({"value", "color", "borderColor", "backgroundColor"})
_SWITCHES: Final = ("antiknight", "antiking")
_ABOUT: Final = {"title": "title", "author": "author", "rules": "ruleset", "solution": "solution"}
"""What a puzzle says of itself, and the keys of f-puzzles for it."""


def _parse(line: TextLine, reading: ReadSettings, number: str) -> ParsedPuzzle:
    match = _KIND.search(line.text, 0, fpuzzles.LONGEST_LINK)
    if not match and "load=" in line.text[: fpuzzles.LONGEST_LINK]:
        return fpuzzles.read_payload(fpuzzles.payload_of(line), line, reading, number)
    kind, start = (match[1], match.end()) if match else ("fpuzzles", 0)
    is_name = len(line.text) - start < fpuzzles.SHORTEST_PAYLOAD
    is_short = is_name and kind not in ("fpuzzles", "classic")
    if is_short if match else fpuzzles.LINK.match(line.text):
        raise fpuzzles.short_link(line, start, "fpuzzles")
    payload = line.until("#?" if kind == "classic" else "&#?", start)
    if kind.startswith("fpuz"):
        return fpuzzles.read_payload(payload, line, reading, number)
    with fpuzzles.placed_at(payload):
        if kind == "classic":
            puzzle = _classic(unquote(payload.text), reading.shape)
            return ParsedPuzzle(puzzle, line.place(), number)
        data = _object_of(unzip(fpuzzles.expand(payload)))
        return fpuzzles.puzzle_of(data, reading, line, number)


def _classic(text: str, shape: Shape | None) -> Puzzle:
    """The plain grid of a payload ``classic``.

    Older payloads have digits and runs of blanks, newer ones digits with the blanks after them.
    Some texts can be read both ways; as in SudokuPad, the newer way is tried first.
    """
    for table in (DIGITS_AND_BLANKS, _DIGITS_AND_RUNS):
        givens = cells_of(text, table)
        with suppress(PuzzleError):
            return Puzzle(shape or Shape.of_length(len(givens)), tuple(givens))
    raise PuzzleError("no grid in the payload", expected="digits and lengths of runs of blanks")


def cells_of(text: str, table: dict[str, list[int]]) -> list[int]:
    """The cells of a text by a table of symbols; none if the text is long or has other symbols."""
    is_known = len(text) <= _LONGEST_GRID and table.keys() >= {*text}
    return [value for symbol in text for value in table[symbol]] if is_known else []


def _named(content: dict[str, Any]) -> dict[str, Any]:
    """The properties of an object by their long names."""
    return {_LONG.get(name, name): value for name, value in content.items()}


def _object_of(content: Any) -> fpuzzles.Object:
    """The object of f-puzzles for one of SudokuPad.

    Raises:
        PuzzleError: the object is malformed, or has what may be a constraint.
    """
    with fpuzzles.malformed("SudokuPad"):
        data = {key: value for key, value in _named(content).items() if value != [{}]}
        for key, value in data.items():
            if key not in _HARMLESS and value:
                expected = "givens, regions, diagonals and cages with a total only"
                problem = f"{short_repr(key)}, which may be constraints"
                raise PuzzleError(problem, expected=expected)
        rows = data.get("cells") or []
        size = len(rows)
        if {*map(len, rows)} != {size}:
            raise PuzzleError("no square of cells", expected="as many cells in a row as rows")
        # Applications have cells as those of f-puzzles, with a flag for givens, in usual regions.
        is_flagged = "regions" not in data and any("given" in cell for row in rows for cell in row)
        usual = [number - 1 for number in Shape.of_side(size).region_of] if is_flagged else []
        areas = usual or _areas(data.get("regions") or [], size)
        metadata = data.get("metadata")
        switches = metadata if isinstance(metadata, dict) else {}
        names = [key for key, value in switches.items() if value is True]
        for key in names:
            if key not in _SWITCHES:
                problem = f"the switch {short_repr(key)}, which may be a constraint"
                raise PuzzleError(problem, expected=one_of(_SWITCHES))
        diagonals = (
            fpuzzles.diagonals(size) if _has_diagonals(data.get("lines") or [], size) else ()
        )
        shape = Shape.parse(fpuzzles.base_of(areas) + "+diagonal" * bool(diagonals))
        cages = [_named(cage) for cage in data.get("cages") or []]
        killers = [_cage(cage, shape) for cage in cages if cage.get("cells")]
        result: fpuzzles.Object = {"size": size, "grid": rows}
        if not is_flagged:
            result = fpuzzles.object_of([_clue(cell) for row in rows for cell in row], areas)
        result |= dict.fromkeys((*names, *diagonals), True)
        result["killercage"] = [killer for killer in killers if killer]
        return result | _about(_named(switches), data, cages=cages, size=size)


def _areas(regions: list[Any], size: int) -> list[int]:
    """The number of the region of each cell."""
    lists = [[_cell(place, size) for place in places] for places in regions]
    area_of = {cell: area for area, cells in enumerate(lists) for cell in cells}
    if {*map(len, lists)} != {size} or len(area_of) != size**2:
        raise PuzzleError("malformed regions", expected=f"{size} regions of {size} cells")
    return [area_of[cell] for cell in range(size**2)]


def _cell(place: Any, size: int) -> int:
    row, column = place
    if {type(row), type(column)} != {int} or not (0 <= row < size and 0 <= column < size):
        problem = f"malformed cells: {short_repr(place)}"
        raise PuzzleError(problem, expected=f"rows and columns from 0 to {size - 1}")
    return int(row * size + column)


def _clue(content: dict[str, Any]) -> Any:
    """The value of a cell, 0 for a blank."""
    cell = _named(content)
    if others := [key for key, value in cell.items() if value and key not in _OF_CELL]:
        raise PuzzleError(f"{short_repr(others[0])} in a cell", expected="values only")
    value = cell.get("value")
    if type(value) not in (int, str, type(None)):
        raise PuzzleError(f"{short_repr(value)} is not a value", expected="a number")
    is_number = re.fullmatch("[0-9]{1,2}", str(value), re.ASCII)
    return int(str(value)) if is_number else value or 0


def _has_diagonals(lines: list[Any], size: int) -> bool:
    """Whether there are lines, which must be both diagonals.

    Raises:
        PuzzleError: there are other lines.
    """
    drawn = [_named(line) for line in lines]
    ends = sorted(sorted(line.get("wayPoints") or []) for line in drawn)
    colours = {f"#{str(line.get('color')).lower().lstrip('#')}" for line in drawn}
    diagonals = [[[0, 0], [size, size]], [[0, size], [size, 0]]]
    if lines and (ends != diagonals or colours != {_DIAGONALS}):
        raise PuzzleError("lines, which may be constraints", expected="both diagonals, or no line")
    return bool(lines)


def _cage(cage: dict[str, Any], shape: Shape) -> fpuzzles.Object | None:
    """The killer cage; None for a cage without a text around a house or the grid.

    Raises:
        PuzzleError: the cage is malformed, or neither of these.
    """
    cells = [_cell(place, shape.size) for place in cage["cells"]]
    value = cage.get("value")
    text = "" if value is None else str(value).strip()
    sets = [{*range(shape.size**2)}, *({*house.cells} for house in shape.houses)]
    if not text and {*cells} in sets:
        return None
    names = [shape.cell_name(cell) for cell in cells]
    sums = {text, str(cage.get("sum", text))}
    is_total = re.fullmatch("[1-9][0-9]{0,5}", text) and len(sums) == 1
    if not is_total or cage.get("style", "killer") != "killer" or cage.get("unique") is False:
        problem = f"the cage at {names[0]} with {short_repr(text)}, which may be another constraint"
        raise PuzzleError(problem, expected="killer cages with a total")
    return {"cells": names, "value": text}


def _about(*sources: dict[str, Any], cages: list[dict[str, Any]], size: int) -> dict[str, Any]:
    """Title, author, rules and solution, which older puzzles keep as texts of cages."""
    older = (str(cage.get("value") or "").partition(":")[::2] for cage in cages)
    facts = [*older, *(fact for source in sources for fact in source.items())]
    result: dict[str, Any] = {}
    for name, content in facts:
        parts = content if isinstance(content, list) else [content]
        text = " ".join(part for part in parts if isinstance(part, str)).strip()
        if text and name in _ABOUT:
            result.setdefault(_ABOUT[name], text)
    if solution := result.get("solution"):
        result["solution"] = [VALUES[:size].find(symbol) + 1 for symbol in solution.upper()]
    return result


_HOSTS: Final = ("sudokupad.app", "crackingthecryptic.com", "cracking-the-cryptic.web.app")


def _detect(head: Head) -> bool:
    kind = _KIND.match(head.first)
    return (
        fpuzzles.host_of(head).endswith(_HOSTS)
        or (kind is not None and re.fullmatch(r"\S{8,}", head.first) is not None)
        or fpuzzles.has_object(head, r"""(?:"cells"|"ce"|\bce):\[\[(?=[\]{,])""")
    )


FORMAT: Final = replace(
    fpuzzles.FORMAT,
    name="sudokupad",
    title="links of SudokuPad that hold the whole puzzle, or its JSON",
    read=partial(fpuzzles.read_links, parse=_parse, load=lambda text: _object_of(unzip(text))),
    write=partial(fpuzzles.write_links, link=_LINK, with_escapes=True),
    detect=_detect,
)
