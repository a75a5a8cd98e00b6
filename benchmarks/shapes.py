"""CPU seconds of the compiled solver and of other solvers on shapes beyond plain 9x9.

All count to limit 2, which proves that a solution is unique. Each peer takes turns with the
compiled solver on the same puzzles, within one process. Only the search of a peer counts, not
the time in which Python writes its formula or model, so the ratio is a lower bound.
A peer stops at `PEER_SECONDS` for a puzzle, which then counts with that time. The last column is
the number of puzzles that it leaves undecided. The compiled solver has no limit.

Minimal 16x16 puzzles are generated here. The published puzzles of both sizes are expected in
../shared/puzzles beside the checkout; the other kinds are datasets of the harness.

    python -m benchmarks.shapes [KIND...]
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Final

from harness.contract import Backend, Unavailable
from harness.contract.registry import load_backend
from harness.extensions.generate import GenerationRequest, generate
from harness.puzzles import Puzzle, Shape, load_dataset

PUBLISHED: Final = Path(__file__).resolve().parents[2] / "shared" / "puzzles" / "big.json"
NUMBER: Final = 12
"""The number of puzzles of each kind."""
PEER_SECONDS: Final = 10.0
PASSES: Final = 2
PEERS: Final = {
    "cadical 1.9.5": ("cnf", [("solver", "cadical195")]),
    "glucose 4": ("cnf", [("solver", "glucose4")]),
    "cryptominisat": ("cryptominisat", []),
    "clingo": ("clingo", []),
    "CP-SAT": ("cpsat", []),
    "exact-cover": ("exact-cover", []),
    "xcover": ("xcover", []),
}
"""The backends of other solvers, with their options."""
UNLIMITED: Final = ("exact-cover", "xcover")
"""Peers that keep no time limit."""
HARD: Final = ("16x16 minimal", "25x25 published", "25x25 phase transition")
"""Kinds on which a peer without a time limit may search for hours."""
LONG: Final = 20.0
"""A pass that takes this many CPU seconds is the only one."""

Question = tuple[str, list[tuple[str, str]]]


def published(size: int) -> list[Puzzle]:
    """Published puzzles of a size.

    Raises:
        FileNotFoundError: their file is missing.
    """
    shape = Shape.parse(f"{size}x{size}")
    published = [each for each in json.loads(PUBLISHED.read_text()) if each["n"] == size]
    return [Puzzle(shape, tuple(each["givens"])) for each in published]


def minimal(size: int) -> list[Puzzle]:
    """Minimal puzzles of a size, generated."""
    request = GenerationRequest(
        shape=Shape.parse(f"{size}x{size}"), count=NUMBER, minimal=True, seed=5
    )
    return [made.puzzle for made in generate(request)]


def dataset(name: str) -> list[Puzzle]:
    """Evenly spaced puzzles of a dataset."""
    puzzles = [instance.puzzle for instance in load_dataset(name).instances]
    return puzzles[:: max(1, len(puzzles) // NUMBER)][:NUMBER]


KINDS: Final[dict[str, Callable[[], list[Puzzle]]]] = {
    "16x16 published": lambda: published(16),
    "16x16 minimal": lambda: minimal(16),
    "16x16 of 100 to 120 clues": lambda: dataset("16x16"),
    "25x25 published": lambda: published(25),
    "25x25 phase transition": lambda: dataset("phase-25x25"),
    "12x12 minimal": lambda: dataset("12x12"),
    "latin squares of order 30": lambda: dataset("latin-30"),
    "jigsaw": lambda: dataset("jigsaw"),
    "diagonal": lambda: dataset("diagonal"),
    "windoku": lambda: dataset("windoku"),
}


def searched(question: Question, puzzles: list[Puzzle]) -> tuple[list[float], list[int | None]]:
    """CPU seconds of each search, and the counts; None for an undecided one.

    Raises:
        Unavailable: the solver is not installed.
    """
    kind, options = load_backend(*question)
    backends: dict[Shape, Backend] = {}
    seconds: list[float] = []
    counts: list[int | None] = []
    for puzzle in puzzles:
        if puzzle.shape not in backends:
            backends[puzzle.shape] = kind(puzzle.shape, options)
        backend = backends[puzzle.shape]
        backend.time_limit = None if question[0] == "native-jit" else PEER_SECONDS
        began = process_time()
        count = backend.count(puzzle, 2)
        took = process_time() - began
        seconds.append(min(took, count.phases.search or took))
        counts.append(count.number if count.exact or count.number == 2 else None)
    return seconds, counts


def best(question: Question, puzzles: list[Puzzle]) -> tuple[float, list[int | None]]:
    """The least CPU seconds of all passes, summed over the puzzles, and the counts."""
    least, counts = searched(question, puzzles)
    for _ in range(PASSES - 1 if sum(least) < LONG else 0):
        least = list(map(min, least, searched(question, puzzles)[0]))
    return sum(least), counts


def main() -> None:
    """Print a table for each kind."""
    if unknown := set(sys.argv[1:]) - set(KINDS):
        sys.exit(f"no kind {', '.join(sorted(unknown))}; the kinds are {', '.join(KINDS)}")
    for name in sys.argv[1:] or KINDS:
        try:
            puzzles = KINDS[name]()
        except FileNotFoundError:
            print(f"\n{name}: no puzzles in ../shared/puzzles")
            continue
        own, expected = best(("native-jit", []), puzzles)
        each = 1000 / len(puzzles)
        print(
            f"\n{name}: {len(puzzles)} puzzles, limit 2; ms a puzzle, and over the compiled solver"
        )
        print(f"  {'compiled solver':16}{own * each:12.3f}")
        for label, question in PEERS.items():
            if name in HARD and question[0] in UNLIMITED:
                print(f"  {label:16} keeps no time limit and is not measured here")
                continue
            try:
                took, counts = best(question, puzzles)
            except Unavailable as error:
                print(f"  {label:16} {str(error).split(';')[0]}")
                continue
            pairs = [pair for pair in zip(counts, expected, strict=True) if pair[0] is not None]
            assert all(count == number for count, number in pairs), label
            undecided = len(puzzles) - len(pairs)
            print(f"  {label:16}{took * each:12.3f}{took / own:9.1f}x {undecided:6} undecided")


if __name__ == "__main__":
    main()
