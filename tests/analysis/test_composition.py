"""What two runs do not have in common."""

from typing import Any

import pandas as pd
import pytest

from harness.analysis.comparison import compare, differences
from harness.base.errors import InputError
from tests.trials import Trials

ONE: dict[str, list[Any]] = {"a": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("part", "fact"),
    [
        (
            {"timeout_s": 20.0},
            "time limit (10 s only in the first run, 20 s only in the second run)",
        ),
        ({"memory_limit_mib": 100}, "memory limit (none only in the first run, 100 MiB only in "),
        ({"cpu_limit_s": 3.0}, "CPU time limit (none only in the first run, 3 s only in the "),
        ({"task": "count", "limit": 3}, "limit of count (3 only in the second run)"),
        ({"dataset": "e"}, "dataset (d only in the first run, e only in the second run)"),
        ({"puzzle_id": lambda n: f"q{n}"}, "instances of d (2 only in the first run, 2 only in "),
        ({"timeout_s": 20.0, "start": "warm"}, "start (cold only in the first run, warm only in "),
    ],
)
def test_runs_that_differ_in_one_part_report_that_this_is_the_cause(
    trials_of: Trials, part: dict[str, Any], fact: str
) -> None:
    with pytest.raises(InputError) as error:
        compare(trials_of(ONE), trials_of(ONE, **part))
    assert error.value.what.startswith("nothing can be compared: the runs differ in ")
    assert fact in error.value.what


def test_runs_that_share_every_part_but_no_result_differ_in_combinations(trials_of: Trials) -> None:
    runs = [
        pd.concat([trials_of({"a": [1.0]}, dataset=x), trials_of({"b": [1.0]}, dataset=y)])
        for x, y in (("d", "e"), ("e", "d"))
    ]
    with pytest.raises(InputError, match="the combinations of their parts"):
        compare(*runs)


def test_a_comparison_of_all_results_is_not_partial(trials_of: Trials) -> None:
    assert compare(trials_of(ONE), trials_of(ONE)).partial == ()


def test_a_partial_comparison_states_what_each_run_has_alone(trials_of: Trials) -> None:
    before = pd.concat(
        [
            trials_of({"a": [1.0, 2.0, 3.0], "old": [1.0]}),
            trials_of(ONE, start="warm"),
            trials_of({"a": [1.0]}, dataset="e"),
        ]
    )
    after = trials_of({"a": [1.0, 2.0, None, 4.0, 5.0], "new": [1.0]})
    comparison = compare(before, after)
    assert comparison.partial[:2] == (
        "5 results are only in the first run",
        "3 results are only in the second run",
    )
    assert comparison.partial[2] == (
        "the runs differ in backend (old only in the first run, new only in the second run); "
        "dataset (e only in the first run); start (warm only in the first run); "
        "instances of d (1 only in the first run, 2 only in the second run)"
    )


def test_long_values_are_shortened_to_60_characters(trials_of: Trials) -> None:
    for name, text in (("x" * 60, "x" * 60), ("x" * 31 + "y" * 30, f"{'x' * 30}..{'y' * 20}")):
        with pytest.raises(InputError) as error:
            compare(trials_of(ONE), trials_of(ONE, dataset=name))
        assert f"{text} only in the second run" in str(error.value)


def test_a_machine_without_a_name_is_unknown(trials_of: Trials) -> None:
    without_host, with_host = trials_of(ONE, host=""), trials_of(ONE, host="box")
    both = pd.concat([without_host, with_host], ignore_index=True)
    for other, machine in ((without_host, "box"), (with_host, "an unknown machine")):
        assert f"machine ({machine} only in the first run)" in list(differences(both, other))
