"""Answers that contradict each other: which stand out, and what shows it."""

import pytest

from harness.extensions.workbench.questions import contradictions
from harness.records.question import Verdict
from harness.report.reply import CheckedAnswer
from tests.extensions.workbench.server import Workbench, board

LIAR = """
from backends.native import Native
from harness.contract import Answer, Count


class Liar(Native):
    name = "liar"

    def solve(self, puzzle):
        return Answer.unsatisfiable()

    def count(self, puzzle, limit):
        return Count(3, exact=True)
"""


def answer(
    verdict: str, count: int | None = None, exact: bool | None = None, solution: str | None = None
) -> CheckedAnswer:
    return CheckedAnswer(
        backend="b",
        verdict=Verdict(verdict),
        solution=solution,
        count=count,
        exact=exact,
        wall_s=None,
        cpu_s=None,
        phases={},
        stats={},
        reason="Traceback\nlast line" if verdict == "wrong" else "",
    )


SOLVED = answer("solved", solution="1234")
NONE = answer("unsatisfiable")


@pytest.mark.parametrize(
    ("answers", "claims", "standing_out"),
    [
        ({"a": SOLVED, "b": answer("counted", 1, True)}, [], []),
        ({"a": answer("counted", 5, False), "b": answer("counted", 7, True)}, [], []),
        ({"a": answer("timeout"), "b": NONE, "c": answer("crashed")}, [], []),
        (
            {"a": SOLVED, "b": NONE, "c": SOLVED},
            [("at least 1 solution", ["a", "c"]), ("no solution", ["b"])],
            ["b"],
        ),
        (
            {"a": SOLVED, "b": NONE},
            [("at least 1 solution", ["a"]), ("no solution", ["b"])],
            ["a", "b"],
        ),
        (
            {
                "a": answer("counted", 2, True),
                "b": answer("counted", 3, True),
                "c": answer("counted", 2, True),
                "d": answer("counted", 1, False),
            },
            [("exactly 2 solutions", ["a", "c"]), ("exactly 3 solutions", ["b"])],
            ["b"],
        ),
    ],
)
def test_claims_that_exclude_each_other_are_found(
    answers: dict[str, CheckedAnswer], claims: list[tuple[str, list[str]]], standing_out: list[str]
) -> None:
    result = contradictions(answers)
    assert result.claims == claims
    assert result.standing_out == standing_out
    assert bool(result.witnesses) == (bool(claims) and SOLVED in answers.values())


def test_different_solutions_are_a_claim_of_their_own() -> None:
    answers = {line: answer("solved", solution=line) for line in ("12", "21")}
    result = contradictions({**answers, "c": answer("counted", 1, True)})
    assert ("at least 2 solutions", []) in result.claims
    assert ("exactly 1 solution", ["c"]) in result.claims
    assert result.witnesses == ["12", "21"]


def test_a_wrong_answer_stands_out_with_its_reason() -> None:
    result = contradictions({"a": answer("wrong"), "b": SOLVED})
    assert result.wrong == [("a", "last line")]
    assert result.standing_out == ["a"]
    assert result.claims == []


@pytest.mark.long
def test_a_backend_in_a_file_that_disagrees_stands_out(free: Workbench) -> None:
    file = free.folder / "liar.py"
    file.write_text(LIAR)
    body = {"puzzle": board(), "configurations": ["native", "cnf", str(file)]}
    for task, claims in (
        ("solve", {"at least 1 solution": ["native", "cnf"], "no solution": [str(file)]}),
        ("count", {"exactly 1 solution": ["native", "cnf"], "exactly 3 solutions": [str(file)]}),
    ):
        name = free.question({**body, "task": task})
        free.answers(name)
        result = free.got(f"/api/questions/{name}")["found"]
        assert dict(result["claims"]) == claims
        assert result["standing_out"] == [str(file)]
        assert result["witnesses"]
    job = free.got("/api/certificates", body)["job"]
    assert [*free.ended_job(job)["parts"][1]["refuted"]] == ["liar"]
