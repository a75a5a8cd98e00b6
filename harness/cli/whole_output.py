"""Output that appears completely or not at all."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from harness.cli.terminal import show
from harness.errors import unwritable

_IN_MEMORY: Final = 2**24
"""Bytes of output that are kept in memory; more go to a temporary file."""
_AT_ONCE: Final = 2**16


def write_whole(parts: Iterable[str], out: Path | None) -> None:
    """Write the text of `parts` to `out`, or to standard output, once it is complete.

    If making the parts raises an error, or is interrupted, there is no output, and an earlier
    file stays as it was.

    Args:
        parts: the text, made while it is taken.
        out: the file, a device, or None for standard output.

    Raises:
        InputError: the file cannot be written.
        StorageError: the device is full.
    """
    if out is None:
        with _collected(parts) as text:
            for part in text:
                show(part, end="")
        return
    try:
        if out.is_file() or not out.exists():
            _replace(parts, out)
            return
        with (
            out.open("w", encoding="utf-8", newline="\n") as device,
            _collected(parts) as text,
        ):
            device.writelines(text)
    except OSError as error:
        raise unwritable(out, error) from None


def _replace(parts: Iterable[str], out: Path) -> None:
    new = out.with_name(f".{out.name}.new")
    try:
        with new.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(parts)
        new.replace(out)
    except BaseException:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise


@contextmanager
def _collected(parts: Iterable[str]) -> Iterator[Iterator[str]]:
    """The text of `parts` once it is complete, in large pieces.

    Raises:
        InputError: the temporary file for a large text cannot be written.
        StorageError: the device of the temporary file is full.
    """
    file: IO[str]
    with tempfile.SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", newline="") as file:
        try:
            file.writelines(parts)
            file.seek(0)
        except OSError as error:
            raise unwritable(tempfile.gettempdir(), error) from None
        yield iter(lambda: file.read(_AT_ONCE), "")
