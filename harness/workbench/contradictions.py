"""Which answers to one question contradict each other, and what shows it.

An answer claims an interval for the number of solutions, as in `harness.analysis.claims`: a checked
solution at least one, "unsatisfiable" none, an exact count its number, a count that stopped its
number or more. Different checked solutions claim as many as there are.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct

from harness.documents.answers import ReplyData
from harness.records.verdict import Verdict


class Contradictions(Struct, frozen=True):
    """What contradicts among the answers to a question."""

    claims: list[tuple[str, list[str]]] = []
    """The claims that exclude another one, in words, and the configurations with each."""
    standing_out: list[str] = []
    """Configurations with a wrong answer, or with a claim that fewer others share."""
    wrong: list[tuple[str, str]] = []
    """Configurations whose answer did not pass the check, with the reason."""
    witnesses: list[str] = []
    """Solutions that passed the check, as lines, if anything contradicts."""


class _Interval(NamedTuple):
    least: int
    most: int | None

    def excludes(self, other: "_Interval") -> bool:
        most = [end for end in (self.most, other.most) if end is not None]
        return bool(most) and max(self.least, other.least) > min(most)

    @property
    def words(self) -> str:
        if self.most == 0:
            return "no solution"
        number = f"{self.least:,} solution{'' if self.least == 1 else 's'}"
        return f"{'exactly' if self.most is not None else 'at least'} {number}"


def contradictions(answers: Mapping[str, ReplyData]) -> Contradictions:
    """Compare the answers to one question, by configuration."""
    wrong = [(of, _reason(a)) for of, a in answers.items() if a.verdict == Verdict.WRONG]
    groups: dict[_Interval, list[str]] = {}
    for configuration, answer in answers.items():
        interval = _interval(answer)
        if interval is not None:
            groups.setdefault(interval, []).append(configuration)
    solutions = _solutions(answers.values())
    if len(solutions) > 1:
        groups.setdefault(_Interval(len(solutions), None), [])
    excluded = {
        interval: of
        for interval, of in groups.items()
        if any(interval.excludes(other) for other in groups)
    }
    most = max(map(len, excluded.values()), default=0)
    few = [c for of in excluded.values() if len(of) < most or _tie(excluded, most) for c in of]
    return Contradictions(
        claims=[(interval.words, of) for interval, of in excluded.items()],
        standing_out=[*(of for of, _ in wrong), *few],
        wrong=wrong,
        witnesses=solutions if excluded or wrong else [],
    )


def _tie(groups: Mapping[_Interval, list[str]], most: int) -> bool:
    """Whether no group is larger than all others."""
    return sum(len(of) == most for of in groups.values()) > 1


def _interval(answer: ReplyData) -> _Interval | None:
    match answer.verdict:
        case Verdict.SOLVED:
            return _Interval(1, None)
        case Verdict.UNSATISFIABLE:
            return _Interval(0, 0)
        case Verdict.COUNTED if answer.count is not None:
            return _Interval(answer.count, answer.count if answer.exact else None)
        case Verdict.UNKNOWN if answer.count:
            return _Interval(answer.count, None)
    return None


def _solutions(answers: Iterable[ReplyData]) -> list[str]:
    """The different solutions that passed the check."""
    checked = (Verdict.SOLVED, Verdict.COUNTED, Verdict.UNKNOWN)
    found = [a.solution for a in answers if a.verdict in checked and a.solution is not None]
    return list(dict.fromkeys(found))


def _reason(answer: ReplyData) -> str:
    return (answer.reason.strip().splitlines() or ["the answer did not pass the check"])[-1]
