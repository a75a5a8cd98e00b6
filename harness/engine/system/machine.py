"""The machine: host, processor, memory and load, and its other activity during a run."""

import os
import platform
import resource
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from harness.engine.system import cgroup, processes
from harness.engine.system.cgroup import cpu_quota, throttled_s
from harness.engine.system.kernel import usable_cores
from harness.engine.system.processes import text_of_file
from harness.records.folder import Activity, SystemInfo

# System information: host, kernel, processor, memory and load.


_CPU: Final = Path("/sys/devices/system/cpu")


def system_info() -> SystemInfo:
    """The facts about this machine; see `harness.records.folder.checks`."""
    pairs = (line.split(":") for line in text_of_file(Path("/proc/meminfo")).splitlines())
    memory = {name: int(value.split()[0]) * 1024 for name, value in pairs}
    swap, flags = memory.get("SwapTotal"), next(_cpuinfo("flags"), None)
    by_intel = _is("intel_pstate/no_turbo", "0")
    return SystemInfo(
        host=platform.node(),
        system=platform.platform(),
        machine=platform.machine(),
        processor=next(_cpuinfo("model name"), platform.processor() or None),
        hypervisor=None if flags is None else "hypervisor" in flags.split(),
        cpus=os.cpu_count(),
        usable_cores=usable_cores() or None,
        cpu_quota=cpu_quota(),
        governor=text_of_file(_CPU / "cpu0/cpufreq/scaling_governor").strip() or None,
        turbo=_is("cpufreq/boost", "1") if by_intel is None else by_intel,
        simultaneous_multithreading=_is("smt/active", "1"),
        memory_bytes=memory.get("MemTotal"),
        memory_available_bytes=memory.get("MemAvailable"),
        swap_used_bytes=None if swap is None else swap - memory.get("SwapFree", 0),
        load_average=load_average(),
        clock_resolution_s=time.get_clock_info("perf_counter").resolution,
        processes_visible=processes.visible,
        children_visible=Path(f"/proc/self/task/{os.getpid()}/children").exists(),
        groups_available=cgroup.is_available(),
        peaks_resettable=os.access("/proc/self/clear_refs", os.W_OK),
        open_files=resource.getrlimit(resource.RLIMIT_NOFILE)[0],
    )


def load_average() -> list[float] | None:
    """The load average over 1, 5 and 15 minutes; None if the system does not report it."""
    with suppress(OSError, AttributeError):
        return list(os.getloadavg())
    return None


def _cpuinfo(field: str) -> Iterator[str]:
    for line in text_of_file(Path("/proc/cpuinfo")).splitlines():
        name, _, value = line.partition(":")
        if name.strip() == field:
            yield value.strip()


def _is(name: str, text: str) -> bool | None:
    """Whether a file on the processor has this text; None without the file."""
    content = text_of_file(_CPU / name).strip()
    return content == text if content else None


# What else a machine did during a run: other programs, throttling, stolen time.


_TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")


class ActivityMeter:
    """Measures the activity of the machine since the creation of this object."""

    def __init__(self) -> None:
        cores, own = usable_cores(), os.getpid()
        # CPU time of all processes on the cores that this process may use, and what was stolen.
        self._busy_s, self._stolen_s = _core_seconds(cores)
        self._at = time.monotonic()
        self._own_s: float | None = None
        if processes.visible:
            self._own_s = processes.usage([own, *processes.descendants(own)]).cpu_s
        self._throttled_s = throttled_s()
        self._heat = _heat_throttles(cores)

    def activity(self) -> Activity:
        """The activity up to now."""
        now = ActivityMeter()
        own = _difference(self._own_s, now._own_s)
        busy = _difference(self._busy_s, now._busy_s)
        heat = _difference(self._heat, now._heat)
        return Activity(
            seconds=now._at - self._at,
            own_cpu_s=own,
            other_cpu_s=None if own is None or busy is None else max(0.0, busy - own),
            stolen_s=_difference(self._stolen_s, now._stolen_s),
            throttled_s=now._throttled_s - self._throttled_s,
            heat_throttles=None if heat is None else int(heat),
        )


def sampled_activity(seconds: float) -> Activity:
    """The activity of the machine over the next `seconds`."""
    meter = ActivityMeter()
    time.sleep(seconds)
    return meter.activity()


def _core_seconds(cores: list[int]) -> tuple[float | None, float | None]:
    """The CPU time of all processes on these cores, and the time stolen from them."""
    busy = stolen = 0
    names = {f"cpu{core}" for core in cores}
    is_listed = False
    with suppress(ValueError, IndexError):
        for line in text_of_file(Path("/proc/stat")).splitlines():
            name, *values = line.split()
            if name in names:
                user, nice, system, _, _, irq, softirq, steal = map(int, values[:8])
                busy += user + nice + system + irq + softirq
                stolen += steal
                is_listed = True
    return (busy / _TICKS_PER_SECOND, stolen / _TICKS_PER_SECOND) if is_listed else (None, None)


def _heat_throttles(cores: list[int]) -> int | None:
    counts = []
    for core in cores:
        with suppress(OSError, ValueError):
            path = _CPU / f"cpu{core}/thermal_throttle/core_throttle_count"
            counts.append(int(path.read_text()))
    return sum(counts) if counts else None


def _difference(began: float | None, now: float | None) -> float | None:
    return None if began is None or now is None else now - began
