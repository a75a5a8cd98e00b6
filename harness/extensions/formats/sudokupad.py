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
from dataclasses import replace
from functools import partial
from typing import Any, Final
from urllib.parse import unquote

from harness.base.errors import PuzzleError, one_of
from harness.base.text import short_repr
from harness.extensions.formats import fpuzzles
from harness.extensions.formats.rules import check_rules
from harness.puzzles import LETTERED, VALUES, Puzzle, Shape
from harness.puzzles.constraints import Constraint, check_constraint
from harness.puzzles.formats import Head, ParsedPuzzle, ReadSettings, TextLine

# The shortened JSON of SudokuPad: fewer quotation marks, and no empty objects.


_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<mark>[\[\]{},:])"""
    r"""|'(?P<single>[^'\\]*(?:\\.[^'\\]*)*)'|"(?P<double>[^"\\]*(?:\\.[^"\\]*)*)\""""
    r"""|(?P<bare>[#\w.+-]+))\s*""",
    re.DOTALL,
)
_WORDS: Final[dict[str, Any]] = {
    "t": True,
    "true": True,
    "f": False,
    "false": False,
    "null": None,
}
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
"""The symbols of runs of 0 to 69 blanks."""
_AFTER: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwx"
"""The symbols of a digit and the number of blanks after it, 10 digits each."""
_LONGEST_GRID: Final = LETTERED**2
_DIAGONALS: Final = "#34bbe6"
"""The colour of the lines that SudokuPad draws for the diagonals of f-puzzles."""
_SHORT: Final = {
    "cages": "ca",
    "cells": "ce",
    "color": "c",
    "lines": "l",
    "regions": "re",
    "title": "t",
    "value": "v",
    "wayPoints": "wp",
}
_HARMLESS: Final = frozenset(
    {
        *("id", "cellSize", "cs", "metadata", "settings", "videos", "vd", "author", "rules"),
        *("title", "t", "cells", "ce", "regions", "re", "lines", "l", "cages", "ca"),
    }
)
"""Properties of a puzzle that are not constraints, or that are read."""
_SWITCHES: Final = ("antiknight", "antiking")
_NAMES: Final = {"a": "arrows", "o": "overlays", "u": "underlays"}
_COLOURS: Final = frozenset({"c", "color", "c1", "borderColor", "c2", "backgroundColor"})


def _parse(line: TextLine, reading: ReadSettings, number: str) -> ParsedPuzzle:
    match = _KIND.search(line.text, 0, fpuzzles.LONGEST_LINK)
    if not match and "load=" in line.text[: fpuzzles.LONGEST_LINK]:
        return fpuzzles.read_payload(fpuzzles.payload_of(line), line, reading, number)
    kind = match[1] if match else "fpuzzles"
    start = match.end() if match else 0
    length = len(line.text) - start
    if (fpuzzles.LINK.match(line.text) and not match) or (
        match and kind not in ("fpuzzles", "classic") and length < fpuzzles.SHORTEST_PAYLOAD
    ):
        raise fpuzzles.short_link(line, start, "fpuzzles")
    payload = line.until("#?" if kind == "classic" else "&#?", start)
    if kind.startswith("fpuz"):
        return fpuzzles.read_payload(payload, line, reading, number)
    with fpuzzles.placed_at(payload):
        if kind == "classic":
            puzzle = _classic(unquote(payload.text), reading.shape)
            return ParsedPuzzle(puzzle, line.place(), number)
        return _puzzle(unzip(fpuzzles.expand(payload)), reading, line, number)


def _parse_object(text: TextLine, reading: ReadSettings, number: str) -> ParsedPuzzle:
    with fpuzzles.placed_at(text):
        return _puzzle(unzip(text.text), reading, text, number)


def _classic(text: str, shape_or_none: Shape | None) -> Puzzle:
    """The plain grid of a payload ``classic``.

    Older payloads have digits and runs of blanks, newer ones digits with the blanks after them.
    Some texts can be read both ways; as in SudokuPad, the newer way is tried first.
    """
    for read in (digits_with_blanks, _digits_and_runs):
        givens = read(text)
        if givens is None:
            continue
        try:
            shape = shape_or_none or Shape.of_length(len(givens))
            return Puzzle(shape, tuple(givens))
        except PuzzleError:
            continue
    raise PuzzleError("no grid in the payload", expected="digits and lengths of runs of blanks")


def _digits_and_runs(text: str) -> list[int] | None:
    givens: list[int] = []
    for symbol in text:
        if symbol in "123456789":
            givens.append(int(symbol))
        elif symbol in _RUNS:
            givens += [0] * _RUNS.index(symbol)
        else:
            return None
        if len(givens) > _LONGEST_GRID:
            return None
    return givens


def digits_with_blanks(text: str) -> list[int] | None:
    """The cells of symbols for a digit and the blanks after it; None for other symbols."""
    givens: list[int] = []
    for symbol in text:
        if symbol not in _AFTER or len(givens) > _LONGEST_GRID:
            return None
        blanks, digit = divmod(_AFTER.index(symbol), 10)
        givens += [digit, *[0] * blanks]
    return givens


def _get(data: dict[str, Any], name: str) -> Any:
    """The property with this name or its short form."""
    return data.get(name, data.get(_SHORT[name]))


def _puzzle(data: Any, reading: ReadSettings, line: TextLine, number: str) -> ParsedPuzzle:
    if not isinstance(data, dict):
        raise PuzzleError("no object", expected="a puzzle of SudokuPad")
    givens = _givens(_get(data, "cells"))
    size = len(givens)
    shape = _shape(data, size)
    reading.require_shape(shape)
    about = _about(data)
    check_rules(about.get("rules", ""), shape)
    puzzle = Puzzle(shape, tuple(value for row in givens for value in row))
    fields = {name: about[name] for name in ("author", "rules") if about.get(name)}
    name = about.get("title") or number
    solution = [VALUES[:size].find(symbol) + 1 for symbol in about.get("solution", "").upper()]
    return ParsedPuzzle(
        puzzle, line.place(), name, fpuzzles.count_of(solution, puzzle), None, fields
    )


def _givens(rows: Any) -> list[list[int]]:
    if not isinstance(rows, list) or not 2 <= len(rows) <= LETTERED:
        raise PuzzleError("no cells", expected=f"2 to {LETTERED} rows of cells")
    return [[_clue(cell, len(rows)) for cell in _cells_of(row, len(rows))] for row in rows]


def _cells_of(row: Any, size: int) -> list[Any]:
    if not isinstance(row, list) or len(row) != size:
        raise PuzzleError("a row of another length", expected=f"{size} cells, as many as rows")
    return row


def _clue(cell: Any, size: int) -> int:
    if not isinstance(cell, dict):
        raise PuzzleError("a malformed cell", expected="an object")
    for key, content in cell.items():
        if key not in ("value", "v", *_COLOURS) and content:
            raise PuzzleError(f"{short_repr(key)} in a cell", expected="values only")
    value = _get(cell, "value")
    if isinstance(value, str) and re.fullmatch("[0-9]{1,2}", value, re.ASCII):
        value = int(value)
    if value in (None, "") or (type(value) is int and 0 <= value <= size):
        return value or 0
    raise PuzzleError(f"{short_repr(value)} is not a value", expected=f"1 to {size}")


def _shape(data: dict[str, Any], size: int) -> Shape:
    for key, value in data.items():
        if key not in _HARMLESS and value:
            problem = f"{short_repr(_NAMES.get(key, key))}, which may be constraints"
            expected = "givens, regions, diagonals and cages with a total only"
            raise PuzzleError(problem, expected=expected)
    names = ["diagonal"] if _has_diagonals(_get(data, "lines") or [], size) else []
    metadata = data.get("metadata")
    switches = metadata if isinstance(metadata, dict) else {}
    for key in (key for key, value in switches.items() if value is True):
        if key not in _SWITCHES:
            problem = f"the switch {short_repr(key)}, which may be a constraint"
            raise PuzzleError(problem, expected=one_of(_SWITCHES))
        names.append(key)
    base = fpuzzles.base_of(_regions(_get(data, "regions"), size))
    shape = Shape.parse("+".join([base, *names]))
    cages = _get(data, "cages") or []
    if not isinstance(cages, list) or any(not isinstance(cage, dict) for cage in cages):
        raise PuzzleError("malformed cages", expected="a list of objects")
    totals = (_cage(cage, shape) for cage in cages if _get(cage, "cells"))
    return shape.with_constraints([cage for cage in totals if cage])


def _cage(cage: dict[str, Any], shape: Shape) -> Constraint | None:
    """The constraint of a cage; None for a cage without a text around a house or the grid.

    Raises:
        PuzzleError: the cage is malformed, or neither of these.
    """
    places = _get(cage, "cells")
    wrong = PuzzleError("a cage with malformed cells", expected="rows and columns from 0")
    if not isinstance(places, list):
        raise wrong
    cells = tuple(_cell(place, shape.size, wrong) for place in places)
    text = str(_get(cage, "value") if _get(cage, "value") is not None else "").strip()
    sets = [{*range(shape.size**2)}, *({*house.cells} for house in shape.houses)]
    if not text and {*cells} in sets:
        return None
    sums = {text, str(cage.get("sum", text))}
    is_total = re.fullmatch("[1-9][0-9]{0,5}", text) and len(sums) == 1
    if not is_total or cage.get("style", "killer") != "killer" or cage.get("unique") is False:
        where = shape.cell_name(cells[0])
        problem = f"the cage at {where} with {short_repr(text)}, which may be another constraint"
        raise PuzzleError(problem, expected="killer cages with a total")
    return check_constraint(Constraint("killer", text, (cells,)), shape.size)


def _cell(place: Any, size: int, wrong: PuzzleError) -> int:
    if not (
        isinstance(place, list)
        and len(place) == 2
        and all(type(at) is int and 0 <= at < size for at in place)
    ):
        raise wrong
    return int(place[0] * size + place[1])


def _has_diagonals(lines: Any, size: int) -> bool:
    """Whether there are lines, which must be both diagonals.

    Raises:
        PuzzleError: there are other lines.
    """
    diagonals = ([[0, 0], [size, size]], [[0, size], [size, 0]])
    ends = [
        sorted(points)
        for line in (lines if isinstance(lines, list) else [None])
        if isinstance(line, dict)
        and isinstance(points := _get(line, "wayPoints"), list)
        and points in [diagonal[::step] for diagonal in diagonals for step in (1, -1)]
        and f"#{str(_get(line, 'color')).lower().lstrip('#')}" == _DIAGONALS
    ]
    if not lines:
        return False
    if sorted(ends) != sorted(diagonals) or len(lines) != len(diagonals):
        raise PuzzleError("lines, which may be constraints", expected="both diagonals, or no line")
    return True


def _regions(regions: Any, size: int) -> list[int]:
    """The number of the region of each cell."""
    region_of = [-1] * size**2
    wrong = PuzzleError("malformed regions", expected=f"{size} regions of {size} cells")
    if not isinstance(regions, list) or len(regions) != size:
        raise wrong
    for number, cells in enumerate(regions):
        for cell in cells if isinstance(cells, list) else [None]:
            region_of[_cell(cell, size, wrong)] = number
    if {region_of.count(number) for number in range(size)} != {size}:
        raise wrong
    return region_of


def _about(data: dict[str, Any]) -> dict[str, str]:
    """Title, author, rules and solution, which older puzzles keep as texts of cages."""
    facts: dict[str, str] = {}
    for cage in _get(data, "cages") or []:
        name, colon, text = str(_get(cage, "value") or "").partition(":")
        if colon and name in ("title", "author", "rules", "solution"):
            facts.setdefault(name, fpuzzles.one_line(text))
    metadata = data.get("metadata")
    for source in (metadata if isinstance(metadata, dict) else {}, data):
        for name in ("title", "author", "rules", "solution"):
            content = _get(source, name) if name in _SHORT else source.get(name)
            texts = content if isinstance(content, list) else [content]
            text = fpuzzles.one_line(" ".join(part for part in texts if isinstance(part, str)))
            if text:
                facts.setdefault(name, text)
    return facts


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
    read=partial(fpuzzles.read_links, parse=_parse, parse_object=_parse_object),
    write=partial(fpuzzles.write_links, link=_LINK, with_escapes=True),
    detect=_detect,
)
