"""Backends that keep something from one call for the next, or count their calls."""

from dataclasses import replace
from random import random
from typing import Any

from harness.contract import Answer, Count, Options, Phases
from harness.puzzles import Grid, Puzzle, Shape
from tests.extensions.conformance.planted import Remembers


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


class MemoOfTheBlankCells(Remembers):
    def solve(self, puzzle: Puzzle) -> Any:
        key = tuple(map(bool, puzzle.givens))
        return self.memo(key, super().solve(puzzle))


class MemoOfTheFirstRows(Remembers):
    def solve(self, puzzle: Puzzle) -> Any:
        key = (puzzle.clues, puzzle.givens[: -puzzle.shape.size])
        return self.memo(key, super().solve(puzzle))


class MemoOfTheLastRows(Remembers):
    def count(self, puzzle: Puzzle, limit: int) -> Any:
        key = (puzzle.clues, limit, puzzle.givens[puzzle.shape.size :])
        return self.memo(key, super().count(puzzle, limit))


class MemoOfTheValues(Remembers):
    """Confuses puzzles with the same values in other cells."""

    def solve(self, puzzle: Puzzle) -> Any:
        key = tuple(sorted(puzzle.givens))
        return self.memo(key, super().solve(puzzle))


class MemoUpToRenaming(Remembers):
    """Confuses puzzles that differ in the names of the values."""

    def solve(self, puzzle: Puzzle) -> Any:
        names: dict[int, int] = {0: 0}
        key = tuple(names.setdefault(value, len(names)) for value in puzzle.givens)
        return self.memo(key, super().solve(puzzle))


class UnsatisfiableAfter50Calls(Remembers):
    limit = 50

    def solve(self, puzzle: Puzzle) -> Answer:
        self.calls += 1
        return Answer.unsatisfiable() if self.calls > self.limit else super().solve(puzzle)


class UnsatisfiableAfter500Calls(UnsatisfiableAfter50Calls):
    limit = 500


class StopsCountingAfter100Calls(Remembers):
    def count(self, puzzle: Puzzle, limit: int) -> Count:
        self.calls += 1
        return super().count(puzzle, limit if self.calls <= 100 else 1)


class WrongInTheCall64(Remembers):
    def solve(self, puzzle: Puzzle) -> Answer:
        self.calls += 1
        return Answer.unsatisfiable() if self.calls == 64 else super().solve(puzzle)


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


class WrongByChance(Remembers):
    """Wrong in one call of 200."""

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        return Answer.unsatisfiable() if random() < 0.005 else answer


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
