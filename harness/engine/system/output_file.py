"""The file that receives the output of a process that runs untrusted code."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

NAME: Final = "output"
_TAIL_BYTES: Final = 2000
"""Bytes of the output that are reported, from its end: the message of an abort or the last
frames of a traceback, and short enough for a column of a table."""


class OutputFile:
    """A new file in `folder`, and its descriptor.

    The reader keeps the descriptor. The process that writes can rename the file, or
    replace it by a pipe, a link or a device; what is read is the file that was created.
    """

    def __init__(self, folder: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        self._descriptor = os.open(folder / NAME, flags, 0o600)

    def fileno(self) -> int:
        """The descriptor, for the standard output and error of a process."""
        return self._descriptor

    def tail(self) -> str:
        """The last 2,000 bytes as text."""
        with suppress(OSError):
            size = os.fstat(self._descriptor).st_size
            data = os.pread(self._descriptor, _TAIL_BYTES, max(0, size - _TAIL_BYTES))
            return data.decode(errors="replace").strip()
        return ""

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._descriptor)
