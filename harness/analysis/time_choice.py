"""The choice between wall time and CPU time for the comparison of two runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from harness.analysis.conditions import disturbances
from harness.analysis.times import backends_without
from harness.analysis.usage import DISTURBED, Usage, usages
from harness.records.environment import Invocation
from harness.records.system_checks import STOLEN, THROTTLING
from harness.records.time_kind import TimeKind

SHORTEST_S: Final = 5e-5
"""Shorter calls have no reliable CPU time: reading its clock takes up to 1 us."""


@dataclass(frozen=True, slots=True)
class TimeChoice:
    """The time by which a backend is compared."""

    kind: TimeKind
    reason: str
    """Why, as a clause: ``several threads compute, ...``."""


REQUESTED: Final = "as requested"


def choose_times(
    before: pd.DataFrame,
    after: pd.DataFrame,
    invocations: tuple[Sequence[Invocation], Sequence[Invocation]] = ((), ()),
) -> dict[str, TimeChoice]:
    """For each backend the time that is more reliable in both runs, and why.

    Wall time is what a user waits for. CPU time is used where other processes took part of
    the wall time, unless it does not measure the work of the backend: several threads add
    up, a backend that waits for files or a clock does not compute, and very short calls are
    below the resolution of the clock. ``docs/tables.md`` gives the reasons.

    Args:
        before: trials of the first run.
        after: trials of the second run.
        invocations: the invocations of both runs.
    """
    missing = [backends_without(trials, TimeKind.CPU) for trials in (before, after)]
    used = [usages(trials) for trials in (before, after)]
    disturbed = [disturbances(run) for run in invocations]
    backends = dict.fromkeys(str(b) for t in (before, after) for b in t["backend"].unique())
    return {
        backend: _choice(
            [usage[backend] for usage in used if backend in usage],
            is_recorded=not any(backend in lacking for lacking in missing),
            disturbed=disturbed,
        )
        for backend in backends
    }


def _choice(
    used: Sequence[Usage], *, is_recorded: bool, disturbed: Sequence[Mapping[str, str]]
) -> TimeChoice:
    if not is_recorded:
        return TimeChoice(TimeKind.WALL, "CPU time is not recorded for all right answers")
    if any(usage.threads >= 1 + DISTURBED for usage in used):
        reason = "several threads compute, and CPU time is the sum over all of them"
        return TimeChoice(TimeKind.WALL, reason)
    if any({THROTTLING, STOLEN} & findings.keys() for findings in disturbed):
        # Time that is taken without a context switch looks like waiting.
        return TimeChoice(TimeKind.CPU, _quoted(disturbed))
    if any(usage.waiting_share >= DISTURBED for usage in used):
        reason = "the backend waits for files, processes or a clock, which takes no CPU time"
        return TimeChoice(TimeKind.WALL, reason)
    if any(usage.mean_wall_s < SHORTEST_S for usage in used):
        reason = f"calls shorter than {SHORTEST_S * 1e6:g} us are too short for the CPU clock"
        return TimeChoice(TimeKind.WALL, reason)
    if any(disturbed):
        return TimeChoice(TimeKind.CPU, _quoted(disturbed))
    if any(usage.is_preempted for usage in used):
        shares = " and ".join(f"{100 * usage.preempted_share:.0f} %" for usage in used)
        reason = f"other processes took {shares} of the wall time before and after"
        return TimeChoice(TimeKind.CPU, reason)
    return TimeChoice(TimeKind.WALL, "no disturbance of the machine is recorded")


def _quoted(disturbed: Sequence[Mapping[str, str]]) -> str:
    sides = [
        f"{side}, {', '.join(f'{subject}: {found}' for subject, found in findings.items())}"
        for side, findings in zip(("before", "after"), disturbed, strict=True)
        if findings
    ]
    return f"wall times may be unreliable ({'; '.join(sides)})"
