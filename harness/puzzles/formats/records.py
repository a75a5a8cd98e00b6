"""Records in TOML, JSON or JSON Lines: puzzles with name, number of solutions and source.

A TOML file has one table ``[[puzzle]]`` per puzzle; a JSON file is a list of objects,
or an object with such a list under ``puzzle``. The fields:

``puzzle`` or ``givens``
    the puzzle as a string, or as a list of integers (or of rows of integers) with 0
    for a blank
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

The reader ignores fields that are null. Any other field or table is an error: a misspelt
``solutions`` would otherwise switch the verification off.

The records are those of the format `json`, and may differ in their fields.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any, Final

from harness.base.errors import PuzzleError, one_of, suggestion
from harness.base.files import parse_json, parse_toml
from harness.base.text import encodable, is_writable, short_repr
from harness.puzzles.formats.candidates import candidates_in
from harness.puzzles.formats.format import EVERYTHING, Format, Head, ReadSettings
from harness.puzzles.formats.lines import solution_line
from harness.puzzles.formats.plain import parse_puzzle
from harness.puzzles.formats.stream import ParsedPuzzle, TextLine, TextSource
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
_LONGEST_NAME: Final = 100
_LIST: Final = "[[puzzle]] tables or a list of records"
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
    if isinstance(data, dict):
        for key in data:
            if key != "puzzle" and (similar := suggestion(key, ["puzzle"])):
                problem = f"unknown key {short_repr(key)}{similar}"
                raise PuzzleError(problem, where=where, expected=_LIST)
    records = data.get("puzzle") if isinstance(data, dict) else data
    if not isinstance(records, list):
        raise PuzzleError("no list of puzzles", where=where, expected=_LIST)
    yield from reading.each(
        enumerate(records, 1),
        lambda item: _read_record(item[1], item[0], reading.shape, f"{where}: puzzle {item[0]}"),
    )


def _read_record(record: object, number: int, shape: Shape | None, place: str) -> ParsedPuzzle:
    """The puzzle of a record.

    Args:
        record: what a file has in the place of a record.
        number: the number of the puzzle in its file, which is its name if it has no other.
        shape: the shape of all puzzles; None if each record determines it.
        place: the position of the record.

    Raises:
        PuzzleError: the record is malformed.
    """
    if not isinstance(record, dict):
        raise PuzzleError(
            f"{short_repr(record)} is not a record", where=place, expected="named fields"
        )
    fields = {key: value for key, value in record.items() if value is not None}
    try:
        name = _name(fields, number)
        if "id" in fields:
            place += f" ({name})"
        _refuse_misspelt(record)
        return _read_records(fields, shape, name, place)
    except PuzzleError as error:
        raise error.at(f"{place}: {error.where}" if error.where else place) from None


def _refuse_misspelt(record: Mapping[str, Any]) -> None:
    """Refuse fields whose names resemble those of `FIELDS`; others, such as ratings, are ignored.

    Raises:
        PuzzleError: there is one.
    """
    for key in record:
        if key not in FIELDS and (similar := suggestion(key, FIELDS)):
            raise PuzzleError(f"unknown field {short_repr(key)}{similar}", expected=one_of(FIELDS))


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


def _read_records(
    record: Mapping[str, Any], shape: Shape | None, name: str, place: str
) -> ParsedPuzzle:
    puzzle = _puzzle(record, shape or _shape(record))
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
        for key, value in record.items()
        if key not in FIELDS
        and isinstance(value, str | int | float)
        and (not isinstance(value, int) or is_writable(value))
    }
    return ParsedPuzzle(puzzle, place, name, expected_count, source and encodable(source), further)


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
    shape, size = record.get("shape"), record.get("n")
    if isinstance(shape, str):
        return Shape.parse(shape)
    if shape is not None:
        raise PuzzleError(f"shape is {short_repr(shape)}", expected="a name, such as '9x9'")
    if type(size) is int:
        return Shape.of_side(size)
    if size is not None:
        raise PuzzleError(f"n is {short_repr(size)}", expected="a whole number")
    return None


def _puzzle(record: Mapping[str, Any], shape: Shape | None) -> Puzzle:
    givens = [record[key] for key in ("puzzle", "givens") if key in record]
    if len(givens) == 2:
        raise PuzzleError("both 'puzzle' and 'givens'", expected="one of them")
    if givens and isinstance(givens[0], str):
        if shape is not None and len(givens[0]) == shape.size**2 and _is_plain(givens[0], shape):
            return Puzzle(shape, values_of_line(givens[0]))
        if marks := candidates_in(givens[0], shape):
            return marks
        return parse_puzzle(givens[0], shape)
    if givens and isinstance(givens[0], list):
        return _from_list(givens[0], shape)
    expected = "a string or a list of integers in 'puzzle' or 'givens'"
    raise PuzzleError("missing puzzle", expected=expected)


def _is_plain(text: str, shape: Shape) -> bool:
    """Whether a text has the symbols of the harness only, which need no further check."""
    return not text.translate(_no_symbols(shape.size))


@lru_cache(maxsize=64)
def _no_symbols(size: int) -> dict[int, int | None]:
    return str.maketrans("", "", "." + VALUES[:size])


def _from_list(givens: list[Any], shape: Shape | None) -> Puzzle:
    if givens and all(isinstance(row, list) for row in givens):
        return Puzzle.from_rows(givens, shape)
    return Puzzle(shape or Shape.of_length(len(givens)), tuple(givens))


def _solution(text: Any, puzzle: Puzzle) -> str:
    if not isinstance(text, str):
        raise PuzzleError(f"solution is {short_repr(text)}", expected="a line or a grid")
    try:
        solved = parse_puzzle(text, puzzle.shape)
    except PuzzleError as error:
        raise error.at(f"solution{error.where.removeprefix('puzzle')}") from None
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
        if key not in FIELDS and (similar := suggestion(key, FIELDS)):
            return f"holds no field {short_repr(key)}{similar}"
    if not _is_name(parsed.name):
        return f"holds printable names of at most {_LONGEST_NAME} characters only"
    return None


def _is_json_lines(head: Head) -> bool:
    """Whether a text has a record in JSON on each line; in a file ``.json``, two or more."""
    lines = [line.text for line in head.rows[:2]]
    if not lines or (head.suffix == ".json" and len(lines) == 1):
        return False
    return all(map(_is_record_line, lines))


def _is_record_line(text: str) -> bool:
    if not (text.startswith("{") and text.endswith("}")):
        return False
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return False
    cells = record.get("puzzle", record.get("givens"))
    is_list = isinstance(cells, list) and not any(isinstance(cell, dict) for cell in cells)
    return is_list or isinstance(cells, str)


def _is_records(head: Head) -> bool:
    """Whether a text begins as a list of records, or as an object with one.

    Other formats in JSON are objects with other keys.
    """
    if _is_json_lines(head):
        return False
    text = "".join(line.raw.strip() for line in head.lines[:40])
    other = re.match(r"\{\s*\"(?!puzzle\")", text) and '"puzzle"' not in text
    return text.startswith(("[{", "[]", "[ {", '{"puzzle"')) or (
        head.suffix == ".json" and not other
    )


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
        return _read_record(record, number, reading.shape, line.place())

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
