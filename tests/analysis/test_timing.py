"""How trials use their time: phases, spread over repetitions, throughput."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.analysis.columns import ValueKind
from harness.analysis.results import results_of
from harness.analysis.run import Run
from harness.analysis.timing import PHASES, STABILITY, throughput
from harness.records.fields import DTYPES
from harness.records.frame import frame

# Shares of the phases in the time of an answer, by hand.


Trials = Callable[..., pd.DataFrame]

SHARES = ["build_share", "encode_share", "search_share", "decode_share", "rest_share"]


def phases_of(trials: pd.DataFrame) -> pd.DataFrame:
    return Run(Path(), trials).measure(PHASES)


def test_shares_are_of_the_mean_time_of_right_answers(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0, 3.0, "timeout"]})
    spent = {"build_s": 0.2, "encode_s": 0.4, "search_s": 1.0, "decode_s": 0.1}
    (row,) = phases_of(trials.assign(**spent)).to_dict("records")
    assert (row["answers"], row["mean_s"]) == (2, 2.0)
    assert [row[name] for name in SHARES] == pytest.approx([0.1, 0.2, 0.5, 0.05, 0.15])


def test_a_missing_phase_belongs_to_the_rest(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0, 1.0]}).assign(search_s=[0.5, float("nan")])
    (row,) = phases_of(trials).to_dict("records")
    assert [row[name] for name in SHARES] == pytest.approx([0, 0, 0.25, 0, 0.75])


def test_phases_of_several_threads_are_shares_of_the_wall_time(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0], "b": [2.0]})
    trials = trials.assign(encode_s=[1.0, 0.5], search_s=[2.61, 1.5])
    table = phases_of(trials)
    first, second = table[SHARES].to_numpy().tolist()
    assert first == pytest.approx([0, 1.0, 2.61, 0, -2.61])
    assert second == pytest.approx([0, 0.25, 0.75, 0, 0])
    (note,) = PHASES.notes(table)
    assert note.values == {"backends": (ValueKind.BACKEND, ["a"])}


def test_groups_and_backends_are_apart_and_failures_have_no_row(trials_of: Trials) -> None:
    one = trials_of({"b": [1.0], "a": [2.0], "c": ["timeout"]})
    table = phases_of(pd.concat([one, trials_of({"a": [1.0]}, start="warm")]))
    found = list(zip(table["start"], table["backend"], strict=True))
    assert found == [("cold", "a"), ("cold", "b"), ("warm", "a")]


def test_no_phases_make_no_table(trials_of: Trials) -> None:
    assert not PHASES.applies(phases_of(trials_of({"a": [1.0]})))
    assert PHASES.applies(phases_of(trials_of({"a": [1.0]}).assign(search_s=0.1)))


def test_without_an_answer_there_is_no_row(trials_of: Trials) -> None:
    assert phases_of(trials_of({"a": ["timeout"]})).empty


# Stability: the spread over repetitions, by hand.


def stability(*results: tuple[str, str, list[float]], verdict: str = "solved") -> pd.DataFrame:
    rows: list[dict[str, Any]] = [
        {
            "dataset": "d",
            "backend": backend,
            "puzzle_id": puzzle,
            "clues": 0,
            "task": "solve",
            "limit": 0,
            "start": "cold",
            "timeout_s": 10.0,
            "repetition": number,
            "verdict": verdict,
            "wall_s": seconds,
        }
        for backend, puzzle, times in results
        for number, seconds in enumerate(times, 1)
    ]
    columns = [name for name in DTYPES if name in rows[0]]
    return Run(
        Path(), frame(columns, [[row[name] for name in columns] for row in rows])
    ).stability()


def test_a_result_is_unstable_from_a_spread_of_10_percent() -> None:
    (row,) = stability(
        ("a", "p", [1.0, 1.0, 1.0]),
        ("a", "q", [0.95, 1.0, 1.05]),
        ("a", "r", [0.96, 1.0, 1.04]),
    ).to_dict("records")
    assert (row["results"], row["unstable"], row["left_out"]) == (3, 1, 0)
    assert round(row["largest_spread"], 9) == 0.1
    assert round(row["median_spread"], 9) == 0.08


def test_backends_are_compared_on_the_instances_of_all() -> None:
    found = stability(
        ("a", "p", [1.0, 1.1]),
        ("b", "p", [1.0, 1.1]),
        ("b", "q", [1.0, 3.0]),
        ("b", "r", [1.0, 3.0]),
    )
    assert list(found["results"]) == [1, 1]
    assert list(found["left_out"]) == [2, 2]
    a, b = found["largest_spread"]
    assert a == b < 0.1
    notes = [note.text for note in STABILITY.notes(found)]
    assert notes == ["over the instances that all backends were run on; left out: {left}"]


def test_a_single_or_failed_trial_has_no_spread() -> None:
    assert stability(("a", "p", [1.0])).empty
    assert stability(("a", "p", [1.0, 2.0]), verdict="timeout").empty


# Throughput by hand.


def reported(*guesses: int) -> Callable[[int], str]:
    return lambda number: f'{{"guesses": {guesses[number]}}}'


def test_throughput_by_hand(trials_of: Trials) -> None:
    ref = trials_of({"ref": [0.001, 0.003, "timeout"]}, stats=reported(0, 4, 9), timeout_s=0.002)
    plain = trials_of({"a": [0.001, 0.001, 0.001]}, timeout_s=0.002)
    liar = trials_of({"liar": ["wrong", 1e-6, 1e-6]}, timeout_s=0.002)
    table = throughput(results_of(pd.concat([liar, ref, plain])))
    assert list(table["backend"]) == ["a", "ref", "liar"]
    a, r, wrong = table.to_dict("records")
    assert (a["puzzles_per_s"], a["us_per_puzzle"]) == (
        pytest.approx(1000.0),
        pytest.approx(1000.0),
    )
    assert pd.isna(a["guesses_per_puzzle"])
    assert r["us_per_puzzle"] == pytest.approx(2000.0)
    assert (r["is_bound"], a["is_bound"]) == (True, False)
    assert (r["share_without_guess"], r["guesses_per_puzzle"]) == (0.5, 2.0)
    assert (r["guesses_are"], r["paradigm"]) == ("guesses", "made up")
    assert pd.isna(wrong["puzzles_per_s"])


def test_groups_are_in_the_order_of_the_results(trials_of: Trials) -> None:
    parts = [trials_of({"b": [0.1], "a": [0.1]}, dataset=dataset) for dataset in "zxy"]
    table = throughput(results_of(pd.concat(parts, ignore_index=True)))
    expected = list(dict.fromkeys(results_of(pd.concat(parts, ignore_index=True))["dataset"]))
    assert list(table["dataset"].drop_duplicates()) == expected == ["z", "x", "y"]
    assert list(table["backend"]) == ["a", "b"] * 3
