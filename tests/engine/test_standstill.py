"""All processes stand still, as when the lid of a laptop is closed: no trial pays for it."""

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from harness.engine.system.processes import descendants
from harness.records.question import Verdict, WorkerEvent
from tests.engine.asking import ask, bad_trial, misbehaving, taken

SLEEPS = """
    open({note!r}, "a").write("x")
    end = time.monotonic() + 0.8
    while time.monotonic() < end: pass
"""


@pytest.mark.long
@pytest.mark.parametrize("first", ["outermost first", "innermost first"])
def test_a_trial_during_a_standstill_runs_again(
    a_backend: Callable[..., str], tmp_path: Path, first: str
) -> None:
    """Everything below this process is stopped for longer than the limit, then continued."""
    note = tmp_path / "note"
    spec = a_backend(misbehaving(SLEEPS.format(note=str(note))))
    thread = threading.Thread(target=stand_still, args=(note, first == "innermost first"))
    thread.start()
    events: list[WorkerEvent] = []
    results = ask([spec], timeout=1.5, check=taken("stood still", events))
    thread.join()
    assert {r.verdict for r in results} == {Verdict.UNSATISFIABLE}
    assert len(results) == 7
    assert max(r.outcome.wall_s or 9 for r in results) < 1.4
    assert note.read_text() == "xx"
    (event,) = events
    assert event.detail.startswith("all processes stood still for ")


def stand_still(note: Path, innermost_first: bool) -> None:
    deadline = time.monotonic() + 20
    while not note.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.2)
    processes = descendants(os.getpid())
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(2.0)
    for pid in reversed(processes) if innermost_first else processes:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
        time.sleep(0.002)


@pytest.mark.long
def test_a_backend_that_causes_standstills_ends_all_the_same(a_backend: Callable[..., str]) -> None:
    stops = """
    if not os.fork():
        for _ in range(40):
            os.kill(monitor, signal.SIGSTOP)
            time.sleep(1.2)
            os.kill(monitor, signal.SIGCONT)
            time.sleep(0.05)
        os._exit(0)
    time.sleep(60)
    """
    spec = a_backend(misbehaving(stops.replace("if not", "monitor = os.getppid()\n    if not", 1)))
    began = time.monotonic()
    bad = bad_trial(spec, timeout=0.9)
    assert time.monotonic() - began < 40
    assert bad.verdict in {Verdict.CRASHED, Verdict.TIMEOUT}
