"""Test cases, the form of findings in reports of continuous integration."""

from dataclasses import dataclass
from enum import StrEnum


class CaseOutcome(StrEnum):
    """The outcome of a test case, under the names of JUnit."""

    PASSED = "passed"
    FAILURE = "failure"
    """A wrong answer, a disagreement, a regression."""
    ERROR = "error"
    """A crash."""
    SKIPPED = "skipped"
    """No answer, for instance because of a time limit."""


@dataclass(frozen=True, slots=True)
class Case:
    """A test case."""

    suite: str
    """The label of the backend."""
    name: str
    outcome: CaseOutcome
    message: str = ""
    """Why it did not pass, in one line."""
    detail: str = ""
    """The same with all lines, for instance a traceback."""
    seconds: float | None = None
