"""The conditions under which runs were measured: machine, software, options and noise.

Every finding comes from `harness.records.folder.checks`, which `harness doctor` prints for
the machine that it runs on.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import ClassVar, Final

import pandas as pd
from msgspec.structs import replace

from harness.analysis.measures import FrameLayout, Note, backends_without
from harness.analysis.measures import columns as col
from harness.analysis.summary import as_text
from harness.analysis.timing import DISTURBED, BackendUsage, usages
from harness.base.text import number_of
from harness.records import TimeKind
from harness.records.folder import (
    Activity,
    Invocation,
    Settings,
    SystemCheck,
    SystemInfo,
)

# Differences between two runs in machine, software, options and datasets.


_DIGITS: Final = 12
"""The digits of a digest that a row shows."""

ENVIRONMENT: Final = FrameLayout(
    name="environment",
    title="Environment",
    columns=(
        col.text("what", "Part of the environment.", "what"),
        col.text("before", "Its value in the first run; empty for none.", "before"),
        col.text("after", "Its value in the second run; empty for none.", "after"),
    ),
    notes=lambda _: (Note("any of these differences may have changed a time"),),
)


def facts_of(invocation: Invocation) -> dict[str, str]:
    """The recorded facts about machine and software, each by its name as text."""
    info, checkout = invocation.system, invocation.checkout
    facts = {
        "machine": info.host,
        "processor": info.processor,
        "usable cores": None if info.usable_cores is None else str(len(info.usable_cores)),
        "quota of CPU time": None if info.cpu_quota is None else f"{info.cpu_quota:g} cores",
        "jobs": None if invocation.jobs is None else str(invocation.jobs),
        "memory": None if info.memory_bytes is None else f"{info.memory_bytes / 2**30:.1f} GiB",
        "system": info.system,
        "Python": invocation.python,
        "harness": invocation.harness,
        "checkout": f"{checkout.commit}{' with changes' if checkout.dirty else ''}"
        if checkout
        else None,
    }
    return {name: fact for name, fact in facts.items() if fact is not None}


def merge_invocations(invocations: Sequence[Invocation]) -> Invocation:
    """The last invocation with the backends and datasets of all of them."""
    if not invocations:
        return Invocation()
    backends = {name: b for i in invocations for name, b in i.backends.items()}
    left_out = {name: reason for i in invocations for name, reason in i.left_out.items()}
    return replace(
        invocations[-1],
        backends=backends,
        datasets={name: d for i in invocations for name, d in i.datasets.items()},
        left_out={name: reason for name, reason in left_out.items() if name not in backends},
    )


def environment_changes(
    before: Invocation,
    after: Invocation,
    settings: tuple[Sequence[Settings], Sequence[Settings]] = ((), ()),
) -> pd.DataFrame:
    """List everything that differs between two invocations.

    The order is: system checks that only one invocation passes, the machine, the settings of the
    sweeps, the options of backends, the datasets with digests of their puzzles, the packages.

    Args:
        before: the invocation of the first run; see `merge_invocations` for several.
        after: that of the second run.
        settings: the sweeps of each run.
    """
    earlier = {check.subject: check for check in SystemCheck.of_invocation(before)}
    checks = [
        {"what": old.subject, "before": old.found, "after": new.found}
        for new in SystemCheck.of_invocation(after)
        if (old := earlier.get(new.subject)) and {old.passed, new.passed} == {True, False}
    ]
    subjects = {row["what"] for row in checks}
    parts = [
        (facts_of(before), facts_of(after)),
        (_settings(settings[0]), _settings(settings[1])),
        *zip(_software(before), _software(after), strict=True),
    ]
    rows = [
        {"what": name, "before": old.get(name, ""), "after": new.get(name, "")}
        for old, new in parts
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name) and name not in subjects
    ]
    return ENVIRONMENT.frame([*checks, *rows])


def _settings(sweeps: Sequence[Settings]) -> dict[str, str]:
    """The values of each option; of several sweeps, the different values in order."""
    values: dict[str, list[str]] = {}
    for sweep in sweeps:
        for name, value in sweep.items():
            values.setdefault(f"setting {name}", []).append(as_text(value))
    return {name: "; ".join(dict.fromkeys(texts)) for name, texts in values.items()}


def _software(invocation: Invocation) -> Iterator[dict[str, str]]:
    """The options of backends, then the datasets, then the packages, each by its name as text."""
    options = {
        f"{name}, option {option}": str(value)
        for name, backend in invocation.backends.items()
        for option, value in backend.options.items()
    }
    yield options | {f"{name}, left out": reason for name, reason in invocation.left_out.items()}
    yield {
        f"dataset {name}": f"{number_of(dataset.puzzles, 'puzzle')}, {dataset.sha256[:_DIGITS]}"
        for name, dataset in invocation.datasets.items()
    }
    packages = {f"package {name}": version for name, version in invocation.packages.items()}
    yield packages | {
        f"package {name} of {label}": version
        for label, own in invocation.environments.items()
        for name, version in own.items()
    }


# The conditions under which two runs were measured: whether the machine was the same.


MACHINE: Final = "machine"
"""The subject of a difference between the names of machines."""
_SLOWDOWN: Final = 0.03
"""The smallest relative difference of these times that counts; backends may differ by twice it."""


@dataclass(frozen=True, slots=True)
class _Disturbance:
    """What can disturb the times of a run."""

    strength: Callable[[Invocation], float | None]
    """The strength of the disturbance during an invocation; None if unknown."""
    least: float
    """The smallest difference of strengths that counts."""
    activity_field: str = ""
    """The field of the activity that records the disturbance; empty if none does."""


_DISTURBANCES: Final[Mapping[str, _Disturbance]] = {
    # Any difference of jobs counts.
    SystemCheck.JOBS: _Disturbance(
        lambda i: i.jobs / cores if i.jobs and (cores := i.system.available_cores) else None, 1e-9
    ),
    SystemCheck.OTHER_PROGRAMS: _Disturbance(
        lambda i: i.activity.other_cores if i.activity else None,
        SystemCheck.BUSY_CORES,
        "other_cpu_s",
    ),
    # Throttling always counts: its strength varies.
    SystemCheck.THROTTLING: _Disturbance(
        lambda i: i.activity.throttled_s if i.activity else None, 0.0, "throttled_s"
    ),
    SystemCheck.STOLEN: _Disturbance(
        lambda i: i.activity.stolen_cores if i.activity else None,
        SystemCheck.STOLEN_CORES,
        "stolen_s",
    ),
    SystemCheck.LOAD: _Disturbance(
        lambda i: i.system.load_average[0] if i.system.load_average else None, SystemCheck.BUSY
    ),
}
"""The checks that concern a run rather than its machine, by their subjects."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A condition that differs between two runs."""

    subject: str
    """The condition, such as ``processor``."""
    before: str
    """In the first run."""
    after: str
    """In the second run."""


def disturbances(invocations: Sequence[Invocation]) -> dict[str, str]:
    """What disturbed the times of a run: what each failed check found, by its subject.

    Each check covers the whole run, however many invocations made it.

    The load average counts only where the activity of the machine was not recorded, because
    the end of an earlier run raises it, too.
    """
    findings = {}
    for subject in _DISTURBANCES:
        is_load = subject == SystemCheck.LOAD
        _, check = _finding(subject, _without_activity(invocations) if is_load else invocations)
        if check and not check.passed:
            findings[subject] = check.found
    return findings


def machine_differences(
    before: Sequence[Invocation],
    after: Sequence[Invocation],
    usages: Iterable[tuple[str, BackendUsage, BackendUsage]] = (),
    time: TimeKind = TimeKind.CPU,
) -> list[Difference]:
    """The conditions of two runs that differ enough to change a time of this kind.

    These are facts about the machine (its name, processor, cores, frequency governor, turbo,
    simultaneous multithreading, hypervisor), the speed of its cores, and disturbances: more jobs
    than cores, other programs, throttling, stolen time, and wall time that other processes took
    from a backend. Under wall time every disturbance is a difference: which trials lose their core
    is chance. Under CPU time, which other programs change by a few per cent, a disturbance of equal
    strength in both runs does not count; throttling always does, because its strength varies. A
    fact that one of the runs does not record does not count.

    Args:
        before: the invocations of the first run.
        after: the invocations of the second run.
        usages: for each backend its name and its usage in both runs.
        time: the kind of time that is compared.
    """
    return [
        *_facts(before, after),
        *_disturbances(before, after, time),
        *_preemption(usages),
    ]


def _without_activity(invocations: Iterable[Invocation]) -> list[Invocation]:
    """The invocations whose disturbance by other programs is unknown; there the load counts."""
    return [i for i in invocations if not i.activity or i.activity.other_cores is None]


def _switch(active: bool | None) -> str | None:
    return None if active is None else "on" if active else "off"


_FACTS: Final[Mapping[str, Callable[[SystemInfo], str | None]]] = {
    MACHINE: lambda info: info.host,
    "processor": lambda info: info.processor,
    "cores": lambda info: None if info.usable_cores is None else info.cores_text,
    "governor": lambda info: info.governor,
    "turbo": lambda info: _switch(info.turbo),
    "hyperthreads": lambda info: _switch(info.simultaneous_multithreading),
    "hypervisor": lambda info: _switch(info.hypervisor),
}


MACHINE_FACTS: Final = frozenset(_FACTS) - {"governor", "turbo"}
"""The subjects of differences between machines, without the settings that change the speed of one
machine."""


def _facts(before: Sequence[Invocation], after: Sequence[Invocation]) -> Iterator[Difference]:
    """The facts that differ, and the speed of the cores if a fixed computation took longer."""
    for subject, fact in _FACTS.items():
        old, new = (
            sorted({value for i in run if (value := fact(i.system)) is not None})
            for run in (before, after)
        )
        if old and new and old != new:
            yield Difference(subject, ", ".join(old), ", ".join(new))
    earlier, later = _calibration_s(before), _calibration_s(after)
    if earlier and later and max(earlier, later) / min(earlier, later) >= 1 + _SLOWDOWN:
        texts = (f"{seconds * 1e6:.1f} µs for a fixed computation" for seconds in (earlier, later))
        yield Difference("speed of the cores", *texts)


def _calibration_s(invocations: Sequence[Invocation]) -> float | None:
    """The mean over the invocations of a run, weighted by their length; None if unknown."""
    calibrations = [
        (i.activity.calibration_s, i.activity.seconds)
        for i in invocations
        if i.activity and i.activity.calibration_s
    ]
    length = sum(seconds for _, seconds in calibrations)
    return sum(value * seconds for value, seconds in calibrations) / length if length else None


def _disturbances(
    before: Sequence[Invocation], after: Sequence[Invocation], time: TimeKind
) -> Iterator[Difference]:
    for subject, disturbance in _DISTURBANCES.items():
        if subject == SystemCheck.LOAD and not _without_activity([*before, *after]):
            continue
        (amount, old), (other_amount, new) = _finding(subject, before), _finding(subject, after)
        if old is None or new is None or (old.passed and new.passed):
            continue
        if time is TimeKind.WALL or abs(amount - other_amount) >= disturbance.least:
            yield Difference(subject, old.found, new.found)


def _finding(subject: str, invocations: Sequence[Invocation]) -> tuple[float, SystemCheck | None]:
    """The strength of a disturbance over a run, and the check of this strength; None if unknown.

    The activities of the invocations are added up; for jobs and load, the highest value
    is taken.
    """
    disturbance = _DISTURBANCES[subject]
    name = disturbance.activity_field
    whole = _as_one(name, invocations) if name else invocations
    findings = [
        (amount, check)
        for invocation in whole
        if (amount := disturbance.strength(invocation)) is not None
        for check in SystemCheck.of_invocation(invocation)
        if check.subject == subject and check.passed is not None
    ]
    return max(findings, key=itemgetter(0), default=(0.0, None))


def _as_one(name: str, invocations: Sequence[Invocation]) -> list[Invocation]:
    """The invocations that record this field of the activity, as one; empty if none records it."""
    activities = [
        (i, i.activity) for i in invocations if i.activity and getattr(i.activity, name) is not None
    ]
    if not activities:
        return []
    sums = {
        field: sum(getattr(activity, field) or 0 for _, activity in activities)
        for field in ("seconds", name, "heat_throttles")
    }
    return [Invocation(system=activities[-1][0].system, activity=Activity(**sums))]


def _preemption(usages: Iterable[tuple[str, BackendUsage, BackendUsage]]) -> Iterator[Difference]:
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
        texts = [f"{100 * usage.preempted_share:.0f} %" for usage in sides]
        yield Difference(f"wall time of {backend} lost to other processes", *texts)


# The choice between wall time and CPU time for the comparison of two runs.


SHORTEST_S: Final = 5e-5
"""Shorter calls have no reliable CPU time: reading its clock takes up to 1 us."""


@dataclass(frozen=True, slots=True)
class TimeChoice:
    """The time by which a backend is compared."""

    REQUESTED: ClassVar = ""
    """The reason for a time that is the same for all backends."""

    time: TimeKind
    """`wall` or `cpu`."""
    reason: str
    """Why, as a clause: `several threads compute, ...`; empty for one time for all."""


def choose_times(
    before: pd.DataFrame,
    after: pd.DataFrame,
    invocations: tuple[Sequence[Invocation], Sequence[Invocation]] = ((), ()),
) -> dict[str, TimeChoice]:
    """For each backend the time that is more reliable in both runs, and why.

    Wall time is what a user waits for. CPU time is used where other processes took part of
    the wall time, unless it does not measure the work of the backend: several threads add
    up, a backend that waits for files or a clock does not compute, and very short calls are
    below the resolution of the clock. ``docs/comparisons.md`` gives the reasons.

    Args:
        before: trials of the first run.
        after: trials of the second run.
        invocations: the invocations of both runs.
    """
    missing = {b for trials in (before, after) for b in backends_without(trials, TimeKind.CPU)}
    usages_of_runs = [usages(trials) for trials in (before, after)]
    run_findings = [disturbances(run) for run in invocations]
    choices = {}
    for backend in (str(b) for trials in (before, after) for b in trials["backend"].unique()):
        of_backend = [usage[backend] for usage in usages_of_runs if backend in usage]
        is_recorded = backend not in missing
        choices[backend] = _choice(of_backend, is_recorded=is_recorded, run_findings=run_findings)
    return choices


def backends_by_choice(choices: Mapping[str, TimeChoice]) -> dict[TimeChoice, list[str]]:
    """The backends that are compared by the same time for the same reason."""
    groups: dict[TimeChoice, list[str]] = {}
    for backend, choice in choices.items():
        groups.setdefault(choice, []).append(backend)
    return groups


def _choice(
    usages: Sequence[BackendUsage], *, is_recorded: bool, run_findings: Sequence[Mapping[str, str]]
) -> TimeChoice:
    if not is_recorded:
        return TimeChoice(TimeKind.WALL, "CPU time is not recorded for all right answers")
    if any(usage.threads >= 1 + DISTURBED for usage in usages):
        reason = "several threads compute, and CPU time is the sum over all of them"
        return TimeChoice(TimeKind.WALL, reason)
    sides = [
        f"{side}, {', '.join(f'{subject}: {value}' for subject, value in findings.items())}"
        for side, findings in zip(("before", "after"), run_findings, strict=True)
        if findings
    ]
    disturbed = TimeChoice(TimeKind.CPU, f"wall times may be unreliable ({'; '.join(sides)})")
    if {SystemCheck.THROTTLING, SystemCheck.STOLEN} & {*chain(*run_findings)}:
        # Time that is taken without a context switch looks like waiting.
        return disturbed
    if any(usage.waiting_share >= DISTURBED for usage in usages):
        reason = "the backend waits for files, processes or a clock, which takes no CPU time"
        return TimeChoice(TimeKind.WALL, reason)
    if any(usage.mean_wall_s < SHORTEST_S for usage in usages):
        reason = f"calls shorter than {SHORTEST_S * 1e6:g} µs are too short for the CPU clock"
        return TimeChoice(TimeKind.WALL, reason)
    if sides:
        return disturbed
    if any(usage.is_preempted for usage in usages):
        shares = " and ".join(f"{100 * usage.preempted_share:.0f} %" for usage in usages)
        reason = f"other processes took {shares} of the wall time before and after"
        return TimeChoice(TimeKind.CPU, reason)
    return TimeChoice(TimeKind.WALL, "no disturbance of the machine is recorded")
