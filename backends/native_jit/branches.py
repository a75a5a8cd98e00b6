"""Splits the search of one puzzle into branches, and searches them on threads.

A branch is an open state. The root is expanded level by level until there are enough
branches, always in the order of the search, so the branches, the answer, its grid and its
statistics depend on the number of branches and not on the number of threads. Each branch is
a search of its own: it begins with the failures counted while splitting, and learns nothing
from the others.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import takewhile
from threading import Event
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from harness.contract import Stats

from .search import Candidates, Found, Grids, Search, State, Work, deadline, summed


@dataclass(frozen=True)
class Limits:
    """The limits of a search.

    Attributes:
        solutions: the largest number of solutions to find.
        nodes: the largest number of states to visit in each branch, or NEVER.
        seconds: time limit; None for no limit.
    """

    solutions: int
    nodes: int
    seconds: float | None


class _Split:
    """The branches of a puzzle.

    Attributes:
        states: the branches, in the order of the search.
        failures: the failures at each cell so far, None if the kernel counts none.
        found: no solution, and the statistics of the nodes above the branches.
    """

    def __init__(
        self, search: Search, givens: Grids, roots: Sequence[State], branches: int
    ) -> None:
        self._search, self._givens = search, givens
        self._stats: list[Stats] = []
        self.failures: NDArray[np.int64] | None = None
        self.states = list(roots)
        grown = bool(roots)
        while grown and len(self.states) < branches:
            grown = False
            level, self.states = self.states, []
            for number, state in enumerate(level):
                known = len(self.states) + len(level) - number
                below = self._below(state) if known < branches else None
                grown = grown or below is not None
                self.states += [state] if below is None else below

    def _below(self, state: State) -> list[State] | None:
        """The states below this one, None if it is a solution."""
        work = Work(self._search, self._givens, limit=1, budget=1)
        work.begin(state, self.failures)
        work.advance()
        if work.numbers[0]:
            return None
        self._stats.append(work.stats)
        self.failures = work.failures()
        return work.open_states()

    @property
    def found(self) -> Found:
        nothing = np.zeros(1, np.int64), np.ones(1, np.bool_), np.zeros_like(self._givens)
        return Found(*nothing, summed(self._stats))


def answer_in_branches(
    search: Search,
    givens: Grids,
    candidates: Candidates | None,
    limits: Limits,
    branches: int,
    threads: int,
) -> Found:
    """Search one puzzle in about `branches` branches.

    The branches count in their order: once the first of them have enough solutions, the
    others end, and neither their solutions nor their nodes are part of the answer.

    Args:
        search: the kernel.
        givens: uint8[1, cells], C-contiguous and writable, 0 for a blank.
        candidates: int64[cells], the candidates as bits if they are fewer than the givens
            leave.
        limits: the limits of the search.
        branches: the number of branches from which on no further one is split.
        threads: number of threads.
    """
    end = deadline(limits.seconds)
    root = search.first_state(givens[0], candidates)
    split = _Split(search, givens, [] if root is None else [root], branches)
    found: list[Found | None] = [None] * len(split.states)
    enough = Event()

    def work(branch: int) -> None:
        work = Work(search, givens, limits.solutions, limits.nodes)
        work.begin(split.states[branch], split.failures)
        while not enough.is_set() and perf_counter() < end and work.advance():
            pass
        found[branch] = work.found
        first = takewhile(lambda one: one is not None, found)
        if sum(int(one.numbers[0]) for one in first if one) >= limits.solutions:
            enough.set()

    with ThreadPoolExecutor(threads) as pool:
        try:
            list(pool.map(work, range(len(found))))
        finally:
            enough.set()
    return _joined(split, [one for one in found if one], limits.solutions)


def _joined(split: _Split, found: Iterable[Found], limit: int) -> Found:
    """The findings of the first branches that reach the limit, or of all."""
    parts = [split.found]
    total = 0
    for one in found:
        parts.append(one)
        total += int(one.numbers[0])
        if total >= limit:
            break
    witness = next((one.witnesses for one in parts if one.numbers[0]), split.found.witnesses)
    exact = total < limit and all(bool(one.exact[0]) for one in parts)
    return Found(
        np.array([min(total, limit)]),
        np.array([exact]),
        witness,
        summed(one.stats for one in parts),
    )
