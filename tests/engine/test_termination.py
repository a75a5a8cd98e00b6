"""The outcome of a trial whose worker has ended, from the report of its monitor."""

import signal

import pytest
from msgspec.structs import replace

from harness.base.child import describe_exit
from harness.base.text import last_line
from harness.engine.processes import outcome_of
from harness.engine.wire.messages import MIB, EndReason, MonitorReport
from harness.records.question import Question, Start, Task
from harness.records.trial import Ending

LIMITED = Question(Task.SOLVE, 0, Start.COLD, 10.0, memory_limit_mib=100)
UNLIMITED = Question(Task.SOLVE, 0, Start.COLD, 10.0)
ABORTED = MonitorReport(EndReason.EXITED, -signal.SIGABRT, serial=1, started_at=1.0, ended_at=3.0)


@pytest.mark.parametrize(
    ("reason", "ending"),
    [
        (EndReason.EXITED, Ending.EXITED),
        (EndReason.REQUESTED, Ending.EXITED),
        (EndReason.WALL_TIME, Ending.TIME_LIMIT),
        (EndReason.CPU_TIME, Ending.TIME_LIMIT),
        (EndReason.MEMORY, Ending.MEMORY_LIMIT),
    ],
)
def test_each_reason_has_its_ending(reason: EndReason, ending: Ending) -> None:
    outcome = outcome_of(replace(ABORTED, reason=reason), UNLIMITED)
    assert (outcome.ending, outcome.wall_s, outcome.exit_code) == (ending, 2.0, -signal.SIGABRT)


@pytest.mark.parametrize(
    "output", ["terminate called: std::bad_alloc", "out of memory", "MemoryError", "Memory limit"]
)
def test_an_abort_that_mentions_memory_under_a_limit_is_a_lack_of_memory(output: str) -> None:
    report = replace(ABORTED, output=output)
    assert outcome_of(report, LIMITED).ending is Ending.MEMORY_LIMIT
    assert outcome_of(report, UNLIMITED).ending is Ending.EXITED
    assert outcome_of(replace(report, exit_code=1), LIMITED).ending is Ending.EXITED


@pytest.mark.parametrize(("used_mib", "ending"), [(40, Ending.EXITED), (60, Ending.MEMORY_LIMIT)])
def test_an_abort_without_output_is_a_lack_of_memory_if_half_the_limit_was_used(
    used_mib: int, ending: Ending
) -> None:
    report = replace(ABORTED, resident_bytes=used_mib * MIB)
    assert outcome_of(report, LIMITED).ending is ending


GLOG = """F0000 solver.cc:12] Check failed: x < y (3 vs. 2)
*** Check failure stack trace: ***
    @     0x7f0  (unknown)
"""


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (GLOG, "was killed by SIGABRT: F0000 solver.cc:12] Check failed: x < y (3 vs. 2)"),
        (
            "started\nFatal Python error: Aborted\n\n  File 'x'\nExtension modules: y",
            "Fatal Python",
        ),
        ("terminate called after throwing an instance of 'E'\n  what():  e", "instance of 'E'"),
        ("started\nstopped\n", "the process was killed by SIGABRT: stopped"),
        ("", "the process was killed by SIGABRT"),
        ("x" * 1000, "the process was killed by SIGABRT: xxx"),
    ],
)
def test_the_last_line_of_a_reason_names_the_signal_and_the_complaint(
    output: str, reason: str
) -> None:
    line = last_line(outcome_of(replace(ABORTED, output=output), UNLIMITED).detail)
    assert line.startswith("the process was killed by SIGABRT")
    assert reason in line


def test_an_exit_is_described_by_its_code_or_its_signal() -> None:
    assert "3" in describe_exit(3)
    assert "SIGSEGV" in describe_exit(-signal.SIGSEGV)
    assert "99" in describe_exit(-99)
