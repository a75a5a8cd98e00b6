"""A process that stays, and answers one line with one line."""

from typing import TypeVar

import msgspec

from harness.errors import InputError
from harness.workbench.child import Child

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
