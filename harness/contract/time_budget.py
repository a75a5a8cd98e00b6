"""One time limit for several calls into a backend."""

from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.contract.backend import Backend


class SharedTime:
    """Offers each call of a loop what the calls before have left of the backend's time limit.

    As a context manager it gives the backend its limit back in the end.
    """

    def __init__(self, backend: "Backend") -> None:
        self._backend = backend
        self._limit = backend.time_limit
        self._began = perf_counter()

    def is_left(self) -> bool:
        """Whether there is time for another call, which is offered that."""
        if self._limit is None:
            return True
        self._backend.time_limit = self._limit - (perf_counter() - self._began)
        return self._backend.time_limit > 0

    def __enter__(self) -> "SharedTime":
        return self

    def __exit__(self, *_: object) -> None:
        self._backend.time_limit = self._limit
