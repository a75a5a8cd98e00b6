"""Test cases as JUnit XML, the format that systems for continuous integration read.

The elements and attributes are those of the schema of the Jenkins xUnit plugin
(``junit-10.xsd``): ``testsuites``, ``testsuite``, ``testcase`` and in it at most one of
``skipped``, ``error`` and ``failure``.
"""

from collections.abc import Iterable, Sequence
from typing import Final
from xml.etree import ElementTree as ET

from harness.report.case import Case, CaseOutcome
from harness.report.formatting import backend_name, printable

_COUNTS: Final = {
    CaseOutcome.FAILURE: "failures",
    CaseOutcome.ERROR: "errors",
    CaseOutcome.SKIPPED: "skipped",
}


def junit(title: str, cases: Iterable[Case]) -> str:
    r"""The cases as a document with a test suite for each backend.

    XML has no form for most control characters; they become escapes such as ``\x1b``.
    """
    suites: dict[str, list[Case]] = {}
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


def _add(suite: ET.Element, class_name: str, case: Case) -> None:
    attributes = {"classname": class_name, "name": printable(case.name)}
    attributes["time"] = f"{case.seconds or 0.0:.6f}"
    element = ET.SubElement(suite, "testcase", attributes)
    if case.outcome is not CaseOutcome.PASSED:
        reason = ET.SubElement(element, case.outcome, {"message": printable(case.message)})
        if case.outcome is not CaseOutcome.SKIPPED:
            reason.set("type", "crash" if case.outcome is CaseOutcome.ERROR else "finding")
        reason.text = "\n".join(map(printable, case.detail.splitlines())) or None


def _numbers(cases: Sequence[Case]) -> dict[str, str]:
    numbers = {"tests": str(len(cases))}
    for outcome, name in _COUNTS.items():
        numbers[name] = str(sum(case.outcome is outcome for case in cases))
    numbers["time"] = f"{sum(case.seconds or 0.0 for case in cases):.6f}"
    return numbers
