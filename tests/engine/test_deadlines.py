"""Deadlines: no process of a backend keeps the harness waiting."""

import time
from collections.abc import Callable

import pytest

from harness.records.question import Verdict
from harness.records.trial import Ending
from tests.engine.asking import ask, bad_trial, misbehaving

HIDES_ITS_TRIAL = """
    import gc
    from harness.engine.wire.shared import CurrentTrial
    for item in gc.get_objects():
        if isinstance(item, CurrentTrial):
            item.stop()
    time.sleep(60)
"""
HIDES_ITS_TRIAL_BEHIND_FRAMES = """
    import contextlib, gc, socket
    from harness.engine.wire.channel import pack
    from harness.engine.wire.shared import CurrentTrial
    from harness.engine.wire.messages import WarmedUp
    from harness.records.question import Task
    from harness.records.trial import Ending
    for item in gc.get_objects():
        if isinstance(item, CurrentTrial):
            item.stop()
    connections = [item for item in gc.get_objects() if isinstance(item, socket.socket)]
    for byte in pack(WarmedUp(Task.SOLVE, "x" * 999, 0.1, Ending.ANSWERED)):
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.send(bytes([byte]))
        time.sleep(0.2)
"""
COUNTS_TRIALS_ITSELF = """
    import gc, itertools
    from harness.engine.wire.shared import CurrentTrial
    (current,) = [item for item in gc.get_objects() if isinstance(item, CurrentTrial)]
    for number in itertools.count(100):
        current.start(3)
        time.sleep(0.02)
"""
SHOWS_THE_NUMBER = """
    import gc
    from harness.engine.wire.shared import CurrentTrial
    for item in gc.get_objects():
        if isinstance(item, CurrentTrial):
            item._values[0] = {number}
    time.sleep(60)
"""
TRACES_ITS_MONITOR = """
    import ctypes
    ptrace, monitor = ctypes.CDLL(None).ptrace, os.getppid()
    seize, interrupt = 0x4206, 0x4207
    if ptrace(seize, monitor, None, None) == 0:
        ptrace(interrupt, monitor, None, None)
    time.sleep(60)
"""
STATISTICS_NEVER_END = """
    class Stats(dict):
        def items(self):
            while True:
                pass
    return Answer.unknown(stats=Stats(nodes=1))
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("statement", "verdict", "reason", "limit_s"),
    [
        (SHOWS_THE_NUMBER.format(number=-1), Verdict.TIMEOUT, "killed after", 12),
        (TRACES_ITS_MONITOR, Verdict.CRASHED, "its monitor was stopped", 12),
        (HIDES_ITS_TRIAL, Verdict.TIMEOUT, "without a sign of its trial", 12),
        (HIDES_ITS_TRIAL_BEHIND_FRAMES, Verdict.TIMEOUT, "without a sign of its trial", 12),
        (COUNTS_TRIALS_ITSELF, Verdict.TIMEOUT, "killed after", 12),
        (STATISTICS_NEVER_END, Verdict.TIMEOUT, "its answer could not be read", 8),
    ],
)
def test_a_backend_that_keeps_others_waiting_loses_its_trial(
    a_backend: Callable[..., str], statement: str, verdict: Verdict, reason: str, limit_s: float
) -> None:
    began = time.monotonic()
    bad = bad_trial(a_backend(misbehaving(statement)), timeout=0.3)
    assert time.monotonic() - began < limit_s
    assert bad.verdict is verdict
    assert reason in bad.reason


NUMBA_LOOP = """
import numba
@numba.njit("int64(int64)", nogil={nogil})
def loop(n):
    i = 0
    while n:
        i = (3 * i + 1) % 1_000_003
    return i
"""


@pytest.mark.parametrize(
    ("loops", "top"),
    [
        ("ctypes.PyDLL(None).sleep(60)", "import ctypes"),
        pytest.param("loop(1)", NUMBA_LOOP.format(nogil=True), marks=pytest.mark.long),
    ],
)
def test_a_loop_in_compiled_code_ends_at_its_limit(
    a_backend: Callable[..., str], loops: str, top: str
) -> None:
    bad = bad_trial(a_backend(misbehaving(loops), top=top), timeout=0.3)
    assert bad.verdict is Verdict.TIMEOUT
    # The limit counts from the request, before the worker's clock starts.
    assert 0 < (bad.outcome.wall_s or 9) < 1.3


def test_a_slow_report_of_an_answer_within_the_limit_is_an_answer(
    a_backend: Callable[..., str],
) -> None:
    """The report may end after the limit: the call was in time."""
    slow = """
    class Stats(dict):
        def items(self):
            time.sleep(0.5)
            return super().items()
    return Answer.unknown(stats=Stats(nodes=1))
    """
    outcome = bad_trial(a_backend(misbehaving(slow)), timeout=0.3).outcome
    assert outcome.ending is Ending.ANSWERED
    assert outcome.stats == {"nodes": 1}
    assert (outcome.wall_s or 1) < 0.1


def test_a_destructor_after_the_report_costs_its_own_trial_only(
    a_backend: Callable[..., str],
) -> None:
    """The answer is freed when garbage is collected, in a later trial or between two."""
    cycle = """
    class Loop:
        def __del__(self):
            time.sleep(60)
    loop = Loop()
    loop.itself = loop
    """
    body = f"import gc\n{misbehaving(cycle)}"
    collects = body.replace(
        "return Answer.unsatisfiable()",
        "gc.collect() if puzzle.givens[0] != 3 else None\nreturn Answer.unsatisfiable()",
    )
    results = ask([a_backend(collects)], timeout=0.3)
    assert sorted(r.trial.instance.name for r in results) == [*"0123456"]
    assert [r.verdict for r in results].count(Verdict.UNSATISFIABLE) >= 6
