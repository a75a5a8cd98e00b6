"""What a run means: every measure is a function of a frame that gives a frame.

`trials` has one row a trial, `instances` one a backend and puzzle of a comparison group;
all others are computed from these two.
"""

from harness.analysis.agreement import Disagreement, agreement
from harness.analysis.averages import averages
from harness.analysis.comparison import Comparison, compare
from harness.analysis.failures import failures
from harness.analysis.machines import across_machines, machine_factors, machines
from harness.analysis.pairwise import pairwise
from harness.analysis.portfolio import contributions
from harness.analysis.profiles import cactus, performance_profile
from harness.analysis.ranking import ranks
from harness.analysis.results import pooled, results_of
from harness.analysis.run import Run, load
from harness.analysis.scaling import by_difficulty, scaling
from harness.analysis.stability import stability
from harness.analysis.summary import summary
from harness.analysis.survival import survival
from harness.analysis.throughput import throughput

__all__ = [
    "Comparison",
    "Disagreement",
    "Run",
    "across_machines",
    "agreement",
    "averages",
    "by_difficulty",
    "cactus",
    "compare",
    "contributions",
    "failures",
    "load",
    "machine_factors",
    "machines",
    "pairwise",
    "performance_profile",
    "pooled",
    "ranks",
    "results_of",
    "scaling",
    "stability",
    "summary",
    "survival",
    "throughput",
]
