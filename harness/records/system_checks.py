"""Checks of a machine for measuring: of this one, or of one that a run has recorded."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from harness.records.environment import SystemInfo

BUSY: Final = 0.5
"""The least load average over the last minute at which other programs affect the times."""
_LEAST_MEMORY_BYTES: Final = 2 * 2**30
_LEAST_OPEN_FILES: Final = 256


@dataclass(frozen=True, slots=True)
class SystemCheck:
    """The outcome of one check of a machine."""

    subject: str
    passed: bool | None
    """None if the system does not report the fact."""
    found: str
    remedy: str = ""
    """What to do; empty if the check passed or no remedy is known."""


def system_checks(info: SystemInfo) -> list[SystemCheck]:
    """All checks of a machine, each with a remedy if it failed."""
    return [check(info) for check in _CHECKS]


def _pinning(info: SystemInfo) -> SystemCheck:
    cores = info.usable_cores
    if cores is None:
        return SystemCheck("pinning", None, "this system cannot pin workers to cores")
    if len(cores) < 2:
        remedy = "give the harness two cores: one for the worker, one for everything else"
        return SystemCheck("pinning", False, "one core for the worker and everything else", remedy)
    return SystemCheck("pinning", True, f"{len(cores)} cores: use --jobs {len(cores) - 1} at most")


def _load(info: SystemInfo) -> SystemCheck:
    load = info.load_average
    if load is None:
        return _unknown("load")
    busy = load[0] > BUSY
    remedy = "end other programs and wait a minute" if busy else ""
    return SystemCheck("load", not busy, f"{load[0]:.2f} over the last minute", remedy)


def _governor(info: SystemInfo) -> SystemCheck:
    if info.governor is None:
        return SystemCheck("governor", None, "not reported by this system")
    passed = info.governor == "performance"
    remedy = "" if passed else "cpupower frequency-set -g performance"
    return SystemCheck("governor", passed, info.governor, remedy)


def _turbo(info: SystemInfo) -> SystemCheck:
    remedy = "turn it off in the firmware or under /sys/devices/system/cpu"
    return _switched_off("turbo", info.turbo, remedy)


def _hyperthreads(info: SystemInfo) -> SystemCheck:
    remedy = "set --jobs to at most half of the cores"
    return _switched_off("hyperthreads", info.simultaneous_multithreading, remedy)


def _switched_off(subject: str, active: bool | None, remedy: str) -> SystemCheck:
    if active is None:
        return _unknown(subject)
    return SystemCheck(subject, not active, "on" if active else "off", remedy if active else "")


def _hypervisor(info: SystemInfo) -> SystemCheck:
    if info.hypervisor is None:
        return _unknown("hypervisor")
    if not info.hypervisor:
        return SystemCheck("hypervisor", True, "none")
    remedy = "compare ratios within one run; trust cpu_s more than wall_s"
    found = "a virtual machine: other machines may take its time"
    return SystemCheck("hypervisor", False, found, remedy)


def _memory(info: SystemInfo) -> SystemCheck:
    available = info.memory_available_bytes
    if available is None:
        return _unknown("memory")
    passed = available >= _LEAST_MEMORY_BYTES
    remedy = "" if passed else "free some memory"
    return SystemCheck("memory", passed, f"{available / 2**30:.1f} GiB free", remedy)


def _swap(info: SystemInfo) -> SystemCheck:
    used = info.swap_used_bytes
    if used is None:
        return _unknown("swap")
    found = f"{used / 2**20:.0f} MiB in use" if used else "unused"
    remedy = "swapoff -a, or set --memory so that nothing is swapped" if used else ""
    return SystemCheck("swap", not used, found, remedy)


def _processes(info: SystemInfo) -> SystemCheck:
    if info.processes_visible is None:
        return _unknown("processes")
    if not info.processes_visible:
        found = "no /proc: limits of memory and CPU time do not work; children may survive a kill"
        return SystemCheck("processes", False, found, "measure on Linux")
    if not info.children_visible:
        found = "the kernel does not list children: forked processes may survive a kill"
        return SystemCheck("processes", False, found, "use a kernel with CONFIG_PROC_CHILDREN")
    groups = ", cgroups v2" if info.groups_available else ""
    found = f"children visible, orphans adopted, limits enforced{groups}"
    return SystemCheck("processes", True, found)


def _peaks(info: SystemInfo) -> SystemCheck:
    subject = "peak memory"
    if info.peaks_resettable is None:
        return _unknown(subject)
    if info.peaks_resettable:
        return SystemCheck(subject, True, "from the kernel for each trial of 5 ms or more")
    return SystemCheck(subject, None, "known per process only: memory_source is 'bound'")


def _files(info: SystemInfo) -> SystemCheck:
    limit = info.open_files
    if limit is None:
        return _unknown("open files")
    passed = limit >= _LEAST_OPEN_FILES
    return SystemCheck("open files", passed, f"up to {limit}", "" if passed else "ulimit -n 1024")


def _unknown(subject: str) -> SystemCheck:
    return SystemCheck(subject, None, "not reported by this system")


_CHECKS: Final[tuple[Callable[[SystemInfo], SystemCheck], ...]] = (
    _pinning,
    _load,
    _governor,
    _turbo,
    _hyperthreads,
    _hypervisor,
    _memory,
    _swap,
    _processes,
    _peaks,
    _files,
)
