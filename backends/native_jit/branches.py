"""Searches one puzzle on several threads, which share its open states.

A *branch* is an open state with the weights of failures when it was opened. A branch that has
visited a number of nodes is split: each of its open states becomes a branch of its own. The first
branch in the order of the search is always taken first. Branches learn nothing from each other, so
the branches, the answer, its grid and its statistics depend on the number of nodes and not on the
number of threads.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from threading import Condition, Thread
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from .search import NEVER, Candidates, Findings, Grids, Search, State, Work, deadline, total_of

Key = tuple[int, ...]
"""The position of a branch: that of the branch that was split, then its number among the open
states. A search on one thread would visit the branches in this order."""


@dataclass(frozen=True)
class Limits:
    """The limits of a search.

    Attributes:
        solutions: the largest number of solutions to find.
        nodes: the number of nodes after which no further branch counts, or NEVER.
        seconds: time limit; None for no limit.
    """

    solutions: int
    nodes: int
    seconds: float | None


@dataclass(frozen=True)
class _Branch:
    state: State
    weights: NDArray[np.float32] | None


class _Branches:
    """The branches of one search, which threads take and give back."""

    def __init__(self, search: Search, givens: Grids, limits: Limits, split: int) -> None:
        self._search, self._givens, self._limits = search, givens, limits
        self._end = deadline(limits.seconds)
        self._split = split
        self._budget = split // -(-split // search.slice)
        self._changed = Condition()
        self._waiting: list[tuple[Key, _Branch]] = []
        self._busy: set[Key] = set()
        self._ahead: list[tuple[Key, Findings]] = []
        """Findings of branches that come after a branch that is still open."""
        self._total = _nothing(givens)
        """The sum of the findings of all branches before the first open branch."""
        self._is_over = False
        """Whether no further branch is searched."""
        self._is_decided = False
        """Whether the first branches reached a limit, so that later branches do not count."""
        self._is_complete = True
        """Whether all branches counted when a limit was reached."""
        self._error: BaseException | None = None

    def run(self, root: State, threads: int) -> Findings:
        """Search all branches that count, on this number of threads."""
        self._waiting.append(((), _Branch(root, None)))
        helpers = [Thread(target=self._work, daemon=True) for _ in range(threads - 1)]
        for helper in helpers:
            helper.start()
        self._work()
        for helper in helpers:
            helper.join()
        if self._error is not None:
            raise self._error
        # Where the time limit left a branch open, finished branches after it count, too.
        total = _sum([self._total, *(findings for _, findings in self._ahead)])
        number = min(int(total.numbers[0]), self._limits.solutions)
        exact = self._is_complete and not self._waiting and number < self._limits.solutions
        return Findings(np.array([number]), np.array([exact]), total.witnesses, total.stats)

    def _work(self) -> None:
        """Search one branch after another until the search is over."""
        try:
            while (entry := self._take()) is not None:
                key, branch = entry
                self._give_back(key, self._search_branch(branch))
        except BaseException as error:  # noqa: BLE001  raised again where all threads have ended
            with self._changed:
                self._error, self._is_over = error, True
                self._changed.notify_all()

    def _take(self) -> tuple[Key, _Branch] | None:
        """The first branch that waits; None if the search is over."""
        with self._changed:
            while not self._is_over and not self._waiting and self._busy:
                self._changed.wait()
            if self._is_over or not self._waiting:
                return None
            key, branch = heappop(self._waiting)
            self._busy.add(key)
            return key, branch

    def _search_branch(self, branch: _Branch) -> Work:
        """Search a branch until it has visited its nodes, or the search is over."""
        work = Work(self._search, self._givens, self._limits.solutions, budget=self._budget)
        work.begin(branch.state, branch.weights)
        while not self._is_over and perf_counter() < self._end and work.advance():
            if work.stats["nodes"] >= self._split:
                break
        return work

    def _give_back(self, key: Key, work: Work) -> None:
        """Record the findings of a branch, and open the branches below it."""
        weights = work.weights()
        with self._changed:
            self._busy.remove(key)
            if self._is_decided:
                return
            for number, state in enumerate(work.open_states()):
                heappush(self._waiting, ((*key, number), _Branch(state, weights)))
            heappush(self._ahead, (key, work.findings))
            self._count_first()
            if perf_counter() >= self._end:
                self._is_over = True
            self._changed.notify_all()

    def _count_first(self) -> None:
        """Add what was found before the first open branch; end the search if that is enough."""
        open_keys = [*self._busy, *(key for key, _ in self._waiting[:1])]
        while self._ahead and not self._is_over:
            if open_keys and self._ahead[0][0] > min(open_keys):
                return
            self._total = _sum([self._total, heappop(self._ahead)[1]])
            nodes, most = self._total.stats["nodes"], self._limits.nodes
            has_enough = self._total.numbers[0] >= self._limits.solutions
            if has_enough or (most != NEVER and nodes >= most):
                self._is_over = self._is_decided = True
                self._is_complete = not (self._busy or self._waiting or self._ahead)
                self._ahead.clear()


def answer_in_branches(
    search: Search,
    givens: Grids,
    candidates: Candidates | None,
    limits: Limits,
    split: int,
    threads: int,
) -> Findings:
    """Search one puzzle in branches.

    Once the first branches have enough solutions, the others end, and neither their solutions
    nor their nodes are part of the answer.

    Args:
        search: the kernel.
        givens: uint8[1, cells], C-contiguous and writable, 0 for a blank.
        candidates: int64[cells], the candidates as bits if they are fewer than the givens
            leave.
        limits: the limits of the search.
        split: the number of nodes after which a branch is split, at least 1.
        threads: number of threads.
    """
    root = search.first_state(givens[0], candidates)
    if root is None:
        return _nothing(givens)
    return _Branches(search, givens, limits, split).run(root, threads)


def _nothing(givens: Grids) -> Findings:
    """The findings where no search is needed: the givens leave no solution."""
    return Findings(
        np.zeros(1, np.int64), np.ones(1, np.bool_), np.zeros_like(givens), total_of([])
    )


def _sum(parts: Sequence[Findings]) -> Findings:
    """The sum of the findings of branches, with the first grid."""
    witnesses = next((part.witnesses for part in parts if part.numbers[0]), parts[0].witnesses)
    numbers = np.array([sum(int(part.numbers[0]) for part in parts)])
    return Findings(numbers, parts[0].exact, witnesses, total_of(part.stats for part in parts))
