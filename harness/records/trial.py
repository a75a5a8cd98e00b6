"""Planned trials, batches of them, and finished trials."""

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import Struct

from harness.puzzles.catalogue import Instance
from harness.records.outcome import Outcome
from harness.records.question import Question
from harness.records.verdict import Verdict


class Trial(Struct, frozen=True):
    """One configuration x one instance x one question x one repetition.

    A run makes a `Trial` and a `TrialRecord` per trial; a struct is made in a third of the
    time of a frozen dataclass.
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


@dataclass(frozen=True, slots=True)
class Batch:
    """Trials of one configuration, one shape and one question that one worker runs in a row."""

    backend: str
    """The spec of the configuration, by which the engine knows it."""
    question: Question
    trials: Sequence[Trial]


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
