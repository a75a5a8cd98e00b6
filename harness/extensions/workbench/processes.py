"""The harness's own code in processes of its own: commands that run to their end, and functions.

Whatever may hang, crash or take a long time runs in such a process; the server calls the rest.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Raw

from harness.base.child import module_command
from harness.base.errors import InputError
from harness.base.text import last_line
from harness.extensions.workbench.answering import AnswerLine

# A process of the harness that the server starts, and that ends with it.


_END_S: Final = 5.0
"""Seconds that a process has to end on its own after a signal, before it is killed."""
_MOST_LINE: Final = 2**24
"""Maximum length of a line in bytes."""


class Child:
    """A process that runs a Python module, with lines as its input and output.

    It has a session of its own, so Ctrl-C in the terminal of the server does not reach it: the
    server ends it.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @staticmethod
    async def start(
        module: str,
        *words: str,
        niceness: int = 0,
        dies_by: signal.Signals = signal.SIGTERM,
        errors: int | None = None,
    ) -> "Child":
        """Start ``python -m MODULE WORDS``; the kernel ends it if the server is killed.

        Args:
            module: the module.
            words: its arguments.
            niceness: how much lower than that of the server its priority is.
            dies_by: the signal that it gets if the server is killed.
            errors: where its standard error goes: to a pipe for `communicate`, to its standard
                output, or by default to the terminal of the server.
        """
        prefix: Sequence[str] = ("nice", "-n", str(niceness)) if niceness else ()
        process = await asyncio.create_subprocess_exec(
            *prefix,
            *module_command(module, *words, dies_by=dies_by),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
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
        """Its exit code; negative for a signal; None while it runs."""
        return self._process.returncode

    @property
    def output(self) -> asyncio.StreamReader:
        """Its output."""
        assert self._process.stdout is not None
        return self._process.stdout

    def write(self, line: bytes) -> None:
        """Write a line to its input.

        Raises:
            OSError: it has ended.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")

    async def wait(self) -> int:
        """Wait for its end; returns its exit code."""
        return await self._process.wait()

    async def communicate(self, data: bytes) -> tuple[bytes, bytes]:
        """Give it all of its input, and wait for its end: its output, and its error output."""
        return await self._process.communicate(data)

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to the process, if it still runs.

        The method of `asyncio` checks whether the process has ended, and so takes its exit code
        from the event loop, which then warns of an unknown process and reports the code 255.
        """
        if self.exit_code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    async def close(self, *signals: signal.Signals, each_s: float = _END_S) -> None:
        """End the process: by these signals, by default SIGTERM, and at last by SIGKILL.

        The next signal follows after `each_s` seconds. If the waiting task is cancelled, the
        process is ended nevertheless.
        """
        await asyncio.shield(asyncio.ensure_future(self._end(signals or (signal.SIGTERM,), each_s)))

    async def _end(self, signals: Sequence[signal.Signals], each_s: float) -> None:
        for number in (*signals, signal.SIGKILL):
            if self.exit_code is not None:
                break
            self.send_signal(number)
            with suppress(TimeoutError):
                async with asyncio.timeout(each_s):
                    await self.wait()


# The command `harness`, which runs to its end, with limits.


MOST_S: Final = 900.0
"""Time limit of a command in seconds."""
_LONGEST_REASON: Final = 600


async def command_output(
    *words: str,
    data: bytes = b"",
    most_s: float = MOST_S,
    codes: Sequence[int] = (0,),
    niceness: int = 10,
) -> bytes:
    """The standard output of ``harness WORDS``; its process ends if the task is cancelled.

    Args:
        words: the arguments of the command.
        data: its standard input.
        most_s: seconds after which it is ended.
        codes: the exit codes of success.
        niceness: how much lower than that of the server its priority is.

    Raises:
        InputError: it took too long, or failed: the message is the last line of its standard error.
    """
    child = await Child.start("harness", *words, niceness=niceness, errors=asyncio.subprocess.PIPE)
    try:
        async with asyncio.timeout(most_s):
            output, errors = await child.communicate(data)
    except TimeoutError:
        raise InputError(f"the command took more than {most_s:g} seconds") from None
    finally:
        await child.close()
    if child.exit_code not in codes:
        text = last_line(errors.decode(errors="replace"), _LONGEST_REASON)
        text = text.removeprefix("harness: ")
        raise InputError(text or f"the command ended with code {child.exit_code}")
    return output


# Functions of the harness, each in a process that stays for the next call.


Answer = TypeVar("Answer")


class Answering:
    """Calls one function of the harness in a process of its own, one call after the other.

    The process starts with the first call or with `prepare`, and again after it has ended.

    Args:
        function: ``MODULE:FUNCTION``, as `harness.extensions.workbench.answering` takes it.
        failure: the message if the process ends without an answer.
        niceness: how much lower than that of the server its priority is.
    """

    def __init__(self, function: str, failure: str, *, niceness: int = 0) -> None:
        self._function, self._failure, self._niceness = function, failure, niceness
        self._child: asyncio.Task[Child] | None = None

    def prepare(self) -> None:
        """Start the process, so that the first part of the next answer comes sooner."""
        if self._child is None:
            words = ("harness.extensions.workbench.answering", self._function)
            self._child = asyncio.create_task(Child.start(*words, niceness=self._niceness))

    async def parts(self, query: Any) -> AsyncIterator[Raw]:
        """The parts of the answer to a call, as they come.

        The process ends if the task that waits for the next part is cancelled.

        Raises:
            InputError: the function raised an error, or the process ended without an answer.
        """
        is_done = False
        try:
            child = await self._start()
            child.write(msgspec.json.encode(query))
            while data := await child.output.readline():
                line = msgspec.json.decode(data, type=AnswerLine)
                if not line.part:
                    is_done = True
                    break
                yield line.part
        except (OSError, ValueError, msgspec.DecodeError):
            raise InputError(self._failure) from None
        finally:
            if not is_done:
                await self.close()
        if not is_done or line.error:
            raise InputError(line.error if is_done else self._failure)

    async def answer(self, query: Any, kind: type[Answer]) -> Answer:
        """The answer to a call, which has one part.

        Raises:
            InputError: the function raised an error, or the process ended without an answer.
        """
        (part,) = [part async for part in self.parts(query)]
        return msgspec.json.decode(part, type=kind)

    async def close(self) -> None:
        """End the process."""
        starting, self._child = self._child, None
        if starting is not None:
            with suppress(OSError):
                await (await starting).close()

    async def _start(self) -> Child:
        while True:
            self.prepare()
            assert self._child is not None
            child = await asyncio.shield(self._child)
            if child.exit_code is None:
                return child
            self._child = None


async def answer_of(function: str, query: Any, failure: str, *, niceness: int) -> Raw:
    """The answer of a function that is called once, as JSON; its process ends with it.

    Raises:
        InputError: the function raised an error, or the process ended without an answer.
    """
    caller = Answering(function, failure, niceness=niceness)
    try:
        return await caller.answer(query, Raw)
    finally:
        await caller.close()
