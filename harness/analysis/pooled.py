"""Measure `pooled`: ranks over all datasets as one."""

from dataclasses import replace
from typing import Final

import pandas as pd

from harness.analysis.inference import DEFAULT, Criterion
from harness.analysis.measure import Scope, Source
from harness.analysis.ranks import RANKS, ranks


def pooled(results: pd.DataFrame, criterion: Criterion = DEFAULT) -> pd.DataFrame:
    """Rank the backends over all datasets pooled, each instance with the same weight.

    Ranks, points and groups are defined as in `ranks`. A puzzle that is in two datasets is
    two instances.
    """
    return ranks(results, criterion)


POOLED: Final = replace(
    RANKS, name="pooled", scope=Scope.POOLED, source=Source.POOLED_RESULTS, compute=pooled
)
