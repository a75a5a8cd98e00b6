"""What two runs do not have in common, and so is not compared."""

from collections.abc import Iterator
from typing import Any, Final

import pandas as pd

from harness.analysis.results import TRIAL_GROUP, with_trial_group
from harness.records.labels import without_folders

_NAMES: Final = {
    "backend": "backend",
    "dataset": "dataset",
    "scramble": "scramble",
    "task": "task",
    "limit": "limit of count",
    "start": "start",
    "timeout_s": "time limit",
    "cpu_limit_s": "CPU time limit",
    "memory_limit_mib": "memory limit",
    "host": "machine",
}
"""The parts of a result that must be equal, in words."""

_UNITS: Final = {"timeout_s": " s", "cpu_limit_s": " s", "memory_limit_mib": " MiB"}
_NO_LIMIT: Final = ("cpu_limit_s", "memory_limit_mib")
_MOST_VALUES: Final = 5
_LONGEST: Final = 60
"""Maximum number of characters of a value."""

assert set(_NAMES) == {"backend", *TRIAL_GROUP}


def differences(before: pd.DataFrame, after: pd.DataFrame) -> Iterator[str]:
    """A phrase for each part that has values in only one of two frames of trials.

    ``backend (cnf only in the first run)``. Instances are counted for each dataset that both
    runs have.
    """
    before, after = _results(before), _results(after)
    for name, title in _NAMES.items():
        sides = _only(before, after, name), _only(after, before, name)
        if any(sides):
            yield f"{title} ({_sides(name, *sides)})"
    instances = [set(zip(f["dataset"], f["puzzle_id"], strict=True)) for f in (before, after)]
    shared = set(before["dataset"]) & set(after["dataset"])
    for dataset in sorted(shared):
        numbers = [
            sum(name == dataset for name, _ in mine - theirs)
            for mine, theirs in (instances, reversed(instances))
        ]
        phrases = [
            f"{number:,} only in the {which} run"
            for number, which in zip(numbers, ("first", "second"), strict=True)
            if number
        ]
        if phrases:
            yield f"instances of {_value('dataset', dataset)} ({', '.join(phrases)})"


def nothing_in_common(before: pd.DataFrame, after: pd.DataFrame) -> str:
    """The parts without a common value, which are why no result is in both runs."""
    before, after = _results(before), _results(after)
    found = []
    for name, title in _NAMES.items():
        first, second = (sorted(set(frame[name].dropna())) for frame in (before, after))
        if first and second and not set(first) & set(second):
            found.append(f"{title} ({_values(name, first)} and {_values(name, second)})")
    if not set(before["puzzle_id"]) & set(after["puzzle_id"]):
        found.append("instances (no puzzle is in both)")
    return ", ".join(found) or "the combinations of their backends, instances and limits"


def _results(trials: pd.DataFrame) -> pd.DataFrame:
    columns = ["backend", *TRIAL_GROUP, "puzzle_id"]
    return with_trial_group(trials)[columns].drop_duplicates()


def _only(mine: pd.DataFrame, theirs: pd.DataFrame, name: str) -> list[Any]:
    return sorted(set(mine[name].dropna()) - set(theirs[name].dropna()))


def _sides(name: str, first: list[Any], second: list[Any]) -> str:
    parts = [
        f"{_values(name, values)} only in the {which} run"
        for values, which in ((first, "first"), (second, "second"))
        if values
    ]
    return ", ".join(parts)


def _values(name: str, values: list[Any]) -> str:
    shown = [_value(name, value) for value in values[:_MOST_VALUES]]
    further = len(values) - len(shown)
    return ", ".join(shown) + (f" and {further} more" if further else "")


def _value(name: str, value: Any) -> str:
    if name in (*_NO_LIMIT, "scramble") and not value:
        return "none"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    if name == "backend":
        text = without_folders(text)
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}..{text[-_LONGEST // 3 :]}"
    return f"{text}{_UNITS.get(name, '')}" if name != "host" or text else "an unknown machine"
