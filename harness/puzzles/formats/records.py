"""Records in TOML, JSON or JSON Lines: puzzles with name, number of solutions and source.

A TOML file has one table ``[[puzzle]]`` per puzzle; a JSON file is a list of objects or of
puzzles, an object with such a list under ``puzzle``, or one of them. The fields:

``puzzle`` or ``givens``, or without these a name such as ``grid`` (`_OTHERS`)
    the puzzle as a string, as lists of cells, a string for each row, or an object with one
    of these fields
``id``
    the name in the dataset
``shape`` or ``n``
    the shape by name, or the size of the boxed shape; by default from the length
``solutions``
    the number of solutions, or a lower bound such as ``">=2000000"``
``solution``
    the unique solution as a line or a grid; the reader checks it against the puzzle
``source``
    the origin of the puzzle
``clues``
    the number of givens; the reader checks it
``duplicate_givens``
    whether a house has a given twice; the reader checks it

The reader ignores fields that are null. A misspelt field is an error: ``solutons`` would
otherwise switch the verification off. So is a field such as ``cages`` without ``shape``.

The records are those of the format `json`, and may differ in their fields.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, Final

from harness.base.errors import PuzzleError, one_of, suggestion
from harness.base.files import parse_json, parse_toml
from harness.base.text import encodable, is_writable, short_repr
from harness.puzzles.formats.candidates import candidates_in
from harness.puzzles.formats.format import EVERYTHING, Format, Head, ReadSettings, refuse_rules
from harness.puzzles.formats.lines import rules_in, solution_line
from harness.puzzles.formats.plain import parse_plain
from harness.puzzles.formats.stream import ParsedPuzzle, TextLine, TextSource, located
from harness.puzzles.puzzle import Puzzle, values_of_line
from harness.puzzles.shape import VALUES, Shape
from harness.puzzles.solution_count import SolutionCount

# Records in TOML or JSON: a puzzle with its name, its number of solutions and its source.


FIELDS: Final = (
    "puzzle",
    "givens",
    "id",
    "shape",
    "n",
    "solutions",
    "solution",
    "source",
    "clues",
    "duplicate_givens",
)
"""The fields of a record."""
_OTHERS: Final = (
    *("puzzles", "grid", "grids", "board", "sudoku", "cells", "quiz", "question", "problem"),
    *("unsolved", "data", "newboard", "value"),
)
"""Further names of the field with the puzzle, for records of others."""
_LONGEST_NAME: Final = 100
_OBJECT: Final = re.compile(r'\s*\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\})')
_OF_OTHERS: Final = re.compile(
    r'"(?:grid|cells|ce)"\s*:\s*\[\s*\[\s*[\]{,]|"position"|"clues"\s*:\s*\['
)
"""Cells of applications, which are objects, and the data of pycsp3."""
_TABLE: Final = re.compile(r"\[\[\s*([\"']?)puzzle\1\s*\]\]\s*(?:#.*)?")
_TABLES_IN_LINE: Final = re.compile(r"puzzle\s*=\s*\[\s*\{")


def _read(
    source: TextSource, reading: ReadSettings, parse: Callable[..., Any]
) -> Iterator[ParsedPuzzle]:
    """The records of a TOML or JSON file, which `parse` reads.

    Raises:
        PuzzleError: the text is no TOML or JSON, or a record is malformed.
    """
    data, where = parse(source.text(), source.name, PuzzleError), source.name
    with located(where):
        if isinstance(data, dict) and "nbformat" in data:
            raise PuzzleError(
                "a notebook of Jupyter", expected="the text of its cell with the puzzle"
            )
        record = _unwrapped(data, reading) if isinstance(data, dict) else {"puzzle": data}
        value = record[_key(record)]
        if not reading.shape:
            refuse_rules(record, Shape.parse("9x9"))
        records = value if _are_puzzles(value, reading.shape or _shape(record)) else [record]
    yield from reading.each(
        enumerate(records, 1),
        lambda item: _read_record(item[1], item[0], reading, f"{where}: puzzle {item[0]}"),
    )


def _are_puzzles(value: object, shape: Shape | None) -> bool:
    """Whether a value is a list of puzzles rather than the cells of one.

    Raises:
        PuzzleError: it may be both.
    """
    objects = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    if objects and all({"value", "given"} <= item.keys() for item in objects):
        expected = "a list of values, with 0 for a blank"
        raise PuzzleError("cells that are objects", expected=expected)
    if not isinstance(value, list) or objects:
        return isinstance(value, list)
    single = _puzzle_or_none(value, shape or _shape_or_none(len(value)))
    if single is None or len(value) == 1:
        return any(_puzzle_or_none(item, shape) for item in value)
    if not all(_puzzle_or_none(item, shape) for item in value):
        return False
    size, small = single.shape.size, Shape.of_length(single.shape.size)
    problem = f"the list may be a puzzle of {size}x{size} or {size} puzzles of {small}"
    raise PuzzleError(problem, expected=f"--shape {size}x{size} or --shape {small}")


def _shape_or_none(size: int) -> Shape | None:
    with suppress(PuzzleError):
        return Shape.of_side(size)
    return None


def _puzzle_or_none(cells: object, shape: Shape | None) -> Puzzle | None:
    try:
        return _puzzle(cells, shape)
    except PuzzleError:
        return None


_CELL_NAME: Final = re.compile(r"[A-Za-z][0-9]{1,2}|[Rr][0-9]{1,2}[Cc][0-9]{1,2}")
"""The name of a cell: ``B7`` or ``R2C7``."""


def _key(record: Mapping[str, Any]) -> str:
    """The field of a record that has its puzzle.

    Raises:
        PuzzleError: no field has it, or two have it.
    """
    keys = [key for key in FIELDS[:2] if record.get(key) is not None]
    if not keys:
        keys = [key for key in _OTHERS if isinstance(record.get(key), str | list | dict)]
    if not keys:  # a single object around the record, of any name
        keys = [key for key, value in record.items() if isinstance(value, dict)]
        keys = keys if len(keys) == 1 else []
    if len(keys) > 1:
        raise PuzzleError(f"both {' and '.join(map(repr, keys))}", expected="one of them")
    if not keys:
        are_names = bool(record) and all(map(_CELL_NAME.fullmatch, record))
        if are_names or {"row", "value"} <= {*map(str.lower, record)}:
            expected = "a grid or a line with . for blank cells"
            raise PuzzleError("cells by name", expected=expected)
        path = _path_to_puzzle(record)
        expected = f"the object in {path}" if path else one_of((*FIELDS[:2], *_OTHERS))
        raise PuzzleError("no field with a puzzle", expected=expected)
    return keys[0]


def _path_to_puzzle(record: Mapping[str, Any]) -> str:
    """The names of the objects around the first field with a puzzle; empty if none has one."""
    for key, value in record.items():
        if isinstance(value, dict):
            if "puzzle" in value:
                return key
            if path := _path_to_puzzle(value):
                return f"{key}.{path}"
    return ""


@lru_cache(maxsize=1024)  # the records of a file have the same fields
def _similar(key: str) -> str:
    return suggestion(key, FIELDS)


def _unwrapped(record: Mapping[str, Any], reading: ReadSettings) -> Mapping[str, Any]:
    """A record with the fields of the objects around its cells.

    Raises:
        PuzzleError: a field is misspelt or may state rules, or none has the puzzle.
    """
    while True:
        for key in record:
            if key not in (*FIELDS, *_OTHERS) and (similar := _similar(key)):
                problem = f"unknown field {short_repr(key)}{similar}"
                raise PuzzleError(problem, expected=one_of(FIELDS))
        inner = record[key := _key(record)]
        if key not in FIELDS:
            reading.understand(f"field: puzzle = {key}")
        if not isinstance(inner, dict):
            return record
        outer = {name: value for name, value in record.items() if name not in (key, *_OTHERS)}
        record = outer | inner


def _read_record(record: object, number: int, reading: ReadSettings, place: str) -> ParsedPuzzle:
    """The puzzle of a record.

    Args:
        record: what a file has in the place of a record: named fields, or a puzzle.
        number: the number of the puzzle in its file, which is its name if it has no other.
        reading: how it is read.
        place: the position of the record.

    Raises:
        PuzzleError: the record is malformed.
    """
    fields = record if isinstance(record, dict) else {"puzzle": record}
    fields = {key: value for key, value in fields.items() if value is not None}
    try:
        name = _name(fields, number)
        if "id" in fields:
            place += f" ({name})"
        return _read_fields(_unwrapped(fields, reading), reading, name, place)
    except PuzzleError as error:
        raise error.at(f"{place}: {error.where}" if error.where else place) from None


def _name(record: Mapping[str, Any], number: int) -> str:
    name = record.get("id", number)
    if type(name) is int:
        return str(name)
    if not isinstance(name, str) or not _is_name(name):
        expected = f"a printable string of at most {_LONGEST_NAME} characters"
        raise PuzzleError(f"id is {short_repr(name)}", expected=expected)
    return name


def _is_name(text: str) -> bool:
    return bool(text.strip()) and text.isprintable() and len(text) <= _LONGEST_NAME


def _read_fields(
    record: Mapping[str, Any], reading: ReadSettings, name: str, place: str
) -> ParsedPuzzle:
    key_of_puzzle, shape = _key(record), reading.shape
    cells = record[key_of_puzzle]
    cells = _from_one(cells) if reading.symbols == "from-zero" else cells
    puzzle = _puzzle(cells, shape or _shape(record))
    others = {k: value for k, value in record.items() if k not in FIELDS and k != key_of_puzzle}
    if not (shape or record.get("shape")):
        refuse_rules(others, puzzle.shape)
        _refuse_grids(others, puzzle.shape, key_of_puzzle)
    _check_facts(record, puzzle)
    solution = _solution(record["solution"], puzzle) if "solution" in record else None
    expected_count = None
    if "solutions" in record or solution is not None:
        expected_count = SolutionCount.parse(record.get("solutions", 1), solution)
    source = record.get("source")
    if not isinstance(source, str | None):
        raise PuzzleError(f"source is {short_repr(source)}", expected="a string")
    further = {
        encodable(key): encodable(str(value))
        for key, value in others.items()
        if (isinstance(value, str | int | float) or rules_in(str(value), puzzle.shape))
        and (not isinstance(value, int) or is_writable(value))
    }
    return ParsedPuzzle(puzzle, place, name, expected_count, source and encodable(source), further)


def _from_one(cells: Any) -> Any:
    """Lists of cells with values from 1 for those from 0; any other notation as it is."""
    if isinstance(cells, list):
        return list(map(_from_one, cells))
    return cells + 1 if type(cells) is int and cells >= 0 else cells


def _refuse_grids(others: Mapping[str, Any], shape: Shape, key_of_puzzle: str) -> None:
    """Refuse a second grid of `shape` that has blanks, in the fields beside the puzzle.

    Raises:
        PuzzleError: there is one.
    """
    for key, value in others.items():
        may_be_grid = isinstance(value, list) or (
            isinstance(value, str) and len(value) >= shape.size**2
        )
        grid = _puzzle_or_none(value, shape) if may_be_grid else None
        if grid and not all(grid.givens):
            problem = f"two grids, in {short_repr(key_of_puzzle)} and {short_repr(key)}"
            raise PuzzleError(problem, expected="one of them")


def _check_facts(record: Mapping[str, Any], puzzle: Puzzle) -> None:
    """Check what a record says of its givens.

    Raises:
        PuzzleError: it is not true of the puzzle.
    """
    from harness.puzzles.sanity import check  # few records state facts

    facts: dict[str, Callable[[], int]] = {
        "clues": lambda: puzzle.clues,
        "duplicate_givens": lambda: bool(check(puzzle).duplicates),
    }
    for field in record.keys() & facts:
        value, fact = record[field], facts[field]()
        if type(value) is not type(fact) or value != fact:
            true = str(fact).lower()
            raise PuzzleError(f"{field} is {short_repr(value)}, but {true} in the puzzle itself")


def _shape(record: Mapping[str, Any]) -> Shape | None:
    shape, size = record.get("shape"), record.get("n", record.get("size"))
    if isinstance(shape, str):
        return Shape.parse(shape)
    if shape is not None:
        raise PuzzleError(f"shape is {short_repr(shape)}", expected="a name, such as '9x9'")
    if type(size) is int:
        return Shape.of_side(size)
    if size is not None and "n" in record:
        raise PuzzleError(f"n is {short_repr(size)}", expected="a whole number")
    return None


def _puzzle(cells: object, shape: Shape | None) -> Puzzle:
    if isinstance(cells, str):
        if shape is not None and len(cells) == shape.size**2 and _is_plain(cells, shape):
            return Puzzle(shape, values_of_line(cells))
        return candidates_in(cells, shape) or parse_plain(cells, shape)
    if not isinstance(cells, list):
        problem = f"{short_repr(cells)} is not a record or a puzzle"
        raise PuzzleError(problem, expected="named fields, a string or a list")
    return Puzzle.from_rows(cells, shape)


def _is_plain(text: str, shape: Shape) -> bool:
    """Whether a text has the symbols of the harness only, which need no further check."""
    return not text.translate(_no_symbols(shape.size))


@lru_cache(maxsize=64)
def _no_symbols(size: int) -> dict[int, int | None]:
    return str.maketrans("", "", "." + VALUES[:size])


def _solution(cells: object, puzzle: Puzzle) -> str:
    try:
        solved = _puzzle(cells, puzzle.shape)
    except PuzzleError as error:
        where = error.where.removeprefix("puzzle")
        raise error.at(f"solution{' ' * where.isalnum()}{where}") from None
    return solution_line(solved.givens, puzzle)


def _record_of(parsed: ParsedPuzzle) -> dict[str, str | int]:
    """The record of a puzzle."""
    puzzle, count = parsed.puzzle, parsed.expected_count
    record: dict[str, str | int] = {"id": parsed.name, "shape": puzzle.shape.definition}
    record["puzzle"] = puzzle.line
    if count is not None:
        record["solutions"] = count.notation
        if count.solution is not None:
            record["solution"] = count.solution
    if parsed.source is not None:
        record["source"] = parsed.source
    if "clues" in parsed.fields:
        record["clues"] = puzzle.clues
    return record | {key: value for key, value in parsed.fields.items() if key not in FIELDS}


def _write_json(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    """A JSON list of the records of `puzzles`."""
    between = "[\n"
    for parsed in puzzles:
        yield between + json.dumps(_record_of(parsed), ensure_ascii=False)
        between = ",\n"
    yield "[]\n" if between == "[\n" else "\n]\n"


def _write_toml(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    """A TOML table ``[[puzzle]]`` for each of `puzzles`."""
    import tomli_w  # environments of backends have provers, and no writer of TOML

    between = ""
    for parsed in puzzles:
        record = _record_of(parsed)
        # TOML has integers of 64 bits; the reader of the harness reads any.
        yield f"{between}[[puzzle]]\n{tomli_w.dumps(record)}"
        between = "\n"


def can_hold(parsed: ParsedPuzzle) -> str | None:
    """Why a record cannot hold the puzzle; None if it can."""
    for key in parsed.fields:
        if key not in FIELDS and (similar := _similar(key)):
            return f"holds no field {short_repr(key)}{similar}"
    if not _is_name(parsed.name):
        return f"holds printable names of at most {_LONGEST_NAME} characters only"
    return None


def _is_json_lines(head: Head) -> bool:
    """Whether a text has a record in JSON on each of two or more lines."""
    return len(head.rows) > 1 and all(_is_record_line(line.text) for line in head.rows[:2])


def _is_record_line(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return _is_own(text)


def _is_own(text: str) -> bool:
    """Whether a text begins as an object, and not as one of another format."""
    return _OBJECT.match(text) is not None and _OF_OTHERS.search(text) is None


def _is_records(head: Head) -> bool:
    """Whether a text begins as a list of records, or as an object."""
    if _is_json_lines(head):
        return False
    text = "".join(line.raw.strip() for line in head.lines)
    is_list = text.startswith(("[{", "[]", "[ {")) or head.suffix == ".json"
    return (is_list and not _OBJECT.match(text)) or _is_own(text)


def _is_toml(head: Head) -> bool:
    """Whether a text has a table ``[[puzzle]]``, or begins with a list of such tables."""
    if any(_TABLE.fullmatch(row.text) for row in head.rows):
        return True
    start = "\n".join(row.text for row in head.rows[:2])
    return _TABLES_IN_LINE.match(start) is not None


TOML: Final = Format(
    name="toml",
    title="records in TOML, see datasets/README.md",
    read=partial(_read, parse=parse_toml),
    write=_write_toml,
    can_hold=can_hold,
    detect=_is_toml,
    suffixes=(".toml",),
    keeps=EVERYTHING,
    holds="every shape and pencilmarks",
)
JSON: Final = Format(
    name="json",
    shared_suffixes=(".json",),
    title="records in JSON, see datasets/README.md",
    read=partial(_read, parse=parse_json),
    write=_write_json,
    can_hold=can_hold,
    detect=_is_records,
    keeps=EVERYTHING,
    holds="every shape and pencilmarks",
)


# JSON Lines: a record in JSON on each line, read and written as a stream.


def _read_json_lines(source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
    def parse(item: tuple[int, TextLine]) -> ParsedPuzzle:
        number, line = item
        try:
            record = parse_json(line.text, "", PuzzleError)
        except PuzzleError as error:
            column = error.where.rpartition(":")[2]
            raise error.at(line.place(int(column) - 1 if column else None)) from None
        return _read_record(record, number, reading, line.place())

    yield from reading.each(source.rows(), parse)


def _write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        yield json.dumps(_record_of(parsed), ensure_ascii=False) + "\n"


JSON_LINES: Final = Format(
    name="jsonl",
    title="a record in JSON on each line",
    read=_read_json_lines,
    write=_write,
    can_hold=can_hold,
    detect=_is_json_lines,
    suffixes=(".jsonl", ".ndjson"),
    keeps=EVERYTHING,
    holds="every shape and pencilmarks",
)
