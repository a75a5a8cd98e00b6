"""What Ctrl-C, SIGTERM and SIGHUP do: end the process at once, or raise so that it can clean up."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FrameType
from typing import Final

INTERRUPTED: Final = 130
"""The exit code of a command that Ctrl-C ended, by the convention of shells."""
_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)


class Interrupted(KeyboardInterrupt):
    """A signal other than that of Ctrl-C interrupted a command.

    Attributes:
        signal: its name, for example ``SIGTERM``.
        code: the exit code of the command: 128 plus the number of the signal.
    """

    def __init__(self, signal: str, code: int) -> None:
        super().__init__(signal)
        self.signal = signal
        self.code = code


# While there is nothing to clean up.


def exit_at_once(_: int = signal.SIGINT, __: FrameType | None = None) -> None:
    """End this process without traceback and without an exception, which an import may swallow."""
    os._exit(INTERRUPTED)


def install() -> None:
    """Let Ctrl-C end this process at once, unless it is ignored or handled otherwise."""
    if signal.getsignal(signal.SIGINT) in (signal.SIG_DFL, signal.default_int_handler):
        signal.signal(signal.SIGINT, exit_at_once)


# While a display, processes, files or results must be cleaned up.


@contextmanager
def interruptible(*modules: str) -> Iterator[None]:
    """Raise KeyboardInterrupt for Ctrl-C in the block, and `Interrupted` for other signals.

    A module that is imported for the first time may swallow the exception.

    Args:
        modules: the modules that the block imports; they are imported before it begins.
    """
    for module in modules:
        import_module(module)
    with signals_as_interrupts():
        if signal.getsignal(signal.SIGINT) is not exit_at_once:
            yield
            return
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, exit_at_once)


@contextmanager
def signals_as_interrupts() -> Iterator[None]:
    """Raise `Interrupted` for SIGTERM and SIGHUP, unless they are ignored or handled already.

    Only the main thread of a process can do so; in other threads nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def _interrupt(number: int, _: FrameType | None) -> None:
    # A second signal ends the process at once.
    signal.signal(number, signal.SIG_DFL)
    raise Interrupted(signal.Signals(number).name, 128 + number)
