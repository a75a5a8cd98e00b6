"""Questions of the page to real backends, over HTTP, and contradictions among their answers."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.engine.system import processes
from harness.extensions.workbench.questions import contradictions
from harness.records.question import Verdict
from harness.report.reply import CheckedAnswer
from tests.extensions.workbench.server import BUSY, Workbench, board, endless, wait_for


def ask(workbench: Workbench, *configurations: str, **options: Any) -> dict[str, Any]:
    """The states of a question by configuration, when it is answered."""
    body = {"puzzle": board(), "configurations": configurations, **options}
    answer = workbench.got("/api/questions", body)
    assert {state["state"] for state in answer["answers"]} == {"waiting"}
    return workbench.answers(answer["question"])


@pytest.mark.long
def test_a_backend_that_takes_all_memory_is_ended(
    free: Workbench, a_backend: Callable[..., str]
) -> None:
    block = "blocks = []\nfor _ in range(3000): blocks.append(b'x' * 10**7)"
    spec = a_backend(f"{block}\nreturn Answer.unsatisfiable()", name="hungry")
    body = {"puzzle": board(), "configurations": [spec], "memory": 300}
    answer = free.got("/api/questions", body)
    assert answer["memory"] == 300
    (state,) = free.answers(answer["question"]).values()
    assert state["answer"]["verdict"] == "out_of_memory", state
    default = free.got("/api/questions", {**body, "memory": None, "configurations": ["native"]})
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20
    assert default["memory"] == min(machine // 4, 4096)


@pytest.mark.long
def test_a_long_error_of_a_backend_is_one_line(
    free: Workbench, a_backend: Callable[..., str]
) -> None:
    spec = a_backend("pass", top="raise ImportError('many lines\\n' * 2000)", name="broken")
    (state,) = ask(free, spec).values()
    assert state["state"] == "failed"
    assert "\n" not in state["error"]
    assert len(state["error"]) <= 600


def test_they_count_up_to_a_limit(workbench: Workbench) -> None:
    empty = board("." * 16, "4x4")
    for limit, exact in ((100, False), (1000, True)):
        states = ask(workbench, "native", "cnf", puzzle=empty, task="count", limit=limit)
        for state in states.values():
            answer = state["answer"]
            assert (answer["count"], answer["exact"]) == (min(limit, 288), exact)


@pytest.mark.long
def test_a_grid_of_options_is_several_configurations(workbench: Workbench) -> None:
    answers = ask(workbench, "cnf[solver=[glucose4,cadical153]]", "native")
    assert list(answers) == ["cnf[solver=glucose4]", "cnf[solver=cadical153]", "native"]
    assert {state["state"] for state in answers.values()} == {"answered"}


def test_a_second_question_takes_no_new_process(workbench: Workbench) -> None:
    ask(workbench, "native")
    before = workbench.processes("harness.extensions.workbench.questions:answer")
    for _ in range(3):
        ask(workbench, "native")
    assert workbench.processes("harness.extensions.workbench.questions:answer") == before


def test_pencilmarks_restrict_the_puzzle(workbench: Workbench) -> None:
    puzzle = {**board("." * 16, "4x4"), "marks": [0b0110, *[0b1111] * 15]}
    assert ask(workbench, "native", puzzle=puzzle, task="count")["native"]["answer"]["count"] == 144


def test_an_unknown_option_is_the_answer_of_its_configuration(workbench: Workbench) -> None:
    answers = ask(workbench, "cnf[nothing=1]", "native")
    assert answers["cnf[nothing=1]"]["state"] == "failed"
    assert "nothing" in answers["cnf[nothing=1]"]["error"]
    assert answers["native"]["state"] == "answered"


def test_a_question_is_cancelled_and_leaves_no_process(workbench: Workbench) -> None:
    name = workbench.question(endless("cnf"))
    path = f"/api/questions/{name}"
    wait_for(lambda: workbench.got(path)["answers"][0]["state"] == "running", 20)
    usage_at_first: dict[int, float] = {}

    def computing() -> set[int]:
        """The processes of backends that have computed for longer than they take to start."""
        usage_s = {
            pid: processes.usage([pid]).cpu_s
            for pid in workbench.processes("harness.engine.server")
        }
        return {pid for pid, s in usage_s.items() if s - usage_at_first.setdefault(pid, s) > 0.5}

    workers = wait_for(computing)
    running = set(workbench.processes(""))
    workbench.delete(path)
    state = workbench.answers(name)["cnf"]
    assert state["state"] == "cancelled"
    remaining = set(workbench.processes(""))
    assert len(remaining) < len(running)
    wait_for(lambda: not workers & set(workbench.processes("harness.engine.server")), 10)
    assert ask(workbench, "cnf")["cnf"]["state"] == "answered"


def test_a_new_question_of_a_page_ends_its_earlier_one(workbench: Workbench) -> None:
    pages = ("first", "first", "second")
    questions = [workbench.question({**endless("native"), "page": page}) for page in pages]
    assert workbench.answers(questions[0], 5)["native"]["state"] == "cancelled"
    for question in questions[1:]:
        (state,) = workbench.got(f"/api/questions/{question}")["answers"]
        assert state["state"] in BUSY
        workbench.delete(f"/api/questions/{question}")
        assert workbench.answers(question, 5)["native"]["state"] == "cancelled"
    assert workbench.refusal("/api/questions/unknown").startswith("unknown question 'unknown'")


@pytest.mark.long
def test_a_proof_gives_a_certificate(workbench: Workbench, tmp_path: Path) -> None:
    body = {"puzzle": board(), "configurations": ["native", "cnf"]}
    job = workbench.got("/api/certificates", body)["job"]
    state = workbench.ended_job(job)
    assert state["state"] == "done", state
    (part,) = state["parts"]
    assert (part["proven"]["claim"], part["refuted"]) == ("exactly 1", {})
    file = tmp_path / "found.cert"
    file.write_bytes(workbench.request("GET", f"/api/certificates/{part['name']}").body)
    from harness.cli import main

    with pytest.raises(SystemExit) as exit_:
        main(["verify", str(file)])
    assert exit_.value.code == 0
    assert workbench.request("GET", "/api/certificates/unknown").status == 400


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
