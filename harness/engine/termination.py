"""The outcome of a trial whose worker has ended."""

import signal
from typing import Final

from harness.engine.limits import MIB
from harness.engine.wire.messages import EndReason, MonitorReport
from harness.records.outcome import Ending, Outcome
from harness.records.question import Question

_OUT_OF_MEMORY_SIGNALS: Final = frozenset(
    {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGKILL}
)
"""Signals that end a process which was refused memory: a null pointer, an abort after
``bad_alloc``, a mapping without a page, the kernel's out-of-memory killer."""
_OUT_OF_MEMORY_TEXTS: Final = ("bad_alloc", "memory")
"""Texts in the output of such a process, in lower case."""


def outcome_of(report: MonitorReport, question: Question) -> Outcome:
    """The outcome of the trial that a worker was running when it ended."""
    wall_s = None if report.started_at is None else report.ended_at - report.started_at
    match report.reason:
        case EndReason.WALL_TIME:
            ending, detail = Ending.TIME_LIMIT, f"killed after {wall_s or 0:.3f} s"
            if wall_s is None:
                detail = "killed after its limit, without a sign of its trial"
            elif report.is_reporting:
                detail += ": its call had ended, but its answer could not be read"
        case EndReason.CPU_TIME:
            ending = Ending.TIME_LIMIT
            detail = f"killed after {report.cpu_s or 0:.3f} s of CPU time"
        case EndReason.MEMORY:
            used = (report.resident_bytes or 0) // MIB
            ending, detail = Ending.MEMORY_LIMIT, f"killed with {used} MiB of resident memory"
        case EndReason.STANDSTILL:
            stood_still = f"{report.stood_still_s:.1f} s"
            ending, detail = Ending.EXITED, f"all processes stood still for {stood_still}"
        case EndReason.REQUESTED:
            ending, detail = Ending.EXITED, "closed its connection to the harness"
        case EndReason.EXITED:
            ending, detail = Ending.EXITED, f"the process {describe_exit(report.exit_code)}"
            if _ran_out_of_memory(report, question):
                ending = Ending.MEMORY_LIMIT
    if ending is not Ending.TIME_LIMIT:
        detail = f"{detail}\n{report.output}".strip()
    return Outcome(
        ending=ending,
        detail=detail,
        wall_s=wall_s,
        cpu_s=report.cpu_s,
        cpu_source="" if report.cpu_s is None else "sampled",
        memory_bytes=report.resident_bytes,
        memory_source="" if report.resident_bytes is None else "sampled",
        exit_code=report.exit_code,
    )


def _ran_out_of_memory(report: MonitorReport, question: Question) -> bool:
    """Whether a process under a memory limit was killed for lack of memory.

    Libraries that are refused memory crash or abort. Such an end counts as a lack of memory
    if the output mentions memory or half of the limit was in use.
    """
    if not question.memory_limit_mib or -report.exit_code not in _OUT_OF_MEMORY_SIGNALS:
        return False
    output = report.output.lower()
    if any(text in output for text in _OUT_OF_MEMORY_TEXTS):
        return True
    return (report.resident_bytes or 0) > question.memory_limit_mib * MIB // 2


def describe_exit(exit_code: int) -> str:
    """How a process ended: ``exited with code 3`` or ``was killed by SIGSEGV``."""
    if exit_code >= 0:
        return f"exited with code {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = f"signal {-exit_code}"
    return f"was killed by {name}"
