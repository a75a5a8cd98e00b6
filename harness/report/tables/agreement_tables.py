"""The comparison of all answers as lines."""

from collections.abc import Iterator, Sequence
from typing import Final

from harness.analysis import Agreement, Claim, ClaimSource, Disagreement, Failure, alike
from harness.base.text import number_of, printable, shortened
from harness.records import Verdict
from harness.report.formatting import shown_backend

# The comparison of all answers as lines: each disagreement, or groups that are alike.


MOST_GROUPS: Final = 3
"""Maximum number of groups of disagreements, and reasons for crashes, that a brief report shows."""
_MOST_UNANSWERED: Final = 6
"""Maximum number of backends with unanswered trials that a brief report names."""
_MOST_PLACES: Final = 3
_LONGEST_REASON: Final = 160


def agreement_lines(agreement: Agreement, most: int | None) -> Iterator[str]:
    """The findings of the comparison of all answers, a line each.

    Args:
        agreement: the findings.
        most: maximum number of disagreements to list; None for all.
    """
    for disagreement in agreement.disagreements[:most]:
        yield from _disagreement_lines(disagreement)
    if remaining := len(agreement.disagreements) - len(agreement.disagreements[:most]):
        yield f"... and {number_of(remaining, 'more disagreement')}"
    yield from _unanswered_lines(agreement, with_reasons=True)
    yield _conclusion(agreement)


def grouped_lines(agreement: Agreement) -> Iterator[str]:
    """The findings in brief: one disagreement of each kind, and each reason for a crash once.

    At most `MOST_GROUPS` of each are shown; the last line before the conclusion counts the others.
    """
    groups = alike(agreement.disagreements)
    for first, *others in groups[:MOST_GROUPS]:
        yield from _disagreement_lines(first)
        if others:
            yield f"  the same on {number_of(len(others), 'more puzzle')}: {_places(others)}"
    crashes = [f for f in agreement.failures if f.verdict == Verdict.CRASHED]
    for failure in crashes[:MOST_GROUPS]:
        yield from failure_lines(failure)
    lines = list(_unanswered_lines(agreement))
    yield from lines[:_MOST_UNANSWERED]
    remaining = {
        "more disagreement": sum(map(len, groups[MOST_GROUPS:])),
        "more reason": len(crashes[MOST_GROUPS:]),
        "more backend": len(lines[_MOST_UNANSWERED:]),
    }
    if any(remaining.values()):
        counts = ", ".join(number_of(n, thing) for thing, n in remaining.items() if n)
        yield f"... and {counts}: --all"
    yield _conclusion(agreement)


def complete_lines(agreement: Agreement) -> Iterator[str]:
    """Every finding: all disagreements, and the reasons of all trials without an answer."""
    for disagreement in agreement.disagreements:
        yield from _disagreement_lines(disagreement)
    for failure in agreement.failures:
        yield from failure_lines(failure)
    yield from _unanswered_lines(agreement)
    yield _conclusion(agreement)


def failure_lines(failure: Failure) -> Iterator[str]:
    """A reason for trials without an answer, with the command that repeats the first."""
    verdict = failure.verdict.replace("_", " ")
    reason = shortened(printable(failure.reason), _LONGEST_REASON)
    trials = number_of(failure.trials, "trial")
    name = shown_backend(failure.backend)
    yield f"{verdict}, {trials} of {name}{f': {reason}' if reason else ''}"
    yield f"  first: {_place(failure.dataset, failure.name)}"
    yield f"  again: {failure.command}"


def claim_lines(disagreement: Disagreement) -> Iterator[str]:
    """Each claim on the puzzle in a line, with its backends and their question.

    A line has the dataset if that is not the one of the disagreement, and the start if the claims
    have several starts.
    """
    several = len({claim.start for claim in disagreement.claims if claim.start}) > 1
    for claim in disagreement.claims:
        elsewhere = (claim.dataset, claim.name) != (disagreement.dataset, disagreement.name)
        yield f"{_source(claim, elsewhere, several)}: {claim.text}"


def instance_name(disagreement: Disagreement) -> str:
    """The instance: ``named/17a``, or ``named/17a (scramble 3)``."""
    place = _place(disagreement.dataset, disagreement.name)
    if disagreement.scramble:
        return f"{place} (scramble {shortened(disagreement.scramble)})"
    return place


def finding(disagreement: Disagreement) -> str:
    """What is wrong: ``at least 2 solutions against no solution``, or ``wrong answer``."""
    return disagreement.contradiction or "wrong answer"


def _source(claim: Claim, elsewhere: bool, with_start: bool) -> str:
    """The backends of a claim with their question, or the other source of the claim."""
    instance = f" of {_place(claim.dataset, claim.name)}" if elsewhere else ""
    match claim.source:
        case ClaimSource.DATASET:
            return f"expected count{instance}"
        case ClaimSource.SOLUTIONS:
            return "different checked solutions"
        case ClaimSource.ANSWER:
            limit = "" if claim.limit is None else f" to {claim.limit}"
            start = f", {claim.start} start" if with_start else ""
            names = ", ".join(map(shown_backend, claim.backends))
            return f"{names}, {claim.task}{limit}{start}{instance}"


def _disagreement_lines(disagreement: Disagreement) -> Iterator[str]:
    yield f"{instance_name(disagreement)}: {finding(disagreement)}"
    for line in claim_lines(disagreement):
        yield f"  {line}"
    for command in disagreement.commands:
        yield f"  again: {command}"


def _unanswered_lines(agreement: Agreement, *, with_reasons: bool = False) -> Iterator[str]:
    """The trials of each backend without an answer; with the reason of crashes on request."""
    first = {(f.backend, f.verdict): f for f in reversed(agreement.failures)}
    for backend, verdicts in agreement.unanswered.items():
        counts = "; ".join(
            _verdict_text(verdict, n, first.get((backend, verdict)), with_reasons)
            for verdict, n in verdicts.items()
        )
        trials = number_of(sum(verdicts.values()), "trial")
        yield f"{shown_backend(backend)}: no answer in {trials} ({counts})"


def _verdict_text(verdict: str, number: int, first: Failure | None, with_reason: bool) -> str:
    """``2 timeouts, first named/17a``, ``3 crashed: KeyError: 7``: a number of verdicts."""
    words = verdict.replace("_", " ")
    text = number_of(number, words) if verdict == Verdict.TIMEOUT else f"{number:,} {words}"
    if first is None:
        return text
    if verdict == Verdict.CRASHED:
        return f"{text}: {first.reason}" if with_reason and first.reason else text
    if verdict not in (Verdict.TIMEOUT, Verdict.OUT_OF_MEMORY):
        return text
    return f"{text}, first {_place(first.dataset, first.name)}"


def _conclusion(agreement: Agreement) -> str:
    puzzles = number_of(agreement.puzzles, "puzzle")
    if agreement.disagreements:
        return f"DISAGREEMENT on {len(agreement.disagreements):,} of {puzzles}"
    if agreement.not_compared:
        return f"nothing compared: {agreement.not_compared}"
    part = f"{agreement.compared:,} of {puzzles} compared"
    return f"no disagreement: {part}, {' and '.join(agreement.tasks)}"


def _places(disagreements: Sequence[Disagreement]) -> str:
    places = [_place(d.dataset, d.name) for d in disagreements[:_MOST_PLACES]]
    return ", ".join([*places, *["..."] * (len(disagreements) > _MOST_PLACES)])


def _place(dataset: str, name: str) -> str:
    return "/".join(shortened(part) for part in (dataset, name) if part)
