"""The folders of runs, and the names by which a request may name them.

A name is the path of a folder below the folder of results, with ``/``. No part of it may be a
link, so that nothing outside of that folder is ever opened.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.errors import InputError
from harness.records.store_file import FILE as STORE
from harness.text import encodable, printable, shortened

MOST_DEPTH: Final = 3
"""Parts of a name: ``shards-PLAN/shard-0001`` has two."""
_MOST_FOLDERS: Final = 20_000
_LONGEST_NAME: Final = 700
_EXPECTED: Final = "the name of a run in the list"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A folder that may hold a run."""

    name: str
    path: Path
    changed_at: float
    """When its store was last written, in seconds since 1970."""
    problem: str = ""
    """Why it is not opened; empty if it may be."""


def run_folders(results: Path) -> list[RunFolder]:
    """The runs in a folder and in folders of runs there, the last changed first.

    A link and a folder that cannot be read are there with their problem. Folders without a run
    are left out.
    """
    found: list[RunFolder] = []
    for folder in _below(results, ""):
        found.append(folder)
        if len(found) == _MOST_FOLDERS:
            break
    return sorted(found, key=lambda folder: (-folder.changed_at, folder.name))


def folder_named(results: Path, name: str) -> Path:
    """The folder of the run with this name.

    Raises:
        InputError: no run has the name, or a part of it is a link.
    """
    parts = _parts(name)
    path = results
    for part in parts:
        path = path / part
        try:
            mode = path.lstat().st_mode
        except (OSError, ValueError):
            raise _unknown(name) from None
        if not stat.S_ISDIR(mode):
            raise _unknown(name)
    try:
        is_run = stat.S_ISREG((path / STORE).lstat().st_mode)
    except OSError:
        is_run = False
    if not is_run:
        raise _unknown(name)
    return path


def _parts(name: str) -> list[str]:
    """The parts of a name.

    Raises:
        InputError: it cannot be that of a run.
    """
    parts = name.split("/")
    is_malformed = any(part in ("", ".", "..") or "\0" in part for part in parts)
    if is_malformed or len(name) > _LONGEST_NAME or len(parts) > MOST_DEPTH:
        raise _unknown(name)
    return parts


def _unknown(name: str) -> InputError:
    shown = printable(shortened(encodable(name), 60))
    return InputError(f"there is no run {shown!r} in the folder of results", expected=_EXPECTED)


def _below(folder: Path, prefix: str) -> Iterator[RunFolder]:
    """The runs below a folder, which has no run itself."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError as error:
        if prefix:
            yield _refused(folder, prefix.rstrip("/"), f"cannot be read: {error.strerror}")
        return
    for entry in entries:
        name = f"{prefix}{encodable(entry.name)}"
        if entry.is_symlink():
            if entry.is_dir() or not os.path.exists(entry.path):  # noqa: PTH110  of an entry
                what = "is a link; only folders inside the folder of results are opened"
                yield _refused(Path(entry.path), name, what)
        elif entry.is_dir(follow_symlinks=False):
            yield from _in(Path(entry.path), name)


def _in(path: Path, name: str) -> Iterator[RunFolder]:
    """The run in a folder, or the runs below it."""
    if encodable(path.name) != path.name:
        yield _refused(path, name, "its name is not UTF-8")
        return
    try:
        changed = max(
            (path / file).lstat().st_mtime
            for file in (STORE, f"{STORE}-wal")
            if file == STORE or os.path.lexists(path / file)
        )
    except (FileNotFoundError, NotADirectoryError):
        if name.count("/") + 1 < MOST_DEPTH:
            yield from _below(path, f"{name}/")
    except OSError as error:
        yield _refused(path, name, f"cannot be read: {error.strerror}")
    else:
        yield RunFolder(name, path, changed)


def _refused(path: Path, name: str, problem: str) -> RunFolder:
    try:
        changed = path.lstat().st_mtime
    except OSError:
        changed = 0.0
    return RunFolder(name, path, changed, problem)
