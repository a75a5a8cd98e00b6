"""System information: host, kernel, processor, memory and load."""

import os
import platform
import resource
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from harness.engine.system import cgroup, process_tree
from harness.engine.system.cluster_processes import cluster_processes
from harness.engine.system.cpu_quota import cpu_quota
from harness.engine.system.kernel import usable_cores
from harness.records.environment import SystemInfo

_CPU: Final = Path("/sys/devices/system/cpu")


def system_info() -> SystemInfo:
    """The facts about this machine; see `harness.records.system_checks`."""
    memory = _memory()
    return SystemInfo(
        host=platform.node(),
        system=platform.platform(),
        machine=platform.machine(),
        processor=_processor(),
        hypervisor=_hypervisor(),
        cpus=os.cpu_count(),
        usable_cores=usable_cores() or None,
        cpu_quota=cpu_quota(),
        governor=_text(_CPU / "cpu0/cpufreq/scaling_governor"),
        turbo=_turbo(),
        simultaneous_multithreading=_multithreading(),
        memory_bytes=memory.get("MemTotal"),
        memory_available_bytes=memory.get("MemAvailable"),
        swap_used_bytes=_swap_used(memory),
        load_average=load_average(),
        clock_resolution_s=time.get_clock_info("perf_counter").resolution,
        processes_visible=process_tree.visible,
        children_visible=_text(Path(f"/proc/self/task/{os.getpid()}/children")) is not None,
        groups_available=cgroup.is_available(),
        peaks_resettable=os.access("/proc/self/clear_refs", os.W_OK),
        cluster_processes=cluster_processes(usable_cores()),
        open_files=resource.getrlimit(resource.RLIMIT_NOFILE)[0],
    )


def load_average() -> list[float] | None:
    """The load average over 1, 5 and 15 minutes; None if the system does not report it."""
    with suppress(OSError, AttributeError):
        return list(os.getloadavg())
    return None


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


def _multithreading() -> bool | None:
    active = _text(_CPU / "smt/active")
    return None if active is None else active == "1"


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
