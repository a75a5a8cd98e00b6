"""Changes of stores that harness commands do not make."""

import sqlite3
from contextlib import closing
from pathlib import Path

from harness.records.store_file import EARLIER, FILE, unseal


def changed(folder: Path, *statements: str) -> Path:
    """The run in `folder` after SQL statements on its store, which then has no checksum."""
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        for statement in statements:
            db.execute(statement)
    unseal(folder / FILE)
    return folder


def as_of_version(folder: Path, version: int) -> Path:
    """The run in `folder` with the tables of an earlier version; they do not have the plan."""
    new = (folder / FILE).rename(folder.with_name(f"{folder.name}.new"))
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        db.executescript(f"{EARLIER[version]} PRAGMA user_version = {version};")
        db.execute("ATTACH DATABASE ? AS new", (str(new),))
        for table in ("configurations", "puzzles", "instances", "questions", "trials", "events"):
            names = ", ".join(f'"{r[1]}"' for r in db.execute(f"PRAGMA table_info({table})"))
            db.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM new.{table}")
    new.unlink()
    unseal(folder / FILE)
    return folder
