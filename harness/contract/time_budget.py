"""One time limit over several calls into a backend."""

from time import perf_counter
from typing import Protocol


class Limited(Protocol):
    """An object whose calls take a time limit in seconds, None for no limit."""

    time_limit: float | None


class TimeBudget:
    """Splits the time limit of a backend over a loop of calls.

    Each call gets the seconds that the earlier calls left. Use it as a context
    manager: it restores the backend's own limit on exit.
    """

    def __init__(self, backend: Limited) -> None:
        self._backend = backend
        self._limit_s = backend.time_limit
        self._start = perf_counter()

    def allows_call(self) -> bool:
        """Set the limit of the next call; False if no time is left for one."""
        if self._limit_s is None:
            return True
        self._backend.time_limit = self._limit_s - (perf_counter() - self._start)
        return self._backend.time_limit > 0

    def __enter__(self) -> "TimeBudget":
        return self

    def __exit__(self, *_: object) -> None:
        self._backend.time_limit = self._limit_s
