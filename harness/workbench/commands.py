"""Python modules that run to their end in processes of their own, with limits."""

import asyncio
from collections.abc import Sequence
from typing import Final

from harness.errors import InputError
from harness.text import last_line
from harness.workbench.child import Child

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
