"""The noise between copies, on trials of known times."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.analysis.resolution import noise
from harness.analysis.run import Run
from harness.records.folder.environment import Activity, Invocation
from tests.trials import Trials


def run_of(trials: pd.DataFrame) -> Run:
    return Run(Path("run"), trials)


def test_the_spread_of_copies_by_hand(trials_of: Trials) -> None:
    base = list(np.exp(np.random.default_rng(0).normal(-5, 1, 20)))
    equal = run_of(trials_of({"a": base, "b": base}))
    slower = run_of(trials_of({"a": [2 * t for t in base], "b": [1.05 * t for t in base]}))
    result = noise("native", [equal, slower, slower])
    assert result.instances == 20
    # Within a run: 1, then 2 / 1.05 twice.
    assert result.within.factors.tolist() == pytest.approx([1, 2 / 1.05, 2 / 1.05])
    assert (result.within.comparisons, result.within.false) == (3, 2)
    # Between runs: 2 and 1.05, then 1 and 1.
    assert sorted(result.between.factors) == pytest.approx([1, 1, 1.05, 2])
    assert (result.between.comparisons, result.between.false, result.between.unequal) == (2, 1, 0)
    assert result.between.largest == pytest.approx(2)
    assert result.between.resolution == pytest.approx(np.quantile([1, 1, 1.05, 2], 0.95))


def test_slower_cores_are_the_cause_and_not_the_copy(trials_of: Trials) -> None:
    base = list(np.exp(np.random.default_rng(0).normal(-5, 1, 20)))
    before = run_of(trials_of({"a": base}))
    after = run_of(trials_of({"a": [1.3 * t for t in base]}))
    for run, seconds in ((before, 1e-4), (after, 1.2e-4)):
        activity = Activity(seconds=2.0, calibration_s=seconds)
        run.__dict__["invocations"] = [Invocation(activity=activity)]
    comparison = before.compare(after)
    assert comparison.times["change"].tolist() == ["slower, unequal machine"]
    assert [d.subject for d in comparison.unequal] == ["speed of the cores"]
    assert comparison.unequal[0].before == "100.0 µs for a fixed computation"
    assert not comparison.regressed
