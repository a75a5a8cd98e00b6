"""False positives and power of the steps of `harness trend`, by simulation.

    python -m benchmarks.trend

Each series has 40 instances. All times of a run vary together from run to run, and each time
varies on its own: the two kinds of noise are given as standard deviations, in per cent.
"""

from typing import Final

import numpy as np

from harness.analysis.measures import Floats
from harness.extensions.page.trend_tables import steps_of

SERIES: Final = 1000
INSTANCES: Final = 40
RUNS: Final = (3, 5, 10, 20, 50)
NOISE: Final = ((0.01, 0.02), (0.03, 0.03), (0.05, 0.05), (0.1, 0.1))
"""Standard deviations between runs and of a single instance."""
FACTORS: Final = (1.1, 1.2, 1.5)


def series(random: np.random.Generator, runs: int, noise: tuple[float, float]) -> Floats:
    """Logarithms of the times of a configuration without a step."""
    between, single = noise
    hard = random.normal(-4, 1.5, (INSTANCES, 1))
    logs: Floats = hard + random.normal(0, single, (INSTANCES, runs))
    return logs + random.normal(0, between, runs)


def false_positives(runs: int, noise: tuple[float, float]) -> float:
    """The share of series without a step in which one is found."""
    random = np.random.default_rng(runs)
    return sum(bool(steps_of([series(random, runs, noise)])[0]) for _ in range(SERIES)) / SERIES


def power(runs: int, noise: tuple[float, float], factor: float) -> float:
    """The share of series with one step in which exactly this step is found."""
    random = np.random.default_rng(runs)
    number = 0
    for _ in range(SERIES):
        at = int(random.integers(1, runs))
        logs = series(random, runs, noise)
        logs[:, at:] += np.log(factor)
        number += [step.at for step in steps_of([logs])[0]] == [at]
    return number / SERIES


def main() -> None:
    """Print a row for each number of runs and kind of noise."""
    print(f"{'runs':>4} {'noise':>12} {'no step':>8} " + " ".join(f"{f:>6g}x" for f in FACTORS))
    for runs in RUNS:
        for noise in NOISE:
            powers = " ".join(f"{100 * power(runs, noise, factor):6.0f}%" for factor in FACTORS)
            name = " + ".join(f"{100 * part:g}" for part in noise)
            print(f"{runs:4} {name:>10} % {100 * false_positives(runs, noise):7.1f}% {powers}")


if __name__ == "__main__":
    main()
