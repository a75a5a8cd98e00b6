"""Shares of the phases in the time of an answer, by hand."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.columns import ValueKind
from harness.analysis.run import Run
from harness.analysis.timing import PHASES

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
