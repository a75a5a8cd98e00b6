"""The machine that measures: what it is, and what on it spoils measurements."""

import os
import platform
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from harness.sweep import tree
from harness.sweep.limits import usable_cores

_CPU: Final = Path("/sys/devices/system/cpu")
_SMALLEST_MEMORY: Final = 2 * 2**30


def describe_machine() -> dict[str, Any]:
    """Host, kernel, processor, memory and load, as plain data; None for what is not told."""
    memory = _memory()
    return {
        "host": platform.node(),
        "system": platform.platform(),
        "machine": platform.machine(),
        "processor": _processor(),
        "hypervisor": _hypervisor(),
        "cpus": os.cpu_count(),
        "usable_cores": usable_cores() or None,
        "governor": _text(_CPU / "cpu0/cpufreq/scaling_governor"),
        "turbo": _turbo(),
        "smt": _text(_CPU / "smt/active"),
        "memory_bytes": memory.get("MemTotal"),
        "memory_available_bytes": memory.get("MemAvailable"),
        "swap_used_bytes": _swap_used(memory),
        "load_average": load_average(),
        "clock_resolution_s": time.get_clock_info("perf_counter").resolution,
    }


def load_average() -> list[float] | None:
    """The load over 1, 5 and 15 minutes."""
    with suppress(OSError, AttributeError):
        return list(os.getloadavg())
    return None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the machine that a measurement depends on."""

    subject: str
    good: bool | None
    """None where the machine does not tell."""
    found: str
    remedy: str = ""
    """What to do about it; empty where it is good or nothing can be done."""


def examine_machine() -> list[Finding]:
    """What is fit for measuring here and what is not, each with the remedy."""
    facts = describe_machine()
    return [check(facts) for check in _CHECKS]


def _cores(facts: dict[str, Any]) -> Finding:
    cores = facts["usable_cores"]
    if cores is None:
        return Finding("pinning", None, "workers cannot be pinned to cores on this system")
    if len(cores) < 2:
        remedy = "give the harness two cores: one for the worker, one for all else"
        return Finding("pinning", False, f"{len(cores)} core", remedy)
    return Finding("pinning", True, f"{len(cores)} cores; --jobs up to {len(cores) - 1}")


def _load(facts: dict[str, Any]) -> Finding:
    load = facts["load_average"]
    if load is None:
        return Finding("load", None, "not told here")
    busy = load[0] > 0.5
    remedy = "end what else runs, and wait a minute" if busy else ""
    return Finding("load", not busy, f"{load[0]:.2f} over the last minute", remedy)


def _governor(facts: dict[str, Any]) -> Finding:
    governor = facts["governor"]
    if governor is None:
        return Finding("governor", None, "the processor's frequency is not told here")
    good = governor == "performance"
    return Finding(
        "governor", good, governor, "" if good else "cpupower frequency-set -g performance"
    )


def _turbo_finding(facts: dict[str, Any]) -> Finding:
    turbo = facts["turbo"]
    if turbo is None:
        return Finding("turbo", None, "not told here")
    remedy = "turn it off in the firmware or under /sys/devices/system/cpu" if turbo else ""
    return Finding("turbo", not turbo, "on" if turbo else "off", remedy)


def _smt(facts: dict[str, Any]) -> Finding:
    if facts["smt"] is None:
        return Finding("hyperthreads", None, "not told here")
    active = facts["smt"] == "1"
    remedy = "use --jobs of at most half the cores" if active else ""
    return Finding("hyperthreads", not active, "on" if active else "off", remedy)


def _hypervisor_finding(facts: dict[str, Any]) -> Finding:
    if facts["hypervisor"] is None:
        return Finding("hypervisor", None, "not told here")
    remedy = "compare ratios of one run, not times of several; trust cpu_s before wall_s"
    virtual = bool(facts["hypervisor"])
    found = "a virtual machine: others may take its time" if virtual else "none"
    return Finding("hypervisor", not virtual, found, remedy if virtual else "")


def _memory_finding(facts: dict[str, Any]) -> Finding:
    available = facts["memory_available_bytes"]
    if available is None:
        return Finding("memory", None, "not told here")
    good = available >= _SMALLEST_MEMORY
    return Finding("memory", good, f"{available / 2**30:.1f} GiB free", "" if good else "free some")


def _swap(facts: dict[str, Any]) -> Finding:
    used = facts["swap_used_bytes"]
    if used is None:
        return Finding("swap", None, "not told here")
    remedy = "swapoff -a, or set --memory so that nothing is swapped" if used else ""
    return Finding("swap", not used, f"{used / 2**20:.0f} MiB in use" if used else "unused", remedy)


def _processes(_: dict[str, Any]) -> Finding:
    if not tree.visible:
        found = "without /proc: no limits of memory and CPU time, and children may outlive a kill"
        return Finding("processes", False, found, "measure on Linux")
    with suppress(OSError):
        (Path("/proc/self/task") / str(os.getpid()) / "children").read_text()
        return Finding("processes", True, "children are seen, orphans adopted, limits kept")
    found = "the kernel does not tell children: what a backend forks may outlive a kill"
    return Finding("processes", False, found, "a kernel with CONFIG_PROC_CHILDREN")


def _peaks(_: dict[str, Any]) -> Finding:
    if os.access("/proc/self/clear_refs", os.W_OK):
        return Finding("peak memory", True, "kept by the kernel for each trial of 5 ms and more")
    unit = "the process" if sys.platform != "win32" else "nothing"
    found = f"known for {unit} as a whole only: rows say 'bound'"
    return Finding("peak memory", None, found)


def _files(_: dict[str, Any]) -> Finding:
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    good = soft >= 256
    return Finding("open files", good, f"up to {soft}", "" if good else "ulimit -n 1024")


_CHECKS: Final[tuple[Callable[[dict[str, Any]], Finding], ...]] = (
    _cores,
    _load,
    _governor,
    _turbo_finding,
    _smt,
    _hypervisor_finding,
    _memory_finding,
    _swap,
    _processes,
    _peaks,
    _files,
)


def _processor() -> str | None:
    return next(_cpuinfo("model name"), platform.processor() or None)


def _hypervisor() -> bool | None:
    flags = next(_cpuinfo("flags"), None)
    return None if flags is None else "hypervisor" in flags.split()


def _cpuinfo(field: str) -> Iterator[str]:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == field:
                yield value.strip()


def _turbo() -> bool | None:
    if (off := _text(_CPU / "intel_pstate/no_turbo")) is not None:
        return off == "0"
    if (boost := _text(_CPU / "cpufreq/boost")) is not None:
        return boost == "1"
    return None


def _memory() -> dict[str, int]:
    with suppress(OSError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        pairs = (line.split(":") for line in lines)
        return {name: int(value.split()[0]) * 1024 for name, value in pairs}
    return {}


def _swap_used(memory: dict[str, int]) -> int | None:
    if "SwapTotal" not in memory:
        return None
    return memory["SwapTotal"] - memory.get("SwapFree", 0)


def _text(path: Path) -> str | None:
    with suppress(OSError):
        return path.read_text().strip()
    return None
