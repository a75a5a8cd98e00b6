"""Faults of certain starts: batches, full grids, many clues, few clues, contradictory givens."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.cnf import Cnf
from backends.dlx import DancingLinks
from backends.native import Native
from backends.native_jit.backend import NativeJit
from harness.contract import Answer, Count, ManyAnswers, ManyCounts
from harness.contract.backend import batch_of
from harness.puzzles import Grid, Puzzle, Shape


class FillsTheLastBlanks(Native):
    """Fills a 9x9 with 60 clues or more in one pass, the first value that fits in each cell."""

    @staticmethod
    def fill(puzzle: Puzzle) -> Grid | None:
        """The grid after one pass; None where no value fits."""
        grid = list(puzzle.givens)
        for cell, value in enumerate(puzzle.givens):
            if not value:
                values = {grid[peer] for peer in puzzle.shape.peers[cell]}
                mask = puzzle.allowed[cell]
                fits = (v for v in range(1, 10) if v not in values and mask >> v - 1 & 1)
                grid[cell] = next(fits, 0)
        return tuple(grid) if all(grid) else None

    def solve(self, puzzle: Puzzle) -> Answer:
        """The grid of one pass for many clues."""
        answer = super().solve(puzzle)
        if puzzle.shape.size != 9 or puzzle.clues < 60 or answer.grid is None:
            return answer
        grid = self.fill(puzzle)
        return Answer.unsatisfiable() if grid is None else replace(answer, grid=grid)


class FullGridsWithoutBoxes(Native):
    """Looks for contradictions in the rows and columns of a full grid, and not in its boxes."""

    def solve(self, puzzle: Puzzle) -> Answer:
        """The givens of a full grid whose rows and columns have every value."""
        if not all(puzzle.givens):
            return super().solve(puzzle)
        lines = [house for house in puzzle.shape.houses if house.kind in ("row", "column")]
        values = [{puzzle.givens[cell] for cell in house.cells} for house in lines]
        is_solved = all(len(group) == puzzle.shape.size for group in values)
        return Answer.solved(puzzle.givens) if is_solved else Answer.unsatisfiable()


class FullGridsAreSolutions(DancingLinks):
    """Does not look for contradictions in a full grid."""

    def solve(self, puzzle: Puzzle) -> Answer:
        """The givens of a full grid."""
        return Answer.solved(puzzle.givens) if all(puzzle.givens) else super().solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """One for a full grid."""
        if all(puzzle.givens):
            return Count(1, limit > 1, puzzle.givens)
        return super().count(puzzle, limit)


class RowsModulo256(NativeJit):
    """Numbers the rows of a batch in 8 bits, so that row 257 is the first again."""

    def rows(self, puzzles: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The batch as it is seen."""
        batch = batch_of(puzzles, self.shape)
        return batch[np.arange(len(batch)).astype(np.uint8)]

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        """As the base class, for the rows that it sees."""
        return super().solve_many(self.rows(puzzles))

    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        """As the base class, for the rows that it sees."""
        return super().count_many(self.rows(puzzles), limit)


class SamePatternInABatch(Cnf):
    """Solves only one puzzle of a batch for each set of given cells."""

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        """The answers to the first puzzles with the same given cells."""
        batch = batch_of(puzzles, self.shape)
        _, first, back = np.unique(batch > 0, axis=0, return_index=True, return_inverse=True)
        few = super().solve_many(batch[first])
        back = back.reshape(-1)
        return ManyAnswers(few.statuses[back], few.grids[back], few.stats)


class TurnsSymmetricPuzzles(DancingLinks):
    """Turns a puzzle by 180 degrees, and does not turn the grid back if its pattern is the same."""

    def solve(self, puzzle: Puzzle) -> Answer:
        """The solution of the puzzle, turned if that puts its smaller clues first."""
        shape, reverse = puzzle.shape, puzzle.givens[::-1]
        last = shape.size**2 - 1
        houses = {house.cells for house in shape.houses}
        fits = all(tuple(last - c for c in reversed(cells)) in houses for cells in houses)
        if not fits or shape.pairs or puzzle.pencilmarks or reverse >= puzzle.givens:
            return super().solve(puzzle)
        answer = super().solve(Puzzle(shape, reverse))
        same = [bool(value) for value in reverse] == [bool(value) for value in puzzle.givens]
        if answer.grid is None or same:
            return answer
        return replace(answer, grid=answer.grid[::-1])


class ExactFromRow40(NativeJit):
    """Calls a count at a limit above 2 exact from row 40 of a batch on."""

    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        """As the base class, with other flags in late rows."""
        counts = super().count_many(puzzles, limit)
        is_late = np.arange(len(puzzles)) >= 40
        return replace(
            counts, exact=counts.exact | (is_late & (counts.numbers == limit) & (limit > 2))
        )


class ExactNearTheEnd(NativeJit):
    """Calls a count of 1 exact at the limit 1 if one or two cells are blank."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """As the base class, with another flag for nearly full grids."""
        counts = super().count(puzzle, limit)
        is_nearly_full = 1 <= len(puzzle.givens) - puzzle.clues <= 2
        return replace(
            counts, exact=counts.exact or (is_nearly_full and limit == counts.number == 1)
        )


class TallBoxesOf12(NativeJit):
    """Solves box4x3 with the boxes of 12x12."""

    def __init__(self, shape: Shape, options: Any) -> None:
        super().__init__(Shape.parse("12x12") if shape.spec == "box4x3" else shape, options)


class LimitOfTheWholeBatch(Native):
    """Counts no further when a batch has 60 solutions."""

    batches_natively = True

    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        """As the base class, without what comes after 60 solutions."""
        counts = super().count_many(puzzles, limit)
        numbers = np.asarray(counts.numbers, np.int64)
        is_late = np.cumsum(numbers) > 60
        is_cut = is_late & (numbers > 1)
        return replace(
            counts,
            numbers=np.where(is_cut, 1, numbers),
            exact=np.where(is_cut, False, counts.exact),
        )
