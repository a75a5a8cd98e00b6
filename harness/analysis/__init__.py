"""Analysis of runs: measures of their results, comparisons and agreement.

Each measure is a `measure.Measure` in a file of its own; `measures.MEASURES` lists them all.
A measure is computed from a frame of trials, with one row for each trial, or from a frame of
results, with one row for each backend and instance of a comparison group.
"""

from harness.analysis.agreement import Agreement, Disagreement, agreement
from harness.analysis.comparison import Comparison, compare
from harness.analysis.measure import Measure, MeasureColumn
from harness.analysis.measures import MEASURES
from harness.analysis.run import Run, load

__all__ = [
    "MEASURES",
    "Agreement",
    "Comparison",
    "Disagreement",
    "Measure",
    "MeasureColumn",
    "Run",
    "agreement",
    "compare",
    "load",
]
