"""Verdicts: the conclusions that the harness draws from a trial."""

from enum import StrEnum


class Verdict(StrEnum):
    """The conclusion of the harness on a trial."""

    SOLVED = "solved"
    """A grid that was checked against the houses and the givens."""
    UNSATISFIABLE = "unsatisfiable"
    """The backend reports that no solution exists, and no known result contradicts it."""
    COUNTED = "counted"
    """The number of all solutions, or as many as the limit."""
    UNKNOWN = "unknown"
    """The backend gave up."""
    TIMEOUT = "timeout"
    """The backend was killed at the time limit, or answered after it."""
    OUT_OF_MEMORY = "out_of_memory"
    """The backend ran out of memory, or was killed at the memory limit."""
    CRASHED = "crashed"
    """The backend raised an exception, or its process died."""
    WRONG = "wrong"
    """The answer is provably wrong, or breaks the contract."""
    UNSUPPORTED = "unsupported"
    """The backend does not support this shape or task."""

    @property
    def answered(self) -> bool:
        """Whether the verdict is a right answer: solved, unsatisfiable or counted."""
        return self in _ANSWERED


_ANSWERED = frozenset({Verdict.SOLVED, Verdict.UNSATISFIABLE, Verdict.COUNTED})
