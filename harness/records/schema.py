"""The tables of a store, made from `harness.records.fields`."""

from collections.abc import Collection, Mapping
from typing import Final

from harness.records import planned
from harness.records.fields import FIELDS, Field, Table, fields_of

SCHEMA_VERSION: Final = 8

_ALIASES: Final = {
    Table.CONFIGURATIONS: "c",
    Table.INSTANCES: "i",
    Table.PUZZLES: "p",
    Table.QUESTIONS: "q",
    Table.TRIALS: "t",
}


def _columns(table: Table) -> str:
    return ", ".join(field.declaration for field in fields_of(table))


def _names(table: Table) -> list[str]:
    return [field.column for field in fields_of(table)]


QUESTION_COLUMNS: Final = ("configuration_id", *_names(Table.QUESTIONS))
"""The columns that distinguish questions."""

TRIAL_COLUMNS: Final = ("question_id", "instance_id", *_names(Table.TRIALS))
"""The columns of a trial, in the order in which `Store.add` fills them."""

SCHEMA: Final = f"""
CREATE TABLE configurations (
    id INTEGER PRIMARY KEY, {_columns(Table.CONFIGURATIONS)},
    UNIQUE (backend, options, versions)
);
CREATE TABLE puzzles (id TEXT PRIMARY KEY, {_columns(Table.PUZZLES)});
CREATE TABLE instances (
    id INTEGER PRIMARY KEY, position INTEGER NOT NULL, {_columns(Table.INSTANCES)},
    UNIQUE (dataset, scramble, puzzle_id),
    FOREIGN KEY (puzzle_id) REFERENCES puzzles (id)
);
CREATE TABLE questions (
    id INTEGER PRIMARY KEY,
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    {_columns(Table.QUESTIONS)},
    UNIQUE ({", ".join(QUESTION_COLUMNS)})
);
CREATE TABLE trials (
    id INTEGER PRIMARY KEY,
    question_id INTEGER NOT NULL REFERENCES questions (id),
    instance_id INTEGER NOT NULL REFERENCES instances (id),
    {_columns(Table.TRIALS)},
    UNIQUE (question_id, repetition, instance_id)
);
CREATE TABLE events (
    at TEXT NOT NULL, backend TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL, seconds REAL
);
{planned.SCHEMA};
"""
"""Ids of trials are in the order in which the harness received their outcomes."""

TABLES: Final = (
    *(Table.CONFIGURATIONS, Table.PUZZLES, Table.INSTANCES, Table.QUESTIONS, Table.TRIALS),
    *("events", "planned"),
)
"""All tables, each after those that it refers to."""


def select_trials(present: Mapping[Table, Collection[str]]) -> str:
    """The query for every trial with all of its fields, in the order of their end.

    Args:
        present: the columns that the tables of a store have. A field without a column, in a
            store of an earlier version, has the value of its `earlier` column or is missing; a text
            that cannot be missing is empty.
    """
    selected = ", ".join(_selected(field, present[field.table]) for field in FIELDS)
    return f"""
        SELECT {selected}, c.id AS configuration_id
        FROM trials t
        JOIN questions q ON q.id = t.question_id
        JOIN configurations c ON c.id = q.configuration_id
        JOIN instances i ON i.id = t.instance_id
        JOIN puzzles p ON p.id = i.puzzle_id
        ORDER BY t.id"""


def _selected(field: Field, present: Collection[str]) -> str:
    alias = _ALIASES[field.table]
    if field.in_store in present:
        value = field.select.format(f"{alias}.{field.column}")
    elif field.earlier:
        value = f'{alias}."{field.earlier}"'
    else:
        value = "NULL" if field.optional else "''"
    return f'{value} AS "{field.name}"'
