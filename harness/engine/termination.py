"""What a monitor's last word means for the trial that its worker was at."""

import signal
from typing import Final

from harness.engine.limits import MIB
from harness.engine.monitor import EndReason, MonitorReport
from harness.records.outcome import Ending, Outcome
from harness.records.question import Question

_DEATHS_OF_HUNGER: Final = frozenset(
    -number for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGKILL)
)
_WORDS_OF_HUNGER: Final = ("bad_alloc", "memory_bytes", "Memory")


def outcome_of(report: MonitorReport, question: Question) -> Outcome:
    """What a trial has come to whose worker has ended."""
    wall = None if report.since is None else report.ended - report.since
    match report.reason:
        case EndReason.WALL_TIME:
            ending, detail = Ending.TIME_LIMIT, f"killed after {wall or 0:.3f} s"
        case EndReason.CPU_TIME:
            ending, detail = (
                Ending.TIME_LIMIT,
                f"killed after {report.cpu_s or 0:.3f} s of CPU time",
            )
        case EndReason.MEMORY:
            used = (report.resident_bytes or 0) // MIB
            ending, detail = Ending.MEMORY_LIMIT, f"killed with {used} MiB in memory"
        case EndReason.REQUESTED:
            ending, detail = Ending.EXITED, "closed its channel"
        case EndReason.EXITED:
            ending, detail = Ending.EXITED, f"the process {death(report.exit_code)}"
            if question.memory_limit_mib and _died_of_hunger(report, question):
                ending = Ending.MEMORY_LIMIT
    return Outcome(
        ending=ending,
        detail=f"{detail}\n{report.output}".strip() if ending is not Ending.TIME_LIMIT else detail,
        wall_s=wall,
        cpu_s=report.cpu_s,
        cpu_source="" if report.cpu_s is None else "sampled",
        memory_bytes=report.resident_bytes,
        memory_source="" if report.resident_bytes is None else "sampled",
        exit_code=report.exit_code,
    )


def _died_of_hunger(report: MonitorReport, question: Question) -> bool:
    """Whether a process under a limit of memory died of it, as far as can be told.

    Libraries that are refused memory crash or abort. Such a death counts as
    hunger if the last words speak of memory, or if half of what was allowed
    was seen in use.
    """
    if report.exit_code not in _DEATHS_OF_HUNGER:
        return False
    spoke = any(word in report.output for word in _WORDS_OF_HUNGER)
    return spoke or (report.resident_bytes or 0) > question.memory_limit_mib * MIB // 2


def death(exit_code: int) -> str:
    """How a process ended, in words."""
    if exit_code < 0:
        try:
            name = signal.Signals(-exit_code).name
        except ValueError:
            name = f"signal {-exit_code}"
        return f"was ended by {name}"
    return f"exited with code {exit_code}"
