"""Runs a kernel on puzzles, slice by slice, and checks the time limit between slices.

Kernels release the global interpreter lock, so several threads can share a batch.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from harness.contract import Stats, Unsupported
from harness.puzzles import Shape

from . import progress as place
from .compiled import kernel

NEVER: Final = -1
CELLS_A_SLICE: Final = 400_000
"""Nodes per slice times cells per grid: 4938 nodes of 9x9, 640 of 25x25. A slice takes some
milliseconds: short enough for time limits, long enough for the cost of the clock to be
negligible."""
BUFFER: Final = 256
"""Solutions of a stream per call of the kernel."""
PIECES_A_THREAD: Final = 8
"""Pieces of a batch per thread, to balance their load."""

Grids = NDArray[np.uint8]
Candidates = NDArray[np.int64]


@dataclass(frozen=True)
class Found:
    """The findings of a search for each of its puzzles."""

    numbers: NDArray[np.int64]
    """int64[n]: solutions, up to the limit."""
    exact: NDArray[np.bool_]
    """bool[n]: whether the number is the total."""
    witnesses: Grids
    """uint8[n, cells]: a solution of each puzzle, zeros if none was found."""
    stats: Stats


class Search:
    """A kernel with the tables of a shape."""

    def __init__(self, shape: Shape, kernel_name: str) -> None:
        self.cells = shape.size**2
        self._run = kernel(kernel_name)
        self._slice = max(1, CELLS_A_SLICE // self.cells)
        self._tables: tuple[NDArray[Any], ...]
        self._type: type[np.signedinteger[Any]]
        self._first_state: Callable[[Candidates], NDArray[Any]]
        if kernel_name == "vectors":
            from . import vectors

            self._first_state = vectors.first_state
            self._state, self._states, self._type = vectors.STATE, vectors.STATES, np.int16
            self._tables = ()
        else:
            from . import houses

            self._first_state = houses.first_state
            self._state, self._states, self._type = self.cells + 1, 4 * shape.size + 1, np.int64
            self._tables = _tables(shape)

    def answer(
        self,
        puzzles: Grids,
        limit: int,
        nodes: int,
        seconds: float | None,
        threads: int,
        candidates: Candidates | None = None,
    ) -> Found:
        """Search each puzzle up to `limit` solutions or `nodes` states.

        Args:
            puzzles: uint8[n, cells], C-contiguous, 0 for a blank, every value in range;
                never modified.
            limit: solutions per puzzle.
            nodes: states per puzzle, or NEVER.
            seconds: time limit; puzzles without time left stay undecided. None for no limit.
            threads: number of threads for the batch.
            candidates: int64[cells], the candidates of a single puzzle as bits, if they are
                fewer than its givens leave.
        """
        number = len(puzzles)
        puzzles = np.require(puzzles, requirements="W")  # the type in the kernels' signatures
        numbers = np.zeros(number, np.int64)
        exact = np.zeros(number, np.bool_)
        witnesses = np.zeros((number, self.cells), np.uint8)
        deadline = None if seconds is None else perf_counter() + seconds

        def work(start: int, stop: int) -> NDArray[np.int64]:
            part = slice(start, stop)
            results = numbers[part], exact[part], witnesses[part].reshape(-1)
            return self._work(puzzles[part], limit, nodes, deadline, results, candidates)

        if threads == 1 or number < 2:
            totals = work(0, number)
        else:
            pieces = min(number, threads * PIECES_A_THREAD)
            ends = [number * piece // pieces for piece in range(pieces + 1)]
            with ThreadPoolExecutor(threads) as pool:
                totals = sum(
                    pool.map(work, ends[:-1], ends[1:]), np.zeros(place.PROGRESS, np.int64)
                )
        return Found(numbers, exact, witnesses, _stats(totals))

    def stream(
        self,
        puzzle: Grids,
        nodes: int,
        seconds: float | None,
        candidates: Candidates | None = None,
    ) -> Iterator[Grids]:
        """The solutions of one puzzle, each once, as uint8[cells], during the search.

        The stream ends early at `nodes` states or after `seconds`. Arguments as in `answer`.
        """
        request, progress = self._request(1, NEVER, nodes), _progress()
        request[place.BUFFER] = BUFFER
        stream = np.zeros((BUFFER, self.cells), np.uint8)
        results = np.zeros(1, np.int64), np.zeros(1, np.bool_), np.zeros(self.cells, np.uint8)
        memory = self._memory()
        if candidates is not None:
            self._begin(candidates, progress, memory)
        deadline = None if seconds is None else perf_counter() + seconds
        why = place.PAUSED
        while why != place.FINISHED:
            if deadline is not None and perf_counter() >= deadline:
                return
            why = self._run(puzzle, request, progress, *results, stream.reshape(-1), *memory)
            yield from stream[: progress[place.BUFFERED]].copy()
            progress[place.BUFFERED] = 0
            if why == place.STACK_FULL:
                memory = (_twice(memory[0]), *memory[1:])

    def _work(
        self,
        puzzles: Grids,
        limit: int,
        nodes: int,
        deadline: float | None,
        results: Sequence[NDArray[Any]],
        candidates: Candidates | None,
    ) -> NDArray[np.int64]:
        """Run the kernel to its end or the deadline, and return its progress."""
        request, progress = self._request(len(puzzles), limit, nodes), _progress()
        memory, givens, stream = self._memory(), puzzles.reshape(-1), _NO_STREAM
        if candidates is not None:
            self._begin(candidates, progress, memory)
        while deadline is None or perf_counter() < deadline:
            why = self._run(givens, request, progress, *results, stream, *memory)
            if why == place.FINISHED:
                break
            if why == place.STACK_FULL:
                memory = (_twice(memory[0]), *memory[1:])
        return progress

    def _begin(
        self, candidates: Candidates, progress: NDArray[np.int64], memory: Sequence[NDArray[Any]]
    ) -> None:
        """Open the state with these candidates; the kernel goes on from it as after a pause.

        So a puzzle with pencilmarks needs nothing in a kernel. A cell without candidates
        leaves no open state.
        """
        memory[0][: self._state] = self._first_state(candidates)
        progress[place.OPEN] = int(candidates.all())
        progress[place.OWN_NODES] = 0

    def _request(self, puzzles: int, limit: int, nodes: int) -> NDArray[np.int64]:
        return np.array([puzzles, limit, nodes, self._slice, 0], np.int64)

    def _memory(self) -> tuple[NDArray[Any], ...]:
        """Buffers for one search, followed by the tables of the shape."""
        states: NDArray[Any] = np.empty(self._state * self._states, self._type)
        if not self._tables:
            return (states,)
        return (
            states,
            np.zeros(self.cells, np.int64),
            np.empty(self.cells, np.int64),
            *self._tables,
        )


_NO_STREAM: Final = np.zeros(0, np.uint8)


def _progress() -> NDArray[np.int64]:
    progress = np.zeros(place.PROGRESS, np.int64)
    progress[place.OWN_NODES] = NEVER
    return progress


def _stats(progress: NDArray[np.int64]) -> Stats:
    return {
        "nodes": int(progress[place.NODES]),
        "guesses": int(progress[place.GUESSES]),
        "rounds": int(progress[place.ROUNDS]),
    }


def _twice(states: NDArray[Any]) -> NDArray[Any]:
    """The same stack with twice the capacity."""
    return np.concatenate([states, np.empty_like(states)])


def _tables(shape: Shape) -> tuple[NDArray[np.int64], ...]:
    """The houses of `shape` as arrays for the kernel.

    Raises:
        Unsupported: the shape has more values than a number has bits.
    """
    from .houses import LARGEST

    if shape.size > LARGEST:
        raise Unsupported(f"{shape} has more than {LARGEST} values")
    houses = np.array([house.cells for house in shape.houses], np.int64)
    bits = np.array([1 << number % LARGEST for number in range(len(houses))], np.int64)
    houses_of = np.array([bits[list(of)].sum() for of in shape.houses_of], np.int64)
    peers = np.array([peer for peers in shape.peers for peer in peers], np.int64)
    first_peer = np.cumsum([0, *map(len, shape.peers)], dtype=np.int64)
    return houses, bits, houses_of, peers, first_peer
