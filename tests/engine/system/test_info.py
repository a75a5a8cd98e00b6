"""Facts about this machine."""

import os

from harness.engine.system.machine import system_info


def test_the_facts_are_those_of_this_machine() -> None:
    info = system_info()
    assert info.cpus == os.cpu_count()
    assert (info.memory_bytes or 0) > (info.memory_available_bytes or 0) > 0
    assert 0 < (info.clock_resolution_s or 0) < 1e-3
    assert info.usable_cores == sorted(os.sched_getaffinity(0))
