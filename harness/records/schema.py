"""The tables of a store, and the check of their cells.

Every invocation of a run adds its plan to the table ``planned``, so a run that grew by several
commands has the union of their plans. It shows which trials are missing, without a guess from the
finished ones.

SQLite stores any value in any column. One scan of each table finds the first cell whose value
is not of its field's type, or outside its field's bounds.
"""

import re
import sqlite3
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from math import isqrt
from pathlib import Path
from typing import Any, Final

import msgspec

from harness.base.errors import InputError, StoreDamagedError
from harness.base.text import MOST_DIGITS, fits_64_bits, printable, short_repr, shortened
from harness.puzzles import LETTERED, SOLUTION, VALUES, Puzzle, Shape
from harness.puzzles import TEXT as EXPECTED_TEXT
from harness.records.fields import FIELDS, Field, StoreTable, fields_of
from harness.records.question import Verdict
from harness.records.trial import LAST_SECOND

# The tables of a store, made from `harness.records.fields`.


SCHEMA_VERSION: Final = 9
ANSWERED: Final = ", ".join(f"'{verdict}'" for verdict in Verdict if verdict.answered)
"""The verdicts on right answers, as a list in SQL."""
COLUMNS: Final = (
    *("backend", "options", "versions", "dataset", "scramble", "task", "limit", "start"),
    *("timeout_s", "cpu_limit_s", "memory_limit_mib", "host", "planned"),
)
"""The columns of the rows that `SELECT_PLANNED` gives."""
SELECT_PLANNED: Final = """
SELECT c.backend, c.options, c.versions, i.dataset, i.scramble, q.task, nullif(q."limit", 0),
    q.start, q.timeout_s, q.cpu_limit_s, q.memory_limit_mib, q.host, sum(p.repetitions)
FROM planned p
JOIN questions q ON q.id = p.question_id
JOIN configurations c ON c.id = q.configuration_id
JOIN instances i ON i.id = p.instance_id
GROUP BY q.id, i.dataset, i.scramble
ORDER BY q.id, i.dataset, i.scramble"""
"""The query for the number of planned trials of each question and dataset."""


def _columns(table: StoreTable) -> str:
    return ", ".join(field.declaration for field in fields_of(table))


def _names(table: StoreTable) -> list[str]:
    return [field.column for field in fields_of(table)]


IDENTITY: Final[dict[str, tuple[str, ...]]] = {
    "configurations": ("backend", "options", "versions"),
    "instances": ("dataset", "scramble", "puzzle_id"),
    "questions": ("configuration_id", *_names(StoreTable.QUESTIONS)),
}
"""For each table with ids of its own, the columns whose values identify a row."""

TRIAL_COLUMNS: Final = ("question_id", "instance_id", *_names(StoreTable.TRIALS))
"""The columns of a trial, in the order in which `Store.add` fills them."""

SCHEMA: Final = f"""
CREATE TABLE configurations (
    id INTEGER PRIMARY KEY, {_columns(StoreTable.CONFIGURATIONS)},
    UNIQUE ({", ".join(IDENTITY["configurations"])})
);
CREATE TABLE puzzles (id TEXT PRIMARY KEY, {_columns(StoreTable.PUZZLES)});
CREATE TABLE instances (
    id INTEGER PRIMARY KEY, position INTEGER NOT NULL, {_columns(StoreTable.INSTANCES)},
    UNIQUE ({", ".join(IDENTITY["instances"])}),
    FOREIGN KEY (puzzle_id) REFERENCES puzzles (id)
);
CREATE TABLE questions (
    id INTEGER PRIMARY KEY,
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    {_columns(StoreTable.QUESTIONS)},
    UNIQUE ({", ".join(IDENTITY["questions"])})
);
CREATE TABLE trials (
    id INTEGER PRIMARY KEY,
    question_id INTEGER NOT NULL REFERENCES questions (id),
    instance_id INTEGER NOT NULL REFERENCES instances (id),
    {_columns(StoreTable.TRIALS)},
    UNIQUE (question_id, repetition, instance_id)
);
CREATE TABLE events (
    at TEXT NOT NULL, backend TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL, seconds REAL
);
CREATE TABLE planned (
    question_id INTEGER NOT NULL REFERENCES questions (id),
    instance_id INTEGER NOT NULL REFERENCES instances (id),
    repetitions INTEGER NOT NULL,
    PRIMARY KEY (question_id, instance_id)
) WITHOUT ROWID;
"""
"""The ids of trials follow the order in which the harness received their outcomes."""
CREATE: Final = f"BEGIN; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
"""A script that makes the tables of a new store."""


def _selection(*tables: StoreTable) -> str:
    # In the queries, the alias of a table is its first letter.
    return ", ".join(
        f'{field.select.format(f"{field.table[0]}.{field.column}")} AS "{field.name}"'
        for field in FIELDS
        if field.table in tables
    )


_JOIN_CONFIGURATIONS: Final = "JOIN configurations c ON c.id = q.configuration_id"
_JOIN_PUZZLES: Final = "JOIN puzzles p ON p.id = i.puzzle_id"
SELECT_TRIALS: Final = f"""
SELECT {_selection(*StoreTable)}, c.id AS configuration_id
FROM trials t
JOIN questions q ON q.id = t.question_id {_JOIN_CONFIGURATIONS}
JOIN instances i ON i.id = t.instance_id {_JOIN_PUZZLES}
ORDER BY t.id"""
"""The query for every trial with all of its fields, in the order of their end."""
SELECT_OUTCOMES: Final = f"""
SELECT t.question_id, t.instance_id, {_selection(StoreTable.TRIALS)} FROM trials t ORDER BY t.id"""
"""The query for the fields that differ between trials, in the same order."""
SELECT_QUESTIONS: Final = f"""
SELECT q.id AS question_id, c.id AS configuration_id,
    {_selection(StoreTable.QUESTIONS, StoreTable.CONFIGURATIONS)}
FROM questions q {_JOIN_CONFIGURATIONS}"""
SELECT_INSTANCES: Final = f"""
SELECT i.id AS instance_id, {_selection(StoreTable.INSTANCES, StoreTable.PUZZLES)}
FROM instances i {_JOIN_PUZZLES}"""


# Check of the cells of a store against the declarations of their fields.


_LARGEST: Final = "1.7976931348623157e308"
"""The largest finite number of SQLite."""
_KEYS: Final[dict[str, dict[str, str]]] = {
    "puzzles": {"id": "typeof(id) = 'text'"},
    "instances": {"position": "typeof(position) = 'integer'"},
    "events": {
        **{name: f"typeof({name}) = 'text'" for name in ("at", "backend", "kind", "detail")},
        "seconds": "typeof(seconds) IN ('real', 'null')",
    },
    "planned": {
        "repetitions": "typeof(repetitions) = 'integer' AND repetitions BETWEEN 1 AND 1000000000"
    },
}
"""The conditions of columns that hold no field, by table."""


def check_cells(db: sqlite3.Connection, path: Path) -> None:
    """Check every cell of a store.

    Args:
        db: a connection to the store.
        path: the file that an error names.

    Raises:
        StoreDamagedError: a cell has an invalid value; the error names the first.
    """
    for name, function in _FUNCTIONS.items():
        # The same values occur often; a cache in C answers for them without a call into Python.
        db.create_function(name, -1, lru_cache(1000)(function), deterministic=True)
    for table in (*StoreTable, "events", "planned"):
        conditions = _conditions(table)
        cells = ", ".join(f'"{name}", {condition}' for name, condition in conditions.items())
        key = "rowid" if table != "planned" else "printf('%d, %d', question_id, instance_id)"
        is_valid = " AND ".join(conditions.values())
        query = f"SELECT {key}, {cells} FROM {table} WHERE NOT ({is_valid}) LIMIT 1"
        for row, *values in db.execute(query):
            checked = zip(conditions, values[::2], values[1::2], strict=True)
            name, value = next((name, value) for name, value, valid in checked if not valid)
            damage = f"{name} in row {row} of {table} is {printable(shortened(short_repr(value)))}"
            raise StoreDamagedError(f"the store is damaged: {damage}", where=str(path))


@cache
def _conditions(table: str) -> Mapping[str, str]:
    """The SQL condition that a valid value of each column meets, in brackets; never NULL."""
    # A question stores 0 for no limit: with NULL, SQLite would not find an equal question.
    is_optional = table != StoreTable.QUESTIONS
    fields = {
        field.in_store: f"({field.column} IS NULL OR {_valid(field)})"
        if field.optional and is_optional
        else f"({_valid(field)})"
        for field in FIELDS
        if field.table == table
    }
    return fields | _KEYS.get(table, {})


def _valid(field: Field) -> str:
    column = field.column
    is_text = f"typeof({column}) = 'text'"
    if field.name == "ended_at":
        return f"typeof({column}) = 'real' AND {column} BETWEEN 0 AND {LAST_SECOND}"
    if field.members is not None:
        return f"{is_text} AND ({column} = '{{}}' OR is_{field.name}({column}))"
    if field.name in _TEXTS:
        return f"{is_text} AND is_{field.name}({column})"
    if field.name == "puzzle":
        return f"{is_text} AND is_puzzle({column}, shape)"
    if field.name == "original":
        shape = "(SELECT shape FROM puzzles p WHERE p.id = puzzle_id)"
        return f"{is_text} AND is_puzzle({column}, {shape})"
    if field.unbounded:
        return f"typeof({column}) = 'integer' OR {is_text} AND is_large_integer({column})"
    if field.type is str:
        one_of = ", ".join(f"'{choice}'" for choice in field.choices)
        return f"{is_text} AND {column} IN ({one_of})" if one_of else is_text
    if field.type is bool:
        return f"typeof({column}) = 'integer' AND {column} IN (0, 1)"
    least = "" if field.least is None else f" AND {column} >= {field.least}"
    if field.type is int:
        most = "" if field.most is None else f" AND {column} <= {field.most}"
        return f"typeof({column}) = 'integer'{least}{most}"
    return f"typeof({column}) = 'real' AND abs({column}) <= {_LARGEST}{least}"


@lru_cache(maxsize=1000)
def _cells(spec: str) -> int:
    """The number of cells of a shape; -1 if no shape has this name."""
    try:
        shape = Shape.parse(spec)
    except InputError:
        return -1
    return shape.size**2 if shape.definition == spec else -1


# SQLite may call a function before the check of the type beside it.


_NO_LINE: Final = re.compile(f"[^.{VALUES}]")


def _is_puzzle(line: object, shape: object) -> bool:
    if not isinstance(line, str) or not isinstance(shape, str):
        return False
    cells = _cells(shape)
    if cells > LETTERED**2:
        try:
            return Puzzle.of_line(line, Shape.parse(shape)).line == line
        except (InputError, UnicodeError):
            return False
    if len(line) == cells:
        return _NO_LINE.search(line) is None
    size = isqrt(max(cells, 0))
    symbols = VALUES[:size]
    return len(line) == size**3 and all(
        symbol in (".", expected) for symbol, expected in zip(line, symbols * cells, strict=True)
    )


def _is_large_integer(text: str) -> bool:
    is_integer = re.fullmatch(rf"-?[1-9][0-9]{{18,{MOST_DIGITS - 1}}}", text)
    return is_integer is not None and not fits_64_bits(int(text))


def _is_object(members: Any) -> Callable[[str], bool]:
    """Whether a text is a JSON object with values of the type `members`."""
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(dict[str, members])

    def is_object(text: str) -> bool:
        try:
            decoder.decode(text)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return False
        return True

    return is_object


def _of_text(is_valid: Callable[[str], object]) -> Callable[[object], bool]:
    return lambda text: isinstance(text, str) and bool(is_valid(text))


_TEXTS: Final[dict[str, Callable[[str], object]]] = {
    "shape": lambda spec: _cells(spec) > 0,
    "solution": re.compile(SOLUTION).fullmatch,
    "scramble": re.compile(rf"(-?[0-9]{{1,{MOST_DIGITS}}})?").fullmatch,
    "expected_count": re.compile(EXPECTED_TEXT).fullmatch,
    **{field.name: _is_object(field.members) for field in FIELDS if field.members is not None},
}
"""The check of a text by the name of its field."""
_FUNCTIONS: Final[dict[str, Callable[..., bool]]] = {
    "is_puzzle": _is_puzzle,
    "is_large_integer": _of_text(_is_large_integer),
    **{f"is_{name}": _of_text(is_valid) for name, is_valid in _TEXTS.items()},
}
"""The functions that the conditions call."""
