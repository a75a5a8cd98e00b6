"""What is known about the number of solutions of a puzzle."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from harness.base.errors import PuzzleError
from harness.base.text import MOST_DIGITS, is_writable, number_of, short_repr

TEXT: Final = rf"(at least )?([0-9]{{1,{MOST_DIGITS}}}) solutions?"
"""The pattern of a count as stores keep it."""


@dataclass(frozen=True, slots=True)
class SolutionCount:
    """The number of solutions of a puzzle is from `least` to `most`, both included.

    It is what a dataset gives, an answer claims, a certificate proves or a search finds. `str`
    gives it in words: ``no solution``, ``exactly 3 solutions``, ``at least 1 solution``.
    """

    least: int = 0
    most: int | None = None
    """None without an upper bound."""
    solution: str | None = None
    """The line of the unique solution, if it is known."""

    @staticmethod
    def from_number(
        number: int, exact: bool = True, solution: str | None = None
    ) -> "SolutionCount":
        """`number` solutions, or at least `number` if not `exact`; `solution` is the unique one."""
        return SolutionCount(number, number if exact else None, solution)

    @staticmethod
    def parse(count: object, solution: str | None = None) -> "SolutionCount":
        """The count in the notation of datasets: 0, 1, 38122 or ``">=2000000"``.

        Raises:
            PuzzleError: `count` is malformed, or is not 1 although `solution` is given.
        """
        is_text = not isinstance(count, int) or is_writable(count)
        match = is_text and re.fullmatch(rf"\s*(>=)?\s*([0-9]{{1,{MOST_DIGITS}}})\s*", str(count))
        if not match or isinstance(count, bool | float):
            problem = f"{short_repr(count)} is not a number of solutions"
            raise PuzzleError(problem, expected="a whole number or '>=number'")
        parsed = SolutionCount.from_number(int(match[2]), match[1] is None, solution)
        if solution is not None and (parsed.least, parsed.most) != (1, 1):
            problem = f"the record gives the solution of a puzzle with {parsed.text}"
            raise PuzzleError(problem, expected="1 solution")
        return parsed

    @staticmethod
    def of_text(text: str) -> "SolutionCount":
        """The count that `text` gives as ``3 solutions`` or ``at least 1 solution``.

        Raises:
            PuzzleError: `text` has another form.
        """
        match = re.fullmatch(TEXT, text)
        if not match:
            problem = f"{short_repr(text)} is not an expected count"
            raise PuzzleError(problem, expected="'3 solutions' or 'at least 3 solutions'")
        return SolutionCount.from_number(int(match[2]), match[1] is None)

    @property
    def notation(self) -> int | str:
        """An exact number or a lower bound in the notation of datasets: ``">=3"``."""
        return self.least if self.exact else f">={self.least}"

    @property
    def text(self) -> str:
        """An exact number or a lower bound as stores keep it: ``0 solutions``."""
        number = f"{self.least}" if self.exact else f"at least {self.least}"
        return f"{number} solution{'' if self.least == 1 else 's'}"

    @property
    def as_claim(self) -> str:
        """An exact number or a lower bound in the notation of certificates: ``exactly 1``."""
        return f"{'exactly' if self.exact else 'at least'} {self.least}"

    @property
    def exact(self) -> bool:
        """Whether the number of solutions is known."""
        return self.most == self.least

    def is_below(self, other: "SolutionCount") -> bool:
        """Whether all its numbers are less than those of `other`."""
        return self.most is not None and self.most < other.least

    def excludes(self, other: "SolutionCount") -> bool:
        """Whether no number is in both this and `other`."""
        return self.is_below(other) or other.is_below(self)

    def includes(self, other: "SolutionCount") -> bool:
        """Whether it has all numbers of `other`."""
        is_open = self.most is None or (other.most is not None and other.most <= self.most)
        return self.least <= other.least and is_open

    @staticmethod
    def common(counts: Iterable["SolutionCount"]) -> "SolutionCount | None":
        """The numbers that are in all `counts`; None if there are none."""
        least, most = 0, None
        for count in counts:
            least = max(least, count.least)
            if count.most is not None:
                most = count.most if most is None else min(most, count.most)
        return None if most is not None and most < least else SolutionCount(least, most)

    def __str__(self) -> str:
        if self.most == 0:
            return "no solution"
        if self.most is None:
            return f"at least {number_of(self.least, 'solution')}"
        if self.most == self.least:
            return f"exactly {number_of(self.least, 'solution')}"
        return f"{self.least:,} to {number_of(self.most, 'solution')}"


NO_SOLUTION = SolutionCount(0, 0)
EVERY_NUMBER = SolutionCount()
"""Nothing is known."""
