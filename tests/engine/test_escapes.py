"""No process and no file of a backend outlives its worker, its server or the harness."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.engine.system.cgroup import is_available
from harness.records.question import Verdict
from tests.engine.asking import SOLVED, bad_trial, misbehaving
from tests.runs.starting import nothing_is_left, start_run

CLEARS_ITS_DEATH_SIGNAL = "ctypes.CDLL(None).prctl(1, 0)"
PARENT_OF = """
def parent_of(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])
"""


@pytest.mark.parametrize(
    "kills",
    [
        "monitor",
        pytest.param("server, monitor", marks=pytest.mark.long),
        pytest.param("guard, server, monitor", marks=pytest.mark.long),
    ],
)
def test_a_worker_that_kills_its_guards_ends(
    a_backend: Callable[..., str], tmp_path: Path, has_ended: Callable[[int], bool], kills: str
) -> None:
    if kills.startswith("guard") and not is_available():
        pytest.skip("control groups are not available")
    note = tmp_path / "pid"
    escapes = f"""
    {CLEARS_ITS_DEATH_SIGNAL}
    open({str(note)!r}, "w").write(str(os.getpid()))
    monitor = os.getppid()
    server = parent_of(monitor)
    guard = parent_of(server)
    for pid in ({kills},):
        os.kill(pid, signal.SIGKILL)
    while True: pass
    """
    spec = a_backend(misbehaving(escapes), top="import ctypes" + PARENT_OF)
    bad = bad_trial(spec, timeout=5)
    assert has_ended(int(note.read_text()))
    assert bad.verdict is Verdict.CRASHED


@pytest.mark.parametrize(
    "spins",
    [
        pytest.param(
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass",
            marks=pytest.mark.long,
        ),
        "import re\nre.match(r'(a|a)*b', 'a' * 40)",
        "time.sleep(60)",
        pytest.param(
            "os.fork() or os.setsid() or os.fork()\nwhile True: time.sleep(0.01)",
            marks=pytest.mark.long,
        ),
    ],
)
def test_an_import_that_does_not_end_ends_with_a_killed_harness(
    a_backend: Callable[..., str], tmp_path: Path, spins: str
) -> None:
    temporary, note = tmp_path / "tmp", tmp_path / "note"
    temporary.mkdir()
    spec = a_backend(SOLVED, top=f"open({str(note)!r}, 'w').close()\n{spins}")
    words = ["--dataset", "seeds", "--backend", spec, "--out", "run"]
    process = start_run(words, tmp_path, {"TMPDIR": str(temporary)})
    deadline = time.monotonic() + 30
    while not note.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.1)
    process.kill()
    process.communicate()
    assert nothing_is_left(temporary)


def test_a_stopped_guard_costs_no_trial_of_others(a_backend: Callable[..., str]) -> None:
    stops = """
    os.kill(parent_of(parent_of(os.getppid())), signal.SIGSTOP)
    os._exit(1)
    """
    began = time.monotonic()
    spec = a_backend(misbehaving(stops), top=PARENT_OF)
    assert bad_trial(spec).verdict is Verdict.CRASHED
    assert time.monotonic() - began < 12
