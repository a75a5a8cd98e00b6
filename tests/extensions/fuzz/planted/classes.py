"""Planted faults that are classes: wrong for certain puzzles, calls, options or by chance."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from backends.cnf import Cnf
from backends.cpsat import CpSat, CpSatOptions, boolean_model, integer_model
from backends.dlx import DancingLinks
from backends.native import Native
from backends.native_jit.backend import NativeJit, NativeJitOptions
from harness.contract import Answer, Count, ManyAnswers, ManyCounts, Options, Status
from harness.contract.backend import batch_of
from harness.contract.cover import Choices, CoverQuestion
from harness.extensions.reasoning.backend import Reasoning, ReasoningOptions
from harness.extensions.reasoning.board import Board, Elimination, Rule
from harness.extensions.reasoning.search import Strategy
from harness.puzzles import Grid, Puzzle, Shape
from tests.extensions.fuzz.planted.edits import edited_module
from tests.extensions.fuzz.planted.table import Edit

# Faults of certain starts: batches, full grids, many clues, few clues, contradictory givens.


class FillsTheLastBlanks(Native):
    """Fills a 9x9 with 60 clues or more in one pass, the first value that fits in each cell."""

    @staticmethod
    def fill(puzzle: Puzzle) -> Grid | None:
        grid = list(puzzle.givens)
        for cell, value in enumerate(puzzle.givens):
            if not value:
                values = {grid[peer] for peer in puzzle.shape.peers[cell]}
                mask = puzzle.allowed[cell]
                fits = (v for v in range(1, 10) if v not in values and mask >> v - 1 & 1)
                grid[cell] = next(fits, 0)
        return tuple(grid) if all(grid) else None

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if puzzle.shape.size != 9 or puzzle.clues < 60 or answer.grid is None:
            return answer
        grid = self.fill(puzzle)
        return Answer.unsatisfiable() if grid is None else replace(answer, grid=grid)


class FullGridsWithoutBoxes(Native):
    """Looks for contradictions in the rows and columns of a full grid, and not in its boxes."""

    def solve(self, puzzle: Puzzle) -> Answer:
        if not all(puzzle.givens):
            return super().solve(puzzle)
        lines = [house for house in puzzle.shape.houses if house.kind in ("row", "column")]
        values = [{puzzle.givens[cell] for cell in house.cells} for house in lines]
        is_solved = all(len(group) == puzzle.shape.size for group in values)
        return Answer.solved(puzzle.givens) if is_solved else Answer.unsatisfiable()


class FullGridsAreSolutions(DancingLinks):
    """Does not look for contradictions in a full grid."""

    def solve(self, puzzle: Puzzle) -> Answer:
        return Answer.solved(puzzle.givens) if all(puzzle.givens) else super().solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        if all(puzzle.givens):
            return Count(1, limit > 1, puzzle.givens)
        return super().count(puzzle, limit)


class RowsModulo256(NativeJit):
    """Numbers the rows of a batch in 8 bits, so that row 257 is the first again."""

    def rows(self, puzzles: NDArray[np.uint8]) -> NDArray[np.uint8]:
        batch = batch_of(puzzles, self.shape)
        return batch[np.arange(len(batch)).astype(np.uint8)]

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        return super().solve_many(self.rows(puzzles))

    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        return super().count_many(self.rows(puzzles), limit)


class SamePatternInABatch(Cnf):
    """Solves only one puzzle of a batch for each set of given cells."""

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        batch = batch_of(puzzles, self.shape)
        _, first, back = np.unique(batch > 0, axis=0, return_index=True, return_inverse=True)
        few = super().solve_many(batch[first])
        back = back.reshape(-1)
        return ManyAnswers(few.statuses[back], few.grids[back], few.stats)


class TurnsSymmetricPuzzles(DancingLinks):
    """Turns a puzzle by 180 degrees, and does not turn the grid back if its pattern is the same."""

    def solve(self, puzzle: Puzzle) -> Answer:
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
        counts = super().count_many(puzzles, limit)
        is_late = np.arange(len(puzzles)) >= 40
        return replace(
            counts, exact=counts.exact | (is_late & (counts.numbers == limit) & (limit > 2))
        )


class ExactNearTheEnd(NativeJit):
    """Calls a count of 1 exact at the limit 1 if one or two cells are blank."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
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
        counts = super().count_many(puzzles, limit)
        numbers = np.asarray(counts.numbers, np.int64)
        is_late = np.cumsum(numbers) > 60
        is_cut = is_late & (numbers > 1)
        return replace(
            counts,
            numbers=np.where(is_cut, 1, numbers),
            exact=np.where(is_cut, False, counts.exact),
        )


# Faults of enumeration: solutions lost or found twice, and counts wrongly called exact.


class ExactAtAThousand(DancingLinks):
    """Calls the number exact if a count stops at 1,000, as if it had found one less."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        return replace(count, number=999, exact=True) if count.number == limit == 1_000 else count


class ExactLimitIsExceeded(DancingLinks):
    """Finds one solution too few if a puzzle has exactly as many as the limit, 20 or more."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        is_last = 20 <= count.number == limit and super().count(puzzle, limit + 1).exact
        return replace(count, number=limit - 1, exact=True) if is_last else count


# Faults of memory: something of an earlier call decides a later one.


class LastGivenOfAnUnsatisfiablePuzzle(CpSat):
    """Keeps the last given in the model if the puzzle has no solution."""

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        cell = max((c for c, value in enumerate(puzzle.givens) if value), default=-1)
        if self.boolean and cell >= 0 and answer.status is Status.UNSATISFIABLE:
            self.domain(cell * self.size + puzzle.givens[cell] - 1)[0] = 1
        return answer


class NewModelAfter150Calls(CpSat):
    """Makes a new model after 150 calls, and sets the givens in the old one."""

    def __init__(self, shape: Shape, options: CpSatOptions) -> None:
        super().__init__(shape, options)
        self.calls = 0

    def renew(self) -> None:
        self.calls += 1
        if self.calls == 151:
            self.model = (boolean_model if self.boolean else integer_model)(self.shape)

    def solve(self, puzzle: Puzzle) -> Answer:
        self.renew()
        return super().solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        self.renew()
        return super().count(puzzle, limit)


class TablesByTheirSize(NativeJit):
    """Takes the tables of the first shape with as many values and houses."""

    tables: ClassVar[dict[tuple[int, int], Any]] = {}

    def __init__(self, shape: Shape, options: NativeJitOptions) -> None:
        super().__init__(shape, options)
        key = shape.size, len(shape.houses)
        self._search._tables = self.tables.setdefault(key, self._search._tables)


class CountOfTheSamePuzzle(Native):
    """Gives the count of the puzzle before again if it is the same, whatever its limit is."""

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.last: tuple[Puzzle, Count] | None = None

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        if self.last is None or self.last[0] != puzzle or self.last[1].number > limit:
            self.last = puzzle, super().count(puzzle, limit)
        return self.last[1]


# Faults by chance, about once in 500 calls, from the randomness of the system.


CHANCE = random.SystemRandom()


class SwapsTwoCells(NativeJit):
    """Swaps the first two cells of a grid."""

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if answer.grid is None or CHANCE.randrange(500):
            return answer
        first, other, *rest = answer.grid
        return replace(answer, grid=(other, first, *rest))


class FindsASolutionTwice(Reasoning):
    """Counts one solution more if there are several and the limit allows it."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        if count.number < 2 or count.number >= limit or CHANCE.randrange(500):
            return count
        return replace(count, number=count.number + 1, exact=count.number + 1 < limit)


# Faults with pencilmarks and pairs: ignored in some cells, for some values, beyond some number.


class LastPencilmarksOfABand(NativeJit):
    """Ignores the pencilmarks in the last cell of each band of 9x9."""

    def __init__(self, shape: Shape, options: NativeJitOptions) -> None:
        super().__init__(shape, options)
        if self._search._tables:
            return
        first_state = self._search._first_state

        def without_the_last(candidates: NDArray[np.int64]) -> NDArray[np.int16]:
            masks = candidates.copy()
            blank = masks[26::27] & (masks[26::27] - 1) != 0
            masks[26::27][blank] = 511
            state: NDArray[np.int16] = first_state(masks)
            return state

        self._search._first_state = without_the_last


class PairsBeyond64(DancingLinks):
    """Has groups for the first 64 values in pairs only."""

    def choices(self, question: CoverQuestion) -> Choices:
        candidates = question.candidates
        of_pairs = [g for g in candidates.groups if not candidates.meaning[g[-1]][1]]
        pairs = of_pairs[64:]
        candidates.groups = [group for group in candidates.groups if group not in pairs]
        yield from super().choices(question)


# Faults that show with a value of an option only, or with two of them.


class TailOfABatch(NativeJit):
    """With threads, leaves out the rows of a batch that do not fill a piece."""

    def _whole(self, rows: int) -> int:
        pieces = 8 * self._threads
        return rows if self._threads == 1 or rows < pieces else rows // pieces * pieces

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        batch = batch_of(puzzles, self.shape)
        whole = super().solve_many(batch[: self._whole(len(batch))])
        grids = np.zeros_like(batch)
        grids[: len(whole.grids)] = whole.grids
        solved = np.array([grid.any() for grid in grids], np.bool_)
        return ManyAnswers.from_flags(solved, ~solved, grids, whole.stats)

    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        batch = batch_of(puzzles, self.shape)
        rows = self._whole(len(batch))
        whole = super().count_many(batch[:rows], limit)
        numbers = np.zeros(len(batch), np.int64)
        exact = np.ones(len(batch), np.bool_)
        witnesses = np.zeros_like(batch)
        numbers[:rows], exact[:rows], witnesses[:rows] = whole.numbers, whole.exact, whole.witnesses
        return ManyCounts(numbers, exact, witnesses, whole.stats)


# Faults in rules between guesses: unsound in rare situations, or undone in the wrong order.


@dataclass(frozen=True, slots=True)
class SameTwoCandidates:
    """Two cells have the same two candidates."""

    cells: tuple[int, ...]

    def words(self, shape: Shape) -> str:
        return "both cells need both values"


LAST_BLANKS: Final = 24
"""The number of blank cells up to which the rule is tried: few, so that no search takes long."""


class NakedPairOfPeers(Rule):
    """Removes the candidates of a naked pair from all peers of its first cell."""

    name = "naked pair"

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        if board.blanks > LAST_BLANKS:
            return
        house = board.shape.houses[-1].cells
        for number, cell in enumerate(house):
            both = board.candidates[cell]
            if both.bit_count() != 2:
                continue
            for other in house[number + 1 :]:
                if board.candidates[other] != both:
                    continue
                grid = tuple(
                    (cell, value)
                    for cell in board.shape.peers[cell]
                    for value in range(1, board.shape.size + 1)
                    if cell != other and board.candidates[cell] & both & 1 << value - 1
                )
                if grid:
                    yield Elimination(grid, SameTwoCandidates((cell, other)))


class PairsOfTheLastHouse(Reasoning):
    """Has a rule of naked pairs that reaches beyond the house of the pair, for the last house."""

    def __init__(self, shape: Shape, options: ReasoningOptions) -> None:
        super().__init__(shape, options)
        before = self.strategy
        self.strategy: Strategy = Strategy(  # type: ignore[misc]
            (*before.rules, NakedPairOfPeers()) if before.rules else (),
            before.order,
            before.direction,
            before.looks_ahead,
            before.most_boards,
        )


@cache
def kernel(name: str, edit: Edit, *, in_rounds: bool = False) -> Any:
    """The kernel of native-jit after an edit, of its own source or of its rounds, compiled."""
    import numba

    if in_rounds:
        module = edited_module(f"backends.native_jit.{name}")
        vars(module)["propagate"] = edited_module("backends.native_jit.rounds", edit).propagate
    else:
        module = edited_module(f"backends.native_jit.{name}", edit)
    compile_ = numba.njit(module.SIGNATURE, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
    return compile_(module.run)


class OtherKernel(NativeJit):
    """Runs an edited kernel; a fault is an edit of a kernel."""

    edited_kernel: str
    in_rounds: bool = False
    edit: Edit

    @classmethod
    def load(cls, options: NativeJitOptions) -> None:
        super().load(options)
        if hasattr(cls, "edit"):
            kernel(cls.edited_kernel, cls.edit, in_rounds=cls.in_rounds)

    def __init__(self, shape: Shape, options: NativeJitOptions) -> None:
        super().__init__(shape, options)
        runs_vectors = not self._search._tables
        if runs_vectors == (self.edited_kernel == "vectors"):
            self._search.run = kernel(self.edited_kernel, self.edit, in_rounds=self.in_rounds)


class LargeValuesInTheirLastWay(OtherKernel):
    """Does not try the last way of the values 8 and 9 through the boxes of a band."""

    edited_kernel = "vectors"
    edit = Edit(
        "            while lanes:\n",
        "            while lanes and (way or value < 128 or lanes & (lanes - 1)):\n",
    )


class OpenCellsInTheLastRows(OtherKernel):
    """Takes a grid for solved that has open cells only in the last row of each band."""

    edited_kernel = "vectors"
    in_rounds = True
    edit = Edit(
        "cells(without_first(x) | without_first(y) | without_first(z))",
        "cells(without_first(x) | without_first(y))",
    )


class LargestValueInTheLastHouse(OtherKernel):
    """Overlooks the last cell of the last house as a second place of the largest value."""

    edited_kernel = "houses"
    edit = Edit(
        "        return place_all(board, at)\n",
        "        waiting = place_all(board, at)\n"
        "        word = at + board.words - 1\n"
        "        places = get(board.states, word)\n"
        "        others = places & ~(1 << (board.size - 1))\n"
        "        put(board.states, word, others if others else places)\n"
        "        return waiting\n",
    )


# Defects of solvers that are known from outside, as they are or re-created.


class InfeasibleArrivesLate(CpSat):
    """Reports "infeasible" again in the call after it, in the statuses of two calls at a time."""

    late: Status = Status.SOLVED

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        late, self.late = self.late, answer.status
        return Answer.unsatisfiable() if late is Status.UNSATISFIABLE else answer
