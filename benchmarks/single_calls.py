"""What a single call of `native-jit` costs besides its kernel.

The same 17-clue puzzles, or generated ones where ../shared/puzzles is missing, are solved one by
one and as one batch, whose time is that of the kernel.

    python -m benchmarks.single_calls
"""

from collections.abc import Callable
from time import perf_counter

import numpy as np

from backends.native_jit.backend import NativeJit, NativeJitOptions
from benchmarks.goals import GOALS
from benchmarks.kernel import SHARED, puzzles_of
from benchmarks.workloads import puzzles
from harness.puzzles import Puzzle, Shape

PUZZLES = 2000
PASSES = 20


def best_us(call: Callable[[], object]) -> float:
    """The best time of several passes, in microseconds a puzzle."""
    seconds = []
    for _ in range(PASSES):
        began = perf_counter()
        call()
        seconds.append(perf_counter() - began)
    return min(seconds) / PUZZLES * 1e6


def main() -> None:
    """Print both times and their difference."""
    shape = Shape.parse("9x9")
    if SHARED.is_dir():
        made = [Puzzle(shape, tuple(grid.tolist())) for grid in puzzles_of("17-clue")[:PUZZLES]]
    else:
        print("no puzzle collections in ../shared/puzzles; these puzzles are generated and easy")
        made = puzzles(PUZZLES)
    batch = np.array([puzzle.givens for puzzle in made], np.uint8)
    NativeJit.load(NativeJitOptions())
    backend = NativeJit(shape, NativeJitOptions())
    backend.time_limit = 60.0
    one_by_one = best_us(lambda: [backend.solve(puzzle) for puzzle in made])
    kernel = best_us(lambda: backend.solve_many(batch))
    around = one_by_one - kernel
    print(f"native-jit one by one: {one_by_one:.2f} us a puzzle, kernel {kernel:.2f} us")
    print(f"  around the kernel: {around:.2f} us; {GOALS['call of native-jit'].judged(around)}")


if __name__ == "__main__":
    main()
