"""Nodes to the first solution at three levels of inference, for docs/difficulty.md.

    python -m benchmarks.inference 17_CLUES MAGICTOUR

The arguments are files of two collections, one puzzle per line: Gordon Royle's 17-clue puzzles
and the 1465 puzzles of the site magictour. The sample is the first `OF_17_CLUES` puzzles of the
first file and all puzzles of the second. A search that reaches the node limit counts as more
nodes than any other, so the median stays exact while fewer than half of the searches reach the
limit. The interval of a median is between two order statistics.
"""

import sys
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from statistics import fmean, median
from typing import Final

from scipy.stats import binom  # noqa: TID251

from benchmarks.records import put_record
from harness.extensions.reasoning.board import Rule
from harness.extensions.reasoning.rating import HIDDEN, NAKED, NO_RULES, nodes_of
from harness.puzzles import parse_puzzle

OF_17_CLUES: Final = 200
LEVELS: Final = {"none": NO_RULES, "naked singles": NAKED, "naked and hidden singles": HIDDEN}


def puzzle_lines(file: Path) -> list[str]:
    """The puzzles of a file with one per line, without its comments."""
    lines = map(str.strip, file.read_text().splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def nodes(line: str, rules: tuple[Rule, ...]) -> float:
    """The nodes to the first solution of a puzzle line; infinite at the node limit."""
    number = nodes_of(parse_puzzle(line), rules)
    return float("inf") if number is None else float(number)


def row(collection: str, level: str, numbers: list[float]) -> str:
    """The row of a collection at a level."""
    numbers = sorted(numbers)
    low = int(binom.ppf(0.025, len(numbers), 0.5))
    first, last = numbers[low], numbers[len(numbers) - 1 - low]
    ended = [number for number in numbers if number < float("inf")]
    return (
        f"| {collection} | {len(numbers):,} | {level} | {median(numbers):,.0f} "
        f"| {first:,.0f} to {last:,.0f} | {fmean(ended):,.0f} | {len(numbers) - len(ended)} |"
    )


def main(files: list[str]) -> None:
    """Measure both collections, and replace the table of the page."""
    rows = [
        "| collection | puzzles | rules | median | 95 % interval | mean | at the limit |",
        "|---|---:|---|---:|---:|---:|---:|",
    ]
    names = ("17-clue sample", "magictour top1465")
    with Pool(2) as pool:
        for name, file, number in zip(names, files, (OF_17_CLUES, None), strict=True):
            puzzles = puzzle_lines(Path(file))[:number]
            for level, rules in LEVELS.items():
                numbers = pool.map(partial(nodes, rules=rules), puzzles, chunksize=5)
                rows.append(row(name, level, numbers))
                print(rows[-1], flush=True)
    put_record("inference-nodes", "\n".join(rows) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
