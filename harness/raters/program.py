"""Runs a program that is given a puzzle, with limits on its time and its output."""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from threading import Event, Timer
from typing import Final, NamedTuple

from harness.errors import InputError

MOST_OUTPUT: Final = 2**20
"""The most bytes that a program may print for a puzzle."""
_END_OF_ERRORS: Final = 2**13
"""Bytes of the standard error output that are read, from its end."""


class Ended(NamedTuple):
    """What a program printed."""

    output: str
    errors: str
    """The end of its standard error output."""
    code: int
    """The exit code; negative for a signal."""


def output_of(command: Sequence[str], text: str, seconds: float) -> Ended | None:
    """Run a program; None if it is killed at its time limit.

    The program and its children are one process group, which ends with it.

    Args:
        command: the program and its arguments.
        text: its standard input.
        seconds: the time limit.

    Raises:
        InputError: the program cannot be started, or prints more than `MOST_OUTPUT`.
    """
    with TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            raise InputError(f"{command[0]} cannot be started: {error.strerror}") from None
        assert process.stdin is not None
        assert process.stdout is not None
        late = Event()

        def stop() -> None:
            late.set()
            _kill(process)

        timer = Timer(seconds, stop)
        try:
            timer.start()
            with suppress(BrokenPipeError):
                process.stdin.write(text.encode())
                process.stdin.close()
            printed = process.stdout.read(MOST_OUTPUT + 1)
            code = process.wait() if len(printed) <= MOST_OUTPUT else 0
        finally:
            timer.cancel()
            if process.poll() is None:
                _kill(process)
                process.wait()
            process.stdout.close()
        if late.is_set():
            return None
        if len(printed) > MOST_OUTPUT:
            raise InputError(f"{command[0]} prints more than {MOST_OUTPUT // 2**20} MiB")
        size = errors.seek(0, os.SEEK_END)
        errors.seek(max(0, size - _END_OF_ERRORS))
        end = errors.read()
    return Ended(printed.decode("utf-8", "replace"), end.decode("utf-8", "replace"), code)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program with its children, where the system has process groups."""
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
