"""Statistics of the times of one backend, by hand and by scipy."""

import numpy as np
import pytest
import scipy

from harness.analysis.comparison_group import median, par, shifted_geometric_mean, time_statistics


def test_par_by_hand() -> None:
    time, answered = np.array([1.0, 2.0, 10.0]), np.array([True, True, False])
    assert par(time, answered, 10.0) == (1 + 2 + 20) / 3
    assert par(time, answered, 10.0, 10) == (1 + 2 + 100) / 3


def test_the_shifted_geometric_mean_by_hand_and_by_scipy() -> None:
    # (1 + 1) (7 + 1) = 16, its root 4, less the shift 3.
    assert shifted_geometric_mean(np.array([1.0, 7.0]), 1.0) == pytest.approx(3.0)
    times = np.random.default_rng(0).exponential(1, 50)
    assert shifted_geometric_mean(times, 0.5) == pytest.approx(scipy.stats.gmean(times + 0.5) - 0.5)
    assert shifted_geometric_mean(times, 0.0) == pytest.approx(scipy.stats.gmean(times))


def test_a_median_among_failures_is_a_bound() -> None:
    time = np.array([1.0, 2.0, 10.0, 10.0])
    assert median(time[:3], np.array([True, True, False])) == (2.0, False)
    assert median(time, np.array([True, True, False, False])) == (6.0, True)


def test_no_times_have_no_statistics() -> None:
    found = time_statistics(np.array([]), np.array([], dtype=bool), 10.0)
    assert (found["instances"], found["answered"]) == (0, 0)
    assert all(np.isnan(found[name]) for name in ("median_s", "par2_s", "sgm_1ms_s"))
