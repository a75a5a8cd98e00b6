"""A machine that becomes slow between shards: a busy neighbour, and a quota of CPU time."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.analysis.run import load
from harness.cluster.coordinator import Change, ClusterStatus, CoordinatorObserver, run_on
from harness.cluster.engines import LocalEngine
from harness.cluster.shards import ShardSizes
from harness.engine.system.kernel import usable_cores
from harness.runs.sweep import Sweep

pytestmark = pytest.mark.long


class SlowsDown(CoordinatorObserver):
    """Calls a function after the second shard, and keeps the changes of the machine."""

    def __init__(self, slow_down: Callable[[], None]) -> None:
        self._slow_down: Callable[[], None] | None = slow_down
        self.changes: list[Change] = []
        self.done_before = 0

    def changed(self, status: ClusterStatus) -> None:
        if status.done == 2 and self._slow_down:
            self._slow_down()
            self._slow_down = None
        if not self.changes:
            self.done_before = status.done

    def changed_machine(self, change: Change) -> None:
        self.changes.append(change)


def require_noticed(folder: Path, slow_down: Callable[[], None]) -> None:
    """Run shards on this machine, slow it down after the second one, and require that it shows."""
    observer = SlowsDown(slow_down)
    run_on(
        Sweep.of({"datasets": ["named"], "backends": ["native"]}),
        folder,
        lambda plan: LocalEngine(plan.run, 1, 1),
        sizes=ShardSizes(8),
        coordinator_observer=observer,
    )
    assert any("times slower than before" in change.what for change in observer.changes)
    assert {change.host for change in observer.changes} == {os.uname().nodename}
    assert 2 <= observer.done_before <= 4, observer.changes
    assert "machine changed" in set(load(folder).incidents()["kind"])


def test_a_busy_neighbour_is_noticed_and_named(tmp_path: Path) -> None:
    neighbours: list[subprocess.Popen[bytes]] = []
    every = usable_cores()

    def slow_down() -> None:
        for core in every * 2:
            neighbours.append(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            os.sched_setaffinity(neighbours[-1].pid, {core})

    try:
        require_noticed(tmp_path / "run", slow_down)
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.wait()
