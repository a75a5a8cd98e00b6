"""Copies of runs without the names of machines and folders, as runs or as records."""

import re
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Final

import msgspec

from harness.base.errors import InputError, RunError
from harness.base.files import new_folder
from harness.base.text import number_of
from harness.records.folder.environment import Invocation, read_invocations, write_invocations
from harness.records.folder.files import RunFile, read_settings, write_settings
from harness.records.folder.frames import stored_frame
from harness.records.folder.record import RecordMetadata, write_parquet
from harness.records.folder.store_file import readable, reading, seal
from harness.records.schema import SCHEMA_VERSION

REPLACED: Final = "names of machines by numbers; paths by their last part"
"""The replacements that each invocation of an anonymized run lists."""

_SELECTION: Final = r"[0-9]+(?:[-,][0-9]+)*"
"""The selected puzzles after the name of a dataset or file: ``1,4-7`` in ``seeds/1,4-7``."""
_SELECTED: Final = re.compile(rf"((?:^[^/]+|.*\.[^/]*))/{_SELECTION}")
"""A dataset, or a file with a suffix, with a selection of its puzzles."""
_BYTE: Final = r"\\udc[0-9a-f]{2}"
"""A byte of a name that is not UTF-8, as `harness.base.text.encodable` writes it."""
_SEPARATOR: Final = rf"(?:/|(?!{_BYTE})\\)"
_FOLDERS: Final = re.compile(
    rf"(?<![\w./~-])(?:~|[A-Za-z]:)?{_SEPARATOR}"
    rf"(?:(?![^\s\"'/\\:;,()]*\.[^\s\"'/\\:;,()]*/{_SELECTION}(?![\w./-]))"
    rf"(?:[^\s\"'/\\:;,()]|{_BYTE})+{_SEPARATOR})+"
)
"""The folders of an absolute path without spaces, without its last part."""
_PLACEHOLDER: Final = "/_/"
"""A folder that `_FOLDERS` matches; it stands for folders that `_FOLDERS` misses, which are
relative or have spaces."""
_PARTS_OF_SPECS: Final = re.compile(r"(?<=\.py):|[\[\],=]")
"""What separates a path from the other parts of a backend spec."""
_NO_PLACES: Final = ("puzzle", "solution", "answer_verdict", "id", "puzzle_id")
"""Columns of text that never name a machine or a folder."""


def anonymize(folder: Path, out: Path, *, as_record: bool = False) -> Path:
    """Copy the run in `folder` to the new folder `out`, without names of machines and folders.

    Host names become ``machine 1`` and so on, in alphabetical order. Paths keep their last
    part: absolute paths in any text, and the paths of the command, the datasets and the
    backends wherever they occur. All trials are kept. Every invocation in ``environment.json``
    lists in ``replaced`` what was replaced.

    Args:
        folder: the folder of a run or a record.
        out: the new folder.
        as_record: whether the copy is a record: a Parquet file takes the place of the store.

    Returns:
        `out`.

    Raises:
        RunError: `folder` does not hold a run, or a run that lacks trials is to be a record.
        InputError: `out` already exists, or backends differ only in their folders.
    """
    with reading(folder) as db:  # the checks, before anything is written
        query = "SELECT (SELECT coalesce(sum(repetitions), 0) FROM planned), count(*) FROM trials"
        plan_size, trials = db.execute(query).fetchone()
        if as_record and trials < max(plan_size, 1):
            lacking = number_of(max(plan_size, 1) - trials, "trial")
            expected = "a finished run; the command that began it finishes it"
            raise RunError(f"lacks {lacking}", where=str(folder), expected=expected)
    invocations = read_invocations(folder)
    sweeps = read_settings(folder)
    hosts = {i.system.host for i in invocations if i.system.host}
    words = {word for i in invocations for word in (*i.datasets, *i.backends)}
    for invocation in invocations:
        pairs = pairwise(("", *invocation.command))
        words |= {word for before, word in pairs if before != "--where"}
    for name, value in chain.from_iterable(sweep.items() for sweep in sweeps):
        values = value if isinstance(value, list) else [value]
        words |= {text for text in values if isinstance(text, str) and name != "where"}
    with new_folder(out) as target:
        replacement = _copy_store(folder, target, hosts, words)
        if as_record:
            _replace_store(target)
        if invocations:
            copies = replacement.in_value(msgspec.to_builtins(invocations))
            copies = [copy | {"replaced": REPLACED} for copy in copies]
            write_invocations(target, msgspec.convert(copies, list[Invocation]))
        if sweeps:
            write_settings(replacement.in_value(sweeps), target / RunFile.SETTINGS)
    return out


def _replace_store(folder: Path) -> None:
    """Replace the store of a run by a Parquet file."""
    with reading(folder) as db:
        events = db.execute("SELECT * FROM events ORDER BY rowid").fetchall()
        trials = stored_frame(db, folder)
    write_parquet(
        trials, folder / RunFile.RECORD, RecordMetadata(SCHEMA_VERSION, len(trials), events)
    )
    for name in (RunFile.STORE, RunFile.CHECKSUM):
        (folder / name).unlink()


_CREDENTIALS: Final = re.compile(r"://[^/\s@]*@")
"""A user and perhaps a password in an address."""


@dataclass(frozen=True)
class _Replacement:
    """New names of machines, and the patterns of machines and of the folders of a run."""

    names: Mapping[str, str]
    hosts: re.Pattern[str]
    folders: re.Pattern[str]

    @staticmethod
    def from_texts(hosts: Collection[str], words: Iterable[str]) -> "_Replacement":
        """The replacement of machines, and of folders in commands, datasets and specs."""
        paths = {path for word in words for path in _PARTS_OF_SPECS.split(word)}
        folders = {folder for path in paths for folder in _folders(path)}
        return _Replacement(
            {host: f"machine {n}" for n, host in enumerate(sorted(hosts), 1)},
            re.compile(rf"(?<![\w.-])(?:{_any_of(hosts)})(?![\w-])"),
            re.compile(rf"(?<![\w./~-])(?:{_any_of(folders)})"),
        )

    def in_text(self, text: str) -> str:
        """`text` with the new names of machines, and with the last parts of paths."""
        if text in self.names:
            return self.names[text]
        text = _CREDENTIALS.sub("://", self.hosts.sub(lambda host: self.names[host[0]], text))
        return _FOLDERS.sub("", self.folders.sub(_PLACEHOLDER, text))

    def in_value(self, value: Any) -> Any:
        """`value` with every text in it replaced."""
        if isinstance(value, str):
            return self.in_text(value)
        if isinstance(value, Mapping):
            return {self.in_text(str(k)): self.in_value(v) for k, v in value.items()}
        if isinstance(value, Sequence):
            return [self.in_value(item) for item in value]
        return value


def _any_of(texts: Collection[str]) -> str:
    """A pattern that matches any of `texts`, longest first; without texts it never matches."""
    return "|".join(map(re.escape, sorted(texts, key=len, reverse=True))) or "(?!)"


def _folders(path: str) -> set[str]:
    """The folders of a path, as written and as absolute, each with its ``/``."""
    if selection := _SELECTED.fullmatch(path):
        path = selection[1]
    if "/" not in path:
        return set()
    folders = {path.rpartition("/")[0]}
    for form in (Path(path), Path(path).resolve()):
        folders |= {str(folder) for folder in form.parents}
    return {f"{folder}/" for folder in folders - {"", ".", "/"}}


def _copy_store(folder: Path, out: Path, hosts: set[str], words: set[str]) -> _Replacement:
    """Copy the store with its names replaced; returns the replacement."""
    try:
        with (
            readable(folder) as uri,
            closing(sqlite3.connect(uri, uri=True)) as source,
            closing(sqlite3.connect(out / RunFile.STORE)) as copy,
        ):
            source.backup(copy)
            columns = _text_columns(copy)
            for table, column in columns:
                if column in ("host", "dataset", "backend", "spec"):
                    query = f'SELECT DISTINCT "{column}" FROM "{table}"'
                    texts = {str(text) for (text,) in copy.execute(query) if text}
                    (hosts if column == "host" else words).update(texts)
            replacement = _Replacement.from_texts(hosts, words)
            copy.create_function("anonymous", 1, replacement.in_value, deterministic=True)
            for table, column in columns:
                copy.execute(f'UPDATE "{table}" SET "{column}" = anonymous("{column}")')
            copy.commit()
            # One file, with no remains of replaced text in free pages.
            copy.execute("PRAGMA journal_mode = DELETE")
            copy.execute("VACUUM")
    except sqlite3.IntegrityError:
        fault = "several backends differ only in their folders"
        raise InputError(fault, where=str(folder), expected="different file names") from None
    seal(out / RunFile.STORE)
    return replacement


def _text_columns(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Every column of text that can name a machine or a folder, with its table."""
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return [
        (table, column)
        for table in tables
        for _, column, kind, *_ in db.execute(f'PRAGMA table_info("{table}")')
        if kind == "TEXT" and column not in _NO_PLACES
    ]
