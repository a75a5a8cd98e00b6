"""Backends with one wrong answer each, for the mutation score of the conformance suite."""

import random
from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.native import Native
from harness.contract import Answer, Backend, Count, Phases, Status
from harness.contract.answers import ManyAnswers, ManyCounts
from harness.extensions.conformance.shapes import JIGSAW
from harness.puzzles import Puzzle, Shape
from tests.extensions.conformance.planted import (
    ChangesAnswers,
    ChangesCounts,
    ChangesManyAnswers,
    ChangesManyCounts,
    OtherPuzzle,
    Sound,
    plant,
    without_equal_givens,
)


class ChangesGrids(Sound):
    """Solves correctly, then changes the grid."""

    @abstractmethod
    def change(self, grid: tuple[int, ...], puzzle: Puzzle) -> Any: ...

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        return replace(answer, grid=self.change(answer.grid, puzzle)) if answer.grid else answer


plant(
    ChangesCounts,
    "change",
    OneTooMany=lambda self, count, puzzle, limit: replace(count, number=count.number + 1),
    OneTooFew=lambda self, count, puzzle, limit: replace(count, number=max(count.number - 1, 0)),
    ExactAtTheLimit=lambda self, count, puzzle, limit: replace(count, exact=True),
    NeverExact=lambda self, count, puzzle, limit: replace(count, exact=False),
    FirstOfManyIsUnique=lambda self, count, puzzle, limit: replace(
        count, number=min(count.number, 1), exact=True
    ),
    CountOfNumpy=lambda self, count, puzzle, limit: replace(count, number=np.int64(count.number)),
    StatsOfBooleans=lambda self, count, puzzle, limit: replace(count, stats={"presolved": True}),
    WitnessOfNothing=lambda self, count, puzzle, limit: replace(
        count, witness=count.witness and count.witness[::-1]
    ),
    CountsByChance=lambda self, count, puzzle, limit: replace(
        count, number=count.number if random.random() < 0.5 else min(1, limit)
    ),
)


def is_in_hurry(backend: Backend[Any]) -> bool:
    return backend.time_limit is not None and backend.time_limit < 0.1


plant(
    Sound,
    "count",
    CountsPastTheLimit=lambda self, puzzle, limit: Native.count(self, puzzle, limit + 1),
    StopsBeforeTheLimit=lambda self, puzzle, limit: Native.count(self, puzzle, max(limit - 1, 1)),
    # Calls a count exact although the time limit stopped it.
    HurriedCountIsExact=lambda self, puzzle, limit: (
        Count(1, True) if is_in_hurry(self) else Native.count(self, puzzle, limit)
    ),
    # Counts a solution for two contradictory givens.
    CountsContradictions=lambda self, puzzle, limit: (
        Count(1, limit > 1) if puzzle.clues == 2 else Native.count(self, puzzle, limit)
    ),
)
plant(
    Sound,
    "solve",
    # Reports unsatisfiable if it has no time to search.
    UnknownIsNone=lambda self, puzzle: (
        Answer.unsatisfiable() if is_in_hurry(self) else Native.solve(self, puzzle)
    ),
    # Drops the second of two contradictory givens.
    SolvesContradictions=lambda self, puzzle: Native.solve(self, without_equal_givens(puzzle)),
)


def rows(grid: tuple[int, ...], size: int) -> tuple[tuple[int, ...], ...]:
    return tuple(grid[row * size : (row + 1) * size] for row in range(size))


plant(
    ChangesGrids,
    "change",
    FailsOn6x6=lambda self, grid, puzzle: (
        grid if puzzle.shape.spec != "6x6" else (grid[1], grid[0], *grid[2:])
    ),
    ChangesGivens=lambda self, grid, puzzle: tuple(v % puzzle.shape.size + 1 for v in grid),
    Incomplete=lambda self, grid, puzzle: (*grid[:-1], 0),
    ValuesFromZero=lambda self, grid, puzzle: tuple(value - 1 for value in grid),
    ValuesOfNumpy=lambda self, grid, puzzle: tuple(np.array(grid)),
    ValuesOfText=lambda self, grid, puzzle: tuple(map(str, grid)),
    GridIsAList=lambda self, grid, puzzle: list(grid),
    GridOfRows=lambda self, grid, puzzle: rows(grid, puzzle.shape.size),
)


plant(
    ChangesAnswers,
    "change",
    ReturnsTheGridAlone=lambda self, answer, puzzle: answer.grid,
    NoneIsUnknown=lambda self, answer, puzzle: answer if answer.grid else Answer.unknown(),
    # Reports unsatisfiable together with a grid.
    GridWithoutClaim=lambda self, answer, puzzle: (
        answer if answer.grid else Answer(Status.UNSATISFIABLE, puzzle.givens)
    ),
    NegativePhase=lambda self, answer, puzzle: replace(answer, phases=Phases(search=-1.0)),
    PhaseIsNotANumber=lambda self, answer, puzzle: replace(
        answer, phases=Phases(decode=float("nan"))
    ),
    # Reports milliseconds as seconds.
    PhasesLongerThanTheCall=lambda self, answer, puzzle: replace(answer, phases=Phases(search=0.7)),
    StatsOfText=lambda self, answer, puzzle: replace(answer, stats={"nodes": "12"}),
    StatsAreAList=lambda self, answer, puzzle: replace(answer, stats=[("nodes", 12)]),
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


def taking(shape: Shape, definition: str, other: str) -> Shape:
    """The other shape in place of the one with this definition."""
    return Shape.parse(other) if shape.definition == definition else shape


plant(
    OtherHouses,
    "instead",
    IgnoresDiagonals=lambda self, shape: taking(shape, "4x4+diagonal", "4x4"),
    IgnoresRegions=lambda self, shape: taking(shape, JIGSAW, "latin4"),
    PutsBoxesWhereThereAreNone=lambda self, shape: taking(shape, JIGSAW, "4x4"),
)
plant(
    OtherHouses,
    "instead",
    {"shapes": ("box4x3",)},
    TransposesBoxesOf12=lambda self, shape: taking(shape, "box4x3", "box3x4"),
)


class SeesContradictionsInRowsOnly(Sound):
    """Checks the givens for duplicates in rows only."""

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if answer.grid is None and puzzle.clues == 2 and not _twice_in_a_row(puzzle):
            return super().solve(Puzzle(puzzle.shape, (0,) * len(puzzle.givens)))
        return answer


plant(
    ChangesManyAnswers,
    "change",
    ShiftsTheBatch=lambda self, answers, puzzles: ManyAnswers(
        answers.statuses, np.roll(answers.grids, 1, axis=0)
    ),
)
plant(
    Sound,
    "count_many",
    LosesTheLastOfABatch=lambda self, puzzles, limit: Native.count_many(self, puzzles[:-1], limit),
)
plant(
    ChangesManyCounts,
    "change",
    ReversesTheCounts=lambda self, counts, limit: ManyCounts(
        counts.numbers[::-1], counts.exact[::-1], counts.witnesses[::-1]
    ),
    CallsEveryBatchExact=lambda self, counts, limit: ManyCounts(
        counts.numbers, np.ones_like(counts.exact), counts.witnesses
    ),
)


class WritesIntoTheBatch(ChangesManyAnswers):
    def change(self, answers: ManyAnswers, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        puzzles[:] = answers.grids
        return answers


def _twice_in_a_row(puzzle: Puzzle) -> bool:
    givens = [[value for value in row if value] for row in rows(puzzle.givens, puzzle.shape.size)]
    return any(len(row) != len(set(row)) for row in givens)
