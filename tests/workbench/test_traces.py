"""Traces over HTTP: steps as they come, limits, cancelling, pages that go."""

import http.client
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.catalogue import load_dataset
from harness.reasoning.board import Board
from harness.reasoning.graphs import BilocationGraph
from harness.reasoning.ladder import LADDER
from harness.reasoning.solving import steps
from tests.workbench.server import Workbench

FIGURE_6 = ".9..5342..134928...4..67.39..1524...92.318..4.5.9763121.924576...573.2...7.68...."
ENDLESS: Any = {
    "puzzle": {"shape": "16x16", "givens": [0] * 256},
    "solutions": 20_000,
    "most_steps": 20_000,
}
"""A trace that takes minutes."""


def page() -> str:
    return uuid4().hex


def data_of(puzzle: Puzzle) -> dict[str, Any]:
    marks = None if puzzle.pencilmarks is None else list(puzzle.pencilmarks)
    return {"shape": puzzle.shape.definition, "givens": list(puzzle.givens), "marks": marks}


def start(workbench: Workbench, **options: Any) -> Any:
    return workbench.post("/api/reasoning", {"page": page(), **options})


def ended(workbench: Workbench, trace: str, seconds: float = 60.0) -> Any:
    """The state of a trace when its last step is there, with all its steps.

    The difficulty, which comes later, is not waited for.
    """
    found: list[Any] = []
    deadline = time.monotonic() + seconds
    while True:
        state = workbench.get(f"/api/reasoning/{trace}?first={len(found)}")
        found += state["steps"]
        if state["end"] and len(found) == state["number"]:
            workbench.request("DELETE", f"/api/reasoning/{trace}")
            return {**state, "steps": found}
        assert time.monotonic() < deadline, state["number"]
        time.sleep(0.02)


def steps_within(workbench: Workbench, trace: str, number: int, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while workbench.get(f"/api/reasoning/{trace}")["number"] < number:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def processes_of(workbench: Workbench) -> int:
    """The processes of traces below a workbench that compute or have computed something."""
    found = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text().rpartition(")")[2].split()
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        found += int(status[1]) == workbench.process.pid and b"trace_steps:trace" in words
    return found


@contextmanager
def stream(workbench: Workbench, name: str) -> Iterator[Iterator[tuple[str, Any]]]:
    """The messages to a page with this name."""
    connection = http.client.HTTPConnection("127.0.0.1", workbench.port, timeout=30)
    connection.request("GET", f"/api/events?page={name}", headers={"cookie": workbench.cookie})
    answer = connection.getresponse()

    def messages() -> Iterator[tuple[str, Any]]:
        topic = ""
        while line := answer.readline().decode().rstrip("\n"):
            if line.startswith("event: "):
                topic = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield topic, json.loads(line.removeprefix("data: "))
                answer.readline()

    for _ in range(2):  # the time after which a page comes back
        answer.readline()
    try:
        yield messages()
    finally:
        answer.close()
        connection.close()


@pytest.mark.parametrize(
    ("dataset", "index"),
    [
        ("named", 4),
        pytest.param("jigsaw", 54, marks=pytest.mark.long),
        pytest.param("16x16", 9, marks=pytest.mark.long),
        pytest.param("sukaku", 0, marks=pytest.mark.long),
    ],
)
def test_a_trace_of_the_rules(workbench: Workbench, dataset: str, index: int) -> None:
    puzzle = load_dataset(dataset).instances[index].puzzle
    started = start(workbench, puzzle=data_of(puzzle), searches=False)
    board = Board(puzzle)
    assert (started["values"], started["candidates"]) == (board.values, board.candidates)
    found = ended(workbench, started["state"]["trace"])
    names = [step.rule.name for step in steps(board, LADDER)]
    assert [step["rule"] for step in found["steps"] if "rule" in step] == names
    assert found["end"]["ending"] == ("solved" if board.finished else "stuck")


def test_the_steps_come_as_messages_to_their_page_only(workbench: Workbench) -> None:
    name = page()
    with stream(workbench, name) as mine, stream(workbench, page()) as other:
        body = {"page": name, "puzzle": data_of(parse_puzzle(FIGURE_6))}
        trace = workbench.post("/api/reasoning", body)["state"]["trace"]
        found: list[Any] = []
        for topic, state in mine:
            if topic == "reasoning":
                assert (state["trace"], state["first"]) == (trace, len(found))
                found += state["steps"]
                if not state["is_running"]:
                    break
        assert state["difficulty"] == {
            "level": "normal",
            "hardest": "bivalue-nonrepetitive-cycle",
        }
        assert found == ended(workbench, trace)["steps"]
        topic, _ = next(iter(other))
        assert topic == "hello"


def test_rules_up_to_a_rung_and_no_rule(workbench: Workbench) -> None:
    puzzle = data_of(parse_puzzle(FIGURE_6))
    two = start(workbench, puzzle=puzzle, up_to="hidden-single", searches=False)
    found = ended(workbench, two["state"]["trace"])
    assert {step.get("rung", 0) for step in found["steps"]} <= {0, 1, 2}
    none = start(workbench, puzzle=puzzle, up_to="none")
    found = ended(workbench, none["state"]["trace"])
    assert {step["kind"] for step in found["steps"]} >= {"options", "guess", "solution"}
    assert not any("rule" in step for step in found["steps"])


def test_a_trace_ends_when_it_is_cancelled(workbench: Workbench) -> None:
    trace = start(workbench, **ENDLESS)["state"]["trace"]
    steps_within(workbench, trace, 50)
    assert workbench.request("DELETE", f"/api/reasoning/{trace}").status == 200
    found = ended(workbench, trace, 10)
    assert found["end"]["ending"] == "cancelled"
    assert found["number"] >= 50


def test_a_trace_ends_at_its_time_limit(workbench: Workbench) -> None:
    trace = start(workbench, **ENDLESS, timeout_s=0.3)["state"]["trace"]
    found = ended(workbench, trace, 15)
    assert found["end"]["ending"] == "timeout"
    assert found["end"]["words"] == "The trace ends here, at the time limit of 0.3 s."


def test_a_trace_ends_at_its_limit_of_steps(workbench: Workbench) -> None:
    puzzle = data_of(parse_puzzle(FIGURE_6))
    found = ended(workbench, start(workbench, puzzle=puzzle, most_steps=7)["state"]["trace"])
    assert (found["number"], found["end"]["ending"]) == (7, "limit")
    assert found["end"]["words"] == "The trace ends here, at its limit of 7 steps."


@pytest.mark.long
def test_a_page_has_one_trace_and_all_pages_have_three(workbench: Workbench) -> None:
    name = page()
    first = workbench.post("/api/reasoning", {"page": name, **ENDLESS})["state"]["trace"]
    second = workbench.post("/api/reasoning", {"page": name, **ENDLESS})["state"]["trace"]
    answer = workbench.request("GET", f"/api/reasoning/{first}")
    assert (answer.status, "unknown trace" in answer.data["error"]) == (400, True)
    with ExitStack() as pages:
        pages.enter_context(stream(workbench, name))
        for other in (page(), page()):
            pages.enter_context(stream(workbench, other))
            workbench.post("/api/reasoning", {"page": other, **ENDLESS})
        refusal = workbench.refusal("/api/reasoning", {"page": page(), **ENDLESS})
        assert refusal == "3 traces of other pages run; expected the end of one of them"
    # Their pages are gone, so they make room at once.
    latest = start(workbench, **ENDLESS)["state"]["trace"]
    workbench.request("DELETE", f"/api/reasoning/{latest}")
    ended(workbench, second, 20)
    deadline = time.monotonic() + 20
    while processes_of(workbench) > 1:  # one waits for the next trace
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.long
def test_a_trace_ends_with_its_page(workbench: Workbench) -> None:
    name = page()
    with stream(workbench, name) as messages:
        body = {"page": name, **ENDLESS, "timeout_s": 600}
        trace = workbench.post("/api/reasoning", body)["state"]["trace"]
        for topic, state in messages:
            if topic == "reasoning" and state["number"] > 10:
                break
    assert ended(workbench, trace, 20)["end"]["ending"] == "cancelled"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"up_to": "naked-singel"}, "unknown rule"),
        ({"page": "x"}, "malformed request"),
        ({"most_steps": 20_001}, "malformed request"),
        ({"order": "last"}, "malformed request"),
        ({"timeout_s": 0}, "malformed request"),
        ({"puzzle": {"shape": "36x36", "givens": [0] * 1296}}, "too large"),
        ({"puzzle": {"shape": "9x9", "givens": [0] * 80}}, "80 cells"),
        ({"puzzle": {"shape": "9x9", "givens": [10] + [0] * 80}}, "not a value"),
        ({"further": 1}, "malformed request"),
    ],
)
def test_bad_requests_are_refused(
    workbench: Workbench, change: dict[str, Any], message: str
) -> None:
    body = {"page": page(), "puzzle": data_of(parse_puzzle(FIGURE_6)), **change}
    assert message in workbench.refusal("/api/reasoning", body)


@pytest.mark.parametrize("first", ["-1", "x", "1e3", "%D9%A3", "9" * 30])
def test_a_number_of_steps_that_is_none_is_refused(workbench: Workbench, first: str) -> None:
    answer = workbench.request("GET", f"/api/reasoning/none?first={first}")
    assert (answer.status, "no number" in answer.data["error"]) == (400, True)


def test_a_contradictory_puzzle_and_a_solved_one(workbench: Workbench) -> None:
    shape = Shape.parse("4x4")
    twice = data_of(Puzzle.of_line("11..............", shape))
    found = ended(workbench, start(workbench, puzzle=twice)["state"]["trace"])
    assert (found["number"], found["end"]["ending"]) == (0, "contradictory")
    whole = data_of(Puzzle.of_line("1234341221434321", shape))
    found = ended(workbench, start(workbench, puzzle=whole)["state"]["trace"])
    assert (found["number"], found["end"]["ending"]) == (0, "given")


def test_the_bilocation_graph(workbench: Workbench) -> None:
    board = Board(parse_puzzle(FIGURE_6))
    data = {"shape": "9x9", "values": board.values, "candidates": board.candidates}
    links = workbench.post("/api/reasoning/graph", data)["links"]
    assert len(links) == BilocationGraph(board).edges == 45
    for change, message in (
        ({"values": [1]}, "1 cell for 9x9"),
        ({"candidates": [1]}, "candidates of 1 cells"),
        ({"candidates": [512] * 81}, "beyond the values"),
        ({"shape": "30x30"}, "too large"),
    ):
        assert message in workbench.refusal("/api/reasoning/graph", {**data, **change})


def test_the_ladder(workbench: Workbench) -> None:
    found = workbench.get("/api/reasoning/ladder")
    assert [rule["name"] for rule in found] == [rule.name for rule in LADDER]


@pytest.mark.long
def test_a_trace_of_a_large_board_is_small(workbench: Workbench) -> None:
    puzzle = load_dataset("25x25").instances[0].puzzle
    trace = start(workbench, puzzle=data_of(puzzle))["state"]["trace"]
    found = ended(workbench, trace)
    assert found["end"]["ending"] == "solved"
    assert len(json.dumps(found["steps"])) < 400 * found["number"]
