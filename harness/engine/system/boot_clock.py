"""A clock that goes on while the machine sleeps."""

import time
from typing import Final

_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", None)


def boot_clock() -> float:
    """Seconds since the start of the machine, with those in which it slept.

    On systems without such a clock, that of `time.monotonic`.
    """
    return time.monotonic() if _CLOCK is None else time.clock_gettime(_CLOCK)
