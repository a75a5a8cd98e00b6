"""The time of a stream, without the time in which its findings are shrunk."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic


class Stopwatch:
    """Runs from its creation, except while it is paused."""

    def __init__(self) -> None:
        self._began = monotonic()
        self._paused = 0.0

    @property
    def seconds(self) -> float:
        """Seconds so far; not to be read during a pause."""
        return monotonic() - self._began - self._paused

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Leave the time of the block out."""
        began = monotonic()
        try:
            yield
        finally:
            self._paused += monotonic() - began
