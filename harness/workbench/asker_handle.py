"""An asker from the side of the server: one process for one configuration."""

import asyncio

import msgspec

from harness.errors import InputError
from harness.workbench.asker import Query, Result
from harness.workbench.processes import ended, started


class AskerHandle:
    """A process that answers the questions to one configuration, one after the other.

    Args:
        core: the core of its worker; None for any.
    """

    def __init__(self, core: int | None) -> None:
        self.core = core
        self._process: asyncio.subprocess.Process | None = None
        self._number = 0

    async def put(self, query: Query) -> Result:
        """Put a question, and wait for the answer; the process starts if it does not run.

        If the task that waits is cancelled, the process and its workers end.

        Raises:
            InputError: the process ended without an answer.
        """
        if self._process is None or self._process.returncode is not None:
            self._process = await started("harness.workbench.asker")
        self._number += 1
        query = msgspec.structs.replace(query, number=self._number, core=self.core)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        is_done = False
        try:
            self._process.stdin.write(msgspec.json.encode(query) + b"\n")
            line = await self._process.stdout.readline()
            found = msgspec.json.decode(line, type=Result) if line else None
            if found is None or found.number != self._number:
                raise InputError("the process for questions ended without an answer")
            is_done = True
            return found
        except (OSError, ValueError, msgspec.DecodeError) as error:
            raise InputError(f"the process for questions failed: {error}") from None
        finally:
            if not is_done:
                await asyncio.shield(self.close())

    async def close(self) -> None:
        """End the process and its workers."""
        process, self._process = self._process, None
        if process is not None:
            await ended(process)
