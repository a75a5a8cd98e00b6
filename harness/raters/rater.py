"""The interface of a rater."""

from abc import ABC, abstractmethod
from typing import ClassVar

from harness.puzzles.puzzle import Puzzle


class Rater(ABC):
    """Gives a puzzle a number for its difficulty: the larger, the more difficult.

    A rater is made without arguments. `__init__` imports the library that it needs; the module
    can be imported without the library.
    """

    name: ClassVar[str]
    """The name that ``--by`` takes."""
    meaning: ClassVar[str]
    """What the number means, in one sentence."""
    distributions: ClassVar[tuple[str, ...]] = ()
    """The packages that must be installed."""

    @abstractmethod
    def rate(self, puzzle: Puzzle) -> float | None:
        """The difficulty of `puzzle`, an integer or a float.

        Args:
            puzzle: a puzzle of any shape, with any number of solutions.

        Returns:
            None if the rater does not rate this puzzle.
        """
