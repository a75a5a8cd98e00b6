"""Reports for continuous integration: test cases, JUnit XML, GitHub annotations.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions

The elements and attributes are those of the schema of the Jenkins xUnit plugin
(``junit-10.xsd``): ``testsuites``, ``testsuite``, ``testcase`` and in it at most one of
``skipped``, ``error`` and ``failure``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from xml.etree import ElementTree as ET

from harness.report.formatting import backend_name
from harness.text import printable

# Test cases, the form of findings in reports of continuous integration.


class CaseOutcome(StrEnum):
    """The outcome of a test case, under the names of JUnit."""

    PASSED = "passed"
    FAILURE = "failure"
    """A wrong answer, a disagreement, a regression."""
    ERROR = "error"
    """A crash."""
    SKIPPED = "skipped"
    """No answer, for instance because of a time limit."""


@dataclass(frozen=True, slots=True)
class JUnitCase:
    """A test case."""

    suite: str
    """The label of the backend."""
    name: str
    outcome: CaseOutcome
    message: str = ""
    """Why it did not pass, in one line."""
    detail: str = ""
    """The same with all lines, for instance a traceback."""
    seconds: float | None = None


# Findings as annotations of GitHub Actions: ``::error file=puzzles.txt,line=3::...``.


@dataclass(frozen=True, slots=True)
class Annotation:
    """An error or warning at a place, or of the whole job if `file` is empty."""

    title: str
    message: str
    """One or more lines."""
    file: str = ""
    line: int | None = None
    is_warning: bool = False


def annotation(item: Annotation) -> str:
    r"""The line that makes GitHub show `item`.

    Per cent signs, line ends and, in the place and the title, colons and commas are escaped
    as GitHub reads them; other control characters become escapes such as ``\x1b``. So no
    text can end the command or begin another one.
    """
    properties = {
        "file": item.file,
        "line": "" if item.line is None else str(item.line),
        "title": item.title,
    }
    given = ",".join(f"{name}={_property(text)}" for name, text in properties.items() if text)
    message = "\n".join(map(printable, item.message.splitlines()))
    level = "warning" if item.is_warning else "error"
    return f"::{level} {given}::{_escaped(message)}"


def _property(text: str) -> str:
    return _escaped(printable(text)).replace(":", "%3A").replace(",", "%2C")


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


# Test cases as JUnit XML, the format that systems for continuous integration read.


_COUNTS: Final = {
    CaseOutcome.FAILURE: "failures",
    CaseOutcome.ERROR: "errors",
    CaseOutcome.SKIPPED: "skipped",
}


def junit(title: str, cases: Iterable[JUnitCase]) -> str:
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
    numbers = {"tests": str(len(cases))}
    for outcome, name in _COUNTS.items():
        numbers[name] = str(sum(case.outcome is outcome for case in cases))
    numbers["time"] = f"{sum(case.seconds or 0.0 for case in cases):.6f}"
    return numbers
