"""Failures at a limit: chance makes none of them a regression, and a real increase is found."""

from typing import Any

import pandas as pd
import pytest

from harness.analysis.changes import LIMITS, limit_changes, status_changes
from harness.analysis.comparison import compare, pair_results
from harness.report.tables import comparison_tables as tables
from tests.trials import Trials


def changes(before: Any, after: Any, trials_of: Trials, **columns: Any) -> list[str]:
    """The changes of one instance, with the results of its repetitions in both runs."""
    comparison = compare(
        trials_of({"a": [before]}, **columns), trials_of({"a": [after]}, **columns)
    )
    return list(comparison.status["change"])


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ((1.0, 1.0, 1.0), ("timeout",) * 3, "new failure"),  # far, and not answered any more
        ((1.0, 1.0, 1.0), ("timeout", "timeout", 1.0), "new failure"),
        ((1.0, 1.0, 1.0), (1.0, "timeout", 1.0), "near the limit"),  # a minority
        ((1.0, 1.0, 5.0), ("timeout",) * 3, "near the limit"),  # half of T before
        ((1.0, 1.0, 4.99), ("timeout",) * 3, "new failure"),
        ((1.0, "timeout", 1.0), ("timeout",) * 3, "near the limit"),  # failed in part before
        ((1.0, 1.0, 1.0), ("unknown",) * 3, "gave up"),  # at any time, by chance
        ((9.0, 1.0, 1.0), ("unknown", 1.0, 1.0), "gave up"),
        ((9.0, 9.0, 9.0), (9.0, 9.0, "crashed"), "new failure"),  # a crash always is
        ((9.0, "timeout", 9.0), ("timeout", "crashed", 9.0), "new failure"),
        (("timeout",) * 3, ("timeout", "timeout", "crashed"), "new failure"),
        ((9.0, 9.0, 9.0), (9.0, 9.0, "unsupported"), "new failure"),
        ((9.0, 9.0, 9.0), (9.0, 9.0, "wrong"), "now wrong"),
        (("timeout",) * 3, ("unknown",) * 3, ""),  # as before
        (("crashed",) * 3, ("timeout",) * 3, ""),
        (("timeout", 1.0, 1.0), (1.0, 1.0, "timeout"), ""),
        ((1.0, 1.0, 1.0), (9.0, 9.0, 9.0), ""),
        (("crashed", 1.0, 1.0), ("crashed", "crashed", 1.0), ""),
    ],
)
def test_a_failure_at_a_limit_is_new_only_far_from_it(
    trials_of: Trials, before: Any, after: Any, change: str
) -> None:
    assert changes(before, after, trials_of) == ([change] if change else [])


def test_lack_of_memory_is_a_limit_only_under_a_limit_of_memory(trials_of: Trials) -> None:
    failures = ("out_of_memory",) * 3
    near = {"memory_limit_mib": 100, "memory_bytes": 60 * 2**20}
    assert changes((9.0,) * 3, failures, trials_of) == ["new failure"]
    assert changes((1.0,) * 3, failures, trials_of, **near) == ["near the limit"]
    # The time does not count where memory is the limit.
    far = near | {"memory_bytes": 40 * 2**20}
    assert changes((9.0,) * 3, failures, trials_of, **far) == ["new failure"]


def test_a_limit_of_cpu_time_counts_as_one_of_wall_time(trials_of: Trials) -> None:
    after = trials_of({"a": ["timeout"]})
    for cpu, change in ((0.6, "near the limit"), (0.4, "new failure")):
        limits = {"cpu_limit_s": 1.0, "cpu_s": cpu}
        before = trials_of({"a": [1.0]}, **limits)
        comparison = compare(before, after.assign(cpu_limit_s=1.0))
        assert list(comparison.status["change"]) == [change]


def test_more_failures_at_the_limit_are_a_regression_from_eight(trials_of: Trials) -> None:
    for number, is_worse in ((7, False), (8, True)):
        before = trials_of({"a": [9.0] * 30})
        after = trials_of({"a": ["timeout"] * number + [9.0] * (30 - number)})
        comparison = compare(before, after)
        (row,) = comparison.limits.to_dict("records")
        change = "more failures at the limit" if is_worse else "near the limit"
        assert set(comparison.status["change"]) == {change}
        assert comparison.regressed == is_worse
        assert f"{number} {change}" in tables.verdict(comparison)
        assert pd.isna(row["p"]) != is_worse
        texts = [note.text for note in LIMITS.notes(comparison.limits)]
        assert any("too few for a significant change" in text for text in texts) != is_worse
        back = compare(after, before)
        assert not back.regressed
        assert set(back.status["change"]) == {"fixed"}
        assert (back.limits["change"] == "fewer failures at the limit").all() == is_worse


def test_more_timeouts_of_an_unequal_machine_are_no_regression(trials_of: Trials) -> None:
    pairs, *_ = pair_results(trials_of({"a": [9.0] * 20}), trials_of({"a": ["timeout"] * 20}))
    limits = limit_changes(pairs, unequal=True)
    assert list(limits["change"]) == ["more failures at the limit, unequal machine"]
    status = status_changes(pairs, limits, unequal=True)
    assert set(status["change"]) == {"new timeout, unequal machine"}
    few = pairs.iloc[:5]
    limits = limit_changes(few, unequal=True)
    assert set(status_changes(few, limits, unequal=True)["change"]) == {"near the limit"}


def test_a_crash_in_both_runs_hides_no_timeout_that_was_far_from_the_limit(
    trials_of: Trials,
) -> None:
    before = trials_of({"a": [("crashed", 0.1, 0.1, 0.1)]})
    before["wall_s"] = 0.1  # the crash was soon, too
    after = trials_of({"a": [("crashed", "timeout", 0.1, 0.1)]})
    (row,) = compare(before, after).status.to_dict("records")
    assert (row["change"], row["failed_after"], row["after"]) == ("new failure", 2, "crashed")


def test_the_note_has_the_number_of_changed_instances(trials_of: Trials) -> None:
    first: list[Any] = ["timeout"] * 2 + [9.0] * 15
    second: list[Any] = [9.0] * 14 + ["timeout"] * 3
    comparison = compare(trials_of({"a": first}), trials_of({"a": second}))
    _, few = LIMITS.notes(comparison.limits)
    assert {name: value for name, (_, value) in few.values.items()} == {"most": 5, "least": 8}


def test_rows_with_more_failures_come_first(trials_of: Trials) -> None:
    def times(failures: int) -> list[Any]:
        return ["timeout"] * failures + [9.0] * (30 - failures)

    before = {"a": times(0), "b": times(20), "c": times(0), "d": times(0), "e": times(1)}
    after = {"a": times(3), "b": times(0), "c": times(12), "d": times(20), "e": times(0)}
    comparison = compare(trials_of(before), trials_of(after)).limits
    assert list(comparison["backend"]) == ["d", "c", "b", "a", "e"]
