"""The notes below each table: what they say, and when."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.analysis.measures.measure import MEASURES
from harness.analysis.run import Run
from tests.trials import Trials

COMMON = "over the instances that all backends were run on"
LIAR = "{backends}, with a wrong answer"
FRIEDMAN = "Friedman's test of equal mean ranks, for information"
NO_RANK = ["a backend with a wrong answer has no rank", "rank", "no groups"]
MANY: dict[str, list[Any]] = {"a": [1.0, 2.0] * 8, "b": [3.0, 4.0] * 8, "c": ["timeout", 5.0] * 8}
"""Three backends that differ on sixteen instances, one with failures."""
PARTLY: dict[str, list[Any]] = {
    "a": [1.0, 2.0, 3.0],
    "b": [2.0, None, 3.0],
    "liar": ["wrong", 1.0, None],
}
"""One backend without an instance, and one with a wrong answer."""


def notes(name: str, trials: pd.DataFrame) -> list[str]:
    """The notes of a table, each up to its first colon or semicolon."""
    measure = MEASURES[name]
    table = Run(Path(), trials).measure(measure)
    if table.empty:
        return []
    texts = [note.text for note in measure.notes(table)]
    return [text.partition(":")[0].partition(";")[0] for text in texts]


@pytest.mark.parametrize(
    ("name", "many", "partly"),
    [
        ("summary", [], [COMMON, LIAR]),
        ("ranks", ["rank", "group"], [COMMON, LIAR, *NO_RANK]),
        (
            "pairwise",
            ["factor", "interval and p hold for the processes of this run", "detectable"],
            [COMMON, "{instances} instances", "factor"],
        ),
        ("contributions", ["VBS", FRIEDMAN], [COMMON, LIAR, "VBS"]),
        ("averages", ["SGM"], [COMMON, LIAR, "SGM"]),
        (
            "throughput",
            ["an instance without a right answer counts as the time limit"],
            [COMMON, LIAR],
        ),
        ("by-difficulty", ["difficulty"], [COMMON, "difficulty"]),
        ("phases", [], [COMMON]),
        ("pooled", ["rank", "group"], [COMMON, LIAR, *NO_RANK]),
        ("scaling", [], [COMMON, LIAR]),
        ("survival", ["RMST"], [COMMON, LIAR, "RMST"]),
    ],
)
def test_a_table_has_the_notes_that_apply(
    trials_of: Trials, name: str, many: list[str], partly: list[str]
) -> None:
    assert notes(name, trials_of(MANY)) == many
    assert notes(name, trials_of(PARTLY)) == partly


def test_calls_are_named_as_the_unit(trials_of: Trials) -> None:
    batch = trials_of({"a": [1.0] * 9, "b": [2.0] * 9}, start="batch", call="c0ffee")
    assert notes("summary", batch) == ["the unit of times and ranks is a call of many puzzles"]
    assert notes("pairwise", batch)[0] == "{instances} calls"
    both = pd.concat([trials_of({"a": [1.0] * 5, "b": [2.0] * 5}), batch], ignore_index=True)
    assert notes("summary", both) == ["the unit of times and ranks is a call of many puzzles"]
    assert notes("pairwise", both)[0] == "{instances} instances"


def test_guesses_under_different_names_are_not_comparable(trials_of: Trials) -> None:
    first = trials_of({"a": [1.0, 2.0]}, stats='{"guesses": 3}')
    note = "guesses counted under different names are not comparable"
    for name, expected in (("guesses", []), ("decisions", [note])):
        other = trials_of({"b": [2.0, 3.0]}, stats=f'{{"{name}": 4}}')
        texts = notes("throughput", pd.concat([first, other], ignore_index=True))
        assert texts == expected


def test_an_order_that_depends_on_the_shift_is_noted(trials_of: Trials) -> None:
    steady = {"a": [0.001] * 4, "b": [0.0000001, 0.0000001, 0.01, 0.01]}
    assert notes("averages", trials_of(steady)) == [
        "SGM",
        "the order of the backends by SGM depends on the shift",
    ]


def test_phases_beyond_the_wall_time_are_noted(trials_of: Trials) -> None:
    for search, expected in ((1.5, ["the phases of {backends} exceed the wall time"]), (0.5, [])):
        trials = trials_of({"a": [1.0, 1.0]}).assign(encode_s=0.0, search_s=search, decode_s=0.0)
        assert notes("phases", trials) == expected


def test_no_phases_make_no_table(trials_of: Trials) -> None:
    for columns, is_shown in (({}, False), ({"search_s": 0.1}, True)):
        table = Run(Path(), trials_of({"a": [1.0]}).assign(**columns)).measure("phases")
        assert MEASURES["phases"].applies(table) == is_shown


def test_an_exponent_is_explained(trials_of: Trials) -> None:
    sizes = {"4x4": 16, "9x9": 81, "16x16": 256, "25x25": 625}
    parts = [
        trials_of({"a": [0.001 * cells] * 3}, shape=shape, puzzle="." * cells, dataset=shape)
        for shape, cells in sizes.items()
    ]
    assert notes("scaling", pd.concat(parts, ignore_index=True)) == ["exponent"]


def test_pairs_without_an_answer_are_no_tests(trials_of: Trials) -> None:
    # Of the six pairs of four backends, five are tests: ten instances are enough for five.
    times: dict[str, list[Any]] = {name: [wall] * 10 for name, wall in (("a", 1.0), ("b", 1.01))}
    times |= {"c": ["timeout"] * 10, "d": ["timeout"] * 10}
    assert notes("pairwise", trials_of(times))[0] == "factor"
    times |= {"e": [1.02] * 10}
    assert notes("pairwise", trials_of(times))[0] == "{instances} instances"


def test_a_wrong_backend_with_all_instances_needs_no_note(trials_of: Trials) -> None:
    assert notes("summary", trials_of({"a": [1.0, 2.0], "liar": ["wrong", 1.0]})) == []


def test_the_column_of_pairs_without_an_answer_is_shown_from_one(trials_of: Trials) -> None:
    (column,) = [column for column in MEASURES["pairwise"].columns if column.name == "neither"]
    for failures, is_shown in ((0, False), (1, True), (2, True)):
        values = ["timeout"] * failures + [1.0] * 3
        table = Run(Path(), trials_of({"a": values, "b": values})).measure("pairwise")
        assert column.shown_if(table) == is_shown
