"""Averages of the backends of a comparison group."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from harness.analysis.ranking import AVERAGES, averages
from harness.analysis.results import results_of

Trials = Callable[..., pd.DataFrame]


def test_every_average_by_hand(trials_of: Trials) -> None:
    table = averages(results_of(trials_of({"a": [1.0, "timeout"], "b": [2.0, 4.0]})))
    assert list(table["backend"]) == ["b", "a"]
    assert table["par2_s"].tolist() == [3.0, 10.5]
    assert table["par10_s"].tolist() == [3.0, 50.5]
    assert table["par2_ratio"].tolist() == [1.0, 3.5]
    assert table["sgm_1ms_s"][1] == pytest.approx(np.sqrt(1.001 * 10.001) - 0.001)


def test_a_shift_that_decides_is_flagged(trials_of: Trials) -> None:
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


def test_the_titles_of_ratios_name_their_shifts() -> None:
    titles = {c.name: c.title for c in AVERAGES.columns if "_ratio" in c.name}
    assert titles == {
        "par2_ratio": "ratio",
        "sgm_100us_ratio": "at 0.1 ms",
        "sgm_1ms_ratio": "1 ms",
        "sgm_10ms_ratio": "10 ms",
    }
