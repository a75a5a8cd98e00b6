"""Differences in the environment of two runs."""

from typing import Any

import msgspec

from harness.analysis.conditions import ENVIRONMENT, environment_changes, facts_of
from harness.records.environment import Invocation

RECORD: dict[str, Any] = {
    "system": {
        "host": "here",
        "memory_bytes": 8 * 2**30,
        "usable_cores": [0, 1],
        "load_average": [0.1, 0.2, 0.3],
        "governor": "performance",
    },
    "python": "3.11.7",
    "checkout": {"commit": "abc", "dirty": False},
    "packages": {"ortools": "9.14", "pandas": "3.0"},
    "backends": {"cnf": {"options": {"solver": "minicard", "reuse": False}, "versions": {}}},
    "datasets": {"seeds": {"puzzles": 6, "sha256": "0123456789abcdef"}},
    "left_out": {},
}
INVOCATION = msgspec.convert(RECORD, Invocation)


def changes(system: dict[str, Any] | None = None, **after: Any) -> list[tuple[str, str, str]]:
    """The differences after these changes of the record."""
    changed = RECORD | after | {"system": RECORD["system"] | (system or {})}
    later = msgspec.convert(changed, Invocation)
    return [tuple(row) for row in environment_changes(INVOCATION, later).to_numpy()]


def test_an_invocation_does_not_differ_from_itself() -> None:
    found = environment_changes(INVOCATION, INVOCATION)
    assert found.empty
    assert dict(found.dtypes.astype(str)) == ENVIRONMENT.dtypes


def test_every_difference_is_listed_the_machine_first() -> None:
    after: dict[str, Any] = {
        "system": {
            "host": "there",
            "memory_bytes": 16 * 2**30,
            "usable_cores": [0, 1, 2],
            "governor": "powersave",
        },
        "checkout": {"commit": "abc", "dirty": True},
        "packages": {"ortools": "9.15", "pandas": "3.0", "numba": "0.61"},
        "backends": {"cnf": {"options": {"solver": "glucose4", "reuse": False}, "versions": {}}},
        "datasets": {"seeds": {"puzzles": 6, "sha256": "f" * 64}},
        "left_out": {"cplex": "no licence"},
    }
    assert changes(**after) == [
        ("governor", "performance", "powersave"),
        ("machine", "here", "there"),
        ("usable cores", "2", "3"),
        ("memory", "8.0 GiB", "16.0 GiB"),
        ("checkout", "abc", "abc with changes"),
        ("cnf, option solver", "minicard", "glucose4"),
        ("cplex, left out", "", "no licence"),
        ("dataset seeds", "6 puzzles, 0123456789ab", "6 puzzles, ffffffffffff"),
        ("package ortools", "9.14", "9.15"),
        ("package numba", "", "0.61"),
    ]


def test_a_load_is_a_difference_only_if_one_fails_its_check() -> None:
    assert changes({"load_average": [0.4, 0, 0]}) == []
    assert changes({"load_average": [3, 0, 0]}) == [
        ("load", "0.10 over the last minute", "3.00 over the last minute")
    ]


def test_a_run_without_a_record_differs_in_everything() -> None:
    rows = environment_changes(Invocation(), INVOCATION)
    assert set(rows["before"]) == {""}
    assert {"machine", "package pandas"} <= set(rows["what"])
    assert environment_changes(Invocation(), Invocation()).empty


def test_only_recorded_facts_are_facts() -> None:
    assert facts_of(Invocation(jobs=4))["jobs"] == "4"
    assert "jobs" not in facts_of(Invocation())
