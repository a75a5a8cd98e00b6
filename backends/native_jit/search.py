"""Runs a kernel on puzzles, slice by slice, and checks the time limit between slices.

Kernels release the global interpreter lock, so several threads can share a batch.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from harness.contract import Proof, Stats, Unsupported
from harness.puzzles import Shape

from . import progress as place
from .board import LARGEST, NARROW, Tables, new_memory, tables_of, word_type
from .compiled import Kernel, machine_code
from .learner import Houses, Learner

NEVER: Final = -1
CELLS_A_SLICE: Final = 400_000
"""Nodes per slice times cells per grid: 4938 nodes of 9x9, 640 of 25x25. A slice takes a few
milliseconds: short enough for time limits, long enough for the cost of the clock to be
negligible."""
STACK: Final = 8 * 2**20
"""Bytes of the open states of any shape at first. The system provides only what is used."""
_CACHE_LINE: Final = 64
"""Bytes."""
PIECES_A_THREAD: Final = 8
"""Pieces of a batch per thread, to balance their load."""
PATIENCE: Final = 4_000_000
"""Nodes times cells per grid after which a learning search begins: ten slices."""
LEARNING: Final = 32_000
"""Work of the learning search, at first, per slice of the other search. Both take about 1.5 ms."""
TURNS: Final = 128
"""Slices of the other search after which the learning search gets `LEARNING` more work per slice:
what depth-first search does not find in a second it rarely finds. Shares of work instead of time
make the answer, its grid and its statistics the same each time."""
MANY: Final = 100
"""Solutions after which only the search that does not learn continues."""

_STATS: Final = {"nodes": place.NODES, "guesses": place.GUESSES, "rounds": place.ROUNDS}

Grids = NDArray[np.uint8]
Candidates = NDArray[Any]
State = NDArray[Any]


@dataclass(frozen=True)
class Findings:
    """The findings of a search for each of its puzzles."""

    numbers: NDArray[np.int64]
    """int64[n]: solutions, up to the limit."""
    exact: NDArray[np.bool_]
    """bool[n]: whether the number is the total."""
    witnesses: Grids
    """uint8[n, cells]: a solution of each puzzle, zeros if none was found."""
    stats: Stats


class Work:
    """A kernel at work on a batch: its request, its progress, its results and its memory.

    Args:
        search: the kernel and its tables.
        puzzles: uint8[n, cells], C-contiguous and writable; never modified.
        limit: solutions per puzzle.
        nodes: states per puzzle, or NEVER.
        budget: states per call of the kernel; None for a few milliseconds.
    """

    def __init__(
        self,
        search: "Search",
        puzzles: Grids,
        limit: int,
        nodes: int = NEVER,
        budget: int | None = None,
    ) -> None:
        self._search = search
        self._givens = puzzles.reshape(-1)
        number = len(puzzles)
        self._request = np.array([number, limit, nodes, budget or search.slice], np.int64)
        self.progress = np.zeros(place.PROGRESS, np.int64)
        self.progress[place.OWN_NODES] = NEVER
        self.numbers = np.zeros(number, np.int64)
        self.exact = np.zeros(number, np.bool_)
        self.witnesses = np.zeros((number, search.cells), np.uint8)
        self._results = (self.numbers, self.exact, self.witnesses.reshape(-1))
        self._states, *self._memory = search.memory()
        self._weights: NDArray[np.float32] | None = self._memory[0] if search.weighs else None
        self._notes: NDArray[np.int64] | None = self._memory[1] if search.recalls else None
        self.candidates: Candidates | None = None
        """int64[cells]: the candidates of the only puzzle as bits; None for those of the givens."""
        self._learner: Learner | None = None
        self._learned = NEVER
        """The number of the puzzle that was last given to a learning search."""
        self._turns = self._conflicts = 0

    def restart(self, puzzles: Grids, limit: int, nodes: int) -> None:
        """Begin another batch of the same length; arguments as for the class."""
        self._givens = puzzles.reshape(-1)
        self._request[place.LIMIT] = limit
        self._request[place.NODE_LIMIT] = nodes
        self.progress.fill(0)
        self.progress[place.OWN_NODES] = NEVER
        self.candidates = self._learner = None
        self._learned, self._conflicts = NEVER, 0
        for result in (self.numbers, self.exact, self.witnesses):
            result.fill(0)
        if self._weights is not None:
            self._weights.fill(1)

    def begin(self, state: State | None, weights: NDArray[np.float32] | None = None) -> None:
        """Open this state of the only puzzle; the kernel continues from it as after a pause.

        This way a kernel needs no code for pencilmarks or branches.

        Args:
            state: an open state, such as `Search.first_state` returns; None for no open
                state, so that the puzzle has no solution.
            weights: float32[words + 1], as `Work.weights` returns them.
        """
        if state is not None:
            self._states[: len(state)] = state
        self.progress[place.OPEN] = int(state is not None)
        self.progress[place.OWN_NODES] = 0
        if self._notes is not None:
            self._notes[place.SERIAL] += 1
            self._notes[place.WAITING] = 0
        if weights is not None and self._weights is not None:
            self._weights[:] = weights

    def advance(self) -> bool:
        """Call the kernel once; False when all puzzles are finished."""
        if self._search.run is None:
            return bool(self.progress[place.PUZZLE] < self._request[place.PUZZLES])
        why = self._search.run(
            self._givens, self._request, self.progress, *self._results, self._states, *self._memory
        )
        if why == place.STACK_FULL:
            self._states = np.concatenate([self._states, np.empty_like(self._states)])
        return why != place.FINISHED

    def learn(self) -> None:
        """Call the learning search of the current puzzle once, if the puzzle takes many nodes.

        The search that finishes first decides the finding.
        """
        number = int(self.progress[place.PUZZLE])
        if self._search.houses is None or self.progress[place.OWN_NODES] < self._search.patience:
            return
        if self._learned != number:
            givens = self._givens.reshape(-1, self._search.cells)[number]
            limit = int(self._request[place.LIMIT])
            candidates = self._search.candidates_of(givens, self.candidates)
            self._learner = Learner(self._search.houses, candidates, limit)
            self._learned = number
            self._turns = 0
        learner = self._learner
        if learner is None:
            return
        before = learner.conflicts
        if not learner.is_finished:
            learner.advance(LEARNING * (1 + self._turns // TURNS))
        self._turns += 1
        self._conflicts += learner.conflicts - before
        if learner.is_finished:
            self.numbers[number] = len(learner.solutions)
            self.exact[number] = learner.exact
            if learner.solutions:
                self.witnesses[number] = learner.solutions[0]
            self.progress[place.PUZZLE] += 1
            self.progress[place.OPEN] = 0
            self.progress[place.OWN_NODES] = NEVER
        elif self._search.run and len(learner.solutions) > MANY:
            self._learner = None

    def open_states(self) -> list[State]:
        """Copies of the open states, in the order in which the kernel would search them."""
        states = self._states.reshape(-1, self._search.state)[: self.progress[place.OPEN]]
        return [state.copy() for state in states[::-1]]

    def weights(self) -> NDArray[np.float32] | None:
        """The weights of the failures so far; None if the kernel counts none."""
        return None if self._weights is None else self._weights.copy()

    @property
    def stats(self) -> Stats:
        """The statistics so far, summed over all puzzles."""
        progress = self.progress.tolist()
        stats = {name: progress[index] for name, index in _STATS.items()}
        return stats | {"conflicts": self._conflicts} if self._search.houses else stats

    @property
    def findings(self) -> Findings:
        """The findings so far."""
        return Findings(self.numbers, self.exact, self.witnesses, self.stats)


class Search:
    """A kernel with the tables of a shape.

    Args:
        shape: the shape.
        kernel_name: ``vectors``, ``houses`` or ``learning``.
        learns: whether a learning search takes part when the kernel ``houses`` takes a long time.
            It is the only search for shapes with more values than a word has bits.

    Attributes:
        cells: cells per grid.
        state: numbers per state.
        slice: nodes per call of the kernel.
        run: the kernel that does not learn, None if all is left to the learning search.
        houses: what the learning search needs; None without it.
        patience: nodes after which it begins.
    """

    def __init__(self, shape: Shape, kernel_name: str, *, learns: bool = False) -> None:
        self.cells = shape.size**2
        self._size = shape.size
        self._every = (1 << shape.size) - 1
        self._tables: Tables = ()
        self._new_table: Callable[[], Tables] = tuple
        self._type: type[np.integer[Any]] = np.int16
        self._first_state: Callable[[Candidates], State]
        self._spare: list[Work] = []
        """Works for one puzzle that no thread is using."""
        self.houses: Houses | None = None
        self.run: Kernel | None = None
        if kernel_name != "vectors" and learns and not shape.primitives:
            self.houses = Houses(shape)
            if shape.size > LARGEST:
                kernel_name = "learning"
        if kernel_name == "learning":
            if self.houses is None:
                raise Unsupported("the learning search takes no constraints and no limit of nodes")
            self.state = self.slice = self._states = 0
            self.patience = NEVER
            return
        if kernel_name == "houses" and shape.primitives:
            kernel_name = "constrained"
        elif kernel_name == "houses" and shape.size > NARROW:
            kernel_name = "wide"
        self.run = machine_code(kernel_name)
        self.patience = PATIENCE // self.cells
        self.slice = max(1, CELLS_A_SLICE // self.cells)
        if kernel_name == "vectors":
            from . import layer, recall, vectors

            self._first_state = vectors.first_state
            self.state, self._states = layer.STATE, vectors.STATES
            self._new_table = recall.new_table
        else:
            word = word_type(shape)
            self._constraints: tuple[NDArray[Any] | None, ...] = (None,) * 5
            if shape.primitives:
                from harness.puzzles.search import strengthen

                from .constraint_tables import constraint_tables

                shape, constraints = strengthen(shape)
                self._constraints = constraint_tables(shape, constraints, word)
            self._tables = tables_of(shape, word)
            self.state = int(self._tables[0][-1])
            # A true guess decides a cell, and leaves one other state open.
            most = STACK // (self.state * np.dtype(word).itemsize)
            self._states, self._type = min(self.cells + 2, max(most, 2)), word
            self._first_state = self._state_of_houses

    @property
    def weighs(self) -> bool:
        """Whether the kernel counts failures."""
        return bool(self._tables)

    @property
    def recalls(self) -> bool:
        """Whether the kernel reuses numbers of solutions."""
        return self._new_table is not tuple

    def memory(self) -> tuple[Any, ...]:
        """New buffers for one search, followed by the tables of the shape."""
        states = _aligned_array(self._states * self.state, self._type)
        if not self._tables:
            return (states, *self._new_table())
        own = (table if table is None else table.copy() for table in self._constraints[3:])
        return (states, *new_memory(self._tables), *self._tables, *self._constraints[:3], *own)

    def _state_of_houses(self, candidates: Candidates) -> State:
        state: State = np.zeros(self.state, self._type)
        state[: self.cells] = candidates
        return state

    def first_state(self, givens: Grids, candidates: Candidates | None) -> State | None:
        """The state of a puzzle before any guess, None if a cell has no candidate.

        Args:
            givens: uint8[cells], 0 for a blank.
            candidates: int64[cells], the candidates as bits if they are fewer than the
                givens leave.
        """
        if candidates is None:
            wide = givens.astype(np.int64)
            candidates = np.where(wide > 0, 1 << np.maximum(wide - 1, 0), self._every)
        return self._first_state(candidates) if candidates.all() else None

    def candidates_of(self, givens: Grids, candidates: Candidates | None) -> NDArray[np.bool_]:
        """bool[cells, size]: which values a puzzle leaves to each cell; arguments as above."""
        values = np.arange(self._size)
        if candidates is not None:
            return np.asarray(candidates[:, np.newaxis] >> values & 1, np.bool_)
        wide = givens[:, np.newaxis]
        return np.asarray((wide == 0) | (wide == values + 1))

    def answer(
        self, puzzles: Grids, limit: int, nodes: int, seconds: float | None, threads: int
    ) -> Findings:
        """Search each puzzle up to `limit` solutions or `nodes` states.

        Args:
            puzzles: uint8[n, cells], C-contiguous, 0 for a blank, every value in range;
                never modified.
            limit: solutions per puzzle.
            nodes: states per puzzle, or NEVER.
            seconds: time limit; puzzles that it does not reach stay undecided. None for no limit.
            threads: number of threads for the batch.
        """
        puzzles = np.require(puzzles, requirements="W")  # the type in the kernels' signatures
        end = deadline(seconds)

        def work(part: slice) -> Findings:
            return finish(Work(self, puzzles[part], limit, nodes), end)

        number = len(puzzles)
        if threads == 1 or number < 2:
            return work(slice(number))
        pieces = min(number, threads * PIECES_A_THREAD)
        ends = [number * piece // pieces for piece in range(pieces + 1)]
        with ThreadPoolExecutor(threads) as pool:
            return _join(list(pool.map(work, map(slice, ends[:-1], ends[1:]))))

    def answer_one(
        self,
        givens: Grids,
        candidates: Candidates | None,
        limit: int,
        nodes: int,
        seconds: float | None,
    ) -> Findings:
        """Search one puzzle, which may have pencilmarks.

        Args:
            givens: uint8[1, cells], C-contiguous and writable, 0 for a blank.
            candidates: int64[cells], the candidates as bits if they are fewer than the
                givens leave.
            limit: the largest number of solutions to find.
            nodes: the largest number of states to visit, or NEVER.
            seconds: time limit; None for no limit.
        """
        try:
            work = self._spare.pop()
        except IndexError:
            work = Work(self, givens, limit, nodes)
        else:
            work.restart(givens, limit, nodes)
        last = finish(self._work(givens, candidates, work), deadline(seconds))
        findings = Findings(
            last.numbers.copy(), last.exact.copy(), last.witnesses.copy(), last.stats
        )
        self._spare.append(work)
        return findings

    def prove(self, givens: Grids, candidates: Candidates | None, limit: int) -> Proof:
        """The solutions of one puzzle, up to `limit`, and as a proof what a search learned.

        Nodes and time are not limited. Arguments as in `answer_one`.
        """
        assert self.houses
        possible = self.candidates_of(givens[0], candidates)
        learner = Learner(self.houses, possible, limit, proves=True)
        while not learner.is_finished:
            learner.advance(LEARNING)
        grids = tuple(tuple(grid.tolist()) for grid in learner.solutions)
        return Proof(grids, learner.exact, "".join(learner.proof) + "0\n" if learner.exact else "")

    def _work(self, givens: Grids, candidates: Candidates | None, work: Work) -> Work:
        work.candidates = candidates
        if candidates is not None and self.run:
            work.begin(self.first_state(givens, candidates))
        return work


def _aligned_array(length: int, type_: type[np.integer[Any]]) -> NDArray[Any]:
    """An array that begins with a cache line, so that no register spans two of them."""
    spare = _CACHE_LINE // np.dtype(type_).itemsize
    memory: NDArray[Any] = np.empty(length + spare, type_)
    first = -memory.ctypes.data % _CACHE_LINE // memory.itemsize
    return memory[first : first + length]


def deadline(seconds: float | None) -> float:
    """The time of `perf_counter` at which a time limit ends."""
    return inf if seconds is None else perf_counter() + seconds


def finish(work: Work, end: float) -> Findings:
    """The findings of `work` when it has finished, or at the time `end`."""
    while perf_counter() < end and work.advance():
        work.learn()
    return work.findings


def _join(parts: Sequence[Findings]) -> Findings:
    """The findings of the parts of a batch as those of the whole."""
    return Findings(
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.exact for part in parts]),
        np.concatenate([part.witnesses for part in parts]),
        total_of(part.stats for part in parts),
    )


def total_of(parts: Iterable[Stats]) -> Stats:
    """The sum of the statistics of several searches."""
    total = Counter(dict.fromkeys(_STATS, 0))
    for part in parts:
        total.update(part)
    return dict(total)
