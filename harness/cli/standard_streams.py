"""Standard input, output and error, as the user's shell has left them."""

import os
import sys
from contextlib import suppress
from typing import Final, TextIO

_DESCRIPTORS: Final = (0, 1, 2)


def prepare() -> None:
    """Make the streams safe to use, whatever the shell did with them.

    A closed descriptor leads to the null device: otherwise the next file or socket would take
    its number, and a child process would take that for its own stream. Output without a place
    is discarded. Standard input stays missing, which is an error where it is read.
    """
    for descriptor in _DESCRIPTORS:
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free descriptor: this one
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))


def discard(stream: TextIO) -> None:
    """Discard what `stream` still holds, so that Python's exit does not fail to write it."""
    with suppress(OSError, ValueError):  # a stream of a test has no descriptor
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
