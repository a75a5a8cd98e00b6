"""One sentence on each backend."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from harness.analysis.run import Run
from harness.report.tables import contents
from harness.report.tables.contents import sentences

Trials = Callable[..., pd.DataFrame]


def sentences_of(run: Run) -> list[str]:
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
    found = sentences_of(Run(Path(), trials_of(results)))
    assert [sentence.split()[0] for sentence in found] == ["best", "same", "slow", "late", "liar"]
    same, slow, late, liar = found[1:]
    assert "no significant difference from best" in same
    assert "1.05x slower" in same
    assert "3.00x slower than best" in slow
    assert "3.00x to 3.00x" in slow
    assert "19 of 20" in late
    assert "interval 3.2" in late
    assert "x to 7.2" in late
    assert "WRONG on 1 instance" in liar


def test_a_faster_backend_with_fewer_answers_is_called_faster(trials_of: Trials) -> None:
    sure = [1.0 + n / 100 for n in range(30)]
    results = {"sure": sure, "quick": [*(t / 100 for t in sure[1:]), "timeout"]}
    found = sentences_of(Run(Path(), trials_of(results)))
    assert found[0].startswith("sure ")
    assert "29 of 30" in found[1]
    assert " faster than sure" in found[1]


def test_without_a_common_puzzle_no_backend_is_ranked(trials_of: Trials) -> None:
    found = sentences_of(Run(Path(), trials_of({"a": [1.0, None], "b": [None, 1.0]})))
    assert [sentence.split()[0] for sentence in found] == ["a", "b"]
    assert all("not ranked" in sentence for sentence in found)


def test_backends_without_an_answer_have_no_factor(trials_of: Trials) -> None:
    lost = ["timeout"] * 3
    found = sentences_of(Run(Path(), trials_of({"a": lost, "b": lost})))
    assert found[1] == "b answered 0 of 3; no time to compare with a"


def test_the_sentences_are_in_the_section_of_their_comparison_group(trials_of: Trials) -> None:
    run = Run(Path(), trials_of({"a": [1.0], "b": [2.0]}))
    (section,) = contents.sections(run, ["summary", "pairwise"])
    assert list(section.notes) == sentences_of(run)
    assert contents.sections(run, ["summary"])[0].notes == ()
