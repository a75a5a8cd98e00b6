"""Supervisor: isolation and limits, with real processes and hostile backends."""

import os
import signal
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from harness.engine.processes import ServerHandle
from harness.engine.supervisor import Supervisor
from harness.engine.system import processes
from harness.engine.wire.messages import MIB
from harness.puzzles.patterns import pattern_puzzle
from harness.records.judging import judge
from harness.records.question import Question, Start, Task, Verdict
from harness.records.trial import Ending
from harness.runs.selection import expand_specs
from tests.engine.asking import (
    HARD,
    PUZZLES,
    SHAPE,
    SOLVED,
    ask,
    ask_each,
    bad_trial,
    bad_trials,
    batch_of,
    misbehaving,
)

WRITES_EVERYWHERE = """
    import contextlib
    for fd in range(3, 99):
        with contextlib.suppress(OSError):
            os.write(fd, b'x' * 99)
"""
WRITES_A_BYTE = WRITES_EVERYWHERE.replace("b'x' * 99", "b'\\n'") + "    return Answer.unknown()"
SWAPS_FOLDERS = """
    from pathlib import Path
    ours = Path(os.environ["TMPDIR"]).parent
    victim = Path(ours.parent, f"victim-{ours.name}", "worker-1")
    victim.mkdir(parents=True)
    (victim / "kept").touch()
    os.rename(ours, f"{ours}-moved")
    os.symlink(victim.parent, ours)
    os.kill(os.getpid(), signal.SIGKILL)
"""
CLOSES_EVERYTHING = "os.closerange(0, 99)"
SHUTS_ITS_CONNECTION = """
    import socket
    for fd in range(3, 100):
        try: socket.socket(fileno=os.dup(fd)).shutdown(socket.SHUT_RDWR)
        except OSError: pass
"""
CLOSES_AND_SLEEPS = "os.closerange(0, 99); time.sleep(60)"
RAISES_WHAT_CANNOT_BE_SHOWN = """
    class Unspeakable(Exception):
        def __repr__(self): raise ValueError
        __str__ = __repr__
    raise Unspeakable
"""
RETURNS_WHAT_CANNOT_BE_SENT = "return Answer.solved((lambda: 1,) * 16)"
CANNOT_BE_PICKLED = """
    import threading
    def refuse(*_): raise TypeError("this cannot be pickled")
    type(self).__reduce_ex__ = refuse
    self.lock = threading.Lock()
    return Answer.unknown()
"""
RETURNS_A_NEGATIVE_TIME = """
    from harness.contract import Phases
    return Answer(Answer.unknown().status, None, phases=Phases(search=-1.0))
"""
KILLS_ITS_SERVER = """
    with open(f"/proc/{os.getppid()}/stat") as file:
        server = int(file.read().rpartition(")")[2].split()[1])
    os.kill(server, signal.SIGKILL)
    os.abort()
"""
HOLDS_THE_INTERPRETER_LOCK = "import re; re.match(r'(a|a)*b', 'a' * 40)"
WRITES_MEGABYTES = "for fd in (1, 2): os.write(fd, b'x' * 5_000_000)"
KILLS_ITS_MONITOR = "os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)"


TIME_LIMIT = {"ending": Ending.TIME_LIMIT, "exit_code": -signal.SIGKILL}
ANSWERED = {"ending": Ending.ANSWERED}
INVALID = {"ending": Ending.INVALID}


CONNECTION_CLOSED = (
    "the connection to the harness was closed\n"
    "the process exited with code 1: the connection to the harness was closed"
)


def exit_of(code: int) -> dict[str, object]:
    return {"ending": Ending.EXITED, "exit_code": code}


def error_named(name: str) -> dict[str, object]:
    return {"ending": Ending.RAISED, "status": name}


MISBEHAVIOURS: Sequence[tuple[str, Verdict, Mapping[str, object]]] = (
    (HOLDS_THE_INTERPRETER_LOCK, Verdict.TIMEOUT, TIME_LIMIT),
    ("time.sleep(60)", Verdict.TIMEOUT, TIME_LIMIT),
    (WRITES_MEGABYTES, Verdict.UNSATISFIABLE, ANSWERED),
    ("os._exit(3)", Verdict.CRASHED, exit_of(3)),
    ("os.kill(os.getpid(), signal.SIGSEGV)", Verdict.CRASHED, exit_of(-signal.SIGSEGV)),
    ("os.abort()", Verdict.CRASHED, exit_of(-signal.SIGABRT)),
    ("os.killpg(0, signal.SIGKILL)", Verdict.CRASHED, exit_of(-signal.SIGKILL)),
    (KILLS_ITS_MONITOR, Verdict.CRASHED, exit_of(-signal.SIGKILL)),
    (KILLS_ITS_SERVER, Verdict.CRASHED, {}),
    ("sys.exit('enough')", Verdict.CRASHED, error_named("SystemExit")),
    ("raise ValueError('no idea')", Verdict.CRASHED, error_named("ValueError")),
    ("raise MemoryError", Verdict.OUT_OF_MEMORY, {"ending": Ending.MEMORY_LIMIT}),
    ("raise Unsupported('x')", Verdict.UNSUPPORTED, {"ending": Ending.UNSUPPORTED}),
    ("return None", Verdict.WRONG, INVALID),
    ("return Answer.solved((1, 2, 3))", Verdict.WRONG, ANSWERED),
    ("return Answer.solved((1,) * 16)", Verdict.WRONG, ANSWERED),
    ("return Answer.unknown()", Verdict.UNKNOWN, ANSWERED),
    (WRITES_EVERYWHERE, Verdict.WRONG, INVALID),
    (WRITES_A_BYTE, Verdict.WRONG, INVALID),
    (CLOSES_EVERYTHING, Verdict.CRASHED, {"ending": Ending.EXITED}),
    (SHUTS_ITS_CONNECTION, Verdict.CRASHED, exit_of(1) | {"detail": CONNECTION_CLOSED}),
    (CLOSES_AND_SLEEPS, Verdict.CRASHED, exit_of(-signal.SIGKILL)),
    (RAISES_WHAT_CANNOT_BE_SHOWN, Verdict.CRASHED, error_named("Unspeakable")),
    ("os.fork(); return Answer.unknown()", Verdict.UNKNOWN, ANSWERED),
    ("os.fork(); raise ValueError", Verdict.CRASHED, error_named("ValueError")),
    (RETURNS_WHAT_CANNOT_BE_SENT, Verdict.WRONG, ANSWERED),
    (CANNOT_BE_PICKLED, Verdict.UNKNOWN, ANSWERED),
    (RETURNS_A_NEGATIVE_TIME, Verdict.WRONG, {"ending": Ending.INVALID}),
)


def test_one_bad_trial_costs_one_trial(a_backend: Callable[..., str]) -> None:
    trials = bad_trials(a_backend, [action for action, _, _ in MISBEHAVIOURS])
    for (action, verdict, outcome), bad in zip(MISBEHAVIOURS, trials, strict=True):
        assert bad.verdict is verdict, action
        assert {name: getattr(bad.outcome, name) for name in outcome} == outcome, action


def test_a_trial_over_its_limit_is_ended_at_the_limit(a_backend: Callable[..., str]) -> None:
    result = bad_trial(a_backend(misbehaving("while True: pass")), timeout=0.3)
    assert result.verdict is Verdict.TIMEOUT
    assert result.outcome.wall_s is not None
    assert 0.29 <= result.outcome.wall_s < 0.6  # clocks differ by less


def test_several_jobs_run_every_trial_once(a_backend: Callable[..., str]) -> None:
    slow = a_backend("time.sleep(0.05)\n" + SOLVED, name="slow")
    results = ask([slow, "native", a_backend(SOLVED, name="quick")], jobs=2, timeout=5)
    assert len(results) == 21
    assert len({(r.trial.backend, r.trial.instance.name) for r in results}) == 21


def test_a_cold_start_includes_the_build_and_a_warm_one_does_not(
    a_backend: Callable[..., str],
) -> None:
    spec = a_backend(SOLVED, members="def __init__(self, shape, options): time.sleep(0.05)")
    cold = ask([spec], start=Start.COLD)
    warm = ask([spec], start=Start.WARM)
    assert all((r.outcome.wall_s or 0) > 0.05 and (r.outcome.build_s or 0) > 0.05 for r in cold)
    assert all((r.outcome.wall_s or 1) < 0.05 for r in warm)


def test_cpu_time_of_children_is_counted(a_backend: Callable[..., str]) -> None:
    busy = "import subprocess; subprocess.run([sys.executable, '-c', 'sum(range(3_000_000))'])"
    outcome = bad_trial(a_backend(misbehaving(busy)), timeout=10).outcome
    assert (outcome.cpu_s or 0.0) > 0.03


COUNTS = {
    "0": ("Count(0, True)", Verdict.COUNTED),
    "1": ("Count(1, False)", Verdict.UNKNOWN),
    "2": ("Count(-1, True)", Verdict.WRONG),
    "3": ("Count(3, False)", Verdict.WRONG),
    "4": ("Count('many', True)", Verdict.WRONG),
    "5": ("1", Verdict.WRONG),
    "6": ("Answer.unknown()", Verdict.WRONG),
}
"""What the count of a puzzle returns, and its verdict."""


def test_counts_are_judged(a_backend: Callable[..., str]) -> None:
    clues = [puzzle.clues for puzzle in (*PUZZLES[:3], HARD, *PUZZLES[3:])]
    replies = zip(clues, (reply for reply, _ in COUNTS.values()), strict=True)
    by_clues = ", ".join(f"{number}: lambda: {reply}" for number, reply in replies)
    spec = a_backend(SOLVED, count=f"return {{{by_clues}}}[puzzle.clues]()")
    verdicts = {r.trial.instance.name: r.verdict for r in ask([spec], task=Task.COUNT)}
    assert verdicts == {name: verdict for name, (_, verdict) in COUNTS.items()}


@pytest.mark.parametrize(("number", "deaths"), [(15, 1), (9, 2), (11, 1)])
def test_a_server_that_is_killed_during_its_import_is_started_again(
    number: int, deaths: int, a_backend: Callable[..., str], tmp_path: Path
) -> None:
    """Another program kills it, or the kernel for lack of memory; twice makes it unavailable."""
    note = tmp_path / "deaths"
    dies = f"note = open({str(note)!r}, 'a+')\nnote.write('x'); note.close()\n"
    dies += f"if os.stat({str(note)!r}).st_size <= {deaths}: os.kill(os.getpid(), {number})\n"
    specs = expand_specs([a_backend(SOLVED, top=dies), "native"])
    with Supervisor(specs) as supervisor:
        first, second = supervisor.open()
        replacements = [event.kind for event in supervisor.events].count("replaced")
    is_restarted = number != 11
    assert (replacements, second.unavailable) == (is_restarted, "")
    if is_restarted and deaths == 1:
        assert first.unavailable == ""
    else:
        assert first.unavailable.startswith(
            f"its process was killed by {signal.Signals(number).name}"
        )


def test_a_failed_import_makes_a_backend_unavailable(a_backend: Callable[..., str]) -> None:
    without_module = a_backend(SOLVED, name="broken", top="import nothing_of_this_name")
    dies = a_backend(SOLVED, name="dies", top="os._exit(7)")
    crashes = a_backend(SOLVED, name="crashes", top="os.abort()")
    with Supervisor(expand_specs([without_module, "native", dies, crashes])) as supervisor:
        configurations = supervisor.open()
        dead_backends = {event.backend for event in supervisor.events if event.kind == "died"}
    reasons = [configuration.unavailable for configuration in configurations]
    assert "nothing_of_this_name" in reasons[0]
    assert reasons[1] == ""
    assert "7" in reasons[2]
    assert "SIGABRT" in reasons[3]
    assert dead_backends == {configurations[2].label, configurations[3].label}


def test_a_worker_has_the_memory_limit_of_its_question(a_backend: Callable[..., str]) -> None:
    limit = "resource.getrlimit(resource.RLIMIT_AS)[0]"
    spec = a_backend(f"import resource; return Answer.unknown(stats={{'limit': {limit}}})")
    with Supervisor(expand_specs([spec])) as supervisor:
        supervisor.open()
        questions = [Question(Task.SOLVE, 2, Start.COLD, 20.0, 0.0, m) for m in (900, 500, 0)]
        batches_of_outcomes = supervisor.run(batch_of(spec, q, [HARD]) for q in questions)
        large, small, none = (
            o.stats["limit"] for outcomes in batches_of_outcomes for _, o in outcomes
        )
    assert large - small > 300 * MIB
    assert none == -1


def test_cpu_time_has_a_limit_of_its_own(a_backend: Callable[..., str]) -> None:
    busy = bad_trial(a_backend(misbehaving("while True: pass")), timeout=20, cpu=0.3)
    assert busy.verdict is Verdict.TIMEOUT
    assert busy.outcome.ending is Ending.TIME_LIMIT
    assert (busy.outcome.cpu_s or 0) > 0.3
    assert (busy.outcome.wall_s or 20) < 5
    sleepy = bad_trial(a_backend(misbehaving("time.sleep(0.6)")), timeout=20, cpu=0.3)
    assert sleepy.verdict is Verdict.UNSATISFIABLE


def test_processes_that_a_backend_leaves_end_with_its_worker(
    a_backend: Callable[..., str], tmp_path: Path, has_ended: Callable[[int], bool]
) -> None:
    note = tmp_path / "pid"
    forks = f"""
    if not os.fork():
        os.setsid()
        if not os.fork():
            open({str(note)!r}, 'w').write(str(os.getpid()))
            time.sleep(60)
        os._exit(0)
    while not os.path.exists({str(note)!r}) or not os.path.getsize({str(note)!r}):
        time.sleep(0.01)
"""
    assert bad_trial(a_backend(misbehaving(forks))).verdict is Verdict.UNSATISFIABLE
    assert has_ended(int(note.read_text()))


def test_a_backend_that_changes_its_process_changes_no_other_backend(
    a_backend: Callable[..., str], tmp_path: Path
) -> None:
    everything = (
        "os.chdir('/'); os.environ.clear(); signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "signal.signal(signal.SIGINT, signal.SIG_IGN); sys.path.clear(); "
        "sys.setrecursionlimit(50); random.seed(1)"
    )
    changes = a_backend(misbehaving(everything), top="import random")
    note = tmp_path / "seen"
    witness = a_backend(
        f"state = (os.getcwd() == os.environ.get('HOME'), 'PATH' in os.environ, bool(sys.path),"
        f" signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, sys.getrecursionlimit() > 50)\n"
        f"with open({str(note)!r}, 'a') as file: file.write(str(all(state)) + chr(10))\n{SOLVED}",
        name="witness",
    )
    results = ask([changes, witness])
    assert len(results) == 14
    assert {r.verdict for r in results} == {Verdict.UNSATISFIABLE}
    assert set(note.read_text().split()) == {"True"}


@pytest.mark.long
def test_a_slow_import_happens_once(a_backend: Callable[..., str]) -> None:
    slow = a_backend(misbehaving("while True: pass"), top="time.sleep(5)")
    began = time.monotonic()
    results = ask([slow], timeout=0.2)
    assert len(results) == 7
    assert time.monotonic() - began < 8


def test_each_outcome_has_its_sources_of_measurement(a_backend: Callable[..., str]) -> None:
    steady = a_backend("x = b'x' * 2**26\ntime.sleep(0.05)\n" + SOLVED)
    cores = os.sched_getaffinity(0)  # others may take one away in between
    first, *others = [r.outcome for r in ask([steady], timeout=5)]
    assert {o.cpu_source for o in (first, *others)} == {"rusage"}
    assert {o.memory_source for o in others} <= {"peak", "sampled"}
    assert all((o.memory_bytes or 0) > 2**26 for o in others)
    assert all((o.voluntary_switches or 0) >= 1 for o in others)
    # 64 MiB of new memory are 16,384 pages of 4 KiB, or fewer larger ones.
    assert all((o.minor_faults or 0) >= 2**26 // 2**21 for o in others)
    assert all(o.major_faults is not None for o in others)
    assert all(o.core in cores for o in others)


def test_a_worker_that_dies_between_its_batches_costs_no_trial(
    a_backend: Callable[..., str], tmp_path: Path
) -> None:
    """It dies during the trial of another backend, which waits for its end."""
    note, word = str(tmp_path / "pid"), str(tmp_path / "die")
    dying = f"""
import threading
def die():
    while not os.path.exists({word!r}): time.sleep(0.01)
    os._exit(3)
"""
    waiting = f"""
def runs():
    try:
        with open(f"/proc/{{open({note!r}).read()}}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
"""
    writes_pid = f"open({note!r}, 'w').write(str(os.getpid()))"
    dies = a_backend(f"{writes_pid}\nthreading.Thread(target=die).start()\n{SOLVED}", top=dying)
    waits = f"open({word!r}, 'w').close()\nwhile runs(): time.sleep(0.01)\nos.unlink({word!r})"
    slow = a_backend(f"{waits}\n{SOLVED}", name="slow", top=waiting)
    question = Question(Task.SOLVE, 2, Start.COLD, 5.0)
    with Supervisor(expand_specs([dies, slow]), warm_up=False) as supervisor:
        supervisor.open()
        batches = [batch_of(b, question, [p]) for p in PUZZLES[:3] for b in (dies, slow)]
        results = [result for outcomes in supervisor.run(batches) for result in judge(outcomes)]
    assert [r.verdict for r in results] == [Verdict.UNSATISFIABLE] * 6


@pytest.mark.long
@pytest.mark.parametrize(
    "message", ["{}", "Done()", "WarmedUp(Task.SOLVE, '4x4', 0.1, Ending.ANSWERED)"]
)
def test_a_forged_message_costs_only_the_trial_that_sent_it(
    a_backend: Callable[..., str], message: str
) -> None:
    """Its own trial is invalid, or keeps its answer if that arrives with the message."""
    imports = """
import contextlib
from harness.engine.wire.channel import pack
from harness.engine.wire.messages import Done, WarmedUp
from harness.records.trial import Ending
from harness.records.question import Task
"""
    forge = f"""
    for fd in range(3, 99):
        with contextlib.suppress(OSError):
            os.write(fd, pack({message}) * 2)
    return Answer.unknown()
    """
    bad = bad_trial(a_backend(misbehaving(forge), top=imports))
    assert bad.verdict in {Verdict.WRONG, Verdict.UNKNOWN}


def test_a_server_that_ends_before_it_forks_costs_no_trial(
    a_backend: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The harness cannot know that a server is dying while it sends a request to fork."""
    fork = ServerHandle.fork
    pids: list[int] = []

    def fork_and_kill(server: ServerHandle, *arguments: Any) -> object:
        if pids:
            return fork(server, *arguments)
        pids.extend(processes.children(server.process._process.pid))
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        worker = fork(server, *arguments)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        return worker

    def look(supervisor: Supervisor) -> None:
        events.extend((e.kind, e.detail) for e in supervisor.events)
        assert not supervisor._failed_starts  # those before a start that succeeds do not count

    events: list[tuple[str, str]] = []
    monkeypatch.setattr(ServerHandle, "fork", fork_and_kill)
    results = ask([a_backend(SOLVED)], check=look)
    assert {result.verdict for result in results} == {Verdict.UNSATISFIABLE}
    assert [e for e in events if e[0] == "replaced"] == [
        ("replaced", "its server ended; another one took over")
    ]


def test_a_link_in_the_place_of_a_folder_is_not_followed(
    a_backend: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    assert bad_trial(a_backend(misbehaving(SWAPS_FOLDERS))).verdict is Verdict.CRASHED
    paths = sorted(path.relative_to(temporary) for path in temporary.rglob("*"))
    victims = [path for path in paths if path.parts[0].startswith("victim")]
    assert {path.name for path in victims[1:]} == {"worker-1", "kept"}
    assert not [path for path in temporary.iterdir() if path.is_symlink()]


@pytest.mark.parametrize("statement", [KILLS_ITS_MONITOR, KILLS_ITS_SERVER, "os._exit(1)"])
def test_a_fault_of_the_warm_up_costs_no_trial(
    a_backend: Callable[..., str], statement: str
) -> None:
    warm_up = pattern_puzzle(SHAPE, blank_every=4)
    spec = a_backend(f"if puzzle.givens == {warm_up.givens}:\n    {statement}\n{SOLVED}")
    question = Question(Task.SOLVE, 2, Start.COLD, 5.0)
    others = [puzzle for puzzle in PUZZLES if puzzle != warm_up]
    (results,) = ask_each(spec, question, [others])
    assert [r.verdict for r in results] == [Verdict.UNSATISFIABLE] * len(others)


def test_each_worker_has_a_home_of_its_own(a_backend: Callable[..., str], tmp_path: Path) -> None:
    note = tmp_path / "seen"
    writes = f"""
    with open({str(note)!r}, "a") as file:
        file.write(os.path.expanduser("~") + " " + os.getcwd() + " " + str(os.getpid()) + "\\n")
    os._exit(1)
    """
    ask([a_backend(misbehaving(writes))])
    (line,) = note.read_text().splitlines()
    home, folder, _ = line.split()
    assert home == folder != str(Path.home())
    assert not Path(home).exists()


def test_a_failed_trial_has_the_core_of_its_worker(a_backend: Callable[..., str]) -> None:
    (failure, *_) = ask([a_backend(misbehaving("os._exit(1)"))])[3:]
    assert not failure.verdict.answered
    (reply, *_) = ask([a_backend(name="other")], timeout=5)
    assert failure.outcome.core == reply.outcome.core


def test_a_monitor_forks_the_worker_after_one_that_ended(
    a_backend: Callable[..., str], tmp_path: Path
) -> None:
    note = tmp_path / "pids"
    ends = a_backend(misbehaving(f"{_noting(note)}; os._exit(3)"))
    assert {r.verdict for r in ask([ends], rounds=3)} == {Verdict.CRASHED, Verdict.UNSATISFIABLE}
    monitors, workers = zip(*_rows_of_note(note), strict=True)
    assert len(set(monitors)) == 1
    assert len(set(workers)) == 3


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_monitor_that_ends_or_stops_between_two_workers_is_replaced(
    a_backend: Callable[..., str], tmp_path: Path, number: signal.Signals
) -> None:
    note = tmp_path / "pids"
    spec = a_backend(misbehaving(f"{_noting(note)}; os._exit(3)"))
    batch = batch_of(spec, Question(Task.SOLVE, 2, Start.COLD, 5.0), [HARD])
    with Supervisor(expand_specs([spec])) as supervisor:
        supervisor.open()
        for _ in range(2):
            ((_, outcome),) = chain.from_iterable(supervisor.run([batch]))
            assert outcome.exit_code == 3
            os.kill(_rows_of_note(note)[-1][0], number)
    monitors, _ = zip(*_rows_of_note(note), strict=True)
    assert len(set(monitors)) == 2


def _noting(note: Path) -> str:
    """A statement that appends the ids of the monitor and of the worker to a file."""
    return f"print(os.getppid(), os.getpid(), file=open({str(note)!r}, 'a'), flush=True)"


def _rows_of_note(note: Path) -> list[tuple[int, ...]]:
    return [tuple(map(int, line.split())) for line in note.read_text().splitlines()]
