"""The noise of a machine: differences between copies of one backend.

Copies are equal, so every difference that a report or a comparison of them shows is false.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Final

import numpy as np

from harness.analysis.changes import Change
from harness.analysis.measures import Floats
from harness.analysis.run import Run

RESOLVED: Final = 0.95
"""The share of the factors between copies that is below the resolution."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The factors between copies, and how many comparisons report a difference."""

    json_keys: ClassVar = ("comparisons", "false", "unequal", "resolution", "largest")

    factors: Floats
    """The larger time over the smaller one, shape (n,), each 1 or more."""
    comparisons: int
    """Number of runs, or of pairs of runs, with all their copies."""
    false: int
    """How many of the comparisons find a difference."""
    unequal: int = 0
    """How many of them find a difference and attribute it to the machine."""

    @property
    def resolution(self) -> float:
        """The factor that 95 % of the factors between copies do not exceed."""
        return float(np.quantile(self.factors, RESOLVED)) if self.factors.size else float("nan")

    @property
    def largest(self) -> float:
        """The largest factor between copies."""
        return float(self.factors.max()) if self.factors.size else float("nan")


@dataclass(frozen=True, slots=True)
class Noise:
    """Differences between copies of one backend."""

    backend: str
    """The backend that was copied."""
    instances: int
    """The smallest number of instances or calls in a comparison."""
    within: Spread
    """Differences between the copies of a run."""
    between: Spread
    """Differences between each run and the next one."""


def noise(backend: str, runs: Sequence[Run]) -> Noise:
    """The differences between copies of one backend in runs of the same sweep.

    Args:
        backend: the backend.
        runs: two runs or more, in the order in which they were measured.
    """
    tables = [run.pairwise() for run in runs]
    comparisons = [before.compare(after) for before, after in pairwise(runs)]
    changes = [set(comparison.times["change"]) for comparison in comparisons]
    return Noise(
        backend=backend,
        instances=int(min(table["instances"].min() for table in tables)),
        within=Spread(
            factors=_sizes([table["factor"].to_numpy(dtype=np.float64) for table in tables]),
            comparisons=len(runs),
            false=sum(bool(table["different"].any()) for table in tables),
        ),
        between=Spread(
            factors=_sizes([c.times["factor"].to_numpy(dtype=np.float64) for c in comparisons]),
            comparisons=len(comparisons),
            false=sum(bool(kinds & {Change.SLOWER, Change.FASTER}) for kinds in changes),
            unequal=sum(
                bool(kinds & {Change.SLOWER_UNEQUAL, Change.FASTER_UNEQUAL}) for kinds in changes
            ),
        ),
    )


def _sizes(factors: Sequence[Floats]) -> Floats:
    """Factors in either direction as factors of 1 or more."""
    values = np.concatenate(factors)
    sizes: Floats = np.maximum(values, 1 / values)
    return sizes
