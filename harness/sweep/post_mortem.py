"""What a keeper's last word means for the trial that its worker was at."""

import signal
from typing import Final

from harness.sweep.keeper import Report, Why
from harness.sweep.limits import MIB
from harness.sweep.trial import Ending, Outcome, Question

_DEATHS_OF_HUNGER: Final = frozenset(
    -number for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGKILL)
)
_WORDS_OF_HUNGER: Final = ("bad_alloc", "memory", "Memory")


def outcome_of(report: Report, question: Question) -> Outcome:
    """What a trial has come to whose worker has ended."""
    wall = None if report.since is None else report.ended - report.since
    match report.why:
        case Why.WALL:
            ending, detail = Ending.KILLED, f"killed after {wall or 0:.3f} s"
        case Why.CPU:
            ending, detail = Ending.KILLED, f"killed after {report.cpu or 0:.3f} s of CPU time"
        case Why.MEMORY:
            used = (report.resident or 0) // MIB
            ending, detail = Ending.STARVED, f"killed with {used} MiB in memory"
        case Why.TOLD:
            ending, detail = Ending.DIED, "closed its channel"
        case Why.ITSELF:
            ending, detail = Ending.DIED, f"the process {death(report.exit_code)}"
            if question.memory and _died_of_hunger(report, question):
                ending = Ending.STARVED
    return Outcome(
        ending,
        detail=f"{detail}\n{report.output}".strip() if ending is not Ending.KILLED else detail,
        wall=wall,
        cpu=report.cpu,
        cpu_how="" if report.cpu is None else "sampled",
        memory=report.resident,
        memory_how="" if report.resident is None else "sampled",
        exit_code=report.exit_code,
    )


def _died_of_hunger(report: Report, question: Question) -> bool:
    """Whether a process under a limit of memory died of it, as far as can be told.

    Libraries that are refused memory crash or abort. Such a death counts as
    hunger if the last words speak of memory, or if half of what was allowed
    was seen in use.
    """
    if report.exit_code not in _DEATHS_OF_HUNGER:
        return False
    spoke = any(word in report.output for word in _WORDS_OF_HUNGER)
    return spoke or (report.resident or 0) > question.memory * MIB // 2


def death(exit_code: int) -> str:
    """How a process ended, in words."""
    if exit_code < 0:
        try:
            name = signal.Signals(-exit_code).name
        except ValueError:
            name = f"signal {-exit_code}"
        return f"was ended by {name}"
    return f"exited with code {exit_code}"
