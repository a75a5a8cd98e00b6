"""What an examination costs, and what it leaves out for a slow backend."""

from collections.abc import Callable
from dataclasses import fields

import pytest

from harness.contract import registry
from harness.contract.options import BackendSpec
from harness.extensions.conformance import report
from harness.extensions.conformance.examination import Finding
from harness.extensions.conformance.examiner import (
    ExaminationOptions,
    data_of_finding,
    examine_isolated,
    finding_from,
)
from harness.extensions.conformance.questions import Depth
from harness.extensions.conformance.series import series_of
from harness.extensions.conformance.shapes import BRIEF_SHAPES, SHAPES
from tests.extensions.conformance.planted import findings_of


@pytest.mark.long
def test_the_report_has_the_number_of_left_out_questions(a_backend: Callable[..., str]) -> None:
    spec = BackendSpec(a_backend("time.sleep(0.3); return Answer.unsatisfiable()"))
    options = ExaminationOptions(("6x6",), only="6x6: every house is kept")
    (finding,) = examine_isolated(spec, options)
    assert finding.left_out > 0
    assert finding.questions + finding.left_out == 36
    text = " ".join(" ".join(report.lines(spec, [finding], options)).split())
    assert f"left out {finding.left_out} of 36 questions" in text
    data = report.data(spec, [finding])
    assert (data["left_out"], data["questions"]) == (finding.left_out, finding.questions)
    assert list(data["seconds_per_shape"]) == ["6x6"]


def test_seconds_are_summed_for_each_shape() -> None:
    findings = [Finding("a", "4x4", seconds=1.0), Finding("b", "6x6", seconds=2.0)]
    assert report.seconds_per_shape([*findings, *findings]) == {"4x4": 2.0, "6x6": 4.0}


def test_a_thorough_examination_has_more_questions_and_shapes() -> None:
    assert not set(SHAPES) & set(BRIEF_SHAPES)
    normal, thorough = (
        {s.title: sum(map(len, s.groups)) for s in series_of("6x6", depth=depth)}
        for depth in (Depth.USUAL, Depth.THOROUGH)
    )
    assert all(number <= thorough[title] for title, number in normal.items())
    assert sum(thorough.values()) > 1.5 * sum(normal.values())


@pytest.mark.long
@pytest.mark.parametrize("spec", SHAPES[:3])
def test_a_core_backend_passes_a_thorough_examination(spec: str) -> None:
    backend, options = registry.load_backend("native-jit")
    findings = findings_of(backend, spec, options=options, thorough=True)
    assert [breach for finding in findings for breach in finding.breaches] == []
    assert sum(finding.left_out for finding in findings) == 0


def test_a_finding_crosses_to_another_process_with_every_field() -> None:
    finding = Finding("4x4: a solution", "4x4", (), "late", 1, 2.0, 3, 4, is_late=True)
    assert finding_from(data_of_finding(finding)) == finding
    assert all(getattr(finding, f.name) != f.default for f in fields(finding) if f.default != ())


@pytest.mark.long
def test_a_late_backend_is_not_said_to_keep_the_contract(a_backend: Callable[..., str]) -> None:
    slow = "time.sleep(9 if puzzle.shape.size == 9 else 0)\nreturn Answer.unknown()"
    spec = BackendSpec(a_backend(slow, count="return Count(0, False)", top=""))
    options = ExaminationOptions(("9x9",), timeout_s=0.2, only="9x9: a first row")
    (finding,) = examine_isolated(spec, options)
    assert finding.is_late, finding
    assert finding.seconds > 0.2
    right = Finding("4x4: a solution", "4x4", seconds=2.0, questions=4)
    *_, times, _, verdict, last = report.lines(spec, [right, finding], options)
    assert verdict == "1 of 2 parts examined: no breach"
    assert last == "not examined: 1 part not answered in time"
    assert f"9x9 {finding.seconds:.1f} s" in times
    *_, last = report.lines(spec, [right], options)
    assert last == "1 of 1 part examined: the backend keeps the contract"
