"""Tables for a terminal."""

import re
from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.run import Run
from harness.base.text import number_of
from harness.report import tables
from harness.report.formatting import (
    amount,
    backend_name,
    duration,
    probability,
    ratio,
    shape_name,
    share,
    span,
)
from harness.report.tables import ALL, group_title, sentences
from tests.full_runs import repeated_unequally
from tests.report.conftest import latex, markdown, terminal_text
from tests.trials import trials_from

# Tables of a run in text, Markdown and CSV.


def run_of(*rows: dict[str, Any]) -> Run:
    solved = {"name": "p", "verdict": "solved", "solution": "1234341221434321"}
    full = [{"puzzle_id": row["p"]} | row for row in rows]
    return Run(Path(), trials_from(full, **solved))


def times(backend: str, *seconds: float) -> list[dict[str, Any]]:
    return [{"backend": backend, "p": f"p{n}", "wall_s": s} for n, s in enumerate(seconds)]


@pytest.fixture
def mixed_run() -> Run:
    """A backend that is right, a slower one with a timeout, and a fast one that is wrong."""
    late = {"verdict": "timeout", "solution": None, "wall_s": 10.0, "backend": "cpsat", "p": "p2"}
    wrong = {"verdict": "wrong", "reason": "R1C1 is 2", "backend": "a/b/own.py:Mine[depth=3]"}
    return run_of(
        *times("native", 0.001, 0.002, 0.003),
        *times("cpsat", 0.1, 0.2),
        late,
        *[row | wrong for row in times("", 1e-6, 1e-6, 1e-6)],
    )


def test_the_terminal_shows_each_comparison_group_in_80_columns(mixed_run: Run) -> None:
    output = terminal_text(mixed_run)
    lines = output.splitlines()
    assert lines[0] == (
        "d: solve, cold start, wall time, limit 10 s, 3 instances, 3 backends, 9 trials"
    )
    assert lines[1].split() == [
        *("backend", "solved", "unsat", "timeout", "wrong"),
        *("median", "gmean", "p95", "total", "PAR-2", "ratio"),
    ]
    assert max(len(line) for line in lines if "harness " not in line) <= 80
    rows = [line.split() for line in output.splitlines() if line.startswith(("native", "cpsat"))]
    assert rows[0] == [
        *("native", "3", "0", "0", "0", "2.00ms", "1.82ms", "2.90ms", "6.00ms", "2.00ms", "1.00x")
    ]
    assert rows[1] == [
        *("cpsat", "2", "0", "1", "0", "200ms", ">585ms", ">9.02s", ">10.3s", "6.77s", "3383x")
    ]


def test_a_wrong_backend_is_last_has_no_ratio_and_is_named(mixed_run: Run) -> None:
    output = terminal_text(mixed_run)
    assert "own.py:Mine[depth=3], solve: wrong: R1C1 is 2" in output
    assert "DISAGREEMENT on 3 of 3" in output
    assert "cpsat: no answer in 1 trial (1 timeout, first d/p)" in output
    table = pd.DataFrame(mixed_run.summary())
    assert list(table["backend"])[-1] == "a/b/own.py:Mine[depth=3]"
    assert "\n> " in output


def test_a_wrong_answer_outside_the_common_instances_explains_a_missing_ratio() -> None:
    lie = {"verdict": "wrong", "reason": "R1C1 is 2", "backend": "b", "p": "p9"}
    output = terminal_text(run_of(*times("a", 0.1), *times("b", 0.1), times("b", 0.1)[0] | lie))
    assert "missing for a backend with a wrong answer" in output


def test_no_limit_is_shown_as_none() -> None:
    """0 stands for no limit, and is no limit of 0 s or 0 MiB."""
    limits = {"cpu_limit_s": 0.1, "memory_limit_mib": 512}
    rows = times("a", 0.01, 0.02)
    other = [row | {"timeout_s": 20.0} for row in rows]
    run = run_of(*rows, *other, *(row | limits for row in rows))
    table = terminal_text(run, 120, names=["survival"])
    values = [line.split() for line in table.splitlines() if line.split()[4:5] == ["a"]]
    assert [line[2:5] for line in values] == [["none", "none", "a"], ["100ms", "512", "a"]]
    assert list(run.measure("survival")["cpu_limit_s"]) == [0.0, 0.1]


def test_markdown_has_every_verdict_that_occurs(mixed_run: Run) -> None:
    lines = markdown(mixed_run).splitlines()
    assert lines[0].startswith("## d: solve")
    assert lines[2].startswith("| backend | solved | unsatisfiable | timeout | wrong | median |")
    assert lines[4].startswith("| native | 3 | 0 | 0 | 0 | 2.00ms |")
    assert {line.count("|") for line in lines[2:7]} == {12}


def test_a_hostile_name_is_escaped_in_markdown() -> None:
    run = run_of(*times("a|b<script>\nx", 0.1))
    row, note = [line for line in markdown(run).splitlines() if "script" in line]
    assert row.startswith("| a\\|b&lt;script> x |")
    assert "nothing compared: only a\\|b&lt;script> x answered" in note


def test_a_backend_from_a_file_is_shown_without_its_folder() -> None:
    fast, slow = [0.001 * n for n in range(1, 9)], [0.002 * n for n in range(1, 9)]
    mine, other = "/home/me/mysolver.py:MySolver", "/home/me/a.toml"
    run = run_of(*times(mine, *fast), *times(other, *slow))
    for output in (terminal_text(run, names=ALL), markdown(run), latex(tables.sections(run))):
        assert "/home/me" not in output
    assert "| mysolver.py:MySolver |" in markdown(run)
    assert "\n(1) mysolver.py:MySolver\n" in terminal_text(run)


def test_the_csv_has_unrounded_values(mixed_run: Run) -> None:
    from io import StringIO

    table = pd.read_csv(StringIO(tables.csv(mixed_run)))
    assert table["median_s"][0] == 0.002
    assert table["ratio"].isna().tolist() == [False, False, True]
    assert list(table["timeout"]) == [0, 1, 0]


def test_five_disagreements_are_shown_and_the_rest_is_counted() -> None:
    wrong = [row | {"verdict": "wrong"} for row in times("bad", *[0.1] * 8)]
    output = terminal_text(run_of(*times("good", *[0.1] * 8), *wrong))
    assert output.count("again: harness solve") == 5
    assert "... and 3 more disagreements" in output


@pytest.mark.parametrize(
    ("time", "cpu_limit_s", "limits"),
    [
        ("wall", 0.0, "wall time, limit 2 s"),
        ("wall", 5.0, "wall time, limit 2 s, CPU time limit 5 s"),
        ("cpu", 0.0, "CPU time, limit 2 s"),
        ("cpu", 5.0, "CPU time, limit 5 s, wall time limit 2 s"),
    ],
)
def test_the_title_of_a_group_has_its_time_and_the_limit_that_failures_count_as(
    time: str, cpu_limit_s: float, limits: str
) -> None:
    question = {"dataset": "d", "scramble": "", "task": "solve", "limit": None, "start": "cold"}
    of_limits = {"timeout_s": 2.0, "cpu_limit_s": cpu_limit_s, "memory_limit_mib": 0}
    key = question | of_limits | {"time": time, "host": "h"}
    assert group_title(key, None, with_host=False) == f"d: solve, cold start, {limits}"
    title = group_title(key | {"scramble": "7"}, None, with_host=False)
    assert title == f"d: solve, cold start, scramble 7, {limits}"


# One sentence on each backend.


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
    sentences = sentences_of(Run(Path(), trials_of(results)))
    names = [sentence.split()[0] for sentence in sentences]
    assert names == ["best", "same", "slow", "late", "liar"]
    same, slow, late, liar = sentences[1:]
    assert "no significant difference from best" in same
    assert "(1.05 times as long, interval 1.05 to 1.05)" in same
    assert "takes 3.00 times as long as best, interval 3.00 to 3.00" in slow
    assert "19 of 20" in late
    assert "interval 3.2" in late
    assert " to 7.2" in late
    assert "WRONG on 1 instance" in liar


def test_backends_without_an_answer_have_no_factor(trials_of: Trials) -> None:
    timeouts = ["timeout"] * 3
    sentences = sentences_of(Run(Path(), trials_of({"a": timeouts, "b": timeouts})))
    assert sentences[1] == "b answered none of 3"


def test_the_sentences_are_in_the_section_of_their_comparison_group(trials_of: Trials) -> None:
    run = Run(Path(), trials_of({"a": [1.0], "b": [2.0]}))
    (section,) = tables.sections_of_measures(run, ["summary", "pairwise"])
    assert list(section.notes) == sentences_of(run)
    assert tables.sections_of_measures(run, ["summary"])[0].notes == ()


# Every number in a heading, counted again from the rows of the trials.


@pytest.fixture(scope="module")
def run(trials_of: Trials) -> Run:
    return repeated_unequally(trials_of)


def test_the_heading_of_a_comparison_group_counts_its_rows(run: Run) -> None:
    texts = [
        (title.split(",")[0], *re.findall(r"\d+ (?:inst|backend|trial)", title))
        for title in (section.title for section in tables.sections_of_measures(run, ["summary"]))
    ]
    assert sorted(texts) == [
        ("d: count to 2", "5 inst", "1 backend", "5 trial"),
        ("d: solve", "30 inst", "4 backend", "120 trial"),
        ("e: solve", "10 inst", "2 backend", "46 trial"),
    ]


def test_the_lines_on_agreement_count_puzzles(run: Run) -> None:
    output = terminal_text(run)
    # The 10 puzzles of e and the 5 that are counted are among the 30 of d.
    assert "DISAGREEMENT on 1 of 30 puzzles" in output
    assert "a: no answer in 5 trials (5 unknown)" in output
    assert "b: no answer in 3 trials (3 crashed)" in output
    assert "unstable: a: wall times of 8 of 8 results" in output


# Formats of numbers and names.


@pytest.mark.parametrize(
    ("form", "values", "texts"),
    [
        (
            duration,
            [0.0, 1.234e-6, 0.0009994, 0.0009996, 0.09996, 9.996, 12345.6, None, nan],
            "0.00µs; 1.23µs; 999µs; 1.00ms; 100ms; 10.0s; 12346s; -; -",
        ),
        (duration, [-1e-17, -0.0, -6e-9, -0.5], "0.00µs; 0.00µs; -0.01µs; -500ms"),
        (ratio, [1.0, 12.34, 123.4, 1234.5, nan], "1.00x; 12.3x; 123x; 1234x; -"),
        (
            amount,
            [999.4, 999.5, 1234567.0, -999.4, -1234.0, nan],
            "999; 1,000; 1,234,567; -999; -1,234; -",
        ),
        (
            share,
            [0.0, 1.0, 0.999, 0.9996, 0.0005, 0.0004, 1e-12],
            "0 %; 100 %; 99.9 %; >99.9 %; 0.1 %; <0.1 %; <0.1 %",
        ),
        (share, [1.0003, 1.21, -0.21, -1e-9, nan], ">100 %; 121.0 %; -21.0 %; >-0.1 %; -"),
        (
            lambda number: number_of(number, "puzzle"),
            [0, 1, 1465],
            "0 puzzles; 1 puzzle; 1,465 puzzles",
        ),
    ],
    ids=["duration", "negative duration", "ratio", "amount", "share", "odd share", "plural"],
)
def test_a_number_has_its_format(form: Callable[[Any], str], values: list[Any], texts: str) -> None:
    assert "; ".join(map(form, values)) == texts


def test_a_path_is_left_out_of_a_label() -> None:
    assert backend_name("/a/b/own.py:Mine[depth=3]") == "own.py:Mine[depth=3]"
    assert backend_name("cnf[solver=glucose4]") == "cnf[solver=glucose4]"
    assert backend_name("cnf[proof=/tmp/x]") == "cnf[proof=/tmp/x]"


def test_a_shape_has_its_short_name() -> None:
    jigsaw = (
        "jigsaw:112222233122124335111124335144444335674774535677775555677899999688888999666668889"
    )
    assert shape_name(jigsaw) == "jigsaw9-cb69dc"
    assert shape_name(f"{jigsaw}+diagonal") == "jigsaw9-cb69dc+diagonal"
    for name in ("9x9", "6x6+diagonal", "latin7", "a shape of a later version"):
        assert shape_name(name) == name


@given(st.one_of(st.floats(-1, 1), st.floats(-1e-6, 1e-6), st.just(-0.0)))
def test_zero_has_no_sign_in_any_format(value: float) -> None:
    for form in (duration, span, amount, ratio, share, probability):
        text = form(value)
        number = re.fullmatch(r"-(0|0\.0+)( ?\D+)?", text)
        assert number is None, (form.__name__, text)
    assert duration(-value).lstrip("-") == duration(value).lstrip("-")
    assert amount(-value).lstrip("-") == amount(value).lstrip("-")
