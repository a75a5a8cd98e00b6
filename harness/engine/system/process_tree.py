"""The descendants of a process and their resource usage, from /proc.

Where /proc is missing (macOS, Windows) `visible` is False, and descendants and memory of
other processes are unknown.
"""

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

visible: Final = sys.platform == "linux" and Path("/proc/self/stat").exists()
"""Whether this system shows descendants, memory and CPU time of other processes."""

_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Usage:
    """Resource usage of several processes together at one moment."""

    resident_bytes: int = 0
    """Resident memory; a page that processes share counts once for each of them."""
    virtual_bytes: int = 0
    """Address space of the largest process."""
    cpu_s: float = 0.0
    """CPU time so far, including that of children that were waited for."""


def descendants(pid: int) -> list[int]:
    """The living children of `pid`, their children, and so on."""
    found: list[int] = []
    unvisited = [pid]
    while unvisited:
        for child in _children(unvisited.pop()):
            found.append(child)
            unvisited.append(child)
    return found


def usage(pids: list[int]) -> Usage:
    """The usage of these processes together; one that has ended uses nothing."""
    resident = virtual = 0
    cpu = 0.0
    for pid in pids:
        with suppress(OSError, ValueError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            cpu += sum(map(int, fields[11:15])) / _TICKS_PER_SECOND
            virtual = max(virtual, int(fields[20]))
            resident += int(fields[21]) * _PAGE_BYTES
    return Usage(resident, virtual, cpu)


def _children(pid: int) -> list[int]:
    with suppress(OSError):
        texts = [(task / "children").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
        return [int(child) for text in texts for child in text.split()]
    return []
