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
from harness.extensions.workbench.boards import puzzle_data
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.datasets.catalogue import load_dataset
from tests.backends.article_puzzles import FIGURE_6
from tests.extensions.workbench.server import Workbench, wait_for

ENDLESS: Any = {
    "puzzle": Puzzle(Shape.parse("16x16"), (0,) * 256),
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


def start(workbench: Workbench, puzzle: Puzzle, **options: Any) -> Any:
    """Start a trace of a page, by default of `PAGE`."""
    data = msgspec.to_builtins(puzzle_data(puzzle))
    return workbench.got("/api/reasoning", {"page": PAGE, "puzzle": data, **options})


def started(workbench: Workbench, puzzle: Puzzle, **options: Any) -> str:
    """The name of a new trace."""
    return str(start(workbench, puzzle, **options)["state"]["trace"])


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


@pytest.mark.parametrize(("dataset", "index"), [("jigsaw", 54), ("sukaku", 0)])
@pytest.mark.long
def test_a_trace_of_the_rules(workbench: Workbench, dataset: str, index: int) -> None:
    puzzle = load_dataset(dataset).instances[index].puzzle
    answer = start(workbench, puzzle, searches=False)
    board = Board(puzzle)
    assert (answer["values"], answer["candidates"]) == (board.values, board.candidates)
    trace = wait_for_end(workbench, answer["state"]["trace"])
    names = [step.rule.name for step in steps(board, LADDER)]
    assert [step["rule"] for step in trace["steps"] if step["rule"]] == names
    assert trace["end"]["ending"] == ("solved" if board.finished else "stuck")


def test_the_steps_come_as_messages_to_their_page_only(workbench: Workbench) -> None:
    name = uuid4().hex
    with workbench.events(name) as mine, workbench.events(uuid4().hex) as other:
        trace = started(workbench, parse_puzzle(FIGURE_6), page=name)
        steps_: list[Any] = []
        state: Any = {"is_running": True}
        while state["is_running"]:
            state = mine.next("reasoning")
            assert (state["trace"], state["first"]) == (trace, len(steps_))
            steps_ += state["steps"]
        hardest = "bivalue-nonrepetitive-cycle"
        assert state["difficulty"] == {"level": "normal", "hardest": hardest}
        assert steps_ == wait_for_end(workbench, trace)["steps"]
        assert other.rest("reasoning") == []


def test_a_trace_without_rules_and_with_rules_up_to_a_rung(workbench: Workbench) -> None:
    puzzle = parse_puzzle(FIGURE_6)
    trace = wait_for_end(workbench, started(workbench, puzzle, up_to="none"))
    assert {step["kind"] for step in trace["steps"]} >= {"options", "guess", "solution"}
    assert not any(step["rule"] for step in trace["steps"])
    puzzle = load_dataset("seeds").instances[1].puzzle
    two = started(workbench, puzzle, up_to="hidden-single", searches=False)
    rungs = {step["rung"] for step in wait_for_end(workbench, two)["steps"] if step["rung"]}
    assert rungs
    assert rungs <= {1, 2}


def test_a_trace_ends_when_it_is_cancelled(workbench: Workbench) -> None:
    trace = started(workbench, **ENDLESS)
    wait_for(lambda: workbench.got(f"/api/reasoning/{trace}")["number"] >= 10)
    workbench.delete(f"/api/reasoning/{trace}")
    ended_trace = wait_for_end(workbench, trace, 10)
    assert ended_trace["end"]["ending"] == "cancelled"
    assert ended_trace["number"] >= 10


def test_a_trace_ends_at_its_limits(workbench: Workbench) -> None:
    end = wait_for_end(workbench, started(workbench, **ENDLESS, timeout_s=0.3), 15)["end"]
    assert end["ending"] == "timeout"
    assert end["words"] == "The trace ends here, at the time limit of 0.3 s."
    limited = started(workbench, parse_puzzle(FIGURE_6), most_steps=7)
    trace = wait_for_end(workbench, limited)
    assert (trace["number"], trace["end"]["ending"]) == (7, "limit")
    assert trace["end"]["words"] == "The trace ends here, at its limit of 7 steps."


@pytest.mark.long
def test_a_page_has_one_trace(workbench: Workbench) -> None:
    first, second = (started(workbench, **ENDLESS) for _ in range(2))
    assert "unknown trace" in workbench.refusal(f"/api/reasoning/{first}")
    workbench.delete(f"/api/reasoning/{second}")
    wait_for(lambda: len(workbench.processes("trace_steps:trace")) == 1, 20)  # for the next trace


@pytest.mark.long
def test_a_trace_ends_with_its_page(workbench: Workbench) -> None:
    name = uuid4().hex
    with workbench.events(name) as messages:
        trace = started(workbench, **ENDLESS, page=name, timeout_s=600)
        messages.next("reasoning", lambda state: state["number"] > 10)
    assert wait_for_end(workbench, trace, 20)["end"]["ending"] == "cancelled"


@pytest.mark.parametrize("first", ["-1", "%D9%A3", "9" * 30])
def test_a_number_of_steps_that_is_none_is_refused(workbench: Workbench, first: str) -> None:
    text = workbench.refusal(f"/api/reasoning/none?first={first}")
    assert "is not a number of steps" in text


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
