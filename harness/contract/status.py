"""What a backend reports for `solve`: a closed set."""

from enum import StrEnum


class Status(StrEnum):
    """The answers to `solve`. The harness checks them and reaches a status of its own."""

    SOLVED = "solved"
    """Here is a solution."""
    UNSATISFIABLE = "unsatisfiable"
    """There is no solution."""
    UNKNOWN = "unknown"
    """The search ended without a solution and without a proof."""
