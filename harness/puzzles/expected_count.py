"""The known number of solutions of a puzzle."""

import re
from dataclasses import dataclass

from harness.errors import PuzzleError
from harness.text import MOST_DIGITS, is_writable, short_repr


@dataclass(frozen=True, slots=True)
class ExpectedCount:
    """The number of solutions that a dataset gives for a puzzle."""

    count: int
    """The number of solutions, or a lower bound."""
    exact: bool = True
    """Whether `count` is the total; if not, it is a proven lower bound."""
    solution: str | None = None
    """The line of the unique solution, if it is known."""

    @staticmethod
    def parse(count: object, solution: str | None = None) -> "ExpectedCount":
        """The expected count in the notation of datasets: 0, 1, 38122 or ``">=2000000"``.

        Raises:
            PuzzleError: `count` is malformed, or is not 1 although `solution` is given.
        """
        is_text = not isinstance(count, int) or is_writable(count)
        match = is_text and re.fullmatch(rf"\s*(>=)?\s*([0-9]{{1,{MOST_DIGITS}}})\s*", str(count))
        if not match or isinstance(count, bool | float):
            raise PuzzleError(
                f"{short_repr(count)} is not a number of solutions",
                expected="a whole number or '>=number'",
            )
        expected_count = ExpectedCount(int(match[2]), match[1] is None, solution)
        if solution is not None and (expected_count.count, expected_count.exact) != (1, True):
            raise PuzzleError(
                f"the record gives the solution of a puzzle with {expected_count}",
                expected="1 solution",
            )
        return expected_count

    @staticmethod
    def of_words(text: str) -> "ExpectedCount":
        """The expected count that `str` wrote as ``3 solutions`` or ``at least 1 solution``.

        Raises:
            PuzzleError: `text` has another form.
        """
        match = re.fullmatch(rf"(at least )?([0-9]{{1,{MOST_DIGITS}}}) solutions?", text)
        if not match:
            raise PuzzleError(
                f"{short_repr(text)} is not an expected count",
                expected="'3 solutions' or 'at least 3 solutions'",
            )
        return ExpectedCount(int(match[2]), match[1] is None)

    @property
    def contradicts_unsatisfiable(self) -> str | None:
        """The reason why "unsatisfiable" is wrong, None if it may be right."""
        return f"the puzzle has {self}" if self.count else None

    def contradicts_count(self, number: int, exact: bool) -> str | None:
        """The reason why a count is wrong, None if it may be right.

        Args:
            number: solutions found.
            exact: whether `number` is the total; if not, it is a lower bound.
        """
        too_many = self.exact and number > self.count
        too_few = exact and number < self.count
        return f"the puzzle has {self}" if too_many or too_few else None

    def contradicts_solution(self, line: str) -> str | None:
        """The reason why a valid grid, as a `line`, cannot be a solution, None if it can."""
        if self.exact and self.count == 0:
            return "the puzzle has no solution"
        if self.exact and self.count == 1 and self.solution not in (None, line):
            return f"the unique solution is {self.solution}"
        return None

    def __str__(self) -> str:
        number = f"{self.count}" if self.exact else f"at least {self.count}"
        return f"{number} solution{'' if self.count == 1 else 's'}"
