"""Copies of runs without the names of machines and folders."""

import re
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec

from harness.errors import InputError, RunError
from harness.records import environment, store
from harness.records.environment import Invocation

REPLACED: Final = "names of machines by numbers; paths by their last part"
"""The replacements that each invocation of an anonymized run lists."""

_SWEEP: Final = "sweep.toml"
_FOLDERS: Final = re.compile(
    r"(?<![\w./~-])(?:~|[A-Za-z]:)?[/\\](?:[^\s\"'/\\:;,()]+[/\\])+(?=[^\s/\\]?)"
)
"""The folders of an absolute path, without its last part."""
_NO_PLACES: Final = ("puzzle", "solution", "answer_verdict", "id", "puzzle_id")
"""Columns of text that never name a machine or a folder."""


def anonymize(folder: Path, out: Path) -> Path:
    """Copy the run in `folder` to the new folder `out`, without names of machines and folders.

    Host names become ``machine 1`` and so on, in alphabetical order. Absolute paths in any
    text keep their last part. All trials are kept. Every invocation in ``environment.json``
    lists in ``replaced`` what was replaced.

    Returns:
        `out`.

    Raises:
        RunError: `folder` does not hold a run.
        InputError: `out` already exists, or backends differ only in their folders.
    """
    if not (folder / store.FILE).is_file():
        raise RunError("not a run", where=str(folder), expected="the folder of a run")
    if out.exists():
        raise InputError("already exists", where=str(out), expected="a new folder")
    invocations = environment.read_invocations(folder)
    try:
        out.mkdir(parents=True)
    except OSError as error:
        raise InputError(f"cannot be created: {error.strerror}", where=str(out)) from None
    names = _copy_store(folder, out, {i.system.host for i in invocations if i.system.host})
    if invocations:
        environment.write_invocations(out, [_anonymous(i, names) for i in invocations])
    if (folder / _SWEEP).is_file():
        text = (folder / _SWEEP).read_text(encoding="utf-8")
        (out / _SWEEP).write_text(_anonymous_text(text, names), encoding="utf-8")
    return out


def _copy_store(folder: Path, out: Path, hosts: set[str]) -> dict[str, str]:
    """Copy the trials; returns the new names of machines."""
    try:
        with (
            closing(store.open_store(folder)) as source,
            closing(sqlite3.connect(out / store.FILE)) as copy,
        ):
            store.check_version(source, folder)
            source.backup(copy)
            columns = _text_columns(copy)
            for table, column in columns:
                if column == "host":
                    query = f'SELECT DISTINCT "{column}" FROM "{table}"'
                    hosts |= {str(host) for (host,) in copy.execute(query) if host}
            names = {host: f"machine {n}" for n, host in enumerate(sorted(hosts), 1)}
            copy.create_function(
                "anonymous", 1, lambda text: _anonymous_value(text, names), deterministic=True
            )
            for table, column in columns:
                copy.execute(f'UPDATE "{table}" SET "{column}" = anonymous("{column}")')
            copy.commit()
            # One file, without remains of what was replaced in its free pages.
            copy.execute("PRAGMA journal_mode = DELETE")
            copy.execute("VACUUM")
    except sqlite3.IntegrityError:
        shutil.rmtree(out)
        what = "several backends differ only in their folders"
        raise InputError(what, where=str(folder), expected="different file names") from None
    except BaseException:
        shutil.rmtree(out)
        raise
    return names


def _text_columns(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Every column of text that can name a place, with its table."""
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return [
        (table, column)
        for table in tables
        for _, column, kind, *_ in db.execute(f'PRAGMA table_info("{table}")')
        if kind == "TEXT" and column not in _NO_PLACES
    ]


def _anonymous(invocation: Invocation, names: Mapping[str, str]) -> Invocation:
    data = _anonymous_value(msgspec.to_builtins(invocation), names)
    return msgspec.convert(data | {"replaced": REPLACED}, Invocation)


def _anonymous_value(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return _anonymous_text(value, names)
    if isinstance(value, Mapping):
        return {
            _anonymous_text(str(k), names): _anonymous_value(v, names) for k, v in value.items()
        }
    if isinstance(value, Sequence):
        return [_anonymous_value(item, names) for item in value]
    return value


def _anonymous_text(text: str, names: Mapping[str, str]) -> str:
    """`text` with the new names of machines, and with the last parts of paths."""
    if text in names:
        return names[text]
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", names[name], text)
    return _FOLDERS.sub("", text)
