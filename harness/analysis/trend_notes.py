"""Notes on a trend: sentences that a reader needs in order to judge it."""

from collections import Counter
from collections.abc import Iterator, Sequence

import pandas as pd

from harness.analysis.conditions import disturbances
from harness.analysis.run import Run
from harness.analysis.run_history import Facts, differences
from harness.analysis.series import LEAST_RUNS, Series
from harness.analysis.steps import LEAST_INSTANCES
from harness.analysis.trend_tables import MACHINE_CHANGED, UNEQUAL
from harness.records.time_kind import TimeKind


def unfinished_notes(runs: Sequence[Run]) -> Iterator[str]:
    """A line on each unfinished run."""
    for number, run in enumerate(runs, 1):
        if run.progress.finished is False:
            yield f"run {number} is unfinished: {run.progress}"


def run_notes(runs: Sequence[Run], machines: Sequence[Facts]) -> Iterator[str]:
    """Disturbed runs, changes of the machine, and runs of several machines."""
    yield from _disturbed(runs)
    for place in range(1, len(runs)):
        if changed := differences(machines[place - 1], machines[place]):
            yield f"the machine changed before run {place + 1}: {changed}"
    for place, run in enumerate(runs):
        if len(run.hosts) > 1:
            yield f"run {place + 1} has trials of {len(run.hosts)} machines, which count as one"


def _disturbed(runs: Sequence[Run]) -> Iterator[str]:
    found = {
        place: causes
        for place, run in enumerate(runs, 1)
        if (causes := disturbances(run.invocations))
    }
    if found:
        subjects = dict.fromkeys(subject for causes in found.values() for subject in causes)
        places = f"run{'s' * (len(found) > 1)} {', '.join(map(str, found))}"
        hint = "; follow CPU times: --time cpu" * (runs[0].time is TimeKind.WALL)
        yield f"times may be unreliable in {places}: {', '.join(subjects)}{hint}"


def series_notes(every: Sequence[Series], kept: Sequence[Series]) -> Iterator[str]:
    """What the values leave out: instances, wrong answers, configurations.

    Args:
        every: all series of the runs.
        kept: those with values.
    """
    seen = set()
    for one in kept:
        if one.group in seen:
            continue
        seen.add(one.group)
        group = [other for other in kept if other.group == one.group]
        sizes = [
            (int(number), place)
            for other in group
            for number, place in zip(other.has, other.runs, strict=True)
        ]
        most, (least, place) = max(sizes)[0], min(sizes)
        if one.instances < most:
            yield (
                f"{one.title}: {one.instances} of {most} instances are common to all runs; "
                f"run {place + 1} has {least}"
            )
    for one in kept:
        for place, wrong in zip(one.runs, one.wrong, strict=True):
            if wrong:
                answers = f"{int(wrong)} wrong answer{'' if wrong == 1 else 's'}"
                yield f"no value of {one.backend} in run {place + 1}, {one.title}: {answers}"
    if left := len(every) - len(kept):
        yield (
            f"left out: {left} backend{'' if left == 1 else 's'} of a comparison group in fewer "
            f"than {LEAST_RUNS} runs or without a common instance"
        )
    if any(one.instances < LEAST_INSTANCES for one in kept):
        yield f"steps are tested from {LEAST_INSTANCES} common instances on"


def step_notes(steps: pd.DataFrame) -> Iterator[str]:
    """What changed at the steps that are not changes of the machine."""
    known = steps[steps["changed"].notna() & (steps["change"] != MACHINE_CHANGED)]
    for (previous, run), rows in known.groupby(["previous", "run"]):
        changed = dict.fromkeys(part for text in rows["changed"] for part in text.split(", "))
        unequal = ", on an unequal machine" * bool(rows["change"].isin(UNEQUAL).any())
        yield f"changed between runs {previous} and {run}{unequal}: {', '.join(changed)}"


def joint_notes(series: Sequence[Series], steps: pd.DataFrame) -> Iterator[str]:
    """The runs from which on three or more backends, and all of them, changed alike."""
    backends = {one.backend for one in series}
    alike = {
        (int(row["run"]), str(row["change"]), str(row["backend"]))
        for row in steps.to_dict("records")
        if row["change"] not in (MACHINE_CHANGED, *UNEQUAL)
    }
    for (run, change), number in sorted(Counter((r, c) for r, c, _ in alike).items()):
        if number == len(backends) >= 3:
            yield (
                f"all {number} backends are {change} from run {run} on: the machine or the "
                "harness is a likely cause"
            )
