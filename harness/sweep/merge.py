"""Several runs made one, without losing a row."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from harness.errors import InputError
from harness.sweep.environment import read_calls, write_calls
from harness.sweep.store import FILE, Store, check_version, open_store

_KEY: Final = (
    *('"limit"', "start", "timeout_s", "cpu_limit_s", "memory_limit_mib", "host"),
    *("dataset", "puzzle_id", "task"),
)
"""The columns that, with the backend and the repetition, make a trial the same trial."""


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
    target.mkdir(parents=True, exist_ok=True)
    Store(target).close()
    with closing(open_store(target)) as db:
        for source in sources:
            _add(db, source)
        total = int(db.execute("SELECT count(*) FROM trials").fetchone()[0])
    calls = [call for source in sources for call in read_calls(source)]
    write_calls(target, sorted(calls, key=lambda call: str(call["started_at"])))
    return total


def _add(db: sqlite3.Connection, source: Path) -> None:
    """Add the rows of the run at `source`, all or none."""
    db.execute("ATTACH DATABASE ? AS other", (str(source / FILE),))
    try:
        with db:
            for table in ("puzzles", "entries"):
                db.execute(f"INSERT OR IGNORE INTO {table} SELECT * FROM other.{table}")
            db.execute("INSERT INTO events SELECT * FROM other.events")
            names = "label, name, paradigm, options, versions"
            db.execute(
                f"INSERT OR IGNORE INTO backends ({names}) SELECT {names} FROM other.backends"
            )
            _add_trials(db)
    finally:
        db.execute("DETACH DATABASE other")


def _add_trials(db: sqlite3.Connection) -> None:
    columns = [row[1] for row in db.execute("PRAGMA table_info(trials)")]
    quoted = [f'"{name}"' for name in columns if name not in ("id", "backend_id", "repetition")]
    same = " AND ".join(f"mine.{name} = t.{name}" for name in _KEY)
    # The repetitions that the target has of the same trial, which those to come follow.
    before = (
        "coalesce((SELECT max(mine.repetition) FROM main.trials mine "
        f"WHERE mine.backend_id = b.id AND {same}), 0)"
    )
    rows = db.execute(
        f"SELECT b.id, {before}, t.repetition, {', '.join(f't.{name}' for name in quoted)} "
        "FROM other.trials t JOIN other.backends o ON o.id = t.backend_id "
        "JOIN main.backends b ON b.label = o.label AND b.options = o.options "
        "AND b.versions = o.versions ORDER BY t.id"
    ).fetchall()
    marks = ", ".join("?" * (len(quoted) + 2))
    db.executemany(
        f"INSERT INTO trials (backend_id, repetition, {', '.join(quoted)}) VALUES ({marks})",
        [(backend, before + repetition, *rest) for backend, before, repetition, *rest in rows],
    )
