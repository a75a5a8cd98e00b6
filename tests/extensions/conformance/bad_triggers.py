"""Backends that are wrong for certain cells, values, sizes, numbers of clues or counts only."""

from dataclasses import replace
from itertools import islice
from time import monotonic
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from backends.native import Alternatives, Native, Search, State
from harness.contract import Answer, Count, Options, Unsupported
from harness.contract.answers import ManyAnswers, ManyCounts
from harness.extensions.conformance.shapes import transcribed
from harness.puzzles import Puzzle, Shape
from tests.extensions.conformance.planted import (
    Batches,
    Method,
    Sound,
    answering,
    changing,
    plant,
    without_equal_givens,
)


def ignoring(ignores: Method, *tasks: str) -> dict[str, Method]:
    """Methods that ignore some givens."""

    def other(_: Sound, puzzle: Puzzle) -> Puzzle:
        givens = (0 if ignores(puzzle, c, v) else v for c, v in enumerate(puzzle.givens))
        return Puzzle(puzzle.shape, tuple(givens))

    return {**answering(*tasks or ("solve", "count"))(other)}


plant(
    ignoring,
    IgnoresTheLastCell=lambda puzzle, cell, value: cell == len(puzzle.givens) - 1,
    IgnoresTheLastRow=lambda puzzle, cell, value: cell >= len(puzzle.givens) - puzzle.shape.size,
)
plant(
    lambda ignores: ignoring(ignores, "count"),
    IgnoresTheFirstCellWhenCounting=lambda puzzle, cell, value: cell == 0,
)
plant(
    ignoring,
    ("9x9",),
    IgnoresCell40=lambda puzzle, cell, value: cell == 40,
    # Ignores the last cell of the last column if its first one is equal.
    IgnoresTheLastGivenOfAColumn=lambda puzzle, cell, value: (
        cell == 80 and value == puzzle.givens[8]
    ),
)
plant(ignoring, ("16x16",), IgnoresValuesAbove9=lambda puzzle, cell, value: value > 9)
plant(ignoring, ("25x25",), IgnoresValuesAbove16=lambda puzzle, cell, value: value > 16)
plant(
    changing("solve"),
    ("9x9",),
    WrongAt17Clues=lambda answer, puzzle: Answer.unsatisfiable() if puzzle.clues == 17 else answer,
    RejectsAValueInTwoCorners=lambda answer, puzzle: (
        Answer.unsatisfiable()
        if answer.grid and answer.grid[0] == answer.grid[-1] == 7 and not puzzle.givens[-1]
        else answer
    ),
)
plant("solve", ("25x25",), UnsatisfiableAbove16Values=lambda self, puzzle: Answer.unsatisfiable())
plant(
    "count",
    LimitOf64Bits=lambda self, puzzle, limit: Native.count(self, puzzle, limit & 2**63 - 1 or 1),
)
plant(
    changing("count"),
    ("9x9",),
    CountsTwiceAt17Clues=lambda count, puzzle, limit: (
        Count(2, limit > 2) if puzzle.clues == 17 and count.number == 1 < limit else count
    ),
)
plant(
    changing("count"),
    NoneWhereSearchIsNeeded=lambda count, puzzle, limit: (
        Count(1, limit > 1) if count.stats["nodes"] > 1 and not count.number else count
    ),
)


def numbering(change: Method) -> dict[str, Method]:
    """A `count` that is right up to a number."""

    def changed(count: Count, _: Puzzle, limit: int) -> Count:
        number = min(change(count.number), limit)
        return replace(count, number=number, exact=number < limit)

    return {**changing("count")(changed)}


plant(
    numbering,
    MissesOneAbove12=lambda number: number - (number > 12),
    CountsModulo256=lambda number: number % 256,
    CountsInSignedBytes=lambda number: (number + 128) % 256 - 128,
    StopsAt100=lambda number: min(number, 100),
)
plant(numbering, ("latin5",), CapsCountsOfLatinSquares=lambda number: min(number, 12))


class CountsSymmetricSolutionsTwice(Sound):
    """Counts solutions that equal their transposition twice."""

    shapes = ("latin5",)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        size, number = puzzle.shape.size, 0
        for state in Search(puzzle).solutions():
            symmetric = all(
                state[row * size + column] == state[column * size + row]
                for row in range(size)
                for column in range(row)
            )
            number += 2 if symmetric else 1
            if number >= limit:
                return Count(limit, False)
        return Count(number, True)


class RejectsWhatNeedsASearch(Sound):
    """Reports unsatisfiable only where propagation finds the contradiction."""

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if answer.grid is None and answer.stats["nodes"] > 1:
            return super().solve(Puzzle(puzzle.shape, (0,) * len(puzzle.givens)))
        return answer


class OverlooksALateContradiction(Sound):
    """Overlooks contradictions of givens that are no peers."""

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        twice = any(
            value and puzzle.givens[peer] == value
            for cell, value in enumerate(puzzle.givens)
            for peer in puzzle.shape.peers[cell]
        )
        if answer.grid is None and not twice and puzzle.clues > puzzle.shape.size:
            return Answer.solved((1,) * len(puzzle.givens))
        return answer


class OverlooksEqualGivensInRichPuzzles(Sound):
    """Keeps the first of two equal givens of a house if there are many givens."""

    def solve(self, puzzle: Puzzle) -> Answer:
        is_rich = puzzle.clues > len(puzzle.givens) // 2
        return super().solve(without_equal_givens(puzzle) if is_rich else puzzle)


class TrustsItsGivens(Sound):
    """Compares blank cells with their peers, and givens with blank cells only."""

    shapes = ("9x9",)

    def solve(self, puzzle: Puzzle) -> Answer:
        grid = list(puzzle.givens)
        blank = [cell for cell, value in enumerate(grid) if not value]
        if len(blank) > len(grid) // 2 or not self.fill(grid, blank):
            return super().solve(puzzle)
        return Answer.solved(tuple(grid))

    def fill(self, grid: list[int], blank: list[int]) -> bool:
        if not blank:
            return True
        cell = blank[0]
        for value in {*range(1, self.shape.size + 1)} - {grid[p] for p in self.shape.peers[cell]}:
            grid[cell] = value
            if self.fill(grid, blank[1:]):
                return True
        grid[cell] = 0
        return False


class AnswersThoughItOnlyCounts(Sound):
    """Declares that it only counts, and reports unsatisfiable to `solve`."""

    solves = False

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if answer.grid is None:
            return Answer.unsatisfiable()
        raise Unsupported("only counts")


class WrongAfter64Rows(Batches):
    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        counts = super().count_many(puzzles, limit)
        counts.numbers[64:] = counts.numbers[0] if len(counts.numbers) else 0
        return counts


class RepeatsRow63(Batches):
    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        answers = super().solve_many(puzzles)
        answers.grids[64:] = answers.grids[63:64]
        return answers


class RefusesEmptyBatches(Batches):
    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        if not len(puzzles):
            raise IndexError("no first puzzle")
        return super().solve_many(puzzles)


class AnswersForAnEmptyBatch(Batches):
    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        if not len(puzzles):
            puzzles = np.zeros((1, self.shape.size**2), np.uint8)
        return super().count_many(puzzles, limit)


class ReturnsItsBuffer(Batches):
    """Writes all results into one array."""

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.buffer = np.zeros((4096, shape.size**2), np.uint8)

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        answers = super().solve_many(puzzles)
        self.buffer[: len(puzzles)] = answers.grids
        return ManyAnswers(answers.statuses, self.buffer[: len(puzzles)])


class AliasesTheBatch(Batches):
    """Returns the puzzles themselves where they are complete."""

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        answers = super().solve_many(puzzles)
        is_alike = len(puzzles) > 0 and np.array_equal(answers.grids, puzzles)
        return ManyAnswers(answers.statuses, puzzles) if is_alike else answers


class DeduplicatesByTheFirstRows(Batches):
    """Confuses puzzles of a batch that differ in the last rows only."""

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        answers = super().solve_many(puzzles)
        size = self.shape.size
        first: dict[bytes, int] = {}
        for row, puzzle in enumerate(puzzles):
            record = first.setdefault(
                puzzle[: -2 * size].tobytes() + bytes([int((puzzle > 0).sum())]), row
            )
            answers.grids[row] = answers.grids[record]
        return answers


class LosesTheThirdValue(Sound):
    """Leaves out the third candidate of a cell, after the first guess."""

    shapes = ("9x9",)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        number = sum(1 for _ in islice(WithoutTheThird(puzzle).solutions(), limit))
        return Count(number, number < limit)


class WithoutTheThird(Search):
    def two_places(self, state: State) -> Alternatives:
        return []

    def fewest_alternatives(self, state: State) -> Alternatives:
        alternatives = super().fewest_alternatives(state)
        return [
            alternative for n, alternative in enumerate(alternatives) if n != 2 or not self.guesses
        ]


class SaturatesAt16Bits(Sound):
    shapes = ("6x6",)

    numbers: ClassVar = {
        puzzle.line: number
        for kind in ("counted", "beyond")
        for puzzle, number in transcribed(kind, Shape.parse("6x6"))
    }
    """It counts fast."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        known = self.numbers.get(puzzle.line)
        number = super().count(puzzle, limit).number if known is None else min(known, limit)
        return Count(min(number, 2**16 - 1), min(number, 2**16 - 1) < limit)


class LosesASolutionWithTime(Sound):
    shapes = ("latin4",)
    began = monotonic()

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        if count.number > 1 and monotonic() - self.began > 3:
            return replace(count, number=count.number - 1, exact=True)
        return count


APART = (LosesASolutionWithTime,)
