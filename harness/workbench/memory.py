"""The memory that a question may use."""

import os
from typing import Final

_MOST_MIB: Final = 4096
_PART: Final = 4
"""A question gets this part of the memory of the machine: a quarter."""


def default_memory_mib() -> int:
    """The limit of a question in MiB: a quarter of the memory of the machine, at most 4 GiB."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20
    return min(machine // _PART, _MOST_MIB)
