"""The harness's handle of a guard, with the process below it and their folder."""

import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final

from harness.engine.guard import (
    EndLeftovers,
    GuardArguments,
    GuardedEnded,
    GuardMessage,
    LeftoversEnded,
)
from harness.engine.system.cgroup import Cgroup
from harness.engine.system.child_environment import start_module
from harness.engine.system.killing import kill_descendants
from harness.engine.system.output_file import OutputFile
from harness.engine.system.process_tree import children, is_stopped
from harness.engine.system.removal import remove_folder
from harness.engine.wire.channel import SEND_LIMIT_S, ChannelBroken, ChannelClosed, Connection

EXIT_LIMIT_S: Final = 5.0
"""Seconds to wait for a guard to exit before it is killed. It kills within milliseconds and
removes a large folder within seconds; the harness removes what is left."""
_REAP_LIMIT_S: Final = 5.0
"""Seconds to wait for a killed guard to end. Only a process that waits for a disk or a network
file system takes longer, and it is left to the system."""
_LOOK_EVERY_S: Final = 0.5
"""Seconds between two looks at a guard that has not exited: far longer than it takes."""


class GuardedProcess:
    """A guard and the process that it guards, in a folder of their own.

    Args:
        module: the module that the guard runs; its `main` reads `GuardArguments` from the
            command line, and its own arguments after them.
        arguments: its own arguments.
        descriptors: descriptors that it inherits under the same numbers.
        hash_seed: the seed of the hashes of its texts.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        descriptors: Sequence[int],
        *,
        hash_seed: int = 0,
    ) -> None:
        self.started_at = monotonic()
        self.folder = Path(tempfile.mkdtemp(prefix="harness-"))
        self._output = OutputFile(self.folder)
        self._group = Cgroup.create(self.folder.name)
        end, guard_end = socket.socketpair()
        self._control: Connection[GuardMessage] = Connection(
            end, GuardMessage, send_limit_s=SEND_LIMIT_S
        )
        group = self._group.folder if self._group else None
        texts = GuardArguments(guard_end.fileno(), self.folder, os.getpid(), group).encode()
        with guard_end:
            self._process = start_module(
                module,
                (*texts, *arguments),
                self.folder,
                descriptors=(guard_end.fileno(), *descriptors),
                stdout=self._output.fileno(),
                stderr=self._output.fileno(),
                hash_seed=hash_seed,
            )

    @property
    def output(self) -> str:
        """The end of the output of the process, of its guard and of its monitors."""
        return self._output.tail()

    @property
    def is_stopped(self) -> bool:
        """Whether a signal has stopped the guard or the process that it guards."""
        pid = self._process.pid
        return any(map(is_stopped, (pid, *children(pid))))

    def end_leftovers(self, *, below: bool) -> list[str]:
        """Have the guard end processes that nobody looks after any more; their names.

        Args:
            below: whether the descendants of the guarded process are among them.
        """
        with suppress(ChannelClosed):
            self._control.send(EndLeftovers(below))
        for message in self._received():
            if isinstance(message, LeftoversEnded):
                return message.names
        return []

    def wait(self) -> int:
        """Wait for a process that has closed its connection; its exit code."""
        for message in self._received():
            if isinstance(message, GuardedEnded):
                return message.exit_code
        return -signal.SIGKILL

    def _received(self) -> Iterator[GuardMessage]:
        """Messages of the guard, as long as it sends some within its limit."""
        deadline = monotonic() + EXIT_LIMIT_S
        with suppress(ChannelClosed, ChannelBroken):
            while self._waits(deadline):
                yield from self._control.receive(wait=False)

    def _waits(self, deadline: float) -> bool:
        """Wait for a message of the guard; False after the deadline, or if it is stopped."""
        while monotonic() < deadline:
            if self._control.wait_readable(min(_LOOK_EVERY_S, deadline - monotonic())):
                return True
            if is_stopped(self._process.pid):
                return False
        return False

    def request_end(self) -> None:
        """Have the guard end everything; `end` waits for it."""
        self._control.shut_down()

    def end(self) -> None:
        """End the process and everything below its guard, and remove their folder."""
        self._control.shut_down()
        if not self._exits():
            if self._group:
                self._group.kill()
            kill_descendants(self._process.pid)
            self._process.kill()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_REAP_LIMIT_S)
        if self._group:  # the guard may have been killed before it ended the group
            self._group.kill()
            self._group.remove()
        self._control.close()
        self._output.close()
        remove_folder(self.folder)

    def _exits(self) -> bool:
        """Whether the guard exits within its limit; a stopped one does not."""
        deadline = monotonic() + EXIT_LIMIT_S
        while monotonic() < deadline:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_LOOK_EVERY_S)
                return True
            if is_stopped(self._process.pid):
                return False
        return False
