"""The conditions under which two runs were measured: whether the machine was the same.

Every finding comes from `harness.records.system_checks`, which `harness doctor` prints for
the machine that it runs on.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from harness.analysis.usage import DISTURBED, Usage
from harness.records.environment import Invocation, SystemInfo
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

    The load average counts only where the activity of the machine was not recorded, because
    the end of an earlier run raises it, too.
    """
    return {
        check.subject: check.found
        for invocation in invocations
        for check in invocation_checks(invocation)
        if check.passed is False and check.subject in _subjects([invocation])
    }


def machine_differences(
    before: Sequence[Invocation],
    after: Sequence[Invocation],
    usages: Iterable[tuple[str, Usage, Usage]] = (),
    time: TimeKind = TimeKind.CPU,
) -> list[Difference]:
    """The conditions of two runs that differ enough to change a time of this kind.

    These are facts about the machine (its name, processor, cores, frequency governor, turbo,
    simultaneous multithreading, hypervisor) and disturbances: more jobs than cores, other
    programs, throttling, stolen time, and wall time that other processes took from a backend.
    Under wall time every disturbance is a difference: which trials lose their core is chance.
    Under CPU time, which other programs change by a few per cent, a disturbance of equal
    strength in both runs is none; only throttling always is, because its strength varies. A
    fact that one of the runs does not record is no difference.

    Args:
        before: the invocations of the first run.
        after: the invocations of the second run.
        usages: for each backend its name and its usage in both runs.
        time: the kind of time that is compared.
    """
    return [*_facts(before, after), *_disturbances(before, after, time), *_taken(usages)]


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


def _disturbances(
    before: Sequence[Invocation], after: Sequence[Invocation], time: TimeKind
) -> Iterator[Difference]:
    for subject in _subjects([*before, *after]):
        old, new = _worst(subject, before), _worst(subject, after)
        if old is None or new is None or (old.passed and new.passed):
            continue
        if time is TimeKind.WALL or subject == THROTTLING or _differs(subject, before, after):
            yield Difference(subject, old.found, new.found)


def _differs(subject: str, before: Sequence[Invocation], after: Sequence[Invocation]) -> bool:
    """Whether a disturbance of at least one run differs in strength."""
    amount, least = _STEPS[subject]
    old, new = ([v for i in run if (v := amount(i)) is not None] for run in (before, after))
    return bool(old and new) and abs(fmean(old) - fmean(new)) >= least


def _jobs_per_core(invocation: Invocation) -> float | None:
    cores = available_cores(invocation.system)
    return invocation.jobs / cores if invocation.jobs and cores else None


def _other_cores(invocation: Invocation) -> float | None:
    return invocation.activity.other_cores if invocation.activity else None


def _stolen_cores(invocation: Invocation) -> float | None:
    return invocation.activity.stolen_cores if invocation.activity else None


def _load(invocation: Invocation) -> float | None:
    return invocation.system.load_average[0] if invocation.system.load_average else None


_STEPS: Final[Mapping[str, tuple[Callable[[Invocation], float | None], float]]] = {
    JOBS: (_jobs_per_core, _LEAST),
    OTHER_PROGRAMS: (_other_cores, BUSY_CORES),
    STOLEN: (_stolen_cores, STOLEN_CORES),
    LOAD: (_load, BUSY),
}
"""The strength of a disturbance of an invocation, and the least difference that counts."""


def _worst(subject: str, invocations: Sequence[Invocation]) -> SystemCheck | None:
    """The first check of a subject that failed, or else one that passed; None if unknown."""
    checks = [
        check
        for invocation in invocations
        for check in invocation_checks(invocation)
        if check.subject == subject and check.passed is not None
    ]
    return min(checks, key=lambda check: bool(check.passed), default=None)


def _taken(usages: Iterable[tuple[str, Usage, Usage]]) -> Iterator[Difference]:
    """The difference of the backend whose share of lost time differs most, if it counts."""
    shares = [
        (abs(old.preempted_share - new.preempted_share), name, old, new)
        for name, old, new in usages
    ]
    if not shares:
        return
    step, backend, *sides = max(shares, key=lambda share: share[0])
    if step >= DISTURBED:
        lost = [f"{100 * usage.preempted_share:.0f} %" for usage in sides]
        yield Difference(f"wall time of {backend} lost to other processes", *lost)
