"""Analysis of runs: measures of their results, comparisons and agreement.

Each measure is a `measure.Measure` beside its function; `measure.MEASURES` finds them all.
A measure is computed from a frame of trials, with one row for each trial, or from a frame of
results, with one row for each backend and instance of a comparison group.
"""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.analysis.changes import Change
    from harness.analysis.claims import (
        Agreement,
        Claim,
        ClaimSource,
        Disagreement,
        Failure,
        agreement,
        alike,
        claims_of,
        exact_claims,
    )
    from harness.analysis.comparison import Comparison
    from harness.analysis.completeness import CONFIGURATIONS, RunCompleteness
    from harness.analysis.conditions import (
        MACHINE_FACTS,
        Difference,
        TimeChoice,
        backends_by_choice,
        disturbances,
        facts_of,
        machine_differences,
    )
    from harness.analysis.curves import SQUARE, cactus, performance_profile, series_of
    from harness.analysis.difficulty import EVERY, feature_columns, parse_feature, with_features
    from harness.analysis.pairs import compare_pairs, pairwise
    from harness.analysis.resolution import Noise, Spread, noise
    from harness.analysis.run import Run, load
    from harness.analysis.summary import ORDER, command_of
    from harness.analysis.timing import UNSTABLE, spreads, usages

__all__ = [
    "CONFIGURATIONS",
    "EVERY",
    "MACHINE_FACTS",
    "ORDER",
    "SQUARE",
    "UNSTABLE",
    "Agreement",
    "Change",
    "Claim",
    "ClaimSource",
    "Comparison",
    "Difference",
    "Disagreement",
    "Failure",
    "Noise",
    "Run",
    "RunCompleteness",
    "Spread",
    "TimeChoice",
    "agreement",
    "alike",
    "backends_by_choice",
    "cactus",
    "claims_of",
    "command_of",
    "compare_pairs",
    "disturbances",
    "exact_claims",
    "facts_of",
    "feature_columns",
    "load",
    "machine_differences",
    "noise",
    "pairwise",
    "parse_feature",
    "performance_profile",
    "series_of",
    "spreads",
    "usages",
    "with_features",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
