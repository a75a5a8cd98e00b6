"""Times by a feature of puzzles."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.difficulty import Difficulty, by_difficulty
from harness.analysis.results import results_of
from harness.analysis.run import Run
from harness.errors import OptionError
from harness.puzzles import load_dataset, parse_puzzle
from tests.puzzles.example import LINE

Trials = Callable[..., pd.DataFrame]
SEED_002 = "...8......3..92..1.9.......7.....8....57..9..2..........352.1...5....4.2..6..4..."
HARD = load_dataset("hard/2").instances[0].puzzle.line
LINES = [HARD, LINE, SEED_002]


def test_a_feature_is_computed_from_the_puzzles_of_the_run(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0, 2.0, 3.0], "b": [2.0, 1.0, 3.0]}, shape="9x9")
    lines = {f"p{n:04}": line for n, line in enumerate(LINES[:3])}
    ids = sorted(trials["puzzle_id"].unique())
    trials["puzzle"] = trials["puzzle_id"].map(dict(zip(ids, lines.values(), strict=True)))
    run = Run(Path(), trials).with_difficulty("level")
    table = run.by_difficulty()
    assert list(table["difficulty"].unique()) == ["level naive", "level hard", "level missing"]
    assert list(table["place"].unique()) == [0, 1, 2]
    assert set(table["feature"]) == {"level"}
    hard = table[table["difficulty"] == "level hard"].set_index("backend")
    assert hard["ratio"].to_dict() == {"a": 1.0, "b": 2.0}
    assert set(run.with_difficulty("backdoor").by_difficulty()["difficulty"]) == {
        *("backdoor 0", "backdoor 2", "backdoor missing"),
    }
    assert parse_puzzle(HARD).clues < parse_puzzle(LINE).clues


def test_many_numbers_are_five_ranges(trials_of: Trials) -> None:
    results = results_of(trials_of({"a": [1.0] * 21}))
    ids = sorted(map(str, results["puzzle_id"].unique()))
    values = {puzzle: number for number, puzzle in enumerate(ids[:20])}
    found = by_difficulty(results, Difficulty("clues", {**values, ids[20]: None}))
    assert list(found["difficulty"]) == [
        *("clues 0-3", "clues 4-7", "clues 8-11", "clues 12-15", "clues 16-19", "clues missing"),
    ]
    assert list(found["instances"]) == [4, 4, 4, 4, 4, 1]


def test_equal_numbers_are_in_one_range(trials_of: Trials) -> None:
    results = results_of(trials_of({"a": [1.0] * 40}))
    ids = sorted(map(str, results["puzzle_id"].unique()))
    values = {puzzle: max(0, number - 28) for number, puzzle in enumerate(ids)}
    found = by_difficulty(results, Difficulty("clues", values))
    assert list(found["difficulty"]) == ["clues 0-3", "clues 4-11"]
    assert list(found["instances"]) == [32, 8]


def test_the_classes_are_over_the_common_set(trials_of: Trials) -> None:
    results = results_of(trials_of({"a": [1.0, 1.0, 9.0], "b": [2.0, 2.0, None]}))
    ids = sorted(map(str, results["puzzle_id"].unique()))
    found = by_difficulty(results, Difficulty("clues", {ids[0]: 20, ids[1]: 30, ids[2]: 30}))
    assert set(found["instances"]) == {1}
    assert set(found["left_out"]) == {1}


def test_an_unknown_feature_is_an_error(trials_of: Trials) -> None:
    run = Run(Path(), trials_of({"a": [1.0]}))
    with pytest.raises(OptionError, match=r"unknown feature 'lvel' \(did you mean 'level'\?\)"):
        run.with_difficulty("lvel")
