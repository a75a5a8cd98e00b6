"""An asker from the side of the server: one process for one configuration."""

import msgspec

from harness.errors import InputError
from harness.workbench.asker_messages import Query, Result
from harness.workbench.child import Child


class AskerHandle:
    """A process that answers the questions to one configuration, one after the other.

    Args:
        core: the core of its worker; None for any.
    """

    def __init__(self, core: int | None) -> None:
        self.core = core
        self._child: Child | None = None
        self._number = 0

    async def put(self, query: Query) -> Result:
        """Put a question, and wait for the answer; the process starts if it does not run.

        If the task that waits is cancelled, the process and its workers end.

        Raises:
            InputError: the process ended without an answer.
        """
        if self._child is None or self._child.exit_code is not None:
            self._child = await Child.start("-m", "harness.workbench.asker")
        self._number += 1
        query = msgspec.structs.replace(query, number=self._number, core=self.core)
        is_done = False
        try:
            self._child.write(msgspec.json.encode(query))
            line = await self._child.line()
            found = msgspec.json.decode(line, type=Result) if line else None
            if found is None or found.number != self._number:
                raise InputError("the process for questions ended without an answer")
            is_done = True
            return found
        except (OSError, ValueError, msgspec.DecodeError) as error:
            raise InputError(f"the process for questions failed: {error}") from None
        finally:
            if not is_done:
                await self.close()

    async def close(self) -> None:
        """End the process and its workers."""
        child, self._child = self._child, None
        if child is not None:
            await child.close()
