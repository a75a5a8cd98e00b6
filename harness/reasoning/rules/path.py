"""Eppstein's path rule on the bilocation and bivalue graphs."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
from harness.reasoning.absence import Absences, Arm
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Elimination
from harness.reasoning.links import Link, cells_of
from harness.reasoning.rule import Rule


@dataclass(frozen=True, slots=True)
class Path:
    """A walk: if `cell` has not the value, the cell at the end of the arm has it."""

    cell: int
    arm: Arm

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of the walk, each once, in its order."""
        return cells_of(self.arm.walk)

    @property
    def walks(self) -> tuple[tuple[Link, ...], ...]:
        """The walk, for a drawing."""
        return (self.arm.walk,)

    def words(self, shape: Shape) -> str:
        """The reason in words, link by link."""
        name, value = shape.cell_name, symbol_of(self.arm.value)
        without = f"if {name(self.cell)} were not {value}, {self.arm.words(shape)}"
        return f"{without}; so {name(self.cell)} or {name(self.arm.cell)} is {value}"


class PathRule(Rule):
    """Peers of both ends of a path have not the value of its ends.

    If the absence of a value in one cell implies its presence in another one, one of both has
    the value. In the bivalue graph this is an XY-chain.
    """

    name = "path"
    reasons_last = False

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The candidates that paths exclude, by the first cell, then by value, then by length."""
        absences = Absences(board)
        facts, peers = absences.facts, [set(of) for of in board.shape.peers]
        holders = [
            {cell for cell, of in enumerate(board.candidates) if of >> value & 1}
            for value in range(board.shape.size)
        ]
        for cell, value in absences.candidates():
            later = facts.of_value[value] & -facts.bit(cell, value) << 1
            near = peers[cell] & holders[value - 1]
            excluded = {
                (end, value): common
                for end, _ in facts.each(absences.true_without(cell, value) & later)
                if (common := near & peers[end])
            }
            if excluded:
                arms = absences.arms(cell, value)
                for end in filter(excluded.__contains__, arms.facts()):
                    removed = tuple((other, value) for other in sorted(excluded[end]))
                    yield Elimination(removed, Path(cell, arms.to(end)))
