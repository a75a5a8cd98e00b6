"""Changes of stores that harness commands do not make."""

import sqlite3
from contextlib import closing
from pathlib import Path

from harness.records.folder.files import RunFile
from harness.records.folder.store_file import unseal


def changed(folder: Path, *statements: str) -> Path:
    """The run in `folder` after SQL statements on its store, which then has no checksum."""
    with closing(sqlite3.connect(folder / RunFile.STORE)) as db, db:
        for statement in statements:
            db.execute(statement)
    unseal(folder / RunFile.STORE)
    return folder
