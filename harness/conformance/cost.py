"""What an examination costs: seconds per shape, and an estimate before a slow one continues."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from harness.conformance.examination import SERIES_S, Finding

_AFTER_S: Final = 5.0
"""Seconds of examination before an estimate; earlier ones depend on few questions."""
_LONG_S: Final = 20.0
"""The least estimate that is reported."""


def remaining_s(questions: Iterable[int], each_s: float, *, thorough: bool) -> float:
    """The seconds of the parts that are left.

    Args:
        questions: the number of questions of each part that is left.
        each_s: seconds per question.
        thorough: whether a series continues after its time.
    """
    return sum(
        number * each_s if thorough else min(number * each_s, max(SERIES_S, each_s))
        for number in questions
    )


class CostNotice:
    """Reports once how long a slow examination will take.

    Args:
        label: the name of the backend.
        thorough: whether a series continues after its time.
        notice: receives the text.
    """

    def __init__(self, label: str, *, thorough: bool, notice: Callable[[str], None]) -> None:
        self._label, self._thorough, self._notice = label, thorough, notice
        self._seconds = 0.0
        self._questions = 0
        self._is_reported = False

    def update(self, finding: Finding, left: Sequence[int]) -> None:
        """Take the `finding` of a part, with the number of questions of each part `left`."""
        self._seconds += finding.seconds
        self._questions += max(finding.questions, 1)
        if self._is_reported or self._seconds < _AFTER_S:
            return
        each_s = self._seconds / self._questions
        estimate = remaining_s(left, each_s, thorough=self._thorough)
        if estimate < _LONG_S:
            return
        self._is_reported = True
        self._notice(
            f"{self._label} takes {each_s:.2g} s per question: about {_span(estimate)} left for "
            f"{sum(left):,} questions in {len(left)} parts; --shape and --only select parts"
        )


def seconds_per_shape(findings: Iterable[Finding]) -> dict[str, float]:
    """The seconds of each shape, in the order of the findings; parts without one under ""."""
    found: Counter[str] = Counter()
    for finding in findings:
        found[finding.shape] += finding.seconds  # type: ignore[assignment]
    return dict(found)


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"
