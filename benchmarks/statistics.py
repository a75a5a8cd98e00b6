"""How often tests and intervals are right, by simulation: the tables of docs/statistics.md.

python -m benchmarks.statistics [SIMULATIONS]
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from pathlib import Path

import numpy as np

import harness
from benchmarks.records import put_record
from harness.analysis import compare_pairs
from harness.analysis.measures import ComparisonGroup, Floats, results_of
from harness.analysis.measures import columns as col
from harness.analysis.measures.inference import Criterion, mean_interval, process_error

SIMULATIONS = 1000
REFERENCE = Path(__file__).parents[1] / "results" / "reference"
LEAST_MEASURED = 30
MEASURED_TIMES = 4
"""Simulations of measured pairs, as a multiple of those of the other rows."""
LIMIT_S = 10.0
KEY = dict.fromkeys(col.COMPARISON_GROUP, "") | {
    "timeout_s": LIMIT_S,
    "cpu_limit_s": 0.0,
    "time": "wall",
}

Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]
NOISE: dict[str, Draw] = {
    "normal": lambda r, shape: r.normal(0, 0.3, shape),
    "heavy tails": lambda r, shape: 0.2 * r.standard_t(3, shape),
    "skewed": lambda r, shape: r.exponential(0.3, shape),
    "ties": lambda r, shape: np.round(r.normal(0, 0.3, shape), 1),
    "one in ten fails": lambda r, shape: np.where(
        r.random(shape) < 0.1, np.inf, r.normal(0, 0.3, shape)
    ),
}
"""The noise of the logarithm of a time, the same for all backends."""

SAMPLES: dict[str, tuple[Draw, float]] = {
    "normal": (lambda r, shape: r.normal(0, 1, shape), 0),
    "uniform": (lambda r, shape: r.random(shape), 0.5),
    "two peaks": (
        lambda r, shape: r.choice([-1.0, 1.0], shape) + r.normal(0, 0.2, shape),
        0,
    ),
    "heavy tails (t, 3)": (lambda r, shape: r.standard_t(3, shape), 0),
    "exponential": (lambda r, shape: r.exponential(1, shape), 1),
    "lognormal": (lambda r, shape: np.exp(r.normal(0, 1, shape)), float(np.exp(0.5))),
    "one in seven far away": (
        lambda r, shape: np.where(
            r.random(shape) < 1 / 7, r.normal(2, 0.5, shape), r.normal(0, 0.05, shape)
        ),
        2 / 7,
    ),
}
"""Distributions of the logarithm of a factor between two backends, each with its mean."""


def group_of(
    random: np.random.Generator, factors: Sequence[float], n: int, noise: Draw
) -> ComparisonGroup:
    """Simulated times of backends with these factors on n instances; those over T fail."""
    base = random.normal(-5, 1, (n, 1))
    logs = base + np.log(factors) + noise(random, (n, len(factors)))
    time = np.minimum(np.exp(logs), LIMIT_S)
    names = tuple(f"b{number}" for number in range(len(factors)))
    puzzles = np.array([f"p{number}" for number in range(n)], dtype=object)
    wrong = np.zeros(len(factors), dtype=np.int64)
    sizes = np.ones(n, dtype=np.int64)
    answered = time < LIMIT_S
    return ComparisonGroup(
        *(KEY, names, puzzles, time, answered, wrong),
        left_out=0,
        limit_s=LIMIT_S,
        run_on=wrong + n,
        sizes=sizes,
    )


def shares_different(
    factors: Sequence[float], n: int, noise: Draw, simulations: int
) -> tuple[float, float]:
    """The shares of simulated runs with a significant and with a reported difference."""
    random = np.random.default_rng(n)
    pairs = list(combinations(range(len(factors)), 2))
    significant = different = 0
    for _ in range(simulations):
        rows = compare_pairs(group_of(random, factors, n, noise), pairs, intervals=False)
        significant += any(row["p_holm"] < 0.01 for row in rows)
        different += any(row["different"] for row in rows)
    return significant / simulations, different / simulations


def false_positives(simulations: int) -> Iterator[str]:
    """A table of the runs of equal backends in which some pair differs."""
    sizes = (12, 30, 100)
    yield "| noise | backends | " + " | ".join(f"n = {n}" for n in sizes) + " |"
    yield "|---|---:|" + "---:|" * len(sizes)
    for name, noise in NOISE.items():
        for backends in (2, 3, 6):
            shares = [shares_different([1.0] * backends, n, noise, simulations) for n in sizes]
            cells = [f"{share(a)} ({share(b)})" for a, b in shares]
            yield f"| {name} | {backends} | {' | '.join(cells)} |"


def power(simulations: int) -> Iterator[str]:
    """A table of the runs of two backends with a true factor in which it is found."""
    sizes = (10, 20, 50, 200)
    yield "| true factor | noise | " + " | ".join(f"n = {n}" for n in sizes) + " |"
    yield "|---:|---|" + "---:|" * len(sizes)
    for factor in (1.1, 1.2, 1.5, 2.0):
        for name in ("normal", "heavy tails", "one in ten fails"):
            shares = [
                shares_different([1.0, factor], n, NOISE[name], simulations)[1] for n in sizes
            ]
            yield f"| {factor:g} | {name} | {' | '.join(map(share, shares))} |"


def coverage(simulations: int) -> Iterator[str]:
    """A table of the intervals that contain the true mean."""
    sizes = (8, 10, 15, 20, 30, 50, 100)
    yield "| logarithms | " + " | ".join(f"n = {n}" for n in sizes) + " |"
    yield "|---|" + "---:|" * len(sizes)
    for name, (draw, mean) in SAMPLES.items():
        cells = []
        for n in sizes:
            low, high = mean_interval(draw(np.random.default_rng(n), (n, simulations)))
            cells.append(share(float(((low <= mean) & (mean <= high)).mean())))
        yield f"| {name} | {' | '.join(cells)} |"
    pairs = measured_pairs()
    cells = [share(coverage_of_measured(pairs, n, simulations)) for n in sizes]
    yield f"| {len(pairs)} measured pairs | {' | '.join(cells)} |"


def measured_pairs() -> list[Floats]:
    """The logarithms of the ratios of times of each pair of backends in results/reference.

    Pairs with fewer than 30 instances with right answers of both are left out.
    """
    results = results_of(harness.load(REFERENCE).trials)
    results = results[results["right"] == results["trials"]]
    logarithms = []
    for _, group in results.groupby(col.COMPARISON_GROUP, dropna=False, observed=True):
        times = group.pivot(index="puzzle_id", columns="backend", values="time_s")
        for first, second in combinations(times, 2):
            ratios = (times[first] / times[second]).dropna()
            logs = np.log(ratios.to_numpy(np.float64))
            if len(logs) >= LEAST_MEASURED:
                logarithms.append(logs)
    return logarithms


def coverage_of_measured(pairs: Sequence[Floats], n: int, simulations: int) -> float:
    """The share of intervals with the true mean if n instances are drawn from those of a pair."""
    random = np.random.default_rng(n)
    each = max(1, simulations // len(pairs)) * MEASURED_TIMES
    held = []
    for logs in pairs:
        low, high = mean_interval(random.choice(logs, (n, each)))
        held.append(float(((low <= logs.mean()) & (logs.mean() <= high)).mean()))
    return float(np.mean(held))


def processes(simulations: int) -> Iterator[str]:
    """A table of the intervals that contain the true factor, and of false positives.

    Equal backends; the logarithms of their ratios differ with a standard deviation of 0.3 between
    instances, of 0.07 between trials, and between processes as the column says.
    """
    spreads = (0.0, 0.01, 0.03, 0.1)
    columns = " | ".join(f"{spread:.0%}" for spread in spreads)
    yield f"| instances | processes | repetitions | {columns} |"
    yield "|---:|---:|---:|" + "---:|" * len(spreads)
    for instances, number in product((30, 200), (5, 10)):
        for repeat in (1, 2, number):
            cells = [
                cell_of_processes(instances, number, repeat, spread, simulations)
                for spread in spreads
            ]
            yield f"| {instances} | {number} | {repeat} | {' | '.join(cells)} |"


def cell_of_processes(
    instances: int, number: int, repeat: int, spread: float, simulations: int
) -> str:
    """Coverage and false positives with the error of processes, and in brackets without."""
    random = np.random.default_rng(number * instances)
    shape = (number, instances)
    logs, errors = [], []
    for _ in range(simulations):
        level = random.normal(0, 0.3, instances) + random.normal(0, 0.07, shape)
        level += random.normal(0, spread * np.sqrt(2), (number, 1))
        has_trial = np.zeros(shape, dtype=bool)
        for repetition in range(repeat):
            for place, at in enumerate(random.permutation(instances), repetition * instances):
                has_trial[place * number // (repeat * instances), at] = True
        level[~has_trial] = np.nan
        logs.append(np.nanmedian(level, axis=0))
        errors.append(process_error(level))
    texts = []
    for known in (errors, ()):
        rows = [{"factor": float(np.exp(ratios.mean()))} for ratios in logs]
        criterion = Criterion(least_factor=1.0)
        criterion.add_intervals(rows, logs, known, power=False)
        criterion.judge(rows, logs, known)
        covered = sum(row["factor_low"] <= 1 <= row["factor_high"] for row in rows)
        significant = sum(row["p"] < Criterion.ALPHA for row in rows)
        texts.append(f"{share(covered / simulations)}, {share(significant / simulations)}")
    return f"{texts[0]} ({texts[1]})"


def share(value: float) -> str:
    """A share as text: ``1.3 %``."""
    return f"{100 * value:.1f} %"


def tables(simulations: int) -> Iterator[str]:
    """All tables as lines of Markdown, with their titles."""
    yield "### False positives"
    yield ""
    yield from false_positives(simulations)
    yield ""
    yield "### Power"
    yield ""
    yield from power(simulations)
    yield ""
    yield "### Coverage of intervals"
    yield ""
    yield from coverage(simulations)
    yield ""
    yield "### Processes"
    yield ""
    yield from processes(simulations)


def main(simulations: int) -> None:
    """Print the tables and, with the full number of simulations, put them into the page."""
    lines = []
    for line in tables(simulations):
        lines.append(line)
        print(line, flush=True)
    if simulations == SIMULATIONS:
        put_record("statistics", "\n".join(lines) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SIMULATIONS)
