"""Processes and threads that a backend leaves running end before the next batch."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.engine.supervisor import Supervisor
from harness.records.question import Start, Verdict, WorkerEvent
from harness.runs.selection import expand_specs
from tests.engine.asking import SOLVED, ask, misbehaving, taken

SPINS = """
    if not os.fork():
        {how}
        open({note!r}, "a").write(f"{{os.getpid()}}\\n")
        while True: pass
    while not os.path.exists({note!r}) or not os.path.getsize({note!r}): time.sleep(0.01)
"""
DAEMON = "os.setsid(); os.fork() and os._exit(0)"


def test_children_end_before_the_next_configuration_runs(
    a_backend: Callable[..., str], tmp_path: Path
) -> None:
    note, note_of_children = str(tmp_path / "pid"), str(tmp_path / "seen")
    leaves = a_backend(misbehaving(SPINS.format(how=DAEMON, note=note)), name="leaves")
    looks = a_backend(
        f"pids = open({note!r}).read().split()\n"
        f"alive = [pid for pid in pids if os.path.exists(f'/proc/{{pid}}')]\n"
        f"open({note_of_children!r}, 'a').write(f'{{len(alive)}} ')\n{SOLVED}",
        name="looks",
    )
    events: list[WorkerEvent] = []
    results = ask([leaves, looks], timeout=5, check=taken("left running", events))
    assert {r.verdict for r in results} == {Verdict.UNSATISFIABLE}
    assert len(results) == 14
    assert set(Path(note_of_children).read_text().split()) == {"0"}
    (event,) = events
    assert event.backend == leaves
    assert event.detail.startswith("its trials left 1 process running (")


@pytest.mark.long
def test_a_thread_that_computes_between_batches_ends_with_its_worker(
    a_backend: Callable[..., str], tmp_path: Path
) -> None:
    pids = str(tmp_path / "pids")
    spins = """
    def spin():
        while True: pass
    threading.Thread(target=spin, daemon=True).start()
    """
    note = f"open({pids!r}, 'a').write(f'{{os.getpid()}} ')\n"
    leaves = a_backend(note + misbehaving(spins), name="leaves", top="import threading")
    slow = a_backend(f"time.sleep(0.1)\n{SOLVED}", name="slow")
    events: list[WorkerEvent] = []
    results = ask([leaves, slow], timeout=5, rounds=2, check=taken("left running", events))
    assert {r.verdict for r in results} == {Verdict.UNSATISFIABLE}
    assert len(results) == 28
    assert len(set(Path(pids).read_text().split())) == 2
    assert {event.detail for event in events} == {
        "computed after its answers; its worker was replaced"
    }


def test_a_sleeping_thread_is_left_alone(a_backend: Callable[..., str], tmp_path: Path) -> None:
    pids = str(tmp_path / "pids")
    sleeps = "threading.Thread(target=time.sleep, args=[60], daemon=True).start()"
    note = f"open({pids!r}, 'a').write(f'{{os.getpid()}} ')\n"
    leaves = a_backend(note + misbehaving(sleeps), name="leaves", top="import threading")
    slow = a_backend(f"time.sleep(0.02)\n{SOLVED}", name="slow")
    ask([leaves, slow], timeout=5, rounds=2)
    assert len(set(Path(pids).read_text().split())) == 1


def test_a_backend_with_a_helper_process_answers_every_batch(a_backend: Callable[..., str]) -> None:
    """A solver that runs as a process of its own starts again with the next worker."""
    helper = """
if not hasattr(self, "cat"):
    self.cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
self.cat.stdin.write(b"x\\n")
self.cat.stdin.flush()
assert self.cat.stdout.readline() == b"x\\n"
"""
    spec = a_backend(helper + SOLVED, top="import subprocess")
    events: list[WorkerEvent] = []
    check = taken("left running", events)
    results = ask([spec], timeout=5, rounds=3, start=Start.WARM, check=check)
    assert [r.verdict for r in results] == [Verdict.UNSATISFIABLE] * 21
    assert len(events) == 3
    assert "(cat)" in events[0].detail


def test_processes_that_an_import_leaves_are_ended_and_reported(
    a_backend: Callable[..., str], tmp_path: Path, has_ended: Callable[[int], bool]
) -> None:
    note = tmp_path / "pid"
    forks = SPINS.replace("    ", "", 1).format(how=DAEMON, note=str(note))
    top = "\n".join(line.removeprefix("    ") for line in forks.splitlines())
    spec = a_backend(SOLVED, top=top)
    warnings: list[tuple[str, str]] = []
    with Supervisor(
        expand_specs([spec]), warn=lambda *warning: warnings.append(warning)
    ) as supervisor:
        (configuration,) = supervisor.open()
        assert has_ended(int(note.read_text()))
    assert not configuration.unavailable
    ((backend, warning),) = warnings
    assert backend == spec
    assert warning.startswith("its import left 1 process running (")
