"""Traces over HTTP: steps as they come, limits, cancelling, pages that go."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import msgspec
import pytest

from harness.extensions.reasoning.board import Board
from harness.extensions.reasoning.graphs import BilocationGraph
from harness.extensions.reasoning.ladder import LADDER, ladder_of, rule_named
from harness.extensions.reasoning.solving import steps
from harness.extensions.reasoning.step import step_of
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.datasets.catalogue import load_dataset
from tests.extensions.workbench.server import Workbench, wait_for

FIGURE_6 = ".9..5342..134928...4..67.39..1524...92.318..4.5.9763121.924576...573.2...7.68...."
ENDLESS: Any = {
    "puzzle": {"shape": "16x16", "givens": [0] * 256},
    "solutions": 20_000,
    "most_steps": 20_000,
}
"""A trace that takes minutes."""


PAGE = uuid4().hex


@pytest.fixture(autouse=True, scope="module")
def _open_page(workbench: Workbench) -> Iterator[None]:
    """Keep a page open: a trace ends some seconds after its page is gone."""
    with workbench.events(PAGE):
        yield


def page() -> str:
    return uuid4().hex


def data_of(puzzle: Puzzle) -> dict[str, Any]:
    marks = None if puzzle.pencilmarks is None else list(puzzle.pencilmarks)
    return {"shape": puzzle.shape.definition, "givens": list(puzzle.givens), "marks": marks}


def start(workbench: Workbench, **options: Any) -> Any:
    return workbench.got("/api/reasoning", {"page": PAGE, **options})


def wait_for_end(workbench: Workbench, trace: str, seconds: float = 60.0) -> Any:
    """The state of a trace when its last step is there, with all its steps.

    The difficulty, which comes later, is not waited for.
    """
    steps: list[Any] = []

    def state() -> Any:
        state_ = workbench.got(f"/api/reasoning/{trace}?first={len(steps)}")
        steps.extend(state_["steps"])
        return state_["end"] and len(steps) == state_["number"] and state_

    last = wait_for(state, seconds)
    workbench.delete(f"/api/reasoning/{trace}")
    return {**last, "steps": steps}


@pytest.mark.parametrize(
    ("dataset", "index"),
    [
        ("jigsaw", 54),
        ("sukaku", 0),
    ],
)
@pytest.mark.long
def test_a_trace_of_the_rules(workbench: Workbench, dataset: str, index: int) -> None:
    puzzle = load_dataset(dataset).instances[index].puzzle
    started = start(workbench, puzzle=data_of(puzzle), searches=False)
    board = Board(puzzle)
    assert (started["values"], started["candidates"]) == (board.values, board.candidates)
    trace = wait_for_end(workbench, started["state"]["trace"])
    names = [step.rule.name for step in steps(board, LADDER)]
    assert [step["rule"] for step in trace["steps"] if step["rule"]] == names
    assert trace["end"]["ending"] == ("solved" if board.finished else "stuck")


def test_the_steps_come_as_messages_to_their_page_only(workbench: Workbench) -> None:
    name = page()
    with workbench.events(name) as mine, workbench.events(page()) as other:
        body = {"page": name, "puzzle": data_of(parse_puzzle(FIGURE_6))}
        trace = workbench.got("/api/reasoning", body)["state"]["trace"]
        steps_: list[Any] = []
        state: Any = {"is_running": True}
        while state["is_running"]:
            state = mine.next("reasoning")
            assert (state["trace"], state["first"]) == (trace, len(steps_))
            steps_ += state["steps"]
        assert state["difficulty"] == {
            "level": "normal",
            "hardest": "bivalue-nonrepetitive-cycle",
        }
        assert steps_ == wait_for_end(workbench, trace)["steps"]
        assert other.rest("reasoning") == []


def test_a_trace_without_rules(workbench: Workbench) -> None:
    puzzle = data_of(parse_puzzle(FIGURE_6))
    none = start(workbench, puzzle=puzzle, up_to="none")
    trace = wait_for_end(workbench, none["state"]["trace"])
    assert {step["kind"] for step in trace["steps"]} >= {"options", "guess", "solution"}
    assert not any(step["rule"] for step in trace["steps"])


@pytest.mark.long
def test_rules_up_to_a_rung(workbench: Workbench) -> None:
    puzzle = data_of(load_dataset("seeds").instances[1].puzzle)
    two = start(workbench, puzzle=puzzle, up_to="hidden-single", searches=False)
    trace = wait_for_end(workbench, two["state"]["trace"])
    rungs = {step["rung"] for step in trace["steps"] if step["rung"]}
    assert rungs
    assert rungs <= {1, 2}


def test_a_trace_ends_when_it_is_cancelled(workbench: Workbench) -> None:
    trace = start(workbench, **ENDLESS)["state"]["trace"]
    wait_for(lambda: workbench.got(f"/api/reasoning/{trace}")["number"] >= 10)
    assert workbench.request("DELETE", f"/api/reasoning/{trace}").status == 200
    ended_trace = wait_for_end(workbench, trace, 10)
    assert ended_trace["end"]["ending"] == "cancelled"
    assert ended_trace["number"] >= 10


def test_a_trace_ends_at_its_time_limit(workbench: Workbench) -> None:
    trace = start(workbench, **ENDLESS, timeout_s=0.3)["state"]["trace"]
    ended_trace = wait_for_end(workbench, trace, 15)
    assert ended_trace["end"]["ending"] == "timeout"
    assert ended_trace["end"]["words"] == "The trace ends here, at the time limit of 0.3 s."


def test_a_trace_ends_at_its_limit_of_steps(workbench: Workbench) -> None:
    puzzle = data_of(parse_puzzle(FIGURE_6))
    trace = wait_for_end(workbench, start(workbench, puzzle=puzzle, most_steps=7)["state"]["trace"])
    assert (trace["number"], trace["end"]["ending"]) == (7, "limit")
    assert trace["end"]["words"] == "The trace ends here, at its limit of 7 steps."


@pytest.mark.long
def test_a_page_has_one_trace(workbench: Workbench) -> None:
    first, second = (start(workbench, **ENDLESS)["state"]["trace"] for _ in range(2))
    answer = workbench.request("GET", f"/api/reasoning/{first}")
    assert (answer.status, "unknown trace" in answer.data["error"]) == (400, True)
    workbench.delete(f"/api/reasoning/{second}")
    wait_for(lambda: len(workbench.processes("trace_steps:trace")) == 1, 20)  # for the next trace


@pytest.mark.long
def test_a_trace_ends_with_its_page(workbench: Workbench) -> None:
    name = page()
    with workbench.events(name) as messages:
        body = {"page": name, **ENDLESS, "timeout_s": 600}
        trace = workbench.got("/api/reasoning", body)["state"]["trace"]
        messages.next("reasoning", lambda state: state["number"] > 10)
    assert wait_for_end(workbench, trace, 20)["end"]["ending"] == "cancelled"


@pytest.mark.parametrize("first", ["-1", "%D9%A3", "9" * 30])
def test_a_number_of_steps_that_is_none_is_refused(workbench: Workbench, first: str) -> None:
    answer = workbench.request("GET", f"/api/reasoning/none?first={first}")
    assert (answer.status, "is not a number of steps" in answer.data["error"]) == (400, True)


def test_a_step_and_the_bilocation_graph_are_drawn(workbench: Workbench) -> None:
    board = Board(parse_puzzle(FIGURE_6))
    conclusion = next(rule_named("nonrepetitive-cycle").conclusions(board))
    step = msgspec.to_builtins(step_of(conclusion, board))
    data = {"shape": "9x9", "values": board.values, "candidates": board.candidates}
    drawing = workbench.got("/api/reasoning/drawing", {**data, "step": step})
    assert drawing["under"].count('class="stroke"') == len(step["removed"]) > 0
    assert drawing["links"] == 0
    drawing = workbench.got("/api/reasoning/drawing", {**data, "has_graph": True})
    edges = BilocationGraph(board).edges
    assert drawing["links"] == drawing["over"].count('class="link graph"') == edges == 45
    for change, message in (
        ({"values": [1]}, "1 cell for 9x9"),
        ({"candidates": [1]}, "candidates of 1 cells"),
        ({"candidates": [512] * 81}, "beyond the values"),
        ({"shape": "30x30"}, "too large"),
        ({"step": {**step, "cells": ["R1C10"]}}, "a step with 'R1C10'; expected a step of 9x9"),
    ):
        assert message in workbench.refusal("/api/reasoning/drawing", {**data, **change})


def test_the_ladder(workbench: Workbench) -> None:
    for shape in ("9x9", "9x9; odd: R1C1"):
        ladder = workbench.got(f"/api/reasoning/ladder?{urlencode({'shape': shape})}")
        expected = [rule.name for rule in ladder_of(Shape.parse(shape))]
        assert [rule["name"] for rule in ladder] == expected
