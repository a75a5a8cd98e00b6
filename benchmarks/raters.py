"""How well raters agree: Kendall's tau of each pair, for docs/difficulty.md.

    python -m benchmarks.raters 17_CLUES MAGICTOUR

The arguments are files of two collections, one puzzle per line: Gordon Royle's 17-clue puzzles
and the 1465 puzzles of the site magictour. The sample is 360 puzzles of the shipped datasets
and the first 70 of each file. A rater of another package has `LIMIT_S` seconds for a puzzle; a
puzzle that takes longer has no rating. Intervals are 95 % percentile bootstrap intervals over
puzzles.
"""

import signal
import sys
from collections.abc import Iterator
from itertools import combinations
from multiprocessing import Pool
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau  # noqa: TID251

from benchmarks.inference import puzzle_lines
from benchmarks.records import put_record
from harness.base.errors import InputError
from harness.extensions.reasoning.raters import rater_named, rating_of
from harness.puzzles import Puzzle, load_dataset, parse_puzzle

RATERS: Final = (
    *("guesses", "hardest-rule", "level", "backdoor"),
    *("nodes-none", "nodes-naked", "nodes-hidden", "hodoku", "pencilmark"),
)
DATASETS: Final = ("easy", "medium", "minimal-low-clue", "hard")
OF_A_FILE: Final = 70
LIMIT_S: Final = 2.0
RESAMPLES: Final = 1000

Floats = npt.NDArray[np.float64]


class _Late(Exception):
    """A rating takes too long."""


def sample(files: list[Path]) -> Iterator[Puzzle]:
    """The puzzles of the datasets, and the first ones of each file."""
    for name in DATASETS:
        yield from (instance.puzzle for instance in load_dataset(name).instances)
    for file in files:
        yield from map(parse_puzzle, puzzle_lines(file)[:OF_A_FILE])


def ratings(puzzle: Puzzle) -> list[float]:
    """The rating of `puzzle` by each rater; NaN for a missing one."""
    return [_rating(name, puzzle) for name in RATERS]


def _rating(name: str, puzzle: Puzzle) -> float:
    rater = rater_named(name)
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S if rater.distributions else 0)
    try:
        rating = rating_of(rater, puzzle)
    except (_Late, InputError):
        rating = None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return float("nan") if rating is None else float(rating)


def _stop(*_: object) -> None:
    raise _Late


def tau(first: Floats, second: Floats) -> tuple[float, float, float]:
    """Kendall's tau-b of two columns, and the ends of its interval."""
    random = np.random.default_rng(0)
    drawn = (random.integers(0, len(first), len(first)) for _ in range(RESAMPLES))
    resampled = [kendalltau(first[rows], second[rows]).statistic for rows in drawn]
    low, high = np.nanpercentile(resampled, [2.5, 97.5])
    return float(kendalltau(first, second).statistic), float(low), float(high)


def table(ratings: Floats) -> str:
    """The table of all pairs, for puzzles that both raters rate."""
    missing = np.isnan(ratings)
    counts = ", ".join(
        f"`{name}` {len(ratings) - number}"
        for name, number in zip(RATERS, missing.sum(axis=0), strict=True)
    )
    rows = [
        f"Puzzles rated, of {len(ratings)}: {counts}.",
        "",
        "| | | puzzles | Kendall's tau | 95 % interval |",
        "|---|---|---|---|---|",
    ]
    for first, second in combinations(range(len(RATERS)), 2):
        both = ratings[~missing[:, first] & ~missing[:, second]]
        value, low, high = tau(both[:, first], both[:, second])
        rows.append(
            f"| `{RATERS[first]}` | `{RATERS[second]}` | {len(both)} | {value:.2f} | "
            f"{low:.2f} to {high:.2f} |"
        )
    return "\n".join(rows) + "\n"


def main(files: list[str]) -> None:
    """Rate the sample, and replace the table of the page."""
    puzzles = list(sample([Path(file) for file in files]))
    with Pool(2) as pool:
        every: Any = pool.map(ratings, puzzles, chunksize=5)
    text = table(np.array(every, dtype=np.float64))
    print(text)
    put_record("rater-agreement", text)


if __name__ == "__main__":
    main(sys.argv[1:])
