"""`harness compare` of real runs: it finds slower code, and knows a disturbed machine.

The runs are real. Where a test needs a quiet machine or another one, it edits the record of
the run, because the machine that runs the tests may be busy.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from msgspec.structs import replace

from harness.analysis.run import load
from harness.engine.system.kernel import usable_cores
from harness.records.environment import Activity, read_invocations, write_invocations
from tests.conftest import Ended
from tests.stores import changed

Harness = Callable[..., Ended]

QUIET = Activity(seconds=10.0, own_cpu_s=9.0, other_cpu_s=0.0, stolen_s=0.0, throttled_s=0.0)
PUZZLES = [f"{'.' * n}1".ljust(16, ".") for n in range(14)]
BURN = "end = time.process_time() + {}\nwhile time.process_time() < end: pass\n"
NOT_THE_SAME = "but the machine was not the same: before, "


@pytest.fixture
def measured(
    harness: Harness,
    a_backend: Callable[..., str],
    a_file: Callable[..., Path],
    tmp_path: Path,
) -> Callable[..., Path]:
    """Run a backend whose `solve` begins with `code`; return the folder of the run."""
    dataset = a_file(PUZZLES)

    def run(name: str, code: str, *options: str | int) -> Path:
        spec = a_backend(f"{code}{SEARCH}")
        out = tmp_path / name
        words = ["--dataset", dataset, "--backend", spec, "--out", out, *map(str, options)]
        assert harness("run", *words).code == 0
        return out

    return run


@pytest.fixture
def slower(
    build_once: Callable[..., Path], measured: Callable[..., Path], tmp_path: Path
) -> tuple[Path, Path]:
    """A quiet run, and one of slower code."""

    def build(folder: Path) -> None:
        for name, seconds in (("before", 0.002), ("after", 0.004)):
            shutil.copytree(quiet(measured(name, BURN.format(seconds))), folder / name)

    made = Path(shutil.copytree(build_once("slower-code", build), tmp_path / "slower"))
    return made / "before", made / "after"


SEARCH = """
size = puzzle.shape.size
grid = list(puzzle.givens)
def fits(cell, value):
    return all(grid[peer] != value for peer in puzzle.shape.peers[cell])
def fill(cell):
    if cell == len(grid):
        return True
    if grid[cell]:
        return fill(cell + 1)
    for value in range(1, size + 1):
        if fits(cell, value):
            grid[cell] = value
            if fill(cell + 1):
                return True
    grid[cell] = 0
    return False
return Answer.solved(tuple(grid)) if fill(0) else Answer.unsatisfiable()
"""


def on(folder: Path, activity: Activity = QUIET, **facts: Any) -> Path:
    """The run in `folder` with a record of this activity and these facts of its machine."""
    invocations = [
        replace(i, activity=activity, system=replace(i.system, **facts))
        for i in read_invocations(folder)
    ]
    write_invocations(folder, invocations)
    return folder


def quiet(folder: Path, **facts: Any) -> Path:
    """The run in `folder` as if nothing had taken the core from its backend."""
    changed(folder, "UPDATE trials SET wall_s = cpu_s, involuntary_switches = 0")
    return on(folder, **facts)


@contextmanager
def competing(core: int, processes: int) -> Iterator[None]:
    """Processes that keep `core` busy and are no descendants of this one."""
    loop = f"taskset -c {core} {sys.executable} -c 'while True: pass' >/dev/null 2>&1 & echo $!"
    script = "; ".join([loop] * processes)
    started = subprocess.run(["sh", "-c", script], check=True, capture_output=True, text=True)
    try:
        yield
    finally:
        for pid in started.stdout.split():
            os.kill(int(pid), signal.SIGKILL)


def changes(harness: Harness, *words: str | Path) -> list[str]:
    out = harness("compare", *words, "--format", "csv").out
    return list(pd.read_csv(StringIO(out))["change"])


@pytest.mark.skipif(sys.platform != "linux", reason="pinning is not supported")
@pytest.mark.long
def test_a_busy_machine_is_not_blamed_on_the_code(
    harness: Harness, measured: Callable[..., Path]
) -> None:
    before = quiet(measured("before", BURN.format(0.02)))
    with competing(usable_cores()[-1], 3):
        after = measured("after", BURN.format(0.02))
    found = load(after)
    wall, cpu = found.trials["wall_s"].sum(), found.trials["cpu_s"].sum()
    assert wall > 1.5 * cpu  # they did compete
    activity = found.environment.activity
    assert activity is not None
    assert (activity.other_cores or 0) > 0.25
    code, out, _ = harness("compare", before, after)
    assert code == 0
    assert "compared: CPU time; wall times may be unreliable (after, other programs: " in out
    assert out.splitlines()[0].endswith("0 slower, 0 faster")
    assert changes(harness, before, after) == ["no change"]
    # A comparison of wall times gives the reason why they are longer.
    code, out, _ = harness("compare", before, after, "--time", "wall")
    assert code == 0
    assert changes(harness, before, after, "--time", "wall") == ["slower, unequal machine"]
    assert NOT_THE_SAME in " ".join(out.split())


@pytest.mark.long
def test_a_backend_that_waits_longer_is_a_regression(
    harness: Harness, measured: Callable[..., Path]
) -> None:
    before = on(measured("before", "time.sleep(0.002)\n"))
    after = on(measured("after", "time.sleep(0.02)\n"))
    code, out, _ = harness("compare", before, after)
    assert code == 1
    assert "compared: wall time; the backend waits" in out
    assert changes(harness, before, after) == ["slower"]


@pytest.fixture
def doubtful(slower: tuple[Path, Path]) -> tuple[Path, Path]:
    """A quiet run, and one of slower code while other programs were running."""
    before, after = slower
    return before, on(after, replace(QUIET, other_cpu_s=9.0))


@pytest.mark.long
def test_slower_code_on_another_machine_is_doubtful(
    harness: Harness, doubtful: tuple[Path, Path]
) -> None:
    before, after = doubtful
    for facts, finding in (
        ({"processor": "Another 3000"}, "processor: Another 3000"),
        ({"governor": "powersave"}, "governor: powersave"),
        ({"activity": replace(QUIET, throttled_s=3.0)}, "processes for 3.0 of 10.0 s"),
    ):
        on(before, governor="performance")
        on(after, **{"governor": "performance"} | facts)
        code, out, _ = harness("compare", before, after)
        joined = " ".join(out.split())
        assert (code, "REGRESSION" in out) == (0, False)
        assert "1 slower, " + NOT_THE_SAME in joined
        assert finding in joined
        assert harness("compare", before, after, "--strict").code == 1
    assert harness("compare", before, before, "--strict").code == 0
