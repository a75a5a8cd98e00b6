"""Saved games of OpenSudoku, GNOME Sudoku and KSudoku.

A digit that cannot be edited is a given. The others are entries of a player: they are not part of
the puzzle, the field ``entries`` names them, and a notice counts them and the cells with notes.

OpenSudoku has ``value|notes|editable|`` for each cell below ``version: 3``; version 1 has a list of
notes, version 4 two kinds of notes, version 5 also a colour. GNOME Sudoku has a list of cells in
JSON; before 3.14 it pickled two lines, the givens and the current digits. KSudoku has XML: cells
go down the columns, ``b`` to ``j`` stand for 1 to 9, and the houses are groups of cells.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar
from xml.sax.saxutils import escape, quoteattr

from harness.base.errors import PuzzleError, one_of
from harness.base.files import parse_json
from harness.base.text import number_of, short_repr
from harness.extensions.formats.fpuzzles import areas_of, base_of, diagonals
from harness.extensions.formats.xml import Element, elements
from harness.puzzles import Puzzle, Shape
from harness.puzzles.formats import (
    Format,
    Head,
    ParsedPuzzle,
    ReadSettings,
    TextLine,
    TextSource,
    is_printable,
    located,
    only_plain,
    read_cells,
)

_Item = TypeVar("_Item")


class _Cell(NamedTuple):
    value: int = 0
    is_given: bool = False
    has_notes: bool = False


_Game = tuple[ParsedPuzzle, int]
"""The puzzle of a game, and the number of cells with notes."""


def _game(shape: Shape, cells: list[_Cell], place: str, name: str, **fields: str) -> _Game:
    """The puzzle of the givens, with the entries as a field.

    Raises:
        PuzzleError: the game has digits, but none is given.
    """
    entries = " ".join(
        f"{shape.cell_name(at)}={shape.symbol(cell.value)}"
        for at, cell in enumerate(cells)
        if cell.value and not cell.is_given
    )
    if entries and not any(cell.is_given for cell in cells):
        problem = "a player placed every digit of the game, none is given"
        raise PuzzleError(problem, where=place, expected="the digits as a line, to read them all")
    with located(place):
        puzzle = Puzzle(shape, tuple(cell.value * cell.is_given for cell in cells))
    if entries:
        fields["entries"] = entries
    return ParsedPuzzle(puzzle, place, name, fields=fields), sum(cell.has_notes for cell in cells)


def _read_each(
    items: Iterable[_Item], reading: ReadSettings, parse: Callable[[_Item, ReadSettings], _Game]
) -> Iterator[ParsedPuzzle]:
    """The puzzles of games, and a notice of what a player did in them."""
    digits = notes = 0

    def puzzle_of(item: _Item) -> ParsedPuzzle:
        nonlocal digits, notes
        parsed, noted = parse(item, reading)
        digits += len(parsed.fields.get("entries", "").split())
        notes += noted
        return parsed

    yield from reading.each(items, puzzle_of)
    if digits:
        reading.understand(f"passed over {number_of(digits, 'digit')} that a player placed")
    if notes:
        reading.understand(f"passed over the notes of a player in {number_of(notes, 'cell')}")


# The files of OpenSudoku: games in XML, perhaps in folders.


_ABOUT: Final = re.compile("name|author|description|comment|created|source|level|sourceURL")
_NOTES: Final = r"(\d{1,3})\|"
_CELLS: Final = {
    version: re.compile(rf"(\d)\|{notes}([01])(?:\||$)", re.ASCII)
    for version, notes in {
        "1": r"((?:[1-9],)+|-)\|",
        "2": _NOTES + r"\|?",
        "3": _NOTES,
        "4": _NOTES * 2,
        "5": _NOTES * 2 + r"\d\|",
    }.items()
}
"""A cell in each version of the data."""


def _games(source: TextSource) -> Iterator[tuple[int, Element, dict[str, str]]]:
    number = 0
    about: dict[str, str] = {}
    for element in elements(source):
        if element.name == "game":
            number += 1
            yield number, element, dict(about)
        elif _ABOUT.fullmatch(element.name) and len(element.parents) == 1 and element.text.strip():
            about[f"collection_{element.name}"] = element.text.strip()
        if not element.parents and element.name != "opensudoku":
            raise element.error(f"the element {element.name[:40]!r}", "opensudoku")


def _parse_opensudoku(item: tuple[int, Element, dict[str, str]], reading: ReadSettings) -> _Game:
    number, element, fields = item
    attributes = dict(element.attributes)
    data, name = (attributes.pop(key, "") for key in ("data", "name"))
    data = data.strip()
    shape = reading.shape or Shape.parse("9x9")
    with located(element.where):
        if version := re.match(r"version:\s*(\d+)\s+", data):
            cells = list(_cells_in(data, version))
        elif len(data) == 81:
            puzzle = read_cells(TextLine(data, 1, 0, ""), ReadSettings(shape))
            cells = [_Cell(value, value > 0) for value in puzzle.givens]
        else:
            problem = f"a game of {len(data)} symbols"
            raise PuzzleError(problem, expected='data="..." of 81 digits, or of version: 1 to 5')
    folders = [parent.attributes.get("name", "") for parent in element.parents]
    if folder := "/".join(filter(None, folders)):
        fields["folder"] = folder
    fields |= {key: text for key, text in attributes.items() if text}
    return _game(shape, cells, element.where, name.strip() or str(number), **fields)


def _cells_in(data: str, version: re.Match[str]) -> Iterator[_Cell]:
    """The cells in data after the line with their version.

    Raises:
        PuzzleError: another version, a malformed cell, or another number of cells.
    """
    if version[1] not in _CELLS:
        raise PuzzleError(f"data of version {version[1]}", expected=one_of([*_CELLS]))
    at, number = version.end(), 0
    while match := _CELLS[version[1]].match(data, at):
        value, *notes, editable = match.groups()
        yield _Cell(int(value), editable == "0" and value != "0", any(n.strip("-0") for n in notes))
        at, number = match.end(), number + 1
    if at < len(data) or number != 81:
        text = f"{short_repr(data[at : at + 20])} after " if at < len(data) else ""
        problem = f"{text}{number_of(number, 'cell')} of data of version {version[1]}"
        raise PuzzleError(problem, expected="81 cells, each with value, notes and 0 or 1")


def _write_opensudoku(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<opensudoku>\n'
    about: dict[str, str] | None = None
    for parsed in puzzles:
        file_fields = {k: v for k, v in parsed.fields.items() if k.startswith("collection_")}
        if about is None:
            about = file_fields
            for key, value in about.items():
                name = key.removeprefix("collection_")
                yield f"<{name}>{escape(value)}</{name}>\n"
        if file_fields != about:
            problem, expected = "other fields on the file", "those of the first puzzle"
            raise PuzzleError(problem, where=parsed.place, expected=expected)
        attributes = {"name": parsed.name}
        attributes |= {k: v for k, v in parsed.fields.items() if k not in ("folder", *about)}
        attributes["data"] = parsed.puzzle.line.replace(".", "0")
        game = " ".join(f"{key}={quoteattr(value)}" for key, value in attributes.items())
        folder = parsed.fields.get("folder")
        start, end = (f"<folder name={quoteattr(folder)}>", "</folder>") if folder else ("", "")
        yield f"{start}<game {game}/>{end}\n"
    yield "</opensudoku>\n"


def _can_hold_opensudoku(parsed: ParsedPuzzle) -> str | None:
    for key in parsed.fields:
        bare = key.removeprefix("collection_")
        is_known = key not in ("name", "data") if key == bare else _ABOUT.fullmatch(bare)
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_.-]*", key) or not is_known:
            return f"holds no field {key[:40]!r}"
    texts = [parsed.name, *parsed.fields.values()]
    if not all(texts) or not is_printable(*texts):
        return "holds printable texts without blanks around them only"
    return only_plain("9x9", parsed)


def _mentions(*texts: str) -> Callable[[Head], bool]:
    """Whether the first lines of a file have each of these texts."""
    return lambda head: all(any(text in line.text for line in head.rows) for text in texts)


OPENSUDOKU: Final = Format(
    name="opensudoku",
    title="OpenSudoku: games in XML",
    read=lambda source, reading: _read_each(_games(source), reading, _parse_opensudoku),
    write=_write_opensudoku,
    can_hold=_can_hold_opensudoku,
    detect=_mentions("<opensudoku"),
    suffixes=(".opensudoku",),
    keeps=frozenset({"name", "fields"}),
    holds="9x9",
)


# The game of GNOME Sudoku: JSON, or before 3.14 two lines in a pickle, which is searched as text.


def _parse_gnome(source: TextSource, reading: ReadSettings) -> _Game:
    text, fields = source.text(), {}
    shape = reading.shape or Shape.parse("9x9")
    if not text.lstrip().startswith("{"):
        lines = r"'((?:[0-9] ?){81})\\n((?:[0-9] ?){81})(?:\\n)?'"
        if not (match := re.search(lines, text)):
            expected = "two lines of 81 digits, the givens and the current ones"
            raise PuzzleError("no game of GNOME Sudoku", where=source.name, expected=expected)
        givens, current = (map(int, line.replace(" ", "")) for line in match.groups())
        cells = [_Cell(b, a > 0) for a, b in zip(givens, current, strict=True)]
        return _game(shape, cells, source.name, "1")
    data = parse_json(text, source.name, PuzzleError)
    keys = {"cells", "difficulty_category", "time_elapsed"}
    if data.keys() != keys or not isinstance(data["cells"], list):
        problem = f"a game with the keys {short_repr(', '.join(data))}"
        raise PuzzleError(problem, where=source.name, expected=", ".join(sorted(keys)))
    cell_at: dict[int, _Cell] = {}
    for number, content in enumerate(data["cells"], 1):
        at, cell = _gnome_cell(content, f"{source.name}: cell {number}")
        if at in cell_at:
            raise PuzzleError(f"{shape.cell_name(at)} occurs twice", where=source.name)
        cell_at[at] = cell
    cells = [cell_at.get(at, _Cell()) for at in range(81)]
    if isinstance(difficulty := data["difficulty_category"], str):
        fields["difficulty"] = difficulty
    return _game(shape, cells, source.name, "1", **fields)


def _gnome_cell(content: Any, place: str) -> tuple[int, _Cell]:
    try:
        (row, column), value = content["position"], content["value"]
        fixed, notes = content["fixed"], content["earmarks"]
        is_known = len(content) == 4 and isinstance(fixed, bool) and isinstance(notes, list)
        numbers = [row + 1, column + 1, value or 1, *notes]
        is_known = is_known and all(type(n) is int and 0 < n < 10 for n in numbers)
        if is_known and type(value) is int:
            return row * 9 + column, _Cell(value, fixed and value > 0, bool(notes))
    except (KeyError, TypeError, ValueError):
        pass
    expected = "a position of two numbers from 0 to 8, a value, fixed and earmarks"
    raise PuzzleError(short_repr(content), where=place, expected=expected)


def _write_gnome(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        cells = [
            {"position": divmod(cell, 9), "value": value, "fixed": True, "earmarks": []}
            for cell, value in enumerate(parsed.puzzle.givens)
            if value
        ]
        game = {"difficulty_category": "custom", "time_elapsed": 0.0, "cells": cells}
        yield json.dumps(game, indent=1) + "\n"


def _detect_gnome(head: Head) -> bool:
    texts = ('"cells"', '"position"', '"fixed"') if head.starts("{") else ("'game'",)
    return head.starts("{", "(dp") and _mentions(*texts)(head)


GNOME: Final = Format(
    name="gnome",
    title="GNOME Sudoku: a saved game",
    read=lambda source, reading: _read_each([source], reading, _parse_gnome),
    write=_write_gnome,
    can_hold=partial(only_plain, "9x9"),
    detect=_detect_gnome,
    holds="9x9",
    single=True,
)


# The game of KSudoku: XML with the groups of cells that are houses.


_ORDERS: Final = (4, 9, 16, 25)


def _parse_ksudoku(source: TextSource, reading: ReadSettings) -> _Game:
    *_, root = elements(source, keep_children=True)
    puzzle = root.only("game").only("puzzle")
    graph, values = puzzle.only("graph"), puzzle.only("values")
    with located(graph.where):
        shape = Shape.parse(_shape_in(graph))
        reading.require_shape(shape)
    cells = [_Cell(value, value > 0) for value in _values_in(values, shape)]
    for event in _events(root):
        cell = _across(_number(event, "index", shape.size**2 - 1), shape.size)
        if not cells[cell].is_given:
            has_notes = "1" in event.attributes.get("markers", "")
            value = _number(event, "value", shape.size) if "value" in event.attributes else 0
            is_given = value > 0 and event.attributes.get("given") == "true"
            cells[cell] = _Cell(value, is_given, has_notes)
    return _game(shape, cells, puzzle.where, "1")


def _events(element: Element) -> Iterator[Element]:
    """The events in the history of a game, also those of events with several cells."""
    for child in element.children:
        yield from [child] if child.name == "simple-event" else _events(child)


def _number(element: Element, key: str, most: int) -> int:
    text = element.attributes.get(key, "")
    if not re.fullmatch("[0-9]{1,3}", text) or int(text) > most:
        raise element.error(f"{element.name[:40]} with {key}={short_repr(text)}", f"0 to {most}")
    return int(text)


def _across(cell: int, size: int) -> int:
    """The number of a cell along the rows, from that down the columns."""
    return cell % size * size + cell // size


def _values_in(element: Element, shape: Shape) -> list[int]:
    """The values of the cells in an element, along the rows.

    Raises:
        PuzzleError: a symbol is not a value of `shape`, or the number of cells is wrong.
    """
    text, size = element.text.strip(), shape.size
    for symbol in text:
        if symbol != "_" and not 0 < ord(symbol) - ord("a") <= size:
            letters = f"_ for a blank, and b to {chr(ord('a') + size)} for 1 to {size}"
            problem = f"{symbol!r} among the {element.name} of KSudoku"
            expected = f"{letters}, down the columns; or a line of digits, without XML"
            raise element.error(problem, expected)
    if len(text) != size**2:
        problem = f"{element.name} of {number_of(len(text), 'cell')} for {shape}"
        raise element.error(problem, f"{size**2} cells")
    values = [0 if symbol == "_" else ord(symbol) - ord("a") for symbol in text]
    return [values[_across(cell, size)] for cell in range(size**2)]


def _shape_in(graph: Element) -> str:
    """The shape with the houses of a graph.

    Raises:
        PuzzleError: a house is neither row, column, region nor diagonal, or there are cages.
    """
    get = graph.attributes.get
    name = get("specific-type") or get("type", "")
    expected = "a Sudoku with rows, columns and boxes or regions, perhaps with diagonals"
    error = PuzzleError(f"a puzzle of the type {name[:40]!r}", expected=expected)
    kinds = {name, get("type"), *(child.name for child in graph.children)}
    if not kinds.isdisjoint({"Mathdoku", "KillerSudoku", "cage", "roxdoku", "roxdokugroups"}):
        raise error
    size = _number(graph, "order", 25)
    if get("type") == "sudoku" and size in _ORDERS:
        return f"{size}x{size}"
    dimensions = {"type": "custom", "sizeX": str(size), "sizeY": str(size), "sizeZ": "1"}
    if not dimensions.items() <= graph.attributes.items():
        raise error
    lines = {frozenset(house.cells) for house in Shape.parse(f"latin{size}").houses}
    houses = {house for child in graph.children for house in _houses_in(child, size)}
    crossed = {frozenset(cells) for cells in diagonals(size).values()}
    regions = houses - lines - crossed
    cells = sorted(cell for region in regions for cell in region)
    is_whole = lines <= houses and len(houses & crossed) != 1
    if not is_whole or cells not in ([], [*range(size**2)]):
        raise error
    variant = "+diagonal" if crossed <= houses else ""
    return (base_of(areas_of(regions)) if regions else f"latin{size}") + variant


def _houses_in(element: Element, size: int) -> Iterator[frozenset[int]]:
    """The houses of a group, or of the rows, columns and perhaps boxes of a grid.

    Raises:
        PuzzleError: an unknown element, a grid at another place, or a malformed group.
    """
    blocks = element.attributes.get("withblocks", "1") == "1"
    is_grid = element.name == "sudokugroups" and element.attributes.get("at", "0") == "0"
    if is_grid and (size in _ORDERS or not blocks):
        shape = Shape.parse(f"{size}x{size}" if blocks else f"latin{size}")
        yield from (frozenset(house.cells) for house in shape.houses)
    else:
        numbers = element.text.split()
        cells = {_across(int(cell), size) for cell in numbers if re.fullmatch("[0-9]{1,3}", cell)}
        if element.name != "clique" or len(cells) != size or len(numbers) != size:
            problem = f"{element.name[:40]} {short_repr(element.text.strip())}"
            raise element.error(problem, f"{size} cells")
        yield frozenset(cells)


def _write_ksudoku(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        puzzle, size = parsed.puzzle, parsed.puzzle.shape.size
        values = [puzzle.givens[_across(cell, size)] for cell in range(size**2)]
        text = "".join(chr(ord("a") + value) if value else "_" for value in values)
        graph = f'<graph order="{size}" type="sudoku" specific-type="Plain"/>'
        yield f"<!DOCTYPE ksudoku>\n<ksudoku>\n<game>\n<puzzle>\n{graph}\n"
        yield f"<values>{text}</values>\n</puzzle>\n<history/>\n</game>\n</ksudoku>\n"


def _can_hold_ksudoku(parsed: ParsedPuzzle) -> str | None:
    size = parsed.puzzle.shape.size
    return only_plain(f"{size}x{size}" if size in _ORDERS else "9x9", parsed)


KSUDOKU: Final = Format(
    name="ksudoku",
    title="KSudoku: a saved game",
    read=lambda source, reading: _read_each([source], reading, _parse_ksudoku),
    write=_write_ksudoku,
    can_hold=_can_hold_ksudoku,
    detect=_mentions("<ksudoku"),
    suffixes=(".ksudoku",),
    holds="9x9, 4x4, 16x16 and 25x25; also reads regions and diagonals",
    single=True,
)
