"""Ways to damage the folder of a run, chosen by a seed."""

import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from harness.records.folder.files import RunFile

ODD_VALUES = (
    *("NULL", "''", "'x'", "-1", "0", "9223372036854775807", "-9223372036854775808", "1e308"),
    *("9e999", "-9e999", "-0.5", "x'00'", "x'ff'", "CAST(x'ff' AS TEXT)", "CAST(x'00' AS TEXT)"),
    *("'{}'", "'[]'", '\'{"guesses": "x"}\'', "'{\"guesses\": 1e400}'", "'null'", "'true'"),
    *("'solved'", "'9x9'", "'latin36'", "'1' || char(10) || '2'", "char(27) || '[31m'"),
    *("'99999999999999999999999999'", "'-99999999999999999999'", "'1e99'", "' 1'"),
    "replace(hex(zeroblob(20000)), '0', '[')",
    "replace(hex(zeroblob(3000)), '0', '9')",
    "zeroblob(17000000)",
)
TABLES = ("configurations", "puzzles", "instances", "questions", "trials", "events", "planned")
SCHEMES = (
    "CREATE TRIGGER bad AFTER INSERT ON trials BEGIN DELETE FROM trials; END",
    "CREATE TRIGGER worse BEFORE UPDATE ON instances BEGIN SELECT load_extension('x'); END",
    "CREATE VIEW extra AS SELECT * FROM trials",
    "CREATE TABLE extra (x)",
    "CREATE INDEX extra ON trials (wall_s)",
    "CREATE VIRTUAL TABLE extra USING fts5(x)",
    "DROP TABLE events",
    "DROP TABLE trials",
    "ALTER TABLE trials RENAME COLUMN wall_s TO cpu_t",
    "ALTER TABLE questions DROP COLUMN host",
    "ALTER TABLE trials RENAME TO tries",
    "PRAGMA user_version = 7",
    "PRAGMA user_version = 0",
    "PRAGMA user_version = 5",
    "DELETE FROM puzzles",
    "DELETE FROM instances WHERE id = 1",
    "DELETE FROM questions WHERE id = 1",
    "DELETE FROM configurations",
    "UPDATE trials SET question_id = 999 WHERE id = 3",
    "UPDATE trials SET instance_id = 999 WHERE id = 3",
)
TEXTS = (
    b"",
    b"\0" * 100,
    b"[" * 200_000,
    b'{"invocations": ' + b"[" * 200_000,
    b'{"invocations": [{"started_at": 5}]}',
    b'{"invocations": [{"system": {"cpus": ' + b"9" * 5_000 + b"}}]}",
    b"\xff\xfe",
    b"null",
    b"a = " + b"[" * 200_000,
    b"a = " + b"9" * 5_000,
)


def damage(folder: Path, seed: int) -> str:
    """Damage the run in `folder`; returns what was done."""
    rng = random.Random(seed)
    kind = rng.choice([*_KINDS, "flip", "flip", "cut", "cell", "cell", "cell"])
    change = _KINDS[kind](folder, rng)
    return f"{kind}: {change}"


def _flip(folder: Path, rng: random.Random) -> str:
    data = bytearray((folder / RunFile.STORE).read_bytes())
    places = [rng.randrange(len(data)) for _ in range(rng.choice((1, 1, 1, 2, 8, 100)))]
    for place in places:
        data[place] ^= 1 << rng.randrange(8)
    (folder / RunFile.STORE).write_bytes(data)
    return f"bits at {places[:5]}"


def _overwrite(folder: Path, rng: random.Random) -> str:
    data = bytearray((folder / RunFile.STORE).read_bytes())
    place, length = rng.randrange(len(data)), rng.choice((1, 16, 512, 4096))
    filling = rng.choice((b"\0", b"\xff", b"A")) * length
    data[place : place + length] = filling
    (folder / RunFile.STORE).write_bytes(data)
    return f"{length} bytes at {place}"


def _truncate(folder: Path, rng: random.Random) -> str:
    size = (folder / RunFile.STORE).stat().st_size
    size_after = rng.choice((rng.randrange(size), size - rng.randrange(1, 4096), size - 4096))
    os.truncate(folder / RunFile.STORE, size_after)
    return f"{size_after} of {size} bytes"


def _grow(folder: Path, rng: random.Random) -> str:
    more = rng.randbytes(rng.choice((1, 100, 4096, 5000)))
    with (folder / RunFile.STORE).open("ab") as file:
        file.write(more)
    return f"{len(more)} more bytes"


def _cell(folder: Path, rng: random.Random) -> str:
    table, value = rng.choice((*TABLES, "trials", "trials")), rng.choice(ODD_VALUES)
    with closing(sqlite3.connect(folder / RunFile.STORE)) as db, db:
        column = rng.choice([row[1] for row in db.execute(f"PRAGMA table_info({table})")])
        rowid = "question_id" if table == "planned" else "rowid"
        rows = [row[0] for row in db.execute(f"SELECT {rowid} FROM {table}")]
        where = "" if rng.random() < 0.2 or not rows else f" WHERE {rowid} = {rng.choice(rows)}"
        statement = f'UPDATE OR REPLACE {table} SET "{column}" = {value}{where}'
        try:
            db.execute(statement)
        except sqlite3.DatabaseError as error:  # refused by SQLite itself
            return f"{statement} ({error})"
    return statement


def _scheme(folder: Path, rng: random.Random) -> str:
    statement = rng.choice(SCHEMES)
    with closing(sqlite3.connect(folder / RunFile.STORE)) as db, db:
        try:
            db.execute(statement)
        except sqlite3.DatabaseError as error:
            return f"{statement} ({error})"
    return statement


def _text(folder: Path, rng: random.Random) -> str:
    name, text = rng.choice((RunFile.ENVIRONMENT, "sweep.toml")), rng.choice(TEXTS)
    (folder / name).write_bytes(text)
    return f"{name}: {text[:40]!r}"


def _beside(folder: Path, rng: random.Random) -> str:
    name = RunFile.STORE + rng.choice(("-wal", "-shm", "-journal", ".sha256"))
    (folder / name).write_bytes(rng.choice((rng.randbytes(5000), b"\0" * 32768, b"x")))
    return name


def _link(folder: Path, rng: random.Random) -> str:
    names = (RunFile.STORE, RunFile.ENVIRONMENT, "sweep.toml", ".lock", RunFile.LOG, "report.html")
    name = rng.choice(names)
    elsewhere = folder.parent / f"elsewhere-{name}"
    if (folder / name).exists():
        (folder / name).rename(elsewhere)
    else:
        elsewhere.write_text("precious")
    (folder / name).symlink_to(elsewhere)
    return name


_KINDS: dict[str, Callable[[Path, random.Random], str]] = {
    "flip": _flip,
    "overwrite": _overwrite,
    "cut": _truncate,
    "grow": _grow,
    "cell": _cell,
    "scheme": _scheme,
    "text": _text,
    "beside": _beside,
    "link": _link,
}


_RAW = """
SELECT t.*, q.*, c.*, i.*, p.* FROM trials t, questions q, configurations c, instances i, puzzles p
WHERE q.id = t.question_id AND c.id = q.configuration_id AND i.id = t.instance_id
AND p.id = i.puzzle_id ORDER BY t.id"""


def raw_rows(folder: Path) -> dict[int, dict[str, object]] | None:
    """Every trial as SQLite has it, by its id; None if SQLite cannot read the store."""
    try:
        uri = f"file:{folder / RunFile.STORE}?immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as db:
            cursor = db.execute(_RAW)
            names = [column[0] for column in cursor.description]
            return {row[0]: dict(zip(names, row, strict=True)) for row in cursor}
    except sqlite3.Error:
        return None


def number_of_trials(folder: Path) -> int:
    """The number of rows of the table of trials."""
    with closing(sqlite3.connect(f"file:{folder / RunFile.STORE}?immutable=1", uri=True)) as db:
        return int(db.execute("SELECT count(*) FROM trials NOT INDEXED").fetchone()[0])
