"""Differences between two runs in machine, software, options and datasets."""

from collections.abc import Iterator, Sequence
from typing import Final

import pandas as pd
from msgspec.structs import replace

from harness.analysis.measure import Kind, Layout, MeasureColumn, Note, View
from harness.analysis.settings import as_text
from harness.records.environment import Invocation
from harness.records.settings import Settings
from harness.records.system_checks import invocation_checks
from harness.text import number_of

_DIGITS: Final = 12
"""The digits of a digest that a row shows."""

ENVIRONMENT: Final = Layout(
    name="environment",
    title="Environment",
    columns=(
        MeasureColumn(*("what", "string", "Part of the environment.", ""), View(Kind.TEXT, "what")),
        MeasureColumn(
            *("before", "string", "Its value in the first run; empty for none.", ""),
            View(Kind.TEXT, "before"),
        ),
        MeasureColumn(
            *("after", "string", "Its value in the second run; empty for none.", ""),
            View(Kind.TEXT, "after"),
        ),
    ),
    notes=lambda _: (Note("any of these differences may have changed a time"),),
)


def facts_of(invocation: Invocation) -> dict[str, str]:
    """The recorded facts on machine and software, each by its name as text."""
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
        "checkout": f"{checkout.commit}{' with changes' * checkout.dirty}" if checkout else None,
    }
    return {name: fact for name, fact in facts.items() if fact is not None}


def combined(invocations: Sequence[Invocation]) -> Invocation:
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

    First the system checks that only one invocation passes and the machine, then the settings
    of the sweeps, the options of backends, the datasets with digests of their puzzles, and the
    packages.

    Args:
        before: the invocation of the first run; see `combined` for several.
        after: that of the second run.
        settings: the sweeps of each run.
    """
    checks = list(_checks(before, after))
    known = {row["what"] for row in checks}
    sides = [
        (facts_of(before), facts_of(after)),
        (_settings(settings[0]), _settings(settings[1])),
        *((part(before), part(after)) for part in (_backends, _datasets, _packages)),
    ]
    rows = [
        {"what": what, "before": old.get(what, ""), "after": new.get(what, "")}
        for old, new in sides
        for what in dict.fromkeys([*old, *new])
        if old.get(what) != new.get(what) and what not in known
    ]
    return ENVIRONMENT.frame([*checks, *rows])


def _settings(sweeps: Sequence[Settings]) -> dict[str, str]:
    """The values of each option, those of several sweeps in their order without repeats."""
    values: dict[str, list[str]] = {}
    for sweep in sweeps:
        for name, value in sweep.items():
            values.setdefault(f"setting {name}", []).append(as_text(value))
    return {name: "; ".join(dict.fromkeys(texts)) for name, texts in values.items()}


def _checks(before: Invocation, after: Invocation) -> Iterator[dict[str, str]]:
    earlier = {check.subject: check for check in invocation_checks(before)}
    for new in invocation_checks(after):
        old = earlier.get(new.subject)
        if old and {old.passed, new.passed} == {True, False}:
            yield {"what": old.subject, "before": old.found, "after": new.found}


def _backends(invocation: Invocation) -> dict[str, str]:
    options = {
        f"{name}, option {option}": str(value)
        for name, backend in invocation.backends.items()
        for option, value in backend.options.items()
    }
    left_out = {f"{name}, left out": reason for name, reason in invocation.left_out.items()}
    return options | left_out


def _datasets(invocation: Invocation) -> dict[str, str]:
    return {
        f"dataset {name}": f"{number_of(dataset.puzzles, 'puzzle')}, {dataset.sha256[:_DIGITS]}"
        for name, dataset in invocation.datasets.items()
    }


def _packages(invocation: Invocation) -> dict[str, str]:
    return {f"package {name}": version for name, version in invocation.packages.items()}
