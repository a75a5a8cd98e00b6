"""Commands of the harness in processes of their own, with limits."""

import asyncio
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from harness.errors import InputError
from harness.text import last_line

_END_S: Final = 5.0
_MOST_ERRORS: Final = 2**16
MOST_S: Final = 900.0
"""Seconds of a command."""


class Commands:
    """Runs one command at a time, with low priority."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(1)
        self._processes: set[asyncio.subprocess.Process] = set()

    async def output(
        self,
        module: str,
        *words: str,
        most_bytes: int = 2**26,
        most_s: float = MOST_S,
        codes: Sequence[int] = (0,),
    ) -> bytes:
        """The standard output of a Python module.

        Args:
            module: the module.
            words: its arguments.
            most_bytes: the largest output.
            most_s: seconds after which it is ended.
            codes: the exit codes of success.

        Raises:
            InputError: it failed; the message is its last line.
        """
        async with self._turn:
            process = await asyncio.create_subprocess_exec(
                *("nice", "-n", "10", sys.executable, "-m", module, *words),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
            self._processes.add(process)
            try:
                async with asyncio.timeout(most_s):
                    output, errors = await asyncio.gather(
                        _read(process.stdout, most_bytes), _read(process.stderr, _MOST_ERRORS)
                    )
                    code = await process.wait()
            except TimeoutError:
                raise InputError(f"the command took more than {most_s:g} seconds") from None
            finally:
                self._processes.discard(process)
                await asyncio.shield(_end(process))
        if code not in codes:
            text = last_line(errors.decode(errors="replace"), 600)
            text = text.removeprefix("error: ") or f"the command ended with code {code}"
            raise InputError(text)
        return output

    async def close(self) -> None:
        """End all commands."""
        await asyncio.gather(*(_end(process) for process in self._processes))


async def _read(stream: asyncio.StreamReader | None, most: int) -> bytes:
    """The output of a process.

    Raises:
        InputError: it is larger than `most` bytes.
    """
    assert stream is not None
    found = bytearray()
    while part := await stream.read(2**16):
        found += part
        if len(found) > most:
            raise InputError(f"the command wrote more than {most:,} bytes")
    return bytes(found)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a process that still runs."""
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    try:
        async with asyncio.timeout(_END_S):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
