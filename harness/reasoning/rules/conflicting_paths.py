"""Eppstein's conflicting paths rule on the bilocation graph, with three extensions."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.puzzles.house import House
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
from harness.reasoning.absence import Absences, Arm, Arms, Fact
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Placement
from harness.reasoning.links import Link, cells_of
from harness.reasoning.rule import Rule


@dataclass(frozen=True, slots=True)
class ConflictingPaths:
    """Walks that begin with the absence of the value, and end with facts that conflict.

    Two arms end in peers with the same value, or in one cell with two values. If there is a
    house, the facts at the ends of the arms leave no cell of the house for the value.
    """

    arms: tuple[Arm, ...]
    house: House | None = None
    value: int | None = None

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of the arms, each once, then those of the house."""
        of_arms = (cell for arm in self.arms for cell in (*cells_of(arm.walk), arm.cell))
        return tuple(dict.fromkeys((*of_arms, *(self.house.cells if self.house else ()))))

    @property
    def walks(self) -> tuple[tuple[Link, ...], ...]:
        """The walks of the arms, for a drawing."""
        return tuple(arm.walk for arm in self.arms)

    @property
    def houses(self) -> tuple[tuple[House, ...], ...]:
        """The house without a cell for the value, for a drawing."""
        return ((self.house,),) if self.house is not None else ()

    def words(self, shape: Shape) -> str:
        """The reason in words, arm by arm, then the conflict."""
        arms = (f"({number}) {arm.words(shape)}" for number, arm in enumerate(self.arms, 1))
        return f"if not, {'; '.join(arms)}; {self._conflict(shape)}"

    def _conflict(self, shape: Shape) -> str:
        if self.house is not None and self.value is not None:
            return f"{self.house} would have no cell for {symbol_of(self.value)}"
        one, other = self.arms
        if one.cell == other.cell:
            values = f"{symbol_of(one.value)} and {symbol_of(other.value)}"
            return f"{shape.cell_name(one.cell)} cannot be both {values}"
        cells = f"{shape.cell_name(one.cell)} and {shape.cell_name(other.cell)}"
        return f"{cells} cannot both be {symbol_of(one.value)}"


class ConflictingPathsRule(Rule):
    """A cell has a value if walks that start from its absence end with facts that conflict.

    The basic form has two walks in the bilocation graph that end in peers with the same label.
    These extensions are sound too: the walks may end in one cell with two labels; the ends may
    exclude a value from all cells of a house; and if the cell has two candidates, a walk may
    begin with the other one in the bivalue graph. The two arms are independent: each may have
    one link, and they may have cells in common.
    """

    name = "conflicting paths"
    reasons_last = False

    def conclusions(self, board: Board) -> Iterator[Placement]:
        """The cells with their values, by cell, then by value.

        Each conclusion has arms with as few links as possible; a conflict of two arms comes
        before a house without a cell for a value.
        """
        absences = Absences(board)
        houses = _Houses(absences)
        for cell, value in absences.candidates():
            false = absences.false_without(cell, value)
            if false & absences.true_without(cell, value):
                reason = _shortest_pair(absences, absences.arms(cell, value))
                yield Placement(cell, value, reason)
                continue
            if houses.is_any_without_cell(false):
                yield Placement(cell, value, houses.shortest(cell, value, false))


def _shortest_pair(absences: Absences, arms: Arms) -> ConflictingPaths:
    """Two conflicting arms with as few links as possible in all."""
    facts = absences.facts
    best: tuple[int, Fact, Fact] | None = None
    seen = 0
    for fact in arms.facts():
        length = arms.length[fact]
        if best is not None and length >= best[0]:
            break
        for other in facts.each(seen & facts.excluded_by(*fact)):
            both = length + arms.length[other]
            if best is None or both < best[0]:
                best = both, other, fact
        seen |= facts.bit(*fact)
    assert best is not None
    return ConflictingPaths((arms.to(best[1]), arms.to(best[2])))


class _Houses:
    """Houses that have no cell for a value where some facts are false."""

    def __init__(self, absences: Absences) -> None:
        self._absences = absences
        board, facts = absences.board, absences.facts
        self._places: list[list[tuple[House, int]]] = []
        """For each value the houses with several cells for it, and the facts that it is there."""
        for value in range(1, board.shape.size + 1):
            holders = {cell for cell, _ in facts.each(facts.of_value[value])}
            found = []
            for house in board.shape.houses:
                cells = [cell for cell in house.cells if cell in holders]
                if len(cells) > 1:
                    found.append((house, sum(facts.bit(cell, value) for cell in cells)))
            self._places.append(found)
        self._known: dict[int, bool] = {}

    def is_any_without_cell(self, false: int) -> bool:
        """Whether a house has no cell for a value if these facts are false."""
        of = self._absences.facts.of_value
        for value, places in enumerate(self._places, 1):
            of_value = false & of[value]
            if of_value not in self._known:
                self._known[of_value] = any(cells & ~of_value == 0 for _, cells in places)
            if self._known[of_value]:
                return True
        return False

    def shortest(self, cell: int, value: int, false: int) -> ConflictingPaths:
        """The house and value that need the fewest links, with an arm for each excluded cell."""
        facts, arms = self._absences.facts, self._absences.arms(cell, value)
        near = list(arms.facts())
        found: list[tuple[int, set[Fact], House, int]] = []
        for of, places in enumerate(self._places, 1):
            for house, cells in places:
                if cells & ~false == 0:
                    ends = {
                        next(end for end in near if facts.excluded_by(*end) & facts.bit(*place))
                        for place in facts.each(cells & ~facts.bit(cell, value))
                    }
                    links = sum(arms.length[end] for end in ends)
                    found.append((links, ends, house, of))
        _, ends, house, of = min(found, key=lambda item: item[0])
        ordered = [end for end in near if end in ends]
        return ConflictingPaths(tuple(map(arms.to, ordered)), house, of)
