"""Analysis of runs: measures of their results, comparisons and agreement.

Each measure is a `measure.Measure` beside its function; `measure.MEASURES` finds them all.
A measure is computed from a frame of trials, with one row for each trial, or from a frame of
results, with one row for each backend and instance of a comparison group.
"""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
