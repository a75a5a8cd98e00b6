"""A run with pencilmark puzzles: its trials, its store, its tables and its page."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import harness as api
from harness.puzzles import Instance, Puzzle, Shape, SolutionCount
from harness.puzzles.datasets.catalogue import Dataset
from harness.records.question import Start, Task
from harness.runs import run as runs
from harness.runs.run import run_sweep
from harness.runs.sweep import Sweep
from tests.backends.oracle import LIMIT, with_givens, with_pencilmarks

SHAPES = ("9x9", "4x4", "6x6+diagonal", "4x4+antiknight")
EMPTY_CELL = Puzzle(Shape.parse("4x4"), (0,) * 16, (0, *(15,) * 15))


def run_of(backends: tuple[str, ...], starts: tuple[Start, ...], folder: Path) -> Path:
    """A run of puzzles with pencilmarks and some without."""
    with_marks = [p for shape in SHAPES for p in with_pencilmarks(shape, 3)]
    plain = [p for shape in SHAPES for p in with_givens(shape, 1)]
    instances = [
        Instance(
            f"{'marked' if puzzle.pencilmarks else 'plain'} {n}",
            puzzle,
            SolutionCount.from_number(number) if number < LIMIT else None,
        )
        for n, (puzzle, number) in enumerate((*with_marks, (EMPTY_CELL, 0), *plain))
    ]
    sweep = Sweep(("sukaku",), backends, tasks=tuple(Task), starts=starts, max_solutions=LIMIT)
    with pytest.MonkeyPatch.context() as patch:
        # The formats of puzzle files that hold pencilmarks are another subject.
        patch.setattr(runs, "datasets_of", lambda _: [Dataset("sukaku", tuple(instances))])
        run_sweep(sweep, folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Their run on a backend that takes pencilmarks and one that does not."""
    folder = tmp_path_factory.mktemp("pencilmarks") / "run"
    return run_of(("native", "annealing[steps=2000]"), tuple(Start), folder)


@pytest.fixture(scope="module")
def trials(folder: Path) -> Any:
    frame = api.load(folder).trials
    return frame.assign(marked=frame["name"].str.startswith("marked"))


@pytest.mark.long
def test_other_calls_are_unsupported_with_the_reason(trials: Any) -> None:
    with_marks = trials[trials["marked"]]
    batch = with_marks[with_marks["start"] == "batch"]
    assert {*zip(batch["verdict"], batch["reason"], strict=True)} == {
        ("unsupported", "a batch has no pencilmarks")
    }
    annealing = with_marks[
        (with_marks["backend"].str.contains("annealing")) & (with_marks["start"] != "batch")
    ]
    assert {*zip(annealing["verdict"], annealing["reason"], strict=True)} == {
        ("unsupported", "annealing does not take pencilmarks")
    }


def test_the_store_gives_the_puzzles_back(tmp_path: Path) -> None:
    trials = api.load(run_of(("native",), (Start.WARM,), tmp_path / "run")).trials
    puzzles = [p for shape in SHAPES for p, _ in with_pencilmarks(shape, 3)]
    lines = {*zip(trials["shape"], trials["puzzle"], trials["puzzle_id"], strict=True)}
    for puzzle in (*puzzles, EMPTY_CELL):
        assert (puzzle.shape.definition, puzzle.line, puzzle.id) in lines
    for shape, line, identity in lines:
        assert Puzzle.of_line(line, Shape.parse(shape)).id == identity


@pytest.mark.long
def test_the_page_shows_the_run(folder: Path, harness: Callable[..., Any]) -> None:
    page = folder.parent / "report.html"
    assert harness("report", folder, "--format", "html", "--out", page).code == 0
    text = page.read_text()
    assert EMPTY_CELL.line in text
    assert "a batch has no pencilmarks" in text
    assert re.search(r'"spec": ?"6x6\+diagonal"', text)
