"""The answer of a run in one screen."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from harness.analysis.run import Run
from harness.report import answer

Trials = Callable[..., pd.DataFrame]
TIMES = np.exp(np.random.default_rng(0).normal(-4, 1, 20))


def sentence(trials: pd.DataFrame) -> str:
    (ranking,) = answer.rankings(Run(Path(), trials))
    return ranking.sentence


def test_what_is_not_different_is_fastest_together_and_others_take_a_multiple(
    trials_of: Trials,
) -> None:
    results = {
        "best": list(TIMES),
        "same": list(TIMES * 1.05),
        "slow": list(TIMES * 4.8),
        "slower": list(TIMES * 22),
        "late": [*TIMES[:-1] * 3, "timeout"],
        "liar": [*TIMES[:-1] / 9, "wrong"],
    }
    assert sentence(trials_of(results)) == (
        "best and same are fastest (no significant difference); slow takes 4.80 times as long as "
        "best, slower 22.0 times, late more than 3.69 times (19 of 20 answered); liar gave WRONG "
        "answers"
    )


def test_a_quicker_backend_with_fewer_answers_is_not_called_slower(trials_of: Trials) -> None:
    sure = [1.0 + n / 100 for n in range(30)]
    results = {"sure": sure, "quick": [*(t / 100 for t in sure[1:]), "timeout"]}
    assert sentence(trials_of(results)) == (
        "sure answered most (30 of 30 instances); quick takes 0.013 times as long as sure "
        "(29 of 30 answered)"
    )


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ({"a": [1.0] * 3}, "a answered 3 of 3 instances"),
        ({"a": ["timeout"] * 3, "b": ["timeout"] * 3}, "no backend answered any of 3 instances"),
        (
            {"a": [1.0], "b": [2.0]},
            (
                "a is fastest; b takes 2.00 times as long as a; 1 instance is too few for a "
                "significant difference"
            ),
        ),
        (
            {"a": [1.0] * 20, "b": ["timeout"] * 20},
            "a is fastest; b answered none",
        ),
        (
            {"a": [1.0] * 20, **{name: ["timeout"] * 20 for name in "bcdefg"}},
            "a is fastest; b, c, d and 3 others answered none",
        ),
        (
            {"a": list(TIMES), "b": [*TIMES[:-1], "timeout"]},
            "a is fastest; b takes more than 1.30 times as long as a (19 of 20 answered)",
        ),
        (
            {"a": [1.0] * 19 + ["timeout"], "b": ["timeout"] + [3.0] * 19},
            "a is fastest; b takes more than 2.84 times as long as a",
        ),
        ({"a": ["wrong"] * 3}, "a gave WRONG answers"),
        ({"a": [1.0, None], "b": [None, 1.0]}, "no instance is common to all backends"),
    ],
)
def test_odd_runs_have_a_sentence(
    trials_of: Trials, results: dict[str, Any], expected: str
) -> None:
    assert sentence(trials_of(results)) == expected


def test_without_trials_there_is_no_legend(trials_of: Trials) -> None:
    assert "gmean" not in answer.text(Run(Path("none"), trials_of({"a": [1.0]}).head(0)))


def test_without_groups_there_is_no_column_of_groups(trials_of: Trials) -> None:
    few, enough = (trials_of({"a": TIMES[:n], "b": 2 * TIMES[:n]}) for n in (1, len(TIMES)))
    assert "group" not in answer.text(Run(Path("few"), few))
    assert "total group" in answer.text(Run(Path("enough"), enough))


@pytest.mark.parametrize(
    ("name", "questions", "beginning", "remaining"),
    [
        (
            "backend-with-a-long-name-{:02d}",
            [("solve", "cold"), ("count", "cold"), ("solve", "warm")],
            "solve, cold start: backend-with-a-long-name-00 is fastest;",
            "25 more backends",
        ),
        # These names have lines of their own.
        ("cnf[solver=s-{:02d},encoding=minimal]", [("solve", "cold")], "cnf", "20 more backends"),
    ],
)
def test_thirty_backends_over_eight_datasets_fit_one_screen(
    trials_of: Trials, name: str, questions: list[tuple[str, str]], beginning: str, remaining: str
) -> None:
    backends = {name.format(n): list(TIMES * (1 + n)) for n in range(30)}
    parts = [
        trials_of(backends, dataset=f"dataset-{d}", task=task, start=start)
        for d in range(8)
        for task, start in questions
    ]
    lines = answer.text(Run(Path("many"), pd.concat(parts, ignore_index=True))).splitlines()
    assert len(lines) <= 36
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(beginning)
    assert any(remaining in line for line in lines)


def test_ten_configurations_with_long_names_are_all_in_the_answer(trials_of: Trials) -> None:
    names = [f"cnf[solver=solver-{n:02d},encoding=minimal]" for n in range(10)]
    run = Run(Path("ten"), trials_of({name: list(TIMES * (1 + n)) for n, name in enumerate(names)}))
    lines = answer.text(run).splitlines()
    assert not any("more backend" in line for line in lines)
    assert all(sum(name in line for line in lines) == 1 for name in names[5:])
    assert len(lines) <= 36


def test_a_disagreement_is_in_the_first_lines_with_its_command(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0, 1.0], "b": [2.0, "unsatisfiable"]})
    trials["solution"] = trials["solution"].where(trials["verdict"] != "solved", "1234341221434321")
    text = answer.text(Run(Path(), trials))
    assert "answers DISAGREE on 1 of 2 puzzles" in text
    assert "again: harness" in text
