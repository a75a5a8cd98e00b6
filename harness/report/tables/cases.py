"""The findings of a check or a comparison as test cases, for reports of continuous integration."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import pandas as pd

from harness.analysis.agreement import Agreement, last_line
from harness.analysis.changes import (
    BY_CHANCE,
    FIXED,
    NEW_FAILURE,
    NOW_WRONG,
    SLOWER,
    SLOWER_UNEQUAL,
    TIMEOUT_UNEQUAL,
)
from harness.analysis.claims import Source, claims_of
from harness.analysis.comparison import Comparison
from harness.analysis.limit_failures import MORE, MORE_UNEQUAL
from harness.analysis.results import COMPARISON_GROUP
from harness.records.verdict import Verdict
from harness.report.case import Case, CaseOutcome
from harness.report.table import is_missing
from harness.report.tables.agreement import claim_lines
from harness.report.tables.comparison import PARTIAL, sentence
from harness.report.tables.contents import group_title

_DOUBTFUL: Final = (SLOWER_UNEQUAL, TIMEOUT_UNEQUAL, MORE_UNEQUAL)
"""Changes that an unequal machine may have caused."""
_OUTCOMES: Final = {
    **dict.fromkeys((SLOWER, NEW_FAILURE, MORE, NOW_WRONG), CaseOutcome.FAILURE),
    **dict.fromkeys((*_DOUBTFUL, *BY_CHANCE), CaseOutcome.SKIPPED),
}
"""The outcome of each change for the worse."""


def cases_of_check(trials: pd.DataFrame, found: Agreement, planned: int) -> Iterator[Case]:
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
    yield Case(
        suite="check",
        name="all trials ended",
        outcome=CaseOutcome.FAILURE if missing else CaseOutcome.PASSED,
        message=missing and f"interrupted: {missing}",
    )
    yield Case(
        suite="check",
        name="answers were compared",
        outcome=CaseOutcome.FAILURE if found.not_compared else CaseOutcome.PASSED,
        message=found.not_compared,
    )
    claims = claims_of(trials)
    contradicted = np.zeros(len(trials), dtype=bool)
    contradicted[
        claims.loc[claims["contradicted"] & (claims["source"] == Source.ANSWER), "row"]
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
        yield Case(
            suite=str(row["backend"]),
            name=f"{row['dataset']}/{row['name']}, {row['task']}",
            outcome=outcome,
            message="" if passed else message,
            detail="" if passed else reason,
            seconds=None if is_missing(row["wall_s"]) else float(row["wall_s"]),
        )
    for backend in found.without_answers:
        yield Case(backend, "answers", CaseOutcome.FAILURE, "no answer to any question")


def cases_of_comparison(found: Comparison, *, partial: bool, strict: bool) -> Iterator[Case]:
    """A case for the times of each backend and comparison group, and for each changed result.

    Failures at a limit have a case for each backend and comparison group too. Slower times,
    new failures, significantly more failures at a limit and new wrong answers are failures. If
    an unequal machine may have caused them they are skipped, unless `strict`; a failure at a
    limit that chance explains is skipped. The first case is a failure if the
    comparison does not cover all of both runs, unless `partial` accepts that.
    """
    outcomes = _OUTCOMES | dict.fromkeys(_DOUBTFUL, CaseOutcome.FAILURE) if strict else _OUTCOMES
    covered = not found.partial or partial
    yield Case(
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
        yield Case(
            suite=str(row["backend"]),
            name=f"times of {place}",
            outcome=outcome,
            message="" if outcome is CaseOutcome.PASSED else sentence(row, several),
        )
    for row in found.limits.to_dict("records"):
        place = group_title({name: row[name] for name in COMPARISON_GROUP}, None, several)
        outcome = outcomes.get(row["change"], CaseOutcome.PASSED)
        numbers = f"{row['more']:,} instances fail more often, {row['fewer']:,} less often"
        yield Case(
            suite=str(row["backend"]),
            name=f"failures at a limit of {place}",
            outcome=outcome,
            message="" if outcome is CaseOutcome.PASSED else f"{row['change']}: {numbers}",
        )
    for row in found.status.to_dict("records"):
        fixed = row["change"] == FIXED
        yield Case(
            suite=str(row["backend"]),
            name=f"{row['dataset']}/{row['name']}, {row['task']}, {row['start']} start",
            outcome=CaseOutcome.PASSED if fixed else outcomes[row["change"]],
            message=""
            if fixed
            else f"{row['change']}: {row['before']} before, {row['after']} after",
            detail="" if fixed else f"{row['reason']}\n{row['command']}".strip(),
        )
