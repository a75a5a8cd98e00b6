"""Backends that ignore pencilmarks or pairs, for the mutation score of the conformance suite."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from backends.cpsat import CpSat
from backends.native import Native
from harness.contract import Count, Options
from harness.extensions.conformance.shapes import JIGSAW
from harness.puzzles import Pencilmarks, Puzzle, Shape
from tests.extensions.conformance.planted import OtherPuzzle, Remembers, plant


class OtherMarks(OtherPuzzle):
    """Answers puzzles with pencilmarks after a change of these."""

    shapes: ClassVar[tuple[str, ...]] = ("4x4", JIGSAW, "9x9")

    @abstractmethod
    def change(self, puzzle: Puzzle, marks: Pencilmarks) -> Pencilmarks | None: ...

    def other(self, puzzle: Puzzle) -> Puzzle:
        if puzzle.pencilmarks is None:
            return puzzle
        return replace(puzzle, pencilmarks=self.change(puzzle, puzzle.pencilmarks))


def every(puzzle: Puzzle) -> int:
    """All values as bits."""
    return (1 << puzzle.shape.size) - 1


def mapped(
    puzzle: Puzzle, marks: Pencilmarks, change: Callable[[int], int], *, full: bool = True
) -> Pencilmarks:
    """The pencilmarks, changed in cells without a given; those with all values only if `full`."""
    return tuple(
        bits if clue or (bits == every(puzzle) and not full) else change(bits)
        for clue, bits in zip(puzzle.givens, marks, strict=True)
    )


class IgnoresSomeMarks(OtherMarks):
    """Ignores the pencilmarks of some values in some cells."""

    @abstractmethod
    def ignored(self, puzzle: Puzzle, cell: int) -> int:
        """The values of a cell, as bits."""

    def change(self, puzzle: Puzzle, marks: Pencilmarks) -> Pencilmarks:
        cells = enumerate(zip(puzzle.givens, marks, strict=True))
        return tuple(bits if v else bits | self.ignored(puzzle, cell) for cell, (v, bits) in cells)


plant(
    IgnoresSomeMarks,
    "ignored",
    IgnoresMarksOfOneCell=lambda self, puzzle, cell: every(puzzle) if cell == 5 else 0,
    IgnoresMarksOfTheFirstCell=lambda self, puzzle, cell: 0 if cell else every(puzzle),
    IgnoresMarksOfTheLastCell=lambda self, puzzle, cell: (
        every(puzzle) if cell == len(puzzle.givens) - 1 else 0
    ),
    IgnoresMarksOfOneValue=lambda self, puzzle, cell: 0b100,
    IgnoresMarksOfTheLargestValue=lambda self, puzzle, cell: 1 << puzzle.shape.size - 1,
)
plant(
    IgnoresSomeMarks,
    "ignored",
    {"shapes": ("4x4",)},
    IgnoresOneValueOfOneCell=lambda self, puzzle, cell: 0b0100 if cell == 6 else 0,
)
plant(
    OtherMarks,
    "change",
    IgnoresMarks=lambda self, puzzle, marks: None,
    MarksEverythingInAnEmptyCell=lambda self, puzzle, marks: tuple(
        bits or every(puzzle) for bits in marks
    ),
    # Heeds pencilmarks only in cells that have two.
    HeedsMarksOfPairsOnly=lambda self, puzzle, marks: tuple(
        bits if bits.bit_count() <= 2 else every(puzzle) for bits in marks
    ),
    # Reads the pencilmarks as the values that a cell cannot have.
    ExcludesTheMarks=lambda self, puzzle, marks: mapped(
        puzzle, marks, lambda bits: every(puzzle) & ~bits, full=False
    ),
    # Counts values from 0 where the marks count from 1.
    ShiftsTheMarks=lambda self, puzzle, marks: mapped(
        puzzle,
        marks,
        lambda bits: (bits << 1 | bits >> puzzle.shape.size - 1) & every(puzzle),
        full=False,
    ),
)


class KeepsTheMarksOfTheFirstPuzzle(OtherMarks):
    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.first: dict[Any, Pencilmarks] = {}

    def change(self, puzzle: Puzzle, marks: Pencilmarks) -> Pencilmarks:
        return self.first.setdefault(puzzle.givens, marks)


class KeepsMarksForPuzzlesWithout(OtherPuzzle):
    """Forgets to reset the pencilmarks after a puzzle that has some."""

    shapes: ClassVar[tuple[str, ...]] = ("4x4", "9x9")
    last: Puzzle | None = None

    def other(self, puzzle: Puzzle) -> Puzzle:
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


plant(
    OtherPuzzle,
    "other",
    {"solve": Native.solve},
    MarksAreMissingInCounts=lambda self, puzzle: Puzzle(puzzle.shape, puzzle.givens),
)
plant(
    OtherPuzzle,
    "other",
    {"count": Native.count},
    MarksAreMissingInSolutions=lambda self, puzzle: Puzzle(puzzle.shape, puzzle.givens),
)


class OtherPairs(OtherPuzzle):
    """Solves a shape with other pairs."""

    shapes: ClassVar[tuple[str, ...]] = ("6x6+antiking",)

    @abstractmethod
    def pairs(self, shape: Shape) -> tuple[tuple[int, int], ...]: ...

    def other(self, puzzle: Puzzle) -> Puzzle:
        shape = puzzle.shape
        other = Shape(shape.spec, shape.size, shape.houses, shape.box, self.pairs(shape))
        return Puzzle(other, puzzle.givens, puzzle.pencilmarks)


plant(
    OtherPairs,
    "pairs",
    IgnoresPairs=lambda self, shape: (),
    IgnoresTheFirstPair=lambda self, shape: shape.pairs[1:],
    IgnoresTheLastPair=lambda self, shape: shape.pairs[:-1],
    IgnoresAPair=lambda self, shape: (*shape.pairs[:11], *shape.pairs[12:]),
    IgnoresPairsOfOneDirection=lambda self, shape: tuple(
        pair for pair in shape.pairs if pair[0] % shape.size < pair[1] % shape.size
    ),
)


class TakesPairsForKings(OtherPairs):
    """Puts the pairs of one variant where the shape has another."""

    def pairs(self, shape: Shape) -> tuple[tuple[int, int], ...]:
        base = shape.spec.partition("+")[0]
        other = "antiknight" if "antiking" in shape.spec else "antiking"
        return Shape.parse(f"{base}+{other}").pairs


class IgnoresPairsOfGivens(OtherPuzzle):
    """Keeps pairs in its search, but does not compare givens."""

    shapes: ClassVar[tuple[str, ...]] = ("6x6+antiking",)

    def other(self, puzzle: Puzzle) -> Puzzle:
        givens = list(puzzle.givens)
        for first, second in puzzle.shape.pairs:
            if givens[first] == givens[second]:
                givens[second] = 0
        return Puzzle(puzzle.shape, tuple(givens), puzzle.pencilmarks)
