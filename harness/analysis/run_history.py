"""What is known about each of several runs: its start, its machine, its software."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from harness.analysis.conditions import Difference, machine_differences
from harness.analysis.environment import facts_of
from harness.analysis.run import Run
from harness.analysis.usage import usages
from harness.errors import InputError

_COMMIT: Final = 10
"""The digits of a commit that identify it."""

Facts = Mapping[str, str]
"""Known facts by their names."""


def in_time_order(runs: Sequence[Run]) -> list[Run]:
    """The runs in the order in which they started.

    Raises:
        InputError: a run has no record of a time.
    """
    starts = []
    for run in runs:
        start = started(run)
        if start is None:
            raise InputError(
                "no time is recorded",
                where=str(run.folder),
                expected="--as-given, and the runs in time order",
            )
        starts.append(start)
    return [runs[n] for n in sorted(range(len(runs)), key=starts.__getitem__)]


def started(run: Run) -> datetime | None:
    """The start of the first invocation, or else the end of the first trial."""
    times = [one.started_at for one in run.invocations if one.started_at]
    times = times or [str(time) for time in run.trials["ended_at"].dropna().unique()]
    return min((_time(text, run) for text in times), default=None)


def machine_of(run: Run) -> Facts:
    """What is known of the machine of a run; several machines count as one."""
    facts = facts_of(run.environment)
    hosts = " + ".join(host for host in run.hosts if host)
    known = {name: facts[name] for name in ("processor", "usable cores") if name in facts}
    return ({"machine": hosts} if hosts else {}) | known


def software_of(run: Run, backend: str) -> Facts:
    """The checkout, the versions and the options behind a configuration in a run."""
    facts = facts_of(run.environment)
    software: dict[str, str] = {
        name: facts[name] for name in ("harness", "Python") if name in facts
    }
    if checkout := run.environment.checkout:
        changes = " with changes" if checkout.dirty else ""
        software["checkout"] = f"{checkout.commit[:_COMMIT]}{changes}"
    rows = run.trials[run.trials["backend"] == backend]
    for column in ("versions", "options"):
        texts = rows[column].dropna()
        if len(texts):
            known = json.loads(str(texts.iloc[-1]))
            software |= {str(name): str(value) for name, value in known.items()}
    return software


def differences(before: Facts, after: Facts) -> str:
    """The facts that are known of both and differ: ``machine a -> b, usable cores 4 -> 8``."""
    return ", ".join(
        f"{name} {before[name]} -> {after[name]}"
        for name in before
        if name in after and before[name] != after[name]
    )


def unequal_conditions(before: Run, after: Run) -> list[Difference]:
    """How the conditions of two runs differ, by the rules of a comparison of the two."""
    old, new = usages(before.trials), usages(after.trials)
    both = [(name, old[name], new[name]) for name in old if name in new]
    return machine_differences(before.invocations, after.invocations, both, after.time)


def _time(text: str, run: Run) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"invalid time {text!r:.80}", where=str(run.folder), expected="--as-given"
        ) from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
