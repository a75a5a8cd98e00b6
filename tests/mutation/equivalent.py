"""Mutants that no test can catch, each with the reason."""

from typing import Final

FEWER_STEPS: Final = "the result is that of enough steps, whatever their number"
NEVER_EQUAL: Final = "the two are never equal here"
NOT_USED: Final = "the value is replaced, or not used"
SAME_RESULT: Final = "slower, with the same result"

EQUIVALENT: Final[dict[str, str]] = {
    "harness/records/judge.py are_solutions: 2 for 1": "numpy takes any negative length as unknown",
    "harness/records/judge.py judge: len(reason) > LONGEST_DETAIL with another comparison": SAME_RESULT,
    "harness/analysis/limit_failures.py limit_changes: p < ALPHA with another comparison": NEVER_EQUAL,
    "harness/analysis/power.py module: 201 for 200": FEWER_STEPS,
    "harness/analysis/power.py module: 41 for 40": FEWER_STEPS,
    "harness/puzzles/shape.py _near_lengths: length < cells with another comparison": NEVER_EQUAL,
    "harness/analysis/results.py numbered: number * (len(uniques) + 1) + codes + 1 with another operator": SAME_RESULT,
    "harness/analysis/time_statistics.py statistics_of: 2 for 1": NOT_USED,
    "harness/contract/command.py Command._run: not True (2)": SAME_RESULT,
    "harness/analysis/scaling.py scaling: not False (2)": SAME_RESULT,
    "harness/analysis/disagreement.py disagreements: not True (2)": NOT_USED,
    "harness/analysis/pairs.py paired: 2 for 1": "any negative place means that there is no partner",
    "harness/analysis/by_difficulty.py by_difficulty: not False (2)": SAME_RESULT,
    "harness/analysis/comparison_group.py _sorted_codes: not False": SAME_RESULT,
    "harness/analysis/power.py detectable_factor: 1e-12 * max(1.0, float(np.abs(log_ratios).max())) with another operator": "far below any spread that is not rounding",
    "harness/records/judge.py _bits: 257 for 256": NOT_USED,
    "harness/analysis/claims.py claims_of: not True": NOT_USED,
    "harness/analysis/ranks.py groups_of: not False": SAME_RESULT,
    "harness/puzzles/candidates.py Candidates.__init__: 1 for 0": "no value has bit 0",
    "harness/puzzles/candidates.py Candidates.__init__: 1 for 0 (2)": "no value has bit 0",
    "harness/puzzles/catalogue.py _siblings: 1001 for 1000": FEWER_STEPS,
    "harness/analysis/power.py _legendre: 49 for 48": FEWER_STEPS,
    "harness/analysis/power.py detectable_factor: 1e-12 * mean_error with another operator": NOT_USED,
    "harness/analysis/steps.py _segmentations: 2 for 1 (3)": NOT_USED,
    "harness/puzzles/formats/grid.py _check_row: len(columns) < shape.size with another comparison": NEVER_EQUAL,
    "harness/puzzles/shape.py _near_lengths: 2 for 1": "no box has an area of 37",
    "harness/contract/cover.py CoverBackend.solve: 2 for 1": SAME_RESULT,
    "harness/contract/importing.py _built_in_package: without spec.loader.exec_module(package)": "the package has no code",
    "harness/contract/time_budget.py TimeBudget.allows_call: self._backend.time_limit > 0 with another comparison": NEVER_EQUAL,
    "harness/analysis/common_set.py _size: 2 for 1": "the last entry of a longer array is not used",
    "harness/analysis/power.py _critical_value: 3 for 2": "sums of ranks beyond a third are never that rare",
    "harness/analysis/ranks.py groups_of: 1 for 0": "neither number of instances can show a difference",
    "harness/analysis/survival.py restricted_mean: moments < horizon with another comparison": "a step at the horizon has no width",
    "harness/analysis/profiles.py _kept: count <= points with another comparison": SAME_RESULT,
    "harness/analysis/inference.py module: 13 for 12": "both are finer than any time and coarser than rounding",
    "harness/analysis/power.py detectable_factor: 2.0 for 1.0": "far below any spread that is not rounding",
    "harness/analysis/stability.py spreads: not False": "the measures of the rows have an order of their own",
    "harness/analysis/completeness.py of_run: table['missing'] > 0 with another comparison": SAME_RESULT,
    "harness/analysis/power.py detectable_factor: found < POWER with another comparison": NEVER_EQUAL,
    "harness/analysis/pairs.py _results_with_failures: 4 for 3": "only the order of the ranks counts",
    "harness/analysis/steps.py _segmentations: means - means.mean() with another operator": "a shift of all values changes no segmentation",
    "harness/analysis/inference.py share_interval: count < size with another comparison": "the end is 1, but for rounding",
    "harness/analysis/series.py series_of: len(run.hosts) > 1 with another comparison": SAME_RESULT,
    "harness/analysis/power.py detectable_factor: deviation <= 1e-12 * max(1.0, float(np.abs(log_ratios).max())) with another comparison": NEVER_EQUAL,
    "harness/analysis/results.py first_by_rank: 2 for 1": NEVER_EQUAL,
    "harness/analysis/inference.py _studentized_means: _CHUNK // n with another operator": SAME_RESULT,
    "harness/analysis/summary.py _times: 2 for 1": "only the first row is used",
}
