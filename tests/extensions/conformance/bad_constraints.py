"""Backends that treat constraints wrongly, for the mutation score of the conformance suite."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from backends.native import Native
from harness.contract import Answer, Count, Options
from harness.puzzles import Puzzle, Shape
from harness.puzzles.kinds import Constraint
from harness.puzzles.primitives import (
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
    def change(self, of: Primitive) -> Primitive | None:
        """What takes the place of a primitive; None for nothing."""

    def changed(self, puzzle: Puzzle) -> Iterator[Primitive]:
        yield from filter(None, map(self.change, puzzle.shape.primitives))

    def other(self, puzzle: Puzzle) -> Puzzle:
        shape = puzzle.shape
        if not shape.primitives:
            return puzzle
        bare = Shape.parse(shape.plain)
        made = Shape("other", shape.size, bare.houses, bare.box, bare.pairs)
        kept = tuple(self.changed(puzzle))
        apart = [of.cells for of in kept if isinstance(of, Distinct)]
        pairs = {(a, b) for of in apart for a in of for b in of if a < b}
        made = replace(made, primitives=kept, pairs=(*bare.pairs, *pairs))
        return Puzzle(made, puzzle.givens, puzzle.pencilmarks)


class OtherRelations(OtherConstraints):
    def change(self, of: Primitive) -> Primitive | None:
        return self.relation(of) if isinstance(of, Relation) else of

    @abstractmethod
    def relation(self, of: Relation) -> Relation | None: ...


class IgnoresRelations(OtherRelations):
    def relation(self, of: Relation) -> None:
        return None


class TransposesTables(OtherRelations):
    def relation(self, of: Relation) -> Relation:
        return Relation(of.second, of.first, of.table)


class IgnoresTablesOfPeers(OtherRelations):
    """Keeps tables only between cells that no house has both of."""

    def relation(self, of: Relation) -> Relation | None:
        return None if of.second in self.shape.peers[of.first] else of


class AllowsOnePairTooMany(OtherRelations):
    def relation(self, of: Relation) -> Relation:
        return replace(of, table=(of.table[0] | 0b100, *of.table[1:]))


class ForbidsThePairOfTheLargestValues(OtherRelations):
    def relation(self, of: Relation) -> Relation:
        last = of.table[-1] & ~(1 << len(of.table) - 1)
        return replace(of, table=(*of.table[:-1], last))


class OtherSums(OtherConstraints):
    def change(self, of: Primitive) -> Primitive | None:
        return self.sum(of) if isinstance(of, Sum) else of

    @abstractmethod
    def sum(self, of: Sum) -> Sum | None: ...


class IgnoresSums(OtherSums):
    def sum(self, of: Sum) -> None:
        return None


class TakesOneTotalTooMany(OtherSums):
    def sum(self, of: Sum) -> Sum:
        return replace(of, totals=(*of.totals, of.totals[-1] + 1))


class TakesOneTotalTooFew(OtherSums):
    def sum(self, of: Sum) -> Sum:
        return replace(of, totals=of.totals[:1])


class TakesEveryTotalBetween(OtherSums):
    def sum(self, of: Sum) -> Sum:
        return replace(of, totals=tuple(range(of.totals[0], of.totals[-1] + 1)))


class TakesSumsAsUpperBounds(OtherSums):
    def sum(self, of: Sum) -> Sum:
        return replace(of, totals=tuple(range(-500, of.totals[-1] + 1)))


class IgnoresCoefficients(OtherSums):
    def sum(self, of: Sum) -> Sum:
        return replace(of, coefficients=(1,) * len(of.cells))


class IgnoresTheSignsOfCoefficients(OtherSums):
    def sum(self, of: Sum) -> Sum:
        return replace(of, coefficients=tuple(map(abs, of.coefficients)))


class IgnoresTheLastCellOfSums(OtherSums):
    def sum(self, of: Sum) -> Sum:
        return replace(of, cells=of.cells[:-1], coefficients=of.coefficients[:-1])


class TakesEverySumForACage(OtherSums):
    """Lets no value occur twice in a sum."""

    def changed(self, puzzle: Puzzle) -> Iterator[Primitive]:
        for of in puzzle.shape.primitives:
            yield of
            if isinstance(of, Sum) and set(of.coefficients) == {1}:
                yield Distinct(of.cells)

    def sum(self, of: Sum) -> Sum:
        return of


class OtherCounts(OtherConstraints):
    def change(self, of: Primitive) -> Primitive | None:
        return self.numbers(of) if isinstance(of, ValueCount) else of

    @abstractmethod
    def numbers(self, of: ValueCount) -> ValueCount | None: ...


class IgnoresNumbersOfValues(OtherCounts):
    def numbers(self, of: ValueCount) -> None:
        return None


class TakesOnceForTwice(OtherCounts):
    def numbers(self, of: ValueCount) -> ValueCount:
        return replace(of, least=min(of.least, 1))


class IgnoresTheLargestNumber(OtherCounts):
    def numbers(self, of: ValueCount) -> ValueCount:
        return replace(of, most=len(of.cells))


class TakesLeastForExactly(OtherCounts):
    def numbers(self, of: ValueCount) -> ValueCount:
        return replace(of, most=of.least)


class IgnoresTheLargestValueInNumbers(OtherCounts):
    def numbers(self, of: ValueCount) -> ValueCount:
        return replace(of, values=of.values & ~(1 << self.shape.size - 1))


class OtherLines(OtherConstraints):
    def change(self, of: Primitive) -> Primitive | None:
        return self.line(of) if isinstance(of, Line) else of

    @abstractmethod
    def line(self, of: Line) -> Line | None: ...


def accepting(of: Line, *states: bool) -> Line:
    """The line with other accepting states."""
    return replace(of, automaton=replace(of.automaton, accepting=states))


class IgnoresAutomata(OtherLines):
    def line(self, of: Line) -> None:
        return None


class AcceptsInEveryState(OtherLines):
    def line(self, of: Line) -> Line:
        return accepting(of, *(True for _ in of.automaton.accepting))


class AcceptsInTheFirstState(OtherLines):
    def line(self, of: Line) -> Line:
        return accepting(of, True, *of.automaton.accepting[1:])


class AcceptsInOneState(OtherLines):
    """Takes only the last accepting state."""

    def line(self, of: Line) -> Line:
        states = of.automaton.accepting
        last = max(state for state, accepts in enumerate(states) if accepts)
        return accepting(of, *(state == last for state in range(len(states))))


class ReadsLinesBackwards(OtherLines):
    def line(self, of: Line) -> Line:
        return replace(of, cells=of.cells[::-1])


class ReadsLinesWithoutTheLastCell(OtherLines):
    def line(self, of: Line) -> Line:
        return replace(of, cells=of.cells[:-1])


class ReadsRepeatedCellsOnce(OtherLines):
    def line(self, of: Line) -> Line:
        return replace(of, cells=tuple(dict.fromkeys(of.cells)))


class StaysInItsStateForRefusedValues(OtherLines):
    def line(self, of: Line) -> Line:
        rows = tuple(
            tuple(state if after < 0 else after for after in row)
            for state, row in enumerate(of.automaton.transitions)
        )
        return replace(of, automaton=Automaton(rows, of.automaton.accepting))


class AcceptsLongLinesInEveryState(OtherLines):
    """Ignores where lines of more than 6 cells may end."""

    def line(self, of: Line) -> Line:
        every = (True,) * len(of.automaton.accepting)
        return accepting(of, *every) if len(of.cells) > 6 else of


class LosesTheLastOfManyTotals(OtherSums):
    def sum(self, of: Sum) -> Sum:
        return replace(of, totals=of.totals[:-1]) if len(of.totals) > 4 else of


class LosesTheLastOfManyPartners(OtherRelations):
    """Forbids the largest partner of a value that has more than 4."""

    shapes: ClassVar[tuple[str, ...]] = ("6x6",)

    def relation(self, of: Relation) -> Relation:
        rows = (
            row & ~(1 << row.bit_length() - 1) if row.bit_count() > 4 else row for row in of.table
        )
        return replace(of, table=tuple(rows))


class RepeatsValuesInCages(OtherConstraints):
    """Keeps the sum of a cage, and not that its cells differ."""

    def changed(self, puzzle: Puzzle) -> Iterator[Primitive]:
        sums = {of.cells for of in puzzle.shape.primitives if isinstance(of, Sum)}
        for of in puzzle.shape.primitives:
            if not (isinstance(of, Distinct) and tuple(sorted(of.cells)) in sums):
                yield of

    def change(self, of: Primitive) -> Primitive:
        return of


class AddsDemandsOnTheSameCells(OtherConstraints):
    """Counts of the same values in the same cells ask for cells of their own."""

    def changed(self, puzzle: Puzzle) -> Iterator[Primitive]:
        first: dict[object, ValueCount] = {}
        for of in puzzle.shape.primitives:
            if isinstance(of, ValueCount):
                key = of.cells, of.values
                least = of.least + (first[key].least if key in first else 0)
                first[key] = replace(of, least=least)
                yield first[key]
            else:
                yield of

    def change(self, of: Primitive) -> Primitive:
        return of


class KeepsOneConstraintOfTheSameCells(OtherConstraints):
    def changed(self, puzzle: Puzzle) -> Iterator[Primitive]:
        yield from {(type(of), of.cells): of for of in puzzle.shape.primitives}.values()

    def change(self, of: Primitive) -> Primitive:
        return of


class IgnoresPencilmarksBesideConstraints(OtherPuzzle):
    shapes: ClassVar[tuple[str, ...]] = ("4x4", "6x6")

    def other(self, puzzle: Puzzle) -> Puzzle:
        return Puzzle(puzzle.shape, puzzle.givens) if puzzle.shape.primitives else puzzle


class OtherKinds(OtherPuzzle):
    """Solves the puzzle with other named constraints."""

    shapes: ClassVar[tuple[str, ...]] = ("4x4", "6x6")

    @abstractmethod
    def named(self, of: Constraint) -> Constraint | None: ...

    def other(self, puzzle: Puzzle) -> Puzzle:
        shape = puzzle.shape
        kept = list(filter(None, map(self.named, shape.constraints)))
        if kept == list(shape.constraints):
            return puzzle
        bare = Shape.parse(shape.plain)
        made = bare.constrained(kept) if kept else bare
        return Puzzle(made, puzzle.givens, puzzle.pencilmarks)


class IgnoresRenbans(OtherKinds):
    def named(self, of: Constraint) -> Constraint | None:
        return None if of.kind == "renban" else of


class TakesEveryThermometerForASlowOne(OtherKinds):
    def named(self, of: Constraint) -> Constraint:
        return replace(of, kind="slow-thermometer") if of.kind == "thermometer" else of


class TakesContainsForExactly(OtherKinds):
    def named(self, of: Constraint) -> Constraint:
        return replace(of, kind="contains-exactly") if of.kind == "contains" else of


class IgnoresCellsThatDiffer(OtherConstraints):
    def change(self, of: Primitive) -> Primitive | None:
        return None if isinstance(of, Distinct) else of


class OnlyNeighboursInListsDiffer(OtherConstraints):
    def changed(self, puzzle: Puzzle) -> Iterator[Primitive]:
        for of in puzzle.shape.primitives:
            if isinstance(of, Distinct):
                yield from map(Distinct, zip(of.cells, of.cells[1:], strict=False))
            else:
                yield of

    def change(self, of: Primitive) -> Primitive:
        return of


class KeepsOneConstraint(OtherConstraints):
    """Ignores all primitives but the first."""

    def changed(self, puzzle: Puzzle) -> Iterator[Primitive]:
        yield puzzle.shape.primitives[0]

    def change(self, of: Primitive) -> Primitive:
        return of


class IgnoresConstraintsOfGivens(OtherConstraints):
    """Keeps a constraint only if all of its cells are blank."""

    def changed(self, puzzle: Puzzle) -> Iterator[Primitive]:
        for of in puzzle.shape.primitives:
            cells = (of.first, of.second) if isinstance(of, Relation) else of.cells
            if not any(puzzle.givens[cell] for cell in cells):
                yield of

    def change(self, of: Primitive) -> Primitive:
        return of


class ConstraintsAreMissingInCounts(OtherConstraints):
    def change(self, of: Primitive) -> None:
        return None

    def solve(self, puzzle: Puzzle) -> Answer:
        return Native(puzzle.shape, Options()).solve(puzzle)


class ConstraintsAreMissingInSolutions(OtherConstraints):
    def change(self, of: Primitive) -> None:
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
