"""The quota of CPU time of a container, and how long it has stopped the processes in it.

A control group with a quota may use, in each period of mostly 0.1 s, a share of the CPU time
of all cores. A process that has used it up waits for the next period. Both versions of
control groups are read; the tightest quota of a process's group and the groups above counts.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_MOUNT: Final = Path("/sys/fs/cgroup")
_MEMBERSHIP: Final = Path("/proc/self/cgroup")
_CONTROLLER: Final = "cpu"


def cpu_quota(mount: Path = _MOUNT, membership: Path = _MEMBERSHIP) -> float | None:
    """How many cores' worth of CPU time this process and its children may use.

    None if there is no quota, or if the system does not report it.

    Args:
        mount: the folder where control groups are mounted.
        membership: the file that names the control groups of the process.
    """
    quotas = [q for folder in _groups(mount, membership) if (q := _quota(folder)) is not None]
    return min(quotas, default=None)


def throttled_s(mount: Path = _MOUNT, membership: Path = _MEMBERSHIP) -> float:
    """For how many seconds a quota has stopped the processes of the group so far."""
    return max((_throttled(folder) for folder in _groups(mount, membership)), default=0.0)


def _groups(mount: Path, membership: Path) -> Iterator[Path]:
    """The folders of the process's control groups for CPU time, and of those above."""
    for line in _text(membership).splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        names = controllers.split(",")
        if controllers and _CONTROLLER not in names:
            continue
        # A container sees its own group as the root of the mount.
        roots = [mount / controllers, mount / _CONTROLLER] if controllers else [mount]
        for root in dict.fromkeys(roots):
            folder = root / path.lstrip("/")
            yield from (group for group in (folder, *folder.parents) if group.is_relative_to(root))


def _quota(folder: Path) -> float | None:
    words = _text(folder / "cpu.max").split()
    if not words:
        words = [_text(folder / f"cpu.cfs_{name}_us").strip() for name in ("quota", "period")]
    with suppress(ValueError, IndexError, ZeroDivisionError):
        quota = int(words[0]) / int(words[1])
        return quota if quota > 0 else None  # -1 is no quota
    return None


def _throttled(folder: Path) -> float:
    for line in _text(folder / "cpu.stat").splitlines():
        name, _, value = line.partition(" ")
        unit = {"throttled_usec": 1e-6, "throttled_time": 1e-9}.get(name)
        if unit is not None:
            with suppress(ValueError):
                return int(value) * unit
    return 0.0


def _text(path: Path) -> str:
    with suppress(OSError):
        return path.read_text()
    return ""
