"""Processes of the workbench: modules that read standard input and write standard output."""

import asyncio
import signal
import sys
from asyncio.subprocess import Process
from contextlib import suppress
from typing import Final

_END_S: Final = 5.0
"""Seconds in which a process ends what it started; then it is killed."""
_MOST_LINE: Final = 2**24
"""Bytes of a line of output at most."""


async def started(module: str) -> Process:
    """Start a module of the harness as a process, with pipes for its input and output."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=_MOST_LINE,
        start_new_session=True,  # Ctrl-C is for the server, which ends the process
    )


async def ended(process: Process) -> None:
    """End a process by SIGTERM, or by SIGKILL if it does not end in five seconds."""
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
