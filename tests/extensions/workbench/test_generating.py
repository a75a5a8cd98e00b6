"""Puzzles that the page generates, over HTTP."""

from typing import Any

import pytest

import harness
from harness.extensions.generate.options import GenerationRequest
from harness.extensions.generate.request import generate
from harness.puzzles import Puzzle, Shape
from harness.puzzles.symmetry import Symmetry
from tests.extensions.workbench.server import Workbench


def puzzles_of(workbench: Workbench, body: dict[str, Any]) -> list[Puzzle]:
    state = workbench.ended_job(workbench.got("/api/generate", body)["job"])
    assert state["state"] == "done", state
    numbers = [part["done"] for part in state["parts"]]
    assert numbers == [*range(1, body.get("count", 1) + 1)]
    puzzles = [part["made"]["puzzle"] for part in state["parts"]]
    return [Puzzle(Shape.parse(puzzle["shape"]), tuple(puzzle["givens"])) for puzzle in puzzles]


def test_puzzles_come_one_by_one_and_are_those_of_the_command(workbench: Workbench) -> None:
    puzzles = puzzles_of(workbench, {"shape": "4x4", "count": 3, "seed": 7})
    request = GenerationRequest(shape=Shape.parse("4x4"), count=3, seed=7)
    assert puzzles == [result.puzzle for result in generate(request)]


@pytest.mark.long
def test_a_generated_puzzle_has_its_properties(workbench: Workbench) -> None:
    body = {"shape": "9x9+diagonal", "level": "minimal", "symmetry": "rotation180", "seed": 5}
    (puzzle,) = puzzles_of(workbench, body)
    assert harness.count(puzzle, max_solutions=2).count == 1
    pattern = [bool(value) for value in puzzle.givens]
    assert pattern == pattern[::-1]


def test_choices_are_those_of_the_command(workbench: Workbench) -> None:
    choices = workbench.got("/api/generate")
    assert choices["symmetry"] == [str(symmetry) for symmetry in Symmetry]
    assert choices["level"] == ["naive", "easy", "normal", "hard", "minimal"]
    assert choices["model"] == ["holes", "qcp"]


@pytest.mark.long
def test_conditions_without_puzzles_end_with_a_sentence(workbench: Workbench) -> None:
    body = {"shape": "4x4", "count": 1000, "clues": "16"}
    state = workbench.ended_job(workbench.got("/api/generate", body)["job"], 60)
    assert state["state"] == "failed"
    assert "different puzzles of 4x4 found" in state["error"]
    assert state["parts"][-1]["done"] <= 288


def test_generation_is_cancelled(workbench: Workbench) -> None:
    body = {"shape": "25x25", "count": 1000, "minimal": True}
    job = workbench.got("/api/generate", body)["job"]
    assert workbench.request("DELETE", f"/api/jobs/{job}").status == 200
    assert workbench.ended_job(job)["state"] == "cancelled"
    assert workbench.request("DELETE", "/api/jobs/unknown").status == 400
