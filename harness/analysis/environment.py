"""What else is different between two runs: machine, versions, options, puzzles."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pandas as pd

from harness.analysis.results import rows_frame
from harness.records import system_checks

SETTINGS_DTYPES: Final = dict.fromkeys(("what", "before", "after"), "string")

Call = Mapping[str, Any]
"""A call of a run as ``environment.json`` has it: ``Run.environment``."""

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
"""Of a digest."""


def facts_of(call: Call) -> dict[str, str]:
    """Machine and program of a call, in words; what was not recorded is left out."""
    found = {told: call[name] for name, told in _FACTS.items() if call.get(name) is not None}
    if "memory" in found:
        found["memory"] = f"{found['memory'] / 2**30:.1f} GiB"
    if "usable cores" in found:
        found["usable cores"] = len(found["usable cores"])
    if "checkout" in found:
        dirty = " with changes" if found["checkout"].get("dirty") else ""
        found["checkout"] = f"{found['checkout'].get('commit')}{dirty}"
    return {name: str(value) for name, value in found.items()}


def setting_changes(before: Call, after: Call) -> pd.DataFrame:
    """One row for each thing that is not the same in both calls.

    A time may have changed because of any of these. Columns `SETTINGS_DTYPES`,
    texts, ``""`` where a call has no such thing. First the machine, with what
    `harness.records.system_checks` finds good in one call alone, then the backends with
    their options, the datasets with digests of their puzzles, and the packages.
    """
    rows = [
        {"what": what, "before": old.get(what, ""), "after": new.get(what, "")}
        for part in (facts_of, _backends, _datasets, _packages)
        for old, new in [(part(before), part(after))]
        for what in dict.fromkeys([*old, *new])
        if old.get(what) != new.get(what)
    ]
    return rows_frame([*_fitness(before, after), *rows], SETTINGS_DTYPES)


def _fitness(before: Call, after: Call) -> Iterator[dict[str, str]]:
    for old, new in zip(system_checks.findings(before), system_checks.findings(after), strict=True):
        if {old.good, new.good} == {True, False}:
            yield {"what": old.subject, "before": old.found, "after": new.found}


def _backends(call: Call) -> dict[str, str]:
    found = {}
    for name, backend in (call.get("backends") or {}).items():
        for option, value in (backend.get("options") or {}).items():
            found[f"{name}, option {option}"] = str(value)
    for name, reason in (call.get("left_out") or {}).items():
        found[f"{name}, left out"] = str(reason)
    return found


def _datasets(call: Call) -> dict[str, str]:
    return {
        f"dataset {name}": f"{told.get('puzzles')} puzzles, {str(told.get('sha256'))[:_DIGITS]}"
        for name, told in (call.get("datasets") or {}).items()
    }


def _packages(call: Call) -> dict[str, str]:
    return {f"package {name}": str(v) for name, v in (call.get("packages") or {}).items()}
