"""Kinds of time: the measurements of a trial that a report can be about."""

from enum import StrEnum

from harness.arguments import invalid
from harness.errors import one_of


class TimeKind(StrEnum):
    """The time of a trial that tables, charts and comparisons are about."""

    WALL = "wall"
    """Wall time: what a user waits for, and what other programs on the machine lengthen."""
    CPU = "cpu"
    """CPU time of the worker and its children: what they compute, over all threads."""

    @staticmethod
    def parse(text: object, where: str = "time") -> "TimeKind":
        """The kind called `text`, for the option `where`.

        Raises:
            OptionError: there is no such kind.
        """
        if not isinstance(text, str) or text not in list(TimeKind):
            raise invalid(where, text, one_of([str(kind) for kind in TimeKind]))
        return TimeKind(text)

    @property
    def column(self) -> str:
        """The column of a frame of trials with this time in seconds."""
        return f"{self}_s"

    @property
    def noun(self) -> str:
        """The kind in words: ``wall time``, ``CPU time``."""
        return "wall time" if self is TimeKind.WALL else "CPU time"

    @property
    def other(self) -> "TimeKind":
        """The other kind."""
        return TimeKind.CPU if self is TimeKind.WALL else TimeKind.WALL
