"""Times under different limits: Kaplan-Meier by hand."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from harness.analysis.curves import SURVIVAL, restricted_mean, survival
from harness.analysis.results import results_of

Trials = Callable[..., pd.DataFrame]


def test_with_one_limit_it_is_the_mean_with_failures_at_the_limit(trials_of: Trials) -> None:
    table = survival(results_of(trials_of({"a": [1.0, 4.0, "timeout"], "b": [2.0, 2.0, 2.0]})))
    assert table["rmst_s"].tolist() == [pytest.approx(5.0), pytest.approx(2.0)]
    assert table["share_open"].tolist() == [pytest.approx(1 / 3), 0.0]
    assert table["horizon_s"].tolist() == [10.0, 10.0]
    assert table["limits"].tolist() == [1, 1]


def test_kaplan_meier_by_hand() -> None:
    # At 1: 3/4 go on. At 2 one is censored, so at 3 one of two goes on: 3/8. At 5 none is.
    time, answered = np.array([1.0, 2.0, 3.0, 5.0]), np.array([True, False, True, True])
    mean, still_open = restricted_mean(time, answered, 5.0)
    assert mean == pytest.approx(1 * 1 + 2 * 3 / 4 + 2 * 3 / 8)
    assert still_open == 0.0
    mean, still_open = restricted_mean(time, answered, 4.0)
    assert mean == pytest.approx(1 * 1 + 2 * 3 / 4 + 1 * 3 / 8)
    assert still_open == pytest.approx(3 / 8)
    assert restricted_mean(time, answered, 0.5) == (0.5, 1.0)


def test_the_longest_limit_of_an_instance_counts_up_to_a_common_horizon(
    trials_of: Trials,
) -> None:
    short = trials_of({"a": ["timeout", "timeout"], "b": [0.5, "timeout"]}, timeout_s=1.0)
    long = trials_of({"a": [4.0, "timeout"]}, timeout_s=8.0)
    table = survival(results_of(pd.concat([short, long]))).set_index("backend")
    assert table["limits"].to_dict() == {"a": 2, "b": 1}
    assert table["answered"].to_dict() == {"a": 1, "b": 1}
    # b is known up to 1 s only, so the horizon is 1 s for both.
    assert table["horizon_s"].to_dict() == {"a": 1.0, "b": 1.0}
    assert table["rmst_s"].to_dict() == {"a": pytest.approx(1.0), "b": pytest.approx(0.75)}


def test_a_wrong_answer_under_any_limit_leaves_no_mean(trials_of: Trials) -> None:
    short = trials_of({"liar": ["wrong"], "a": [0.5]}, timeout_s=1.0)
    long = trials_of({"liar": [0.1]}, timeout_s=8.0)
    table = survival(results_of(pd.concat([short, long]))).set_index("backend")
    assert table.loc["liar", ["horizon_s", "rmst_s", "share_open"]].isna().all()
    assert table["rmst_s"]["a"] == pytest.approx(0.5)
    assert table["horizon_s"]["a"] == 1.0


def test_a_wrong_answer_under_two_limits_is_one_instance(trials_of: Trials) -> None:
    short = trials_of({"a": ["wrong", 1.0], "b": [1.0, 1.0]}, timeout_s=5.0)
    long = trials_of({"a": ["wrong", 1.0], "b": [1.0, 1.0]}, timeout_s=20.0)
    table = survival(results_of(pd.concat([short, long], ignore_index=True)))
    assert table.set_index("backend")["wrong"].to_dict() == {"a": 1, "b": 0}


def test_the_note_says_what_the_mean_is_restricted_to(trials_of: Trials) -> None:
    table = survival(results_of(trials_of({"a": [1.0], "b": [2.0]})))
    texts = [note.text for note in SURVIVAL.notes(table)]
    assert [text.split(":")[0] for text in texts] == ["RMST"]
