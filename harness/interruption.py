"""The end of the command by Ctrl-C while there is nothing to put away."""

import os
import signal
from types import FrameType
from typing import Final

INTERRUPTED: Final = 130
"""The exit code of a command that Ctrl-C ended, as shells have it."""


def exit_at_once(_: int = signal.SIGINT, __: FrameType | None = None) -> None:
    """End this process: no exception that an import could swallow, and no traceback."""
    os._exit(INTERRUPTED)


def install() -> None:
    """Let Ctrl-C end this process at once, unless the shell has it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, exit_at_once)
