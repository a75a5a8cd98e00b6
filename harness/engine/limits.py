"""Limits of a trial."""

from typing import Final

from msgspec import Struct

MIB: Final = 2**20
"""Bytes of a mebibyte."""


class Limits(Struct, frozen=True):
    """Resources that a trial may use; None where a resource is not limited."""

    wall_s: float | None = None
    """Wall time in seconds."""
    cpu_s: float | None = None
    """CPU time in seconds, children included."""
    memory_bytes: int | None = None
    """Resident memory of the worker and its descendants above the worker's baseline."""
