"""A trial, what its worker tells of it, and how it is judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple

from harness.contract.verdict import Verdict
from harness.puzzles.catalog import Entry

DEFAULT_LIMIT: Final = 2
"""The limit of `count` in a sweep: 2 asks whether the solution is unique."""
DEFAULT_TIMEOUT: Final = 10.0
"""Seconds a trial may take in a sweep."""


class Task(StrEnum):
    """What a backend is asked about a puzzle."""

    SOLVE = "solve"
    COUNT = "count"


class Start(StrEnum):
    """What is timed."""

    COLD = "cold"
    """Everything from the puzzle on."""
    WARM = "warm"
    """Without what the shape alone decides."""
    BATCH = "batch"
    """One call for many puzzles, of which each has its share; warm."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about a puzzle, and how it is timed."""

    task: Task
    limit: int
    """Solutions after which `count` stops; 0 for `solve`."""
    start: Start
    timeout: float
    """Seconds of wall time."""
    cpu: float = 0.0
    """Seconds of CPU time, children included; 0 where it is not limited."""
    memory: int = 0
    """MiB in memory beyond what the worker starts with; 0 where it is not limited."""

    @staticmethod
    def of(
        task: Task,
        limit: int,
        start: Start,
        timeout: float,
        cpu: float = 0.0,
        memory: int = 0,
    ) -> "Question":
        """The question with a limit only where the task has one."""
        return Question(task, limit if task is Task.COUNT else 0, start, timeout, cpu, memory)


@dataclass(frozen=True, slots=True)
class Trial:
    """One backend x one puzzle x one question x one repetition."""

    backend: str
    """The label of the backend's spec."""
    dataset: str
    entry: Entry
    question: Question
    repetition: int
    """From 1."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Trials of one backend, one shape and one question, for one worker in a row."""

    backend: str
    question: Question
    trials: Sequence[Trial]


class Ending(StrEnum):
    """How a call into a backend ended, before anybody judges the answer."""

    ANSWERED = "answered"
    RAISED = "raised"
    UNSUPPORTED = "unsupported"
    BROKEN = "broken"
    """It returned something that is no answer, or wrote into the worker's channel."""
    KILLED = "killed"
    """Its keeper ended it at a limit of time."""
    STARVED = "starved"
    """Its keeper ended it at the limit of memory, or it died of that limit."""
    DIED = "died"
    """The process ended by itself."""


class Outcome(NamedTuple):
    """What became of a trial, as the worker or its death tells it. Times in seconds."""

    ending: Ending
    claim: str | None = None
    """The verdict that the backend claims for `solve`."""
    number: Any = None
    exact: Any = None
    line: str | None = None
    """The grid as a line, where it has values of the shape; not yet checked."""
    grid: Any = None
    """The grid as it was given, where it is no such thing."""
    detail: str = ""
    wall: float | None = None
    cpu: float | None = None
    """User and system time of the worker and of children it waited for."""
    build: float | None = None
    encode: float | None = None
    search: float | None = None
    decode: float | None = None
    switches: int | None = None
    """Context switches that the worker made of its own accord during the call."""
    forced_switches: int | None = None
    """Context switches that were forced on it: somebody else wanted its core."""
    memory: int | None = None
    """Bytes in memory at most; `memory_how` says of what, and how it is known."""
    memory_how: str = ""
    """``peak``: the worker's own peak during the call, as the kernel kept it.
    ``sampled``: worker and children together, looked at every 10 ms.
    ``bound``: the worker's peak since its start, which the call did not exceed."""
    cpu_how: str = ""
    """``rusage``: the kernel's account of the worker and of children it waited for.
    ``sampled``: what was seen of all processes, at most 10 ms before the end."""
    core: int | None = None
    """The core that the worker was pinned to."""
    stats: str = "{}"
    """What the solver told of its work, as JSON."""
    exit_code: int | None = None
    """Of a worker that died; negative for a signal, as `subprocess` has it."""
    ended_at: float | None = None
    """When the trial ended, in seconds since 1970."""


Ended = list[tuple[Trial, Outcome]]
"""Trials with what became of them, in the order in which they ended."""


@dataclass(frozen=True, slots=True)
class Result:
    """A finished trial with its verdict."""

    trial: Trial
    outcome: Outcome
    verdict: Verdict
    reason: str = ""
    """Why it is no right answer; empty where it is one."""

    @property
    def solution(self) -> str | None:
        """The grid of the answer, or of the witness of a count, as a line if it has values."""
        return self.outcome.line

    @property
    def count(self) -> int | None:
        """The number of solutions that a count found, where it found a number."""
        number = self.outcome.number
        return number if type(number) is int else None

    @property
    def exact(self) -> bool | None:
        """Whether `count` is all there are; None where there is none."""
        if self.count is None:
            return None
        return bool(self.outcome.exact) and self.count < self.trial.question.limit
