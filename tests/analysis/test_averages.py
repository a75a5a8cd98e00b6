"""Averages: by hand, and what the shift does."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy.stats import gmean

from harness.analysis.averages import averages, figures, median, par, shifted_geometric_mean
from harness.analysis.results import results_of

Trials = Callable[..., pd.DataFrame]


def test_par_by_hand() -> None:
    time, answered = np.array([1.0, 2.0, 10.0]), np.array([True, True, False])
    assert par(time, answered, 10.0) == (1 + 2 + 20) / 3
    assert par(time, answered, 10.0, 10) == (1 + 2 + 100) / 3


def test_the_shifted_geometric_mean_by_hand_and_by_scipy() -> None:
    # (1 + 1) (7 + 1) = 16, its root 4, less the shift 3.
    assert shifted_geometric_mean(np.array([1.0, 7.0]), 1.0) == pytest.approx(3.0)
    times = np.random.default_rng(0).exponential(1, 50)
    assert shifted_geometric_mean(times, 0.5) == pytest.approx(gmean(times + 0.5) - 0.5)
    assert shifted_geometric_mean(times, 0.0) == pytest.approx(gmean(times))


def test_a_median_among_failures_is_a_bound() -> None:
    time = np.array([1.0, 2.0, 10.0, 10.0])
    assert median(time[:3], np.array([True, True, False])) == (2.0, False)
    assert median(time, np.array([True, True, False, False])) == (6.0, True)


def test_of_nothing_there_is_no_figure() -> None:
    told = figures(np.array([]), np.array([], dtype=bool), 10.0)
    assert (told["instances"], told["answered"]) == (0, 0)
    assert all(np.isnan(told[name]) for name in ("median_s", "par2_s", "sgm_1ms_s"))


def test_all_averages_stand_beside_each_other(trials_of: Trials) -> None:
    table = averages(results_of(trials_of({"a": [1.0, "timeout"], "b": [2.0, 4.0]})))
    assert list(table["backend"]) == ["b", "a"]
    assert table["par2_s"].tolist() == [3.0, 10.5]
    assert table["par10_s"].tolist() == [3.0, 50.5]
    assert table["par2_ratio"].tolist() == [1.0, 3.5]
    assert table["sgm_1ms_s"][1] == pytest.approx(np.sqrt(1.001 * 10.001) - 0.001)


def test_it_is_told_where_the_shift_decides(trials_of: Trials) -> None:
    # a is 100 times faster where both are fast, b somewhat faster where both are slow.
    decides = {"a": [1e-5, 0.13], "b": [1e-3, 0.1]}
    table = averages(results_of(trials_of(decides)))
    assert table["order_differs"].all()
    ratios = table.set_index("backend")
    assert ratios["sgm_100us_ratio"]["a"] == 1.0
    assert ratios["sgm_10ms_ratio"]["b"] == 1.0
    clear = averages(results_of(trials_of({"a": [1e-5, 0.1], "b": [1e-3, 0.2]})))
    assert not clear["order_differs"].any()


def test_a_wrong_backend_has_no_average_and_sets_no_ratio(trials_of: Trials) -> None:
    table = averages(results_of(trials_of({"liar": [1e-6, "wrong"], "a": [1.0, 1.0]})))
    assert list(table["backend"]) == ["a", "liar"]
    assert table["par2_ratio"][0] == 1.0
    assert table.loc[1, ["par2_s", "sgm_1ms_s", "par2_ratio"]].isna().all()
    assert table["wrong"].tolist() == [0, 1]
