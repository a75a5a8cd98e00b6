"""The verdict of an examination: kept only if all that a backend supports was examined."""

import shlex
import time
from collections.abc import Callable
from typing import Any

import pytest

from backends.native import Native
from harness.contract import Answer, Count
from harness.contract.options import BackendSpec
from harness.extensions.conformance import Examination, Finding, report
from harness.extensions.conformance.clauses import Breach, Clause
from harness.extensions.conformance.examiner import ExaminationOptions
from harness.puzzles import Puzzle, Shape

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
