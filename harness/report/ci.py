"""Reports for continuous integration: test cases, JUnit XML, GitHub annotations.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions

The elements and attributes are those of the schema of the Jenkins xUnit plugin
(``junit-10.xsd``): ``testsuites``, ``testsuite``, ``testcase`` and in it at most one of
``skipped``, ``error`` and ``failure``.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd

from harness.analysis import Agreement, Change, ClaimSource, Comparison, claims_of
from harness.analysis.measures import columns as col
from harness.base.text import printable, reason_line
from harness.records import Verdict
from harness.report.formatting import backend_name
from harness.report.table import is_missing
from harness.report.tables import group_title
from harness.report.tables.agreement_tables import claim_lines
from harness.report.tables.comparison_tables import PARTIAL, sentence

# Test cases, the form of findings in reports of continuous integration.


class CaseOutcome(StrEnum):
    """The outcome of a test case, under the names of JUnit."""

    PASSED = "passed"
    FAILURE = "failure"
    """A wrong answer, a disagreement, a regression."""
    ERROR = "error"
    """A crash."""
    SKIPPED = "skipped"
    """No answer, for example because of a time limit."""


@dataclass(frozen=True, slots=True)
class JUnitCase:
    """A test case."""

    suite: str
    """The label of the backend."""
    name: str
    outcome: CaseOutcome
    message: str = ""
    """Why it did not pass, in one line; a document has neither message nor detail of others."""
    detail: str = ""
    """The reason with all lines, for example a traceback."""
    seconds: float | None = None

    @staticmethod
    def document(title: str, cases: "Iterable[JUnitCase]") -> str:
        r"""The cases as a document with a test suite for each backend.

        XML has no form for most control characters; they become escapes such as ``\x1b``.
        """
        suites: dict[str, list[JUnitCase]] = {}
        for case in cases:
            suites.setdefault(case.suite, []).append(case)
        every = [case for members in suites.values() for case in members]
        root = ET.Element("testsuites", {"name": printable(title), **_numbers(every)})
        del root.attrib["skipped"]  # the schema has it for a single suite only
        for suite, members in suites.items():
            name = printable(suite)
            element = ET.SubElement(root, "testsuite", {"name": name, **_numbers(members)})
            for case in members:
                _add(element, printable(backend_name(suite)), case)
        ET.indent(root)
        text = ET.tostring(root, encoding="unicode")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


# The findings of a check or a comparison as test cases, for reports of continuous integration.


_DOUBTFUL: Final = (Change.SLOWER_UNEQUAL, Change.TIMEOUT_UNEQUAL, Change.MORE_UNEQUAL)
"""Changes that an unequal machine may have caused."""
_OUTCOMES: Final = {
    **dict.fromkeys(
        (Change.SLOWER, Change.NEW_FAILURE, Change.MORE, Change.NOW_WRONG), CaseOutcome.FAILURE
    ),
    **dict.fromkeys((*_DOUBTFUL, *Change.by_chance()), CaseOutcome.SKIPPED),
    Change.FIXED: CaseOutcome.PASSED,
}
"""The outcome of each change of a result, and of slower times."""


def _finding(suite: str, name: str, message: str, detail: str = "") -> JUnitCase:
    """A case that fails for this reason; it passes without one."""
    outcome = CaseOutcome.FAILURE if message else CaseOutcome.PASSED
    return JUnitCase(suite, name, outcome, message, detail)


def cases_of_check(trials: pd.DataFrame, agreement: Agreement, total: int) -> Iterator[JUnitCase]:
    """A case for each trial, and one for each backend without any answer.

    The first case is a failure if not all planned trials have ended, the second one if
    nothing could be compared. A wrong answer is a failure, and so is an answer that another
    claim on its puzzle excludes. A crash is an error; a trial without an answer is skipped.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.
        agreement: the comparison of their answers.
        total: the number of planned trials.
    """
    missing = "" if len(trials) == total else f"{len(trials):,} of {total:,} trials ended"
    yield _finding("check", "all trials ended", missing and f"interrupted: {missing}")
    yield _finding("check", "answers were compared", agreement.not_compared)
    claims = claims_of(trials)
    is_contradicted = np.zeros(len(trials), dtype=bool)
    is_contradicted[
        claims.loc[claims["contradicted"] & (claims["source"] == ClaimSource.ANSWER), "row"]
    ] = True
    disputes = {d.puzzle_id: "; ".join(claim_lines(d)) for d in agreement.disagreements}
    by_place = trials.assign(contradicted=is_contradicted).sort_values(
        ["backend", "dataset", "name", "task"]
    )
    for row in by_place.to_dict("records"):
        verdict = Verdict(row["verdict"])
        reason = "" if is_missing(row["reason"]) else str(row["reason"])
        message = reason_line(reason) or str(verdict).replace("_", " ")
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
        name = f"{row['dataset']}/{row['name']}, {row['task']}"
        seconds = None if is_missing(row["wall_s"]) else float(row["wall_s"])
        yield JUnitCase(str(row["backend"]), name, outcome, message, reason, seconds)
    for backend in agreement.without_answer:
        yield _finding(backend, "answers", "no answer to any question")


def cases_of_comparison(
    comparison: Comparison, *, partial: bool, strict: bool
) -> Iterator[JUnitCase]:
    """A case for the times of each backend and comparison group, and for each changed result.

    Failures at a limit have a case for each backend and comparison group too. Slower times,
    new failures, significantly more failures at a limit and new wrong answers are failures. If an
    unequal machine may have caused them, they are skipped, unless `strict`; a failure at a limit
    that chance explains is skipped. The first case is a failure if the comparison does not cover
    all of both runs, unless `partial` accepts that.
    """
    outcomes = _OUTCOMES | dict.fromkeys(_DOUBTFUL, CaseOutcome.FAILURE) if strict else _OUTCOMES
    message = PARTIAL if comparison.partial and not partial else ""
    yield _finding("comparison", "covers both runs", message, "\n".join(comparison.partial))
    several = len(comparison.times["host"].unique()) > 1

    rows = [("times", row, sentence(row, several)) for row in comparison.times.to_dict("records")]
    for row in comparison.limits.to_dict("records"):
        numbers = f"{row['more']:,} instances fail more often, {row['fewer']:,} less often"
        rows.append(("failures at a limit", row, f"{row['change']}: {numbers}"))
    for subject, row, text in rows:
        place = group_title({name: row[name] for name in col.COMPARISON_GROUP}, None, several)
        outcome = outcomes.get(row["change"], CaseOutcome.PASSED)
        yield JUnitCase(str(row["backend"]), f"{subject} of {place}", outcome, text)
    for row in comparison.status.to_dict("records"):
        yield JUnitCase(
            suite=str(row["backend"]),
            name=f"{row['dataset']}/{row['name']}, {row['task']}, {row['start']} start",
            outcome=outcomes[row["change"]],
            message=f"{row['change']}: {row['before']} before, {row['after']} after",
            detail=f"{row['reason']}\n{row['command']}".strip(),
        )


# Findings as annotations of GitHub Actions: ``::error title=...::...``.


@dataclass(frozen=True, slots=True)
class Annotation:
    """An error or warning of a job."""

    title: str
    message: str
    """One or more lines."""
    is_warning: bool = False

    def command(self) -> str:
        r"""The line that makes GitHub show it.

        Per cent signs, line ends and, in the title, colons and commas are escaped as GitHub reads
        them; other control characters become escapes such as ``\x1b``. So no text can end the
        command or begin another one.
        """
        title = _escape(printable(self.title)).replace(":", "%3A").replace(",", "%2C")
        message = "\n".join(map(printable, self.message.splitlines()))
        return f"::{'warning' if self.is_warning else 'error'} title={title}::{_escape(message)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


# Test cases as JUnit XML, the format that systems for continuous integration read.


def _add(suite: ET.Element, class_name: str, case: JUnitCase) -> None:
    attributes = {"classname": class_name, "name": printable(case.name)}
    attributes["time"] = f"{case.seconds or 0.0:.6f}"
    element = ET.SubElement(suite, "testcase", attributes)
    if case.outcome is not CaseOutcome.PASSED:
        reason = ET.SubElement(element, case.outcome, {"message": printable(case.message)})
        if case.outcome is not CaseOutcome.SKIPPED:
            reason.set("type", "crash" if case.outcome is CaseOutcome.ERROR else "finding")
        reason.text = "\n".join(map(printable, case.detail.splitlines())) or None


def _numbers(cases: Sequence[JUnitCase]) -> dict[str, str]:
    outcomes = Counter(case.outcome for case in cases)
    return {
        "tests": str(len(cases)),
        "failures": str(outcomes[CaseOutcome.FAILURE]),
        "errors": str(outcomes[CaseOutcome.ERROR]),
        "skipped": str(outcomes[CaseOutcome.SKIPPED]),
        "time": f"{sum(case.seconds or 0.0 for case in cases):.6f}",
    }
