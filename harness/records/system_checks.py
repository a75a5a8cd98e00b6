"""What of a machine spoils measurements, by what it says of itself or a run recorded of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

Facts = Mapping[str, Any]
"""What `harness.engine.system.info.describe_machine` gives; of an older run some may be missing."""

BUSY: Final = 0.5
"""The load over the last minute from which on something else has a part in the times."""
_SMALLEST_MEMORY: Final = 2 * 2**30
_FEWEST_FILES: Final = 256


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the machine that a measurement depends on."""

    subject: str
    good: bool | None
    """None where the machine does not tell."""
    found: str
    remedy: str = ""
    """What to do about it; empty where it is good or nothing can be done."""


def findings(facts: Facts) -> list[Finding]:
    """What is fit for measuring and what is not, each with the remedy."""
    return [check(facts) for check in _CHECKS]


def _pinning(facts: Facts) -> Finding:
    cores = facts.get("usable_cores")
    if cores is None:
        return Finding("pinning", None, "workers cannot be pinned to cores on this system")
    if len(cores) < 2:
        remedy = "give the harness two cores: one for the worker, one for all else"
        return Finding("pinning", False, "one core for the worker and all else", remedy)
    return Finding("pinning", True, f"{len(cores)} cores; --jobs up to {len(cores) - 1}")


def _load(facts: Facts) -> Finding:
    load = facts.get("load_average")
    if load is None:
        return _untold("load")
    busy = load[0] > BUSY
    remedy = "end what else runs, and wait a minute" if busy else ""
    return Finding("load", not busy, f"{load[0]:.2f} over the last minute", remedy)


def _governor(facts: Facts) -> Finding:
    governor = facts.get("governor")
    if governor is None:
        return Finding("governor", None, "the processor's frequency is not told here")
    good = governor == "performance"
    remedy = "" if good else "cpupower frequency-set -g performance"
    return Finding("governor", good, governor, remedy)


def _turbo(facts: Facts) -> Finding:
    turbo = facts.get("turbo")
    if turbo is None:
        return _untold("turbo")
    remedy = "turn it off in the firmware or under /sys/devices/system/cpu" if turbo else ""
    return Finding("turbo", not turbo, "on" if turbo else "off", remedy)


def _hyperthreads(facts: Facts) -> Finding:
    if facts.get("smt") is None:
        return _untold("hyperthreads")
    active = facts["smt"] == "1"
    remedy = "use --jobs of at most half the cores" if active else ""
    return Finding("hyperthreads", not active, "on" if active else "off", remedy)


def _hypervisor(facts: Facts) -> Finding:
    virtual = facts.get("hypervisor")
    if virtual is None:
        return _untold("hypervisor")
    remedy = "compare ratios of one run, not times of several; trust cpu_s before wall_s"
    found = "a virtual machine: others may take its time" if virtual else "none"
    return Finding("hypervisor", not virtual, found, remedy if virtual else "")


def _memory(facts: Facts) -> Finding:
    available = facts.get("memory_available_bytes")
    if available is None:
        return _untold("memory")
    good = available >= _SMALLEST_MEMORY
    return Finding("memory", good, f"{available / 2**30:.1f} GiB free", "" if good else "free some")


def _swap(facts: Facts) -> Finding:
    used = facts.get("swap_used_bytes")
    if used is None:
        return _untold("swap")
    remedy = "swapoff -a, or set --memory so that nothing is swapped" if used else ""
    return Finding("swap", not used, f"{used / 2**20:.0f} MiB in use" if used else "unused", remedy)


def _processes(facts: Facts) -> Finding:
    if facts.get("processes_visible") is None:
        return _untold("processes")
    if not facts["processes_visible"]:
        found = "without /proc: no limits of memory and CPU time, and children may outlive a kill"
        return Finding("processes", False, found, "measure on Linux")
    if not facts.get("children_told"):
        found = "the kernel does not tell children: what a backend forks may outlive a kill"
        return Finding("processes", False, found, "a kernel with CONFIG_PROC_CHILDREN")
    return Finding("processes", True, "children are seen, orphans adopted, limits kept")


def _peaks(facts: Facts) -> Finding:
    if facts.get("peaks_told") is None:
        return _untold("peak memory")
    if facts["peaks_told"]:
        return Finding("peak memory", True, "kept by the kernel for each trial of 5 ms and more")
    return Finding("peak memory", None, "known for a process as a whole only: rows say 'bound'")


def _files(facts: Facts) -> Finding:
    most = facts.get("open_files")
    if most is None:
        return _untold("open files")
    good = most >= _FEWEST_FILES
    return Finding("open files", good, f"up to {most}", "" if good else "ulimit -n 1024")


def _untold(subject: str) -> Finding:
    return Finding(subject, None, "not told here")


_CHECKS: Final[tuple[Callable[[Facts], Finding], ...]] = (
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
