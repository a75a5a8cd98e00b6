"""The comparison of all answers as lines and as test cases."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import pandas as pd

from harness.analysis import changes
from harness.analysis.agreement import (
    Agreement,
    Claim,
    ClaimSource,
    Disagreement,
    Failure,
    alike,
    claims_of,
    last_line,
)
from harness.analysis.columns import COMPARISON_GROUP
from harness.analysis.comparison import Comparison
from harness.records.question import Verdict
from harness.report.formatting import shown_backend
from harness.report.render.ci import CaseOutcome, JUnitCase
from harness.report.table import is_missing
from harness.report.tables.comparison import PARTIAL, sentence
from harness.report.tables.contents import group_title
from harness.text import number_of, printable, shortened

# The comparison of all answers as lines: each disagreement, or groups that are alike.


MOST_GROUPS: Final = 5
"""Groups of disagreements, and reasons for failures, that a brief report shows."""
_MOST_PLACES: Final = 3
_LONGEST_REASON: Final = 160


def agreement_lines(found: Agreement, most: int | None) -> Iterator[str]:
    """The findings of the comparison of all answers, a line each.

    Args:
        found: the findings.
        most: maximum number of disagreements to list; None for all.
    """
    for disagreement in found.disagreements[:most]:
        yield from _disagreement_lines(disagreement)
    if hidden := len(found.disagreements) - len(found.disagreements[:most]):
        yield f"... and {number_of(hidden, 'more disagreement')}"
    yield from _unanswered_lines(found)
    yield _conclusion(found)


def grouped_lines(found: Agreement) -> Iterator[str]:
    """The findings in brief: one disagreement of each kind, and each reason for a crash once.

    At most `MOST_GROUPS` of both; the last line before the conclusion counts the others.
    """
    groups = alike(found.disagreements)
    for first, *others in groups[:MOST_GROUPS]:
        yield from _disagreement_lines(first)
        if others:
            yield f"  the same on {number_of(len(others), 'more puzzle')}: {_places(others)}"
    crashes = [f for f in found.failures if f.verdict == Verdict.CRASHED]
    for failure in crashes[:MOST_GROUPS]:
        yield from failure_lines(failure)
    yield from _unanswered_lines(found)
    hidden = {
        "more disagreement": sum(map(len, groups[MOST_GROUPS:])),
        "more reason": len(crashes[MOST_GROUPS:]),
    }
    if any(hidden.values()):
        counts = " and ".join(number_of(n, thing) for thing, n in hidden.items() if n)
        yield f"... and {counts}: --all"
    yield _conclusion(found)


def complete_lines(found: Agreement) -> Iterator[str]:
    """Every finding: all disagreements, and the reasons of all trials without an answer."""
    for disagreement in found.disagreements:
        yield from _disagreement_lines(disagreement)
    for failure in found.failures:
        yield from failure_lines(failure)
    yield from _unanswered_lines(found)
    yield _conclusion(found)


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

    The dataset stands in a line if it is not that of the disagreement, and the start if the
    claims have several.
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
    of = f" of {_place(claim.dataset, claim.name)}" if elsewhere else ""
    match claim.source:
        case ClaimSource.DATASET:
            return f"expected count{of}"
        case ClaimSource.SOLUTIONS:
            return "different checked solutions"
        case ClaimSource.ANSWER:
            limit = "" if claim.limit is None else f" to {claim.limit}"
            start = f", {claim.start} start" if with_start else ""
            names = ", ".join(map(shown_backend, claim.backends))
            return f"{names}, {claim.task}{limit}{start}{of}"


def _disagreement_lines(disagreement: Disagreement) -> Iterator[str]:
    yield f"{instance_name(disagreement)}: {finding(disagreement)}"
    for line in claim_lines(disagreement):
        yield f"  {line}"
    for command in disagreement.commands:
        yield f"  again: {command}"


def _unanswered_lines(found: Agreement) -> Iterator[str]:
    for backend, verdicts in found.unanswered.items():
        counts = ", ".join(_counted(verdict, n) for verdict, n in verdicts.items())
        trials = number_of(sum(verdicts.values()), "trial")
        yield f"{shown_backend(backend)}: no answer in {trials} ({counts})"


def _counted(verdict: str, number: int) -> str:
    words = verdict.replace("_", " ")
    return number_of(number, words) if verdict == Verdict.TIMEOUT else f"{number:,} {words}"


def _conclusion(found: Agreement) -> str:
    puzzles = number_of(found.puzzles, "puzzle")
    if found.disagreements:
        return f"DISAGREEMENT on {len(found.disagreements):,} of {puzzles}"
    if found.not_compared:
        return f"nothing compared: {found.not_compared}"
    compared = f"{found.compared:,} of {puzzles} compared"
    return f"no disagreement: {compared}, {number_of(found.questions, 'question')}"


def _places(disagreements: Sequence[Disagreement]) -> str:
    shown = [_place(d.dataset, d.name) for d in disagreements[:_MOST_PLACES]]
    return ", ".join([*shown, *["..."] * (len(disagreements) > _MOST_PLACES)])


def _place(dataset: str, name: str) -> str:
    return "/".join(shortened(part) for part in (dataset, name) if part)


# The findings of a check or a comparison as test cases, for reports of continuous integration.


_DOUBTFUL: Final = (changes.SLOWER_UNEQUAL, changes.TIMEOUT_UNEQUAL, changes.MORE_UNEQUAL)
"""Changes that an unequal machine may have caused."""
_OUTCOMES: Final = {
    **dict.fromkeys(
        (changes.SLOWER, changes.NEW_FAILURE, changes.MORE, changes.NOW_WRONG), CaseOutcome.FAILURE
    ),
    **dict.fromkeys((*_DOUBTFUL, *changes.BY_CHANCE), CaseOutcome.SKIPPED),
}
"""The outcome of each change for the worse."""


def cases_of_check(trials: pd.DataFrame, found: Agreement, planned: int) -> Iterator[JUnitCase]:
    """A case for each trial, and one for each backend without any answer.

    The first case is a failure if not all planned trials have ended, the second one if
    nothing could be compared. A wrong answer is a failure, and so is an answer that another
    claim on its puzzle excludes. A crash is an error, a trial without an answer is skipped.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.
        found: the comparison of their answers.
        planned: the number of planned trials.
    """
    missing = "" if len(trials) == planned else f"{len(trials):,} of {planned:,} trials ended"
    yield JUnitCase(
        suite="check",
        name="all trials ended",
        outcome=CaseOutcome.FAILURE if missing else CaseOutcome.PASSED,
        message=missing and f"interrupted: {missing}",
    )
    yield JUnitCase(
        suite="check",
        name="answers were compared",
        outcome=CaseOutcome.FAILURE if found.not_compared else CaseOutcome.PASSED,
        message=found.not_compared,
    )
    claims = claims_of(trials)
    contradicted = np.zeros(len(trials), dtype=bool)
    contradicted[
        claims.loc[claims["contradicted"] & (claims["source"] == ClaimSource.ANSWER), "row"]
    ] = True
    disputes = {d.puzzle_id: "; ".join(claim_lines(d)) for d in found.disagreements}
    by_place = trials.assign(contradicted=contradicted).sort_values(
        ["backend", "dataset", "name", "task"]
    )
    for row in by_place.to_dict("records"):
        verdict = Verdict(row["verdict"])
        reason = "" if is_missing(row["reason"]) else str(row["reason"])
        message = last_line(reason) or str(verdict).replace("_", " ")
        outcome = CaseOutcome.PASSED
        match verdict:
            case Verdict.WRONG:
                outcome, message = CaseOutcome.FAILURE, f"wrong: {message}"
            case Verdict.CRASHED:
                outcome = CaseOutcome.ERROR
            case _ if not verdict.answered:
                outcome = CaseOutcome.SKIPPED
            case _ if row["contradicted"]:
                outcome, message = CaseOutcome.FAILURE, disputes[row["puzzle_id"]]
        passed = outcome is CaseOutcome.PASSED
        yield JUnitCase(
            suite=str(row["backend"]),
            name=f"{row['dataset']}/{row['name']}, {row['task']}",
            outcome=outcome,
            message="" if passed else message,
            detail="" if passed else reason,
            seconds=None if is_missing(row["wall_s"]) else float(row["wall_s"]),
        )
    for backend in found.without_answers:
        yield JUnitCase(backend, "answers", CaseOutcome.FAILURE, "no answer to any question")


def cases_of_comparison(found: Comparison, *, partial: bool, strict: bool) -> Iterator[JUnitCase]:
    """A case for the times of each backend and comparison group, and for each changed result.

    Failures at a limit have a case for each backend and comparison group too. Slower times,
    new failures, significantly more failures at a limit and new wrong answers are failures. If
    an unequal machine may have caused them they are skipped, unless `strict`; a failure at a
    limit that chance explains is skipped. The first case is a failure if the
    comparison does not cover all of both runs, unless `partial` accepts that.
    """
    outcomes = _OUTCOMES | dict.fromkeys(_DOUBTFUL, CaseOutcome.FAILURE) if strict else _OUTCOMES
    covered = not found.partial or partial
    yield JUnitCase(
        suite="comparison",
        name="covers both runs",
        outcome=CaseOutcome.PASSED if covered else CaseOutcome.FAILURE,
        message="" if covered else PARTIAL,
        detail="" if covered else "\n".join(found.partial),
    )
    several = len(found.times["host"].unique()) > 1
    for row in found.times.to_dict("records"):
        place = group_title({name: row[name] for name in COMPARISON_GROUP}, None, several)
        outcome = outcomes.get(row["change"], CaseOutcome.PASSED)
        yield JUnitCase(
            suite=str(row["backend"]),
            name=f"times of {place}",
            outcome=outcome,
            message="" if outcome is CaseOutcome.PASSED else sentence(row, several),
        )
    for row in found.limits.to_dict("records"):
        place = group_title({name: row[name] for name in COMPARISON_GROUP}, None, several)
        outcome = outcomes.get(row["change"], CaseOutcome.PASSED)
        numbers = f"{row['more']:,} instances fail more often, {row['fewer']:,} less often"
        yield JUnitCase(
            suite=str(row["backend"]),
            name=f"failures at a limit of {place}",
            outcome=outcome,
            message="" if outcome is CaseOutcome.PASSED else f"{row['change']}: {numbers}",
        )
    for row in found.status.to_dict("records"):
        fixed = row["change"] == changes.FIXED
        yield JUnitCase(
            suite=str(row["backend"]),
            name=f"{row['dataset']}/{row['name']}, {row['task']}, {row['start']} start",
            outcome=CaseOutcome.PASSED if fixed else outcomes[row["change"]],
            message=""
            if fixed
            else f"{row['change']}: {row['before']} before, {row['after']} after",
            detail="" if fixed else f"{row['reason']}\n{row['command']}".strip(),
        )
