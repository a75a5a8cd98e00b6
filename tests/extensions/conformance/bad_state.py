"""Backends that keep something from one call for the next, or count their calls."""

from abc import abstractmethod
from dataclasses import replace
from random import random
from typing import Any

from harness.contract import Answer, Count, Options, Phases
from harness.puzzles import Grid, Puzzle, Shape
from tests.extensions.conformance.planted import Remembers, plant


class LastCountAgain(Remembers):
    """Gives the last count again for as many clues and the same limit."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        key = (puzzle.clues, limit)
        if self.known.get("key") != key:
            self.known = {"key": key, "count": super().count(puzzle, limit)}
        count: Count = self.known["count"]
        return replace(count, witness=None, phases=Phases())


class WitnessOfThePreviousPuzzle(Remembers):
    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        previous, self.known["witness"] = self.known.get("witness"), count.witness
        return replace(count, witness=previous if count.number and previous else count.witness)


class MemoWithoutTheLimit(Remembers):
    def count(self, puzzle: Puzzle, limit: int) -> Count:
        if puzzle.givens not in self.known:
            self.known[puzzle.givens] = super().count(puzzle, limit)
        count: Count = self.known[puzzle.givens]
        number = min(count.number, limit)
        return Count(number, count.exact and number < limit, count.witness)


class Confuses(Remembers):
    """Takes puzzles with the same key for the same puzzle, in `solve`."""

    @abstractmethod
    def key(self, puzzle: Puzzle) -> object: ...

    def solve(self, puzzle: Puzzle) -> Any:
        return self.memo(self.key(puzzle), super().solve(puzzle))


def renamed(givens: Grid) -> Grid:
    """The givens with values in the order in which they occur."""
    names: dict[int, int] = {0: 0}
    return tuple(names.setdefault(value, len(names)) for value in givens)


plant(
    Confuses,
    "key",
    CachesByGivens=lambda self, puzzle: puzzle.clues,
    MemoOfTheBlankCells=lambda self, puzzle: tuple(map(bool, puzzle.givens)),
    MemoOfTheFirstRows=lambda self, puzzle: (puzzle.clues, puzzle.givens[: -puzzle.shape.size]),
    MemoOfTheValues=lambda self, puzzle: tuple(sorted(puzzle.givens)),
    MemoUpToRenaming=lambda self, puzzle: renamed(puzzle.givens),
)


class ConfusesCounts(Remembers):
    """Takes puzzles with the same key for the same puzzle, in `count`."""

    @abstractmethod
    def key(self, puzzle: Puzzle) -> object: ...

    def count(self, puzzle: Puzzle, limit: int) -> Any:
        return self.memo((self.key(puzzle), limit), super().count(puzzle, limit))


plant(
    ConfusesCounts,
    "key",
    CachesCountsByGivens=lambda self, puzzle: puzzle.clues,
    MemoOfTheLastRows=lambda self, puzzle: (puzzle.clues, puzzle.givens[puzzle.shape.size :]),
)


class UnsatisfiableInCalls(Remembers):
    """Reports unsatisfiable in certain calls, which it counts from 1."""

    @abstractmethod
    def is_wrong_in(self, call: int) -> bool: ...

    def solve(self, puzzle: Puzzle) -> Answer:
        self.calls += 1
        is_wrong = self.is_wrong_in(self.calls)
        return Answer.unsatisfiable() if is_wrong else super().solve(puzzle)


plant(
    UnsatisfiableInCalls,
    "is_wrong_in",
    UnsatisfiableAfter50Calls=lambda self, call: call > 50,
    UnsatisfiableAfter500Calls=lambda self, call: call > 500,
    WrongInTheCall64=lambda self, call: call == 64,
    # Wrong in one call of 200.
    WrongByChance=lambda self, call: random() < 0.005,
)


class StopsCountingAfter100Calls(Remembers):
    def count(self, puzzle: Puzzle, limit: int) -> Count:
        self.calls += 1
        return super().count(puzzle, limit if self.calls <= 100 else 1)


class AddsUpItsStatistics(Remembers):
    nodes = 0

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        self.nodes += int(answer.stats["nodes"])
        return replace(answer, stats={"nodes": self.nodes})


class AddsUpTheStatisticsOfCounts(Remembers):
    guesses = 0

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        self.guesses += int(count.stats["guesses"])
        return replace(count, stats={"guesses": self.guesses})


class SolutionOfThePuzzleBefore(Remembers):
    """Returns the previous solution where it fits the number of givens and their cells."""

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        cells = tuple(map(bool, puzzle.givens))
        before: tuple[Any, Grid] | None = self.known.get("last")
        self.known["last"] = (cells, answer.grid)
        if before and before[0] == cells and before[1] and answer.grid:
            return replace(answer, grid=before[1])
        return answer


class ForgetsAfterOtherShapes(Remembers):
    """Wrong as soon as 60 backends for other puzzles were created after it."""

    instances = 0

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        ForgetsAfterOtherShapes.instances += 1
        self.number = self.instances

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        is_old = self.instances > self.number + 60 and not puzzle.shape.constraints
        return Count(0, True) if is_old and count.number == 1 else count
