"""Backends with one wrong answer each, for the mutation score of the conformance suite."""

import random
from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.contract import Answer, Count, Phases, Status
from harness.contract.answers import ManyAnswers, ManyCounts
from harness.extensions.conformance.shapes import JIGSAW
from harness.puzzles import Puzzle, Shape
from tests.extensions.conformance.planted import OtherPuzzle, Sound, variants

Changed = dict[str, Any]


class ChangesCounts(Sound):
    """Counts correctly, then changes the record."""

    @abstractmethod
    def change(self, count: Count, limit: int) -> Changed: ...

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        return replace(count, **self.change(count, limit))


class ChangesGrids(Sound):
    """Solves correctly, then changes the grid."""

    @abstractmethod
    def change(self, grid: tuple[int, ...], puzzle: Puzzle) -> Any: ...

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        return replace(answer, grid=self.change(answer.grid, puzzle)) if answer.grid else answer


globals().update(
    variants(
        ChangesCounts,
        "change",
        OneTooMany=lambda self, count, limit: ({"number": count.number + 1}),
        OneTooFew=lambda self, count, limit: ({"number": max(count.number - 1, 0)}),
        ExactAtTheLimit=lambda self, count, limit: ({"exact": True}),
        NeverExact=lambda self, count, limit: ({"exact": False}),
        FirstOfManyIsUnique=lambda self, count, limit: (
            {"number": min(count.number, 1), "exact": True}
        ),
        CountOfNumpy=lambda self, count, limit: ({"number": np.int64(count.number)}),
        WitnessOfNothing=lambda self, count, limit: (
            {"witness": tuple(reversed(count.witness)) if count.witness else None}
        ),
        CountsByChance=lambda self, count, limit: (
            {"number": count.number if random.random() < 0.5 else min(1, limit)}
        ),
    )
)


class CountsPastTheLimit(Sound):
    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return super().count(puzzle, limit + 1)


class StopsBeforeTheLimit(Sound):
    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return super().count(puzzle, max(limit - 1, 1))


globals().update(
    variants(
        ChangesGrids,
        "change",
        FailsOn6x6=lambda self, grid, puzzle: (
            grid if puzzle.shape.spec != "6x6" else (grid[1], grid[0], *grid[2:])
        ),
        ChangesGivens=lambda self, grid, puzzle: tuple(
            value % puzzle.shape.size + 1 for value in grid
        ),
        Incomplete=lambda self, grid, puzzle: ((*grid[:-1], 0)),
        ValuesFromZero=lambda self, grid, puzzle: tuple(value - 1 for value in grid),
        ValuesOfNumpy=lambda self, grid, puzzle: tuple(np.array(grid)),
        ValuesOfText=lambda self, grid, puzzle: tuple(map(str, grid)),
        GridIsAList=lambda self, grid, puzzle: list(grid),
    )
)


class OtherHouses(OtherPuzzle):
    """Solves another shape than the given one."""

    @abstractmethod
    def instead(self, shape: Shape) -> Shape: ...

    def other(self, puzzle: Puzzle) -> Puzzle:
        return Puzzle(self.instead(puzzle.shape), puzzle.givens)


class TransposesBoxes(OtherHouses):
    def instead(self, shape: Shape) -> Shape:
        if shape.box is None or len(shape.houses) != 3 * shape.size:
            return shape
        return Shape.parse(f"box{shape.box[1]}x{shape.box[0]}")


class IgnoresTheSecondDiagonal(OtherHouses):
    shapes = ("6x6+diagonal",)

    def instead(self, shape: Shape) -> Shape:
        houses = tuple(h for h in shape.houses if (h.kind, h.number) != ("diagonal", 2))
        return Shape("other", shape.size, houses, shape.box, primitives=shape.primitives)


class TransposesBoxesOf12(OtherHouses):
    shapes = ("box4x3",)

    def instead(self, shape: Shape) -> Shape:
        return Shape.parse("box3x4") if shape.spec == "box4x3" else shape


globals().update(
    variants(
        OtherHouses,
        "instead",
        IgnoresDiagonals=lambda self, shape: (
            Shape.parse("4x4") if shape.spec == "4x4+diagonal" else shape
        ),
        IgnoresRegions=lambda self, shape: (
            Shape.parse("latin4") if shape.definition == JIGSAW else shape
        ),
        PutsBoxesWhereThereAreNone=lambda self, shape: (
            Shape.parse("4x4") if shape.definition == JIGSAW else shape
        ),
    )
)


class GridOfRows(ChangesGrids):
    def change(self, grid: tuple[int, ...], puzzle: Puzzle) -> Any:
        size = puzzle.shape.size
        return tuple(grid[row * size : (row + 1) * size] for row in range(size))


class ReturnsTheGridAlone(Sound):
    def solve(self, puzzle: Puzzle) -> Any:
        return super().solve(puzzle).grid


class NoneIsUnknown(Sound):
    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        return answer if answer.grid else Answer.unknown()


class UnknownIsNone(Sound):
    """Reports unsatisfiable if it has no time to search."""

    def solve(self, puzzle: Puzzle) -> Answer:
        is_in_hurry = self.time_limit is not None and self.time_limit < 0.1
        return Answer.unsatisfiable() if is_in_hurry else super().solve(puzzle)


class HurriedCountIsExact(Sound):
    """Calls a count exact although the time limit stopped it."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        is_in_hurry = self.time_limit is not None and self.time_limit < 0.1
        return Count(1, True) if is_in_hurry else super().count(puzzle, limit)


class GridWithoutClaim(Sound):
    """Reports unsatisfiable together with a grid."""

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        return answer if answer.grid else Answer(Status.UNSATISFIABLE, puzzle.givens)


class SeesContradictionsInRowsOnly(Sound):
    """Checks the givens for duplicates in rows only."""

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if answer.grid is None and puzzle.clues == 2 and not _twice_in_a_row(puzzle):
            return super().solve(Puzzle(puzzle.shape, (0,) * len(puzzle.givens)))
        return answer


class SolvesContradictions(Sound):
    """Drops the second of two contradictory givens."""

    def solve(self, puzzle: Puzzle) -> Answer:
        givens = list(puzzle.givens)
        for cell, value in enumerate(puzzle.givens):
            if value and any(
                givens[peer] == value for peer in puzzle.shape.peers[cell] if peer < cell
            ):
                givens[cell] = 0
        return super().solve(Puzzle(puzzle.shape, tuple(givens)))


class CountsContradictions(Sound):
    """Counts a solution for two contradictory givens."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        if puzzle.clues == 2:
            return Count(1, limit > 1)
        return super().count(puzzle, limit)


class NegativePhase(Sound):
    def solve(self, puzzle: Puzzle) -> Answer:
        return replace(super().solve(puzzle), phases=Phases(search=-1.0))


class PhaseIsNotANumber(Sound):
    def solve(self, puzzle: Puzzle) -> Answer:
        return replace(super().solve(puzzle), phases=Phases(decode=float("nan")))


class PhasesLongerThanTheCall(Sound):
    """Reports milliseconds as seconds."""

    def solve(self, puzzle: Puzzle) -> Answer:
        return replace(super().solve(puzzle), phases=Phases(search=0.7))


class StatsOfText(Sound):
    def solve(self, puzzle: Puzzle) -> Answer:
        return replace(super().solve(puzzle), stats={"nodes": "12"})  # type: ignore[dict-item]


class StatsOfBooleans(Sound):
    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return replace(super().count(puzzle, limit), stats={"presolved": True})


class StatsAreAList(Sound):
    def solve(self, puzzle: Puzzle) -> Answer:
        return replace(super().solve(puzzle), stats=[("nodes", 12)])  # type: ignore[arg-type]


class ShiftsTheBatch(Sound):
    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        answers = super().solve_many(puzzles)
        return ManyAnswers(answers.statuses, np.roll(answers.grids, 1, axis=0))


class ReversesTheCounts(Sound):
    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        counts = super().count_many(puzzles, limit)
        return ManyCounts(counts.numbers[::-1], counts.exact[::-1], counts.witnesses[::-1])


class LosesTheLastOfABatch(Sound):
    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        return super().count_many(puzzles[:-1], limit)


class WritesIntoTheBatch(Sound):
    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        answers = super().solve_many(puzzles)
        puzzles[:] = answers.grids
        return answers


class CallsEveryBatchExact(Sound):
    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        counts = super().count_many(puzzles, limit)
        return ManyCounts(counts.numbers, np.ones_like(counts.exact), counts.witnesses)


def _twice_in_a_row(puzzle: Puzzle) -> bool:
    size = puzzle.shape.size
    rows = [[v for v in puzzle.givens[r * size : (r + 1) * size] if v] for r in range(size)]
    return any(len(row) != len(set(row)) for row in rows)
