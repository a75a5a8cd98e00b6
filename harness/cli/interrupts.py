"""What Ctrl-C does: end the process at once, or unwind a run that has something to put away."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from harness.interruption import exit_at_once


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block rather than end the process at once.

    For work that leaves a display, processes or results to put away. A library that is
    imported for the first time may swallow the exception, so import libraries before.
    """
    if signal.getsignal(signal.SIGINT) is not exit_at_once:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, exit_at_once)
