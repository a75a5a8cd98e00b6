"""Times by the difficulty and other features of puzzles."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.difficulty import Difficulty, by_difficulty
from harness.analysis.measures.results import results_of
from harness.analysis.run import Run
from harness.base.errors import OptionError
from harness.puzzles import load_dataset, parse_puzzle
from tests.installed import needs
from tests.puzzles.example import LINE
from tests.trials import Trials

# Times by difficulty.


def stats_of(*guesses: int) -> Callable[[int], str]:
    return lambda number: f'{{"guesses": {guesses[number]}}}'


def test_difficulty_is_the_number_of_guesses_of_the_reference(trials_of: Trials) -> None:
    guesses = trials_of({"ref": [1.0] * 5 + ["timeout"]}, stats=stats_of(0, 9, 10, 999, 1000, 5))
    others = trials_of({"a": [2.0] * 6})
    table = by_difficulty(results_of(pd.concat([guesses, others])))
    assert list(table[table["backend"] == "a"]["difficulty"]) == [
        "no guess",
        "1-9 guesses",
        "10-99 guesses",
        "100-999 guesses",
        "1000 guesses or more",
        "no answer from ref",
    ]
    assert list(table["place"]) == sorted(table["place"])
    assert table["instances"].sum() == 12
    last = table[table["difficulty"] == "no answer from ref"].set_index("backend")
    assert last["ratio"].to_dict() == {"a": 1.0, "ref": 10.0}


def test_without_guesses_difficulty_is_the_share_of_given_cells(trials_of: Trials) -> None:
    table = by_difficulty(
        results_of(trials_of({"a": [1.0] * 4}, clues=lambda n: [30, 20, 17, 60][n], shape="9x9"))
    )
    assert list(table["difficulty"]) == ["40 % given or more", "30-40 % given", "20-25 % given"]
    assert table["instances"].tolist() == [1, 1, 2]


# Times by a feature of puzzles.


@needs("formats")
def test_times_by_kinds_of_constraints(trials_of: Trials) -> None:
    shapes = [
        "4x4",
        "4x4; odd: r1c1; killer: r1c2",
        "4x4; killer: r1c1",
        "4x4; killer 5: r1c1 r1c2",
    ]
    trials = trials_of({"a": [1.0] * 4}, shape=shapes.__getitem__, puzzle="." * 16)
    feature = Difficulty.of_trials(trials, "kinds")
    table = by_difficulty(results_of(trials), feature)
    assert list(table["difficulty"]) == ["kinds none", "kinds killer", "kinds odd killer"]
    assert table["instances"].tolist() == [1, 2, 1]


SEED_002 = "...8......3..92..1.9.......7.....8....57..9..2..........352.1...5....4.2..6..4..."
HARD = load_dataset("hard/2").instances[0].puzzle.line
LINES = [HARD, LINE, SEED_002]


@needs("reasoning")
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
        *("backdoor 0", "backdoor 2", "backdoor missing")
    }
    assert parse_puzzle(HARD).clues < parse_puzzle(LINE).clues


def test_many_numbers_are_five_ranges(trials_of: Trials) -> None:
    results = results_of(trials_of({"a": [1.0] * 21}))
    ids = sorted(map(str, results["puzzle_id"].unique()))
    values = {puzzle: number for number, puzzle in enumerate(ids[:20])}
    table = by_difficulty(results, Difficulty("clues", {**values, ids[20]: None}))
    assert list(table["difficulty"]) == [
        *("clues 0-3", "clues 4-7", "clues 8-11", "clues 12-15", "clues 16-19", "clues missing")
    ]
    assert list(table["instances"]) == [4, 4, 4, 4, 4, 1]


def test_equal_numbers_are_in_one_range(trials_of: Trials) -> None:
    results = results_of(trials_of({"a": [1.0] * 40}))
    ids = sorted(map(str, results["puzzle_id"].unique()))
    values = {puzzle: max(0, number - 28) for number, puzzle in enumerate(ids)}
    table = by_difficulty(results, Difficulty("clues", values))
    assert list(table["difficulty"]) == ["clues 0-3", "clues 4-11"]
    assert list(table["instances"]) == [32, 8]


@needs("reasoning")
def test_an_unknown_feature_is_an_error(trials_of: Trials) -> None:
    run = Run(Path(), trials_of({"a": [1.0]}))
    with pytest.raises(OptionError, match=r"unknown feature 'lvel' \(did you mean 'level'\?\)"):
        run.with_difficulty("lvel")
