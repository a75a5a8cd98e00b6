"""A run as others may have it: complete, but without the names of machines and folders."""

import re
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from harness.errors import InputError
from harness.records import environment, store

REPLACED: Final = (
    "names of machines by numbers, and of every path the folders it is in; the rest is as recorded"
)
"""What each call of a shared run says was done to it."""

_SWEEP: Final = "sweep.toml"
_PATH: Final = re.compile(
    r"(?<![\w./~-])(?:~|[A-Za-z]:)?[/\\](?:[^\s\"'/\\:;,()]+[/\\])+(?=[^\s/\\]?)"
)
"""The folders of an absolute path, up to its last part."""


def share(folder: Path, out: Path) -> Path:
    """Copy the run in `folder` to the new folder `out`, without what tells whose machine it was.

    Host names become ``machine 1`` and so on, in the order of their names; of
    absolute paths in any text the last part is left. All trials are kept, and
    every call in ``environment.json`` has in ``replaced`` what was done.

    Raises:
        InputError: `folder` holds no run, or `out` is there already.
    """
    if not (folder / store.FILE).is_file():
        raise InputError("no run", where=str(folder), expected="a folder that has one")
    if out.exists():
        raise InputError("is there already", where=str(out), expected="a new folder")
    invocations = environment.read_invocations(folder)
    try:
        out.mkdir(parents=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", where=str(out)) from None
    hosts = {str(call["host"]) for call in invocations if call.get("host")}
    names = _copy_store(folder, out, hosts)
    told = [_without_places(call, names) | {"replaced": REPLACED} for call in invocations]
    if told:
        environment.write_invocations(out, told)
    if (folder / _SWEEP).is_file():
        text = (folder / _SWEEP).read_text(encoding="utf-8")
        (out / _SWEEP).write_text(_told(text, names), encoding="utf-8")
    return out


def _copy_store(folder: Path, out: Path, hosts: set[str]) -> dict[str, str]:
    """Copy the trials; gives the new names of machines."""
    try:
        with (
            closing(store.open_store(folder)) as source,
            closing(sqlite3.connect(out / store.FILE)) as copy,
        ):
            store.check_version(source, folder)
            source.backup(copy)
            columns = _texts(copy)
            for table, column in columns:
                if column == "host":
                    query = f'SELECT DISTINCT "{column}" FROM "{table}"'
                    hosts |= {str(host) for (host,) in copy.execute(query) if host}
            names = {host: f"machine {n}" for n, host in enumerate(sorted(hosts), 1)}
            copy.create_function("told", 1, lambda text: _told(text, names), deterministic=True)
            for table, column in columns:
                # A column of machines has nothing but their names.
                copy.execute(f'UPDATE "{table}" SET "{column}" = told("{column}")')
            copy.commit()
            # One file, without traces of what was replaced in its free pages.
            copy.execute("PRAGMA journal_mode = DELETE")
            copy.execute("VACUUM")
    except sqlite3.IntegrityError:
        shutil.rmtree(out)
        found = "backends that only their folders tell apart"
        raise InputError(found, where=str(folder), expected="different names") from None
    except BaseException:
        shutil.rmtree(out)
        raise
    return names


def _texts(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Every column of text of every table, but for puzzles and solutions, which name no place."""
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return [
        (table, column)
        for table in tables
        for _, column, kind, *_ in db.execute(f'PRAGMA table_info("{table}")')
        if kind == "TEXT" and column not in ("puzzle", "solution", "verdict", "id", "puzzle_id")
    ]


def _without_places(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return _told(value, names)
    if isinstance(value, Mapping):
        return {_told(str(k), names): _without_places(v, names) for k, v in value.items()}
    if isinstance(value, Sequence):
        return [_without_places(item, names) for item in value]
    return value


def _told(text: Any, names: Mapping[str, str]) -> Any:
    """`text` with machines by their new names and paths by their last part."""
    if not isinstance(text, str):
        return text
    if text in names:
        return names[text]
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", names[name], text)
    return _PATH.sub("", text)
