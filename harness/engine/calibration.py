"""A fixed computation whose CPU time shows how fast a core is during a run.

Frequency, hyperthreads and other machines on the same processor change the speed of a core by
tens of per cent, in CPU time as well as in wall time, and no counter of the system shows it.
Workers repeat the computation between their trials, so two runs that differ in it were not
measured on equally fast cores.
"""

from math import exp, log
from time import monotonic, thread_time
from typing import Final

EVERY_S: Final = 0.02
"""The least time between two calibrations of a worker, which take less than 1 % of it."""
_STEPS: Final = 1500
"""Enough for 100 us, a hundred times what it takes to read the clock."""


class Calibration:
    """Measures the computation at most every `EVERY_S` seconds."""

    def __init__(self) -> None:
        self._next_at = 0.0

    def due(self) -> float | None:
        """The CPU time of the computation in seconds; None if it was measured just before."""
        if monotonic() < self._next_at:
            return None
        seconds = _compute()
        self._next_at = monotonic() + EVERY_S
        return seconds


class Speed:
    """The geometric mean of many calibrations."""

    def __init__(self) -> None:
        self._number, self._logs = 0, 0.0

    def add(self, seconds: float) -> None:
        """Add a calibration."""
        self._number += 1
        self._logs += log(seconds)

    @property
    def seconds(self) -> float | None:
        """The mean CPU time of the computation in seconds; None without any."""
        return exp(self._logs / self._number) if self._number else None


def _compute() -> float:
    began = thread_time()
    total = 0
    for n in range(_STEPS):
        total = (total + n * n) % 1009
    return max(thread_time() - began, 1e-9)
