"""A file that is written completely or not at all, perhaps compressed."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_IMODE
from typing import BinaryIO
from uuid import uuid4

from harness.errors import InputError, PuzzleError, unwritable
from harness.puzzles.formats.compressed import SUFFIXES, bare_name, compressing


@contextmanager
def written(target: str) -> Iterator[BinaryIO]:
    """The file to write, under its name when the block ends without an error.

    A symbolic link stays, and the file that it leads to is replaced. A file that is replaced
    keeps its permissions.

    Args:
        target: the file; ``-`` for standard output. The suffix ``.gz``, ``.zip`` or
            ``.zst`` compresses it.

    Raises:
        HarnessError: the file cannot be written.
    """
    if target == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(target)
    if path.is_dir():
        raise InputError("is a directory", where=target, expected="a file")
    if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced
        with writing(target), path.open("wb") as file:
            yield file
        return
    kind = next((suffix for suffix in SUFFIXES if target.lower().endswith(suffix)), "")
    path = _end_of_links(path)
    part = path.with_name(f".{path.name[:100]}.{uuid4().hex[:8]}.part")
    try:
        with writing(target):
            file = part.open("wb")
            if path.exists():
                part.chmod(S_IMODE(path.stat().st_mode))
        with file:
            with compressing(file, kind, Path(bare_name(target)).name) as packed:
                yield packed
            with writing(target):
                file.flush()
                os.fsync(file.fileno())
        with writing(target):
            part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _end_of_links(path: Path) -> Path:
    """The file that symbolic links at `path` lead to, which may not exist.

    Raises:
        PuzzleError: they lead in a circle.
    """
    if not path.is_symlink():
        return path
    found = Path(os.path.realpath(path))
    if found.is_symlink():
        raise PuzzleError("a symbolic link in a circle", where=str(path), expected="a file")
    return found


@contextmanager
def writing(target: str) -> Iterator[None]:
    """Turn errors of the file system into errors that name the target.

    Raises:
        HarnessError: the system reports one.
    """
    try:
        yield
    except BrokenPipeError:  # the reader of standard output closed it, as `head` does
        raise
    except OSError as error:
        raise unwritable(target, error) from None
