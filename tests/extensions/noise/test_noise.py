"""The noise between copies, on trials of known times."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.analysis.run import Run
from harness.extensions.noise.copies import noise
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
