"""The conditions under which two runs were measured: whether the machine was the same.

Every finding comes from `harness.records.system_checks`, which `harness doctor` prints for
the machine that it runs on.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from harness.analysis.usage import DISTURBED, Usage
from harness.records.environment import Activity, Invocation, SystemInfo
from harness.records.system_checks import (
    BUSY,
    BUSY_CORES,
    JOBS,
    LOAD,
    OTHER_PROGRAMS,
    STOLEN,
    STOLEN_CORES,
    THROTTLING,
    SystemCheck,
    available_cores,
    cores_text,
    invocation_checks,
)
from harness.records.time_kind import TimeKind

MACHINE: Final = "machine"
"""The subject of a difference between the names of machines."""
SPEED: Final = "speed of the cores"
"""The subject of a difference between the times of a fixed computation."""
_SLOWDOWN: Final = 0.03
"""The least difference of these times that counts. Backends may differ twice as much."""
DISTURBANCES: Final = (JOBS, OTHER_PROGRAMS, THROTTLING, STOLEN, LOAD)
"""The subjects of the checks that concern a run rather than its machine."""
_LEAST: Final = 1e-9
"""Any difference counts."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A condition that differs between two runs."""

    subject: str
    before: str
    after: str


def disturbances(invocations: Iterable[Invocation]) -> dict[str, str]:
    """What disturbed the times of a run: what each failed check found, by its subject.

    A check is one of the whole run, however many invocations made it.

    The load average counts only where the activity of the machine was not recorded, because
    the end of an earlier run raises it, too.
    """
    run = list(invocations)
    found = {subject: _finding(subject, run) for subject in DISTURBANCES if subject != LOAD}
    unknown = [invocation for invocation in run if _other_cores(invocation) is None]
    found[LOAD] = _finding(LOAD, unknown)
    return {
        subject: finding.check.found
        for subject, finding in found.items()
        if finding and not finding.check.passed
    }


def machine_differences(
    before: Sequence[Invocation],
    after: Sequence[Invocation],
    usages: Iterable[tuple[str, Usage, Usage]] = (),
    time: TimeKind = TimeKind.CPU,
) -> list[Difference]:
    """The conditions of two runs that differ enough to change a time of this kind.

    These are facts about the machine (its name, processor, cores, frequency governor, turbo,
    simultaneous multithreading, hypervisor), the speed of its cores, and disturbances: more
    jobs than cores, other programs, throttling, stolen time, and wall time that other processes
    took from a backend. Under wall time every disturbance is a difference: which trials lose
    their core is chance. Under CPU time, which other programs change by a few per cent, a
    disturbance of equal strength in both runs is none; only throttling always is, because its
    strength varies. A fact that one of the runs does not record is no difference.

    Args:
        before: the invocations of the first run.
        after: the invocations of the second run.
        usages: for each backend its name and its usage in both runs.
        time: the kind of time that is compared.
    """
    differences = (_facts(before, after), _speed(before, after), _disturbances(before, after, time))
    return [*chain(*differences), *_taken(usages)]


def _subjects(invocations: Sequence[Invocation]) -> tuple[str, ...]:
    """The disturbances to look at: the load average only if any activity is not known."""
    known = all(_other_cores(invocation) is not None for invocation in invocations)
    return tuple(subject for subject in DISTURBANCES if subject != LOAD or not known)


def _switch(active: bool | None) -> str | None:
    return None if active is None else "on" if active else "off"


_FACTS: Final[Mapping[str, Callable[[SystemInfo], str | None]]] = {
    MACHINE: lambda info: info.host,
    "processor": lambda info: info.processor,
    "cores": lambda info: None if info.usable_cores is None else cores_text(info),
    "governor": lambda info: info.governor,
    "turbo": lambda info: _switch(info.turbo),
    "hyperthreads": lambda info: _switch(info.simultaneous_multithreading),
    "hypervisor": lambda info: _switch(info.hypervisor),
}


def _facts(before: Sequence[Invocation], after: Sequence[Invocation]) -> Iterator[Difference]:
    for subject, fact in _FACTS.items():
        old, new = (
            sorted({value for i in run if (value := fact(i.system)) is not None})
            for run in (before, after)
        )
        if old and new and old != new:
            yield Difference(subject, ", ".join(old), ", ".join(new))


def _speed(before: Sequence[Invocation], after: Sequence[Invocation]) -> Iterator[Difference]:
    """The speed of the cores, if a fixed computation took longer in one of the runs."""
    old, new = _calibration_s(before), _calibration_s(after)
    if old and new and max(old, new) / min(old, new) >= 1 + _SLOWDOWN:
        texts = (f"{seconds * 1e6:.1f} us for a fixed computation" for seconds in (old, new))
        yield Difference(SPEED, *texts)


def _calibration_s(invocations: Sequence[Invocation]) -> float | None:
    """The mean over the invocations of a run, each by its length; None if unknown."""
    known = [
        (i.activity.calibration_s, i.activity.seconds)
        for i in invocations
        if i.activity and i.activity.calibration_s
    ]
    length = sum(seconds for _, seconds in known)
    return sum(value * seconds for value, seconds in known) / length if length else None


def _disturbances(
    before: Sequence[Invocation], after: Sequence[Invocation], time: TimeKind
) -> Iterator[Difference]:
    for subject in _subjects([*before, *after]):
        old, new = _finding(subject, before), _finding(subject, after)
        if old is None or new is None or (old.check.passed and new.check.passed):
            continue
        if time is TimeKind.WALL or abs(old.amount - new.amount) >= _STEPS[subject]:
            yield Difference(subject, old.check.found, new.check.found)


@dataclass(frozen=True, slots=True)
class _Finding:
    """One disturbance of a whole run."""

    amount: float
    """Its strength."""
    check: SystemCheck
    """The check of this strength."""


def _finding(subject: str, invocations: Sequence[Invocation]) -> _Finding | None:
    """The strength of a disturbance over a run, and its check; None if unknown.

    The activities of the invocations are added up; of jobs and load the highest counts.
    """
    whole = _as_one(subject, invocations) if subject in _RECORDED else invocations
    findings = [
        _Finding(amount, check)
        for invocation in whole
        if (amount := _AMOUNTS[subject](invocation)) is not None
        for check in invocation_checks(invocation)
        if check.subject == subject and check.passed is not None
    ]
    return max(findings, key=lambda finding: finding.amount, default=None)


def _as_one(subject: str, invocations: Sequence[Invocation]) -> list[Invocation]:
    """The invocations that record this activity, as one; none if there are none."""
    name = _RECORDED[subject]
    known = [
        (i, i.activity) for i in invocations if i.activity and getattr(i.activity, name) is not None
    ]
    if not known:
        return []
    sums = {
        field: sum(getattr(activity, field) or 0 for _, activity in known)
        for field in ("seconds", name, "heat_throttles")
    }
    return [Invocation(system=known[-1][0].system, activity=Activity(**sums))]


def _jobs_per_core(invocation: Invocation) -> float | None:
    cores = available_cores(invocation.system)
    return invocation.jobs / cores if invocation.jobs and cores else None


def _other_cores(invocation: Invocation) -> float | None:
    return invocation.activity.other_cores if invocation.activity else None


def _stolen_cores(invocation: Invocation) -> float | None:
    return invocation.activity.stolen_cores if invocation.activity else None


def _throttled_s(invocation: Invocation) -> float | None:
    return invocation.activity.throttled_s if invocation.activity else None


def _load(invocation: Invocation) -> float | None:
    return invocation.system.load_average[0] if invocation.system.load_average else None


_RECORDED: Final[Mapping[str, str]] = {
    OTHER_PROGRAMS: "other_cpu_s",
    THROTTLING: "throttled_s",
    STOLEN: "stolen_s",
}
"""The disturbances that an activity records, with their fields."""
_AMOUNTS: Final[Mapping[str, Callable[[Invocation], float | None]]] = {
    JOBS: _jobs_per_core,
    OTHER_PROGRAMS: _other_cores,
    THROTTLING: _throttled_s,
    STOLEN: _stolen_cores,
    LOAD: _load,
}
"""The strength of a disturbance of an invocation."""
_STEPS: Final[Mapping[str, float]] = {
    JOBS: _LEAST,
    OTHER_PROGRAMS: BUSY_CORES,
    THROTTLING: 0.0,
    STOLEN: STOLEN_CORES,
    LOAD: BUSY,
}
"""The least difference of strengths that counts; throttling always does."""


def _taken(usages: Iterable[tuple[str, Usage, Usage]]) -> Iterator[Difference]:
    """The difference of the backend whose share of lost time differs most, if it counts.

    Backends with too little wall time in either run are left out.
    """
    shares = [
        (abs(old.preempted_share - new.preempted_share), name, old, new)
        for name, old, new in usages
        if old.is_long and new.is_long
    ]
    if not shares:
        return
    step, backend, *sides = max(shares, key=lambda share: share[0])
    if step >= DISTURBED:
        lost = [f"{100 * usage.preempted_share:.0f} %" for usage in sides]
        yield Difference(f"wall time of {backend} lost to other processes", *lost)
