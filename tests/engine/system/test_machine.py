"""Facts about this machine, and what else runs on it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from harness.engine.system.kernel import usable_cores
from harness.engine.system.machine import ActivityMeter, sampled_activity, system_info


def test_the_facts_are_those_of_this_machine() -> None:
    info = system_info()
    assert info.cpus == os.cpu_count()
    assert (info.memory_bytes or 0) > (info.memory_available_bytes or 0) > 0
    assert 0 < (info.clock_resolution_s or 0) < 1e-3
    assert info.usable_cores == sorted(os.sched_getaffinity(0))


# CPU time of other programs, and of the harness with its processes.


BURN = "import time; end = time.process_time() + {}\nwhile time.process_time() < end: pass"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is not present")


def test_the_work_of_children_is_own_work() -> None:
    meter = ActivityMeter()
    subprocess.run([sys.executable, "-c", BURN.format(0.3)], check=True)
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass
    activity = meter.activity()
    assert activity.own_cpu_s is not None
    assert 0.45 < activity.own_cpu_s < 1.0
    assert activity.seconds > 0.5


def test_the_work_of_others_is_that_of_processes_without_a_parent_here(
    has_ended: Callable[..., bool],
) -> None:
    core = usable_cores()[-1]
    command = f'taskset -c {core} "$0" -c "$1" >/dev/null 2>&1 & echo $!'
    meter = ActivityMeter()
    # The shell ends at once, and its child is a child of no process of this test.
    process = subprocess.run(
        ["sh", "-c", command, sys.executable, BURN.format(0.3)],
        check=True,
        capture_output=True,
        text=True,
    )
    before = meter.activity().own_cpu_s or 0.0
    assert has_ended(int(process.stdout))
    activity = meter.activity()
    assert (activity.other_cpu_s or 0.0) > 0.25
    assert (activity.own_cpu_s or 0.0) - before < 0.2


def test_a_sample_has_its_length() -> None:
    activity = sampled_activity(0.05)
    assert 0.05 <= activity.seconds < 5
    assert activity.other_cores is not None
    assert activity.stolen_cores is not None
    assert activity.throttled_s is not None
