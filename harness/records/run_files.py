"""The files of a run's folder, which may come from a stranger.

A link, a FIFO or a device in the folder is refused, a file is read up to a size, and a file
is written completely or not at all.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from harness.errors import RunError, StorageError

LARGEST_BYTES: Final = 64 * 2**20
"""Size of the largest text file of a run that is read. The record of an invocation has some
ten kilobytes, so this is the record of thousands."""
NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
"""The flag with which opening a link fails, where the system has it."""
_NO_BLOCK: Final = getattr(os, "O_NONBLOCK", 0)


def refuse_special_file(path: Path) -> None:
    """Require that `path` is a regular file or nothing: no link, FIFO, device, socket or folder.

    Raises:
        RunError: it is another kind of file, or its name is invalid.
    """
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise RunError(f"cannot be used: {error.strerror}", where=str(path)) from None
    if stat.S_ISLNK(mode):
        raise RunError("is a symbolic link", where=str(path), expected="a file of the run itself")
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        raise RunError(f"is {kind}", where=str(path), expected="a file of the run itself")


def read(path: Path) -> bytes | None:
    """The content of a file of a run; None if there is none.

    Raises:
        RunError: it is a link or another special file, is too large or cannot be read.
    """
    refuse_special_file(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | NO_FOLLOW | _NO_BLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RunError(f"cannot be read: {error.strerror}", where=str(path)) from None
    with open(descriptor, "rb") as file:  # noqa: PTH123  of a descriptor
        try:
            data = file.read(LARGEST_BYTES + 1)
        except OSError as error:
            raise RunError(f"cannot be read: {error.strerror}", where=str(path)) from None
    if len(data) > LARGEST_BYTES:
        raise RunError(f"has more than {LARGEST_BYTES // 2**20} MiB", where=str(path))
    return data


def write(path: Path, data: bytes) -> None:
    """Write a file of a run, completely or not at all.

    Raises:
        RunError: `path` is a link or another special file.
        StorageError: it cannot be written.
    """
    refuse_special_file(path)
    temporary = path.with_name(f"{path.name}.new")
    try:
        temporary.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW
        with open(os.open(temporary, flags, 0o666), "wb") as file:  # noqa: PTH123
            file.write(data)
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from error
