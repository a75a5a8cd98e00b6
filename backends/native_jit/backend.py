"""The compiled native solver as a backend."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from harness.contract import (
    EVERYTHING,
    Answer,
    Backend,
    Count,
    ManyAnswers,
    ManyCounts,
    Options,
    PhaseTimer,
    Proof,
    Unsupported,
    option,
)
from harness.puzzles import Grid, Pencilmarks, Puzzle, Shape

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .search import Findings

_MOST: Final = 2**62
"""A limit above the number of solutions and nodes that any search can reach."""


@dataclass(frozen=True)
class NativeJitOptions(Options):
    """The kernel and the limits of the compiled solver."""

    kernel: str = option(
        "auto",
        help="kernel: auto selects vectors for plain 9x9, and for other shapes houses, which "
        "learning joins when a puzzle takes a long time",
        choices=("auto", "houses", "learning"),
    )
    threads: int = option(1, help="number of threads for a batch or for branches", minimum=1)
    split: int = option(
        0, help="nodes after which a search is split for the threads; 0 for never", minimum=0
    )
    nodes: int = option(0, help="node limit per puzzle; 0 for no limit", minimum=0)


class NativeJit(Backend[NativeJitOptions]):
    """Depth-first search in machine code: vectors of cells on 9x9, bitmasks elsewhere."""

    name = "native-jit"
    paradigm = "backtracking with propagation, compiled"
    distributions = ("numba",)
    counts_natively = True
    batches_natively = True
    proves = True
    takes = EVERYTHING

    @classmethod
    def load(cls, options: NativeJitOptions) -> None:
        """Import Numba, and compile the kernels or load them from the cache."""
        from .compiled import compile_all

        compile_all(_kernels(options))

    @classmethod
    def preparation(cls, options: NativeJitOptions) -> str:
        """The compilation, if the cache has no code for this machine."""
        from .compiled import LATER, is_cached

        is_ready = is_cached([*_kernels(options), LATER])
        return "" if is_ready else "compiling native-jit for this machine, once: a few seconds"

    def __init__(self, shape: Shape, options: NativeJitOptions) -> None:
        from .search import NEVER, Search

        kernel = options.kernel
        if kernel == "auto":
            kernel = "vectors" if shape == Shape.parse("9x9") else "houses"
        self.shape = shape
        learns = options.kernel != "houses" and not options.nodes
        self._search = Search(shape, kernel, learns=learns)
        self._nodes = min(options.nodes, _MOST) or NEVER
        self.complete = not options.nodes
        self._threads = options.threads
        self._split = options.split

    def solve(self, puzzle: Puzzle) -> Answer:
        """The first solution that the search finds."""
        timer = PhaseTimer()
        givens, candidates = _array(puzzle), _candidates(puzzle.pencilmarks)
        timer.search()
        findings = self._findings(givens, candidates, 1)
        timer.decode()
        if findings.numbers[0]:
            return Answer.solved(_grid(findings.witnesses[0]), findings.stats, timer.stop())
        if findings.exact[0]:
            return Answer.unsatisfiable(findings.stats, timer.stop())
        return Answer.unknown(findings.stats, timer.stop())

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number of solutions, up to `limit`."""
        timer = PhaseTimer()
        givens, candidates = _array(puzzle), _candidates(puzzle.pencilmarks)
        timer.search()
        findings = self._findings(givens, candidates, min(limit, _MOST))
        timer.decode()
        number, exact = int(findings.numbers[0]), bool(findings.exact[0])
        witness = _grid(findings.witnesses[0]) if number else None
        return Count(number, exact, witness, findings.stats, timer.stop())

    def prove(self, puzzle: Puzzle, limit: int) -> Proof:
        """The solutions, up to `limit`, and the clauses that a search learned as a proof.

        The search is that of the kernel `learning`, on every shape, on one thread and without a
        limit on nodes.

        Raises:
            Unsupported: the shape has constraints, which the proof does not derive.
        """
        if self.shape.primitives:
            raise Unsupported("native-jit writes no proofs for puzzles with constraints")
        from .search import Search

        search = Search(self.shape, "learning", learns=True)
        return search.prove(_array(puzzle), _candidates(puzzle.pencilmarks), min(limit, _MOST))

    def _findings(
        self, givens: "NDArray[np.uint8]", candidates: "NDArray[np.int64] | None", limit: int
    ) -> "Findings":
        if not self._split or self._search.run is None:
            return self._search.answer_one(givens, candidates, limit, self._nodes, self.time_limit)
        from .branches import Limits, answer_in_branches

        limits = Limits(limit, self._nodes, self.time_limit)
        return answer_in_branches(
            self._search, givens, candidates, limits, self._split, self._threads
        )

    def solve_many(self, puzzles: "NDArray[np.uint8]") -> "ManyAnswers":
        """A solution of each puzzle, or the proof that none exists."""
        from harness.contract import batch_of

        batch = batch_of(puzzles, self.shape)
        findings = self._search.answer(batch, 1, self._nodes, self.time_limit, self._threads)
        return ManyAnswers.from_flags(
            findings.numbers > 0, findings.exact, findings.witnesses, findings.stats
        )

    def count_many(self, puzzles: "NDArray[np.uint8]", limit: int) -> "ManyCounts":
        """The number of solutions of each puzzle, up to `limit`."""
        from harness.contract import batch_of

        batch = batch_of(puzzles, self.shape)
        limit = min(limit, _MOST)
        findings = self._search.answer(batch, limit, self._nodes, self.time_limit, self._threads)
        return ManyCounts(findings.numbers, findings.exact, findings.witnesses, findings.stats)


def _array(puzzle: Puzzle) -> "NDArray[np.uint8]":
    """The givens as a batch of one."""
    import numpy as np

    return np.frombuffer(bytearray(puzzle.givens), np.uint8).reshape(1, -1)


def _candidates(pencilmarks: Pencilmarks | None) -> "NDArray[np.int64] | None":
    """The pencilmarks as an array, None without pencilmarks."""
    if pencilmarks is None:
        return None
    import numpy as np

    # Sets of more than 63 values do not fit into signed numbers of 64 bits.
    return np.array(pencilmarks, np.int64 if len(pencilmarks) < 64**2 else object)


def _grid(values: "NDArray[np.uint8]") -> Grid:
    return tuple(values.tolist())


def _kernels(options: NativeJitOptions) -> Sequence[str]:
    """The kernels that puzzles without constraints may need."""
    from .compiled import KERNELS

    return KERNELS if options.kernel == "auto" else (options.kernel,)
