"""Backends that ignore pencilmarks or pairs, for the mutation score of the conformance suite."""

from abc import abstractmethod
from typing import Any, ClassVar

from backends.cpsat import CpSat
from harness.contract import Answer, Count, Options
from harness.extensions.conformance.shapes import JIGSAW
from harness.puzzles import Pencilmarks, Puzzle, Shape
from tests.extensions.conformance.planted import OtherPuzzle, Remembers, Sound


class OtherMarks(Sound):
    """Answers puzzles with pencilmarks after a change of these."""

    shapes: ClassVar[tuple[str, ...]] = ("4x4", JIGSAW, "9x9")

    @abstractmethod
    def change(self, puzzle: Puzzle, marks: Pencilmarks) -> Pencilmarks | None: ...

    def puzzle_to_solve(self, puzzle: Puzzle) -> Puzzle:
        if puzzle.pencilmarks is None:
            return puzzle
        return Puzzle(puzzle.shape, puzzle.givens, self.change(puzzle, puzzle.pencilmarks))

    def solve(self, puzzle: Puzzle) -> Answer:
        return super().solve(self.puzzle_to_solve(puzzle))

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return super().count(self.puzzle_to_solve(puzzle), limit)


class IgnoresMarks(OtherMarks):
    def change(self, puzzle: Puzzle, marks: Pencilmarks) -> None:
        return None


class IgnoresMarksOfOneCell(OtherMarks):
    cell = 5

    def change(self, puzzle: Puzzle, marks: Pencilmarks) -> Pencilmarks:
        if puzzle.givens[self.cell]:
            return marks
        every = (1 << puzzle.shape.size) - 1
        return (*marks[: self.cell], every, *marks[self.cell + 1 :])


class IgnoresMarksOfTheFirstCell(IgnoresMarksOfOneCell):
    cell = 0


class IgnoresMarksOfTheLastCell(IgnoresMarksOfOneCell):
    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.cell = shape.size**2 - 1


class IgnoresMarksOfOneValue(OtherMarks):
    value = 3

    def change(self, puzzle: Puzzle, marks: Pencilmarks) -> Pencilmarks:
        pairs = zip(puzzle.givens, marks, strict=True)
        return tuple(bits if clue else bits | 1 << self.value - 1 for clue, bits in pairs)


class IgnoresMarksOfTheLargestValue(IgnoresMarksOfOneValue):
    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.value = shape.size


class IgnoresOneValueOfOneCell(OtherMarks):
    shapes = ("4x4",)

    def change(self, puzzle: Puzzle, marks: Pencilmarks) -> Pencilmarks:
        return marks if puzzle.givens[6] else (*marks[:6], marks[6] | 0b0100, *marks[7:])


class MarksEverythingInAnEmptyCell(OtherMarks):
    def change(self, puzzle: Puzzle, marks: Pencilmarks) -> Pencilmarks:
        return tuple(bits or (1 << puzzle.shape.size) - 1 for bits in marks)


class HeedsMarksOfPairsOnly(OtherMarks):
    """Heeds pencilmarks only in cells that have two."""

    def change(self, puzzle: Puzzle, marks: Pencilmarks) -> Pencilmarks:
        every = (1 << puzzle.shape.size) - 1
        return tuple(bits if bits.bit_count() <= 2 else every for bits in marks)


class ExcludesTheMarks(OtherMarks):
    """Reads the pencilmarks as the values that a cell cannot have."""

    def change(self, puzzle: Puzzle, marks: Pencilmarks) -> Pencilmarks:
        every = (1 << puzzle.shape.size) - 1
        pairs = zip(puzzle.givens, marks, strict=True)
        return tuple(bits if clue or bits == every else every & ~bits for clue, bits in pairs)


class ShiftsTheMarks(OtherMarks):
    """Counts values from 0 where the marks count from 1."""

    def change(self, puzzle: Puzzle, marks: Pencilmarks) -> Pencilmarks:
        every = (1 << puzzle.shape.size) - 1
        pairs = zip(puzzle.givens, marks, strict=True)
        return tuple(
            bits if clue or bits == every else (bits << 1 | bits >> puzzle.shape.size - 1) & every
            for clue, bits in pairs
        )


class KeepsTheMarksOfTheFirstPuzzle(OtherMarks):
    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.first: dict[Any, Pencilmarks] = {}

    def change(self, puzzle: Puzzle, marks: Pencilmarks) -> Pencilmarks:
        return self.first.setdefault(puzzle.givens, marks)


class KeepsMarksForPuzzlesWithout(Sound):
    """Forgets to reset the pencilmarks after a puzzle that has some."""

    shapes: ClassVar[tuple[str, ...]] = ("4x4", "9x9")

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.last: Puzzle | None = None

    def solve(self, puzzle: Puzzle) -> Answer:
        return super().solve(self.with_restrictions(puzzle))

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return super().count(self.with_restrictions(puzzle), limit)

    def with_restrictions(self, puzzle: Puzzle) -> Puzzle:
        if puzzle.pencilmarks is not None:
            self.last = puzzle
        elif self.last is not None and self.last.givens == puzzle.givens:
            return self.last
        return puzzle


class ResetsNoDomains(CpSat):
    """Leaves the upper bounds that the pencilmarks set in the model of the shape."""

    shapes: ClassVar[tuple[str, ...]] = ("4x4",)

    def restrict(self, puzzle: Puzzle, changed: list[Any]) -> None:
        super().restrict(puzzle, [])


class MemoOfTheGivens(Remembers):
    """Remembers counts by the givens alone."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count: Count = self.memo((puzzle.givens, limit), super().count(puzzle, limit))
        return Count(count.number, count.exact)


class MarksAreMissingInCounts(Sound):
    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return super().count(Puzzle(puzzle.shape, puzzle.givens), limit)


class MarksAreMissingInSolutions(Sound):
    def solve(self, puzzle: Puzzle) -> Answer:
        return super().solve(Puzzle(puzzle.shape, puzzle.givens))


class OtherPairs(OtherPuzzle):
    """Solves a shape with other pairs."""

    shapes: ClassVar[tuple[str, ...]] = ("6x6+antiking",)

    @abstractmethod
    def pairs(self, shape: Shape) -> tuple[tuple[int, int], ...]: ...

    def other(self, puzzle: Puzzle) -> Puzzle:
        shape = puzzle.shape
        other = Shape(shape.spec, shape.size, shape.houses, shape.box, self.pairs(shape))
        return Puzzle(other, puzzle.givens, puzzle.pencilmarks)


class IgnoresPairs(OtherPairs):
    def pairs(self, shape: Shape) -> tuple[tuple[int, int], ...]:
        return ()


class IgnoresTheFirstPair(OtherPairs):
    def pairs(self, shape: Shape) -> tuple[tuple[int, int], ...]:
        return shape.pairs[1:]


class IgnoresTheLastPair(OtherPairs):
    def pairs(self, shape: Shape) -> tuple[tuple[int, int], ...]:
        return shape.pairs[:-1]


class IgnoresAPair(OtherPairs):
    def pairs(self, shape: Shape) -> tuple[tuple[int, int], ...]:
        return (*shape.pairs[:11], *shape.pairs[12:])


class IgnoresPairsOfOneDirection(OtherPairs):
    def pairs(self, shape: Shape) -> tuple[tuple[int, int], ...]:
        return tuple(p for p in shape.pairs if p[0] % shape.size < p[1] % shape.size)


class TakesPairsForKings(OtherPairs):
    """Puts the pairs of one variant where the shape has another."""

    def pairs(self, shape: Shape) -> tuple[tuple[int, int], ...]:
        base = shape.spec.partition("+")[0]
        other = "antiknight" if "antiking" in shape.spec else "antiking"
        return Shape.parse(f"{base}+{other}").pairs


class IgnoresPairsOfGivens(Sound):
    """Keeps pairs in its search, but does not compare givens."""

    shapes: ClassVar[tuple[str, ...]] = ("6x6+antiking",)

    def solve(self, puzzle: Puzzle) -> Answer:
        return super().solve(self.distinct(puzzle))

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return super().count(self.distinct(puzzle), limit)

    def distinct(self, puzzle: Puzzle) -> Puzzle:
        givens = list(puzzle.givens)
        for first, second in puzzle.shape.pairs:
            if givens[first] == givens[second]:
                givens[second] = 0
        return Puzzle(puzzle.shape, tuple(givens), puzzle.pencilmarks)
