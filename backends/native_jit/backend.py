"""The compiled native solver as the harness sees it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from harness.contract import (
    Answer,
    Backend,
    Count,
    Options,
    PhaseTimer,
    option,
)
from harness.puzzles import Grid, Puzzle, Shape

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.contract.batch import ManyAnswers, ManyCounts

_MOST: Final = 2**62
"""More solutions than any search can come to."""


@dataclass(frozen=True)
class NativeJitOptions(Options):
    """What the compiled solver can be told."""

    kernel: str = option(
        "auto",
        help="auto: vectors for plain 9x9, houses for other shapes; houses: that for 9x9 too",
        choices=("auto", "houses"),
    )
    threads: int = option(1, help="threads that work on a batch", minimum=1)
    nodes: int = option(0, help="nodes after which a puzzle is given up; 0: never", minimum=0)


class NativeJit(Backend):
    """Depth-first search in machine code: whole bands at once on 9x9, bitmasks elsewhere."""

    name = "native-jit"
    paradigm = "backtracking with propagation, compiled"
    distributions = ("numba",)
    options_type = NativeJitOptions
    counts_natively = True
    batches_natively = True

    @classmethod
    def load(cls, options: Options) -> None:
        """Import Numba, and compile both kernels or take them from the cache."""
        assert isinstance(options, NativeJitOptions)
        from backends.native_jit.compiled import compile_all

        compile_all(("vectors", "houses") if options.kernel == "auto" else ("houses",))

    @classmethod
    def preparation(cls, options: Options) -> str:
        """What `load` is about to do where the cache is empty."""
        from backends.native_jit.compiled import is_cached

        return "" if is_cached() else "compiling native-jit for this machine, once: a few seconds"

    def __init__(self, shape: Shape, options: Options) -> None:
        assert isinstance(options, NativeJitOptions)
        from backends.native_jit.search import NEVER, Search

        plain = options.kernel == "auto" and shape == Shape.parse("9x9")
        self.shape = shape
        self._search = Search(shape, "vectors" if plain else "houses")
        self._nodes = options.nodes or NEVER
        self._threads = options.threads

    def solve(self, puzzle: Puzzle) -> Answer:
        """The first solution that the search comes to."""
        timer = PhaseTimer()
        givens = _array(puzzle)
        timer.search()
        found = self._search.answer(givens, 1, self._nodes, self.time_limit, 1)
        timer.decode()
        if found.numbers[0]:
            return Answer.solved(_grid(found.witnesses[0]), found.stats, timer.stop())
        if found.exact[0]:
            return Answer.unsatisfiable(found.stats, timer.stop())
        return Answer.unknown(found.stats, timer.stop())

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number of solutions that the search comes to, up to `limit`."""
        timer = PhaseTimer()
        givens = _array(puzzle)
        timer.search()
        found = self._search.answer(givens, min(limit, _MOST), self._nodes, self.time_limit, 1)
        timer.decode()
        number, exact = int(found.numbers[0]), bool(found.exact[0])
        witness = _grid(found.witnesses[0]) if number else None
        return Count(number, exact, witness, found.stats, timer.stop())

    def enumerate(self, puzzle: Puzzle) -> Iterator[Grid]:
        """Every solution of `puzzle` once, while the search goes on.

        Memory does not grow with their number. The stream ends early where the nodes or the seconds
        that are allowed are used up.
        """
        return map(_grid, self._search.stream(_array(puzzle)[0], self._nodes, self.time_limit))

    def solve_many(self, puzzles: "NDArray[np.uint8]") -> "ManyAnswers":
        """A solution of each puzzle, or the proof that there is none."""
        from harness.contract.batch import ManyAnswers, checked

        given = checked(puzzles, self.shape)
        found = self._search.answer(given, 1, self._nodes, self.time_limit, self._threads)
        return ManyAnswers.of(found.numbers > 0, found.exact, found.witnesses, found.stats)

    def count_many(self, puzzles: "NDArray[np.uint8]", limit: int) -> "ManyCounts":
        """The number of solutions of each puzzle, up to `limit`."""
        from harness.contract.batch import ManyCounts, checked

        given = checked(puzzles, self.shape)
        limit = min(limit, _MOST)
        found = self._search.answer(given, limit, self._nodes, self.time_limit, self._threads)
        return ManyCounts(found.numbers, found.exact, found.witnesses, found.stats)


def _array(puzzle: Puzzle) -> "NDArray[np.uint8]":
    """The givens as a batch of one."""
    import numpy as np

    return np.frombuffer(bytearray(puzzle.givens), np.uint8).reshape(1, -1)


def _grid(values: "NDArray[np.uint8]") -> Grid:
    return tuple(values.tolist())
