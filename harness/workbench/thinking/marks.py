"""What a drawing marks of a reason, as numbers of cells, houses and values."""

from collections.abc import Iterable

from harness.puzzles.house import House
from harness.puzzles.shape import Shape
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Reason
from harness.reasoning.drawing.marks import candidates_of, walks_of
from harness.reasoning.links import Link
from harness.reasoning.marks import HasHouses, HasPairs
from harness.workbench.thinking.messages import StepData


class Marks:
    """Adds the marks of reasons to steps."""

    def __init__(self, shape: Shape) -> None:
        self._by_house = {of: at for at, of in enumerate(shape.houses)}
        self._by_cells = {frozenset(of.cells): at for at, of in enumerate(shape.houses)}

    def add(self, step: StepData, reason: Reason, board: Board) -> None:
        """Add the marks of a reason; `board` is the one from which the step starts."""
        groups = reason.houses if isinstance(reason, HasHouses) else ()
        step.houses = [self._numbers(group) for group in groups if group]
        whole = self._by_cells.get(frozenset(reason.cells))
        if whole is None:
            step.cells = tuple(reason.cells)
        elif not step.houses:
            step.houses = [[whole]]
        step.groups = [group for group in candidates_of(reason, board) if group]
        step.walks = [[_link(link) for link in walk] for walk in walks_of(reason) if walk]
        if isinstance(reason, HasPairs):
            step.pairs = [(link.source, link.target, link.value) for link in reason.links]

    def _numbers(self, houses: Iterable[House]) -> list[int]:
        return [self._by_house[house] for house in houses]


def _link(link: Link) -> tuple[int, int, int, int]:
    return link.source, link.target, link.value, link.target_value
