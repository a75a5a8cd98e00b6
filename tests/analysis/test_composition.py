"""What two runs do not have in common."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from harness.analysis.comparison import compare, differences
from harness.base.errors import InputError

Trials = Callable[..., pd.DataFrame]

ONE: dict[str, list[Any]] = {"a": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("part", "fact"),
    [
        ({"timeout_s": 20.0}, "time limit (10 s and 20 s)"),
        ({"memory_limit_mib": 100}, "memory limit (none and 100 MiB)"),
        ({"cpu_limit_s": 3.0}, "CPU time limit (none and 3 s)"),
        ({"dataset": "e"}, "dataset (d and e)"),
        ({"puzzle_id": lambda n: f"q{n}"}, "instances (no puzzle is in both)"),
        (
            {"timeout_s": 20.0, "start": "warm"},
            "start (cold and warm), time limit (10 s and 20 s)",
        ),
    ],
)
def test_runs_that_differ_in_one_part_report_that_this_is_the_cause(
    trials_of: Trials, part: dict[str, Any], fact: str
) -> None:
    with pytest.raises(InputError) as error:
        compare(trials_of(ONE), trials_of(ONE, **part))
    assert error.value.what == f"nothing can be compared: the runs differ in {fact}"


def test_limits_of_count_are_a_part(trials_of: Trials) -> None:
    runs = [trials_of(ONE, task="count", limit=limit) for limit in (2, 3)]
    with pytest.raises(InputError, match=r"limit of count \(2 and 3\)"):
        compare(*runs)


def test_runs_that_share_every_part_but_no_result_differ_in_combinations(
    trials_of: Trials,
) -> None:
    runs = [
        pd.concat([trials_of({"a": [1.0]}, dataset=x), trials_of({"b": [1.0]}, dataset=y)])
        for x, y in (("d", "e"), ("e", "d"))
    ]
    with pytest.raises(InputError, match="the combinations of their backends"):
        compare(*runs)


def test_instances_are_counted_only_for_datasets_of_both_runs(trials_of: Trials) -> None:
    first = pd.concat([trials_of(ONE), trials_of({"a": [1.0]}, dataset="e")])
    second = trials_of({"a": [1.0]})
    assert list(differences(first, second)) == [
        "dataset (e only in the first run)",
        "instances of d (1 only in the first run)",
    ]


def test_a_comparison_of_all_results_is_not_partial(trials_of: Trials) -> None:
    assert compare(trials_of(ONE), trials_of(ONE)).partial == ()


def test_a_partial_comparison_states_what_each_run_has_alone(trials_of: Trials) -> None:
    before = pd.concat(
        [trials_of({"a": [1.0, 2.0, 3.0], "old": [1.0]}), trials_of(ONE, start="warm")]
    )
    after = trials_of({"a": [1.0, 2.0, None, 4.0, 5.0], "new": [1.0]})
    comparison = compare(before, after)
    assert comparison.partial[:2] == (
        "4 results are only in the first run",
        "3 results are only in the second run",
    )
    assert comparison.partial[2] == (
        "the runs differ in backend (old only in the first run, new only in the second run); "
        "start (warm only in the first run); "
        "instances of d (1 only in the first run, 2 only in the second run)"
    )


def test_long_values_are_shortened_to_60_characters(trials_of: Trials) -> None:
    for name, text in (("x" * 60, "x" * 60), ("x" * 31 + "y" * 30, f"{'x' * 30}..{'y' * 20}")):
        with pytest.raises(InputError) as error:
            compare(trials_of(ONE), trials_of(ONE, dataset=name))
        assert f"dataset (d and {text})" in str(error.value)


def test_a_machine_without_a_name_is_unknown(trials_of: Trials) -> None:
    without_host, with_host = trials_of(ONE, host=""), trials_of(ONE, host="box")
    both = pd.concat([without_host, with_host], ignore_index=True)
    for other, machine in ((without_host, "box"), (with_host, "an unknown machine")):
        assert f"machine ({machine} only in the first run)" in list(differences(both, other))
