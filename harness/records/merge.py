"""Merging runs: every row of several stores in one new store."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from functools import cache
from pathlib import Path
from typing import Final

from harness.errors import InputError
from harness.records import planned
from harness.records.checksum import seal
from harness.records.environment import read_invocations, write_invocations
from harness.records.schema import QUESTION_COLUMNS, SCHEMA, TRIAL_COLUMNS
from harness.records.settings import merge_settings, read_settings
from harness.records.store_file import FILE, damage_reported, open_for_writing, readable

_IDENTITY: Final[dict[str, tuple[str, ...]]] = {
    "configurations": ("backend", "options", "versions"),
    "instances": ("dataset", "scramble", "puzzle_id"),
    "questions": QUESTION_COLUMNS,
}
"""For each table with ids of its own, the columns whose values identify a row."""


Event = tuple[str, str, str, str, float | None]
"""A row of the table of events: time, backend, kind, detail and seconds."""


def merge(
    sources: Sequence[Path], target: Path, *, least: int = 2, events: Sequence[Event] = ()
) -> int:
    """Write the trials of all `sources` into a new run at `target`.

    A trial that two runs have from the same host is kept twice: the second one becomes one
    more repetition. The invocations of all runs are listed in the order of their start, and
    their different sweeps in the order of `sources`.

    Args:
        sources: the folders of the runs.
        target: the folder of the new run.
        least: the fewest sources.
        events: further events.

    Returns:
        The number of trials in the new run.

    Raises:
        InputError: too few sources, the same one twice, or the target already exists.
        RunError: a source is not a run.
    """
    if len(sources) < least:
        raise InputError(f"{len(sources)} run to merge", expected="at least two")
    try:
        taken = target.exists() and any(target.iterdir() if target.is_dir() else [target])
    except OSError as error:
        raise InputError(f"cannot be created: {error.strerror}", where=str(target)) from None
    if taken:
        raise InputError("already exists", where=str(target), expected="a new folder")
    different_runs(sources)
    with ExitStack() as stack:
        stores = [stack.enter_context(readable(source, upgraded=True)) for source in sources]
        invocations = [i for source in sources for i in read_invocations(source)]
        for source in sources:
            read_settings(source)  # the check, before anything is written
        try:
            target.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            what = f"cannot be created: {error.strerror}"
            raise InputError(what, where=str(target)) from None
        with damage_reported(target / FILE), closing(open_for_writing(target)) as db:
            for store in stores:
                add_store(db, store)
            with db:
                db.executemany(_INSERT_EVENT, events)
            total = int(db.execute("SELECT count(*) FROM trials").fetchone()[0])
    seal(target / FILE)
    merge_settings(sources, target)
    write_invocations(target, sorted(invocations, key=lambda i: i.started_at or ""))
    return total


_INSERT_EVENT: Final = "INSERT INTO events VALUES (?, ?, ?, ?, ?)"


def different_runs(folders: Sequence[Path]) -> None:
    """Require that no folder is named twice, under whatever name.

    Raises:
        InputError: a folder is named twice; `where` is its second name.
    """
    seen: set[Path] = set()
    for folder in folders:
        if folder.resolve() in seen:
            raise InputError("named twice", where=str(folder), expected="different runs")
        seen.add(folder.resolve())


def add_store(
    db: sqlite3.Connection,
    uri: str,
    *,
    as_repetitions: bool = True,
    events: Sequence[Event] = (),
    require: Callable[[sqlite3.Connection], None] = lambda _: None,
) -> None:
    """Add all rows of the store at `uri` in one transaction.

    Args:
        db: the store to which they are added, open for writing.
        uri: the store from which they come; see `store_file.readable`.
        as_repetitions: whether trials that both have become further repetitions; otherwise
            they are an error of SQLite.
        events: further events.
        require: called before the store, which is attached as ``other``, is added; whatever it
            raises passes, and nothing is added.
    """
    db.execute("ATTACH DATABASE ? AS other", (uri,))
    try:
        require(db)
        with db:
            db.execute("INSERT OR IGNORE INTO puzzles SELECT * FROM other.puzzles")
            db.execute("INSERT INTO events SELECT * FROM other.events")
            db.executemany(_INSERT_EVENT, events)
            _add_missing(db, "instances")
            _map_ids(db, "instances")
            _add_missing(db, "configurations")
            _map_ids(db, "configurations")
            _add_questions(db)
            _map_ids(db, "questions")
            _add_trials(db, as_repetitions=as_repetitions)
            planned.merge(db)
    finally:
        db.execute("DETACH DATABASE other")


def _empty(db: sqlite3.Connection, table: str, columns: str) -> None:
    """Make the temporary table if there is none, without types, and empty it.

    It stays, because SQLite compiles statements again after each change of tables.
    """
    db.execute(f"CREATE TEMP TABLE IF NOT EXISTS {table} ({columns})")
    db.execute(f"DELETE FROM temp.{table}")


@cache
def _columns(table: str) -> list[str]:
    """The columns of `table` without its id, quoted."""
    with closing(sqlite3.connect(":memory:")) as model:
        model.executescript(SCHEMA)
        rows = model.execute(f"PRAGMA table_info({table})")
        return [f'"{row[1]}"' for row in rows if row[1] != "id"]


def _add_missing(db: sqlite3.Connection, table: str) -> None:
    columns = ", ".join(_columns(table))
    db.execute(f"INSERT OR IGNORE INTO {table} ({columns}) SELECT {columns} FROM other.{table}")


def _map_ids(db: sqlite3.Connection, table: str) -> None:
    """Fill the table ``{table}_ids``: `other_id` of the other run, `id` in this one."""
    _empty(db, f"{table}_ids", "other_id, id")
    equal = " AND ".join(f"mine.{column} = theirs.{column}" for column in _IDENTITY[table])
    theirs = f"other.{table}" if table != "questions" else "temp.other_questions"
    db.execute(
        f"INSERT INTO temp.{table}_ids SELECT theirs.id, mine.id "
        f"FROM {theirs} theirs JOIN main.{table} mine ON {equal}"
    )


def _add_questions(db: sqlite3.Connection) -> None:
    """Add the questions of the other run, with the ids that configurations have in this one."""
    rest = ", ".join(c for c in _columns("questions") if c != '"configuration_id"')
    _empty(db, "other_questions", f"id, configuration_id, {rest}")
    db.execute(
        f"INSERT INTO temp.other_questions SELECT q.id, c.id, {rest} "
        "FROM other.questions q "
        "JOIN temp.configurations_ids c ON c.other_id = q.configuration_id"
    )
    db.execute(
        f"INSERT OR IGNORE INTO questions (configuration_id, {rest}) "
        f"SELECT configuration_id, {rest} FROM temp.other_questions"
    )


def _add_trials(db: sqlite3.Connection, *, as_repetitions: bool) -> None:
    """Add the trials; as repetitions they have numbers after those that this run already has."""
    keys = ("question_id", "instance_id", '"repetition"')
    rest = ", ".join(column for column in TRIAL_COLUMNS if column not in keys)
    _empty(db, "present", "question_id, instance_id, repetitions")
    db.execute("CREATE INDEX IF NOT EXISTS temp.present_keys ON present (question_id, instance_id)")
    if as_repetitions:
        db.execute(
            "INSERT INTO temp.present SELECT question_id, instance_id, max(repetition) "
            "FROM main.trials GROUP BY question_id, instance_id"
        )
    db.execute(
        f"INSERT INTO main.trials (question_id, instance_id, repetition, {rest}) "
        f"SELECT q.id, i.id, t.repetition + coalesce(present.repetitions, 0), {rest} "
        "FROM other.trials t "
        "JOIN temp.questions_ids q ON q.other_id = t.question_id "
        "JOIN temp.instances_ids i ON i.other_id = t.instance_id "
        "LEFT JOIN temp.present "
        "ON present.question_id = q.id AND present.instance_id = i.id ORDER BY t.id"
    )
