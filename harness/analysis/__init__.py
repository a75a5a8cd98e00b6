"""What a run means: measures of its results, comparisons of runs, and agreement.

A measure is a `measure.Measure`, one in a file; `measures.MEASURES` lists them. Each is a
function from a frame to a frame: of the trials, one row each, or of the results, one row
for each backend and instance of a comparison group.
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
