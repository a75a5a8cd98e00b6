"""Several runs made one, without losing a row."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from harness.errors import InputError
from harness.records.environment import read_invocations, write_invocations
from harness.records.schema import QUESTION_COLUMNS
from harness.records.store import FILE, Store, check_version, open_store


def merge(sources: Sequence[Path], target: Path) -> int:
    """Write the trials of all `sources` into a new run at `target`; how many there are.

    A trial that two runs have from the same host is kept twice, as one more
    repetition. The calls of all runs are listed in the order of their start.

    Raises:
        InputError: a source is no run, or the target is there already.
    """
    if len(sources) < 2:
        raise InputError(f"{len(sources)} run to merge", expected="at least two")
    if target.exists() and any(target.iterdir() if target.is_dir() else [target]):
        raise InputError("already there", where=str(target), expected="a new folder")
    for source in sources:
        if not (source / FILE).is_file():
            raise InputError("no run", where=str(source), expected="the folder of a run")
        with closing(open_store(source)) as db:
            check_version(db, source)
    invocations = [call for source in sources for call in read_invocations(source)]
    target.mkdir(parents=True, exist_ok=True)
    Store(target).close()
    with closing(open_store(target)) as db:
        for source in sources:
            _add(db, source)
        total = int(db.execute("SELECT count(*) FROM trials").fetchone()[0])
    write_invocations(target, sorted(invocations, key=lambda call: str(call.get("started_at"))))
    return total


def _add(db: sqlite3.Connection, source: Path) -> None:
    """Add the rows of the run at `source`, all or none."""
    db.execute("ATTACH DATABASE ? AS other", (str(source / FILE),))
    try:
        with db:
            db.execute("INSERT OR IGNORE INTO puzzles SELECT * FROM other.puzzles")
            db.execute("INSERT INTO events SELECT * FROM other.events")
            _add_unless_there(db, "instances")
            _add_unless_there(db, "configurations")
            _number_as_here(db, "instances", ("dataset", "puzzle_id"))
            _number_as_here(db, "configurations", ("backend", "options", "versions"))
            _add_questions(db)
            _number_as_here(db, "questions", QUESTION_COLUMNS)
            _add_trials(db)
    finally:
        db.execute("DETACH DATABASE other")


def _columns(db: sqlite3.Connection, table: str) -> list[str]:
    """The columns of `table` but for its ids, quoted."""
    return [f'"{row[1]}"' for row in db.execute(f"PRAGMA table_info({table})") if row[1] != "id"]


def _add_unless_there(db: sqlite3.Connection, table: str) -> None:
    columns = ", ".join(_columns(db, table))
    db.execute(f"INSERT OR IGNORE INTO {table} ({columns}) SELECT {columns} FROM other.{table}")


def _number_as_here(db: sqlite3.Connection, table: str, same: Sequence[str]) -> None:
    """Note in ``here_{table}`` which id the rows of the other run have in this one."""
    db.execute(f"DROP TABLE IF EXISTS temp.here_{table}")
    equal = " AND ".join(f"mine.{column} = its.{column}" for column in same)
    its = f"other.{table}" if table != "questions" else "temp.its_questions"
    db.execute(
        f"CREATE TEMP TABLE here_{table} AS SELECT its.id AS its_id, mine.id AS id "
        f"FROM {its} its JOIN main.{table} mine ON {equal}"
    )


def _add_questions(db: sqlite3.Connection) -> None:
    rest = ", ".join(
        column for column in _columns(db, "questions") if column != '"configuration_id"'
    )
    db.execute("DROP TABLE IF EXISTS temp.its_questions")
    db.execute(
        f"CREATE TEMP TABLE its_questions AS SELECT q.id AS id, b.id AS configuration_id, {rest} "
        "FROM other.questions q JOIN temp.here_configurations b ON b.its_id = q.configuration_id"
    )
    db.execute(
        f"INSERT OR IGNORE INTO questions (configuration_id, {rest}) "
        f"SELECT configuration_id, {rest} FROM temp.its_questions"
    )


def _add_trials(db: sqlite3.Connection) -> None:
    """Add the trials, behind the repetitions that this run has of the same."""
    keys = ('"question_id"', '"instance_id"', '"repetition"')
    rest = ", ".join(column for column in _columns(db, "trials") if column not in keys)
    db.execute("DROP TABLE IF EXISTS temp.had")
    db.execute(
        "CREATE TEMP TABLE had AS SELECT question_id, instance_id, max(repetition) AS repetitions "
        "FROM main.trials GROUP BY question_id, instance_id"
    )
    db.execute("CREATE INDEX temp.of_had ON had (question_id, instance_id)")
    db.execute(
        f"INSERT INTO main.trials (question_id, instance_id, repetition, {rest}) "
        f"SELECT q.id, e.id, t.repetition + coalesce(had.repetitions, 0), {rest} "
        "FROM other.trials t JOIN temp.here_questions q ON q.its_id = t.question_id "
        "JOIN temp.here_instances e ON e.its_id = t.instance_id "
        "LEFT JOIN temp.had ON had.question_id = q.id AND had.instance_id = e.id ORDER BY t.id"
    )
