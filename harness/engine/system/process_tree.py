"""Processes and all that descends from them, as Linux shows it under /proc.

Where there is no /proc (macOS, Windows) a process is known to have no
descendants but those of its process group, and its memory is not known; who
asks can tell by `visible`.
"""

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

visible: Final = sys.platform == "linux" and Path("/proc/self/stat").exists()
"""Whether descendants, memory and CPU time of other processes can be seen here."""

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_TICK: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Usage:
    """What processes use together at a moment."""

    resident: int = 0
    """Bytes in memory; pages that processes share are counted for each."""
    virtual: int = 0
    """Bytes of address space of the largest one."""
    cpu: float = 0.0
    """Seconds of CPU so far, with those of children that were waited for."""


def descendants(pid: int) -> list[int]:
    """The processes that `pid` started and those that they started, as far as they live."""
    found: list[int] = []
    open_ = [pid]
    while open_:
        for child in _children(open_.pop()):
            found.append(child)
            open_.append(child)
    return found


def usage(pids: list[int]) -> Usage:
    """What these processes use together; one that has ended uses nothing."""
    resident = virtual = 0
    cpu = 0.0
    for pid in pids:
        with suppress(OSError, ValueError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            cpu += sum(map(int, fields[11:15])) / _TICK
            virtual = max(virtual, int(fields[20]))
            resident += int(fields[21]) * _PAGE
    return Usage(resident, virtual, cpu)


def _children(pid: int) -> list[int]:
    with suppress(OSError):
        texts = [(task / "children").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
        return [int(child) for text in texts for child in text.split()]
    return []
