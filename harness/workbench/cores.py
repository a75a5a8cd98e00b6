"""The cores that the workbench may use: those on which no sweep measures."""

from collections.abc import Callable, Sequence

from harness.engine.system.kernel import usable_cores
from harness.errors import InputError

Measured = Callable[[], Sequence[int]]
"""The cores on which a sweep measures now."""


def free_cores(measured: Measured) -> list[int]:
    """The cores on which no sweep measures; empty if the system does not report cores.

    Raises:
        InputError: a sweep measures on every core.
    """
    usable, taken = usable_cores(), set(measured())
    free = [core for core in usable if core not in taken]
    if usable and not free:
        raise InputError(
            "a sweep measures on every core",
            expected="its end, or a sweep with fewer trials at a time",
        )
    return free
