"""What is known of a puzzle before anybody solves it."""

import re
import reprlib
from dataclasses import dataclass

from harness.errors import InputError


@dataclass(frozen=True, slots=True)
class ExpectedCount:
    """The number of solutions of a puzzle, as far as it is known.

    `count` is all there are when `exact`, otherwise a proven lower bound.
    `solution` is the line of the one solution, where there is exactly one and
    it is known.
    """

    count: int
    exact: bool = True
    solution: str | None = None

    @staticmethod
    def parse(count: object, solution: str | None = None) -> "ExpectedCount":
        """The expected_count as a dataset writes it: 0, 1, 38122 or ``">=2000000"``.

        Raises:
            InputError: `count` is neither, or `solution` is given and `count` is not 1.
        """
        match = re.fullmatch(r"\s*(>=)?\s*([0-9]{1,1000})\s*", str(count))
        if match is None or isinstance(count, bool | float):
            raise InputError(
                f"{reprlib.repr(count)} is no number of solutions",
                expected="a whole number or '>=number'",
            )
        expected_count = ExpectedCount(int(match[2]), match[1] is None, solution)
        if solution is not None and (expected_count.count, expected_count.exact) != (1, True):
            raise InputError(
                f"a solution is given for a puzzle with {expected_count}", expected="1 solution"
            )
        return expected_count

    @property
    def contradicts_unsatisfiable(self) -> str | None:
        """Why the answer "unsatisfiable" is wrong, or None where it is not."""
        return f"it has {self}" if self.count else None

    def contradicts_count(self, number: int, exact: bool) -> str | None:
        """Why this count is wrong, or None where it is not.

        `exact` says that `number` is all there are; otherwise there are at
        least so many.
        """
        too_many = self.exact and number > self.count
        too_few = exact and number < self.count
        return f"it has {self}" if too_many or too_few else None

    def contradicts_solution(self, line: str) -> str | None:
        """Why this solution, itself valid, cannot be, or None where it can."""
        if self.exact and self.count == 0:
            return "it has no solution"
        if self.exact and self.count == 1 and self.solution not in (None, line):
            return f"its one solution is {self.solution}"
        return None

    def __str__(self) -> str:
        number = f"{self.count}" if self.exact else f"at least {self.count}"
        return f"{number} solution{'' if self.count == 1 else 's'}"
