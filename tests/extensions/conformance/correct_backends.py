"""Correct backends of different manners: the suite must not report any of them."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache
from multiprocessing.pool import ThreadPool
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.native import Native, Search, values_of
from harness.contract import Answer, Backend, Count, Options, PhaseTimer
from harness.contract.answers import ManyAnswers, ManyCounts
from harness.puzzles import Grid, Puzzle, Shape


class Slow(Native):
    """Takes a tenth of a second for each call."""

    def solve(self, puzzle: Puzzle) -> Answer:
        time.sleep(0.1)
        return super().solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        time.sleep(0.1)
        return super().count(puzzle, limit)


class Pooled(Native):
    """Works in the threads of a pool that lives as long as the backend."""

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.pool = ThreadPoolExecutor(max_workers=3)

    def solve(self, puzzle: Puzzle) -> Answer:
        return self.pool.submit(super().solve, puzzle).result()

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        future = self.pool.submit(super().count, puzzle, limit)
        other = self.pool.submit(super().count, puzzle, limit)
        return future.result() if future.done() else other.result()


class PoolOfProcesses(Backend):
    """Sends each puzzle with its shape to a process, which starts with the first one."""

    name = "pool-of-processes"
    paradigm = "processes"

    def __init__(self, shape: Shape, options: Options) -> None:
        self.pool = ProcessPoolExecutor(1)

    def solve(self, puzzle: Puzzle) -> Answer:
        return self.pool.submit(_solved, puzzle).result()

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return self.pool.submit(_count, puzzle, limit).result()

    def __del__(self) -> None:
        self.pool.shutdown()


def _solved(puzzle: Puzzle) -> Answer:
    answer = Native(puzzle.shape, Options()).solve(puzzle)
    return Answer(answer.status, answer.grid)


def _count(puzzle: Puzzle, limit: int) -> Count:
    count = Native(puzzle.shape, Options()).count(puzzle, limit)
    return Count(count.number, count.exact, count.witness)


class PooledByMultiprocessing(Native):
    """A pool of another library, which starts its threads at once."""

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.pool = ThreadPool(2)

    def __del__(self) -> None:
        self.pool.terminate()
        self.pool.join()

    def solve(self, puzzle: Puzzle) -> Answer:
        return self.pool.apply(super().solve, (puzzle,))


class OwnWorker(Native):
    """A thread of its own, started in `__init__`, with queues."""

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.tasks: SimpleQueue[Puzzle] = SimpleQueue()
        self.answers: SimpleQueue[Answer] = SimpleQueue()
        threading.Thread(target=self.work, daemon=True).start()

    def work(self) -> None:
        while True:
            self.answers.put(Native.solve(self, self.tasks.get()))

    def solve(self, puzzle: Puzzle) -> Answer:
        self.tasks.put(puzzle)
        return self.answers.get()


class OnArrays(Backend):
    """Searches on numpy arrays, without propagation."""

    name, paradigm, counts_natively = "arrays", "backtracking on arrays", True

    def __init__(self, shape: Shape, options: Options) -> None:
        self.peers = [np.array(peers) for peers in shape.peers]

    def solutions(self, grid: NDArray[np.int64]) -> Iterator[Grid]:
        free: list[tuple[int, list[int]]] = []
        for blank in np.flatnonzero(grid == 0):
            taken = set(grid[self.peers[blank]].tolist())
            free.append((int(blank), [v for v in range(1, self.shape.size + 1) if v not in taken]))
        if not free:
            yield tuple(grid.tolist())
            return
        cell, values = min(free, key=lambda pair: len(pair[1]))
        for candidate in values:
            grid[cell] = candidate
            yield from self.solutions(grid)
        grid[cell] = 0

    def start(self, puzzle: Puzzle) -> Iterator[Grid]:
        grid = np.array(puzzle.givens)
        if any(v and v in grid[self.peers[c]] for c, v in enumerate(puzzle.givens)):
            return iter(())
        return self.solutions(grid)

    def solve(self, puzzle: Puzzle) -> Answer:
        solution = next(self.start(puzzle), None)
        return Answer.solved(solution) if solution else Answer.unsatisfiable()

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        number = 0
        for _ in self.start(puzzle):
            number += 1
            if number == limit:
                break
        return Count(number, number < limit)


class ProcessPerCall(Native):
    """Starts a process for each call and waits for its end."""

    def solve(self, puzzle: Puzzle) -> Answer:
        subprocess.run(["true"], check=True)
        return super().solve(puzzle)


class LongLivedProcess(Native):
    """Keeps a process for the life of the backend, and gives it each grid."""

    program = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.process = subprocess.Popen(
            [sys.executable, "-c", self.program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __del__(self) -> None:
        with self.process:
            self.process.kill()

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if answer.grid is None:
            return answer
        assert self.process.stdin
        assert self.process.stdout
        print(json.dumps(answer.grid), file=self.process.stdin, flush=True)
        return Answer.solved(tuple(json.loads(self.process.stdout.readline())))


class Generates(Native):
    """Keeps an open generator of the solutions of the last puzzle, as long as it is the same."""

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.last: tuple[Grid, Iterator[list[int]]] = ((), iter(()))

    def solve(self, puzzle: Puzzle) -> Answer:
        self.last = (puzzle.givens, Search(puzzle).solutions())
        state = next(self.last[1], None)
        return Answer.solved(values_of(state)) if state else Answer.unsatisfiable()


class CachesByContent(Native):
    """Looks answers up by the candidates, the task and the limit."""

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.known: dict[Any, Any] = {}

    def look_up(self, key: object, call: Callable[[], Any]) -> Any:
        timer = PhaseTimer()
        if key not in self.known:
            self.known[key] = call()
        return replace(self.known[key], phases=timer.stop())

    def solve(self, puzzle: Puzzle) -> Any:
        return self.look_up(puzzle.allowed, lambda: Native.solve(self, puzzle))

    def count(self, puzzle: Puzzle, limit: int) -> Any:
        return self.look_up((puzzle.allowed, limit), lambda: Native.count(self, puzzle, limit))


class CachesAFunction(Native):
    """A cached function of the shape and the givens, which all backends share."""

    @staticmethod
    @lru_cache(maxsize=1000)
    def solution(shape: Shape, givens: Grid) -> Grid | None:
        state = next(Search(Puzzle(shape, givens)).solutions(), None)
        return values_of(state) if state else None

    def solve(self, puzzle: Puzzle) -> Answer:
        solution = self.solution(puzzle.shape, puzzle.givens)
        return Answer.solved(solution) if solution else Answer.unsatisfiable()


class BuildsLate(Native):
    """Prepares itself in the first call."""

    prepared: Shape | None = None

    def solve(self, puzzle: Puzzle) -> Answer:
        if self.prepared is None:
            time.sleep(0.05)
            self.prepared = puzzle.shape
        return super().solve(puzzle)


class AnswersBatches(Native):
    """Answers a batch at once, from a table of distinct puzzles."""

    batches_natively = True

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        if not len(puzzles):
            return super().solve_many(puzzles)
        distinct, rows = np.unique(puzzles, axis=0, return_inverse=True)
        answers = super().solve_many(distinct)
        rows = rows.reshape(-1)
        return ManyAnswers(answers.statuses[rows], answers.grids[rows], answers.stats)

    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        counts = super().count_many(puzzles[::-1].copy(), limit)
        return ManyCounts(counts.numbers[::-1], counts.exact[::-1], counts.witnesses[::-1])


class KeepsItsTimeLimit(Native):
    """Checks its time limit and reports unknown when it has passed."""

    def solve(self, puzzle: Puzzle) -> Answer:
        deadline = time.monotonic() + (self.time_limit or 3600.0)
        search = Search(puzzle)
        solution = next(search.solutions(), None)
        if time.monotonic() > deadline:
            return Answer.unknown()
        return Answer.solved(values_of(solution)) if solution else Answer.unsatisfiable()

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        deadline, number = time.monotonic() + (self.time_limit or 3600.0), 0
        for _ in Search(puzzle).solutions():
            number += 1
            if number == limit or time.monotonic() > deadline:
                return Count(number, False)
        return Count(number, True)


class Large(Native):
    """Holds 100 MiB for its shape: a process has room for few of them."""

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.table = bytearray(100 << 20)


APART = (Large,)
"""It is examined with little memory."""
