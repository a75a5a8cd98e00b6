"""Failures: every one, each with the command that repeats it."""

from collections.abc import Callable

import pandas as pd

from harness.analysis.summary import failures

Trials = Callable[..., pd.DataFrame]


def test_every_failed_trial_is_listed_the_worst_first(trials_of: Trials) -> None:
    results = ["timeout", (1.0, "crashed"), "unsupported", "unknown", "out_of_memory", "wrong", 1.0]
    table = failures(trials_of({"a": results}))
    assert list(table["verdict"]) == [
        *("wrong", "crashed", "out_of_memory", "timeout", "unknown", "unsupported")
    ]
    assert table["repetition"].tolist() == [1, 2, 1, 1, 1, 1]
    assert failures(trials_of({"a": [1.0]})).empty


def test_the_command_puts_the_same_question(trials_of: Trials) -> None:
    trials = trials_of({"cnf[solver=x]#2": ["timeout"]}, timeout_s=0.25, start="warm")
    (line,) = failures(trials)["command"]
    assert line == (
        "harness solve ................ --shape 4x4 --backend 'cnf[solver=x]' "
        "--start warm --timeout 0.25"
    )
    count = trials_of(
        {"a": ["out_of_memory"]}, task="count", limit=7, cpu_limit_s=1.5, memory_limit_mib=64
    )
    (line,) = failures(count)["command"]
    assert line.startswith("harness count ................ ")
    assert line.endswith("--timeout 10 --limit 7 --cpu 1.5 --memory 64")
