"""Opening the SQLite file of a run, which may be damaged or come from a stranger.

SQLite has no checksums: a flipped bit in a value makes another value. The harness writes the digest
of the file when it closes a store, and removes it before it writes to the store again. The file has
the format of ``sha256sum``.

A store is opened only if its tables are those of the harness, its structure is intact and
every cell has a valid value. A store that is read is never written to, so a run on a
read-only disk can be read.
"""

import atexit
import os
import shutil
import sqlite3
import struct
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path
from time import monotonic
from typing import Final
from urllib.parse import quote

from harness.base.errors import RunError, StorageError, StoreDamagedError, one_of
from harness.base.files import sha256_of, similar_file
from harness.records.folder import files as run_files
from harness.records.folder.files import RunFile, refuse_special_file
from harness.records.schema import CREATE, SCHEMA, SCHEMA_VERSION, check_cells

# The checksum of a store at rest.


def seal(store: Path) -> None:
    """Write the checksum of a store that is closed.

    A store without a checksum is valid, so a full disk is not an error here.
    """
    if _has_log(store):
        return
    with suppress(StorageError):
        line = f"{sha256_of(store)}  {store.name}\n"
        run_files.write_run_file(store.with_name(RunFile.CHECKSUM), line.encode())


def unseal(store: Path) -> None:
    """Remove the checksum of a store that is about to change.

    Raises:
        StorageError: it cannot be removed.
    """
    checksum = store.with_name(RunFile.CHECKSUM)
    try:
        checksum.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(f"{checksum}: cannot be removed: {error.strerror}") from error


def check_seal(store: Path) -> bool:
    """Whether the store has a checksum, and the file matches it.

    Raises:
        StoreDamagedError: the file does not match its checksum.
    """
    checksum = run_files.read_run_file(store.with_name(RunFile.CHECKSUM))
    if checksum is None or _has_log(store):
        return False
    if checksum[:64] != sha256_of(store).encode():
        raise StoreDamagedError(
            "the file has changed since the harness closed it",
            where=str(store),
            expected=f"the content that {RunFile.CHECKSUM} records",
        )
    return True


def _has_log(store: Path) -> bool:
    """Whether SQLite's write-ahead log has pages that are not in the file."""
    log = store.with_name(RunFile.LOG)
    return log.exists() and log.stat().st_size > 0


# Opening the SQLite file of a run, which may be damaged or come from a stranger.


_WAIT_S: Final = 30
"""Seconds to wait for another process that is writing."""


_State = tuple[int, ...]
"""Identity, times and sizes of the files of a store."""

_valid_states: Final[dict[Path, _State]] = {}
"""The stores that this process has checked: a report reads the same store twice."""


@contextmanager
def reading(folder: Path) -> Iterator[sqlite3.Connection]:
    """A checked, read-only connection to the store of the run in `folder`.

    A run that is still in progress can be read; its committed trials are read.

    Raises:
        RunError: `folder` holds no run, or one of another version, or a link.
        StoreDamagedError: the store is damaged.
    """
    with readable(folder) as uri, closing(_connect(uri)) as db:
        yield db


@contextmanager
def readable(folder: Path) -> Iterator[str]:
    """The URI with which SQLite reads the store of the run in `folder`; it has been checked.

    Raises:
        RunError, StoreDamagedError: as `reading`.
    """
    path = _existing(folder)
    if path.name == RunFile.RECORD:
        with damage_reported(path):
            store = _unpack(path.absolute(), _state(path))
        yield f"{_uri(store)}?mode=ro&immutable=1"
        return
    with damage_reported(path):
        before = _state(path)
    with _uri_for_reading(path) as uri:
        with damage_reported(path):
            if _valid_states.get(path.absolute()) != before:
                is_sealed = check_seal(path)
                if not is_sealed:
                    _check_size(path)
                with closing(_connect(uri)) as db:
                    _check(db, folder, is_sealed=is_sealed)
                _valid_states[path.absolute()] = before
        yield uri
        if "immutable" in uri and _state(path) != before:
            fault = "another command began to write to the run"
            raise RunError(fault, where=str(folder), expected="the same command again")


@lru_cache(maxsize=100)
def _unpack(path: Path, _: _State) -> Path:
    """The store of a record, in a folder that disappears with the process."""
    from harness.records.folder.record import unpack  # only records need it

    folder = tempfile.mkdtemp(prefix="harness-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    unpack(path, Path(folder) / RunFile.STORE)
    return Path(folder) / RunFile.STORE


@contextmanager
def glancing(folder: Path, most_s: float = 5.0) -> Iterator[sqlite3.Connection]:
    """A read-only connection to the store of the run in `folder`, to read a few numbers.

    Only its version and its tables have been checked, which takes milliseconds: its values may be
    invalid. A run that is still in progress can be read; its committed trials are read.

    Args:
        folder: the folder of the run.
        most_s: seconds after which any query ends with an error.

    Raises:
        RunError: `folder` holds no run, or one of another version, or a link.
        StoreDamagedError: the store is damaged, or a query takes too long.
    """
    path = _existing(folder)
    if path.name == RunFile.RECORD:
        with reading(folder) as db:
            yield db
        return
    with damage_reported(path), _uri_for_reading(path) as uri, closing(_connect(uri)) as db:
        deadline = monotonic() + most_s
        # 10,000 steps of SQLite's machine take far less than a millisecond.
        db.set_progress_handler(lambda: monotonic() > deadline, 10_000)
        _check_tables(db, folder)
        yield db


def open_for_writing(folder: Path) -> sqlite3.Connection:
    """A connection to the store in `folder`, created if there is none, and checked.

    The checksum of the store is removed.

    Raises:
        RunError: it is not a store, has another version, or is a link.
        StoreDamagedError: the store is damaged.
        StorageError: its checksum cannot be removed.
    """
    path = folder / RunFile.STORE
    _refuse_special_files(folder)
    with damage_reported(path):
        is_sealed = path.exists() and check_seal(path)
        if not path.exists() or (path.stat().st_size == 0 and not _has_log(path)):
            _create(path)
        if not is_sealed:
            _check_size(path)
        db = _connect(f"{_uri(path)}?mode=rw")
        try:
            _check(db, folder, is_sealed=is_sealed)
            unseal(path)
            _use_log(db)
        except BaseException:
            db.close()
            raise
    return db


def _create(path: Path) -> None:
    """Create a store without trials, completely or not at all, even if the process is killed."""
    new = path.with_name(RunFile.NEW_STORE)
    for file in new.parent.glob(f"{RunFile.NEW_STORE}*"):
        file.unlink()
    with closing(_connect(f"{_uri(new)}?mode=rwc")) as db:
        _use_log(db)
        db.executescript(CREATE)
    new.replace(path)


def _use_log(db: sqlite3.Connection) -> None:
    """Give the store a write-ahead log, without a rollback journal for that change."""
    if db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        db.execute("PRAGMA journal_mode = MEMORY")
        db.execute("PRAGMA journal_mode = WAL")


@contextmanager
def damage_reported(path: Path) -> Iterator[None]:
    """Report an error of SQLite with the store at `path` as damage, unless it has another cause.

    Raises:
        StoreDamagedError: SQLite cannot read the file.
        StorageError: the file cannot be written, for example because the disk is full.
        RunError: the system cannot read it, or another process has locked it.
    """
    try:
        yield
    except sqlite3.Error as error:
        if is_locked(error):
            holder = "another process, for example a backend that opens it"
            raise RunError(f"is locked by {holder}", where=str(path)) from None
        if getattr(error, "sqlite_errorname", "") in ("SQLITE_FULL", "SQLITE_IOERR_WRITE"):
            raise StorageError(f"{path}: cannot be written: {error}") from None
        raise StoreDamagedError(f"the store is damaged: {error}", where=str(path)) from None
    except OSError as error:
        raise RunError(f"cannot be read: {error.strerror}", where=str(path)) from None


def is_locked(error: sqlite3.Error) -> bool:
    """Whether another process held the lock of the file for longer than SQLite waits."""
    return getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")


_MOST_NAMED: Final = 5
"""Maximum number of runs that an error names if the folder given is not a run but contains runs."""


def _existing(folder: Path) -> Path:
    _refuse_special_files(folder)
    try:
        for path in (folder / RunFile.STORE, folder / RunFile.RECORD):
            if path.is_file():
                with path.open("rb"):
                    return path
    except OSError as error:
        raise RunError(f"cannot be read: {error.strerror}", where=str(path)) from None
    expected = "a folder that `harness run` has written"
    if (folder.parent / RunFile.STORE).is_file():  # a file of the run
        expected = str(folder.parent)
    if inside := [
        path for name in (RunFile.STORE, RunFile.RECORD) for path in folder.glob(f"*/{name}")
    ]:
        expected = one_of(sorted(str(path.parent) for path in inside)[:_MOST_NAMED])
    fault = "not a run" if folder.exists() else f"no such folder{similar_file(str(folder))}"
    raise RunError(fault, where=str(folder), expected=expected)


def _refuse_special_files(folder: Path) -> None:
    """Refuse links among the files that SQLite opens, and a journal, which names other files."""
    for name in (*RunFile.OF_STORE, RunFile.RECORD):
        refuse_special_file(folder / name)
    if (folder / RunFile.JOURNAL).exists():
        raise RunError(
            "is a rollback journal, which the harness never leaves behind",
            where=str(folder / RunFile.JOURNAL),
            expected="a run that no other program has written to",
        )


@contextmanager
def _uri_for_reading(path: Path) -> Iterator[str]:
    """The URI with which the file is read, without a write to its folder."""
    if not _has_log(path):
        yield f"{_uri(path)}?mode=ro&immutable=1"
    elif os.access(path.parent, os.W_OK):
        yield f"{_uri(path)}?mode=ro"
    else:
        with tempfile.TemporaryDirectory(prefix="harness-") as folder:
            with damage_reported(path):  # SQLite reads a log only beside a file that it may write
                for name in (RunFile.STORE, RunFile.LOG):
                    shutil.copy(path.with_name(name), folder)
            yield f"{_uri(Path(folder) / RunFile.STORE)}?mode=ro"


def _uri(path: Path) -> str:
    return f"file:{quote(os.fsencode(path.absolute()))}"


def _state(path: Path) -> _State:
    """A value that changes whenever something is written to the store."""
    state: list[int] = []
    for file in (path, path.with_name(RunFile.LOG), path.with_name(RunFile.CHECKSUM)):
        status = file.stat() if file.exists() else None
        if status is not None and status.st_size:
            state += (status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size)
        else:
            state.append(0)
    return tuple(state)


def _connect(uri: str) -> sqlite3.Connection:
    db = sqlite3.connect(uri, timeout=_WAIT_S, uri=True)
    # The reason of a verdict has at most ten thousand characters.
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 16 * 2**20)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
        db.execute(f"PRAGMA {pragma}")
    return db


def _check(db: sqlite3.Connection, folder: Path, *, is_sealed: bool) -> None:
    """Check version, tables, structure and cells of a store."""
    _check_tables(db, folder)
    if not is_sealed:
        (message,) = db.execute("PRAGMA integrity_check(1)").fetchone()
        if message != "ok":
            damage = f"the store is damaged: {message.splitlines()[-1]}"
            raise StoreDamagedError(damage, where=str(folder / RunFile.STORE))
    if orphan := db.execute("PRAGMA foreign_key_check").fetchone():
        row = "a row" if orphan[1] is None else f"row {orphan[1]}"
        damage = f"the store is damaged: {row} of {orphan[0]} refers to a missing row"
        raise StoreDamagedError(damage, where=str(folder / RunFile.STORE))
    check_cells(db, folder / RunFile.STORE)


def _check_tables(db: sqlite3.Connection, folder: Path) -> None:
    """Check version and tables of a store."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version != SCHEMA_VERSION:
        raise RunError(
            f"the store has version {version}",
            where=str(folder),
            expected=f"version {SCHEMA_VERSION}; read the run with the harness that wrote it",
        )
    if _layout(db) != _valid_layout():
        raise StoreDamagedError(
            "the store has tables, indexes, views or triggers that the harness does not make",
            where=str(folder / RunFile.STORE),
            expected=f"the tables of version {version} alone",
        )


def _layout(db: sqlite3.Connection) -> set[tuple[str, ...]]:
    """Type, name, table and statement of each object in the schema of a database."""
    query = "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master"
    return {(*names, "".join(sql.split())) for *names, sql in db.execute(query)}


@cache
def _valid_layout() -> set[tuple[str, ...]]:
    """What the schema of a store declares."""
    with closing(sqlite3.connect(":memory:")) as model:
        model.executescript(SCHEMA)
        return _layout(model)


def _check_size(path: Path) -> None:
    """Check that the file has all of its pages.

    SQLite reads the missing part of a last page as zeros.
    """
    with path.open("rb") as file:
        head = file.read(100)
        size = file.seek(0, os.SEEK_END)
    if not head.startswith(b"SQLite format 3\0") or len(head) < 100:
        return  # SQLite reports a file that is not a database; an empty file is an empty database
    (page,) = struct.unpack(">H", head[16:18])
    page = 65536 if page == 1 else page
    (pages,) = struct.unpack(">I", head[28:32])
    whole = size // page if page else 0
    missing = set(range(whole + 1, pages + 1))
    if (missing or size % max(page, 1)) and not missing <= _pages_of_log(path, page):
        raise StoreDamagedError(
            f"the store is damaged: the file ends after {size:,} of {pages * page:,} bytes",
            where=str(path),
        )


def _pages_of_log(path: Path, page: int) -> set[int]:
    """The numbers of the pages that the write-ahead log has."""
    log, pages = path.with_name(RunFile.LOG), set[int]()
    if not log.exists():
        return pages
    with log.open("rb") as file:
        head = file.read(32)
        while len(frame := file.read(24)) == 24:
            if frame[8:16] == head[16:24]:  # the frame belongs to this log
                pages.add(struct.unpack(">I", frame[:4])[0])
            file.seek(page, os.SEEK_CUR)
    return pages
