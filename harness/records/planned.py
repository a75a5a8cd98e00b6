"""The planned trials of a run: how often each question is to run on each instance.

Every invocation of a run adds what it was given, so a run that grew by several commands has
the union of their plans. Finished trials are no longer needed to know what is missing.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Final

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS planned (
    question_id INTEGER NOT NULL REFERENCES questions (id),
    instance_id INTEGER NOT NULL REFERENCES instances (id),
    repetitions INTEGER NOT NULL,
    PRIMARY KEY (question_id, instance_id)
) WITHOUT ROWID"""
"""Some stores of version 5 lack the table."""

COLUMNS: Final = (
    *("backend", "options", "versions", "dataset", "scramble", "task", "limit", "start"),
    *("timeout_s", "cpu_limit_s", "memory_limit_mib", "host", "planned"),
)
"""The columns of `read`."""

Planned = tuple[int, int, int]
"""The ids of a question and of an instance, and the number of repetitions."""

_OF_TRIALS: Final = (
    "SELECT question_id, instance_id, max(repetition) FROM {}.trials "
    "GROUP BY question_id, instance_id"
)
_ADD: Final = (
    "INSERT INTO planned VALUES (?, ?, ?) ON CONFLICT (question_id, instance_id) "
    "DO UPDATE SET repetitions = max(repetitions, excluded.repetitions)"
)
_SELECT: Final = """
SELECT c.backend, c.options, c.versions, i.dataset, {scramble}, q.task, nullif(q."limit", 0),
    q.start, q.timeout_s, q.cpu_limit_s, q.memory_limit_mib, q.host, sum(p.repetitions)
FROM planned p
JOIN questions q ON q.id = p.question_id
JOIN configurations c ON c.id = q.configuration_id
JOIN instances i ON i.id = p.instance_id
GROUP BY q.id, i.dataset, {scramble}
ORDER BY q.id, i.dataset, {scramble}"""


def add_finished(db: sqlite3.Connection) -> None:
    """Count the finished trials as planned, for a store that did not record its plan."""
    db.execute(f"INSERT INTO planned {_OF_TRIALS.format('main')}")


def exists(db: sqlite3.Connection, schema: str = "main") -> bool:
    """Whether the store has the table."""
    query = f"SELECT 1 FROM {schema}.sqlite_master WHERE type = 'table' AND name = 'planned'"
    return db.execute(query).fetchone() is not None


def add(db: sqlite3.Connection, rows: Iterable[Planned]) -> None:
    """Add plans; a trial that is planned already is not planned twice."""
    db.executemany(_ADD, rows)


def read(db: sqlite3.Connection) -> list[Sequence[Any]]:
    """The number of planned trials of each question and dataset, with `COLUMNS`.

    Empty for a run of a harness that did not record them.
    """
    if not exists(db):
        return []
    columns = {row[1] for row in db.execute("PRAGMA table_info(instances)")}
    # Stores before version 8 have no scrambles.
    return db.execute(
        _SELECT.format(scramble="i.scramble" if "scramble" in columns else "''")
    ).fetchall()


def merge(db: sqlite3.Connection) -> None:
    """Add the planned trials of the store ``other`` to those of the store ``main``.

    A trial that both have is planned twice. ``temp.questions_ids`` and
    ``temp.instances_ids`` map the ids of the other store.
    """
    source = "SELECT * FROM other.planned" if exists(db, "other") else _OF_TRIALS.format("other")
    db.execute(
        f"WITH theirs (question_id, instance_id, repetitions) AS ({source}) "
        "INSERT INTO main.planned SELECT q.id, i.id, theirs.repetitions FROM theirs "
        "JOIN temp.questions_ids q ON q.other_id = theirs.question_id "
        "JOIN temp.instances_ids i ON i.other_id = theirs.instance_id WHERE true "
        "ON CONFLICT (question_id, instance_id) "
        "DO UPDATE SET repetitions = repetitions + excluded.repetitions"
    )
