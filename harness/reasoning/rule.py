"""The interface of a rule."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from harness.reasoning.board import Board
from harness.reasoning.conclusion import Conclusion


class Rule(ABC):
    """A rule of inference: it draws conclusions from the candidates of a board.

    A rule is sound: its conclusions hold in every solution of the board, however many there
    are. It keeps nothing from one board for the next.
    """

    name: ClassVar[str]
    """The usual name, in the singular."""
    reasons_last: ClassVar[bool] = True
    """Whether the conclusions from one board keep their reasons when others of them are applied.

    The reason of a chain does not: another conclusion may break one of its links.
    """

    @abstractmethod
    def conclusions(self, board: Board) -> Iterator[Conclusion]:
        """What the rule concludes from `board` beyond the values placed.

        The order depends on the board alone. The caller may change the board after it took a
        conclusion only if it takes no further one.
        """
