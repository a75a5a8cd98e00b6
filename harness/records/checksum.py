"""The checksum of a store at rest.

SQLite has no checksums: a bit that flips in a value is another value. The harness writes the
digest of the file when it closes a store, and removes it before it writes to the store again.
The file has the format of ``sha256sum``.
"""

import hashlib
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from harness.errors import StorageError, StoreDamagedError
from harness.records import run_files

SUFFIX: Final = ".sha256"


def seal(store: Path) -> None:
    """Write the checksum of a store that is closed.

    A store without a checksum is valid, so a full disk is no error here.
    """
    if _has_log(store):
        return
    with store.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    with suppress(StorageError):
        run_files.write(_path(store), f"{digest}  {store.name}\n".encode())


def unseal(store: Path) -> None:
    """Remove the checksum of a store that is about to change.

    Raises:
        StorageError: it cannot be removed.
    """
    try:
        _path(store).unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(f"{_path(store)}: cannot be removed: {error.strerror}") from error


def check_seal(store: Path) -> bool:
    """Whether the store has a checksum, and the file matches it.

    Raises:
        StoreDamagedError: the file does not match its checksum.
    """
    recorded = run_files.read(_path(store))
    if recorded is None or _has_log(store):
        return False
    found = re.match(rb"[0-9a-f]{64}", recorded)
    with store.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if found is None or found[0].decode() != digest:
        raise StoreDamagedError(
            "the file has changed since the harness closed it",
            where=str(store),
            expected=f"the content that {store.name}{SUFFIX} records",
        )
    return True


def _path(store: Path) -> Path:
    return store.with_name(f"{store.name}{SUFFIX}")


def _has_log(store: Path) -> bool:
    """Whether SQLite's write-ahead log has pages that are not in the file."""
    log = store.with_name(f"{store.name}-wal")
    return log.exists() and log.stat().st_size > 0
