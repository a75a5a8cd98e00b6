"""Conversion of a store of an earlier version to the present one."""

import sqlite3

from harness.records import planned
from harness.records.fields import FIELDS
from harness.records.schema import SCHEMA, SCHEMA_VERSION, TABLES


def upgrade(db: sqlite3.Connection) -> None:
    """Give the store the present tables with the rows that it has, completely or not at all.

    Columns that the earlier version lacks have the values of `Field.earlier`; without one they
    are missing, or empty where they cannot be.
    """
    present = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    earlier = [table for table in TABLES if table in present]
    statements = [f"ALTER TABLE {table} RENAME TO earlier_{table}" for table in earlier]
    statements += [s for s in SCHEMA.split(";") if s.strip()]
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("PRAGMA legacy_alter_table = OFF")
    db.commit()
    db.isolation_level, level = None, db.isolation_level
    try:
        db.execute("BEGIN IMMEDIATE")
        for statement in statements:
            db.execute(statement)
        for table in earlier:
            names, values = _columns(db, table)
            db.execute(f"INSERT INTO {table} ({names}) SELECT {values} FROM earlier_{table}")
        if "planned" not in earlier:
            planned.add_finished(db)
        for table in reversed(earlier):
            db.execute(f"DROP TABLE earlier_{table}")
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    finally:
        db.isolation_level = level


def _columns(db: sqlite3.Connection, table: str) -> tuple[str, str]:
    """The columns of the new table, and what the earlier one has for them."""
    earlier = {row[1] for row in db.execute(f"PRAGMA table_info(earlier_{table})")}
    values_of = {field.in_store: field.earlier for field in FIELDS if field.earlier}
    names, values = [], []
    for _, name, _, not_null, _, _ in db.execute(f"PRAGMA table_info({table})"):
        names.append(f'"{name}"')
        found = name if name in earlier else values_of.get(name)
        values.append(f'"{found}"' if found else "''" if not_null else "NULL")
    return ", ".join(names), ", ".join(values)
