"""Records in TOML or JSON: a puzzle with its name, its truth and its source.

A TOML file has a table ``[[puzzle]]`` a puzzle, a JSON file is a list of
objects or an object with such a list under ``puzzle``. The fields:

``puzzle`` or ``givens``
    the puzzle as a text, or as a list of integers (or a list of rows of them)
    with 0 for a blank
``id``
    its name in the dataset
``shape`` or ``n``
    the shape by name, or the size of the classic one; from the length if absent
``solutions``
    their number, or ``">=2000000"``
``solution``
    the one solution as a line
``source``
    where it comes from
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from harness.errors import InputError
from harness.puzzles.formats.source import Read, content_lines
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.puzzles.truth import Truth


def read_toml(text: str, shape: Shape | None, where: str) -> Iterator[Read]:
    """The records of a TOML text.

    Raises:
        InputError: it is no TOML, or a record is malformed.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"no TOML: {error}", where=where) from None
    yield from _records(data, shape, where)


def read_json(text: str, shape: Shape | None, where: str) -> Iterator[Read]:
    """The records of a JSON text.

    Raises:
        InputError: it is no JSON, or a record is malformed.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"{where}:{error.lineno}:{error.colno}"
        raise InputError(f"no JSON: {error.msg}", where=place) from None
    yield from _records(data, shape, where)


def _records(data: Any, shape: Shape | None, where: str) -> Iterator[Read]:
    records = data.get("puzzle") if isinstance(data, dict) else data
    if not isinstance(records, list):
        raise InputError("no list of puzzles", where=where, expected="[[puzzle]] tables or a list")
    for number, record in enumerate(records, 1):
        place = f"{where}: puzzle {number}"
        if not isinstance(record, dict):
            raise InputError(f"{record!r} is no record", where=place, expected="named fields")
        name = str(record.get("id", number))
        if "id" in record:
            place += f" ({name})"
        try:
            yield _read(record, shape, name, place)
        except InputError as error:
            raise error.at(f"{place}: {error.where}" if error.where else place) from None


def _read(record: Mapping[str, Any], shape: Shape | None, name: str, place: str) -> Read:
    shape = shape or _shape(record)
    if isinstance(record.get("puzzle"), str):
        puzzle = Puzzle.parse(record["puzzle"], shape)
    elif isinstance(record.get("givens"), list):
        puzzle = _from_givens(record["givens"], shape)
    else:
        raise InputError("no puzzle", expected="a text 'puzzle' or a list 'givens'")
    truth = None
    solution = record.get("solution")
    if solution is not None:
        solution = _solution(solution, puzzle)
    if "solutions" in record or solution is not None:
        truth = Truth.parse(record.get("solutions", 1), solution)
    source = record.get("source")
    return Read(puzzle, place, name, truth, None if source is None else str(source))


def _shape(record: Mapping[str, Any]) -> Shape | None:
    if "shape" in record:
        return Shape.parse(str(record["shape"]))
    if "n" in record:
        return Shape.parse(f"{record['n']}x{record['n']}")
    return None


def _from_givens(givens: list[Any], shape: Shape | None) -> Puzzle:
    if givens and isinstance(givens[0], list):
        return Puzzle.from_rows(givens, shape)
    return Puzzle(shape or Shape.of_length(len(givens)), tuple(givens))


def _solution(solution: Any, puzzle: Puzzle) -> str:
    line = "".join(content.text for content in content_lines(str(solution), "solution"))
    solved = Puzzle.parse(line, puzzle.shape)
    if solved.clues != len(solved.givens):
        raise InputError("the solution has blanks", expected="a complete grid")
    return solved.line
