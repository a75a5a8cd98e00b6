"""Measurement of a call into a backend, and a fixed computation that shows how fast a core is.

Frequency, hyperthreads and other machines on the same processor change the speed of a core by
tens of percent, in CPU time as well as in wall time, and no counter of the system shows it.
Workers repeat the computation between their trials, so two runs that differ in it were not
measured on equally fast cores.
"""

import gc
import os
import resource
import sys
from collections.abc import Callable
from math import exp, log
from pathlib import Path
from time import monotonic, perf_counter, process_time, thread_time, time
from typing import Any, Final

from harness.engine.system import processes
from harness.engine.wire import CurrentTrial
from harness.records import Measurements

# A fixed computation whose CPU time shows how fast a core is during a run.


EVERY_S: Final = 0.02
"""Minimum seconds between two calibrations of a worker; they take less than 1 % of its time."""
_STEPS: Final = 1500
"""Steps of the computation: enough for 100 us, a hundred times the time to read the clock."""


class Calibration:
    """Measures the computation at most every `EVERY_S` seconds."""

    def __init__(self) -> None:
        self._next_at = 0.0

    def due(self) -> float | None:
        """The CPU time of the computation in seconds; None if `EVERY_S` has not passed yet."""
        if monotonic() < self._next_at:
            return None
        seconds = _compute()
        self._next_at = monotonic() + EVERY_S
        return seconds


class GeometricMean:
    """The geometric mean of many times, which a few long ones hardly change."""

    def __init__(self) -> None:
        self._number, self._logs = 0, 0.0

    def add(self, seconds: float) -> None:
        """Add a time."""
        self._number += 1
        self._logs += log(seconds)

    @property
    def seconds(self) -> float | None:
        """The mean in seconds; None before any time."""
        return exp(self._logs / self._number) if self._number else None


def _compute() -> float:
    began = thread_time()
    total = 0
    for n in range(_STEPS):
        total = (total + n * n) % 1009
    return max(thread_time() - began, 1e-9)


# Measurement of a call into a backend, by the worker that makes the call.


_RESET_PEAK_ABOVE_S: Final = 0.005
"""The kernel's peak is reset before a call only if the previous call took this many seconds
or more. A reset takes 50 us: up to 1 % of a call of this length, more than a very short call
itself takes."""
_CLEAR_REFS: Final = Path("/proc/self/clear_refs")
_MAXRSS_UNIT: Final = 1 if sys.platform == "darwin" else 1024


class Meter:
    """Measures one call after another."""

    def __init__(self, current_trial: CurrentTrial, core: int | None) -> None:
        self._current_trial = current_trial
        self._core = core
        self._last_wall_s = 0.0
        self.reset()

    def reset(self) -> None:
        """Start counting afresh: resources used up to now belong to no call."""
        self._counters = resource.getrusage(resource.RUSAGE_SELF)
        self._children = resource.getrusage(resource.RUSAGE_CHILDREN)

    def measure(
        self, serial: int, build: Callable[[], Any], call: Callable[[Any], Any]
    ) -> tuple[Any, Measurements]:
        """Run ``call(build())`` with garbage collection off; return its result and measurements.

        The monitor sees the call start just before the clock starts.
        """
        gc.disable()
        try:
            own_peak = self._reset_peak()
            self._current_trial.start(serial)
            cpu, began = process_time(), perf_counter()
            backend = build()
            built_at = perf_counter()
            answer = call(backend)
            end, cpu = perf_counter(), process_time() - cpu
        finally:
            gc.enable()
        self._last_wall_s = end - began
        before, children_before = self._counters, self._children
        self.reset()
        own, children = self._counters, self._children
        memory, memory_source = own.ru_maxrss * _MAXRSS_UNIT, "bound"

        def switches(kind: str) -> int:
            spans = (before, own), (children_before, children)
            return sum(getattr(end, kind) - getattr(begin, kind) for begin, end in spans)

        if own_peak:
            memory, memory_source = processes.status_bytes(os.getpid(), "VmHWM"), "peak"
        if self._current_trial.sampled_memory_bytes > memory:
            memory, memory_source = self._current_trial.sampled_memory_bytes, "sampled"
        return answer, Measurements(
            wall_s=end - began,
            cpu_s=cpu + _cpu_s(children) - _cpu_s(children_before),
            build_s=built_at - began,
            cpu_source="rusage",
            memory_bytes=memory,
            memory_source=memory_source,
            voluntary_switches=switches("ru_nvcsw"),
            involuntary_switches=switches("ru_nivcsw"),
            minor_faults=own.ru_minflt - before.ru_minflt,
            major_faults=own.ru_majflt - before.ru_majflt,
            core=self._core,
            ended_at=time(),
        )

    def _reset_peak(self) -> bool:
        """Reset the kernel's peak of the worker's memory; False if impossible or not worth it.

        Without a reset, the peak since the worker's start is an upper bound.
        """
        if self._last_wall_s < _RESET_PEAK_ABOVE_S or not _CLEAR_REFS.exists():
            return False
        _CLEAR_REFS.write_text("5")
        return True


def _cpu_s(usage: resource.struct_rusage) -> float:
    return usage.ru_utime + usage.ru_stime
