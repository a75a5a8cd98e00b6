"""Questions, the configurations that answer them, and verdicts."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from pathlib import PurePath
from typing import Final

from harness.base.errors import InputError, OptionError, invalid, one_of
from harness.base.text import LARGEST, MOST_DIGITS, encodable, short_repr
from harness.contract import BackendSpec, Description
from harness.puzzles import NO_SOLUTION, SolutionCount

# Verdicts: the conclusions that the harness draws from a trial.


class Verdict(StrEnum):
    """The conclusion of the harness on a trial."""

    SOLVED = "solved"
    """A grid that was checked against the houses and the givens."""
    UNSATISFIABLE = "unsatisfiable"
    """The backend reports that no solution exists, and no known result contradicts it."""
    COUNTED = "counted"
    """The number of all solutions, or the limit, at which the count stopped."""
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


def claim_of(verdict: str, count: int | None, exact: bool | None) -> SolutionCount | None:
    """What an answer with this verdict claims about the number of solutions; None if nothing.

    A wrong answer, a late one and a failure claim nothing.

    Args:
        verdict: a `Verdict`, or the status of an answer to ``solve``.
        count: the number of solutions that were counted.
        exact: whether these are all solutions.
    """
    match verdict:
        case Verdict.SOLVED:
            return SolutionCount(1)
        case Verdict.UNSATISFIABLE:
            return NO_SOLUTION
        case Verdict.COUNTED if count is not None:
            return SolutionCount.from_number(count, bool(exact))
        case Verdict.UNKNOWN if count:
            return SolutionCount(count)
    return None


# Kinds of time: the measurements of a trial that a report can be about.


RELIABLE: Final = "reliable"
"""The choice of the more reliable kind of time for each backend."""


class TimeKind(StrEnum):
    """The time of a trial that tables, charts and comparisons are about."""

    WALL = "wall"
    """Wall time: the time that a user waits for; other programs on the machine lengthen it."""
    CPU = "cpu"
    """CPU time of the worker and its children: the time that they compute, over all threads."""

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
        """The other kind of time."""
        return TimeKind.CPU if self is TimeKind.WALL else TimeKind.WALL


# Questions: a task with its start and its limits.


DEFAULT_LIMIT: Final = 2
"""The limit of `count` in a sweep: 2 asks whether the solution is unique."""
DEFAULT_TIMEOUT_S: Final = 10.0
"""Seconds of wall time for each trial of a sweep."""
MOST_MEMORY_MIB: Final = 2**40
"""The largest memory limit in MiB, an exbibyte, which every kernel can represent in bytes."""


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
    """Number of solutions at which `count` stops; 0 for `solve`, whatever is given."""
    start: Start
    """What the measured time covers."""
    timeout_s: float
    """Limit on wall time in seconds."""
    cpu_limit_s: float = 0.0
    """Limit on CPU time in seconds, children included; 0 for no limit."""
    memory_limit_mib: int = 0
    """Limit on memory in MiB above the worker's baseline; 0 for no limit."""

    def __post_init__(self) -> None:
        limit, memory = self.limit, self.memory_limit_mib
        wall, cpu = self.timeout_s, self.cpu_limit_s
        seconds = "a number of seconds greater than 0"
        whole = f"a whole number from 0, of at most {MOST_DIGITS:,} digits"
        mib = f"a whole number of MiB from 0 to {MOST_MEMORY_MIB}"
        _require("task", isinstance(self.task, Task), self.task, "a Task")
        _require("start", isinstance(self.start, Start), self.start, "a Start")
        _require("limit", type(limit) is int and 0 <= limit <= LARGEST, limit, whole)
        _require("timeout_s", type(wall) in (int, float) and 0 < wall < inf, wall, seconds)
        _require(
            "cpu_limit_s", type(cpu) in (int, float) and 0 <= cpu < inf, cpu, f"{seconds}, or 0"
        )
        valid = type(memory) is int and 0 <= memory <= MOST_MEMORY_MIB
        _require("memory_limit_mib", valid, memory, mib)
        if self.task is Task.SOLVE:
            object.__setattr__(self, "limit", 0)


def _require(name: str, valid: bool, value: object, expected: str) -> None:
    if not valid:
        raise OptionError(f"invalid value {short_repr(value)}", where=name, expected=expected)


# Configurations as their servers reported them, and events in the life of a worker.


@dataclass(frozen=True, slots=True)
class Configuration:
    """A backend with its options: ready, or unavailable with a reason."""

    spec: BackendSpec
    description: Description | None
    """None if its module could not be imported."""
    options: dict[str, bool | int | float | str]
    """The values of all options, defaults included; empty if it is unavailable."""
    unavailable: str = ""
    """Why it cannot be used here; empty if it can."""
    remedy: str = ""
    """How to make it available; empty if no remedy is known."""

    @property
    def name(self) -> str:
        """The name of the backend in the registry, or the name that the class in a file declares.

        The name is the locator if the file cannot be imported or declares no valid name.
        """
        name = self.description.name if self.spec.is_file and self.description else ""
        return name or encodable(self.spec.locator)

    @property
    def label(self) -> str:
        """The name with the settings: what tables call the configuration."""
        return self.spec.spec_text(self.name)


def check_names(configurations: Iterable[Configuration]) -> None:
    """Check that a name belongs to one backend.

    Raises:
        InputError: two files declare the same name.
    """
    owners: dict[str, str] = {}
    for configuration in configurations:
        name, locator = configuration.name, configuration.spec.locator
        if owners.setdefault(name, locator) != locator:
            raise InputError(
                f"{owners[name]} has the name {name!r} too",
                where=locator,
                expected="a different name in each class",
            )


WARNING_KINDS: Final = ("left running", "stood still", "replaced")
"""Kinds of events that users are warned about: a backend left processes or threads running, and
they were ended; all processes stood still, and a trial ran again; a server was replaced."""


@dataclass(frozen=True, slots=True)
class WorkerEvent:
    """An event of a worker that is not a trial."""

    backend: str
    kind: str
    """``imported``, ``forked``, ``warmed up``, ``ended``, ``died``, or one of `WARNING_KINDS`."""
    detail: str
    seconds: float | None = None


# Labels of backends: the spec of a configuration, with a number or version where several share it.


IS_VERSION: Final = re.compile(r"\d+\.[\w.+]+")
"""A version as a label may have it after the spec."""


def spec_of(backend: str, spec: object = None) -> str:
    """The spec of a configuration: `spec`, or if that is missing `backend` without its number."""
    return spec if isinstance(spec, str) else re.sub(rf"#(\d+|{IS_VERSION.pattern})$", "", backend)


def without_folders(label: str) -> str:
    """The label of a backend without the folders of a path."""
    if label.endswith(".toml"):
        return PurePath(label).name
    place, colon, rest = label.partition(".py:")
    return f"{PurePath(place).name}{colon}{rest}" if colon else label
