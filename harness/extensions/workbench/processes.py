"""The harness's own code in processes of its own: commands that run to their end, and functions.

Whatever may hang, crash or take a long time runs in such a process; the server calls the rest.
"""

import asyncio
import os
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any, Self, TypeVar

import msgspec
from msgspec import Raw

from harness.base.child import module_command
from harness.base.errors import InputError
from harness.base.text import last_line
from harness.extensions.workbench.answering import AnswerLine

# A process of the harness that the server starts, and that ends with it.


async def start_process(
    module: str,
    *words: str,
    niceness: int = 0,
    dies_by: signal.Signals = signal.SIGTERM,
    errors: int | None = None,
) -> Process:
    """Start ``python -m MODULE WORDS``; the kernel ends it if the server is killed.

    It has a session of its own, so Ctrl-C in the terminal of the server does not reach it: the
    server ends it. A line of its output has at most 16 MiB.

    Args:
        module: the module.
        words: its arguments.
        niceness: how much lower than that of the server its priority is.
        dies_by: the signal that it gets if the server is killed.
        errors: where its standard error goes: to a pipe, to its standard output, or by default to
            the terminal of the server.
    """
    prefix: Sequence[str] = ("nice", "-n", str(niceness)) if niceness else ()
    return await asyncio.create_subprocess_exec(
        *prefix,
        *module_command(module, *words, dies_by=dies_by),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=errors,
        limit=2**24,
        start_new_session=True,
    )


def send_signal(process: Process, number: signal.Signals) -> None:
    """Send a signal to a process, if it still runs.

    The method of `asyncio` checks whether the process has ended, and so takes its exit code from
    the event loop, which then warns of an unknown process and reports the code 255.
    """
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)


async def end_process(process: Process, *signals: signal.Signals, each_s: float = 5.0) -> None:
    """End a process: by these signals, by default SIGTERM, and at last by SIGKILL.

    The next signal follows after `each_s` seconds. If the waiting task is cancelled, the process
    is ended nevertheless.
    """

    async def end() -> None:
        for number in (*(signals or (signal.SIGTERM,)), signal.SIGKILL):
            if process.returncode is not None:
                break
            send_signal(process, number)
            with suppress(TimeoutError):
                async with asyncio.timeout(each_s):
                    await process.wait()

    await asyncio.shield(asyncio.ensure_future(end()))


# The command `harness`, which runs to its end, with limits.


async def command_output(
    *words: str,
    data: bytes = b"",
    most_s: float = 900.0,
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
    process = await start_process(
        "harness", *words, niceness=niceness, errors=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(most_s):
            output, errors = await process.communicate(data)
    except TimeoutError:
        raise InputError(f"the command took more than {most_s:g} seconds") from None
    finally:
        await end_process(process)
    if process.returncode not in codes:
        text = last_line(errors.decode(errors="replace"), longest=600).removeprefix("harness: ")
        raise InputError(text or f"the command ended with code {process.returncode}")
    return output


# Functions of the harness, each in a process that stays for the next call.


Answer = TypeVar("Answer")


class Answering:
    """Calls one function of the harness in a process of its own, one call after the other.

    The process starts with the first call or with `prepare`, and again after it has ended. The end
    of a ``with`` block ends it.

    Args:
        function: ``MODULE:FUNCTION``, as `harness.extensions.workbench.answering` takes it.
        failure: the message if the process ends without an answer.
        niceness: how much lower than that of the server its priority is.
    """

    def __init__(self, function: str, failure: str, *, niceness: int = 0) -> None:
        self._function, self._failure, self._niceness = function, failure, niceness
        self._process: asyncio.Task[Process] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    def prepare(self) -> None:
        """Start the process, so that the first part of the next answer comes sooner."""
        if self._process is None:
            words = ("harness.extensions.workbench.answering", self._function)
            self._process = asyncio.create_task(start_process(*words, niceness=self._niceness))

    async def parts(self, query: Any) -> AsyncIterator[Raw]:
        """The parts of the answer to a call, as they come.

        The process ends if the task that waits for the next part is cancelled.

        Raises:
            InputError: the function raised an error, or the process ended without an answer.
        """
        is_done = False
        try:
            process = await self._start()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(msgspec.json.encode(query) + b"\n")
            while data := await process.stdout.readline():
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
        starting, self._process = self._process, None
        if starting is not None:
            with suppress(OSError):
                await end_process(await starting)

    async def _start(self) -> Process:
        while True:
            self.prepare()
            assert self._process is not None
            process = await asyncio.shield(self._process)
            if process.returncode is None:
                return process
            self._process = None
