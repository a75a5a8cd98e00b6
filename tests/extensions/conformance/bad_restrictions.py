"""Backends that treat pencilmarks, pairs or constraints wrongly, for the score of the suite."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

from backends.cpsat import CpSat
from harness.contract import Count
from harness.extensions.conformance.shapes import JIGSAW
from harness.puzzles import Pencilmarks, Puzzle, Shape
from harness.puzzles.constraints.kinds import Constraint
from harness.puzzles.constraints.primitives import (
    Distinct,
    Line,
    Primitive,
    Relation,
    Sum,
    ValueCount,
)
from tests.extensions.conformance.planted import Method, Sound, answering, answering_all, plant

MARKED = ("4x4", JIGSAW, "9x9")


def marking(change: Method) -> dict[str, Method]:
    """Methods that answer puzzles with pencilmarks after a change of these."""

    def other(self: Sound, puzzle: Puzzle) -> Puzzle:
        if puzzle.pencilmarks is None:
            return puzzle
        return replace(puzzle, pencilmarks=change(self, puzzle, puzzle.pencilmarks))

    return {**answering_all(other)}


def every(puzzle: Puzzle) -> int:
    """All values as bits."""
    return (1 << puzzle.shape.size) - 1


def mapped(puzzle: Puzzle, marks: Pencilmarks, change: Callable[[int], int]) -> Pencilmarks:
    """The pencilmarks, changed in cells without a given that do not have all values."""
    return tuple(
        bits if clue or bits == every(puzzle) else change(bits)
        for clue, bits in zip(puzzle.givens, marks, strict=True)
    )


def ignoring(ignored: Method) -> dict[str, Method]:
    """Methods that ignore the pencilmarks of some values, as bits, in some cells."""

    def change(_: Sound, puzzle: Puzzle, marks: Pencilmarks) -> Pencilmarks:
        cells = enumerate(zip(puzzle.givens, marks, strict=True))
        return tuple(bits if v else bits | ignored(puzzle, cell) for cell, (v, bits) in cells)

    return marking(change)


plant(
    ignoring,
    MARKED,
    IgnoresMarksOfOneCell=lambda puzzle, cell: every(puzzle) if cell == 5 else 0,
    IgnoresMarksOfTheFirstCell=lambda puzzle, cell: 0 if cell else every(puzzle),
    IgnoresMarksOfTheLastCell=lambda puzzle, cell: (
        every(puzzle) if cell == len(puzzle.givens) - 1 else 0
    ),
    IgnoresMarksOfOneValue=lambda puzzle, cell: 0b100,
    IgnoresMarksOfTheLargestValue=lambda puzzle, cell: 1 << puzzle.shape.size - 1,
)
plant(ignoring, ("4x4",), IgnoresOneValueOfOneCell=lambda puzzle, cell: 0b0100 if cell == 6 else 0)
plant(
    marking,
    MARKED,
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
        puzzle, marks, lambda bits: every(puzzle) & ~bits
    ),
    # Counts values from 0 where the marks count from 1.
    ShiftsTheMarks=lambda self, puzzle, marks: mapped(
        puzzle, marks, lambda bits: (bits << 1 | bits >> puzzle.shape.size - 1) & every(puzzle)
    ),
    KeepsTheMarksOfTheFirstPuzzle=lambda self, puzzle, marks: self.known.setdefault(
        puzzle.givens, marks
    ),
)


def with_the_last_marks(self: Sound, puzzle: Puzzle) -> Puzzle:
    """The last puzzle that had pencilmarks, if it had the same givens."""
    if puzzle.pencilmarks is not None:
        self.known["last"] = puzzle
    last: Puzzle = self.known.get("last", puzzle)
    return last if last.givens == puzzle.givens else puzzle


plant(answering_all, ("4x4", "9x9"), KeepsMarksForPuzzlesWithout=with_the_last_marks)


class ResetsNoDomains(CpSat):
    """Leaves the upper bounds that the pencilmarks set in the model of the shape."""

    shapes: ClassVar[tuple[str, ...]] = ("4x4",)

    def restrict(self, puzzle: Puzzle, changed: list[Any]) -> None:
        super().restrict(puzzle, [])


class MemoOfTheGivens(Sound):
    """Remembers counts by the givens alone."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count: Count = self.memo((puzzle.givens, limit), super().count(puzzle, limit))
        return Count(count.number, count.exact)


def without_marks(_: Sound, puzzle: Puzzle) -> Puzzle:
    return Puzzle(puzzle.shape, puzzle.givens)


plant(answering("count"), MarksAreMissingInCounts=without_marks)
plant(answering("solve"), MarksAreMissingInSolutions=without_marks)


def pairing(pairs: Method) -> dict[str, Method]:
    """Methods that answer a puzzle of a shape with other pairs."""

    def other(_: Sound, puzzle: Puzzle) -> Puzzle:
        shape = puzzle.shape
        other = Shape(shape.spec, shape.size, shape.houses, shape.box, pairs(shape))
        return Puzzle(other, puzzle.givens, puzzle.pencilmarks)

    return {**answering_all(other)}


plant(
    pairing,
    ("6x6+antiking",),
    IgnoresPairs=lambda shape: (),
    IgnoresTheFirstPair=lambda shape: shape.pairs[1:],
    IgnoresTheLastPair=lambda shape: shape.pairs[:-1],
    IgnoresAPair=lambda shape: (*shape.pairs[:11], *shape.pairs[12:]),
    IgnoresPairsOfOneDirection=lambda shape: tuple(
        pair for pair in shape.pairs if pair[0] % shape.size < pair[1] % shape.size
    ),
    # Puts the pairs of one variant where the shape has another.
    TakesPairsForKings=lambda shape: Shape.parse("6x6+antiknight").pairs,
)


def without_equal_pairs(_: Sound, puzzle: Puzzle) -> Puzzle:
    """The puzzle without the second of two equal givens of a pair."""
    givens = list(puzzle.givens)
    for first, second in puzzle.shape.pairs:
        if givens[first] == givens[second]:
            givens[second] = 0
    return Puzzle(puzzle.shape, tuple(givens), puzzle.pencilmarks)


plant(answering_all, ("6x6+antiking",), IgnoresPairsOfGivens=without_equal_pairs)


# Constraints.

SMALL = ("4x4", "6x6")


def instead(primitives: Method, *tasks: str) -> dict[str, Method]:
    """Methods that answer the puzzle with other primitives."""

    def other(_: Sound, puzzle: Puzzle) -> Puzzle:
        shape = puzzle.shape
        if not shape.primitives:
            return puzzle
        bare = Shape.parse(shape.plain)
        remaining = tuple(primitives(puzzle))
        apart = [p.cells for p in remaining if isinstance(p, Distinct)]
        pairs = {(a, b) for cells in apart for a in cells for b in cells if a < b}
        other = Shape("other", shape.size, bare.houses, bare.box, (*bare.pairs, *pairs))
        return Puzzle(replace(other, primitives=remaining), puzzle.givens, puzzle.pencilmarks)

    return {**answering(*tasks or ("solve", "count"))(other)}


def changing(kind: type[Any]) -> Callable[[Method], dict[str, Method]]:
    """Methods that answer the puzzle with others in place of each primitive of a type."""

    def changed(puzzle: Puzzle, change: Method) -> Iterable[Primitive]:
        for primitive in puzzle.shape.primitives:
            if isinstance(primitive, kind):
                yield from change(primitive, puzzle.shape)
            else:
                yield primitive

    return lambda change: instead(lambda puzzle: changed(puzzle, change))


plant(
    changing(Relation),
    SMALL,
    IgnoresRelations=lambda relation, shape: [],
    TransposesTables=lambda relation, shape: [
        Relation(relation.second, relation.first, relation.table)
    ],
    # Keeps tables only between cells that no house has both of.
    IgnoresTablesOfPeers=lambda relation, shape: (
        [] if relation.second in shape.peers[relation.first] else [relation]
    ),
    AllowsOnePairTooMany=lambda relation, shape: [
        replace(relation, table=(relation.table[0] | 0b100, *relation.table[1:]))
    ],
    ForbidsThePairOfTheLargestValues=lambda relation, shape: [
        replace(
            relation,
            table=(*relation.table[:-1], relation.table[-1] & ~(1 << len(relation.table) - 1)),
        )
    ],
)
plant(
    changing(Sum),
    SMALL,
    IgnoresSums=lambda sum_, shape: [],
    TakesOneTotalTooMany=lambda sum_, shape: [
        replace(sum_, totals=(*sum_.totals, sum_.totals[-1] + 1))
    ],
    TakesOneTotalTooFew=lambda sum_, shape: [replace(sum_, totals=sum_.totals[:1])],
    TakesEveryTotalBetween=lambda sum_, shape: [
        replace(sum_, totals=tuple(range(sum_.totals[0], sum_.totals[-1] + 1)))
    ],
    TakesSumsAsUpperBounds=lambda sum_, shape: [
        replace(sum_, totals=tuple(range(-500, sum_.totals[-1] + 1)))
    ],
    IgnoresCoefficients=lambda sum_, shape: [replace(sum_, coefficients=(1,) * len(sum_.cells))],
    IgnoresTheSignsOfCoefficients=lambda sum_, shape: [
        replace(sum_, coefficients=tuple(map(abs, sum_.coefficients)))
    ],
    IgnoresTheLastCellOfSums=lambda sum_, shape: [
        replace(sum_, cells=sum_.cells[:-1], coefficients=sum_.coefficients[:-1])
    ],
    LosesTheLastOfManyTotals=lambda sum_, shape: [
        replace(sum_, totals=sum_.totals[:-1]) if len(sum_.totals) > 4 else sum_
    ],
    # Lets no value occur twice in a sum.
    TakesEverySumForACage=lambda sum_, shape: [
        sum_,
        *([Distinct(sum_.cells)] if {*sum_.coefficients} == {1} else []),
    ],
)
plant(
    changing(ValueCount),
    SMALL,
    IgnoresNumbersOfValues=lambda count, shape: [],
    TakesOnceForTwice=lambda count, shape: [replace(count, least=min(count.least, 1))],
    IgnoresTheLargestNumber=lambda count, shape: [replace(count, most=len(count.cells))],
    TakesLeastForExactly=lambda count, shape: [replace(count, most=count.least)],
    IgnoresTheLargestValueInNumbers=lambda count, shape: [
        replace(count, values=count.values & ~(1 << shape.size - 1))
    ],
)


def accepting(line: Line, *states: bool) -> Line:
    """The line with other accepting states."""
    return replace(line, automaton=replace(line.automaton, accepting=states))


def accepting_everywhere(line: Line) -> Line:
    return accepting(line, *(True for _ in line.automaton.accepting))


def accepting_last(line: Line) -> Line:
    states = line.automaton.accepting
    last = max(state for state, accepts in enumerate(states) if accepts)
    return accepting(line, *(state == last for state in range(len(states))))


def staying(line: Line) -> Line:
    """The line with an automaton that stays in its state for values that it refuses."""
    rows = tuple(
        tuple(state if after < 0 else after for after in row)
        for state, row in enumerate(line.automaton.transitions)
    )
    return replace(line, automaton=replace(line.automaton, transitions=rows))


plant(
    changing(Line),
    SMALL,
    IgnoresAutomata=lambda line, shape: [],
    AcceptsInEveryState=lambda line, shape: [accepting_everywhere(line)],
    AcceptsInTheFirstState=lambda line, shape: [
        accepting(line, True, *line.automaton.accepting[1:])
    ],
    # Takes only the last accepting state.
    AcceptsInOneState=lambda line, shape: [accepting_last(line)],
    ReadsLinesBackwards=lambda line, shape: [replace(line, cells=line.cells[::-1])],
    ReadsLinesWithoutTheLastCell=lambda line, shape: [replace(line, cells=line.cells[:-1])],
    ReadsRepeatedCellsOnce=lambda line, shape: [
        replace(line, cells=tuple(dict.fromkeys(line.cells)))
    ],
    StaysInItsStateForRefusedValues=lambda line, shape: [staying(line)],
    AcceptsLongLinesInEveryState=lambda line, shape: [
        accepting_everywhere(line) if len(line.cells) > 6 else line
    ],
)
plant(
    changing(Distinct),
    SMALL,
    IgnoresCellsThatDiffer=lambda distinct, shape: [],
    OnlyNeighboursInListsDiffer=lambda distinct, shape: map(Distinct, pairwise(distinct.cells)),
)
# Forbids the largest partner of a value that has more than 4.
plant(
    changing(Relation),
    ("6x6",),
    LosesTheLastOfManyPartners=lambda relation, shape: [
        replace(
            relation,
            table=tuple(
                bits & ~(1 << bits.bit_length() - 1) if bits.bit_count() > 4 else bits
                for bits in relation.table
            ),
        )
    ],
)


def repeating_in_cages(puzzle: Puzzle) -> Iterable[Primitive]:
    """The sum of each cage, and not that its cells differ."""
    sums = {p.cells for p in puzzle.shape.primitives if isinstance(p, Sum)}
    for primitive in puzzle.shape.primitives:
        if not (isinstance(primitive, Distinct) and tuple(sorted(primitive.cells)) in sums):
            yield primitive


def adding_demands(puzzle: Puzzle) -> Iterable[Primitive]:
    """Counts of the same values in the same cells that ask for cells of their own."""
    first: dict[object, int] = {}
    for primitive in puzzle.shape.primitives:
        if isinstance(primitive, ValueCount):
            key = primitive.cells, primitive.values
            first[key] = primitive.least + first.get(key, 0)
            yield replace(primitive, least=first[key])
        else:
            yield primitive


plant(
    instead,
    SMALL,
    RepeatsValuesInCages=repeating_in_cages,
    AddsDemandsOnTheSameCells=adding_demands,
    # Ignores all primitives but the first.
    KeepsOneConstraint=lambda puzzle: puzzle.shape.primitives[:1],
    KeepsOneConstraintOfTheSameCells=lambda puzzle: {
        (type(p), p.cells): p for p in puzzle.shape.primitives
    }.values(),
    # Keeps a constraint only if all of its cells are blank.
    IgnoresConstraintsOfGivens=lambda puzzle: [
        p for p in puzzle.shape.primitives if not any(puzzle.givens[cell] for cell in p.cells)
    ],
)
plant(
    lambda primitives: instead(primitives, "count"),
    SMALL,
    ConstraintsAreMissingInCounts=lambda puzzle: (),
)
plant(
    lambda primitives: instead(primitives, "solve"),
    SMALL,
    ConstraintsAreMissingInSolutions=lambda puzzle: (),
)


def reading(constraint: Constraint, kind: str, other: str) -> Constraint:
    """The constraint, with the other kind if it is of this kind."""
    return replace(constraint, kind=other) if constraint.kind == kind else constraint


def rereading(reread: Method) -> dict[str, Method]:
    """Methods that answer the puzzle with other named constraints."""

    def other(_: Sound, puzzle: Puzzle) -> Puzzle:
        shape = puzzle.shape
        remaining = [new for constraint in shape.constraints if (new := reread(constraint))]
        if remaining == list(shape.constraints):
            return puzzle
        bare = Shape.parse(shape.plain)
        other = bare.with_constraints(remaining) if remaining else bare
        return Puzzle(other, puzzle.givens, puzzle.pencilmarks)

    return {**answering_all(other)}


plant(
    rereading,
    SMALL,
    IgnoresRenbans=lambda c: None if c.kind == "renban" else c,
    TakesEveryThermometerForASlowOne=lambda c: reading(c, "thermometer", "slow-thermometer"),
    TakesContainsForExactly=lambda c: reading(c, "contains", "contains-exactly"),
)
plant(
    answering_all,
    SMALL,
    IgnoresPencilmarksBesideConstraints=lambda self, puzzle: (
        Puzzle(puzzle.shape, puzzle.givens) if puzzle.shape.primitives else puzzle
    ),
)
FIRST: dict[int, Shape] = {}


def with_the_first_constraints(_: Sound, puzzle: Puzzle) -> Puzzle:
    """The puzzle with the constraints of the first shape of its size."""
    if not puzzle.shape.primitives:
        return puzzle
    shape = FIRST.setdefault(puzzle.shape.size, puzzle.shape)
    return Puzzle(shape, puzzle.givens, puzzle.pencilmarks)


plant(answering_all, ("4x4",), KeepsTheConstraintsOfTheFirstShape=with_the_first_constraints)
