"""Processes that the server starts, and that end with it."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, TypeVar

import msgspec

from harness.errors import InputError
from harness.text import last_line

# A process of the harness that the server starts, and that ends with it.


_END_S: Final = 5.0
"""Seconds in which a process puts away what it has; then it is killed."""
_LEASH: Final = "harness.workbench.leash"
_MOST_LINE: Final = 2**24
"""Bytes of a line at most."""
_MOST_ERRORS: Final = 2**16


class Child:
    """A Python process with a session of its own, whose input and output are lines.

    Ctrl-C in the terminal of the server does not reach it: the server ends it.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @staticmethod
    async def start(
        module: str, *words: str, niceness: int = 0, keeps_errors: bool = False
    ) -> "Child":
        """Start ``python -m MODULE WORDS``; the kernel ends it if the server is killed.

        Args:
            module: the module.
            words: its arguments.
            niceness: how much lower than that of the server its priority is.
            keeps_errors: whether `communicate` returns its standard error; otherwise that is
                the terminal of the server.
        """
        prefix: Sequence[str] = ("nice", "-n", str(niceness)) if niceness else ()
        process = await asyncio.create_subprocess_exec(
            *(*prefix, sys.executable, "-m", _LEASH, str(os.getpid()), module, *words),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE if keeps_errors else None,
            limit=_MOST_LINE,
            start_new_session=True,
        )
        return Child(process)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """Its exit code; None while it runs."""
        return self._process.returncode

    def write(self, line: bytes) -> None:
        """Write a line to its input.

        Raises:
            OSError: it has ended.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")

    async def line(self) -> bytes:
        """The next line of its output; empty at the end.

        Raises:
            ValueError: the line is too long.
        """
        assert self._process.stdout is not None
        return await self._process.stdout.readline()

    async def communicate(self, data: bytes, most_bytes: int) -> tuple[bytes, bytes]:
        """Give it all of its input, and wait for its end: its output, and its kept errors.

        Raises:
            InputError: it writes more than `most_bytes`.
        """
        process = self._process
        _, output, errors = await asyncio.gather(
            self._feed(data), _read(process.stdout, most_bytes), _read(process.stderr, _MOST_ERRORS)
        )
        await process.wait()
        return output, errors

    async def _feed(self, data: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        with suppress(ConnectionError):  # a command need not read all of its input
            stdin.write(data)
            await stdin.drain()
        stdin.close()

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to the process, if it still runs."""
        send_signal(self._process, number)

    async def close(self, *signals: signal.Signals) -> None:
        """End the process: by these signals, by default SIGTERM, and at last by SIGKILL.

        Each has five seconds. The task that waits may be cancelled; the end goes on.
        """
        await asyncio.shield(asyncio.ensure_future(self._end(signals or (signal.SIGTERM,))))

    async def _end(self, signals: Sequence[signal.Signals]) -> None:
        for number in (*signals, signal.SIGKILL):
            if self._process.returncode is not None:
                break
            self.send_signal(number)
            with suppress(TimeoutError):
                async with asyncio.timeout(_END_S):
                    await self._process.wait()


def send_signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """Send a signal to a process, if it still runs.

    The method of the process looks whether it has ended, and so takes its exit code from the event
    loop, which then warns of an unknown process and reports the code 255.
    """
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)


async def _read(stream: asyncio.StreamReader | None, most: int) -> bytes:
    """All that a process writes.

    Raises:
        InputError: it is more than `most` bytes.
    """
    found = bytearray()
    while stream is not None and (part := await stream.read(2**16)):
        found += part
        if len(found) > most:
            raise InputError(f"the command wrote more than {most:,} bytes")
    return bytes(found)


# Python modules that run to their end in processes of their own, with limits.


MOST_S: Final = 900.0
"""Seconds of a command."""
_LONGEST_REASON: Final = 600


async def command_output(
    module: str,
    *words: str,
    data: bytes = b"",
    most_bytes: int = 2**26,
    most_s: float = MOST_S,
    codes: Sequence[int] = (0,),
    niceness: int = 10,
) -> bytes:
    """The standard output of a Python module; its process ends if the task is cancelled.

    Args:
        module: the module.
        words: its arguments.
        data: its standard input.
        most_bytes: the largest output.
        most_s: seconds after which it is ended.
        codes: the exit codes of success.
        niceness: how much lower than that of the server its priority is.

    Raises:
        InputError: it failed; the message is the last line of its standard error.
    """
    child = await Child.start(module, *words, niceness=niceness, keeps_errors=True)
    try:
        async with asyncio.timeout(most_s):
            output, errors = await child.communicate(data, most_bytes)
    except TimeoutError:
        raise InputError(f"the command took more than {most_s:g} seconds") from None
    finally:
        await child.close()
    if child.exit_code not in codes:
        text = last_line(errors.decode(errors="replace"), _LONGEST_REASON)
        text = text.removeprefix("error: ").removeprefix("harness: ")
        raise InputError(text or f"the command ended with code {child.exit_code}")
    return output


class Commands:
    """Runs one command at a time."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(1)
        self._tasks: set[asyncio.Task[bytes]] = set()

    async def output(
        self, module: str, *words: str, most_s: float = MOST_S, codes: Sequence[int] = (0,)
    ) -> bytes:
        """The standard output of a Python module, as `command_output` has it.

        Raises:
            InputError: it failed; the message is the last line of its standard error.
        """
        async with self._turn:
            task = asyncio.create_task(command_output(module, *words, most_s=most_s, codes=codes))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            return await task

    async def close(self) -> None:
        """End all commands."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


# A process that stays, and answers one line with one line.


Answer = TypeVar("Answer")


class Answering:
    """A Python module that answers lines of JSON, one after the other.

    Its process starts with the first line, and again after it has ended.

    Args:
        module: the module.
        failure: what to say if it does not answer.
    """

    def __init__(self, module: str, failure: str) -> None:
        self._module = module
        self._failure = failure
        self._child: Child | None = None

    async def answer(self, line: msgspec.Struct, kind: type[Answer]) -> Answer:
        """The answer to a line.

        If the task that waits is cancelled, the process ends.

        Raises:
            InputError: the process ended without an answer of this type.
        """
        if self._child is None or self._child.exit_code is not None:
            self._child = await Child.start(self._module)
        is_done = False
        try:
            self._child.write(msgspec.json.encode(line))
            found = msgspec.json.decode(await self._child.line(), type=kind)
            is_done = True
            return found
        except (OSError, ValueError, msgspec.DecodeError):
            raise InputError(self._failure) from None
        finally:
            if not is_done:
                await self.close()

    async def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        if child is not None:
            await child.close()
