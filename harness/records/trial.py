"""Trials: planned, with their outcomes and measurements, and finished.

`Measurements` declares the measured fields. Each attribute gives the name, the type, the unit, the
meaning (its docstring) and whether the value may be missing. The journal, the check of what a
worker sends, the SQLite columns, the columns of a frame and ``docs/reference/columns.md`` all
follow from it. To add a measurement, add an attribute here and set it in `harness.engine.meter`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Final, get_args, get_type_hints

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from harness.base.text import LARGEST_OF_32_BITS, LARGEST_OF_64_BITS
from harness.puzzles import SOLUTION, Instance, SolutionCount
from harness.records.question import Question, Verdict, claim_of

# The outcome of a trial: the answer and its measurements.


Seconds = Annotated[float, Meta(ge=0, extra={"unit": "s"})]
Bytes = Annotated[int, Meta(ge=0, le=LARGEST_OF_64_BITS, extra={"unit": "bytes"})]
Events = Annotated[int, Meta(ge=0, le=LARGEST_OF_64_BITS, extra={"unit": "events"})]
Number = Annotated[int, Meta(ge=-(2**31), le=LARGEST_OF_32_BITS)]
"""A number from the system, such as an exit code."""
Source = Annotated[str, Meta(max_length=20)]
SETTLED: Final = 0.05
"""The relative standard error of a mean time below which repetitions are settled. Two
repetitions reach it when they differ by 10 % of their mean."""
LAST_SECOND: Final = 253402300799.0
"""The last second of the year 9999, the last that a `datetime` can have."""
MOST_STATS: Final = 1000
"""Maximum number of statistics that are kept for a trial."""
LONGEST_NAME: Final = 200
"""Maximum number of characters that are kept of the name of a statistic."""
LONGEST_DETAIL: Final = 10_000
"""Maximum number of characters of a detail."""


class Ending(StrEnum):
    """How a call into a backend ended, before its answer is judged."""

    ANSWERED = "answered"
    RAISED = "raised"
    UNSUPPORTED = "unsupported"
    INVALID = "invalid"
    """The backend returned an object of a wrong type, or wrote to the worker's channel."""
    TIME_LIMIT = "time limit"
    """The monitor killed the worker at a limit on wall or CPU time."""
    MEMORY_LIMIT = "memory limit"
    """The monitor killed the worker at the memory limit, or the backend was refused memory."""
    EXITED = "exited"
    """The worker's process exited or was killed by a signal."""


class Measurements(Struct, frozen=True, kw_only=True):
    """The measured fields of a trial; None or empty where a value is unknown."""

    wall_s: Seconds | None = None
    """Wall time of the call. A cold start includes the build."""
    cpu_s: Seconds | None = None
    """CPU time of the worker and of the children it waited for."""
    build_s: Seconds | None = None
    """Wall time of building the backend for the shape."""
    encode_s: Seconds | None = None
    """Time for encoding the puzzle, as the backend reports it."""
    search_s: Seconds | None = None
    """Time for solving, as the backend reports it."""
    decode_s: Seconds | None = None
    """Time for decoding the solution, as the backend reports it."""
    cpu_source: Source = ""
    """Source of `cpu_s`. `rusage`: the kernel's count for the worker and the children it waited
    for. `sampled`: a sample of all processes, at most 10 ms before the end."""
    memory_bytes: Bytes | None = None
    """Peak memory of the trial."""
    memory_source: Source = ""
    """Source of `memory_bytes`. `peak`: the worker's peak during the trial, from the kernel.
    `sampled`: the worker and its children together, every 10 ms. `bound`: the worker's peak
    since its start, an upper bound for a short trial."""
    voluntary_switches: Events | None = None
    """Context switches that the worker, and the children it waited for, made while waiting."""
    involuntary_switches: Events | None = None
    """Context switches forced on the worker and the children it waited for: other processes
    wanted their core."""
    minor_faults: Events | None = None
    """Page faults that the kernel served without a disk."""
    major_faults: Events | None = None
    """Page faults that waited for a disk: memory was swapped, or code loaded."""
    core: Annotated[int, Meta(ge=0, le=LARGEST_OF_32_BITS)] | None = None
    """Core that the worker was pinned to; missing if not pinned."""
    exit_code: Number | None = None
    """Exit code of a worker that exited; negative for a signal."""
    stats: Annotated[dict[str, int | float], Meta(max_length=MOST_STATS)] = field(
        default_factory=dict
    )
    """Solver statistics as a JSON object: guesses, conflicts, propagations."""
    ended_at: Annotated[
        Annotated[float, Meta(ge=0, le=LAST_SECOND)] | None, Meta(extra={"unit": "s since 1970"})
    ] = None
    """End of the trial."""


def shares_of_batch(measurements: Measurements, trials: int) -> list[Measurements]:
    """Divide the measurements of one call among the trials of its batch.

    Each trial gets an equal share of the times and the statistics. The first one gets all events. A
    value that is not a sum, such as the peak memory, is the same for each.
    """
    shares = {
        name: value / trials
        for name in _TIMES
        if (value := getattr(measurements, name)) is not None
    }
    stats = {name: _share(value, trials) for name, value in measurements.stats.items()}
    first = replace(measurements, stats=stats, **shares)
    events = {name: 0 for name in _EVENTS if getattr(measurements, name) is not None}
    return [first, *[replace(first, **events)] * (trials - 1)]


def _share(number: int | float, trials: int) -> int | float:
    """An equal share; rounded down if the number is beyond the range of a float."""
    try:
        return number / trials
    except OverflowError:
        return int(number) // trials


def _fields_of(kind: Any) -> tuple[str, ...]:
    """The names of the measurements declared as `kind` or None."""
    hints = get_type_hints(Measurements, include_extras=True)
    return tuple(name for name, hint in hints.items() if kind in get_args(hint))


_TIMES: Final = _fields_of(Seconds)
_EVENTS: Final = _fields_of(Events)


class Outcome(
    Measurements, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """An answer as the backend gave it, not yet judged, with its measurements."""

    ending: Ending
    status: Annotated[str, Meta(max_length=LONGEST_DETAIL)] | None = None
    """The status that the backend reports for `solve`, or the type of an exception."""
    count: int | str | None = None
    """The number that the backend counted; text if it is not a plain integer."""
    exact: bool | None = None
    solution: Annotated[str, Meta(pattern=f"^{SOLUTION}$")] | None = None
    """The grid as a line, if all of its values are values of the shape."""
    raw_grid: Any = None
    """The grid as the backend gave it, if a value is not a value of the shape."""
    detail: Annotated[str, Meta(max_length=LONGEST_DETAIL)] = ""
    """The traceback, the last output of a process, or the reason why it was killed."""


# Planned trials, batches of them, and finished trials.


class Trial(Struct, frozen=True):
    """One configuration x one instance x one question x one repetition.

    A run makes a `Trial` and a `TrialRecord` per trial; making a struct takes a third as long as
    making a frozen dataclass.
    """

    backend: str
    """The label of the configuration."""
    dataset: str
    instance: Instance
    question: Question
    repetition: int
    """From 1."""
    spec: str = ""
    """The spec that names the configuration on the command line, if that is not the label."""
    call: str | None = None
    """Digest of the puzzles that are one call together; None for a call of one puzzle."""
    process: int = 1
    """Number of the server, from 1 in each invocation."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Trials of one configuration, one shape and one question that one worker runs in a row."""

    backend: str
    """The spec of the configuration, by which the engine knows it."""
    question: Question
    trials: Sequence[Trial]
    """They have the same server."""

    @property
    def process(self) -> int:
        """The number of their server."""
        return self.trials[0].process


EndedTrials = list[tuple[Trial, Outcome]]
"""Trials with their outcomes, in the order in which they ended."""


class TrialRecord(Struct, frozen=True):
    """A finished trial with the verdict on its answer."""

    trial: Trial
    outcome: Outcome
    verdict: Verdict
    reason: str = ""
    """Why the answer is wrong or missing; empty for a right answer."""

    @property
    def solution(self) -> str | None:
        """The grid of the answer, or one of the counted solutions, as a line."""
        return self.outcome.solution

    @property
    def count(self) -> int | None:
        """The number of solutions that were counted; None if the answer has no number."""
        count = self.outcome.count
        return count if isinstance(count, int) else None

    @property
    def exact(self) -> bool | None:
        """Whether `count` is the number of all solutions; None without a count."""
        count = self.count
        if count is None:
            return None
        return bool(self.outcome.exact) and count < self.trial.question.limit

    @property
    def claim(self) -> SolutionCount | None:
        """What the answer claims about the number of solutions; None if nothing."""
        return claim_of(self.verdict, self.count, self.exact)
