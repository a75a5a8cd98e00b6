"""Signals that end a run as Ctrl-C does, so that its end is recorded."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from harness.errors import Interrupted

_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def signals_as_interrupts() -> Iterator[None]:
    """Raise `Interrupted` for SIGTERM and SIGHUP, unless they are ignored or handled already.

    Only the main thread of a process can do so; in another one nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    changed = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in changed:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


def _interrupt(number: int, _: FrameType | None) -> None:
    # A second signal ends the process at once.
    signal.signal(number, signal.SIG_DFL)
    raise Interrupted(signal.Signals(number).name, 128 + number)
