"""Backends with one wrong answer each, alone or in a batch, for the score of the suite."""

import random
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
    Method,
    Sound,
    answering_all,
    changing,
    plant,
    without_equal_givens,
)

plant(
    changing("count"),
    OneTooMany=lambda count, puzzle, limit: replace(count, number=count.number + 1),
    OneTooFew=lambda count, puzzle, limit: replace(count, number=max(count.number - 1, 0)),
    ExactAtTheLimit=lambda count, puzzle, limit: replace(count, exact=True),
    NeverExact=lambda count, puzzle, limit: replace(count, exact=False),
    FirstOfManyIsUnique=lambda count, puzzle, limit: replace(
        count, number=min(count.number, 1), exact=True
    ),
    CountOfNumpy=lambda count, puzzle, limit: replace(count, number=np.int64(count.number)),
    StatsOfBooleans=lambda count, puzzle, limit: replace(count, stats={"presolved": True}),
    WitnessOfNothing=lambda count, puzzle, limit: replace(
        count, witness=count.witness and count.witness[::-1]
    ),
    CountsByChance=lambda count, puzzle, limit: replace(
        count, number=count.number if random.random() < 0.5 else min(1, limit)
    ),
)


def is_in_hurry(backend: Backend[Any]) -> bool:
    return backend.time_limit is not None and backend.time_limit < 0.1


plant(
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
    lambda change: changing("solve")(
        lambda answer, puzzle: (
            replace(answer, grid=change(answer.grid, puzzle.shape)) if answer.grid else answer
        )
    ),
    FailsOn6x6=lambda grid, shape: grid if shape.spec != "6x6" else (grid[1], grid[0], *grid[2:]),
    ChangesGivens=lambda grid, shape: tuple(v % shape.size + 1 for v in grid),
    Incomplete=lambda grid, shape: (*grid[:-1], 0),
    ValuesFromZero=lambda grid, shape: tuple(value - 1 for value in grid),
    ValuesOfNumpy=lambda grid, shape: tuple(np.array(grid)),
    ValuesOfText=lambda grid, shape: tuple(map(str, grid)),
    GridIsAList=lambda grid, shape: list(grid),
    GridOfRows=lambda grid, shape: rows(grid, shape.size),
)
plant(
    changing("solve"),
    ReturnsTheGridAlone=lambda answer, puzzle: answer.grid,
    NoneIsUnknown=lambda answer, puzzle: answer if answer.grid else Answer.unknown(),
    # Reports unsatisfiable together with a grid.
    GridWithoutClaim=lambda answer, puzzle: (
        answer if answer.grid else Answer(Status.UNSATISFIABLE, puzzle.givens)
    ),
    NegativePhase=lambda answer, puzzle: replace(answer, phases=Phases(search=-1.0)),
    PhaseIsNotANumber=lambda answer, puzzle: replace(answer, phases=Phases(decode=float("nan"))),
    # Reports milliseconds as seconds.
    PhasesLongerThanTheCall=lambda answer, puzzle: replace(answer, phases=Phases(search=0.7)),
    StatsOfText=lambda answer, puzzle: replace(answer, stats={"nodes": "12"}),
    StatsAreAList=lambda answer, puzzle: replace(answer, stats=[("nodes", 12)]),
)


def in_other_houses(instead: Method) -> dict[str, Method]:
    """Methods that answer a puzzle of another shape."""
    return {**answering_all(lambda _, puzzle: Puzzle(instead(puzzle.shape), puzzle.givens))}


def taking(shape: Shape, definition: str, other: str) -> Shape:
    """The other shape in place of the one with this definition."""
    return Shape.parse(other) if shape.definition == definition else shape


plant(
    in_other_houses,
    IgnoresDiagonals=lambda shape: taking(shape, "4x4+diagonal", "4x4"),
    IgnoresRegions=lambda shape: taking(shape, JIGSAW, "latin4"),
    PutsBoxesWhereThereAreNone=lambda shape: taking(shape, JIGSAW, "4x4"),
    TransposesBoxes=lambda shape: (
        Shape.parse(f"box{shape.box[1]}x{shape.box[0]}")
        if shape.box and len(shape.houses) == 3 * shape.size
        else shape
    ),
)
plant(
    in_other_houses,
    ("box4x3",),
    TransposesBoxesOf12=lambda shape: taking(shape, "box4x3", "box3x4"),
)
plant(
    in_other_houses,
    ("6x6+diagonal",),
    IgnoresTheSecondDiagonal=lambda shape: Shape(
        "other", 6, shape.houses[:-1], shape.box, primitives=shape.primitives
    ),
)


class SeesContradictionsInRowsOnly(Sound):
    """Checks the givens for duplicates in rows only."""

    def solve(self, puzzle: Puzzle) -> Answer:
        answer, size = super().solve(puzzle), puzzle.shape.size
        givens = [[value for value in row if value] for row in rows(puzzle.givens, size)]
        is_right_in_rows = all(len(row) == len(set(row)) for row in givens)
        if answer.grid is None and puzzle.clues == 2 and is_right_in_rows:
            return super().solve(Puzzle(puzzle.shape, (0,) * len(puzzle.givens)))
        return answer


def is_nearly_full(puzzle: Puzzle) -> bool:
    return 1 <= puzzle.shape.size**2 - puzzle.clues <= 2


class GivesUpNearTheEnd(Sound):
    """Claims that puzzles with one or two blank cells have no solution."""

    shapes = ("4x4", "9x9")

    def solve(self, puzzle: Puzzle) -> Answer:
        return Answer.unsatisfiable() if is_nearly_full(puzzle) else super().solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return Count(0, True) if is_nearly_full(puzzle) else super().count(puzzle, limit)


plant(
    changing("count"),
    ("4x4", "9x9"),
    # Calls a count of 1 exact at limit 1 where few cells are blank.
    ExactNearTheEnd=lambda count, puzzle, limit: replace(
        count, exact=count.exact or (limit == 1 == count.number and is_nearly_full(puzzle))
    ),
)

# Batches.

plant(
    "count_many",
    LosesTheLastOfABatch=lambda self, puzzles, limit: Native.count_many(self, puzzles[:-1], limit),
    RefusesLargeLimits=lambda self, puzzles, limit: Native.count_many(
        self, puzzles, int(np.int64(limit))
    ),
)
plant(
    changing("count_many"),
    ReversesTheCounts=lambda counts, puzzles, limit: ManyCounts(
        counts.numbers[::-1], counts.exact[::-1], counts.witnesses[::-1]
    ),
    CallsEveryBatchExact=lambda counts, puzzles, limit: ManyCounts(
        counts.numbers, np.ones_like(counts.exact), counts.witnesses
    ),
    CountsBatchesModulo256=lambda counts, puzzles, limit: replace(
        counts, numbers=counts.numbers % 256
    ),
    CountsInBytes=lambda counts, puzzles, limit: replace(
        counts, numbers=np.minimum(counts.numbers, 255).astype(np.uint8)
    ),
    # Calls a count at a limit above 2 exact from row 40 of a batch on.
    ExactFromRow40=lambda counts, puzzles, limit: replace(
        counts,
        exact=counts.exact
        | ((np.arange(len(puzzles)) >= 40) & (counts.numbers == limit) & (limit > 2)),
    ),
    StatisticsPerRow=lambda counts, puzzles, limit: replace(
        counts, stats={k: v / max(1, len(puzzles)) for k, v in counts.stats.items()}
    ),
    # Stops at 1 for all rows after 50 solutions.
    OneLimitForAllRows=lambda counts, puzzles, limit: replace(
        counts,
        numbers=np.where(
            np.cumsum(counts.numbers) - counts.numbers > 50,
            np.minimum(counts.numbers, 1),
            counts.numbers,
        ),
    ),
)
plant(
    changing("solve_many"),
    ShiftsTheBatch=lambda answers, puzzles: ManyAnswers(
        answers.statuses, np.roll(answers.grids, 1, axis=0)
    ),
    SqueezesOneRow=lambda answers, puzzles: replace(answers, grids=answers.grids.squeeze()),
)


class ShowsTheWitnessBefore(Sound):
    """A row with several solutions gets the witness of the row before."""

    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        counts = super().count_many(puzzles, limit)
        witnesses = counts.witnesses.copy()
        for row in range(1, len(witnesses)):
            if counts.numbers[row] > 2 and counts.numbers[row - 1] > 2:
                witnesses[row] = counts.witnesses[row - 1]
        return replace(counts, witnesses=witnesses)


class WritesIntoTheBatch(Sound):
    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        answers = super().solve_many(puzzles)
        puzzles[:] = answers.grids
        return answers


class RefusesBatchesWithoutSolution(Sound):
    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        answers = super().solve_many(puzzles)
        if len(puzzles) > 1 and not answers.grids.any():
            raise ValueError("max() of an empty sequence")
        return answers


class KeepsTheFirstRow(Sound):
    """From the third batch on, the first row is that of the batch before."""

    first: NDArray[np.uint8] | None = None

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        answers = super().solve_many(puzzles)
        self.calls += 1
        grids = answers.grids.copy()
        if self.calls > 2 and self.first is not None and len(puzzles) and grids[0].any():
            grids[0] = self.first
        if len(puzzles):
            self.first = answers.grids[0].copy()
        return replace(answers, grids=grids)


class SolvesTheBatchAgain(Sound):
    """A call after a batch returns the last grid of the batch for as many clues."""

    last: tuple[int, tuple[int, ...]] | None = None

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        self.last = None
        answers = super().solve_many(puzzles)
        if len(puzzles) and answers.statuses[-1] is Status.SOLVED:
            self.last = int((puzzles[-1] > 0).sum()), tuple(answers.grids[-1].tolist())
        return answers

    def solve(self, puzzle: Puzzle) -> Answer:
        if self.last and self.last[0] == puzzle.clues:
            return Answer.solved(self.last[1])
        return super().solve(puzzle)


class AddsUpStatistics(Sound):
    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        self.calls += len(puzzles)
        return replace(super().solve_many(puzzles), stats={"nodes": self.calls})


class StatisticsOfTheLastRow(Sound):
    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        stats = super().solve_many(puzzles[-1:]).stats
        return replace(super().solve_many(puzzles), stats=stats)


class ReadsTheBuffer(Sound):
    """Takes every array for a contiguous one."""

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        base = puzzles.base
        if isinstance(base, np.ndarray) and base.shape[1:] == puzzles.shape[1:]:
            puzzles = base[: len(puzzles)]
        return super().solve_many(puzzles)
