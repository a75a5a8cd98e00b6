"""What an answer claims: an interval in which the number of solutions lies."""

from collections.abc import Iterable
from dataclasses import dataclass

from harness.records.trial import TrialRecord
from harness.records.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers of solutions from `least` to `most`, both included."""

    least: int = 0
    most: int | None = None
    """None for no upper end."""

    def __str__(self) -> str:
        if self.most == 0:
            return "no solution"
        number = self.least if self.most in (None, self.least) else f"{self.least} to {self.most}"
        bound = (
            "at least" if self.most is None else "exactly" if self.most == self.least else "from"
        )
        return f"{bound} {number} solution{'' if number == 1 else 's'}"

    @property
    def is_exact(self) -> bool:
        """Whether it has one number."""
        return self.most == self.least

    def is_below(self, other: "Interval") -> bool:
        """Whether all its numbers are less than those of the other."""
        return self.most is not None and self.most < other.least

    def excludes(self, other: "Interval") -> bool:
        """Whether no number is in both."""
        return self.is_below(other) or other.is_below(self)

    def includes(self, other: "Interval") -> bool:
        """Whether it has all numbers of the other."""
        is_open = self.most is None or (other.most is not None and other.most <= self.most)
        return self.least <= other.least and is_open

    @staticmethod
    def common(intervals: Iterable["Interval"]) -> "Interval | None":
        """The numbers that are in all; None if there are none."""
        least, most = 0, None
        for interval in intervals:
            least = max(least, interval.least)
            if interval.most is not None:
                most = interval.most if most is None else min(most, interval.most)
        return None if most is not None and most < least else Interval(least, most)


EVERY_NUMBER = Interval()
"""No claim."""


def claim_of(record: TrialRecord) -> Interval | None:
    """What a finished trial claims; None for a wrong answer, a late one and a failure."""
    match record.verdict:
        case Verdict.SOLVED:
            return Interval(1)
        case Verdict.UNSATISFIABLE:
            return Interval(0, 0)
        case Verdict.COUNTED:
            number = record.count or 0
            return Interval(number, number if record.exact else None)
        case Verdict.UNKNOWN if record.count:
            return Interval(record.count)
    return None
