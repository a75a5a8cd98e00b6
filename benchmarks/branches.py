"""What branches and threads gain in one search of the compiled solver on 25x25.

Each row is an instance of phase-25x25 with the number of nodes after which a branch is split:
the wall time on one thread and on two, the gain over the search without branches, and the gain
of two threads over one. Times are the best of `PASSES`, in which the settings
take turns. The last instance is not answered within its node limit.
"""

from itertools import product
from time import perf_counter
from typing import Final

from backends.native_jit import NativeJit
from harness.contract import Count
from harness.contract.registry import load_backend
from harness.puzzles import Puzzle, load_dataset

INSTANCES: Final = {"123": 0, "127": 0, "152": 2_000_000}
"""Names of instances, with a node limit; 0 for none."""
SPLITS: Final = (5_000, 20_000, 100_000)
THREADS: Final = (1, 2)
PASSES: Final = 3


def search(puzzle: Puzzle, **settings: int) -> tuple[float, Count]:
    """The seconds of a search for one solution, and its answer."""
    kind, options = load_backend("native-jit", [(name, str(n)) for name, n in settings.items()])
    backend = kind(puzzle.shape, options)
    assert isinstance(backend, NativeJit)
    began = perf_counter()
    answer = backend.count(puzzle, 1)
    return perf_counter() - began, answer


def main() -> None:
    """Print a row for each instance and number of nodes."""
    puzzles = {i.name: i.puzzle for i in load_dataset("phase-25x25").instances}
    print("instance     split     nodes   solved   one thread   two threads   two over one")
    for name, limit in INSTANCES.items():
        whole = 0.0
        if not limit:
            runs = [search(puzzles[name]) for _ in range(PASSES)]
            whole = min(seconds for seconds, _ in runs)
            answer = runs[0][1]
            print(f"{name:8}  {'none':>8} {answer.stats['nodes']:9,} {answer.number:8}", end="")
            print(f"{whole:11.2f} s")
        for split in SPLITS:
            best: dict[int, float] = {}
            for _, threads in product(range(PASSES), THREADS):
                seconds, answer = search(puzzles[name], split=split, threads=threads, nodes=limit)
                best[threads] = min(seconds, best.get(threads, seconds))
            print(f"{name:8}  {split:8,} {answer.stats['nodes']:9,} {answer.number:8}", end="")
            for threads in THREADS:
                gain = f" ({whole / best[threads]:.1f}x)" if whole else ""
                print(f"{f'{best[threads]:.2f} s{gain}':>14}", end="")
            print(f"{best[1] / best[2]:13.2f}x")


if __name__ == "__main__":
    main()
