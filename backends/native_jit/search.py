"""Handing puzzles to a kernel: slice by slice, with a look at the clock between slices.

A kernel holds no lock of Python's while it works, so several threads can work on a batch.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backends.native_jit import progress as place
from backends.native_jit.compiled import kernel
from harness.contract import Stats, Unsupported
from harness.puzzles import Shape

NEVER: Final = -1
CELLS_A_SLICE: Final = 400_000
"""A slice has as many nodes as make this many cells: 4938 of 9x9, 640 of 25x25. That is some
milliseconds, so that a time limit is kept well and the clock costs nothing."""
BUFFER: Final = 256
"""Solutions of a stream that are found at a time."""
PIECES_A_THREAD: Final = 8

Grids = NDArray[np.uint8]


@dataclass(frozen=True)
class Found:
    """What a search found in each of its puzzles."""

    numbers: NDArray[np.int64]
    """Solutions, up to the limit."""
    exact: NDArray[np.bool_]
    """Whether these are all."""
    witnesses: Grids
    """A solution of each puzzle, a row each; zeros where none was found."""
    stats: Stats


class Search:
    """A kernel with all that depends on the shape."""

    def __init__(self, shape: Shape, kernel_name: str) -> None:
        self.cells = shape.size**2
        self._run = kernel(kernel_name)
        self._slice = max(1, CELLS_A_SLICE // self.cells)
        self._tables: tuple[NDArray[Any], ...]
        self._type: type[np.signedinteger[Any]]
        if kernel_name == "vectors":
            from backends.native_jit import vectors

            self._state, self._states, self._type = vectors.STATE, vectors.STATES, np.int16
            self._tables = ()
        else:
            self._state, self._states, self._type = self.cells + 1, 4 * shape.size + 1, np.int64
            self._tables = _tables(shape)

    def answer(
        self, puzzles: Grids, limit: int, nodes: int, seconds: float | None, threads: int
    ) -> Found:
        """Search each puzzle until it has `limit` solutions or `nodes` states were looked at.

        Args:
            puzzles: uint8[n, cells], 0 for a blank, every value in range, rows one after another
                in memory; not written to.
            limit: solutions after which a puzzle is left.
            nodes: states after which a puzzle is left, or NEVER.
            seconds: after which the search ends and what is left counts as not decided, or None.
            threads: how many work on the batch.
        """
        number = len(puzzles)
        puzzles = np.require(puzzles, requirements="W")  # the type that the kernels were made for
        numbers = np.zeros(number, np.int64)
        exact = np.zeros(number, np.bool_)
        witnesses = np.zeros((number, self.cells), np.uint8)
        deadline = None if seconds is None else perf_counter() + seconds

        def work(start: int, stop: int) -> NDArray[np.int64]:
            part = slice(start, stop)
            results = numbers[part], exact[part], witnesses[part].reshape(-1)
            return self._work(puzzles[part], limit, nodes, deadline, results)

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

    def stream(self, puzzle: Grids, nodes: int, seconds: float | None) -> Iterator[Grids]:
        """The solutions of one puzzle, each once, as uint8[cells], while the search goes on.

        It ends without a word where `nodes` or `seconds` are used up.
        """
        asked, progress = self._asked(1, NEVER, nodes), _progress()
        asked[place.BUFFER] = BUFFER
        stream = np.zeros((BUFFER, self.cells), np.uint8)
        results = np.zeros(1, np.int64), np.zeros(1, np.bool_), np.zeros(self.cells, np.uint8)
        memory = self._memory()
        deadline = None if seconds is None else perf_counter() + seconds
        why = place.PAUSED
        while why != place.FINISHED:
            if deadline is not None and perf_counter() >= deadline:
                return
            why = self._run(puzzle, asked, progress, *results, stream.reshape(-1), *memory)
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
    ) -> NDArray[np.int64]:
        """Run the kernel to its end or to the deadline; the progress it made."""
        asked, progress = self._asked(len(puzzles), limit, nodes), _progress()
        memory, givens, stream = self._memory(), puzzles.reshape(-1), _NO_STREAM
        while deadline is None or perf_counter() < deadline:
            why = self._run(givens, asked, progress, *results, stream, *memory)
            if why == place.FINISHED:
                break
            if why == place.STACK_FULL:
                memory = (_twice(memory[0]), *memory[1:])
        return progress

    def _asked(self, puzzles: int, limit: int, nodes: int) -> NDArray[np.int64]:
        return np.array([puzzles, limit, nodes, self._slice, 0], np.int64)

    def _memory(self) -> tuple[NDArray[Any], ...]:
        """Room for one search, then the tables of the shape."""
        states: NDArray[Any] = np.empty(self._state * self._states, self._type)
        if not self._tables:
            return (states,)
        return (
            states,
            np.empty(self.cells, np.int64),
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
    """The same stack with twice the room."""
    return np.concatenate([states, np.empty_like(states)])


def _tables(shape: Shape) -> tuple[NDArray[np.int64], ...]:
    """The houses of `shape` as the kernel wants them.

    Raises:
        Unsupported: there are more values than bits.
    """
    from backends.native_jit.houses import LARGEST

    if shape.size > LARGEST:
        raise Unsupported(f"{shape} has more than {LARGEST} values")
    houses = np.array([house.cells for house in shape.houses], np.int64)
    bits = np.array([1 << number % LARGEST for number in range(len(houses))], np.int64)
    houses_of = np.array([bits[list(of)].sum() for of in shape.houses_of], np.int64)
    peers = np.array([peer for peers in shape.peers for peer in peers], np.int64)
    first_peer = np.cumsum([0, *map(len, shape.peers)], dtype=np.int64)
    return houses, bits, houses_of, peers, first_peer
