"""JUnit XML and annotations of GitHub: valid, and closed to hostile texts."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.claims import agreement
from harness.report.ci import Annotation, CaseOutcome, JUnitCase, cases_of_check
from tests.trials import trials_from

NUMBER = re.compile(r"\d+")
SECONDS = re.compile(r"\d+\.\d{6}")
HOSTILE = "a\"b<c>&'d]]>\x1b[31m\x00\u202e\udcff\ufffe::error ::x%0A\n::error ::y\r\nz\t\u05d0"

texts = st.text(st.characters(exclude_categories=()), max_size=30)
cases = st.builds(
    JUnitCase,
    suite=texts,
    name=texts,
    outcome=st.sampled_from(CaseOutcome),
    message=texts,
    detail=texts,
    seconds=st.none() | st.floats(0, 1e6),
)


def parsed(cases: list[JUnitCase], title: str = "t") -> ET.Element:
    """The document, after a check of the rules of ``junit-10.xsd`` that it must keep."""
    text = JUnitCase.document(title, cases)
    text.encode()
    root = ET.fromstring(text)
    assert root.tag == "testsuites"
    assert set(root.attrib) == {"name", "tests", "failures", "errors", "time"}
    totals = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for suite in root:
        assert suite.tag == "testsuite"
        assert set(suite.attrib) == {*root.attrib, "skipped"}
        numbers = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
        for case in suite:
            assert case.tag == "testcase"
            assert set(case.attrib) == {"classname", "name", "time"}
            assert SECONDS.fullmatch(case.attrib["time"])
            assert len(case) <= 1
            numbers["tests"] += 1
            for reason in case:
                key = {"failure": "failures", "error": "errors", "skipped": "skipped"}[reason.tag]
                numbers[key] += 1
                assert set(reason.attrib) <= {"message", "type"}
                assert ("type" in reason.attrib) == (reason.tag != "skipped")
        assert {name: int(suite.attrib[name]) for name in numbers} == numbers
        totals = {name: totals[name] + numbers[name] for name in totals}
    del totals["skipped"]
    assert {name: int(root.attrib[name]) for name in totals} == totals
    return root


@given(st.lists(cases, max_size=6))
def test_junit_of_any_texts_is_valid_and_counts_right(cases: list[JUnitCase]) -> None:
    root = parsed(cases, HOSTILE)
    assert int(root.attrib["tests"]) == len(cases)


def test_junit_keeps_printable_texts_and_escapes_the_others() -> None:
    case = JUnitCase(HOSTILE, HOSTILE, CaseOutcome.ERROR, HOSTILE, f"line 1 <&>\n{HOSTILE}", 0.25)
    (suite,) = parsed([case])
    (test,) = suite
    (reason,) = test
    assert test.attrib["time"] == "0.250000"
    assert reason.attrib["message"].startswith("a\"b<c>&'d]]>\\x1b[31m\\x00\\u202e\\udcff\\ufffe")
    assert reason.text is not None
    assert reason.text.startswith("line 1 <&>\na\"b<c>&'d]]>\\x1b[31m")
    assert "\u05d0" in reason.text


@given(st.builds(Annotation, texts, texts))
def test_an_annotation_is_one_command_whatever_its_texts(item: Annotation) -> None:
    line = item.command()
    assert line.splitlines() == [line]
    line.encode()
    title, _, message = line.removeprefix("::error title=").partition("::")
    assert not re.search("[:,]", title)
    for part in (title, message):
        assert not re.search(r"%(?!25|0D|0A|3A|2C)", part)


def test_an_annotation_has_title_and_message() -> None:
    item = Annotation("50 %, a:b", "first\nsecond: 3, %")
    assert item.command() == "::error title=50 %25%2C a%3Ab::first%0Asecond: 3, %25"


def row(backend: str, verdict: str, puzzle: str = "p", **more: object) -> dict[str, object]:
    solution = "1234341221434321" if verdict == "solved" else None
    own = {"backend": backend, "puzzle_id": puzzle, "name": puzzle, "verdict": verdict}
    return own | {"solution": solution, "wall_s": 0.5} | more


@pytest.mark.parametrize(
    ("rows", "outcomes"),
    [
        ([row("a", "solved"), row("b", "solved")], ["passed", "passed"]),
        ([row("a", "solved"), row("b", "wrong", reason="R1C1")], ["passed", "failure"]),
        ([row("a", "solved"), row("b", "crashed", reason="Oops")], ["passed", "error", "failure"]),
        ([row("a", "solved"), row("a", "timeout", "q")], ["passed", "skipped"]),
        (
            [
                row("a", "counted", task="count", limit=9, count=1, exact=True),
                row("b", "counted", task="count", limit=9, count=2, exact=True),
            ],
            ["failure", "failure"],
        ),
        (
            [
                row("a", "solved", solution=None),
                row("b", "counted", task="count", limit=9, count=2, exact=True),
                row("c", "unsatisfiable"),
                row("d", "wrong", reason="R1C1"),
            ],
            ["failure", "failure", "failure", "failure"],
        ),
        (
            [
                row("a", "counted", task="count", limit=9, count=0, exact=True),
                row("b", "unsatisfiable"),
                row("c", "wrong", reason="R1C1"),
            ],
            ["passed", "passed", "failure"],
        ),
    ],
    ids=["agreed", "wrong", "crashed", "timeout", "disputed", "across tasks", "only wrong"],
)
def test_a_trial_of_a_check_is_a_case(rows: list[dict[str, object]], outcomes: list[str]) -> None:
    trials = trials_from(rows, expected_count=None)
    agreement_of_trials = agreement(trials)
    cases = list(cases_of_check(trials, agreement_of_trials, len(trials)))
    assert cases[0].outcome is CaseOutcome.PASSED
    assert (cases[1].outcome is CaseOutcome.FAILURE) == bool(agreement_of_trials.not_compared)
    assert [str(case.outcome) for case in cases[2:]] == outcomes
    has_failure = any(case.outcome in (CaseOutcome.FAILURE, CaseOutcome.ERROR) for case in cases)
    assert has_failure is not agreement_of_trials.agreed
    messages = [reason.get("message") for reason in parsed(cases).iterfind(".//testcase/*")]
    assert len(messages) == sum(case.outcome is not CaseOutcome.PASSED for case in cases)
    assert all(messages)
