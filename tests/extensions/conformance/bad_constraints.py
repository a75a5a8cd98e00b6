"""Backends that treat constraints wrongly, for the mutation score of the conformance suite."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from backends.native import Native
from harness.contract import Answer, Count, Options
from harness.puzzles import Puzzle, Shape
from harness.puzzles.constraints.kinds import Constraint
from harness.puzzles.constraints.primitives import (
    Automaton,
    Distinct,
    Line,
    Primitive,
    Relation,
    Sum,
    ValueCount,
)
from tests.extensions.conformance.planted import OtherPuzzle


class OtherConstraints(OtherPuzzle):
    """Solves the puzzle with other primitives."""

    shapes: ClassVar[tuple[str, ...]] = ("4x4", "6x6")

    @abstractmethod
    def change(self, primitive: Primitive) -> Primitive | None:
        """What takes the place of a primitive; None for nothing."""

    def primitives_of(self, puzzle: Puzzle) -> Iterator[Primitive]:
        yield from filter(None, map(self.change, puzzle.shape.primitives))

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


class OtherRelations(OtherConstraints):
    def change(self, primitive: Primitive) -> Primitive | None:
        return self.relation(primitive) if isinstance(primitive, Relation) else primitive

    @abstractmethod
    def relation(self, relation: Relation) -> Relation | None: ...


class IgnoresRelations(OtherRelations):
    def relation(self, relation: Relation) -> None:
        return None


class TransposesTables(OtherRelations):
    def relation(self, relation: Relation) -> Relation:
        return Relation(relation.second, relation.first, relation.table)


class IgnoresTablesOfPeers(OtherRelations):
    """Keeps tables only between cells that no house has both of."""

    def relation(self, relation: Relation) -> Relation | None:
        return None if relation.second in self.shape.peers[relation.first] else relation


class AllowsOnePairTooMany(OtherRelations):
    def relation(self, relation: Relation) -> Relation:
        return replace(relation, table=(relation.table[0] | 0b100, *relation.table[1:]))


class ForbidsThePairOfTheLargestValues(OtherRelations):
    def relation(self, relation: Relation) -> Relation:
        last = relation.table[-1] & ~(1 << len(relation.table) - 1)
        return replace(relation, table=(*relation.table[:-1], last))


class OtherSums(OtherConstraints):
    def change(self, primitive: Primitive) -> Primitive | None:
        return self.sum(primitive) if isinstance(primitive, Sum) else primitive

    @abstractmethod
    def sum(self, sum_: Sum) -> Sum | None: ...


class IgnoresSums(OtherSums):
    def sum(self, sum_: Sum) -> None:
        return None


class TakesOneTotalTooMany(OtherSums):
    def sum(self, sum_: Sum) -> Sum:
        return replace(sum_, totals=(*sum_.totals, sum_.totals[-1] + 1))


class TakesOneTotalTooFew(OtherSums):
    def sum(self, sum_: Sum) -> Sum:
        return replace(sum_, totals=sum_.totals[:1])


class TakesEveryTotalBetween(OtherSums):
    def sum(self, sum_: Sum) -> Sum:
        return replace(sum_, totals=tuple(range(sum_.totals[0], sum_.totals[-1] + 1)))


class TakesSumsAsUpperBounds(OtherSums):
    def sum(self, sum_: Sum) -> Sum:
        return replace(sum_, totals=tuple(range(-500, sum_.totals[-1] + 1)))


class IgnoresCoefficients(OtherSums):
    def sum(self, sum_: Sum) -> Sum:
        return replace(sum_, coefficients=(1,) * len(sum_.cells))


class IgnoresTheSignsOfCoefficients(OtherSums):
    def sum(self, sum_: Sum) -> Sum:
        return replace(sum_, coefficients=tuple(map(abs, sum_.coefficients)))


class IgnoresTheLastCellOfSums(OtherSums):
    def sum(self, sum_: Sum) -> Sum:
        return replace(sum_, cells=sum_.cells[:-1], coefficients=sum_.coefficients[:-1])


class TakesEverySumForACage(OtherSums):
    """Lets no value occur twice in a sum."""

    def primitives_of(self, puzzle: Puzzle) -> Iterator[Primitive]:
        for primitive in puzzle.shape.primitives:
            yield primitive
            if isinstance(primitive, Sum) and set(primitive.coefficients) == {1}:
                yield Distinct(primitive.cells)

    def sum(self, sum_: Sum) -> Sum:
        return sum_


class OtherCounts(OtherConstraints):
    def change(self, primitive: Primitive) -> Primitive | None:
        return self.numbers(primitive) if isinstance(primitive, ValueCount) else primitive

    @abstractmethod
    def numbers(self, count: ValueCount) -> ValueCount | None: ...


class IgnoresNumbersOfValues(OtherCounts):
    def numbers(self, count: ValueCount) -> None:
        return None


class TakesOnceForTwice(OtherCounts):
    def numbers(self, count: ValueCount) -> ValueCount:
        return replace(count, least=min(count.least, 1))


class IgnoresTheLargestNumber(OtherCounts):
    def numbers(self, count: ValueCount) -> ValueCount:
        return replace(count, most=len(count.cells))


class TakesLeastForExactly(OtherCounts):
    def numbers(self, count: ValueCount) -> ValueCount:
        return replace(count, most=count.least)


class IgnoresTheLargestValueInNumbers(OtherCounts):
    def numbers(self, count: ValueCount) -> ValueCount:
        return replace(count, values=count.values & ~(1 << self.shape.size - 1))


class OtherLines(OtherConstraints):
    def change(self, primitive: Primitive) -> Primitive | None:
        return self.line(primitive) if isinstance(primitive, Line) else primitive

    @abstractmethod
    def line(self, line: Line) -> Line | None: ...


def accepting(line: Line, *states: bool) -> Line:
    """The line with other accepting states."""
    return replace(line, automaton=replace(line.automaton, accepting=states))


class IgnoresAutomata(OtherLines):
    def line(self, line: Line) -> None:
        return None


class AcceptsInEveryState(OtherLines):
    def line(self, line: Line) -> Line:
        return accepting(line, *(True for _ in line.automaton.accepting))


class AcceptsInTheFirstState(OtherLines):
    def line(self, line: Line) -> Line:
        return accepting(line, True, *line.automaton.accepting[1:])


class AcceptsInOneState(OtherLines):
    """Takes only the last accepting state."""

    def line(self, line: Line) -> Line:
        states = line.automaton.accepting
        last = max(state for state, accepts in enumerate(states) if accepts)
        return accepting(line, *(state == last for state in range(len(states))))


class ReadsLinesBackwards(OtherLines):
    def line(self, line: Line) -> Line:
        return replace(line, cells=line.cells[::-1])


class ReadsLinesWithoutTheLastCell(OtherLines):
    def line(self, line: Line) -> Line:
        return replace(line, cells=line.cells[:-1])


class ReadsRepeatedCellsOnce(OtherLines):
    def line(self, line: Line) -> Line:
        return replace(line, cells=tuple(dict.fromkeys(line.cells)))


class StaysInItsStateForRefusedValues(OtherLines):
    def line(self, line: Line) -> Line:
        rows = tuple(
            tuple(state if after < 0 else after for after in row)
            for state, row in enumerate(line.automaton.transitions)
        )
        return replace(line, automaton=Automaton(rows, line.automaton.accepting))


class AcceptsLongLinesInEveryState(OtherLines):
    """Ignores where lines of more than 6 cells may end."""

    def line(self, line: Line) -> Line:
        every = (True,) * len(line.automaton.accepting)
        return accepting(line, *every) if len(line.cells) > 6 else line


class LosesTheLastOfManyTotals(OtherSums):
    def sum(self, sum_: Sum) -> Sum:
        return replace(sum_, totals=sum_.totals[:-1]) if len(sum_.totals) > 4 else sum_


class LosesTheLastOfManyPartners(OtherRelations):
    """Forbids the largest partner of a value that has more than 4."""

    shapes: ClassVar[tuple[str, ...]] = ("6x6",)

    def relation(self, relation: Relation) -> Relation:
        rows = (
            bits & ~(1 << bits.bit_length() - 1) if bits.bit_count() > 4 else bits
            for bits in relation.table
        )
        return replace(relation, table=tuple(rows))


class RepeatsValuesInCages(OtherConstraints):
    """Keeps the sum of a cage, and not that its cells differ."""

    def primitives_of(self, puzzle: Puzzle) -> Iterator[Primitive]:
        sums = {p.cells for p in puzzle.shape.primitives if isinstance(p, Sum)}
        for primitive in puzzle.shape.primitives:
            if not (isinstance(primitive, Distinct) and tuple(sorted(primitive.cells)) in sums):
                yield primitive

    def change(self, primitive: Primitive) -> Primitive:
        return primitive


class AddsDemandsOnTheSameCells(OtherConstraints):
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

    def change(self, primitive: Primitive) -> Primitive:
        return primitive


class KeepsOneConstraintOfTheSameCells(OtherConstraints):
    def primitives_of(self, puzzle: Puzzle) -> Iterator[Primitive]:
        yield from {(type(p), p.cells): p for p in puzzle.shape.primitives}.values()

    def change(self, primitive: Primitive) -> Primitive:
        return primitive


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


class IgnoresRenbans(OtherKinds):
    def reread(self, constraint: Constraint) -> Constraint | None:
        return None if constraint.kind == "renban" else constraint


class TakesEveryThermometerForASlowOne(OtherKinds):
    def reread(self, constraint: Constraint) -> Constraint:
        is_thermometer = constraint.kind == "thermometer"
        return replace(constraint, kind="slow-thermometer") if is_thermometer else constraint


class TakesContainsForExactly(OtherKinds):
    def reread(self, constraint: Constraint) -> Constraint:
        contains = constraint.kind == "contains"
        return replace(constraint, kind="contains-exactly") if contains else constraint


class IgnoresCellsThatDiffer(OtherConstraints):
    def change(self, primitive: Primitive) -> Primitive | None:
        return None if isinstance(primitive, Distinct) else primitive


class OnlyNeighboursInListsDiffer(OtherConstraints):
    def primitives_of(self, puzzle: Puzzle) -> Iterator[Primitive]:
        for primitive in puzzle.shape.primitives:
            if isinstance(primitive, Distinct):
                yield from map(Distinct, zip(primitive.cells, primitive.cells[1:], strict=False))
            else:
                yield primitive

    def change(self, primitive: Primitive) -> Primitive:
        return primitive


class KeepsOneConstraint(OtherConstraints):
    """Ignores all primitives but the first."""

    def primitives_of(self, puzzle: Puzzle) -> Iterator[Primitive]:
        yield puzzle.shape.primitives[0]

    def change(self, primitive: Primitive) -> Primitive:
        return primitive


class IgnoresConstraintsOfGivens(OtherConstraints):
    """Keeps a constraint only if all of its cells are blank."""

    def primitives_of(self, puzzle: Puzzle) -> Iterator[Primitive]:
        for primitive in puzzle.shape.primitives:
            cells = primitive.cells
            if not any(puzzle.givens[cell] for cell in cells):
                yield primitive

    def change(self, primitive: Primitive) -> Primitive:
        return primitive


class ConstraintsAreMissingInCounts(OtherConstraints):
    def change(self, primitive: Primitive) -> None:
        return None

    def solve(self, puzzle: Puzzle) -> Answer:
        return Native(puzzle.shape, Options()).solve(puzzle)


class ConstraintsAreMissingInSolutions(OtherConstraints):
    def change(self, primitive: Primitive) -> None:
        return None

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return Native(puzzle.shape, Options()).count(puzzle, limit)


class KeepsTheConstraintsOfTheFirstShape(OtherPuzzle):
    """Shares the constraints of a size among all its backends."""

    shapes: ClassVar[tuple[str, ...]] = ("4x4",)
    first: ClassVar[dict[int, Shape]] = {}

    def other(self, puzzle: Puzzle) -> Puzzle:
        if not puzzle.shape.primitives:
            return puzzle
        shape = self.first.setdefault(puzzle.shape.size, puzzle.shape)
        return Puzzle(shape, puzzle.givens, puzzle.pencilmarks)
