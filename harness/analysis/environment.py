"""Differences between two runs in machine, software, options and datasets."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pandas as pd

from harness.analysis.measure import Kind, Layout, MeasureColumn, Note, View
from harness.records import system_checks

Invocation = Mapping[str, Any]
"""An invocation of a run as ``environment.json`` has it: ``Run.environment``."""

_FACTS: Final = {
    "host": "machine",
    "processor": "processor",
    "usable_cores": "usable cores",
    "memory_bytes": "memory",
    "system": "system",
    "python": "Python",
    "harness": "harness",
    "checkout": "checkout",
}
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
    found = {
        title: invocation[name]
        for name, title in _FACTS.items()
        if invocation.get(name) is not None
    }
    if "memory" in found:
        found["memory"] = f"{found['memory'] / 2**30:.1f} GiB"
    if "usable cores" in found:
        found["usable cores"] = len(found["usable cores"])
    if "checkout" in found:
        dirty = " with changes" if found["checkout"].get("dirty") else ""
        found["checkout"] = f"{found['checkout'].get('commit')}{dirty}"
    return {name: str(value) for name, value in found.items()}


def environment_changes(before: Invocation, after: Invocation) -> pd.DataFrame:
    """List everything that differs between two invocations.

    First the system checks that only one invocation passes and the machine, then the options
    of backends, the datasets with digests of their puzzles, and the packages.
    """
    rows = [
        {"what": what, "before": old.get(what, ""), "after": new.get(what, "")}
        for part in (facts_of, _backends, _datasets, _packages)
        for old, new in [(part(before), part(after))]
        for what in dict.fromkeys([*old, *new])
        if old.get(what) != new.get(what)
    ]
    return ENVIRONMENT.frame([*_checks(before, after), *rows])


def _checks(before: Invocation, after: Invocation) -> Iterator[dict[str, str]]:
    for old, new in zip(system_checks.findings(before), system_checks.findings(after), strict=True):
        if {old.good, new.good} == {True, False}:
            yield {"what": old.subject, "before": old.found, "after": new.found}


def _backends(invocation: Invocation) -> dict[str, str]:
    found = {}
    for name, backend in (invocation.get("backends") or {}).items():
        for option, value in (backend.get("options") or {}).items():
            found[f"{name}, option {option}"] = str(value)
    for name, reason in (invocation.get("left_out") or {}).items():
        found[f"{name}, left out"] = str(reason)
    return found


def _datasets(invocation: Invocation) -> dict[str, str]:
    return {
        f"dataset {name}": (
            f"{dataset.get('puzzles')} puzzles, {str(dataset.get('sha256'))[:_DIGITS]}"
        )
        for name, dataset in (invocation.get("datasets") or {}).items()
    }


def _packages(invocation: Invocation) -> dict[str, str]:
    packages = invocation.get("packages") or {}
    return {f"package {name}": str(version) for name, version in packages.items()}
