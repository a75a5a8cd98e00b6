"""The statuses that a backend reports for `solve`."""

from enum import StrEnum


class Status(StrEnum):
    """The status of an answer to `solve`.

    The harness checks the answer and derives a `harness.records.verdict.Verdict`.
    """

    SOLVED = "solved"
    """The answer holds a solution."""
    UNSATISFIABLE = "unsatisfiable"
    """The backend has proved that no solution exists."""
    UNKNOWN = "unknown"
    """The search ended without a solution and without a proof."""
