"""The verdict of an examination, and what it costs.

A backend keeps the contract only if all that it supports was examined.
"""

import shlex
import time
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from backends.native import Native
from harness.contract import Answer, Count, registry
from harness.contract.options import BackendSpec
from harness.extensions.conformance import Examination, Finding, report
from harness.extensions.conformance.clauses import Breach, Clause
from harness.extensions.conformance.examiner import (
    ExaminationOptions,
    data_of_finding,
    examine_isolated,
    finding_from,
)
from harness.extensions.conformance.questions import Depth
from harness.extensions.conformance.series import series_of
from harness.extensions.conformance.shapes import BRIEF_SHAPES, SHAPES
from harness.puzzles import Puzzle, Shape
from tests.extensions.conformance.planted import findings_of

SPEC, OPTIONS = BackendSpec("mine.toml"), ExaminationOptions(("4x4", "9x9"), timeout_s=5.0)
KEPT = Finding("4x4: a solution", "4x4", questions=1)
LATE = Finding("9x9: no solution", "9x9", passed_over="not answered within 5 s", is_late=True)
LEFT_OUT = Finding("9x9: every given decides", "9x9", questions=20, left_out=547)
UNSUPPORTED = Finding("6x6: a solution", "6x6", passed_over="unsupported: not this shape")
BROKEN = Finding("4x4: a", "4x4", (Breach(Clause.COUNT, "counts 3, expected 2", "4x4: a"),))
NO_BREACH = """2 of 4 parts examined, 1 unsupported: no breach
not examined: 1 part not answered in time, 547 questions left out"""


@pytest.mark.parametrize(
    ("findings", "is_kept", "verdict"),
    [
        ([KEPT], True, "1 of 1 part examined: the backend keeps the contract"),
        (
            [KEPT, UNSUPPORTED],
            True,
            "1 of 2 parts examined, 1 unsupported: the backend keeps the contract",
        ),
        ([KEPT, UNSUPPORTED, LATE, LEFT_OUT], False, NO_BREACH),
        (
            [UNSUPPORTED],
            False,
            "0 of 1 part examined, 1 unsupported: no verdict, because no shape was examined",
        ),
        (
            [BROKEN, LATE],
            False,
            "1 of 2 parts examined: the backend breaks 1 clause of the contract",
        ),
    ],
)
def test_the_last_lines_distinguish_unsupported_late_and_left_out(
    findings: list[Finding], is_kept: bool, verdict: str
) -> None:
    assert report.is_kept(findings) is is_kept
    lines = verdict.splitlines()
    assert [*report.lines(SPEC, findings, OPTIONS)][-len(lines) :] == lines


@pytest.mark.parametrize(
    ("remaining", "command"),
    [
        ([LATE], "--shape 9x9 --only '9x9: no solution' --timeout 50 --memory 4096"),
        ([LEFT_OUT], "--shape 9x9 --only '9x9: every given decides' --timeout 50 --memory 4096"),
        ([LATE, LEFT_OUT], "--shape 9x9 --timeout 50 --memory 4096"),
    ],
)
def test_a_command_examines_what_is_left(remaining: list[Finding], command: str) -> None:
    lines = [*report.lines(SPEC, [KEPT, *remaining], OPTIONS)]
    assert f"  continue  harness backends test mine.toml {command}" in lines


LONG = ("constraints", "automata", "every given decides", "pencilmarks of the last cell")
"""Words of the titles of parts that take long and show no other fault."""


class LateOnSparsePuzzles(Native):
    """Answers only puzzles with few blank cells in time."""

    def late(self, puzzle: Puzzle) -> bool:
        if is_late := puzzle.shape.size == 9 and puzzle.clues < 50:
            time.sleep(self.time_limit or 0)
        return is_late

    def solve(self, puzzle: Puzzle) -> Answer:
        return Answer.unknown() if self.late(puzzle) else super().solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return Count(0, False) if self.late(puzzle) else super().count(puzzle, limit)


class IgnoresBoxesAndIsLate(LateOnSparsePuzzles):
    """Ignores boxes; a search that ignores them ends late on sparse puzzles."""

    def solve(self, puzzle: Puzzle) -> Answer:
        if self.late(puzzle):
            return Answer.unknown()
        loose = Puzzle(Shape.parse(f"latin{puzzle.shape.size}"), puzzle.givens)
        return Native(loose.shape, self.options_type()).solve(loose)


def test_a_late_backend_gets_the_questions_that_it_may_answer_and_its_faults_are_found() -> None:
    for backend, is_faulty in ((LateOnSparsePuzzles, False), (IgnoresBoxesAndIsLate, True)):
        with Examination(backend, shapes=("9x9",), timeout=0.05) as examination:
            parts = [p for p in examination.parts() if not any(word in p.title for word in LONG)]
            findings = [examination.examine(part) for part in parts]
        late = [finding.part for finding in findings if finding.is_late]
        assert 4 < len(late) < len(findings)
        breaches = [b for f in findings for b in f.breaches if b.clause is Clause.SOLUTION]
        assert bool(breaches) is is_faulty, (backend, breaches[:1])
        assert not report.is_kept(findings)


@pytest.mark.long
def test_a_program_that_leaves_questions_unanswered_gets_no_green(
    a_backend: Callable[..., str], harness: Callable[..., Any]
) -> None:
    slow = "if puzzle.clues < 30: time.sleep(60)"
    spec = a_backend(
        f"{slow}\nreturn Answer.unknown()",
        count=f"{slow}\nreturn Count(0, False)",
        top="Backend.complete = False",
    )
    words = ("--shape", "9x9", "--timeout", "0.2")
    result = harness("backends", "test", spec, *words, "--only", "9x9: two equal")
    assert result.code == 1
    *_, again, verdict, last = result.out.splitlines()
    assert (verdict, last) == (
        "0 of 6 parts examined: no breach",
        "not examined: 6 parts not answered in time",
    )
    arguments = shlex.split(again)
    assert arguments[:4] == ["continue", "harness", "backends", "test"]
    assert arguments[arguments.index("--timeout") + 1] == "2"


# What an examination costs, and what it leaves out for a slow backend.


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
def test_a_late_backend_keeps_no_contract_in_the_report(a_backend: Callable[..., str]) -> None:
    slow = "time.sleep(9 if puzzle.shape.size == 9 else 0)\nreturn Answer.unknown()"
    spec = BackendSpec(a_backend(slow, count="return Count(0, False)", top=""))
    options = ExaminationOptions(("9x9",), timeout_s=0.2, only="9x9: a first row")
    (finding,) = examine_isolated(spec, options)
    assert finding.is_late, finding
    assert finding.seconds > 0.2
    right = replace(KEPT, seconds=2.0, questions=4)
    *_, times, _, verdict, last = report.lines(spec, [right, finding], options)
    assert verdict == "1 of 2 parts examined: no breach"
    assert last == "not examined: 1 part not answered in time"
    assert f"9x9 {finding.seconds:.1f} s" in times
    *_, last = report.lines(spec, [right], options)
    assert last == "1 of 1 part examined: the backend keeps the contract"
