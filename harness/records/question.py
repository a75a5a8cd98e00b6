"""Questions: a task with its start and its limits."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

DEFAULT_LIMIT: Final = 2
"""The limit of `count` in a sweep: 2 asks whether the solution is unique."""
DEFAULT_TIMEOUT_S: Final = 10.0
"""Seconds of wall time for each trial of a sweep."""


class Task(StrEnum):
    """The task of a backend."""

    SOLVE = "solve"
    """Find a solution, or prove that none exists."""
    COUNT = "count"
    """Count the solutions, up to a limit."""


class Start(StrEnum):
    """What the measured time covers."""

    COLD = "cold"
    """Building the backend for the shape, and the call."""
    WARM = "warm"
    """The call alone; the backend was built before."""
    BATCH = "batch"
    """One call for many instances, each with an equal share of the time; warm."""


@dataclass(frozen=True, slots=True)
class Question:
    """A task with its start and limits."""

    task: Task
    limit: int
    """Number of solutions at which `count` stops; 0 for `solve`."""
    start: Start
    timeout_s: float
    """Limit of wall time in seconds."""
    cpu_limit_s: float = 0.0
    """Limit of CPU time in seconds, children included; 0 for no limit."""
    memory_limit_mib: int = 0
    """Limit of memory in MiB above the worker's baseline; 0 for no limit."""

    @staticmethod
    def of(
        task: Task,
        limit: int,
        start: Start,
        timeout_s: float,
        cpu_limit_s: float = 0.0,
        memory_limit_mib: int = 0,
    ) -> "Question":
        """Make a question; `limit` is ignored for `solve`."""
        limit = limit if task is Task.COUNT else 0
        return Question(task, limit, start, timeout_s, cpu_limit_s, memory_limit_mib)
