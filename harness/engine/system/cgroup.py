"""Control groups of processes (cgroups v2) and the quota of CPU time of a container.

A process cannot leave its group by forking, by a new session or by losing its parent, and
the kernel kills a group with all groups inside it at once. This is an addition to
killing descendants: many systems do not let a user create groups.

A control group with a quota may use a share of the CPU time of all cores in each period, usually of
0.1 s. Once the share is used up, its processes wait for the next period. Among the quotas of a
process's group and the groups above, the tightest applies.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from harness.engine.system.processes import text_of_file

# Control groups of processes (cgroups v2), where the user may create them.


_KILL: Final = "cgroup.kill"
"""The file that kills a group, since Linux 5.14."""
_MEMBERS: Final = "cgroup.procs"
"""The file that adds a process to a group."""


class Cgroup:
    """A group of processes, as a folder of the kernel."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @staticmethod
    def create(name: str, parent: "Cgroup | None" = None) -> "Cgroup | None":
        """Create a group inside `parent`, or inside the group of this process.

        None if the system or the user's rights do not allow that.
        """
        home = parent.folder if parent else _own_folder()
        if home is None:
            return None
        folder = home / name
        try:
            folder.mkdir()
        except OSError:
            return None
        group = Cgroup(folder)
        if os.access(folder / _KILL, os.W_OK) and os.access(folder / _MEMBERS, os.W_OK):
            return group
        group.remove()
        return None

    def join(self) -> bool:
        """Move this process into the group; return whether that was possible."""
        try:
            _write(self.folder / _MEMBERS, b"0")
        except OSError:
            return False
        return True

    def kill(self) -> None:
        """Kill all processes of the group and of the groups inside it."""
        with suppress(OSError):
            _write(self.folder / _KILL, b"1")

    def remove(self) -> None:
        """Remove the group and the groups inside it once they are empty, or give up at a limit."""
        # A killed group becomes empty within milliseconds.
        deadline = monotonic() + 2.0
        while self.folder.exists():
            with suppress(OSError):
                for inner in self._groups():
                    inner.rmdir()
                self.folder.rmdir()
            if monotonic() > deadline:
                return
            if self.folder.exists():
                sleep(0.001)

    def _groups(self) -> list[Path]:
        """The groups inside this one, innermost first."""
        return [Path(folder) for folder, _, _ in os.walk(self.folder, topdown=False)][:-1]


def is_available() -> bool:
    """Whether this process may create groups and kill them."""
    group = Cgroup.create(f"harness-probe-{os.getpid()}")
    if group is None:
        return False
    group.remove()
    return True


def _write(file: Path, text: bytes) -> None:
    """Write to an existing file.

    Raises:
        OSError: the file does not exist, or the kernel refuses the request.
    """
    descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text)
    finally:
        os.close(descriptor)


def _own_folder() -> Path | None:
    """The folder of the group of this process; None without cgroups v2."""
    with suppress(OSError, ValueError, StopIteration):
        mounts = (line.split(" ") for line in Path("/proc/self/mounts").read_text().splitlines())
        root = next(fields[1] for fields in mounts if fields[2] == "cgroup2")
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        path = next(line[3:] for line in lines if line.startswith("0::"))
        # A container may see a group outside of its own part of the tree.
        return None if ".." in path.split("/") else Path(root, path.lstrip("/"))
    return None


# The quota of CPU time of a container, and for how long it has stopped the container's processes.


_MOUNT: Final = Path("/sys/fs/cgroup")
_MEMBERSHIP: Final = Path("/proc/self/cgroup")


def cpu_quota() -> float | None:
    """How many cores' worth of CPU time this process and its children may use.

    None if there is no quota, or if the system does not report it.
    """
    quotas = []
    for text in _texts("cpu.max"):
        with suppress(ValueError, ZeroDivisionError):  # "max" raises it too: no quota
            quota, period = map(int, text.split())
            quotas.append(quota / period)
    return min(quotas, default=None)


def throttled_s() -> float:
    """For how many seconds a quota has stopped the processes of the group so far."""
    times = re.findall(r"(?m)^throttled_usec (\d+)$", "\n".join(_texts("cpu.stat")))
    return max(map(int, times), default=0) / 1e6


def _texts(name: str) -> Iterator[str]:
    """The files of this name of the process's control groups, and of those above."""
    for line in text_of_file(_MEMBERSHIP).splitlines():
        if line.startswith("0::"):
            folder = _MOUNT / line[3:].lstrip("/")  # in a container the mount itself
            for group in (folder, *folder.parents):
                if group.is_relative_to(_MOUNT):
                    yield text_of_file(group / name)
