"""Two runs compared: failures, real changes of times, and no noise."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from harness.analysis.comparison import compare
from harness.analysis.run import Run
from harness.base.errors import InputError
from harness.records.folder.environment import Activity, Invocation
from harness.report.render.text import text
from harness.report.tables import comparison_tables as tables
from tests.trials import Trials

Change = tuple[str, str, str]


def times(seed: int, number: int = 40) -> list[float]:
    return list(np.exp(np.random.default_rng(seed).normal(-4, 1, number)))


def changes(before: list[Any], after: list[Any], trials_of: Trials) -> list[Change]:
    comparison = compare(trials_of({"a": before}), trials_of({"a": after}))
    return [tuple(row) for row in comparison.status[["change", "before", "after"]].to_numpy()]


def test_new_and_fixed_failures_are_listed_the_worst_first(trials_of: Trials) -> None:
    before: list[Any] = [1.0, 1.0, "timeout", "crashed", "timeout", 1.0]
    after: list[Any] = [1.0, "timeout", 1.0, "timeout", "wrong", "crashed"]
    assert changes(before, after, trials_of) == [
        ("now wrong", "timeout", "wrong"),
        ("new failure", "solved", "timeout"),
        ("new failure", "solved", "crashed"),
        ("fixed", "timeout", "solved"),
    ]


@pytest.mark.parametrize(
    ("factor", "change", "is_worse"),
    [(1.2, "slower", True), (1 / 1.2, "faster", False), (1.05, "no change", False)],
)
def test_a_change_of_times_is_real_from_a_factor_of_1_1(
    trials_of: Trials, factor: float, change: str, is_worse: bool
) -> None:
    base = times(0)
    comparison = compare(trials_of({"a": base}), trials_of({"a": [t * factor for t in base]}))
    (row,) = comparison.times.to_dict("records")
    assert (row["change"], comparison.regressed) == (change, is_worse)
    assert row["factor"] == pytest.approx(factor)
    assert comparison.status.empty


def test_the_least_factor_is_chosen(trials_of: Trials) -> None:
    base = times(0)
    before = Run(Path(), trials_of({"a": base}))
    after = Run(Path(), trials_of({"a": [t * 1.04 for t in base]}))
    for least, change in ((1.03, "slower"), (1.05, "no change")):
        comparison = before.compare(after, least_factor=least)
        (row,) = comparison.times.to_dict("records")
        assert (row["change"], row["least_factor"]) == (change, least)
        assert comparison.regressed == (change == "slower")
        again = before.deciding_by(least).compare(after)
        pd.testing.assert_frame_equal(again.times, comparison.times)
        output = " ".join(text(tables.sections(comparison)).split())
        assert f"a factor of {least:g} or more and p < 0.01" in output
    assert list(before.compare(after).times["change"]) == ["no change"]
    finer = before.compare(after, least_factor=1.03)
    assert finer.puzzles["factor"].tolist() == pytest.approx([1.04] * 5)


def test_a_comparison_states_what_it_is_able_to_find(trials_of: Trials) -> None:
    random = np.random.default_rng(12)
    base = np.array(times(10))
    after = trials_of({"a": list(base * np.exp(random.normal(0, 0.05, 40)))})
    comparison = compare(trials_of({"a": list(base)}), after)
    (row,) = comparison.times.to_dict("records")
    assert 1.1 < row["detectable"] < 1.15
    output = " ".join(text(tables.sections(comparison)).split())
    factor = f"{row['detectable']:.2f}"
    assert f"that 4 of 5 runs of this size find: {factor}x" in output
    (sentence,) = tables.sentences(comparison)
    assert f"{factor} is found in 4 of 5 cases" in sentence


def test_slower_ones_come_before_faster_ones(trials_of: Trials) -> None:
    base = times(1)
    factors = {"same": 1.0, "fast": 0.5, "slow": 1.5, "slower": 3.0}
    before = trials_of(dict.fromkeys(factors, base))
    after = trials_of({name: [t * f for t in base] for name, f in factors.items()})
    comparison = compare(before, after)
    assert list(comparison.times["backend"]) == ["slower", "slow", "fast", "same"]
    # Four tests are corrected together: the least p counts four times.
    assert comparison.times["p_holm"].min() == pytest.approx(4 * comparison.times["p"].min())


def test_the_listed_puzzles_changed_in_the_direction_of_their_times(trials_of: Trials) -> None:
    base = times(5)
    steps: list[Any] = [2.0] * 30 + [0.5, "timeout", 1.0, 3.0, 7.0, 4.0, 6.0, 5.0, 2.0, 2.0]
    after = [s if isinstance(s, str) else t * s for t, s in zip(base, steps, strict=True)]
    before = trials_of({"slow": base, "fast": after, "same": base})
    comparison = compare(before, trials_of({"slow": after, "fast": base, "same": base}))
    factors = comparison.puzzles.groupby("backend", sort=False)["factor"].apply(list)
    assert list(factors.index) == ["slow", "fast"]
    assert factors["slow"] == pytest.approx([7, 6, 5, 4, 3])
    assert factors["fast"] == pytest.approx([1 / 7, 1 / 6, 1 / 5, 1 / 4, 1 / 3])
    assert list(comparison.puzzles["name"][:2]) == ["n34", "n36"]
    assert comparison.puzzles["command"][0].startswith("harness solve ................ --shape 4x4")


def test_timeouts_of_both_runs_do_not_dilute_a_change(trials_of: Trials) -> None:
    base: list[Any] = times(8, 14)
    timeouts: list[Any] = ["timeout"] * 86
    slow = [t * 1.9 for t in base]
    comparison = compare(trials_of({"a": base + timeouts}), trials_of({"a": slow + timeouts}))
    (row,) = comparison.times.to_dict("records")
    assert (row["change"], comparison.regressed) == ("slower", True)
    assert row["factor"] == pytest.approx(1.9)
    assert row["after_s"] / row["before_s"] == pytest.approx(1.9)
    assert (row["instances"], row["unanswered_both"]) == (100, 86)
    (sentence,) = tables.sentences(comparison)
    assert "a takes 1.90 times as long as before" in sentence
    assert "over 14 of 100 instances" in sentence
    assert "86" in sentence
    assert "unanswered by both" in text(tables.sections(comparison))
    # A timeout of one run counts as the limit.
    comparison = compare(
        trials_of({"a": [1.0, *timeouts]}), trials_of({"a": ["timeout", *timeouts]})
    )
    assert comparison.times["factor"][0] == pytest.approx(10.0)


def test_runs_without_an_answer_have_no_factor_and_no_change(trials_of: Trials) -> None:
    timeouts = trials_of({"a": ["timeout"] * 20, "b": times(9, 20)})
    comparison = compare(timeouts, timeouts)
    rows = comparison.times.set_index("backend")
    assert (rows["change"]["a"], rows["unanswered_both"]["a"]) == ("no change", 20)
    assert rows[["factor", "factor_low", "p", "p_holm", "before_s"]].loc["a"].isna().all()
    assert rows["factor"]["b"] == 1.0
    sentences = list(tables.sentences(comparison))
    assert any("answered none of 20 instances" in sentence for sentence in sentences)
    assert not any("nan" in sentence for sentence in sentences)
    assert not any(note.endswith("too few") for note in comparison.notes)


def test_machines_are_compared_only_on_request(trials_of: Trials) -> None:
    here = trials_of({"a": times(2)})
    there = trials_of({"a": times(2)}, host="there")
    with pytest.raises(InputError) as error:
        compare(here, there)
    assert "--across-machines" in error.value.expected
    assert "here" in error.value.what
    assert "there" in error.value.what
    comparison = compare(here, there, across_machines=True)
    (note,) = comparison.notes
    assert note.endswith("before on here, after on there")
    assert len(comparison.times) == 1


def test_each_machine_of_merged_runs_is_compared_with_itself(trials_of: Trials) -> None:
    base = times(3)
    before = pd.concat([trials_of({"a": base}), trials_of({"a": base}, host="there")])
    slow = [t * 2 for t in base]
    after = pd.concat(
        [
            trials_of({"a": slow}),
            trials_of({"a": base}, host="there"),
            trials_of({"a": base}, host="new"),
        ]
    )
    comparison = compare(before, after)
    changes = dict(zip(comparison.times["host"], comparison.times["change"], strict=True))
    assert changes == {"here": "slower", "there": "no change"}
    (note,) = comparison.notes
    assert note.endswith(": new")


def test_a_run_without_trials_is_bad_input(trials_of: Trials) -> None:
    single_trial = trials_of({"a": [1.0]})
    for runs, which in (
        ((single_trial, single_trial.iloc[:0]), "second"),
        ((single_trial.iloc[:0], single_trial), "first"),
    ):
        with pytest.raises(InputError) as error:
            compare(*runs)
        assert which in error.value.what


def test_a_comparison_shows_itself_with_names_escaped(trials_of: Trials) -> None:
    comparison = compare(trials_of({"<script>": [1.0]}), trials_of({"<script>": ["wrong"]}))
    assert "<script>" not in comparison._repr_html_()
    assert "&lt;script&gt;" in comparison._repr_html_()


def test_instances_that_neither_run_answers_do_not_count_as_enough(trials_of: Trials) -> None:
    few = "7 instances: too few for a significant change of times"
    for answers, has_note in ((8, False), (7, True)):
        values: list[Any] = [1.0] * answers + ["timeout"] * (12 - answers)
        comparison = compare(trials_of({"a": values}), trials_of({"a": values}))
        assert (few in comparison.notes) == has_note


def test_slower_cores_are_the_cause_and_not_the_backend(trials_of: Trials) -> None:
    base = list(np.exp(np.random.default_rng(0).normal(-5, 1, 20)))
    before = Run(Path(), trials_of({"a": base}))
    after = Run(Path(), trials_of({"a": [1.3 * t for t in base]}))
    for run, seconds in ((before, 1e-4), (after, 1.2e-4)):
        activity = Activity(seconds=2.0, calibration_s=seconds)
        run.__dict__["invocations"] = [Invocation(activity=activity)]
    comparison = before.compare(after)
    assert comparison.times["change"].tolist() == ["slower, unequal machine"]
    assert [d.subject for d in comparison.unequal] == ["speed of the cores"]
    assert comparison.unequal[0].before == "100.0 µs for a fixed computation"
    assert not comparison.regressed
