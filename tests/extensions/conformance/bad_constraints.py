"""Backends that treat constraints wrongly, for the mutation score of the conformance suite."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

from backends.native import Native
from harness.puzzles import Puzzle, Shape
from harness.puzzles.constraints.kinds import Constraint
from harness.puzzles.constraints.primitives import (
    Distinct,
    Line,
    Primitive,
    Relation,
    Sum,
    ValueCount,
)
from tests.extensions.conformance.planted import OtherPuzzle, plant


class OtherPrimitives(OtherPuzzle):
    """Solves the puzzle with other primitives."""

    shapes: ClassVar[tuple[str, ...]] = ("4x4", "6x6")

    @abstractmethod
    def primitives_of(self, puzzle: Puzzle) -> Iterable[Primitive]: ...

    def other(self, puzzle: Puzzle) -> Puzzle:
        shape = puzzle.shape
        if not shape.primitives:
            return puzzle
        bare = Shape.parse(shape.plain)
        other = Shape("other", shape.size, bare.houses, bare.box, bare.pairs)
        remaining = tuple(self.primitives_of(puzzle))
        apart = [p.cells for p in remaining if isinstance(p, Distinct)]
        pairs = {(a, b) for cells in apart for a in cells for b in cells if a < b}
        other = replace(other, primitives=remaining, pairs=(*bare.pairs, *pairs))
        return Puzzle(other, puzzle.givens, puzzle.pencilmarks)


class OtherConstraints(OtherPrimitives):
    """Solves the puzzle with other primitives of one type."""

    changed: type[Any]

    @abstractmethod
    def change(self, primitive: Any) -> Primitive | None:
        """What takes the place of a primitive; None for nothing."""

    def primitives_of(self, puzzle: Puzzle) -> Iterator[Primitive]:
        for primitive in puzzle.shape.primitives:
            is_changed = isinstance(primitive, self.changed)
            other = self.change(primitive) if is_changed else primitive
            if other is not None:
                yield other


plant(
    OtherConstraints,
    "change",
    {"changed": Relation},
    IgnoresRelations=lambda self, relation: None,
    TransposesTables=lambda self, relation: Relation(
        relation.second, relation.first, relation.table
    ),
    # Keeps tables only between cells that no house has both of.
    IgnoresTablesOfPeers=lambda self, relation: (
        None if relation.second in self.shape.peers[relation.first] else relation
    ),
    AllowsOnePairTooMany=lambda self, relation: replace(
        relation, table=(relation.table[0] | 0b100, *relation.table[1:])
    ),
    ForbidsThePairOfTheLargestValues=lambda self, relation: replace(
        relation,
        table=(*relation.table[:-1], relation.table[-1] & ~(1 << len(relation.table) - 1)),
    ),
)
plant(
    OtherConstraints,
    "change",
    {"changed": Sum},
    IgnoresSums=lambda self, sum_: None,
    TakesOneTotalTooMany=lambda self, sum_: replace(
        sum_, totals=(*sum_.totals, sum_.totals[-1] + 1)
    ),
    TakesOneTotalTooFew=lambda self, sum_: replace(sum_, totals=sum_.totals[:1]),
    TakesEveryTotalBetween=lambda self, sum_: replace(
        sum_, totals=tuple(range(sum_.totals[0], sum_.totals[-1] + 1))
    ),
    TakesSumsAsUpperBounds=lambda self, sum_: replace(
        sum_, totals=tuple(range(-500, sum_.totals[-1] + 1))
    ),
    IgnoresCoefficients=lambda self, sum_: replace(sum_, coefficients=(1,) * len(sum_.cells)),
    IgnoresTheSignsOfCoefficients=lambda self, sum_: replace(
        sum_, coefficients=tuple(map(abs, sum_.coefficients))
    ),
    IgnoresTheLastCellOfSums=lambda self, sum_: replace(
        sum_, cells=sum_.cells[:-1], coefficients=sum_.coefficients[:-1]
    ),
    LosesTheLastOfManyTotals=lambda self, sum_: (
        replace(sum_, totals=sum_.totals[:-1]) if len(sum_.totals) > 4 else sum_
    ),
)
plant(
    OtherConstraints,
    "change",
    {"changed": ValueCount},
    IgnoresNumbersOfValues=lambda self, count: None,
    TakesOnceForTwice=lambda self, count: replace(count, least=min(count.least, 1)),
    IgnoresTheLargestNumber=lambda self, count: replace(count, most=len(count.cells)),
    TakesLeastForExactly=lambda self, count: replace(count, most=count.least),
    IgnoresTheLargestValueInNumbers=lambda self, count: replace(
        count, values=count.values & ~(1 << self.shape.size - 1)
    ),
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
    OtherConstraints,
    "change",
    {"changed": Line},
    IgnoresAutomata=lambda self, line: None,
    AcceptsInEveryState=lambda self, line: accepting_everywhere(line),
    AcceptsInTheFirstState=lambda self, line: accepting(line, True, *line.automaton.accepting[1:]),
    # Takes only the last accepting state.
    AcceptsInOneState=lambda self, line: accepting_last(line),
    ReadsLinesBackwards=lambda self, line: replace(line, cells=line.cells[::-1]),
    ReadsLinesWithoutTheLastCell=lambda self, line: replace(line, cells=line.cells[:-1]),
    ReadsRepeatedCellsOnce=lambda self, line: replace(line, cells=tuple(dict.fromkeys(line.cells))),
    StaysInItsStateForRefusedValues=lambda self, line: staying(line),
    AcceptsLongLinesInEveryState=lambda self, line: (
        accepting_everywhere(line) if len(line.cells) > 6 else line
    ),
)
plant(
    OtherConstraints,
    "change",
    {"changed": Distinct},
    IgnoresCellsThatDiffer=lambda self, distinct: None,
)


class LosesTheLastOfManyPartners(OtherConstraints):
    """Forbids the largest partner of a value that has more than 4."""

    shapes: ClassVar[tuple[str, ...]] = ("6x6",)
    changed = Relation

    def change(self, primitive: Relation) -> Relation:
        rows = (
            bits & ~(1 << bits.bit_length() - 1) if bits.bit_count() > 4 else bits
            for bits in primitive.table
        )
        return replace(primitive, table=tuple(rows))


class TakesEverySumForACage(OtherPrimitives):
    """Lets no value occur twice in a sum."""

    def primitives_of(self, puzzle: Puzzle) -> Iterator[Primitive]:
        for primitive in puzzle.shape.primitives:
            yield primitive
            if isinstance(primitive, Sum) and set(primitive.coefficients) == {1}:
                yield Distinct(primitive.cells)


class RepeatsValuesInCages(OtherPrimitives):
    """Keeps the sum of a cage, and not that its cells differ."""

    def primitives_of(self, puzzle: Puzzle) -> Iterator[Primitive]:
        sums = {p.cells for p in puzzle.shape.primitives if isinstance(p, Sum)}
        for primitive in puzzle.shape.primitives:
            if not (isinstance(primitive, Distinct) and tuple(sorted(primitive.cells)) in sums):
                yield primitive


class AddsDemandsOnTheSameCells(OtherPrimitives):
    """Counts of the same values in the same cells ask for cells of their own."""

    def primitives_of(self, puzzle: Puzzle) -> Iterator[Primitive]:
        first: dict[object, ValueCount] = {}
        for primitive in puzzle.shape.primitives:
            if isinstance(primitive, ValueCount):
                key = primitive.cells, primitive.values
                least = primitive.least + (first[key].least if key in first else 0)
                first[key] = replace(primitive, least=least)
                yield first[key]
            else:
                yield primitive


class OnlyNeighboursInListsDiffer(OtherPrimitives):
    def primitives_of(self, puzzle: Puzzle) -> Iterator[Primitive]:
        for primitive in puzzle.shape.primitives:
            if isinstance(primitive, Distinct):
                yield from map(Distinct, pairwise(primitive.cells))
            else:
                yield primitive


plant(
    OtherPrimitives,
    "primitives_of",
    # Ignores all primitives but the first.
    KeepsOneConstraint=lambda self, puzzle: puzzle.shape.primitives[:1],
    KeepsOneConstraintOfTheSameCells=lambda self, puzzle: {
        (type(p), p.cells): p for p in puzzle.shape.primitives
    }.values(),
    # Keeps a constraint only if all of its cells are blank.
    IgnoresConstraintsOfGivens=lambda self, puzzle: [
        p for p in puzzle.shape.primitives if not any(puzzle.givens[cell] for cell in p.cells)
    ],
)
plant(
    OtherPrimitives,
    "primitives_of",
    {"solve": Native.solve},
    ConstraintsAreMissingInCounts=lambda self, puzzle: (),
)
plant(
    OtherPrimitives,
    "primitives_of",
    {"count": Native.count},
    ConstraintsAreMissingInSolutions=lambda self, puzzle: (),
)


class IgnoresPencilmarksBesideConstraints(OtherPuzzle):
    shapes: ClassVar[tuple[str, ...]] = ("4x4", "6x6")

    def other(self, puzzle: Puzzle) -> Puzzle:
        return Puzzle(puzzle.shape, puzzle.givens) if puzzle.shape.primitives else puzzle


class OtherKinds(OtherPuzzle):
    """Solves the puzzle with other named constraints."""

    shapes: ClassVar[tuple[str, ...]] = ("4x4", "6x6")

    @abstractmethod
    def reread(self, constraint: Constraint) -> Constraint | None: ...

    def other(self, puzzle: Puzzle) -> Puzzle:
        shape = puzzle.shape
        remaining = list(filter(None, map(self.reread, shape.constraints)))
        if remaining == list(shape.constraints):
            return puzzle
        bare = Shape.parse(shape.plain)
        other = bare.with_constraints(remaining) if remaining else bare
        return Puzzle(other, puzzle.givens, puzzle.pencilmarks)


def reading(constraint: Constraint, kind: str, other: str) -> Constraint:
    """The constraint, with the other kind if it is of this kind."""
    return replace(constraint, kind=other) if constraint.kind == kind else constraint


plant(
    OtherKinds,
    "reread",
    IgnoresRenbans=lambda self, c: None if c.kind == "renban" else c,
    TakesEveryThermometerForASlowOne=lambda self, c: reading(c, "thermometer", "slow-thermometer"),
    TakesContainsForExactly=lambda self, c: reading(c, "contains", "contains-exactly"),
)


class KeepsTheConstraintsOfTheFirstShape(OtherPuzzle):
    """Shares the constraints of a size among all its backends."""

    shapes: ClassVar[tuple[str, ...]] = ("4x4",)
    first: ClassVar[dict[int, Shape]] = {}

    def other(self, puzzle: Puzzle) -> Puzzle:
        if not puzzle.shape.primitives:
            return puzzle
        shape = self.first.setdefault(puzzle.shape.size, puzzle.shape)
        return Puzzle(shape, puzzle.givens, puzzle.pencilmarks)
