"""`harness compare` of runs while other programs take the core: the code is not blamed."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from msgspec.structs import replace

from harness.analysis.run import load
from harness.engine.system.kernel import usable_cores
from harness.records.folder.environment import Activity, read_invocations, write_invocations
from tests.conftest import Ended
from tests.stores import changed

Harness = Callable[..., Ended]

QUIET = Activity(seconds=10.0, own_cpu_s=9.0, other_cpu_s=0.0, stolen_s=0.0, throttled_s=0.0)
PUZZLES = [f"{'.' * n}1".ljust(16, ".") for n in range(14)]
BURNS = """
import time

from backends.native import Native


class Burns(Native):
    name = "burns"

    def solve(self, puzzle):
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass
        return super().solve(puzzle)
"""


@pytest.fixture
def measure(harness: Harness, a_file: Callable[..., Path], tmp_path: Path) -> Callable[[str], Path]:
    """Run a backend that takes 20 ms of CPU time for a puzzle; return the folder of the run."""
    dataset, spec = a_file(PUZZLES), tmp_path / "burns.py"
    spec.write_text(BURNS)

    def run(name: str) -> Path:
        out = tmp_path / name
        assert harness("run", "--dataset", dataset, "--backend", spec, "--out", out).code == 0
        return out

    return run


def quiet(folder: Path) -> Path:
    """The run in `folder` as if nothing had taken the core from its backend."""
    changed(folder, "UPDATE trials SET wall_s = cpu_s, involuntary_switches = 0")
    invocations = [replace(invocation, activity=QUIET) for invocation in read_invocations(folder)]
    write_invocations(folder, invocations)
    return folder


@contextmanager
def competing(core: int, processes: int) -> Iterator[None]:
    """Processes that keep `core` busy and are no descendants of this one."""
    loop = f"taskset -c {core} {sys.executable} -c 'while True: pass' >/dev/null 2>&1 & echo $!"
    script = "; ".join([loop] * processes)
    process = subprocess.run(["sh", "-c", script], check=True, capture_output=True, text=True)
    try:
        yield
    finally:
        for pid in process.stdout.split():
            os.kill(int(pid), signal.SIGKILL)


def changes(harness: Harness, *words: str | Path) -> list[str]:
    out = harness("compare", *words, "--format", "csv").out
    return list(pd.read_csv(StringIO(out))["change"])


@pytest.mark.skipif(sys.platform != "linux", reason="pinning is not supported")
@pytest.mark.long
def test_a_busy_machine_is_not_blamed_on_the_code(
    harness: Harness, measure: Callable[[str], Path]
) -> None:
    before = quiet(measure("before"))
    with competing(usable_cores()[-1], 3):
        after = measure("after")
    run = load(after)
    wall, cpu = run.trials["wall_s"].sum(), run.trials["cpu_s"].sum()
    assert wall > 1.5 * cpu  # they did compete
    activity = run.environment.activity
    assert activity is not None
    assert (activity.other_cores or 0) > 0.25
    code, out, _ = harness("compare", before, after, "--time", "reliable")
    assert code == 0
    assert "compared: CPU time; wall times may be unreliable (after, other programs: " in out
    assert out.splitlines()[0] == "no regression: no answer changed, and no time significantly"
    assert changes(harness, before, after, "--time", "reliable") == ["no change"]
    # A comparison of wall times gives the reason why they are longer.
    code, out, _ = harness("compare", before, after, "--time", "wall")
    assert code == 0
    assert changes(harness, before, after, "--time", "wall") == ["slower, unequal machine"]
    assert harness("compare", before, after, "--time", "wall", "--strict").code == 1
    assert "but the conditions were not the same: before, " in " ".join(out.split())
