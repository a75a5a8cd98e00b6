"""The verdict in one sentence."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from harness.analysis.run import Run
from harness.report.tables import contents
from harness.report.tables.sentences import sentences

Trials = Callable[..., pd.DataFrame]


def told(run: Run) -> list[str]:
    return list(sentences(run.ranks(), run.pairwise()))


def test_each_backend_has_a_sentence_beside_the_first(trials_of: Trials) -> None:
    times = np.exp(np.random.default_rng(0).normal(-4, 1, 20))
    results = {
        "best": list(times),
        "slow": list(times * 3),
        "same": list(times * 1.05),
        "late": [*times[:-1] * 4, "timeout"],
        "liar": [*times[:-1] / 9, "wrong"],
    }
    found = told(Run(Path(), trials_of(results)))
    assert found[0] == "best answered all 20; first by rank"
    assert found[1] == (
        "same answered all 20; not called different from best "
        "(1.05x slower, interval 1.05x to 1.05x)"
    )
    assert found[2] == ("slow answered all 20; 3.00x slower than best, interval 3.00x to 3.00x")
    assert found[3].startswith("late answered 19 of 20; ")
    assert " slower than best, interval 4.00x to " in found[3]
    assert found[4] == "liar was WRONG on 1 puzzle: it is not ranked"
    assert len(found) == 5


def test_who_is_faster_but_answers_less_is_said_to_be_faster(trials_of: Trials) -> None:
    sure = [1.0 + n / 100 for n in range(30)]
    results = {"sure": sure, "quick": [*(t / 100 for t in sure[1:]), "timeout"]}
    found = told(Run(Path(), trials_of(results)))
    assert found[0] == "sure answered all 30; first by rank"
    assert found[1].startswith("quick answered 29 of 30; ")
    assert " faster than sure, interval " in found[1]


def test_without_a_common_puzzle_nobody_is_ranked(trials_of: Trials) -> None:
    found = told(Run(Path(), trials_of({"a": [1.0, None], "b": [None, 1.0]})))
    assert found == [
        f"{name} has no puzzle in common with all others: it is not ranked" for name in "ab"
    ]


def test_the_sentences_stand_with_the_tables_of_their_contest(trials_of: Trials) -> None:
    run = Run(Path(), trials_of({"a": [1.0], "b": [2.0]}))
    (section,) = contents.sections(run, ["summary", "pairwise"])
    assert section.notes[0] == "a answered all 1; first by rank"
    assert contents.sections(run, ["summary"])[0].notes == ()
