"""Questions: a task with its start and its limits."""

from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import Final

from harness.errors import OptionError
from harness.integers import LARGEST, MOST_DIGITS
from harness.text import short_repr

DEFAULT_LIMIT: Final = 2
"""The limit of `count` in a sweep: 2 asks whether the solution is unique."""
DEFAULT_TIMEOUT_S: Final = 10.0
"""Seconds of wall time for each trial of a sweep."""
MOST_MEMORY_MIB: Final = 2**40
"""The largest memory limit in MiB, an exbibyte, which every kernel can represent in bytes."""
_NUMBERS: Final = (int, float)


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
    """A task with its start and limits.

    Raises:
        OptionError: a field has a wrong type or is out of range.
    """

    task: Task
    """Find a solution, or count solutions."""
    limit: int
    """Number of solutions at which `count` stops; 0 for `solve`."""
    start: Start
    """What the measured time covers."""
    timeout_s: float
    """Limit of wall time in seconds."""
    cpu_limit_s: float = 0.0
    """Limit of CPU time in seconds, children included; 0 for no limit."""
    memory_limit_mib: int = 0
    """Limit of memory in MiB above the worker's baseline; 0 for no limit."""

    def __post_init__(self) -> None:
        limit, memory = self.limit, self.memory_limit_mib
        wall, cpu = self.timeout_s, self.cpu_limit_s
        seconds = "a number of seconds greater than 0"
        whole = f"a whole number from 0, of at most {MOST_DIGITS:,} digits"
        mib = f"a whole number of MiB from 0 to {MOST_MEMORY_MIB}"
        _require("task", isinstance(self.task, Task), self.task, "a Task")
        _require("start", isinstance(self.start, Start), self.start, "a Start")
        _require("limit", type(limit) is int and 0 <= limit <= LARGEST, limit, whole)
        _require("timeout_s", type(wall) in _NUMBERS and 0 < wall < inf, wall, seconds)
        _require("cpu_limit_s", type(cpu) in _NUMBERS and 0 <= cpu < inf, cpu, f"{seconds}, or 0")
        valid = type(memory) is int and 0 <= memory <= MOST_MEMORY_MIB
        _require("memory_limit_mib", valid, memory, mib)

    @staticmethod
    def of(
        task: Task,
        limit: int,
        start: Start,
        timeout_s: float,
        cpu_limit_s: float = 0.0,
        memory_limit_mib: int = 0,
    ) -> "Question":
        """Make a question of its fields; `limit` is ignored for `solve`.

        Args:
            task: find a solution, or count solutions.
            limit: number of solutions at which ``count`` stops.
            start: what the measured time covers.
            timeout_s: limit of wall time in seconds.
            cpu_limit_s: limit of CPU time in seconds; 0 for no limit.
            memory_limit_mib: limit of memory in MiB; 0 for no limit.

        Raises:
            OptionError: a value has a wrong type or is out of range.
        """
        limit = limit if task is Task.COUNT else 0
        return Question(task, limit, start, timeout_s, cpu_limit_s, memory_limit_mib)


def _require(name: str, valid: bool, value: object, expected: str) -> None:
    if not valid:
        raise OptionError(f"invalid value {short_repr(value)}", where=name, expected=expected)
