"""What a call into a backend costs, as the worker that makes it can tell."""

import gc
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time, time
from typing import Any, Final

from harness.engine.wire.current_trial import CurrentTrial
from harness.records.outcome import Measurements

_WORTH_A_PEAK: Final = 0.005
_CLEAR_REFS: Final = Path("/proc/self/clear_refs")
_MAXRSS_UNIT: Final = 1 if sys.platform == "darwin" else 1024


class Meter:
    """Measures one call after another."""

    def __init__(self, current_trial: CurrentTrial, core: int | None) -> None:
        self._current_trial = current_trial
        self._core = core
        self._last_took = 0.0
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget what the kernel has counted up to now: it belongs to no call."""
        self._counters = resource.getrusage(resource.RUSAGE_SELF)
        self._children_cpu = _children_cpu()

    def measure(
        self, build: Callable[[], Any], call: Callable[[Any], Any]
    ) -> tuple[Any, Measurements]:
        """What `call` returns of what `build` returns, and what both together cost.

        Garbage is not collected meanwhile.
        """
        gc.disable()
        try:
            own_peak = self._forget_peak()
            cpu, began = process_time(), perf_counter()
            built_of = build()
            built = perf_counter()
            answer = call(built_of)
            ended, cpu = perf_counter(), process_time() - cpu
        finally:
            gc.enable()
        self._last_took = ended - began
        before, children_before = self._counters, self._children_cpu
        self.begin_anew()
        memory, memory_source = self._counters.ru_maxrss * _MAXRSS_UNIT, "bound"
        if own_peak:
            memory, memory_source = _vm_peak(), "peak"
        if self._current_trial.memory_seen > memory:
            memory, memory_source = self._current_trial.memory_seen, "sampled"
        return answer, Measurements(
            wall_s=ended - began,
            cpu_s=cpu + self._children_cpu - children_before,
            build_s=built - began,
            cpu_source="rusage",
            memory_bytes=memory,
            memory_source=memory_source,
            voluntary_switches=self._counters.ru_nvcsw - before.ru_nvcsw,
            involuntary_switches=self._counters.ru_nivcsw - before.ru_nivcsw,
            core=self._core,
            ended_at=time(),
        )

    def _forget_peak(self) -> bool:
        """Have the kernel begin anew with the worker's peak of memory, if that is worth its time.

        It takes 50 us: next to nothing beside a call of milliseconds, but more
        than a very short call itself. After those, the peak since the worker's
        start stands in, as a bound.
        """
        if self._last_took < _WORTH_A_PEAK or not _CLEAR_REFS.exists():
            return False
        _CLEAR_REFS.write_text("5")
        return True


def _vm_peak() -> int:
    """The most bytes in memory since the kernel last began anew."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def _children_cpu() -> float:
    """Seconds of CPU of the children that this process has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime
