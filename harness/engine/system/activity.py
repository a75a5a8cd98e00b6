"""What else a machine did during a run: other programs, throttling, stolen time."""

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.engine.system import process_tree
from harness.engine.system.cpu_quota import throttled_s
from harness.engine.system.kernel import usable_cores
from harness.records.environment import Activity

_STAT: Final = Path("/proc/stat")
_CPU: Final = Path("/sys/devices/system/cpu")
_TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class _Counters:
    """Counters of the machine at one moment; None where the system does not report them."""

    at: float
    own_s: float | None
    """CPU time of this process and its descendants."""
    busy_s: float | None
    """CPU time of all processes on the cores that this process may use."""
    stolen_s: float | None
    throttled_s: float
    heat: int | None
    """How often heat slowed these cores down."""


class ActivityMeter:
    """Measures the activity of the machine from its creation on."""

    def __init__(self) -> None:
        self._began = _counters()

    def activity(self) -> Activity:
        """The activity up to now."""
        began, now = self._began, _counters()
        own = _difference(began.own_s, now.own_s)
        busy = _difference(began.busy_s, now.busy_s)
        heat = _difference(began.heat, now.heat)
        return Activity(
            seconds=now.at - began.at,
            own_cpu_s=own,
            other_cpu_s=None if own is None or busy is None else max(0.0, busy - own),
            stolen_s=_difference(began.stolen_s, now.stolen_s),
            throttled_s=now.throttled_s - began.throttled_s,
            heat_throttles=None if heat is None else int(heat),
        )


def sampled_activity(seconds: float) -> Activity:
    """The activity of the machine over the next `seconds`."""
    meter = ActivityMeter()
    time.sleep(seconds)
    return meter.activity()


def _counters() -> _Counters:
    cores = usable_cores()
    busy, stolen = _core_seconds(cores)
    return _Counters(
        time.monotonic(), _own_seconds(), busy, stolen, throttled_s(), _heat_throttles(cores)
    )


def _own_seconds() -> float | None:
    if not process_tree.visible:
        return None
    own = os.getpid()
    return process_tree.usage([own, *process_tree.descendants(own)]).cpu_s


def _core_seconds(cores: list[int]) -> tuple[float | None, float | None]:
    """The CPU time of all processes on these cores, and the time stolen from them."""
    busy = stolen = 0
    names = {f"cpu{core}" for core in cores}
    found = False
    with suppress(OSError, ValueError, IndexError):
        for line in _STAT.read_text().splitlines():
            name, *values = line.split()
            if name in names:
                user, nice, system, _, _, irq, softirq, steal = map(int, values[:8])
                busy += user + nice + system + irq + softirq
                stolen += steal
                found = True
    return (busy / _TICKS_PER_SECOND, stolen / _TICKS_PER_SECOND) if found else (None, None)


def _heat_throttles(cores: list[int]) -> int | None:
    counts = []
    for core in cores:
        with suppress(OSError, ValueError):
            path = _CPU / f"cpu{core}/thermal_throttle/core_throttle_count"
            counts.append(int(path.read_text()))
    return sum(counts) if counts else None


def _difference(began: float | None, now: float | None) -> float | None:
    return None if began is None or now is None else now - began
